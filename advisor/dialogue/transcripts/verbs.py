"""Deeds as data and back: a stable verb for each, its fields by name. Outcomes are not written, they are worked out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, Final, get_args

import msgspec

from advisor.dialogue import deeds as d

CANCEL: Final = "cancel"
VERBS: Final[Mapping[str, type[d.Deed]]] = {
    "begin": d.Began,
    "launch": d.LaunchSelected,
    "launches": d.LaunchesShown,
    "finding": d.FindingShown,
    "fix": d.FixShown,
    "evidence": d.EvidenceShown,
    "missing": d.MissingShown,
    "ask": d.Asked,
    "answer": d.Answered,
    "skip": d.Skipped,
    "napkin": d.NapkinBegun,
    "numbers": d.NumbersContinued,
    "conclude": d.ConclusionShown,
    "why": d.WhyAsked,
    "how": d.HowAsked,
    "whynot": d.WhyNotAsked,
    "whatif": d.WhatIfAsked,
    "explain": d.ExplainAsked,
    "help": d.HelpAsked,
    "unclear": d.NotUnderstood,
    CANCEL: d.Cancelled,
    "retry": d.Retried,
    "steps": d.StepsShown,
    "goto": d.StepShown,
    "expect": d.Expected,
    "volunteer": d.Volunteered,
    "report": d.ReportGiven,
    "version": d.VersionBegun,
    "log": d.LogShown,
    "trace": d.TraceGiven,
    "collect": d.CollectShown,
    "write": d.WriteAsked,
    "practise": d.Practised,
    "view": d.ViewShown,
    "leave": d.ViewLeft,
    "source": d.SourceSought,
    "suppose": d.Supposed,
    "quit": d.Quit,
}
_VERB_OF: Final = {kind: verb for verb, kind in VERBS.items()}
DEEDS: Final[tuple[type, ...]] = get_args(d.Deed)


class UnknownVerbError(Exception):
    """A verb that this version does not know."""


def verb_of(deed: d.Deed) -> str:
    """The verb of a deed; a kind that the table lacks goes by its class's name in small letters."""
    return _VERB_OF.get(type(deed), type(deed).__name__.casefold())


def encode(deed: d.Deed) -> dict[str, Any]:
    """The deed as plain JSON data, fields at their default left out. A value that is no finite number becomes null."""
    out: dict[str, Any] = {"do": verb_of(deed)}
    if isinstance(deed, d.Cancelled):
        return out  # what is called off is always the first of what is waited for
    for one in fields(deed):
        value = getattr(deed, one.name)
        if one.default is MISSING or value != one.default:
            out[one.name] = _plain(value)
    return out


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def decode(data: Mapping[str, Any]) -> d.Deed | None:
    """The deed of such data; None for `cancel`, whose request only the state knows.

    UnknownVerbError for a verb that this version lacks, ValueError with a few words where the fields do not fit.
    """
    verb = data.get("do")
    kind = VERBS.get(verb) if isinstance(verb, str) else None
    if kind is None:
        kind = next((k for k in DEEDS if k not in _VERB_OF and k.__name__.casefold() == verb), None)
    if kind is None:
        raise UnknownVerbError(str(verb)[:40])
    if kind is d.Cancelled:
        return None
    names = {one.name for one in fields(kind)}
    try:
        made: d.Deed = msgspec.convert({k: v for k, v in data.items() if k in names}, kind)
    except (msgspec.ValidationError, TypeError, OverflowError, RecursionError) as problem:
        raise ValueError(str(problem)[:120]) from None
    return made
