"""The driver's own copy from one array on the device to another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def prepare(cp: Any, data: dict[str, Any], out: dict[str, Any], n: dict[str, int], kernel: Callable[[str], Any]) -> Any:
    """One copy as a function."""
    source, target, size = data["x"].data.ptr, out["y"].data.ptr, data["x"].nbytes

    def run() -> None:
        stream = cp.cuda.get_current_stream().ptr
        cp.cuda.runtime.memcpyAsync(target, source, size, cp.cuda.runtime.memcpyDeviceToDevice, stream)

    return run
