"""Non-rigid registration: a thin-plate spline that moves the source onto the target."""
