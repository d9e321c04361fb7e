"""The live viewer: a scene in the browser, served from this process by viser (extra ``svgm[view]``)."""

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
from svgm.view.live.request_origin import foreign_pages_refused
from svgm.view.live.viser_layers import ViserLayers
from svgm.view.scenes.display_coordinates import FIELD_OF_VIEW, DisplayCoordinates
from svgm.view.scenes.layers import Cloud, Layer
from svgm.view.scenes.scene import Scene

#: Of an animation, in seconds: the time from one frame of the scene to the next, and from one redraw to the next.
FRAME_SECONDS, REDRAW_SECONDS = 1.2, 1.0 / 30.0


def show(scene: Scene, *, host: str = "127.0.0.1", port: int = 0, open_browser: bool = True) -> Live:
    """Show a scene in the browser until the viewer is closed or this process ends.

    Parameters
    ----------
    scene : Scene
        What to draw.  At most 600,000 points are drawn, shared evenly by the clouds: every k-th point of a larger
        cloud.  Of a mixture the 50,000 heaviest components are drawn, of ellipsoids the first 5,000.
    host : str, default "127.0.0.1"
        Address to listen on.  With the default, only this machine reaches the viewer.  With another address of this
        machine, or "0.0.0.0" for all of them, other machines reach it too, and whoever reaches it sees the scene.
        Pages of other sites that are open in the browser are refused.
    port : int, default 0
        Port to listen on, from 0 to 65535; 0 takes a free one.
    open_browser : bool, default True
        Open a window of the system's browser.

    Returns
    -------
    Live
        The running viewer: its address, its current frame, and how to close it.

    Raises
    ------
    InputError
        If viser is missing, or the server cannot listen on the address.

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
    """A viewer that is running; :func:`show` returns it.  A ``with`` block closes it at its end.

    Attributes
    ----------
    url : str
        Address to open in the browser.

    Examples
    --------
    >>> from svgm.view import Cloud, Frame
    >>> shift = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> layer = Cloud(name="points", points=np.eye(2), moves=True)
    >>> live = show(Scene([layer], [Frame("before", np.eye(3)), Frame("after", shift)]), open_browser=False)
    >>> live.frame = 0.5  # halfway
    >>> live.frame
    0.5
    >>> live.close()
    >>> live.wait()  # returns at once: the viewer is closed
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
        self._display = DisplayCoordinates.of(scene)
        self._layers = ViserLayers(server, scene, self._display)
        self._at = float(max(len(scene.frames) - 1, 0))
        self._controls()
        self._look()
        # Registered after viser's own handler, so this one runs first, and prints nothing.
        atexit.register(self.close)

    def __repr__(self) -> str:
        return f"Live({self.url!r}{', closed' if self._closed.is_set() else ''})"

    def _repr_html_(self) -> str:
        """What a notebook shows: the viewer itself."""
        return f'<iframe src="{self.url}" width="100%" height="600" frameborder="0"></iframe>'

    def __enter__(self) -> Live:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def frame(self) -> float:
        """The current frame, a number from 0; 0.5 is halfway from the first to the second.  Assign it to move there.

        Raises
        ------
        InputError
            If the number is not between 0 and the last frame.
        """
        return self._at

    @frame.setter
    def frame(self, at: float) -> None:
        if not 0 <= at <= max(len(self._scene.frames) - 1, 0):
            raise InputError(f"frame must be in [0, {max(len(self._scene.frames) - 1, 0)}], got {at}")
        if self._scene.frames:
            self._slider.value = float(at)
            self._follow()

    def wait(self) -> None:
        """Wait until the viewer is closed; an interrupt (Ctrl-C) ends the waiting."""
        while not self._closed.wait(0.2):
            pass

    def close(self) -> None:
        """Stop the server.  If it has stopped already, do nothing."""
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
        """The control panel: frames, layers, point size, view."""
        gui = self._server.gui
        gui.configure_theme(show_logo=False, show_share_button=False, control_width="medium")
        if self._scene.frames:
            self._frame_controls(gui)
        with gui.add_folder("layers"):
            gui.add_html(legend(self._scene))
            for name in self._scene.names:
                box = gui.add_checkbox(name, self._layers.seen[name])
                box.on_update(lambda event, name=name: self._layers.see(name, event.target.value, self._at))
        size = gui.add_slider("point size", min=0.2, max=5.0, step=0.1, initial_value=1.0)
        size.on_update(lambda event: self._layers.resize(event.target.value))
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
        """Move to the slider's frame; viser calls from many threads, and the last call must use the last value."""
        with self._turn:
            if self._closed.is_set():
                return
            self._at = float(self._slider.value)
            self._label.content = line(self._scene.frames[round(self._at)].label)
            self._layers.move(self._at)

    def _play_or_pause(self) -> None:
        with self._turn:
            if self._playing.is_set() or self._closed.is_set():
                self._playing.clear()
            else:
                # A new event, so that a thread that was stopped cannot start again.
                self._playing = threading.Event()
                self._playing.set()
                self._player = threading.Thread(target=self._play, args=(self._playing,), daemon=True)
                self._player.start()

    def _play(self, playing: threading.Event) -> None:
        """Play from the current frame to the last; from the first if the last is current."""
        last = float(len(self._scene.frames) - 1)
        begin = 0.0 if self._at >= last else self._at
        start = time.monotonic()
        self._button.label = "pause"
        while playing.is_set():
            self.frame = min(begin + (time.monotonic() - start) / FRAME_SECONDS, last)
            if self._at == last:
                playing.clear()
            time.sleep(REDRAW_SECONDS)
        self._button.label = "play"

    def _look(self) -> None:
        """Set the camera of new windows."""
        camera, display = self._server.initial_camera, self._display
        self._server.scene.set_up_direction(display.up)
        camera.up = display.up
        camera.fov = FIELD_OF_VIEW
        camera.look_at, camera.position = display.view(display.display(self._scene.places()))

    def _fit(self, client: Any) -> None:
        """Set the camera of one window so that all visible layers fit, seen from the first side."""
        camera = client.camera
        target, position = self._display.view(self._layers.places(self._at), camera.aspect)
        distance = float(np.linalg.norm(position - target))
        with client.atomic():
            camera.up_direction, camera.look_at, camera.position = self._display.up, target, position
            # Before a registration, the distance of the sets may be thousands of times their size.
            camera.near, camera.far = max(0.01, 1e-3 * distance), max(1000.0, 10.0 * distance)


