"""A scene live in the browser, served from this process by viser, of the extra ``svgm[view]``."""

from __future__ import annotations

import atexit
import importlib
import socket
import threading
import time
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

import numpy as np

from svgm.checks.arguments import flag, instance, shown, text
from svgm.checks.errors import InputError, not_installed
from svgm.view.colours import HEAT
from svgm.view.drawing import Drawing
from svgm.view.origin import foreign_pages_refused
from svgm.view.scene import Cloud, Layer, Scene
from svgm.view.stand import FIELD_OF_VIEW, Stand

#: Of an animation: from one frame to the next, and from one picture to the next, in seconds.
FRAME_SECONDS, PICTURE_SECONDS = 1.2, 1.0 / 30.0


def show(scene: Scene, *, host: str = "127.0.0.1", port: int = 0, open_browser: bool = True) -> Live:
    """Show a scene in the browser, for as long as this process runs or until it is closed.

    Parameters
    ----------
    scene
        What to draw.  Of more than 600,000 points, shared evenly by its clouds, every k-th is drawn; of a mixture
        the 50,000 heaviest components, of ellipsoids the first 5,000.
    host, port
        Where the browser finds it; port 0 is any that is free.  Other machines reach it only if the host is one of
        this machine's addresses, or "0.0.0.0" for all; whoever reaches it sees the scene.  Pages of other sites that
        are open in the browser do not: they are refused.
    open_browser
        Open a window of the system's browser as well.

    Returns
    -------
    Live
        The server: its address, the frame that is seen, and how to close it.

    Raises
    ------
    InputError
        If viser is missing or the address cannot be listened on.

    Examples
    --------
    >>> from svgm.view import Cloud
    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> with show(Scene([Cloud(name="square", points=square)]), open_browser=False) as live:
    ...     live.url.rpartition(":")[0]
    'http://127.0.0.1'
    """
    viser = require_viser()
    instance("scene", scene, Scene)
    flag("open_browser", open_browser)
    _check_address(text("host", host), port)
    with _silence(), foreign_pages_refused(host):
        server = viser.ViserServer(host=host, port=port, label=scene.title or "svgm", verbose=False)
    try:
        live = Live(server, scene)
    except BaseException:
        _stop(server)
        raise
    if open_browser:
        webbrowser.open(live.url)
    return live


