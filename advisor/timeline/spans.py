"""A set of time as intervals. `intervals` computes with them; this module loads no numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]
else:
    Array = Any  # the JSON schemas are made from the annotations of the records


class Spans(Struct, frozen=True, eq=False):
    """Disjoint intervals [start, end), sorted by time; adjacent ones are merged."""

    start: Array
    end: Array

    def __len__(self) -> int:
        return len(self.start)

    @property
    def length(self) -> int:
        """The total time of the intervals."""
        return int((self.end - self.start).sum())
