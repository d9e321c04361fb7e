"""Maps of many scans: links between scans, loop closures, the pose graph, and one merged mixture."""
