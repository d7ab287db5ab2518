"""Who is answered: with token or cookie, under a known name, from its own page; and that ended pages leave nothing."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

aiohttp = pytest.importorskip("aiohttp", reason="needs the extra serve")
from aiohttp.test_utils import TestClient, TestServer  # noqa: E402

from advisor.records.errors import UsageError  # noqa: E402
from advisor.web_server.server import Server, Settings  # noqa: E402

# What the protocol of textual-serve wants of a session: it greets, shows its process and its size, and repeats keys.
_STAND_IN = """
import json, os, sys
out = sys.stdout.buffer
def send(kind, data): out.write(kind + len(data).to_bytes(4, "big") + data); out.flush()
out.write(b"__GANGLION__\\n")
env = os.environ
send(b"D", json.dumps({"pid": os.getpid(), "tmp": env["TMPDIR"], "cwd": os.getcwd(),
                       "size": [env["COLUMNS"], env["ROWS"]], "editor": env.get("EDITOR")}).encode())
while head := sys.stdin.buffer.read(5):
    data = sys.stdin.buffer.read(int.from_bytes(head[1:], "big"))
    if head[:1] == b"M" and json.loads(data)["type"] == "quit" and "stubborn" not in sys.argv: break
    send(b"D", data)
"""


def made(folder: Path, *arguments: str, sessions: int = 2, host: str = "127.0.0.1") -> Server:
    command = (sys.executable, "-c", _STAND_IN, *arguments)
    return Server(Settings(host, 0, command, folder, sessions))


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Server:
    monkeypatch.setenv("EDITOR", "vi")
    return made(tmp_path)


@pytest_asyncio.fixture
async def client(server: Server) -> AsyncIterator[Any]:
    """A browser without a cookie."""
    async with TestClient(TestServer(server.application()), cookie_jar=aiohttp.CookieJar(unsafe=True)) as client:
        yield client


async def enter(client: Any, server: Server) -> str:
    """Exchange the token for the cookie; return the origin of the server's pages."""
    answer = await client.get("/", params={"token": server.access.token})
    assert answer.status == 200
    return str(client.make_url("/")).rstrip("/")


@pytest.mark.parametrize("path", ["/", "/ws", "/static/js/textual.js", "/download/abc", "/page.js", "/nothing"])
async def test_every_path_needs_the_token(client: Any, path: str) -> None:
    origin = str(client.make_url("/")).rstrip("/")
    for query in ({}, {"token": "wrong"}, {"token": ""}, {"token": "\u00e4"}):
        answer = await client.get(path, params=query, headers={"Origin": origin})
        assert answer.status == 401
        assert "token" in await answer.text()


async def test_the_token_opens_the_first_page_alone_and_leaves_a_strict_cookie(client: Any, server: Server) -> None:
    assert (await client.get("/static/js/textual.js", params={"token": server.access.token})).status == 401
    answer = await client.get("/", params={"token": server.access.token}, allow_redirects=False)
    assert answer.status == 200 and 'http-equiv="refresh" content="0; url=/"' in await answer.text()
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    assert server.access.token not in cookie
    page = await client.get("/")
    text = await page.text()
    assert page.status == 200 and server.access.token not in text
    assert not re.search(r"https?://", text)  # nothing is loaded from elsewhere
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert page.headers["Referrer-Policy"] == "no-referrer"
    assert (await client.get("/static/js/textual.js")).status == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost@evil.example", "", "127.0.0.1:x<"]
)
async def test_a_foreign_name_of_this_machine_is_refused(client: Any, server: Server, host: str) -> None:
    await enter(client, server)
    assert (await client.get("/", headers={"Host": host})).status in (400, 403)


async def test_a_tunnel_may_change_the_port(client: Any, server: Server) -> None:
    await enter(client, server)
    page = await client.get("/", headers={"Host": "localhost:9999", "Cookie": _cookies(client)})
    assert 'url="ws://localhost:9999/ws"' in await page.text()


def _cookies(client: Any) -> str:
    return "; ".join(f"{cookie.key}={cookie.value}" for cookie in client.session.cookie_jar)


@pytest.mark.parametrize(("host", "name"), [("127.1.1", "127.1.0.1"), ("localhost", "")])
async def test_the_printed_address_is_answered(tmp_path: Path, host: str, name: str) -> None:
    server, stop, printed = made(tmp_path, host=host), asyncio.Event(), asyncio.Queue[str]()
    running = asyncio.create_task(server.run(printed.put_nowait, stop))
    address = await printed.get()
    async with aiohttp.ClientSession() as browser, browser.get(address) as answer:
        assert answer.status == 200 and name in address
    stop.set()
    await running


