"""`replace` for the records of the program, whether dataclasses or msgspec structs."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")


def replace(record: T, /, **changes: Any) -> T:
    """The record with other values in some fields."""
    if isinstance(record, msgspec.Struct):
        return msgspec.structs.replace(record, **changes)
    return dataclasses.replace(record, **changes)  # type: ignore[type-var]
