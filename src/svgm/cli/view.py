"""`svgm view`: files in one scene, live in the browser or as one HTML file."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import click

from svgm.cli.options import PATH, json_option, quiet_option
from svgm.cli.outputs import PAGES, check_outputs, check_suffix, echo_json
from svgm.cli.view_scene import read_scene


@click.command()
@click.argument("files", nargs=-1, type=PATH, metavar="FILES...")
@click.option("--transform", type=PATH, metavar="FILE", help="Move the first file by this matrix; - is stdin.")
@click.option("--result", type=PATH, metavar="FILE", help="What svgm register --json printed; - is stdin.")
@click.option("--html", type=PATH, metavar="FILE", help="Write one file that needs no server, instead of serving.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Listen there; 0.0.0.0 is for other machines too.")
@click.option("--port", type=int, default=0, metavar="N", help="Listen there.  [default: any that is free]")
@click.option("--no-browser", is_flag=True, help="Do not open a window.")
@json_option
@quiet_option
def view(
    files: tuple[Path, ...],
    transform: Path | None,
    result: Path | None,
    html: Path | None,
    host: str,
    port: int,
    no_browser: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Show FILES together, to be turned and looked at from near.

    FILES are point files, mixtures (.npz of svgm fit) and folders of svgm map. With --transform the first one moves
    from where it is to where the matrix puts it; with --result the source moves through the scales of the
    registration, and FILES default to those that were registered. Ctrl-C ends it.

    \b
    svgm view a.ply b.ply --transform T.txt
    svgm register a.ply b.ply --json | svgm view --result -
    svgm view drive-map/ --html drive.html
    """
    from svgm.view import drawing, live, page

    if not files and result is None:
        raise click.UsageError("Missing argument 'FILES...'.")
    if transform is not None and result is not None:
        raise click.UsageError("--transform and --result exclude each other.")
    check_suffix(html, PAGES, "a page")
    check_outputs(html)
    if html is None:
        live.require_viser()
    most = drawing.MOST_POINTS // max(len(files), 1) if html is None else page.MOST_POINTS
    scene, thinned = read_scene(files, transform, result, most)
    if not quiet and not as_json:
        for line in thinned:
            click.echo(line, err=True)
    if html is not None:
        page.write_html(scene, html)
        if as_json:
            echo_json({"file": html, "layers": scene.names})
        elif not quiet:
            click.echo(str(html))
        return
    with live.show(scene, host=host, port=port, open_browser=False) as shown:
        try:
            if as_json:
                echo_json({"url": shown.url, "layers": scene.names})
            elif not quiet:
                click.echo(f"{shown.url}  (Ctrl-C ends it)")
            if not no_browser:
                webbrowser.open(shown.url)
            shown.wait()
        except KeyboardInterrupt:
            # How this command is meant to end.
            pass
