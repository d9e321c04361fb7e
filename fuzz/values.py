"""Arguments as text: valid ones by the parameter's name, and wrong ones for any parameter."""

from __future__ import annotations

from fuzz.case import Generator, one_of
from fuzz.clouds import KINDS
from svgm.io import WRITABLE

#: For any parameter: hardly ever right, never to be answered by anything but one line.
WRONG = """
None|nan|inf|-inf|-1|0|-0.0|0.5|1e308|-1e308|5e-324|1e-160|1e150|10**400|-10**400|2**63|-2**63|True|1j|Fraction(1, 3)|
Decimal('NaN')|Decimal('1e999')|np.int8(3)|np.float32(1e-40)|'x'|''|b'x'|'1'|'nan'|'two\\nlines'|'x' * 1000|'\\udcff'|
[]|()|{}|set()|object()|...|svgm|lambda *a: None|range(3)|iter([1])|[None]|[[1, 2], [3]]|[[1.0, 'x']]|[[nan, 0.0]]|
[10**400]|[[10**400, 0]]|[1e308, 1e308, 1e308]|np.zeros(0)|np.zeros((0, 3))|np.zeros((3, 0))|np.zeros((2, 2, 2))|
np.zeros(())|np.zeros((4, 3000))|np.full((4, 3), nan)|np.full((4, 2), inf)|np.array([['a', 'b']])|np.array([[1j, 2]])|
np.array([[None, 1.0]])|np.ma.masked_less(np.eye(3), 0.5)|np.array(['2020-01-01'], 'M8[D]')|np.zeros(3, 'f4,i2')|
np.array([3])|np.eye(1)|np.eye(3)|np.eye(4)|2 * np.eye(4)|np.eye(3)[::-1]|Path('nowhere.ply')|'nowhere.ply'|
mixture(2, 0)|mixture(3, 0)|registered(2)|registered(3)|meshed(3)|svgm.prepare(np.eye(3))|svgm.Annealing()
""".replace("\n", "").split("|")

#: For a path, besides.
WRONG_PATHS = """
'nowhere/a.ply'|'.'|'..'|'a\\0.ply'|'/dev/null/a.ply'|'x' * 300 + '.ply'|'a'|'a.'|'.ply'|'a.docx'|
b'a.ply'|'\\udcff.ply'|3
""".replace("\n", "").split("|")

_MIX = "mixture({d}, {s})|mixture({d}, {t})|full({d}, {s})|signed({d})|svgm.Mixture({cloud}, 0.1, shares({n}, {s}))"
_SET = "{cloud}|{cloud}|{cloud}|mixture({d}, {s})|svgm.Mixture({cloud}, 1e-6, shares({n}, {s}))|svgm.prepare({cloud})"
_CAMERA = "None|svgm.view.Camera.facing(cloud('plain', {d}, 9, {s}))"
_PAIR = "(cloud('plain', {d}, 20, {s}), mixture({d}, {s}))"
_NUMBER = "0.1|1.0|2|0.01"

