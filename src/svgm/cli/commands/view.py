"""`svgm view`: files in one 3D view, served to the browser or written as one HTML file."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import click

from svgm.cli.options import PATH, POSE_FILE, json_option, quiet_option
from svgm.cli.output_files import PAGE_SUFFIXES, check_outputs, check_suffix
from svgm.cli.printing import echo_json
from svgm.cli.scene_of_files import read_scene


@click.command()
@click.argument("files", nargs=-1, type=PATH, metavar="FILES...")
@click.option("--pose", "pose_file", type=PATH, metavar="FILE", help=f"Pose that moves the first file: {POSE_FILE}.")
@click.option(
    "--result",
    type=PATH,
    metavar="FILE",
    help="Result of a registration: what svgm register --json prints (- reads standard input).",
)
@click.option("--html", type=PATH, metavar="FILE", help="Write the view to this .html file and start no server.")
@click.option(
    "--host",
    default="127.0.0.1",
    metavar="ADDRESS",
    show_default=True,
    help="Address that the server listens on. With 0.0.0.0 other machines can connect.",
)
@click.option(
    "--port", type=int, default=0, metavar="N", help="Port that the server listens on.  [default: any free port]"
)
@click.option("--no-browser", is_flag=True, help="Do not open a browser window.")
@json_option
@quiet_option
def view(
    files: tuple[Path, ...],
    pose_file: Path | None,
    result: Path | None,
    html: Path | None,
    host: str,
    port: int,
    no_browser: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Show FILES in one interactive view in the browser.

    FILES are point files, mixtures (.npz files of svgm fit) and output folders of svgm map. With --pose, a slider moves
    the first file. With --result, a slider shows the pose after each level of the registration; FILES are then the two
    files that were registered, unless others are given. Ctrl-C ends the server.

    \b
    svgm view a.ply b.ply --pose T.txt
    svgm register a.ply b.ply --json | svgm view --result -
    svgm view drive-map/ --html drive.html
    """
    from svgm.view.html_page import page
    from svgm.view.html_page.scene_data import MOST_WRITTEN_POINTS
    from svgm.view.live import viewer
    from svgm.view.live.viser_layers import MOST_SERVED_POINTS

    if not files and result is None:
        raise click.UsageError("Missing argument 'FILES...'.")
    if pose_file is not None and result is not None:
        raise click.UsageError("--pose and --result cannot be combined: a result holds its own pose.")
    check_suffix(html, PAGE_SUFFIXES, "a page")
    check_outputs(html)
    if html is None:
        viewer.require_viser()
    most = MOST_SERVED_POINTS // max(len(files), 1) if html is None else MOST_WRITTEN_POINTS
    scene, notes = read_scene(files, pose_file, result, most)
    if not quiet and not as_json:
        for line in notes:
            click.echo(line, err=True)
    if html is not None:
        page.write_html(scene, html)
        if as_json:
            echo_json({"file": html, "layers": scene.names})
        elif not quiet:
            click.echo(str(html))
        return
    with viewer.show(scene, host=host, port=port, open_browser=False) as shown:
        try:
            if as_json:
                echo_json({"url": shown.url, "layers": scene.names})
            elif not quiet:
                click.echo(f"{shown.url}  (Ctrl-C ends the server)")
            if not no_browser:
                webbrowser.open(shown.url)
            shown.wait()
        except KeyboardInterrupt:
            pass  # the usual end of this command
