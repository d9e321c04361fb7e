"""`svgm demo`: register, merge and draw generated shapes, without a download."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import click
import numpy as np

import svgm
from svgm.checks.errors import FileError, not_installed
from svgm.cli.commands.merge import as_mixtures
from svgm.cli.demo_scenes import Scene, scenes
from svgm.cli.options import PATH, complete_folders, json_option, quiet_option
from svgm.cli.output_files import can_draw
from svgm.cli.printing import echo_json
from svgm.cli.progress import one_bar
from svgm.rigid import apply, pose_error

#: Steps of one shape that the progress bar counts: register, merge, write.
DEMO_STEPS = 3


@dataclass(frozen=True)
class Outcome:
    """One row of the table. The rotation error is in degrees, the translation error a share of the shape's size."""

    shape: str
    points: tuple[int, int]
    components: tuple[int, int]
    rotation_error: float
    translation_error: float
    confidence: float
    merged: int
    seconds: float
    files: tuple[str, ...]


@click.command()
@click.option(
    "-o",
    "--output",
    type=PATH,
    default=Path("demo-output"),
    metavar="FOLDER",
    show_default=True,
    help="Write all files to this folder. It is made if it does not exist.",
    shell_complete=complete_folders,
)
@json_option
@quiet_option
def demo(output: Path, as_json: bool, quiet: bool) -> None:
    """Generate two partial views of a 2D curve and of a 3D body, register them and merge them.

    For each shape the command writes the merged mixture (.npz), the aligned points (.ply), a report of the registration
    (.html) and, if matplotlib is installed, a picture (.png). It prints the errors of the poses that were found.

    \b
    svgm demo --output demo-output
    """
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{output}: the folder cannot be made ({error.strerror})") from None
    pictures = can_draw()
    outcomes: list[Outcome] = []
    with one_bar("registering, merging, drawing", quiet=quiet or as_json) as progress:
        shapes = list(scenes())
        for scene in shapes:

            def report(done: int) -> None:
                if progress is not None:
                    progress("demo", len(outcomes) * DEMO_STEPS + done, len(shapes) * DEMO_STEPS)

            outcomes.append(run(scene, output, pictures, report))
    if as_json:
        echo_json({"output": output, "shapes": [asdict(outcome) for outcome in outcomes], "version": svgm.__version__})
        return
    if not quiet:
        _print_table(outcomes)
        click.echo(f"wrote {', '.join(name for outcome in outcomes for name in outcome.files)} to {output}")
    if not pictures:
        click.echo(f"warning: no pictures were drawn, {not_installed('drawing needs matplotlib', 'view')}", err=True)


def run(scene: Scene, folder: Path, pictures: bool, report: Callable[[int], None]) -> Outcome:
    """Register, merge and write one scene. The number of finished steps is passed to `report`."""
    from svgm import view

    begin = time.perf_counter()
    result = svgm.register(scene.source, scene.target)
    report(1)
    source, target = as_mixtures(scene.source, scene.target, nu=0.01, gamma=scene.gamma)
    merged = svgm.merge(source.transformed(result.transformation), target)
    seconds = time.perf_counter() - begin
    report(2)

    files = [f"{scene.name}-merged.npz", f"{scene.name}-aligned.ply", f"{scene.name}-report.html"]
    merged.save(folder / files[0])
    svgm.write_points(folder / files[1], apply(result.transformation, scene.source))
    names = f"one view of the {scene.name}", "another"
    view.registration_report(scene.source, scene.target, result, folder / files[2], names=names, command="svgm demo")
    if pictures:
        files.append(f"{scene.name}.png")
        camera = None if scene.eye is None else view.Camera.at(scene.eye)
        pair = (scene.source, source), (scene.target, target)
        view.figure1(*pair, result.transformation, merged, path=folder / files[3], camera=camera)
    report(DEMO_STEPS)
    rotation, translation = pose_error(result.transformation, scene.truth)
    size = float(np.linalg.norm(scene.target.max(axis=0) - scene.target.min(axis=0)))
    return Outcome(
        shape=scene.name,
        points=(len(scene.source), len(scene.target)),
        components=(len(source), len(target)),
        rotation_error=float(np.degrees(rotation)),
        translation_error=translation / size,
        confidence=result.confidence,
        merged=len(merged),
        seconds=seconds,
        files=tuple(files),
    )


def _print_table(outcomes: list[Outcome]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, padding=(0, 3, 0, 0))
    for heading in (
        "shape",
        "points",
        "rotation\nerror",
        "translation\nerror",
        "confidence",
        "components\nmerged",
        "time",
    ):
        table.add_column(heading, justify="left" if heading == "shape" else "right")
    for outcome in outcomes:
        table.add_row(
            outcome.shape,
            f"{outcome.points[0]}+{outcome.points[1]}",
            f"{outcome.rotation_error:.2f}°",
            f"{outcome.translation_error:.2%}",
            f"{outcome.confidence:.2f}",
            f"{outcome.merged} of {sum(outcome.components)}",
            f"{outcome.seconds:.2f} s",
        )
    Console(highlight=False).print(table)
