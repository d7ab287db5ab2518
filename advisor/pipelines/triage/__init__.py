"""Whole folders of reports: which kernels to fix first, by the time that a fix gives back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from advisor.pipelines.triage.application import Application, applications
    from advisor.pipelines.triage.one_file import Settings, examine
    from advisor.pipelines.triage.results import Cause, Group, Report, Totals, Triage
    from advisor.pipelines.triage.run import Progress, triage

__all__ = [
    "Application",
    "Cause",
    "Group",
    "Progress",
    "Report",
    "Settings",
    "Totals",
    "Triage",
    "applications",
    "examine",
    "triage",
]

_HOMES = {
    "application": ("Application", "applications"),
    "one_file": ("Settings", "examine"),
    "results": ("Cause", "Group", "Report", "Totals", "Triage"),
    "run": ("Progress", "triage"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    # Lazy: a process that reads files needs neither the ledger nor the pool.
    if name in _HOME:
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(name)
