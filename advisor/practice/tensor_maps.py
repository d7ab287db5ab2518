"""Encode the maps that tell the tensor memory accelerator (TMA) which boxes of an array to copy.

The driver encodes them (cuTensorMapEncodeTiled, CUDA driver API, tensor map object management). It is called through
ctypes: CuPy does not offer it, and NVIDIA's bindings are not needed for anything else on a machine with a GPU.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import numpy as np

from advisor.practice.api import TensorMap
from advisor.records.errors import UsageError

# CUtensorMap: 128 bytes, passed to a kernel by value.
_MAP = np.dtype([("opaque", np.uint64, 16)])
# CUtensorMapDataType of CUDA 12.
_TYPES = {"u1": 0, "u2": 1, "u4": 2, "i4": 3, "u8": 4, "i8": 5, "f2": 6, "f4": 7, "f8": 8}
_SWIZZLE_128B, _PROMOTE_256B = 3, 3
_ROW_BYTES = 128  # of a box, with this swizzle


def encoded(tensor_map: TensorMap, array: Any, cc: str) -> Any:
    """Return the argument of a kernel: an array of one structure of 128 bytes.

    array: on the GPU; cc: its compute capability. Before 9.0 there is no TMA, and the structure is zero. Raises
    UsageError if the driver refuses the map.
    """
    made = np.zeros(1, _MAP)
    if int(cc.partition(".")[0]) < 9:
        return made
    rows, columns = tensor_map.shape
    width = int(array.dtype.itemsize)
    what = f"the tensor map of {tensor_map.array}"
    kind = _TYPES.get(f"{array.dtype.kind}{width}")
    if kind is None:
        raise UsageError(f"{what}: there is no tensor map of {array.dtype}")
    if rows * columns != array.size or tensor_map.box[1] * width != _ROW_BYTES:
        raise UsageError(f"{what}: {rows} by {columns} elements in boxes of {tensor_map.box[1] * width} bytes a row")
    # The structure must begin at a multiple of 64 bytes.
    buffer = np.zeros(48, np.uint64)
    offset = -(buffer.ctypes.data // 8) % 8
    aligned = buffer[offset : offset + 16]
    status = _driver().cuTensorMapEncodeTiled(
        ctypes.c_void_p(aligned.ctypes.data),
        ctypes.c_int(kind),
        ctypes.c_uint32(2),
        ctypes.c_void_p(int(array.data.ptr)),
        (ctypes.c_uint64 * 2)(columns, rows),
        (ctypes.c_uint64 * 1)(columns * width),
        (ctypes.c_uint32 * 2)(tensor_map.box[1], tensor_map.box[0]),
        (ctypes.c_uint32 * 2)(1, 1),
        ctypes.c_int(0),  # not interleaved
        ctypes.c_int(_SWIZZLE_128B),
        ctypes.c_int(_PROMOTE_256B),
        ctypes.c_int(0),  # zeros beyond the array
    )
    if status != 0:
        raise UsageError(f"{what}: the driver refuses it (CUresult {status})")
    made.view(np.uint64)[:] = aligned
    return made


def _driver() -> Any:
    name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        library = ctypes.CDLL(name)
        library.cuTensorMapEncodeTiled  # noqa: B018 - drivers before CUDA 12 lack it
    except OSError:
        raise UsageError(f"{name}, the driver of the GPU, cannot be loaded") from None
    except AttributeError:
        raise UsageError(f"{name}, the driver of the GPU, makes no tensor maps: it is older than CUDA 12") from None
    return library
