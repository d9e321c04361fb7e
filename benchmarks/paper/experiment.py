"""An experiment: problems, methods, and training pairs on which each method's parameters are chosen beforehand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.methods.method import Method, Setting
from benchmarks.methods.registry import METHODS, is_peer
from benchmarks.paper.problems import Problem
from benchmarks.paper.store import Run, Store
from benchmarks.paper.workers import Job
from benchmarks.report import Bar

#: Plain values, one a column.
Row = dict[str, Any]

#: Runs of one setting on training pairs to what is to be small: the first numbers decide, the next break ties.
Loss = Callable[[Sequence[Run]], tuple[float, ...]]


@dataclass(frozen=True)
class Report:
    """What an experiment shows: rows for CSV and JSON, Markdown in the paper's form, a picture, bars."""

    rows: list[Row]
    markdown: str
    draw: Callable[[Path], None]
    bars: list[Bar] = field(default_factory=list)


@dataclass(frozen=True)
class Experiment:
    """One of the paper's tables or figures.

    Attributes
    ----------
    name, title
        The command, and one line of what it shows.
    methods
        Names of those that take part.
    problems
        Those scored, each with the group (row or level) it counts in; takes the seeds.
    training
        Per fold, pairs to choose parameters on.
    fold
        Of a scored problem: whose parameters it gets.  No pair is in the training set of its own fold.
    loss
        What training makes small.
    report
        From the results to what is shown.
    fixed
        By method, settings that are not chosen but swept: each is run on every problem.
    """

    name: str
    title: str
    methods: tuple[str, ...]
    problems: Callable[[Sequence[int]], list[tuple[str, Problem]]]
    report: Callable[[Results], Report]
    training: Mapping[str, Sequence[Problem]] = field(default_factory=dict)
    fold: Callable[[Problem], str] = lambda problem: "all"
    loss: Loss = lambda runs: (0.0,)
    fixed: Mapping[str, Sequence[Setting]] | None = None

    @cached_property
    def family(self) -> str:
        """Of its data."""
        return self.problems([0])[0][1].family


def thinned(experiment: Experiment, every: int) -> Experiment:
    """The same with every so many of the problems of each group, and of the training pairs of each fold."""

    def problems(seeds: Sequence[int]) -> list[tuple[str, Problem]]:
        whole = experiment.problems(seeds)
        groups = dict.fromkeys(group for group, _ in whole)
        return [pair for group in groups for pair in [each for each in whole if each[0] == group][::every]]

    training = {fold: pairs[::every] for fold, pairs in experiment.training.items()}
    return replace(experiment, problems=problems, training=training)


@dataclass(frozen=True)
class Result:
    """A scored run with the group it counts in."""

    group: str
    method: str
    setting: Setting
    run: Run


@dataclass(frozen=True)
class Results:
    """All scored runs of an experiment, and the parameters they were made with, by method and fold."""

    experiment: Experiment
    scored: list[Result]
    chosen: dict[str, dict[str, Setting]]
    missing: dict[str, str]

    @property
    def methods(self) -> list[str]:
        """Those that ran, in the experiment's order."""
        return [name for name in self.experiment.methods if name in self.chosen]

    @property
    def peers(self) -> list[str]:
        """Local methods that ours is held against."""
        return [name for name in self.methods if is_peer(name)]

    @property
    def groups(self) -> list[str]:
        """In order of appearance."""
        return list(dict.fromkeys(result.group for result in self.scored))

    def of(self, method: str, group: str | None = None) -> list[Run]:
        """Runs of a method, of one group or of all."""
        return [r.run for r in self.scored if r.method == method and group in (None, r.group)]


def present(experiment: Experiment, wanted: Sequence[str]) -> tuple[list[Method], dict[str, str]]:
    """Methods that can run, and why the others cannot; `wanted` names them (none: all)."""
    able, missing = [], {}
    family = experiment.family
    for name in experiment.methods:
        if wanted and name not in wanted:
            continue
        reason = METHODS[name].missing(family)
        if reason is None:
            able.append(METHODS[name])
        else:
            missing[name] = reason
    return able, missing


def training_jobs(experiment: Experiment, methods: Iterable[Method]) -> Iterator[Job]:
    """Every setting of methods that have a choice, on every training pair."""
    # Problem by problem, so that methods alternate and the points are read once.
    for problem in dict.fromkeys(problem for fold in experiment.training.values() for problem in fold):
        for method in methods:
            settings = method.settings[problem.family]
            if experiment.fixed is None and len(settings) > 1:
                yield from (Job(problem, method, setting) for setting in settings)


def choose(experiment: Experiment, method: Method, store: Store) -> dict[str, Setting]:
    """Per fold, the setting of least loss on the fold's training pairs; of equals the first."""
    settings = method.settings[experiment.family]
    if len(settings) == 1:
        return dict.fromkeys(experiment.training or ("all",), settings[0])
    return {
        fold: min(
            settings,
            key=lambda setting: experiment.loss([_found(store, p, method.name, setting) for p in problems]),
        )
        for fold, problems in experiment.training.items()
    }


def scoring_jobs(
    experiment: Experiment, chosen: Mapping[str, Mapping[str, Setting]], seeds: Sequence[int]
) -> Iterator[tuple[str, Job]]:
    """Every method on every problem, with the setting chosen for its fold, or with every fixed one."""
    for group, problem in experiment.problems(seeds):
        for method, by_fold in chosen.items():
            settings = experiment.fixed[method] if experiment.fixed else [by_fold[experiment.fold(problem)]]
            for setting in settings:
                yield group, Job(problem, METHODS[method], setting)


def collect(
    experiment: Experiment,
    chosen: dict[str, dict[str, Setting]],
    missing: dict[str, str],
    seeds: Sequence[int],
    store: Store,
) -> Results:
    """The scored runs, all of which must have been done."""
    scored = [
        Result(group, job.method.name, job.setting, _found(store, job.problem, job.method.name, job.setting))
        for group, job in scoring_jobs(experiment, chosen, seeds)
    ]
    return Results(experiment, scored, chosen, missing)


def _found(store: Store, problem: Problem, method: str, setting: Setting) -> Run:
    run = store.find(problem.key, method, setting)
    assert run is not None, f"{method} has not run on {problem.key}"
    return run
