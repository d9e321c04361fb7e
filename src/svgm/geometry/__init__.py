"""Point sets as geometry: input checks, scale and resolution, stray points, thinning, normals."""