class Live:
    """A scene that is being served; made by :func:`show`.  As a context it closes itself.

    Attributes
    ----------
    url
        Where the browser finds it.

    Examples
    --------
    >>> from svgm.view import Cloud, Frame
    >>> shift = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> layer = Cloud(name="points", points=np.eye(2), moves=True)
    >>> live = show(Scene([layer], [Frame("before", np.eye(3)), Frame("after", shift)]), open_browser=False)
    >>> live.frame = 0.5  # half the way
    >>> live.frame
    0.5
    >>> live.close()
    >>> live.wait()  # returns at once, since it is closed
    """

    def __init__(self, server: Any, scene: Scene) -> None:
        host = server.get_host()
        self.url = f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{server.get_port()}"
        self._server = server
        self._scene = scene
        self._closed = threading.Event()
        self._playing = threading.Event()
        self._turn = threading.RLock()
        self._player: threading.Thread | None = None
        self._stand = Stand.of(scene)
        self._drawing = Drawing(server, scene, self._stand)
        self._at = float(max(len(scene.frames) - 1, 0))
        self._controls()
        self._look()
        # Registered after viser's own, so it runs before, and in silence.
        atexit.register(self.close)

    def __repr__(self) -> str:
        return f"Live({self.url!r}{', closed' if self._closed.is_set() else ''})"

    def _repr_html_(self) -> str:
        """In a notebook: the viewer itself."""
        return f'<iframe src="{self.url}" width="100%" height="600" frameborder="0"></iframe>'

    def __enter__(self) -> Live:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def frame(self) -> float:
        """The frame that is seen, from 0; 0.5 is half the way from the first to the second.  Set it to go there."""
        return self._at

    @frame.setter
    def frame(self, at: float) -> None:
        if not 0 <= at <= max(len(self._scene.frames) - 1, 0):
            raise InputError(f"frame must be in [0, {max(len(self._scene.frames) - 1, 0)}], got {at}")
        if self._scene.frames:
            self._slider.value = float(at)
            self._follow()

    def wait(self) -> None:
        """Wait until it is closed; an interrupt (Ctrl-C) ends the waiting as ever."""
        while not self._closed.wait(0.2):
            pass

    def close(self) -> None:
        """Stop serving; a second time does nothing."""
        with self._turn:
            if self._closed.is_set():
                return
            self._closed.set()
        atexit.unregister(self.close)
        self._playing.clear()
        if self._player is not None:
            self._player.join()
        _stop(self._server)

    def _controls(self) -> None:
        """The panel: frames, layers, size of the points, view."""
        gui = self._server.gui
        gui.configure_theme(show_logo=False, show_share_button=False, control_width="medium")
        if self._scene.frames:
            self._frame_controls(gui)
        with gui.add_folder("layers"):
            gui.add_html(legend(self._scene))
            for name in self._scene.names:
                box = gui.add_checkbox(name, self._drawing.seen[name])
                box.on_update(lambda event, name=name: self._drawing.see(name, event.target.value, self._at))
        size = gui.add_slider("point size", min=0.2, max=5.0, step=0.1, initial_value=1.0)
        size.on_update(lambda event: self._drawing.resize(event.target.value))
        gui.add_button("fit view").on_click(lambda event: self._fit(event.client))

    def _frame_controls(self, gui: Any) -> None:
        last = len(self._scene.frames) - 1
        self._label = gui.add_html(line(self._scene.frames[last].label))
        self._slider = gui.add_slider("frame", min=0.0, max=max(last, 0.01), step=0.01, initial_value=float(last))
        self._slider.visible = last > 0
        self._slider.on_update(lambda _: self._follow())
        self._button = gui.add_button("play", visible=last > 0)
        self._button.on_click(lambda _: self._play_or_pause())

    def _follow(self) -> None:
        """Go where the slider is; viser calls from many threads, and the last one must see the last value."""
        with self._turn:
            if self._closed.is_set():
                return
            self._at = float(self._slider.value)
            self._label.content = line(self._scene.frames[round(self._at)].label)
            self._drawing.move(self._at)

    def _play_or_pause(self) -> None:
        with self._turn:
            if self._playing.is_set() or self._closed.is_set():
                self._playing.clear()
            else:
                # An event of its own, so that a player that has been stopped cannot be woken by the next.
                self._playing = threading.Event()
                self._playing.set()
                self._player = threading.Thread(target=self._play, args=(self._playing,), daemon=True)
                self._player.start()

    def _play(self, playing: threading.Event) -> None:
        """From where it is, or from the beginning if it is at the end, to the end."""
        last = float(len(self._scene.frames) - 1)
        begin = 0.0 if self._at >= last else self._at
        start = time.monotonic()
        self._button.label = "pause"
        while playing.is_set():
            self.frame = min(begin + (time.monotonic() - start) / FRAME_SECONDS, last)
            if self._at == last:
                playing.clear()
            time.sleep(PICTURE_SECONDS)
        self._button.label = "play"

    def _look(self) -> None:
        """Where the camera of a new window stands."""
        camera, stand = self._server.initial_camera, self._stand
        self._server.scene.set_up_direction(stand.up)
        camera.up = stand.up
        camera.fov = FIELD_OF_VIEW
        camera.look_at, camera.position = stand.view(stand.display(self._scene.places()))

    def _fit(self, client: Any) -> None:
        """Set one window's camera on what is seen now, from the side that it is seen from at first."""
        camera = client.camera
        target, position = self._stand.view(self._drawing.places(self._at), camera.aspect)
        distance = float(np.linalg.norm(position - target))
        with client.atomic():
            camera.up_direction, camera.look_at, camera.position = self._stand.up, target, position
            # Before a registration the sets may be thousands of their sizes apart.
            camera.near, camera.far = max(0.01, 1e-3 * distance), max(1000.0, 10.0 * distance)


def _stop(server: Any) -> None:
    """Stop a server; viser waits a second for its thread, which on a busy machine says later that it has stopped."""
    thread = getattr(server._websock_server, "_server_thread", None)
    with _silence():
        server.stop()
        if thread is not None:
            thread.join(timeout=60)


def legend(scene: Scene) -> str:
    """Names of the layers behind dots of their colours, as HTML."""
    paints = {layer.name: _paint(layer) for layer in reversed(scene.layers)}
    dot = "display: inline-block; width: 0.7em; height: 0.7em; border-radius: 50%; margin-right: 0.4em"
    return "".join(line(name, f'<span style="{dot}; background: {paints[name]}"></span>') for name in scene.names)


def line(text: str, before: str = "") -> str:
    """A line of the panel, as HTML; the text is plain."""
    return f'<div style="font-size: 0.85em; padding: 0.1em 0.7em">{before}{escape(text)}</div>'


def _paint(layer: Layer) -> str:
    valued = isinstance(layer, Cloud) and layer.values is not None
    return f"linear-gradient(90deg, {', '.join(HEAT)})" if valued else layer.colour


def require_viser() -> Any:
    """The module viser, or one clear error; commands call it before they read.

    >>> require_viser().__name__
    'viser'
    """
    try:
        return importlib.import_module("viser")
    except ImportError:
        raise InputError(not_installed("showing needs viser", "view")) from None


def _check_address(host: str, port: int) -> None:
    """viser would take the next free port, or look for one forever: the one asked for or an error."""
    if not host.strip():
        raise InputError("host must name an address of this machine, or 0.0.0.0 for all, got nothing")
    if not isinstance(port, int) or isinstance(port, bool) or not 0 <= port <= 65535:
        raise InputError(f"port must be in [0, 65535], got {shown(port)}")
    try:
        socket.create_server((host, port)).close()
    except OSError as error:
        raise InputError(f"cannot listen on {host}, port {port}: {error.strerror}") from None


@contextmanager
def _silence() -> Iterator[None]:
    """viser tells of its start and stop through rich's global console; a library does not print."""
    console = importlib.import_module("rich").get_console()
    before, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = before
