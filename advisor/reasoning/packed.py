"""The diagnoses of thousands of launches, packed: in a file without a name, or in memory where there is no room."""

from __future__ import annotations

import errno
import io
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import BinaryIO, overload

import msgspec

from advisor.records.diagnosis import LaunchDiagnosis

_LEVEL = 1  # of compression: a third of the size in less time than it takes to reason about a launch


class PackedLaunches(Sequence[LaunchDiagnosis]):
    """Launches in the order in which they were added; each access makes a new record. A context manager."""

    def __init__(self) -> None:
        self._spans: list[tuple[BinaryIO, int, int]] = []
        self._encoder = msgspec.msgpack.Encoder()
        self._decoder = msgspec.msgpack.Decoder(LaunchDiagnosis)
        self._files: list[BinaryIO] = []
        try:
            self._files.append(tempfile.TemporaryFile(buffering=0))  # noqa: SIM115 - closed by __exit__
        except OSError:
            self._files.append(io.BytesIO())

    def __enter__(self) -> PackedLaunches:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for file in self._files:
            file.close()

    def add(self, launch: LaunchDiagnosis) -> None:
        """Append a launch."""
        self._spans.append(self._written(launch))

    def replace(self, at: int, launch: LaunchDiagnosis) -> None:
        """Put another launch at a position."""
        self._spans[at] = self._written(launch)

    def _written(self, launch: LaunchDiagnosis) -> tuple[BinaryIO, int, int]:
        packed = zlib.compress(self._encoder.encode(launch), _LEVEL)
        try:
            return self._put(packed)
        except OSError:  # no space is left on the disk
            self._files.append(io.BytesIO())
            return self._put(packed)

    def _put(self, packed: bytes) -> tuple[BinaryIO, int, int]:
        file = self._files[-1]
        start = file.seek(0, io.SEEK_END)
        if file.write(packed) != len(packed):  # without a buffer, a full disk is found here
            raise OSError(errno.ENOSPC, "no space is left")
        return file, start, len(packed)

    def __len__(self) -> int:
        return len(self._spans)

    def __iter__(self) -> Iterator[LaunchDiagnosis]:
        return (self[at] for at in range(len(self)))

    @overload
    def __getitem__(self, at: int) -> LaunchDiagnosis: ...

    @overload
    def __getitem__(self, at: slice) -> list[LaunchDiagnosis]: ...

    def __getitem__(self, at: int | slice) -> LaunchDiagnosis | list[LaunchDiagnosis]:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(len(self)))]
        file, start, size = self._spans[at]
        file.seek(start)
        return self._decoder.decode(zlib.decompress(file.read(size)))
