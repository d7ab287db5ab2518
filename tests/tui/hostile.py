"""Names as a malicious or unlucky file may hold them, and a session whose every name is such a one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from advisor.records.readings import ReportInfo
from advisor.timeline.analyse import analyse as analyse_traces
from tests.changed import replace
from tests.timeline.generator import MS, US, Planted
from tui import factory
from tui.code_factory import CODE, TEXT, listing, locator

NAMES = {
    "markup": "[bold red]x[/bold red][link=http://evil]y[/ [@click=app.quit]q[/]",
    "ansi": "a\x1b[2J\x1b[31mred\x1b]0;title\x07\x9b5n\x1bP+q\x1b\\b",
    "direction": "safe\u202egnp.exe\u2066\u200f\u061c z\u200be\u200dr\ufeffo\u00ad\u2060 \u180e end",
    "control": "n\x00u\x01l\ttab\r\nline\x0b\x0c\x7f\x85 \u2028 \u2029 h\ud800a\udfffl\udce9f",
    "stacked marks": "s" + "\u0301\u0336\u20dd" * 400 + "t",
    "wide": "核函数カーネル🧪👩‍👩‍👧‍👦" * 8,
    "long": "L" * 10_000,
}
# Of records: what a file gives. The ids that our rules give are not the file's to choose.
_FROM_FILES = (
    "kernel",
    "kernel_full",
    "gpu_name",
    "known_as",
    "path",
    "title",
    "because",
    "summary",
    "costs",
    "says",
    "ask",
)


def poison(value: Any, name: str) -> Any:
    """The record, and all within it, with the name in the place of every text that comes from a file."""
    if isinstance(value, tuple):
        return tuple(poison(item, name) for item in value)
    if isinstance(value, type) or not (isinstance(value, msgspec.Struct) or is_dataclass(value)):
        return value
    own = value.__struct_fields__ if isinstance(value, msgspec.Struct) else [f.name for f in fields(value) if f.init]
    changes = {}
    for field in own:
        now = getattr(value, field)
        changes[field] = name if field in _FROM_FILES and isinstance(now, str) else poison(now, name)
    return replace(value, **changes)


class Judged(factory.Analysis):
    """The analysis of the factory, its proofs poisoned."""

    name = ""

    def how(self, position: int, finding_id: str) -> Any:
        return poison(super().how(position, finding_id), self.name)

    def why_not(self, position: int, finding_id: str) -> Any:
        return poison(super().why_not(position, finding_id), self.name)

    def what_if(self, position: int, values: Any) -> Any:
        return poison(super().what_if(position, values), self.name)


def analyse(name: str) -> Callable[..., Any]:
    """A source of launches that are called so, in a file that is called so."""
    made = poison(factory.diagnosis(), name)
    report = ReportInfo(name, "0" * 64, name, "ncu-rep", problems=(name,))
    judged = Judged(replace(made, reports=(report,)))
    judged.name = name
    return lambda paths, gpu, progress: judged


@cache
def trace(name: str, folder: Path) -> Any:
    """A timeline whose kernels, ranges and file are called so."""
    stored = name.encode("utf-8", "replace").decode()
    planted, at = Planted(), MS
    for turn in range(40):
        asked = at
        planted.call(stored, asked, asked + 5 * US)
        at = planted.kernel(at + 20 * US, 300 * US, stored, stored, asked=asked) + (
            2 * MS if turn % 4 == 0 else 10 * US
        )
        at = planted.copy(at, 200 * US, pageable=True) + 5 * US
        planted.range(stored, asked, at)
    return poison(analyse_traces([planted.write(folder / "t.sqlite")]), name)


def sources(name: str, folder: Path) -> dict[str, Any]:
    """All that a session is made of, with this name wherever a file has a say."""
    text = "\n".join(f"{line} // {name}" for line in TEXT.splitlines())
    code = tuple((f"{row[0]} ; {name}"[:5000], *row[1:]) for row in CODE)
    return {
        "analyse": analyse(name),
        "locate": locator(listing(file=name, text=text, code=code)),
        "trace": lambda paths, progress: trace(name, folder),
        "explain": lambda word: factory.explanation(word, f"{name}\n{name}"),
        "practise": lambda request, progress: fail(name),
        "write": lambda request, state: name,
    }


def fail(name: str) -> Any:
    """Work that fails with such a name in its message."""
    from advisor.records.errors import InputError

    raise InputError(f"{name} is cut off")
