"""The figures printed in the paper, for the column beside ours."""

from __future__ import annotations

#: Table 1: ends of the convergence range in radians.
TABLE_1 = {
    "road": {"SVR": (-3.1, 3.1), "GMR": (-3.0, 3.0), "CPD": (-1.6, 1.6), "ICP": (-0.8, 0.8)},
    "contour": {"SVR": (-1.6, 1.6), "GMR": (-1.5, 1.5), "CPD": (-1.5, 1.5), "ICP": (-0.1, 0.1)},
    "fish": {"SVR": (-1.6, 1.6), "GMR": (-1.5, 1.5), "CPD": (-1.2, 1.3), "ICP": (-0.4, 0.5)},
    "glyph": {"SVR": (-1.6, 1.6), "GMR": (-1.6, 1.6), "CPD": (-1.6, 1.5), "ICP": (-0.4, 0.4)},
}

#: Table 2: pairs converged of 30 at 24, 48, 72 and 96 degrees, and seconds.
TABLE_2 = {
    "SVR": (30, 29, 16, 4, 0.2),
    "GMR": (29, 20, 13, 2, 19.2),
    "CPD": (26, 18, 14, 3, 5.7),
    "ICP": (28, 19, 13, 1, 0.04),
    "GOI": (30, 27, 18, 10, 1407.0),
    "S4P": (29, 24, 17, 13, 399.0),
}

#: Tables 3 (AASS-LOOP) and 4 (HANNOVER2): metres, radians, inliers in per cent, seconds.
TABLE_3 = {
    "SVR": (0.95, 0.08, 81.4, 3.43),
    "SVR+": (0.67, 0.06, 86.4, 29.7),
    "GMR": (1.61, 0.12, 18.6, 599.0),
    "ICP": (0.99, 0.04, 55.2, 10.8),
    "NDP": (1.10, 0.02, 50.0, 9.12),
    "NDD": (0.85, 0.06, 63.8, 1.02),
    "S4P": (0.71, 0.32, 78.0, 60.7),
}
TABLE_4 = {
    "SVR": (0.10, 0.01, 99.8, 14.0),
    "SVR+": (0.09, 0.01, 99.8, 32.6),
    "GMR": (1.32, 0.05, 8.88, 179.0),
    "ICP": (0.43, 0.05, 74.4, 5.68),
    "NDP": (0.79, 0.05, 54.2, 4.03),
    "NDD": (0.40, 0.05, 76.4, 0.51),
    "S4P": (0.40, 0.03, 75.0, 39.7),
}
