"""Where sensors stood: far away or in the middle of what they saw."""

from __future__ import annotations

import numpy as np

from svgm.reconstruction.sensor_places import sensor_places


def test_a_sensor_in_the_middle_of_a_room_is_the_origin() -> None:
    rng = np.random.default_rng(0)
    walls = rng.uniform(-1, 1, (4000, 3))
    axis = rng.integers(0, 3, 4000)
    walls[np.arange(4000), axis] = np.sign(walls[np.arange(4000), axis])
    places = walls * [5.0, 4.0, 2.0]
    (found,) = sensor_places([places], [np.eye(4)], [None], 0.1, 1)
    np.testing.assert_array_equal(found, np.zeros(3))
