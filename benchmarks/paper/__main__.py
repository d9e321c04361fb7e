"""``python -m benchmarks.paper table2`` for one table or figure, ``python -m benchmarks.paper all`` for everything."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import click

from benchmarks.methods.method import Method, Setting
from benchmarks.methods.registry import METHODS
from benchmarks.paper import (
    figure1,
    figure2,
    figure3,
    figure4,
    figure5,
    figure6,
    figure7,
    figure8,
    page,
    table1,
    table1b,
    table2,
    table4,
)
from benchmarks.paper.data import differing
from benchmarks.paper.experiment import (
    Experiment,
    Report,
    choose,
    collect,
    present,
    scoring_jobs,
    thinned,
    training_jobs,
)
from benchmarks.paper.output import spoken, write
from benchmarks.paper.progress import Progress, said
from benchmarks.paper.store import Store, described, spelled
from benchmarks.paper.workers import Job, solve_all
from benchmarks.report import Bar
from benchmarks.speed.clock import cores
from svgm.checks.errors import SvgmError

EXPERIMENTS = {
    module.EXPERIMENT.name: module.EXPERIMENT for module in (table1, table1b, figure5, table2, figure6, figure7, table4)
}
#: Figures that show the method itself or the data, without a race.
DRAWINGS: dict[str, ModuleType] = {
    "figure1": figure1,
    "figure2": figure2,
    "figure3": figure3,
    "figure4": figure4,
    "figure8": figure8,
}
#: What a user may ask for, in the paper's order.
NAMES = (
    *("figure1", "figure2", "figure3", "figure4", "table1", "table1b", "figure5", "table2", "figure6", "figure7"),
    *("figure8", "table4"),
)


@click.command()
@click.argument(
    "names", nargs=-1, required=True, type=click.Choice([*NAMES, "table3", "all", "page"]), metavar="NAME..."
)
@click.option("--methods", default="", help="Only these, by name, separated by semicolons.  Default: all.")
@click.option("--seeds", default="0", show_default=True, help="Seeds of the random points, separated by commas.")
@click.option(
    "--every",
    default=1,
    show_default=True,
    type=click.IntRange(min=1),
    help="Only every so many of the pairs of each group, for a quick look.",
)
@click.option("--output", default="build/paper", show_default=True, type=click.Path(path_type=Path))
@click.option("--workers", type=click.IntRange(min=1), help="Processes, one core each.  Default: one a core.")
@click.option("--limit", default=60.0, show_default=True, help="Seconds a registration may take.")
@click.option("--fresh", is_flag=True, help="Discard the results in the output folder instead of going on with them.")
@click.option("--estimate", is_flag=True, help="Only say how long it would take.")
@click.option(
    "--page",
    "pages",
    multiple=True,
    default=("docs/results.md", "README.md"),
    show_default=True,
    type=click.Path(path_type=Path),
    help="To fill with results; may be given more than once.",
)
def main(
    names: Sequence[str],
    methods: str,
    seeds: str,
    every: int,
    output: Path,
    workers: int | None,
    limit: float,
    fresh: bool,
    estimate: bool,
    pages: tuple[Path, ...],
) -> None:
    """Run the paper's experiments again, beside today's peers.

    NAME is figure1 to figure8, table1, table1b (Table 1 with other parameters), table2, table3 or table4 (one command:
    the outdoor scans), all, or page (fill the results page and README from the output folder; `all` does that at its
    end, and `figure3 page` does it for one figure).

    Every registration is kept as it comes in OUTPUT/runs.jsonl; a run that was interrupted goes on where it was.  Each
    table or figure leaves NAME.csv, .json, .md and .png there.
    """
    wanted = [name.strip() for name in methods.split(";") if name.strip()]
    unknown = sorted(set(wanted) - set(METHODS))
    if unknown:
        raise click.ClickException(f"no method {unknown[0]!r}; there are {'; '.join(METHODS)}")
    try:
        numbers = [int(word) for word in seeds.split(",")]
    except ValueError as error:
        raise click.ClickException(f"--seeds must be whole numbers, separated by commas, got {seeds!r}") from error
    if every > 1 and {"all", "page"} & set(names):
        raise click.ClickException("--every is for a quick look: a page shows all pairs")
    todo = list(NAMES) if "all" in names else [n for n in NAMES if n in names or (n == "table4" and "table3" in names)]
    crew = workers or cores()
    if todo:
        store = Store(output, METHODS.values(), fresh=fresh)
        print(described(store.origin))
        if store.outdated:
            print(f"{store.outdated} registrations in {output} were made with other code and do not count")
        for warning in differing(store.origin["data"]):
            print(warning)
        races = [thinned(EXPERIMENTS[name], every) for name in todo if name in EXPERIMENTS]
        able = {race.name: present(race, wanted) for race in races}
        for name, reason in {k: v for _, missing in able.values() for k, v in missing.items()}.items():
            print(f"{name}: not run: {reason}")
        expected = {race.name: _expected(race, able[race.name][0], numbers, store) / crew for race in races}
        for name, seconds in expected.items():
            print(f"{name}: about {said(seconds)} to go")
        drawings = sum(name in DRAWINGS for name in todo)
        print(f"in all about {said(sum(expected.values()) + 20.0 * drawings)} with {crew} workers", flush=True)
        if estimate:
            return
        bars: list[Bar] = []
        begin = time.monotonic()
        try:
            for name in todo:
                if name in DRAWINGS:
                    bars += _drawn(name, numbers[0], store, output)
                else:
                    bars += _raced(thinned(EXPERIMENTS[name], every), *able[name], numbers, store, output, crew, limit)
        except SvgmError as error:  # data that cannot be read
            raise click.ClickException(str(error)) from error
        print(f"\ntook {said(time.monotonic() - begin)}; {sum(bar.met for bar in bars)} of {len(bars)} bars met")
        for bar in bars:
            if not bar.met:
                print(f"  {bar}")
    if "all" in names or "page" in names:
        for filled in pages:
            page.fill(filled, output, () if "all" in names else todo)
            print(f"{filled} filled from {output}")


def _expected(experiment: Experiment, methods: Sequence[Method], seeds: Sequence[int], store: Store) -> float:
    """Seconds of work that is left, by each method's usual time."""
    jobs = [
        job
        for job in training_jobs(experiment, methods)
        if store.find(job.problem.key, job.method.name, job.setting) is None
    ]
    total = sum(job.method.seconds[experiment.family] for job in jobs)
    # Which settings training will choose is not known yet, so a problem counts unless some setting was run on it.
    for _, problem in experiment.problems(seeds):
        for method in methods:
            if not store.tried(problem.key, method.name):
                runs = len(experiment.fixed[method.name]) if experiment.fixed else 1
                total += runs * method.seconds[experiment.family]
    return total


