"""Downloads: sent once, to one request, and broken visibly when the session does not send all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

aiohttp = pytest.importorskip("aiohttp", reason="needs the extra serve")
from aiohttp.test_utils import TestClient, TestServer  # noqa: E402

from advisor.web_server import downloads  # noqa: E402
from advisor.web_server.server import Server, Settings  # noqa: E402


class Sender:
    """A session that sends these chunks, and nothing after them. ended: it takes no requests."""

    app_service_id = "one"

    def __init__(self, manager: downloads.Downloads, *chunks: bytes, ended: bool = False) -> None:
        self._manager, self._chunks, self._ended = manager, list(chunks), ended

    async def send_meta(self, data: dict[str, Any]) -> bool:
        if self._chunks:
            await asyncio.sleep(0.02)
            await self._manager.chunk_received(data["key"], self._chunks.pop(0))
        return not self._ended


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Server:
    monkeypatch.setattr(downloads, "_CHUNK_S", 0.1)
    return Server(Settings("127.0.0.1", 0, ("true",), tmp_path, 1))


@pytest_asyncio.fixture
async def client(server: Server) -> AsyncIterator[Any]:
    async with TestClient(TestServer(server.application()), cookie_jar=aiohttp.CookieJar(unsafe=True)) as client:
        await client.get("/", params={"token": server.access.token})
        yield client


async def offer(server: Server, *chunks: bytes, ended: bool = False) -> None:
    sender: Any = Sender(server._downloads, *chunks, ended=ended)
    await server._downloads.create_download(
        app_service=sender, delivery_key="k", file_name="a.html", open_method="download", mime_type=""
    )


async def test_a_file_is_sent_once_and_to_one_of_two_requests(client: Any, server: Server) -> None:
    await offer(server, b"one ", b"two", b"")
    assert (await client.head("/download/k")).status == 405
    answers = await asyncio.gather(client.get("/download/k"), client.get("/download/k"))
    assert sorted(answer.status for answer in answers) == [200, 404]
    assert [await answer.read() for answer in answers if answer.status == 200] == [b"one two"]
    assert (await client.get("/download/k")).status == 404


async def test_an_empty_file_is_one(client: Any, server: Server) -> None:
    await offer(server, b"")
    answer = await client.get("/download/k")
    assert (answer.status, await answer.read()) == (200, b"")


@pytest.mark.parametrize("ended", [True, False])
async def test_the_file_of_a_session_that_does_not_answer_is_gone(client: Any, server: Server, ended: bool) -> None:
    await offer(server, ended=ended)
    assert (await client.get("/download/k")).status == 410
    assert not server._downloads._active_downloads and not server._downloads._sending


async def test_a_file_that_breaks_off_is_broken_for_the_browser(client: Any, server: Server) -> None:
    await offer(server, b"one ")
    answer = await client.get("/download/k")
    assert answer.status == 200
    with pytest.raises(aiohttp.ClientPayloadError):
        await answer.read()


async def test_a_session_that_ends_takes_its_files_along(client: Any, server: Server) -> None:
    await offer(server)
    await server._downloads.cancel_app_downloads("one")
    assert (await client.get("/download/k")).status == 410
