"""How many GPUs the NVIDIA driver lends, asked of the driver itself, without CuPy. Only the standard library."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from typing import Any, Final

_LIBRARY: Final = "nvcuda.dll" if os.name == "nt" else "libcuda.so.1"


def devices(load: Callable[[str], Any] = ctypes.CDLL) -> int | None:
    """The GPUs that can be used here, 0 where the driver lends none; None where no driver is installed.

    cuInit fails without a device, with all of them hidden (CUDA_VISIBLE_DEVICES), and in a driver that does not run.
    """
    try:
        driver = load(_LIBRARY)
        count = ctypes.c_int(0)
        if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
            return 0
    except (OSError, AttributeError):
        return None
    return max(0, count.value)
