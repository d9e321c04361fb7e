"""Formats of point files, one file each: ``read(path)`` and, if the format can be written, ``write(path, points)``.

To add a format, write its module here and list its suffixes in `svgm.io.formats.registry`.
"""
