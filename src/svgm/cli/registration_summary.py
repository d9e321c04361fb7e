"""The summary that `svgm register` and `svgm locate` print on stderr, so that stdout holds the matrix only."""

from __future__ import annotations

from svgm.cli.printing import Coloured, print_rows
from svgm.geometry.points import Array
from svgm.mixture.mixture import Mixture, places
from svgm.registration.confidence import TRUSTED
from svgm.registration.evaluate import Evaluation
from svgm.registration.result import RegistrationResult
from svgm.registration.tuning import TUNING
from svgm.view.notebook import numbers, rotation_words
from svgm.view.words import certainty, deformation_words


def print_summary(
    result: RegistrationResult, source: Array | Mixture, quality: Evaluation | None, seconds: float
) -> None:
    """Print the confidence, doubts about the two sets, the status, the pose and its certainty, and the levels."""
    certain = " ".join(deformation_words(result)[2:] or certainty(result, places(source)))
    rows: list[tuple[str, str | Coloured]] = [("confidence", _confidence(result))]
    rows += [("warning", Coloured(text, good=False)) for text in result.doubts]
    rows.append(("status", Coloured(result.status.name.lower(), result.converged, f": {result.status.value}")))
    equal = sum(other.score >= TUNING.ambiguous for other in result.alternatives)
    if equal:
        poses = "1 other pose is" if equal == 1 else f"{equal} other poses are"
        rows.append(("ambiguous", Coloured(f"{poses} about as good", good=False)))
    rows += [("undetermined", Coloured(str(each), good=False)) for each in result.undetermined]
    rows.append(("overlap", f"{result.overlap:.0%} of the source lies on the target"))
    if result.certificate is not None:
        rows.append(("certificate", _certificate(result)))
    rows += [
        ("objective", f"{result.objective:.4f} (-1: equal densities, 0: densities without overlap)"),
        *([] if result.kind in ("rigid", "nonrigid") else [("scale", f"{result.scale:.6g} ({result.kind})")]),
        *([] if result.warp is None else [("deformation", " ".join(deformation_words(result)[:2]))]),
        ("rotation", rotation_words(result.rotation)),
        ("translation", numbers(result.translation)),
        ("certainty", certain),
    ]
    if quality is not None:
        rows.append(("fitness", f"{quality.fitness:.4f}, inlier RMSE {quality.inlier_rmse:.4g}"))
    if result.stages:
        rows.append(("levels", _levels(result)))
    rows.append(("time", f"{seconds:.2f} s" + (f", {result.iterations} iterations" if result.stages else "")))
    print_rows(rows)


def _confidence(result: RegistrationResult) -> Coloured:
    if result.trusted:
        advice = "trusted"
    elif result.confidence >= TRUSTED and not result.ambiguous:
        advice = "not trusted, because the surfaces do not hold every direction"
    elif result.confidence >= TRUSTED:
        advice = "not trusted, because another pose is about as good"
    else:
        advice = f"not trusted, because it is below {TRUSTED:g}; check the result before you use it"
    return Coloured(f"{result.confidence:.2f}", result.trusted, f" of 1, {advice} ({result.search} search)")


def _certificate(result: RegistrationResult) -> str:
    certificate, stage = result.certificate, result.stages[0]
    assert certificate is not None
    state = "proven" if certificate.complete else "stopped by the time limit, proven so far"
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
    return f"{len(result.stages)}, sigma {sigma}, components (source+target) {components}"
