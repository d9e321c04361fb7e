"""The live viewer: a scene served from this process to the browser, by viser."""
