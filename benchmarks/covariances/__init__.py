"""Full covariances against round components: the figures by which they are judged, each part by itself."""
