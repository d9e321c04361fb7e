"""The table that `svgm register` shows people, on stderr so that stdout stays a matrix."""

from __future__ import annotations

import numpy as np

from svgm.evaluate import Evaluation
from svgm.result import AMBIGUOUS, RegistrationResult
from svgm.rigid import rotation_log
from svgm.search.confidence import TRUSTED


def print_summary(result: RegistrationResult, quality: Evaluation | None, seconds: float) -> None:
    """Status, motion, how sure it is, and the levels it went through."""
    from rich.console import Console
    from rich.table import Table

    rotations = len(result.covariance) - result.dimension
    # A singular Hessian can leave a variance a rounding below zero.
    deviations = np.sqrt(np.maximum(np.diag(result.covariance), 0.0))
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    colour = "green" if result.converged else "yellow"
    table.add_row("status", f"[{colour}]{result.status.name.lower()}[/]: {result.status.value}")
    table.add_row("confidence", _confidence(result))
    table.add_row("overlap", f"{result.overlap:.0%} of the source lies on the target")
    if result.certificate is not None:
        table.add_row("certificate", _certificate(result))
    table.add_row("objective", f"{result.objective:.4f} (-1 for equal densities, 0 for disjoint ones)")
    table.add_row("rotation", _rotation(result))
    table.add_row("translation", numbers(result.translation))
    table.add_row("deviation", f"rotation {numbers(np.degrees(deviations[:rotations]), '.2g')} degrees")
    table.add_row("", f"translation {numbers(deviations[rotations:], '.2g')}")
    if quality is not None:
        table.add_row("fitness", f"{quality.fitness:.4f}, inlier RMSE {quality.inlier_rmse:.4g}")
    if not result.stages:
        table.add_row("time", f"{seconds:.2f} s")
        Console(stderr=True, highlight=False).print(table)
        return
    first, last = result.stages[0], result.stages[-1]
    components = f"{first.components[0]}+{first.components[1]}"
    if len(result.stages) > 1:
        components += f" to {last.components[0]}+{last.components[1]}"
    sigma = f"{first.sigma:.4g}" if len(result.stages) == 1 else f"{first.sigma:.4g} to {last.sigma:.4g}"
    table.add_row("levels", f"{len(result.stages)}, sigma {sigma}, components {components}")
    table.add_row("time", f"{seconds:.2f} s, {result.iterations} iterations")
    Console(stderr=True, highlight=False).print(table)


def numbers(values: np.ndarray, form: str = ".6g") -> str:
    """Coordinates in brackets."""
    return "(" + ", ".join(f"{value:{form}}" for value in values) + ")"


def _confidence(result: RegistrationResult) -> str:
    colour, word = ("green", "trusted") if result.trusted else ("yellow", "not to be trusted unseen")
    text = f"[{colour}]{result.confidence:.2f}[/], {word} (from {TRUSTED:g} on); {result.search} search"
    near = sum(other.score >= AMBIGUOUS for other in result.alternatives)
    return f"{text}; [yellow]{near} other poses as good[/]" if near else text


def _certificate(result: RegistrationResult) -> str:
    certificate, stage = result.certificate, result.stages[0]
    assert certificate is not None
    state = "proven" if certificate.complete else "time ran out, proven so far"
    return (
        f"{state}: at sigma {stage.sigma:.4g} no pose is better by more than {certificate.gap:.2g} of the objective "
        f"({certificate.boxes:,} boxes, {certificate.seconds:.1f} s)"
    )


def _rotation(result: RegistrationResult) -> str:
    omega = rotation_log(result.rotation)
    angle = float(np.linalg.norm(omega))
    if result.dimension == 2:
        return f"{np.degrees(omega[0]):.4f} degrees"
    axis = f" about {numbers(omega / angle, '.4f')}" if angle > 0 else ""
    return f"{np.degrees(angle):.4f} degrees{axis}"
