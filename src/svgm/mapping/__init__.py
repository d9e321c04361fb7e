"""Many scans: their poses in one world, and what they saw together."""
