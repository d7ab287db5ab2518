"""One door for every form of a profile: `read` makes a frame of metrics out of a file, or refuses it in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from advisor.reports.door import read, read_many
    from advisor.reports.instances import LaunchCode, read_code, read_instances
    from advisor.reports.limits import Limits
    from advisor.reports.sniffing import sniff

__all__ = ["LaunchCode", "Limits", "read", "read_code", "read_instances", "read_many", "sniff"]

_HOMES = {
    "LaunchCode": "advisor.reports.instances",
    "Limits": "advisor.reports.limits",
    "read": "advisor.reports.door",
    "read_code": "advisor.reports.instances",
    "read_instances": "advisor.reports.instances",
    "read_many": "advisor.reports.door",
    "sniff": "advisor.reports.sniffing",
}


def __getattr__(name: str) -> Any:
    # Lazy: the child process imports its own module of this package and must not pay for the others.
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(name)
