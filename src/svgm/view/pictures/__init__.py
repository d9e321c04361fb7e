"""Pictures by matplotlib: a module for each picture, `figure` for Axes and files, `draw` for the content of panels."""
