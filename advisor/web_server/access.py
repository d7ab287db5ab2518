"""Who may use the served session: by a token, the name of the host that was asked, and the origin of a page."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Iterable
from typing import Final
from urllib.parse import urlsplit

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
LOOPBACK: Final = frozenset(("localhost", "127.0.0.1", "::1"))
_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "font-src 'self'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_WITHOUT: Final = "Open the address that `ncu-advisor serve` has printed; it contains a token."

_ENTER: Final = (
    '<!doctype html>\n<html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=/">'
    '<title>ncu-advisor</title><a href="/">Go on</a></html>\n'
)


class Access:
    """Decides on each request, the WebSocket and the static files included.

    hosts: names under which the server may be asked for, beside those of this machine itself. Another name means that a
    foreign web site's name was pointed at this machine (DNS rebinding).
    """

    def __init__(self, hosts: frozenset[str] = frozenset()) -> None:
        self.token = secrets.token_urlsafe(32)
        self._cookie = secrets.token_urlsafe(32)  # the token itself stays out of what browsers store
        self._name = f"ncu_advisor_{secrets.token_hex(4)}"  # several servers share the cookies of one host
        self._hosts = LOOPBACK | {host.casefold() for host in hosts}

    def know(self, hosts: Iterable[str]) -> None:
        """Add names under which the server may be asked for."""
        self._hosts |= {host.casefold() for host in hosts}

    @web.middleware
    async def check(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Pass a request on, exchange the token for a cookie, or refuse."""
        if _host_of(request.host) not in self._hosts:
            return web.Response(status=403, text="This server is not known under that name.\n")
        origin = request.headers.get("Origin")
        if origin is None and request.path == "/ws":
            return web.Response(status=403, text="The session is for pages of this server only.\n")
        if origin is not None and origin.casefold() != f"{request.scheme}://{request.host}".casefold():
            return web.Response(status=403, text="Pages of other sites have no access.\n")
        if request.method not in ("GET", "HEAD"):
            return web.Response(status=405, text="Only GET is possible here.\n", headers={"Allow": "GET, HEAD"})
        if _same(request.cookies.get(self._name, ""), self._cookie):
            return await handler(request)
        if request.path == "/" and _same(request.query.get("token", ""), self.token):
            # The browser goes on without the token in its address line. By a page and not a redirection, which after a
            # click on a page of another site would count as that site's, so that the strict cookie would not be sent.
            answer = web.Response(text=_ENTER, content_type="text/html")
            answer.set_cookie(self._name, self._cookie, httponly=True, samesite="Strict", path="/")
            return answer
        return web.Response(status=401, text=f"{_WITHOUT}\n")

    @staticmethod
    async def protect(request: web.Request, response: web.StreamResponse) -> None:
        """Add the headers that keep a page to its own content and out of caches and frames."""
        response.headers.update(_HEADERS)


def _host_of(header: str) -> str:
    """Return the host of a `Host` header without its port, which a tunnel may change; empty if it is none."""
    try:
        found = urlsplit(f"//{header}")
        plain = found.port is None or found.port >= 0  # raises ValueError for other text after the colon
        return (found.hostname or "").casefold() if plain and not found.path and "@" not in header else ""
    except ValueError:
        return ""


def _same(given: str, wanted: str) -> bool:
    """Compare in a time that does not depend on where the texts differ."""
    return secrets.compare_digest(given.encode("utf-8", "surrogatepass"), wanted.encode())