@pytest.mark.parametrize(("host", "why"), [("0", "all addresses"), ("a..b", "cannot"), ("a" * 64, "cannot")])
async def test_a_host_that_cannot_be_served_is_one_line(tmp_path: Path, host: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        await made(tmp_path, host=host).run(lambda _: pytest.fail("it listens"), asyncio.Event())


async def test_a_session_that_cannot_be_stopped_keeps_no_place(server: Server) -> None:
    class Stuck:
        async def stop(self) -> None:
            raise OSError("no space")

    stuck: Any = Stuck()
    server._open.add(stuck)
    with pytest.raises(OSError, match="no space"):
        await server._close(stuck)
    assert not server._open


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "https://127.0.0.1"])
async def test_a_page_of_another_site_gets_no_session(client: Any, server: Server, origin: str | None) -> None:
    await enter(client, server)
    answer = await client.get("/ws", headers={} if origin is None else {"Origin": origin})
    assert answer.status == 403


async def test_only_reading_is_possible(client: Any, server: Server) -> None:
    origin = await enter(client, server)
    assert (await client.post("/", headers={"Origin": origin})).status == 405


@pytest.mark.parametrize(
    "path", ["/static/../server.py", "/static/%2e%2e/server.py", "/static//etc/passwd", "/static/"]
)
async def test_static_files_are_those_of_the_terminal(client: Any, server: Server, path: str) -> None:
    from yarl import URL

    await enter(client, server)
    answer = await client.session.get(URL(str(client.make_url("/")).rstrip("/") + path, encoded=True))
    assert answer.status in (403, 404)


async def test_a_page_has_a_process_of_its_own_that_ends_with_it(client: Any, server: Server, tmp_path: Path) -> None:
    origin = await enter(client, server)
    socket = await client.ws_connect("/ws?width=100&height=9999999", headers={"Origin": origin})
    about = json.loads(await socket.receive_bytes())
    assert about["size"] == ["100", "24"] and about["cwd"] == str(tmp_path) and about["editor"] is None
    assert Path(about["tmp"]).is_dir()
    await socket.send_json(["stdin", "x\ud800"])
    assert await socket.receive_bytes() == b"x?"
    await socket.send_json(["resize", {"width": "wide", "height": None}])
    assert b'"width": 80' in await socket.receive_bytes()
    await socket.close()
    await _gone(about)


@pytest.mark.parametrize("message", ["", "{", "7", "[]", '["unknown"]', '["stdin", 7]', "[" * 5000])
async def test_a_message_that_is_none_ends_the_session(client: Any, server: Server, message: str) -> None:
    origin = await enter(client, server)
    socket = await client.ws_connect("/ws", headers={"Origin": origin})
    about = json.loads(await socket.receive_bytes())
    await socket.send_str(message)
    assert (await socket.receive()).type == aiohttp.WSMsgType.CLOSE
    await _gone(about)


async def test_pages_above_the_limit_are_told_so(client: Any, server: Server) -> None:
    origin = await enter(client, server)
    open_ones = [await client.ws_connect("/ws", headers={"Origin": origin}) for _ in range(2)]
    for socket in open_ones:
        await socket.receive_bytes()
    third = await client.ws_connect("/ws", headers={"Origin": origin})
    assert b"All 2 sessions" in await third.receive_bytes()
    await open_ones[0].close()
    await asyncio.sleep(0.1)
    for _ in range(50):  # the place is free as soon as the process has ended
        fourth = await client.ws_connect("/ws", headers={"Origin": origin})
        if b"pid" in await fourth.receive_bytes():
            return
        await asyncio.sleep(0.05)
    pytest.fail("the place of a closed page was not given back")


async def test_a_session_that_cannot_be_started_says_so(client: Any, server: Server, tmp_path: Path) -> None:
    origin = await enter(client, server)
    tmp_path.rmdir()
    socket = await client.ws_connect("/ws", headers={"Origin": origin})
    assert b"cannot be started: No such file" in await socket.receive_bytes()
    assert (await socket.receive()).type == aiohttp.WSMsgType.CLOSE
    assert not server._open


async def test_the_end_of_the_server_ends_a_session_that_does_not_want_to(tmp_path: Path) -> None:
    server = made(tmp_path, "stubborn")
    async with TestClient(TestServer(server.application()), cookie_jar=aiohttp.CookieJar(unsafe=True)) as client:
        origin = await enter(client, server)
        socket = await client.ws_connect("/ws", headers={"Origin": origin})
        about = json.loads(await socket.receive_bytes())
    await _gone(about)


async def _gone(about: dict[str, Any]) -> None:
    """Wait until neither the process nor its folder for temporary files exist."""
    for _ in range(200):
        try:
            os.kill(about["pid"], 0)
        except ProcessLookupError:
            if not Path(about["tmp"]).exists():
                return
        await asyncio.sleep(0.05)
    pytest.fail("the session left something")