#: By the parameter's name; those of a function that means something else by it, by its path and the name.
VALID = {
    "points source target scan x vertices places centres value means": "CLOUD",
    "register.source register.target locate.scan": _SET,
    "path": "PATH",
    "ax": "None",
    "weights values": "weights({n}, {s})",
    "Mixture.weights": "shares({n}, {s})|np.full({n}, 1.0 / {n})",
    "scans": "[{cloud}, {cloud}]|[{cloud}]|[{cloud}, np.zeros((1, {d})), {cloud}]|['nowhere.ply', {cloud}]",
    "aligned_cloud.scans": "[(0, {cloud}), (1, {cloud})]",
    "occupancy_grid.scans": "[{cloud}, {cloud}]",
    "occupancy_grid.result": "mapped({e})|mapped(2)",
    "resolution": "None|0.1|1.0",
    "poses": "motions({e}, 3, {s})|np.full((3, {d} + 1, {d} + 1), nan)",
    "T init reference transformation": "motion({e}, {s})|np.eye({d} + 1)",
    "register.init locate.init registration_report.init registration_scene.init": "None|motion({e}, {s})",
    "sensor": "motion(2, {s})",
    "walls": "svgm.datasets.storey()",
    "matrix": "motion({e}, {s})|np.eye({d} + 1)|np.diag([2.0] * {d} + [1.0])",
    "controls images": "CLOUD",
    "coefficients": "np.zeros(({n}, {d}))",
    "smoothing error": "0.0|0.1|1.0",
    "deformation": "svgm.Deformation(np.eye({d} + 1), {cloud}, np.zeros(({n}, {d})))",
    "partners deviations": "np.ones({n})",
    "outliers folds": "0",
    "Deformation.unit": "None|1.0|1e-3",
    "rotation": "motion({e}, {s})[:{e}, :{e}]",
    "translation": "np.ones({d})",
    "omega": "np.full(1 if {d} == 2 else 3, 0.3)|np.zeros(1 if {d} == 2 else 3)|np.full(1 if {d} == 2 else 3, 1e9)",
    "xi": "np.ones(3 if {d} == 2 else 6)|np.zeros(6)|[1e6] * 3|[3.141592653589793, 0, 0, 0, 0, 0]",
    "dimensions": "None|(2, 3)",
    "quaternion": "[0.0, 0.0, 0.0, 1.0]|np.full(4, 0.5)",
    "dimension as_dimension.value": "{e}",
    "viewpoint direction towards up": "None|np.full({d}, 5.0)|np.array([0.0, 0.0, 1.0])",
    "visible.viewpoint partial_view.viewpoint": "np.full({d}, 5.0)|np.zeros({d})",
    "place": "None|np.zeros({d})",
    "nu": "0.01|0.5|1|1e-9",
    "gamma": "None|1.0|8|0.1|1e3",
    "gammas": "[1.0]|(0.5, 8.0)",
    "scale": "None|1.0|1e-3|1e3",
    "like": "None|mixture({d}, {s})",
    "sigma": "0.3|1e-3|1e3",
    "Mapper.sigma": "None|0.3",
    "detail": "1.0|0.5|3",
    "finest": "None|1.0|50",
    "delta": "2.0|3.16|10",
    "coarsest": "0.1|1.0",
    "resolved": "10.0|1000.0",
    "unit cell t level tolerance distance cost max_distance": _NUMBER,
    "merge.t": "inf|0.0|1.0",
    "surface.level": "None|0.5|0.1",
    "surface.cell": "0.5|1.0",
    "fit.thinning fit_two_class.thinning": "0.25|0|1.0",
    "annealing": "None|svgm.Annealing()|svgm.Annealing(2.0, 4.0)",
    "max_iterations": "1|5|100",
    "gap": "0.001|0.5",
    "seconds": "0.2|0.0|1e-9",
    "map_report.seconds registration_report.seconds": "None|0.2",
    "threads": "None|1|2|7",
    "progress": "None|lambda *a: None",
    "search": "'auto'|'local'|'global'|'certified'",
    "transform": "'rigid'|'similarity'|'affine'|'nonrigid'",
    "training_pairs": "[({cloud}, {cloud}, motion({e}, {s}))]|[({cloud}, {cloud}, np.eye({d} + 1))] * 2",
    "max_rotation_error min_converged fraction noise outliers": "0.1|0.9|0",
    "neighbours": "12|3|1",
    "mixture map other merged": _MIX,
    "merge.source merge.target merge_naive.source merge_naive.target merge_scene.source merge_scene.target": _MIX,
    "figure1.source figure1.target": _PAIR,
    "variance": "0.1|1e-6|1e6",
    "bias": "None|0.1",
    "covariance": "'isotropic'|'full'",
    "Mixture.covariances Gaussians.covariances": "None|np.tile(0.1 * np.eye({d}), ({n}, 1, 1))",
    "simplices": "[[0, 1, 0][:{d}]]|np.zeros((2, {d}), int)",
    "n turns": "5|50|1",
    "seed": "0|7",
    "reach": "2.0|0.5|12.0",
    "count beams": "1|3|20",
    "laps field": "1.1|4.0",
    "order": "'sequence'|'unordered'",
    "output": "None|'map'",
    "map.workers": "None|0|-1|'x'|nan",
    "map.dask": "None|3|''",
    "as_points.name as_pose.name as_dimension.name": "'points'",
    "edges": "edges({e})|[]",
    "fix same_scale line shown moves": "True|False",
    "map.odometry": "None|motions({e}, 2, {s})|(motions({e}, 1, {s}), np.eye(3 if {d} == 2 else 6)[None])",
    "add.odometry": "None|motion({e}, {s})",
    "add.covariance": "None|0.01 * np.eye(3 if {d} == 2 else 6)",
    "time": "None|1.5",
    "before after": "3|7",
    "Joint.edges": "2",
    "doubt": "0.02",
    "map.times": "None|[0.0, 1.0]",
    "with_times.times": "[0.0, 1.0]",
    "times": "None|[0.0, 1.0, 2.0]",
    "name label title unit command": "'a'|''|'<b>&\\u2028'",
    "names": "('a', 'b')|()",
    "settings": "None|{{'a': 1}}",
    "colour": "'#1b6ca8'|'#fff'",
    "frame": "None|0",
    "pairs": "None|[[0, 0]]",
    "register.pairs": "None",
    "layers": "scene({e}).layers",
    "frames": "()|scene({e}).frames",
    "scene": "scene({e})",
    "drop_nan": "True|False",
    "write_cloud.cloud": "svgm.io.PointCloud({cloud}, {{'a': np.ones({n})}})",
    "PointCloud.selected.rows": "[0]|np.ones({n}, bool)",
    "depth": "np.ones((3, 4))|np.eye(3)",
    "intrinsics": "[100.0, 100.0, 1.5, 1.0]|np.diag([50.0, 50.0, 1.0])",
    "depth_to_points.scale": "1.0|1e-3",
    "colours": "None",
    "topic": "None|'/points'",
    "holes": "'open'|'closed'",
    "surface_of_scans.scans": "[{cloud}, {cloud}, {cloud}]",
    "viewpoints": "None|[None, np.full({d}, 5.0), None]",
    "Cloud.colours": "None|np.full(({n}, 3), 0.5)",
    "Mesh.colours": "None|np.full(({n}, 3), 0.5)",
    "camera": _CAMERA,
    "axes": "np.eye({d})|np.eye(3)",
    "Ellipsoids.axes": "np.ones(({n}, {d}, {d}))",
    "result": "registered({e})",
    "map_report.result map_scene.result": "mapped({e})",
    "decision.panels": "[('a', mixture({d}, {s}))]",
    "mesh.panels": "[('a', meshed({e})), ('b', {cloud})]",
    "rows": "[[('a', mixture({d}, {s}))]]",
}
_VALID = {name: texts for keys, texts in VALID.items() for name in keys.split()}

