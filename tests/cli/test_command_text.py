"""The command as text: file names that look like options."""

from __future__ import annotations

from click.testing import CliRunner

from svgm.cli import main


def test_a_line_with_names_that_look_like_options(run, pair, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(pair[0].parent)
    pair[0].rename(pair[0].with_name("-a.ply"))
    outcome = CliRunner().invoke(main, ["register", "--report", str(tmp_path / "r.html"), "--", "-a.ply", "b.ply"])
    assert outcome.exit_code == 0
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert f"register --report {tmp_path / 'r.html'} -- -a.ply b.ply" in text
