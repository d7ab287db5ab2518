"""The program of a process that reads files for a triage: one file in, what it adds up to out, until nobody asks."""

from __future__ import annotations

import os
import struct
import sys
from typing import IO

import msgspec

_LENGTH = struct.Struct("<Q")


class Task(msgspec.Struct, frozen=True):
    """One file: where it is, and what the result calls it."""

    path: str
    label: str


class Answer(msgspec.Struct, frozen=True):
    """A part as examine_packed gives it, or what is wrong with the request itself, for which all must stop."""

    part: bytes = b""
    wrong: str = ""


def send(stream: IO[bytes], content: bytes) -> None:
    """One message: its length, then its bytes."""
    stream.write(_LENGTH.pack(len(content)))
    stream.write(content)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """The next message; None where the other side has gone."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    content = stream.read(length)
    return content if len(content) == length else None


def main() -> None:
    """Entry: first the settings, then one task after the other on standard input, answers on standard output."""
    out = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    # What a library prints must not get between the messages.
    os.dup2(nowhere, 1)
    settings = receive(sys.stdin.buffer)
    while settings is not None and (content := receive(sys.stdin.buffer)) is not None:
        task = msgspec.msgpack.decode(content, type=Task)
        try:
            send(out, msgspec.msgpack.encode(_answer(task, settings)))
        except BrokenPipeError:
            break
    os._exit(0)


def _answer(task: Task, settings: bytes) -> Answer:
    from advisor.errors import AdvisorError
    from advisor.pipelines.triage.one_file import examine_packed

    try:
        return Answer(part=examine_packed(task.path, task.label, settings))
    except AdvisorError as error:
        return Answer(wrong=str(error))
