"""Maps of many scans held to their bars."""
