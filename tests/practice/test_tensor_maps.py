"""Maps of boxes for the TMA: what is refused before the driver is asked, and how sources ask for their target."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from advisor.emulator.compile import target_of
from advisor.practice import tensor_maps
from advisor.practice.api import TensorMap
from advisor.records.errors import UsageError

MAP = TensorMap("a", (256, 512), box=(128, 64))


def array(shape: tuple[int, ...] = (256, 512), dtype: Any = np.float16) -> Any:
    made = np.zeros(shape, dtype)
    return SimpleNamespace(dtype=made.dtype, size=made.size, data=SimpleNamespace(ptr=0x7F0000000000))


class Driver:
    """Stands for the driver's library: keeps what it is asked for, and writes a mark into the map."""

    def __init__(self, status: int = 0) -> None:
        self.status, self.asked = status, []

    def cuTensorMapEncodeTiled(self, at: Any, *rest: Any) -> int:  # noqa: N802 - the driver's name
        self.asked = list(rest)
        assert at.value % 64 == 0, "the driver wants an aligned structure"
        ctypes.memset(at.value, 0x5A, 128)
        return self.status


def test_the_driver_gets_sizes_strides_and_box_of_the_innermost_dimension_first(monkeypatch: Any) -> None:
    driver = Driver()
    monkeypatch.setattr(tensor_maps, "_driver", lambda: driver)
    made = tensor_maps.encoded(MAP, array(), "9.0")
    assert made.shape == (1,) and made.dtype.itemsize == 128 and set(made.tobytes()) == {0x5A}
    kind, rank, _, sizes, strides, box, steps, *_ = driver.asked
    assert (kind.value, rank.value) == (6, 2)  # CU_TENSOR_MAP_DATA_TYPE_FLOAT16
    assert [list(x) for x in (sizes, strides, box, steps)] == [[512, 256], [1024], [64, 128], [1, 1]]


def test_before_hopper_the_map_is_empty_and_no_driver_is_asked(monkeypatch: Any) -> None:
    monkeypatch.setattr(tensor_maps, "_driver", lambda: pytest.fail("asked"))
    assert not any(tensor_maps.encoded(MAP, array(), "8.6").tobytes())


@pytest.mark.parametrize("given", [array((256, 511)), array(dtype=np.float32)])
def test_a_map_that_does_not_fit_its_array_is_refused(given: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(tensor_maps, "_driver", lambda: pytest.fail("asked"))
    with pytest.raises(UsageError, match="tensor map of a"):
        tensor_maps.encoded(MAP, given, "9.0")


def test_what_the_driver_refuses_is_said(monkeypatch: Any) -> None:
    monkeypatch.setattr(tensor_maps, "_driver", lambda: Driver(801))
    with pytest.raises(UsageError, match="CUresult 801"):
        tensor_maps.encoded(MAP, array(), "9.0")


@pytest.mark.parametrize(
    ("text", "arch", "target"),
    [
        ("#ifdef __CUDA_ARCH_FEAT_SM90_ALL\n#endif", "sm_90", "sm_90a"),
        ("#ifdef __CUDA_ARCH_FEAT_SM90_ALL\n#endif", "sm_100", "sm_100"),
        ("#if __CUDA_ARCH__ >= 900\n#endif", "sm_90", "sm_90"),
    ],
)
def test_a_source_asks_for_the_target_of_one_architecture(text: str, arch: str, target: str) -> None:
    assert target_of(text, arch) == target
