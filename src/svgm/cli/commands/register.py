"""`svgm register`: the pose that moves one file onto another."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import click
import numpy as np

import svgm
from svgm.checks.errors import InputError
from svgm.cli.command_text import command_text
from svgm.cli.errors import echo_error
from svgm.cli.input_files import dimension_of, parse_numbers, read_input, read_pose
from svgm.cli.moved_files import check_moved, echo_lost, write_moved
from svgm.cli.options import (
    INPUT,
    PATH,
    POSE_FILE,
    drop_nan_option,
    json_option,
    matrix_option,
    nu_option,
    picture_option,
    quiet_option,
    report_option,
    threads_option,
)
from svgm.cli.output_files import (
    PAGE_SUFFIXES,
    atomic_writes,
    check_not_inputs,
    check_outputs,
    check_picture,
    check_suffix,
    write_text,
)
from svgm.cli.printing import echo_json, matrix_text
from svgm.cli.progress import one_bar, spinner
from svgm.cli.suggestions import Choice
from svgm.geometry.points import Array
from svgm.mixture.mixture import Mixture, places
from svgm.registration.evaluate import Evaluation
from svgm.registration.register import COVARIANCES, SEARCHES, TRANSFORMS
from svgm.registration.result import RegistrationResult

#: Exit code if --require-trust was given and the result is not trusted.
NOT_TRUSTED = 3


@click.command()
@click.argument("source", type=INPUT)
@click.argument("target", type=INPUT)
@click.option("-o", "--output", type=PATH, metavar="FILE", help="Write the moved source to this file.")
@matrix_option
@click.option(
    "--candidates",
    type=PATH,
    metavar="FILE",
    help="Write the pose and the alternative poses, best first, to this JSON file.",
)
@click.option("--init", type=INPUT, metavar="FILE", help=f"Pose to start from: {POSE_FILE}.  [default: the identity]")
@click.option(
    "--search",
    type=Choice(SEARCHES),
    default="auto",
    show_default=True,
    help="local: start from --init only. global: search all poses. certified: global, with a proof that no pose has a "
    "better objective. auto: local first, then global if the confidence is below 0.9. global and "
    "certified ignore --init.",
)
@click.option(
    "--transform",
    type=Choice(TRANSFORMS),
    default="rigid",
    show_default=True,
    help="Kind of motion. rigid: rotation and translation. similarity: with a scale, for files in different units or "
    "of unknown scale. affine: with stretching and shearing too. "
    "nonrigid: a smooth deformation.",
)
@click.option(
    "--deformation",
    type=PATH,
    metavar="FILE",
    help="Write what moves the source to this .npz file, for svgm apply: of any kind of motion.",
)
@click.option(
    "--viewpoint",
    multiple=True,
    metavar="X,Y[,Z]",
    help="Position of the sensor, in the coordinates of the points: no surface is where it has looked through. Given "
    "twice: that of SOURCE, then that of TARGET.  [default: those in the files, else estimated in 3D]",
)
@click.option(
    "--gap",
    type=float,
    default=1e-3,
    metavar="G",
    show_default=True,
    help="A certified search stops when it is proven that no pose is better by more than this share of the objective; "
    ">= 1e-7.",
)
@click.option(
    "--seconds",
    type=float,
    metavar="S",
    help="Time limit of a certified search in seconds, > 0. If the time runs out, the result says what "
    "was proven.  [default: no limit]",
)
@click.option(
    "--gamma",
    type=float,
    metavar="G",
    help="Kernel parameter gamma of the coarsest level, as a multiple of gamma-hat (estimated from the points), > 0; "
    "larger is finer.  [default: 0.1; with "
    "--no-annealing 1]",
)
@nu_option
@click.option(
    "--covariance",
    type=Choice(COVARIANCES),
    default="full",
    show_default=True,
    help="Components at the fine levels. full: each has a covariance of its own, flat along the surface that the "
    "points show. isotropic: one sigma for all, the algorithm of the paper.",
)
@click.option("--no-annealing", is_flag=True, help="Register once, at --gamma, instead of from coarse to fine.")
@click.option(
    "--max-iterations",
    type=int,
    default=100,
    metavar="N",
    show_default=True,
    help="Largest number of Newton steps, for each level and each candidate pose.",
)
@click.option(
    "--max-distance",
    type=float,
    metavar="D",
    help="Distance in the unit of the points, > 0. Also report the fitness: the share of source points that lie within "
    "D of a target point.",
)
@click.option(
    "--require-trust",
    is_flag=True,
    help=f"End with exit code {NOT_TRUSTED} if the result is not trusted. All outputs are written nevertheless.",
)
@drop_nan_option
@picture_option("both sets before and after the registration")
@report_option
@threads_option
@json_option
@quiet_option
@click.pass_context
def register(
    ctx: click.Context,
    source: Path,
    target: Path,
    output: Path | None,
    matrix: Path | None,
    candidates: Path | None,
    init: Path | None,
    search: str,
    transform: str,
    deformation: Path | None,
    viewpoint: tuple[str, ...],
    gap: float,
    seconds: float | None,
    gamma: float | None,
    nu: float,
    covariance: str,
    no_annealing: bool,
    max_iterations: int,
    max_distance: float | None,
    require_trust: bool,
    drop_nan: bool,
    picture: Path | None,
    report: Path | None,
    threads: int | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Find the motion T that moves SOURCE onto TARGET.

    SOURCE and TARGET are point files (.ply .pcd .xyz .txt .csv .npy .las ...) or mixtures (.npz files of svgm fit), 2D
    or 3D. The pose, the matrix T of p_target = R p_source + t, is printed on standard output as rows of numbers. With
    --transform similarity or affine the matrix also scales, or stretches and shears. With nonrigid it is the rigid
    motion next to the deformation, which --deformation writes. A summary is printed on standard error. OUTPUT keeps
    colours, intensities and all other columns of SOURCE if its format can hold them; normals are turned.

    Exit codes: 0 for a result, 1 for an error, 2 for wrong usage, 3 for a result that is not trusted where
    --require-trust is given.

    \b
    svgm register a.ply b.ply -o aligned.ply --report report.html > T.txt
    svgm register a.ply b.ply --init T.txt --search local --picture pair.png
    svgm register a.ply b.ply --search global --candidates poses.json
    svgm register a.csv b.csv --viewpoint 0,0
    svgm register scan.ply cad.ply --transform similarity -o scaled.ply
    svgm register a.ply b.ply --transform nonrigid -o warped.ply --deformation warp.npz
    svgm register a.ply b.ply --require-trust > T.txt || echo "look at it"
    """
    with spinner("reading", quiet=quiet or as_json):
        given = read_input(source, drop_nan, columns=output is not None), read_input(target, drop_nan)
        moving, fixed = given[0].value, given[1].value
    check_not_inputs((source, target, init), matrix, candidates, picture, report, deformation)
    check_suffix(deformation, (".npz",), "a transform")
    _check(moving, fixed, output, (matrix, candidates, deformation), picture, report, max_distance)
    start = None if init is None else read_pose(init, dimension_of(moving), "init", kind=transform)
    if len(viewpoint) > 2:
        raise click.UsageError("--viewpoint may be given twice at most: for SOURCE and for TARGET.")
    sensors = [parse_numbers("viewpoint", text, dimension_of(moving)) for text in viewpoint]
    in_files = [place for place in (given[0].viewpoint, given[1].viewpoint) if place is not None]
    if not sensors and len(in_files) == 2 and dimension_of(moving) == dimension_of(fixed):
        sensors = [place.tolist() for place in in_files]
    begin = time.perf_counter()
    with one_bar("registering", quiet=quiet or as_json) as progress:
        result = svgm.register(
            moving,
            fixed,
            init=start,
            search=search,
            transform=transform,
            viewpoint=(sensors[0] if len(sensors) == 1 else sensors) or None,
            gap=gap,
            seconds=seconds,
            nu=nu,
            gamma=gamma,
            annealing=None if no_annealing else svgm.Annealing(),
            max_iterations=max_iterations,
            covariance=covariance,
            threads=threads,
            progress=progress,
        )
    elapsed = time.perf_counter() - begin
    quality = None if max_distance is None else _evaluated(moving, fixed, result, max_distance)

    settings = {
        "search": search,
        "transform": transform,
        "viewpoint": sensors,
        "gap": gap,
        "seconds": seconds,
        "nu": nu,
        "gamma": gamma,
        "covariance": covariance,
        "annealing": not no_annealing,
        "max_iterations": max_iterations,
        "init": init,
        "max_distance": max_distance,
    }
    lost: tuple[str, ...] = ()
    with (
        spinner("writing", quiet=quiet or as_json),
        atomic_writes(output, matrix, candidates, picture, report, deformation) as written,
    ):
        aligned_file, matrix_file, candidates_file, picture_file, report_file, deformation_file = written
        if output is not None:
            lost = write_moved(aligned_file, given[0], result.transform)
        if deformation is not None:
            result.transform.save(deformation_file)
        if matrix is not None:
            write_text(matrix_file, matrix_text(result.transformation))
        if candidates is not None:
            write_text(candidates_file, _candidates(result))
        if picture is not None:
            from svgm import view

            view.registration(moving, fixed, result, path=picture_file)
        if report is not None:
            from svgm import view

            view.registration_report(
                moving,
                fixed,
                result,
                report_file,
                names=(source.name, target.name),
                init=start,
                settings=settings,
                command=command_text(ctx),
                seconds=elapsed,
            )

    if output is not None and not quiet:
        echo_lost(lost, source, output)
    if as_json:
        echo_json(
            {
                "source": source,
                "target": target,
                **result.as_dict(),
                **_quality(quality),
                "settings": settings,
                "seconds": elapsed,
                "version": svgm.__version__,
            }
        )
    else:
        click.echo(matrix_text(result.transformation), nl=False)
        if not quiet:
            from svgm.cli.registration_summary import print_summary

            print_summary(result, moving, quality, elapsed)
    if require_trust and not result.trusted:
        echo_error(f"the result is not trusted (confidence {result.confidence:.2f}), as --require-trust asks for")
        ctx.exit(NOT_TRUSTED)


