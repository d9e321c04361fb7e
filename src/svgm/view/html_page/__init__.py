"""The HTML file of scenes: Python writes the data, and the scripts in `web/` draw them in the browser."""
