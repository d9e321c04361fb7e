"""Reports: a registration or a map as one HTML file.  The sentences of reports are made in `svgm.view.words`."""
