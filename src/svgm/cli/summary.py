"""What `svgm register` and `svgm locate` say to people, on stderr so that stdout stays a matrix."""

from __future__ import annotations

from collections.abc import Sequence

from svgm.cli.table import Marked, show
from svgm.geometry.points import Array
from svgm.mixture.mixture import Mixture, places
from svgm.registration.confidence import TRUSTED
from svgm.registration.evaluate import Evaluation
from svgm.registration.result import RegistrationResult
from svgm.registration.tuning import TUNING
from svgm.view.notebook import numbers, rotation_words
from svgm.view.words import certainty


def print_summary(
    result: RegistrationResult,
    source: Array | Mixture,
    quality: Evaluation | None,
    seconds: float,
    odd: Sequence[str] = (),
) -> None:
    """How sure it is, what is odd about the sets, status, motion, and the levels it went through."""
    rotation, position = certainty(result, places(source))
    rows: list[tuple[str, str | Marked]] = [("confidence", _confidence(result))]
    rows += [("doubt", Marked(text, good=False)) for text in odd]
    rows.append(("status", Marked(result.status.name.lower(), result.converged, f": {result.status.value}")))
    near = sum(other.score >= TUNING.ambiguous for other in result.alternatives)
    if near:
        rows.append(("ambiguous", Marked(f"{near} other {'pose' if near == 1 else 'poses'} as good", good=False)))
    rows.append(("overlap", f"{result.overlap:.0%} of the source lies on the target"))
    if result.certificate is not None:
        rows.append(("certificate", _certificate(result)))
    rows += [
        ("objective", f"{result.objective:.4f} (-1 for equal densities, 0 for disjoint ones)"),
        ("rotation", rotation_words(result.rotation)),
        ("translation", numbers(result.translation)),
        ("certainty", f"{rotation} {position} (By noise alone.)"),
    ]
    if quality is not None:
        rows.append(("fitness", f"{quality.fitness:.4f}, inlier RMSE {quality.inlier_rmse:.4g}"))
    if result.stages:
        rows.append(("levels", _levels(result)))
    rows.append(("time", f"{seconds:.2f} s" + (f", {result.iterations} iterations" if result.stages else "")))
    show(rows)


def _confidence(result: RegistrationResult) -> Marked:
    word = "trusted" if result.trusted else "not to be trusted unseen"
    rest = f", {word} (trusted is from {TRUSTED:g} on); {result.search} search"
    return Marked(f"{result.confidence:.2f}", result.trusted, rest)


def _certificate(result: RegistrationResult) -> str:
    certificate, stage = result.certificate, result.stages[0]
    assert certificate is not None
    state = "proven" if certificate.complete else "time ran out, proven so far"
    return (
        f"{state}: at sigma {stage.sigma:.4g} no pose is better by more than {certificate.gap:.2g} of the objective "
        f"({certificate.boxes:,} boxes, {certificate.seconds:.1f} s)"
    )


def _levels(result: RegistrationResult) -> str:
    first, last = result.stages[0], result.stages[-1]
    components = f"{first.components[0]}+{first.components[1]}"
    sigma = f"{first.sigma:.4g}"
    if len(result.stages) > 1:
        components += f" to {last.components[0]}+{last.components[1]}"
        sigma += f" to {last.sigma:.4g}"
    return f"{len(result.stages)}, sigma {sigma}, components {components}"
