"""The check of a request's origin: only pages that this server has served may connect to it.

A browser lets any page open a WebSocket to any address, also to 127.0.0.1.  It names the page in the header Origin and
the address in the header Host.  So both must be the same.  Another site can make its own name resolve to this machine,
and then both are that name: so the name must also be one of this machine's.  Programs other than browsers send no
Origin.
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
    origins, hosts : sequence of str
        The values of the headers Origin and Host.
    served : str
        The host that the server listens on.

    Returns
    -------
    bool
        True if the request must be refused.

    Examples
    --------
    A page of this server, one through a forwarded port, one of another site, and one of another site whose name
    resolves to this machine:

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
    """Inside the block, a server that viser starts answers requests of foreign pages with status 403.

    viser cannot check a request before it accepts it.  The function of websockets that viser calls can, so it is
    replaced while the server starts.
    """
    server: Any = importlib.import_module("websockets.asyncio.server")
    plain = server.serve

    def serve(*args: Any, process_request: Any = None, **options: Any) -> Any:
        def checked(connection: Any, request: Any) -> Any:
            if is_foreign(request.headers.get_all("Origin"), request.headers.get_all("Host"), served):
                return connection.respond(http.HTTPStatus.FORBIDDEN, "This page belongs to another site.\n")
            return process_request(connection, request) if process_request is not None else None

        return plain(*args, process_request=checked, **options)

    with _patching:
        server.serve = serve
        try:
            yield
        finally:
            server.serve = plain
