"""Who may look at a live scene: pages that this server itself has served, not those of other sites.

A browser lets any page open a WebSocket to any address, also to 127.0.0.1, and says in the header Origin which page it
was.  So Origin must be the address that was asked, Host.  A site can make its own name lead here, and then both are
that name: so the name must be one of this machine's.  Programs that are no browsers send no Origin.
"""

from __future__ import annotations

import http
import importlib
import ipaddress
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

_patching = threading.Lock()


def is_foreign(origins: Sequence[str], hosts: Sequence[str], served: str) -> bool:
    """Whether a request comes from a page of another site.

    Parameters
    ----------
    origins, hosts
        The values of its headers Origin and Host.
    served
        The host that the server was told to listen on.

    Examples
    --------
    A page from here, one that a forwarded port leads to, one of another site, and one whose name was made to lead here:

    >>> is_foreign(["http://127.0.0.1:8080"], ["127.0.0.1:8080"], "127.0.0.1")
    False
    >>> is_foreign(["http://localhost:9000"], ["localhost:9000"], "127.0.0.1")
    False
    >>> is_foreign(["http://evil.example"], ["127.0.0.1:8080"], "127.0.0.1")
    True
    >>> is_foreign(["http://evil.example:8080"], ["evil.example:8080"], "127.0.0.1")
    True
    """
    if not origins:
        return False
    if len(origins) > 1 or len(hosts) != 1:
        return True
    try:
        page, asked = urlsplit(origins[0]), urlsplit(f"//{hosts[0]}")
        name = asked.hostname or ""
        return page.netloc.lower() != asked.netloc.lower() or not _is_ours(name, served)
    except ValueError:
        return True


def _is_ours(name: str, served: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        machine = socket.gethostname().lower()
        return name in ("localhost", served.lower(), machine, f"{machine}.local")
    return True


@contextmanager
def foreign_pages_refused(served: str) -> Iterator[None]:
    """A server that viser starts inside the block answers requests of foreign pages with 403.

    viser has no way to look at a request before it is accepted, but the function of websockets by which it listens has.
    """
    server: Any = importlib.import_module("websockets.asyncio.server")
    plain = server.serve

    def serve(*args: Any, process_request: Any = None, **options: Any) -> Any:
        def checked(connection: Any, request: Any) -> Any:
            if is_foreign(request.headers.get_all("Origin"), request.headers.get_all("Host"), served):
                return connection.respond(http.HTTPStatus.FORBIDDEN, "This page is of another site.\n")
            return process_request(connection, request) if process_request is not None else None

        return plain(*args, process_request=checked, **options)

    with _patching:
        server.serve = serve
        try:
            yield
        finally:
            server.serve = plain
