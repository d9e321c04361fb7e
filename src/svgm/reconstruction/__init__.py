"""Reconstruction (Section 7): from a mixture to the mesh of its surface."""
