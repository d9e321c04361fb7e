"""Geometry of point sets: input checks, scale and resolution, stray points, clutter, thinning, normals."""
