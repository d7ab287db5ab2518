"""Exported files on their way to a browser, which tell a whole file from one that broke off."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Final

from textual_serve.download_manager import Download, DownloadManager

_CHUNK: Final = 1 << 16  # bytes
_CHUNK_S: Final = 4.0  # seconds that a session has to send a chunk


class BrokenOffError(Exception):
    """The session has ended or does not answer: the rest of the file will not come."""


class Downloads(DownloadManager):
    """The files that sessions have exported, each of which is sent once."""

    def __init__(self) -> None:
        super().__init__()
        self._sending: set[str] = set()

    def take(self, key: str) -> Download | None:
        """Return the file of a key, for the first that asks; None for any other, or if there is none."""
        if key in self._sending or key not in self._active_downloads:
            return None
        self._sending.add(key)
        return self._active_downloads[key]

    async def download(self, delivery_key: str) -> AsyncGenerator[bytes, None]:
        """Yield the parts of a file that was taken. Raises BrokenOffError."""
        about = self._active_downloads[delivery_key]
        wanted: dict[str, str | int | bool | None] = {
            "type": "deliver_chunk_request",
            "key": delivery_key,
            "size": _CHUNK,
            "name": about.name,
        }
        try:
            while True:
                try:
                    async with asyncio.timeout(_CHUNK_S):
                        sent = await about.app_service.send_meta(wanted)
                        chunk = await about.incoming_chunks.get() if sent else None
                except TimeoutError:
                    chunk = None
                if chunk is None:  # as the queue has it, too, when a session ends
                    raise BrokenOffError
                if not chunk:
                    return
                yield chunk
        finally:
            del self._active_downloads[delivery_key]
            self._sending.discard(delivery_key)
