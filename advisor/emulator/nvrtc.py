"""Compile with NVRTC in a child process, since a source can make the compiler crash, never end or take all memory.

The child compiles one source after another, and ends with this program. `main` is what it runs.
"""

from __future__ import annotations

import atexit
import base64
import contextlib
import json
import os
import threading
from collections.abc import Callable
from typing import Any

from advisor.records.child import Child, claim_output, limit_memory, lines_in, python_command, schedule_of

_MEMORY = 2_000_000_000  # bytes of address space of the child
_START_S = 25.0  # to load the library
# For one source. Kernels take tenths of a second, and those with the largest headers some seconds.
_COMPILE_S = 25.0
_MOST_S = 120.0  # where the machine is busy with other things


class NvrtcChild:
    """The child process; safe to use from several threads, one after the other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._owner = 0

    def compile(self, text: str, name: str, arch: str, options: tuple[str, ...]) -> tuple[bytes | None, str]:
        """Return the cubin and the log, or None and the first words of the log or why the compiler ended."""
        with self._lock:
            # A child that compiled before may have ended with the thread that started it, or be short of memory.
            answer, why = self._ask(text, name, arch, options)
            if answer is None and not why:
                answer, why = self._ask(text, name, arch, options)
        if answer is None:
            return None, why or "the compiler cannot be started"
        cubin = answer["cubin"]
        return base64.b64decode(cubin) if cubin is not None else None, answer["log"]

    def starts(self) -> bool:
        """Return whether NVRTC is installed and can be loaded."""
        with self._lock:
            return self._started() is not None

    def _started(self) -> Child | None:
        if self._child is None or self._owner != os.getpid():  # after a fork it belongs to the other process
            try:
                child = Child(python_command("advisor.emulator.nvrtc"))
            except OSError:
                return None
            try:
                ready = _next(child, _START_S) == b"ready"
            except TimeoutError:
                ready = False
            if not ready:
                child.close()
                return None
            self._child, self._owner = child, os.getpid()
        return self._child

    def _ask(self, text: str, name: str, arch: str, options: tuple[str, ...]) -> tuple[dict[str, Any] | None, str]:
        """Return the answer, or None and why there is none: '' if a new child may have one."""
        kept = self._child is not None and self._owner == os.getpid()
        child = self._started()
        if child is None:
            return None, ""
        child.send(json.dumps([text, name, arch, options]).encode())
        try:
            line = _next(child, _COMPILE_S)
        except TimeoutError:
            self._end()
            return None, f"the compiler did not end within {_COMPILE_S:.0f} s"
        except BaseException:
            self._end()  # else its answer would be taken for that of the next source
            raise
        if line is not None:
            return json.loads(line), ""
        code = self._end()
        if kept:
            return None, ""
        ended = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        return None, f"the compiler crashed or needs more than {_MEMORY / 1e9:.0f} GB ({ended})"

    def _end(self) -> int | None:
        child, self._child = self._child, None
        return child.close() if child is not None else None

    def close(self) -> None:
        """End the child, if this process has one."""
        if self._child is not None and self._owner == os.getpid():
            self._end()


def _next(child: Child, seconds: float) -> bytes | None:
    """Return the next line, None at the end. Raises TimeoutError; time in which the machine is busy does not count."""
    used, given = schedule_of(child.pid)[1], 0.0
    while True:
        child.allow(seconds)
        try:
            while (found := child.read()) is not None:
                if found[1]:
                    return found[0]
            return None
        except TimeoutError:
            given += seconds
            if given >= _MOST_S or not child.starves(seconds, used):
                raise


CHILD = NvrtcChild()
atexit.register(CHILD.close)


def main() -> None:
    """Answer each line, a JSON list of text, name, architecture and options, by a JSON object of cubin and log."""
    send = claim_output()
    limit_memory(_MEMORY)
    compiled = _library()
    if compiled is None:
        return
    with contextlib.suppress(OSError):
        send(b"ready")
        for line in lines_in():
            try:
                cubin, log = compiled(*json.loads(line))
            except MemoryError:
                cubin, log = None, f"the compiler needs more than {_MEMORY / 1e9:.0f} GB"
            packed = base64.b64encode(cubin).decode() if cubin is not None else None
            send(json.dumps({"cubin": packed, "log": log}).encode())


def _library() -> Callable[..., tuple[bytes | None, str]] | None:
    try:
        from cuda.bindings import nvrtc as lib

        lib.nvrtcVersion()
    except Exception:  # It or its library is not installed; the bindings raise several kinds of exceptions.
        return None

    def compiled(text: str, name: str, arch: str, options: list[str]) -> tuple[bytes | None, str]:
        code, label = (t.encode("utf-8", "surrogateescape") for t in (text, name))
        _, program = lib.nvrtcCreateProgram(code, label, 0, [], [])
        try:
            (status,) = lib.nvrtcCompileProgram(program, len(options), [option.encode() for option in options])
            _, size = lib.nvrtcGetProgramLogSize(program)
            log = b" " * size
            lib.nvrtcGetProgramLog(program, log)
            said = log.rstrip(b"\0 ").decode("utf-8", "replace")
            if status != lib.nvrtcResult.NVRTC_SUCCESS:
                return None, said or f"this NVRTC does not support {arch}"
            _, size = lib.nvrtcGetCUBINSize(program)
            cubin = b" " * size
            lib.nvrtcGetCUBIN(program, cubin)
            return cubin, said
        finally:
            lib.nvrtcDestroyProgram(program)

    return compiled
