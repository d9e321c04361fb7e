"""Many scans to one model, held to its bars."""