def _stop(server: Any) -> None:
    """Stop a server, and wait for its thread: viser itself waits for one second only."""
    thread = getattr(server._websock_server, "_server_thread", None)
    with _silence():
        server.stop()
        if thread is not None:
            thread.join(timeout=60)


def legend(scene: Scene) -> str:
    """Names of the layers with dots in their colours, as HTML."""
    paints = {layer.name: _paint(layer) for layer in reversed(scene.layers)}
    dot = "display: inline-block; width: 0.7em; height: 0.7em; border-radius: 50%; margin-right: 0.4em"
    return "".join(line(name, f'<span style="{dot}; background: {paints[name]}"></span>') for name in scene.names)


def line(text: str, before: str = "") -> str:
    """A line of the control panel, as HTML; the text is escaped."""
    return f'<div style="font-size: 0.85em; padding: 0.1em 0.7em">{before}{escape(text)}</div>'


def _paint(layer: Layer) -> str:
    valued = isinstance(layer, Cloud) and layer.values is not None
    return f"linear-gradient(90deg, {', '.join(HEAT)})" if valued else layer.colour


def require_viser() -> Any:
    """Import viser, or raise one clear error.  Commands call this before they read files.

    Returns
    -------
    module
        The module viser.

    Raises
    ------
    InputError
        If viser cannot be imported.

    Examples
    --------
    >>> require_viser().__name__
    'viser'
    """
    try:
        return importlib.import_module("viser")
    except ImportError:
        raise InputError(not_installed("showing needs viser", "view")) from None


def _check_address(host: str, port: int) -> None:
    """Raise an error if the port is in use: viser would take another one, or search for ever."""
    if not host.strip():
        raise InputError("host must be an address of this machine, or 0.0.0.0 for all of them, got an empty text")
    if not isinstance(port, int) or isinstance(port, bool) or not 0 <= port <= 65535:
        raise InputError(f"port must be in [0, 65535], got {shown(port)}")
    try:
        socket.create_server((host, port)).close()
    except OSError as error:
        raise InputError(f"cannot listen on {host}, port {port}: {error.strerror}") from None


@contextmanager
def _silence() -> Iterator[None]:
    """Silence rich's global console, on which viser reports its start and stop: a library does not print."""
    console = importlib.import_module("rich").get_console()
    before, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = before
