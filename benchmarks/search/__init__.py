"""Global search, held to its bars."""
