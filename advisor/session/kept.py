"""Sessions that the program kept by itself, in words: what they are about, how far they went, when that was."""

from __future__ import annotations

from pathlib import PurePosixPath

from advisor.session.transcripts import serialize
from advisor.session.transcripts.autosave import Kept
from advisor.view.numbers import plural
from advisor.view.text import shown

_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86400.0


def title(one: Kept) -> str:
    """What it is about: the names of its files, or that numbers were typed."""
    names = [shown(PurePosixPath(path.replace("\\", "/")).name) for path in one.paths]
    if not names:
        return "numbers typed by hand"
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def remark(one: Kept, now: float) -> str:
    """How far it went and when that was; now: seconds since the epoch."""
    parts = [_count(one.answers, "answer")] if one.answers else []
    return ", ".join([*parts, _count(one.deeds, "step"), ago(now - one.modified)])


def ago(seconds: float) -> str:
    """How long ago, in the words that people use."""
    if seconds < _MINUTE:
        return "just now"
    for unit, name, most in ((_MINUTE, "minute", _HOUR), (_HOUR, "hour", _DAY)):
        if seconds < most:
            return serialize.AGO.format(time=_count(int(seconds / unit), name))
    days = int(seconds / _DAY)
    return "yesterday" if days == 1 else serialize.AGO.format(time=_count(days, "day"))


def _count(number: int, what: str) -> str:
    return f"{number} {plural(number, what)}"
