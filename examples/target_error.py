"""The error to expect at a place inside a bone, from the covariance of a registration, and what repeated probing gives.

Two hundred points that a probe touches are laid on a surface from a CT.  Writes ``target_error.png``: the points on the
bone; the ellipse that the covariance predicts at a lesion, twice its deviations, and the errors of 24 repetitions.
Run: ``python examples/target_error.py [folder]``
"""

import sys
from pathlib import Path

import numpy as np

import svgm
from svgm import datasets, rigid
from svgm.view.camera import Camera
from svgm.view.colours import INK, SOURCE, TARGET
from svgm.view.pictures.draw import bounding_box, frame, lit
from svgm.view.pictures.figure import new_figure, save

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "demo-output")
folder.mkdir(parents=True, exist_ok=True)

# Millimetres.  The probe reaches what is seen from one side, with a noise of 0.5 mm.
NOISE = 0.5
ct = 30.0 * datasets.body(15_000, seed=1)[0]
bone = 30.0 * datasets.body(40_000, seed=2)[0]
accessible = bone[datasets.visible(bone, (90.0, 240.0, 150.0))]
lesion = np.array([-20.0, 5.0, 8.0])
truth = rigid.exp([0.4, -0.7, 1.9, 120.0, -40.0, 60.0])  # tracker into CT


def probe(seed: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    touched = accessible[generator.choice(len(accessible), 200, replace=False)]
    return rigid.apply(rigid.invert(truth), touched + NOISE * generator.standard_normal(touched.shape))


def error_covariance(result: svgm.RegistrationResult, place: np.ndarray) -> np.ndarray:
    """Of the error at a place, in the axes of the CT: J Sigma Jᵀ with J = R (-[p]x  I)."""
    p = rigid.apply(rigid.invert(result.transformation), place[None])[0]
    J = result.rotation @ np.hstack([-rigid.hat(p, 3), np.eye(3)])
    return J @ result.covariance @ J.T


# First from anywhere, then down to the noise: few points, but exact ones.
target = svgm.prepare(ct)
fine = svgm.Annealing(finest=(svgm.estimate_scale(ct) / NOISE) ** 2)
points = probe(0)
found = svgm.register(points, target)
settings = {"init": found.transformation, "search": "local", "annealing": fine}
answers = [svgm.register(probe(seed), target, **settings) for seed in range(24)]
errors = np.array([rigid.apply(a.transformation @ rigid.invert(truth), lesion[None])[0] - lesion for a in answers])
covariance = np.median([error_covariance(answer, lesion) for answer in answers], axis=0)
expected, observed = np.sqrt(np.trace(covariance)), np.sqrt((errors**2).sum(axis=1).mean())
print(f"confidence {found.confidence:.2f}; at the lesion expected {expected:.2f} mm, observed {observed:.2f} mm")

camera = Camera.at((90.0, 240.0, 150.0))
figure = new_figure(9.6, 4.9)
axes = figure.add_axes((0.01, 0.02, 0.485, 0.9))
frame(axes, bounding_box(camera, ct), f"{len(points)} probed points on the CT")
axes.scatter(*camera.page(ct).T, s=0.8, c=lit(camera, ct, TARGET), linewidths=0, alpha=0.35)
axes.scatter(*camera.page(rigid.apply(answers[0].transformation, points)).T, s=9, color=SOURCE, linewidths=0)
axes.scatter(*camera.page(lesion[None]).T, s=90, marker="*", color=INK)
axes = figure.add_axes((0.505, 0.02, 0.485, 0.9))
frame(axes, (-1.0, 1.0, -1.0, 1.0), "at the lesion (2 mm wide)")
values, vectors = np.linalg.eigh(camera.axes[:2] @ covariance @ camera.axes[:2].T)
angle = np.linspace(0.0, 2.0 * np.pi, 200)
ellipse = 2.0 * (vectors * np.sqrt(values)) @ np.stack([np.cos(angle), np.sin(angle)])
axes.plot(*ellipse, color=TARGET, lw=1.6, label=f"predicted, {expected:.2f} mm")
axes.scatter(*camera.page(errors).T, s=14, color=SOURCE, linewidths=0, label=f"observed, {observed:.2f} mm")
axes.scatter([0], [0], s=90, marker="*", color=INK)
axes.legend(frameon=False, fontsize=9, loc="upper left")
save(figure, folder / "target_error.png")
