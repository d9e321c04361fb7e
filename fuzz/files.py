"""Cases that read a damaged file, by every way in which svgm reads one."""

from __future__ import annotations

from fuzz.case import Case, Generator, one_of
from fuzz.damage import damaged
from fuzz.samples import samples, with_checksums
from svgm.io import READABLE

#: Who reads files of a suffix, or of a name.
READERS = {
    ".tum": ("svgm.io.trajectory.read_tum({!r})",),
    ".kitti": ("svgm.io.trajectory.read_kitti({!r})",),
    ".g2o": ("svgm.io.g2o.read_g2o({!r})",),
    ".json": ("command('view', '--result', {!r}, '--html', 'out.html', 'a.ply', 'b.ply')",),
    "matrix.txt": ("command('register', 'a.ply', 'b.ply', '--init', {!r}, '--search', 'local')",),
    "work": ("remembered({!r})",),
    "result": ("svgm.MapResult.load({!r})", "svgm.locate(cloud('plain', 2, 60, 1), {!r})"),
    "mixture": ("svgm.Mixture.load({!r})",),
    ".ply": ("svgm.read_points({!r})", "svgm.io.read_cloud({!r})", "svgm.io.read_properties({!r})"),
    "": ("svgm.read_points({!r})", "svgm.io.read_cloud({!r}, drop_nan=True)"),
}


def make_file(rng: Generator) -> Case:
    """A file with damage, read by the function that reads such files, or by `svgm info`."""
    every = samples()
    name, other = one_of(rng, tuple(every)), one_of(rng, tuple(every))
    data = damaged(rng, every[name], every[other])
    if name.endswith(".e57") and rng.random() < 0.7:
        data = with_checksums(data)
    if name.startswith("map/") and "work" not in name and rng.random() < 0.7:
        return _folder(rng, name, data)
    suffix = "." + name.rpartition(".")[2]
    readers = next(calls for key, calls in READERS.items() if key in name)
    if rng.random() < 0.05 and suffix in READABLE:
        suffix, readers = one_of(rng, READABLE), READERS[""]
    call = "command('info', {!r})" if rng.random() < 0.03 else one_of(rng, readers)
    path = f"damaged{suffix}"
    files = {path: data}
    if "a.ply" in call:
        files |= {"a.ply": every["points.ply"], "b.ply": every["points.ply"]}
    return Case("file", f"{call.split('(')[0]} {suffix}", call.format(path), files)


def _folder(rng: Generator, name: str, data: bytes) -> Case:
    """The folder of a map, with one file damaged."""
    files = {key: value for key, value in samples().items() if key.startswith("map/") and "work" not in key}
    call = "command('view', 'map', '--html', 'out.html')"
    return Case("folder", f"svgm view {name}", call, files | {name: data})
