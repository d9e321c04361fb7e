"""`python -m fuzz`: attack svgm for some seconds or with a number of cases; exit code 1 if something was found."""

from __future__ import annotations

import itertools
import sys
import time
from pathlib import Path

import click
import numpy as np

from fuzz.calls import make_call
from fuzz.case import Case
from fuzz.commands import make_command
from fuzz.files import make_file
from fuzz.report import Report
from fuzz.worker import Worker
from svgm.cli.progress import one_bar

#: Shares of cases: files take a millisecond, calls a hundred.
KINDS = {make_file: 0.75, make_call: 0.22, make_command: 0.03}


def make_case(seed: int, number: int) -> Case:
    """The case of this number; it depends on nothing else."""
    rng = np.random.default_rng([seed, number])
    make = rng.choice(np.array(list(KINDS)), p=list(KINDS.values()))
    case: Case = make(rng)
    return case


def run_again(path: Path) -> int:
    """Run the case of a finding once more, and print what it comes to."""
    case = Case.from_json(path.read_text(encoding="utf-8"))
    with Worker() as worker:
        outcome = worker.run(case)
    print(case.call, outcome.traceback, f"{outcome.kind} {outcome.place} {outcome.message}", sep="\n")
    return int(outcome.found)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--seconds", type=float, default=60.0, show_default=True, help="Stop after this long.")
@click.option("--cases", type=int, help="Run so many cases instead, however long they take.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed makes the same cases.")
@click.option("--only", default="", help="Only cases whose target holds this text.")
@click.option("--output", type=click.Path(path_type=Path), default=Path("fuzz-output"), help="Folder of findings.")
@click.option("--again", type=click.Path(path_type=Path), help="Run the case of this finding once more.")
def main(seconds: float, cases: int | None, seed: int, only: str, output: Path, again: Path | None) -> None:
    """Attack svgm with damaged files, wrong arguments, hard point sets and wrong command lines.

    Every case must answer, or raise an SvgmError of one line, without a warning, in 10 s of processor time and 1.5 GB.
    Findings are kept as files in the output folder, one of each kind.
    """
    if again is not None:
        sys.exit(run_again(again))
    report, start = Report(output, seed), time.monotonic()
    with Worker() as worker, one_bar("fuzzing", quiet=False) as progress:
        for number in itertools.count():
            passed = time.monotonic() - start
            if number >= cases if cases is not None else passed >= seconds:
                break
            if progress:
                progress("fuzzing", *((number, cases) if cases is not None else (int(passed), int(seconds))))
            case = make_case(seed, number)
            if only in case.target:
                report.add(number, case, worker.run(case))
    print("\n".join(report.lines(time.monotonic() - start)))
    sys.exit(bool(report.findings))


if __name__ == "__main__":
    main()
