"""The server: pages and WebSockets by aiohttp, the protocol and the terminal in the browser by textual-serve."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import logging
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import jinja2
import textual_serve
from aiohttp import WSMsgType, web
from msgspec import Struct

from advisor.records.errors import UsageError
from advisor.web_server.access import Access
from advisor.web_server.downloads import BrokenOffError, Downloads
from advisor.web_server.sessions import Session

_STATIC: Final = Path(textual_serve.__file__).with_name("static")
_HERE: Final = Path(__file__).parent
_MOST_BYTES: Final = 1 << 20  # of one message of a browser: the longest text that can be pasted
_SIDE: Final = range(2, 1000)  # columns or rows of a terminal
_HEARTBEAT_S: Final = 15.0  # a page that does not answer within it is gone
_FONT: Final = range(6, 73)
_NOT_STARTED: Final = "The session cannot be started: {}."
_FULL: Final = "All {} sessions of this server are open. Close one of its pages, then load this page again."


class Settings(Struct, frozen=True):
    """Where to listen, and what each page starts. host: also a name of this server; port: 0 for a free one."""

    host: str
    port: int
    command: Sequence[str]
    folder: Path
    sessions: int


class Server:
    """The pages, and the sessions that are open."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.access = Access(frozenset((settings.host,)))
        self._downloads = Downloads()
        pages = jinja2.Environment(autoescape=True, loader=jinja2.FileSystemLoader(_HERE))
        self._page = pages.get_template("index.html")
        self._open: set[Session] = set()
        self._closing: set[asyncio.Task[None]] = set()

    def application(self) -> web.Application:
        """Return the application of aiohttp, every path of which asks `Access` first."""
        app = web.Application(middlewares=[self.access.check])
        app.add_routes(
            [
                web.get("/", self._index),
                web.get("/page.css", self._own_file),
                web.get("/page.js", self._own_file),
                web.get("/ws", self._websocket),
                web.get("/download/{key}", self._download, allow_head=False),  # HEAD would use it up
                web.static("/static", _STATIC),
            ]
        )
        app.on_response_prepare.append(self.access.protect)
        app.on_shutdown.append(self._end)
        return app

    async def run(self, listening: Callable[[str], None], stop: asyncio.Event) -> None:
        """Serve until `stop` is set. listening: called once with the address. Raises UsageError if it cannot listen."""
        logging.getLogger("textual-serve").addHandler(logging.NullHandler())
        runner = web.AppRunner(self.application(), access_log=None, shutdown_timeout=5.0)
        await runner.setup()
        try:
            try:
                await web.TCPSite(runner, self.settings.host, self.settings.port).start()
            except (OSError, UnicodeError) as e:  # UnicodeError: a host name with an empty or too long label
                where = f"{self.settings.host}:{self.settings.port}"
                raise UsageError(
                    f"cannot listen on {where}: {getattr(e, 'strerror', None) or e}; choose another --port or --host"
                ) from None
            bound = [address[0] for address in runner.addresses]
            if any(
                ipaddress.ip_address(host).is_unspecified for host in bound
            ):  # of a name or short form that stands for all addresses, such as 0
                raise UsageError(f"--host {self.settings.host}: this is all addresses at once; name one")
            self.access.know(bound)  # the printed one is not the typed one for a name or a short form
            host, port = runner.addresses[0][:2]
            name = f"[{host}]" if ":" in host else host
            listening(f"http://{name}:{port}/?token={self.access.token}")
            await stop.wait()
        finally:
            await runner.cleanup()

    async def _end(self, app: web.Application) -> None:
        """End all sessions, each with its processes."""
        for session in tuple(self._open):
            self._close(session)
        await asyncio.gather(*self._closing, return_exceptions=True)

    def _close(self, session: Session) -> asyncio.Task[None]:
        """End a session in a task of its own, since that of a page is cancelled when its browser leaves."""

        async def close() -> None:
            try:
                await session.stop()
            finally:
                self._open.discard(session)

        task = asyncio.create_task(close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)
        return task

    async def _index(self, request: web.Request) -> web.Response:
        size = request.query.get("fontsize", "")
        known = size.isdecimal() and len(size) < 3 and int(size) in _FONT
        # The host is one of the names that Access knows; the port is the one that the browser sees.
        text = self._page.render(websocket=f"ws://{request.host}/ws", size=size if known else "16")
        return web.Response(text=text, content_type="text/html")

    async def _own_file(self, request: web.Request) -> web.FileResponse:
        return web.FileResponse(_HERE / request.path.removeprefix("/"))

    async def _download(self, request: web.Request) -> web.StreamResponse:
        """Send an exported file, once."""
        key = request.match_info["key"]
        about = self._downloads.take(key)
        if about is None:
            raise web.HTTPNotFound(text="There is no such file, or it was sent already.\n")
        # Always as a file: a page that opened here would be one of this server.
        response = web.StreamResponse(
            headers={
                "Content-Type": "application/octet-stream",
                "Content-Disposition": f'attachment; filename="{about.file_name}"',
            }
        )
        try:
            async with contextlib.aclosing(self._downloads.download(key)) as chunks:
                async for chunk in chunks:
                    await response.prepare(request)  # once; before the first chunk, the answer may still be an error
                    await response.write(chunk)
        except BrokenOffError:
            if not response.prepared:
                raise web.HTTPGone(text="The session of this file has ended.\n") from None
            if request.transport is not None:
                request.transport.abort()  # an end without the last chunk: the browser sees that the file is broken
            return response
        await response.prepare(request)
        await response.write_eof()
        return response

    async def _websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Run one session for one page."""
        socket = web.WebSocketResponse(heartbeat=_HEARTBEAT_S, max_msg_size=_MOST_BYTES)
        await socket.prepare(request)
        if len(self._open) >= self.settings.sessions:
            await socket.send_bytes(_FULL.format(self.settings.sessions).encode())
            await socket.close()
            return socket
        session = Session(
            self.settings.command,
            self.settings.folder,
            self._downloads,
            write_bytes=socket.send_bytes,
            write_str=socket.send_str,
            close=socket.close,
        )
        self._open.add(session)
        try:
            width, height = (_side(request.query.get(name), usual) for name, usual in (("width", 80), ("height", 24)))
            try:
                await session.start(width, height)
            except OSError as e:  # the folder or the program has gone, or no temporary one can be made
                await socket.send_bytes(_NOT_STARTED.format(e.strerror or e).encode("utf-8", "replace"))
            else:
                await _pass_on(socket, session)
        except (ConnectionError, RuntimeError):
            pass  # the page has gone
        finally:
            await asyncio.shield(self._close(session))
            with contextlib.suppress(ConnectionError, RuntimeError):
                await socket.close()
        return socket


async def _pass_on(socket: web.WebSocketResponse, session: Session) -> None:
    """Pass the messages of a page on until it leaves; one that is no message of textual-serve ends the session."""
    async for message in socket:
        if message.type != WSMsgType.TEXT:
            continue
        try:
            kind, *rest = json.loads(message.data)
            data = rest[0] if rest else None
        except (ValueError, TypeError, RecursionError):
            return
        if kind == "stdin" and isinstance(data, str):
            await session.send_bytes(data.encode("utf-8", "replace"))
        elif kind == "resize" and isinstance(data, dict):
            await session.set_terminal_size(_side(data.get("width"), 80), _side(data.get("height"), 24))
        elif kind == "ping":
            await socket.send_json(["pong", data])
        elif kind == "blur":
            await session.blur()
        elif kind == "focus":
            await session.focus()
        else:
            return


def _side(value: Any, usual: int) -> int:
    """Return the width or height of a terminal, the usual one for what is no such number."""
    if isinstance(value, str) and value.isdecimal() and len(value) < 5:
        value = int(value)
    return value if isinstance(value, int) and value in _SIDE else usual


def serve(settings: Settings, listening: Callable[[str], None]) -> None:
    """Serve until Ctrl+C or SIGTERM. Raises UsageError if the server cannot listen."""

    async def main() -> None:
        stop, loop = asyncio.Event(), asyncio.get_running_loop()
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is None:
                continue
            try:
                loop.add_signal_handler(number, stop.set)
            except NotImplementedError:  # Windows
                signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop.set))
        await Server(settings).run(listening, stop)

    asyncio.run(main())
