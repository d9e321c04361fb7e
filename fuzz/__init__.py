"""An attack on svgm: damaged files, wrong arguments, hard point sets, command lines.  See `python -m fuzz --help`."""
