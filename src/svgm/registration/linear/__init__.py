"""Registration by linear maps: similarity (rotation, scale, translation) and affine."""