#: Suffixes of what a function writes.
_SUFFIXES = {
    **{f"{name}.save": (".npz",) for name in ("Mixture", "Affine", "Deformation")},
    "Mesh.save": (".ply", ".obj"),
    "OccupancyGrid.save": (".yaml",),
    "write_points": WRITABLE,
    "write_cloud": WRITABLE,
}
_PICTURES, _PAGES = (".svg",), (".html",)


class Values:
    """Arguments of one case: sets of the same number of points in the same dimension."""

    def __init__(self, rng: Generator) -> None:
        self.rng = rng
        self.d = int(rng.choice([2, 3, 3, 2, 1, 4, 9], p=[0.4, 0.3, 0.1, 0.08, 0.04, 0.04, 0.04]))
        self.n = int(rng.choice([1, 2, 3, 6, 20, 60, 200, 1000], p=[0.06, 0.06, 0.06, 0.12, 0.3, 0.27, 0.1, 0.03]))
        self.kind = "plain" if rng.random() < 0.3 else one_of(rng, tuple(KINDS))

    def fill(self, text: str) -> str:
        """The text with this case's numbers."""
        while "{cloud}" in text:
            text = text.replace("{cloud}", self.cloud(), 1)
        s, t = (int(v) for v in self.rng.integers(8, size=2))
        return text.format(d=self.d, e=min(max(self.d, 2), 3), n=self.n, s=s, t=t)

    def cloud(self) -> str:
        """A set of the case's kind, or a plain one beside it."""
        kind = self.kind if self.rng.random() < 0.7 else "plain"
        return f"cloud({kind!r}, {self.d}, {self.n}, {int(self.rng.integers(8))})"

    def valid(self, function: str, parameter: str) -> str:
        """An argument that may be handed over; a KeyError if nobody has said what the parameter takes."""
        owner, _, method = function.rpartition(".")
        keys = (f"{method}.{parameter}", f"{owner.rpartition('.')[2]}.{parameter}", parameter)
        known = [_VALID[key] for key in keys if key in _VALID]
        if not known:
            raise KeyError(f"VALID must say what {function} takes as {parameter}")
        text = known[0]
        if text == "PATH":
            return self.path(function)
        return self.fill("{cloud}" if text == "CLOUD" else one_of(self.rng, text.split("|")))

    def wrong(self, parameter: str) -> str:
        """One that hardly may."""
        return one_of(self.rng, WRONG_PATHS if parameter == "path" and self.rng.random() < 0.6 else WRONG)

    def path(self, function: str) -> str:
        """Of a file to write."""
        name = function.rpartition(".")[2]
        view = _PAGES if "html" in name or "report" in name or "page" in name else _PICTURES
        usual = view if "view" in function else (".g2o", ".txt")
        suffixes = next((v for k, v in _SUFFIXES.items() if function.endswith(k)), usual)
        return f"'out{one_of(self.rng, suffixes)}'"
