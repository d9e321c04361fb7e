"""A bag of ROS with one cloud or laser scan in it, as a point file. Bags with many scans: `svgm.io.bags`."""

from __future__ import annotations

from itertools import islice

from svgm.io.bags import read_bag, topics
from svgm.io.cloud import PointCloud
from svgm.io.errors import file_error
from svgm.io.paths import PathLike, as_path

#: A driver marks rays without a measurement by NaN.
MARKS_MISSING = True


def load(path: PathLike, columns: bool = True) -> PointCloud:
    """Read the points of a bag that holds one scan.

    Parameters
    ----------
    path : str or os.PathLike
        The bag.
    columns : bool, default True
        Whether the other fields are read.

    Returns
    -------
    PointCloud
        The points.

    Raises
    ------
    FileError
        If rosbags is not installed, if the bag is damaged, or if it holds no scan or several.
    """
    path = as_path(path)
    counts = topics(path)
    if sum(counts.values()) > 1:
        found = ", ".join(f"{count} of {topic}" for topic, count in counts.items())
        advice = f"svgm convert {path.name} -o FOLDER writes each to a file"
        raise file_error(path, f"holds many scans ({found}), where one is meant; {advice}")
    scans = list(islice(read_bag(path), 1))
    if not scans:
        raise file_error(path, "holds no points")
    cloud = scans[0].cloud
    return cloud if columns else PointCloud(cloud.points, {}, cloud.viewpoint, cloud.dropped)
