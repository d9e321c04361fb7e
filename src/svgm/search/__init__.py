"""Searching all poses, instead of following the objective downhill from a start."""