def _raced(
    experiment: Experiment,
    methods: Sequence[Method],
    missing: dict[str, str],
    seeds: Sequence[int],
    store: Store,
    output: Path,
    workers: int,
    limit: float,
) -> list[Bar]:
    """Train, score, report."""
    print(f"\n{experiment.title}", flush=True)
    _solve(f"{experiment.name}, training", list(training_jobs(experiment, methods)), store, workers, limit)
    chosen: dict[str, dict[str, Setting]] = {
        method.name: {} if experiment.fixed else choose(experiment, method, store) for method in methods
    }
    for name, by_fold in chosen.items():
        if len(METHODS[name].settings[experiment.family]) > 1 and experiment.fixed is None:
            print(f"  {name}: {'; '.join(f'{fold}: {spoken(setting)}' for fold, setting in by_fold.items())}")
    jobs = [job for _, job in scoring_jobs(experiment, chosen, seeds)]
    _solve(experiment.name, jobs, store, workers, limit)
    results = collect(experiment, chosen, missing, seeds, store)
    report = experiment.report(results)
    write(experiment.name, experiment.title, report, results, store.origin, output)
    return _shown(experiment.name, report, output)


def _drawn(name: str, seed: int, store: Store, output: Path) -> list[Bar]:
    module = DRAWINGS[name]
    print(f"\n{module.TITLE}", flush=True)
    report = module.report(seed)
    write(name, module.TITLE, report, None, store.origin, output)
    return _shown(name, report, output)


def _shown(name: str, report: Report, output: Path) -> list[Bar]:
    print(f"\n{report.markdown}\n")
    for bar in report.bars:
        print(bar)
    print(f"{output / name}.csv, .json, .md, .png", flush=True)
    return report.bars


def _solve(what: str, jobs: Sequence[Job], store: Store, workers: int, limit: float) -> None:
    """Run the jobs that have not been run, keeping each result as it comes."""
    left = {(job.problem.key, job.method.name, spelled(job.setting)): job for job in jobs}
    todo = [job for job in left.values() if store.find(job.problem.key, job.method.name, job.setting) is None]
    if not todo:
        return
    weights = [job.method.seconds[job.problem.family] for job in todo]
    with Progress(what, sum(weights), len(todo)) as progress:
        for job, run in solve_all(todo, workers, limit):
            store.add(run)
            progress.advance(job.method.seconds[job.problem.family])


if __name__ == "__main__":
    main()
