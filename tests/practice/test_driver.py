"""Whether a GPU can be used, asked of the driver without CuPy, and what is said first where CuPy is missing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from advisor.practice.failures import of_import
from advisor.practice.worker import devices


def driver(code: int, count: int) -> Any:
    """libcuda as far as it is asked: what cuInit returns, and how many GPUs there are."""

    def counted(at: Any) -> int:
        at._obj.value = count
        return 0

    return lambda name: SimpleNamespace(cuInit=lambda flags: code, cuDeviceGetCount=counted)


def absent(name: str) -> Any:
    raise OSError(f"{name}: cannot open shared object file")


@pytest.mark.parametrize(
    ("load", "found", "kind", "first"),
    [
        (absent, None, "no_gpu", "no NVIDIA driver is installed here"),
        (lambda name: SimpleNamespace(), None, "no_gpu", "no NVIDIA driver is installed here"),
        (driver(100, 0), 0, "no_gpu", "no NVIDIA GPU can be used here"),
        (driver(0, 0), 0, "no_gpu", "no NVIDIA GPU can be used here"),
        (driver(0, 2), 2, "no_cupy", "CuPy is not installed"),
    ],
)
def test_a_missing_gpu_is_named_before_a_missing_cupy(load: Any, found: int | None, kind: str, first: str) -> None:
    assert devices(load) == found
    failure = of_import(ModuleNotFoundError("No module named 'cupy'", name="cupy"), found)
    assert failure.kind == kind and failure.words.startswith(first)
    assert "`pip install '.[cuda13]'`" in failure.words and "'.[cuda12]'" in failure.words
