"""ncu-advisor: finds out why a CUDA kernel is slow and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from advisor.readers.read import read
    from advisor.reasoning.diagnose import diagnose
    from advisor.records.diagnosis import Diagnosis

__version__ = "0.2.0"
__all__ = ["Diagnosis", "__version__", "diagnose", "read"]


def __getattr__(name: str) -> Any:
    # Lazy, so that `--help` does not pay for pandas.
    if name == "read":
        from advisor.readers.read import read

        return read
    if name == "diagnose":
        from advisor.reasoning.diagnose import diagnose

        return diagnose
    if name == "Diagnosis":
        from advisor.records.diagnosis import Diagnosis

        return Diagnosis
    raise AttributeError(name)
