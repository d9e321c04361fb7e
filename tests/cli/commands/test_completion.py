"""`svgm completion`: scripts that shells can read, and completions without a slow import."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from svgm.cli import COMMANDS
from svgm.cli.commands.completion import SHELLS
from tests.waiting import PATIENCE


@pytest.mark.parametrize("name", SHELLS)
def test_a_script_for_each_shell(run, name):
    outcome = run("completion", name)
    assert outcome.exit_code == 0, outcome.output
    assert f"_SVGM_COMPLETE={name}_complete" in outcome.stdout
    if shutil.which(name):
        parsing = subprocess.run([name, "-n"], input=outcome.stdout, capture_output=True, text=True, check=False)
        assert (parsing.returncode, parsing.stderr) == (0, "")


def test_help_says_how_to_install(run):
    assert 'eval "$(svgm completion bash)"' in run("completion", "--help").stdout


@pytest.fixture
def complete(run):
    """What a shell is told for words on the command line, the last of them unfinished."""

    def call(*words: str) -> list[str]:
        asked = {"_SVGM_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(["svgm", *words]), "COMP_CWORD": len(words)}
        outcome = run(env={name: str(value) for name, value in asked.items()})
        assert outcome.exit_code == 0, outcome.output
        assert outcome.stderr == ""
        return outcome.stdout.splitlines()

    return call


def test_commands_options_and_choices(complete):
    assert complete("") == [f"plain,{name}" for name in COMMANDS]
    assert complete("m") == ["plain,merge", "plain,mesh", "plain,map"]
    assert complete("--v") == ["plain,--version"]
    assert complete("register", "--se") == ["plain,--search", "plain,--seconds"]
    assert complete("register", "--search", "g") == ["plain,global"]
    assert complete("map", "--order", "") == ["plain,sequence", "plain,unordered"]
    assert complete("completion", "") == [f"plain,{name}" for name in SHELLS]


def test_files_and_folders(complete):
    assert complete("register", "sc") == ["file,sc"]
    assert complete("register", "missing.ply", "b") == ["file,b"]
    assert complete("register", "a.csv", "b.csv", "--init", "T") == ["file,T"]
    assert complete("map", "a.csv", "-o", "dr") == ["dir,dr"]
    assert complete("demo", "--output", "") == ["dir,"]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_completes_its_options(complete, name):
    assert "plain,--help" in complete(name, "--")


def test_nothing_slow_is_imported():
    code = (
        "import sys\nfrom svgm.cli import main\n"
        "try:\n    main(prog_name='svgm')\nexcept SystemExit: pass\n"
        "heavy = {'matplotlib', 'scipy', 'rich', 'gtsam', 'dask', 'svgm.cli.commands.demo'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    for words, count in (("svgm ", 1), ("svgm register --", 2), ("svgm map --order ", 3)):
        asked = {"_SVGM_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(count)}
        outcome = subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, **asked}, capture_output=True, text=True, check=False
        )
        assert outcome.returncode == 0, outcome.stderr
        assert outcome.stdout


#: For each shell, what completes `svgm regis` as a user's Tab does. zsh completes in a terminal only, so it gets one.
IN_SHELL = {
    "bash": """
eval "$(svgm completion bash)"; COMP_WORDS=(svgm regis); COMP_CWORD=1; _svgm_completion svgm; echo $COMPREPLY""",
    "fish": "svgm completion fish | source; complete -C 'svgm regis'",
    "zsh": r"""
zmodload zsh/zpty; zpty -b z env TERM=dumb zsh -f -i
zpty -w z 'autoload -Uz compinit; compinit -u; eval "$(svgm completion zsh)"; echo LOADED$((1+1))'
wait_for() { until [[ $out == *$1* ]]; do sleep 0.05; while zpty -r -t z more; do out+=$more; done; done }
wait_for LOADED2; zpty -n -w z $'svgm regis\t'; wait_for 'svgm register'; echo register; zpty -d z""",
}


@pytest.mark.parametrize("name", SHELLS)
def test_the_shell_itself_completes(tmp_path, name):
    if shutil.which(name) is None:
        pytest.skip(f"needs {name}")
    program = tmp_path / "svgm"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m svgm.cli "$@"\n')
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)}
    script = [name, "-f", "-c"] if name == "zsh" else [name, "--norc", "-c"] if name == "bash" else [name, "-N", "-c"]
    done = subprocess.run(
        [*script, IN_SHELL[name]], env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.stdout.split()[:1] == ["register"], done.stderr
