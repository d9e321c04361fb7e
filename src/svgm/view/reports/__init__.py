"""Reports: a registration or a map as one HTML file.  The sentences about a result are made in
`svgm.view.words`; the report adds those that explain its figures."""