def _evaluated(
    moving: Array | Mixture, fixed: Array | Mixture, result: RegistrationResult, max_distance: float
) -> Evaluation:
    """The fitness of the moved source, whatever the kind of motion."""
    return svgm.evaluate(result.apply(places(moving)), fixed, np.eye(result.dimension + 1), max_distance)


def _check(
    moving: Array | Mixture,
    fixed: Array | Mixture,
    output: Path | None,
    texts: tuple[Path | None, ...],
    picture: Path | None,
    report: Path | None,
    max_distance: float | None,
) -> None:
    """Raise the errors that are certain before the work begins."""
    check_moved(output, moving)
    check_picture(picture)
    check_suffix(report, PAGE_SUFFIXES, "a report")
    check_outputs(output, *texts, picture, report)
    if max_distance is not None and (isinstance(moving, Mixture) or isinstance(fixed, Mixture)):
        raise InputError("--max-distance counts points, so source and target must be point files, not mixtures")


def _candidates(result: RegistrationResult) -> str:
    """The pose and the alternative poses, best first, as JSON."""
    answer = {"transformation": result.transformation.tolist(), "score": 1.0, "confidence": result.confidence}
    return json.dumps([answer, *(other.as_dict() for other in result.alternatives)], indent=1) + "\n"


def _quality(quality: Evaluation | None) -> dict[str, Any]:
    if quality is None:
        return {}
    return {"fitness": quality.fitness, "inlier_rmse": quality.inlier_rmse, "inliers": quality.inliers}
