"""Registration of two point sets (Section 4): Algorithm 1, the search without an initial pose, the result."""
