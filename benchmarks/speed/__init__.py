"""How fast svgm is beside its peers: ratios measured in one run.  ``python -m benchmarks.speed --help``"""
