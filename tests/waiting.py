"""How long a test waits for something that will happen: as long as it takes, unless it hangs."""

#: Seconds.  Nothing here takes a tenth of it, so a busy machine passes; what never happens still ends in a failure.
PATIENCE = 600.0
