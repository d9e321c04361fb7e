"""Geometry of point sets: input checks, rotations, scale and resolution, stray points, thinning, normals."""
