"""Command-line options, declared as the fields of a dataclass.

@dataclass(frozen=True, kw_only=True)
class Options(Output, Knowledge):
    report: Path = argument(type=PATH)
    top: int = option("--top", default=10, help="Lines to show.")

@command(Options)
def source(options: Options) -> int: ...
"""

from __future__ import annotations

import inspect
import math
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import click

from advisor.cli import warn
from advisor.knowledge.loader import load
from advisor.lint.packs import sound_packs
from advisor.records import resources
from advisor.records.errors import KnowledgeError, UsageError

PATH = click.Path(path_type=Path)


class _Report(click.Path):
    """A report: a path, or the name of a bundled workload."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        return resources.example_or(Path(str(super().convert(value, param, ctx))))


class Finite(click.FloatRange):
    """A finite number in a range; click alone accepts `nan` and `inf`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number, or fail as click does."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


REPORT = _Report(path_type=Path)
_FILTER, _OWN, _OUTPUT, _KNOWLEDGE = range(4)  # the order of options in a command's help
_FOR_PROGRAMS = frozenset(("json", "sarif", "junit", "html", "markdown"))
T = TypeVar("T")


def option(*names: str, default: Any = None, place: int = _OWN, **attributes: Any) -> Any:
    """Declare a field as an option; `attributes` are passed to `click.Option`."""
    if attributes.get("multiple"):
        return field(default=(), metadata={"option": (names, attributes), "place": place})
    if default not in (None, False, ""):
        attributes.setdefault("show_default", True)
    return field(default=default, metadata={"option": (names, {"default": default, **attributes}), "place": place})


def flag(*names: str, **attributes: Any) -> Any:
    """Declare a field as a switch that is off by default."""
    return option(*names, default=False, is_flag=True, **attributes)


def argument(**attributes: Any) -> Any:
    """Declare a field as a positional argument; `attributes` are passed to `click.Argument`."""
    return field(metadata={"argument": attributes, "place": _OWN})


def formats(*names: str, place: int = _OUTPUT) -> Any:
    """Declare the field of `--format`; the first name is the default."""
    return option(
        "--format", default=names[0], type=click.Choice(names), callback=in_utf8, place=place, help="Output format."
    )


def in_utf8(ctx: click.Context, param: click.Parameter, form: str | None) -> str | None:
    """Write a format that programs read in UTF-8, which JSON and pages declare, whatever the user's locale."""
    if form in _FOR_PROGRAMS and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    return form


def kernel_pattern(text: str | None) -> re.Pattern[str] | None:
    """Compile the value of `--kernel`. Raises UsageError if it is not a regular expression."""
    try:
        return re.compile(text) if text is not None else None
    except re.error as e:
        raise UsageError(f"--kernel {text!r} is not a regular expression: {e}") from None


def clock_control() -> Any:
    """Declare the field of `--clock-control`."""
    words = "ncu's own option: `base` locks the clocks while profiling, `none` does not."
    return option("--clock-control", default="base", type=click.Choice(["base", "none"]), help=words)


def command(
    options: type[T], name: str | None = None, **attributes: Any
) -> Callable[[Callable[[T], int]], click.Command]:
    """Turn a function that takes its options as one object into a command; its docstring is the help text."""

    def made(function: Callable[[T], int]) -> click.Command:
        return click.Command(
            name or function.__name__,
            params=_parameters(options),
            callback=lambda **values: function(options(**values)),
            help=inspect.getdoc(function),
            **attributes,
        )

    return made


def _parameters(options: Any) -> list[click.Parameter]:
    out: list[click.Parameter] = []
    for each in sorted(fields(options), key=lambda f: f.metadata["place"]):
        if "argument" in each.metadata:
            out.append(click.Argument([each.name], **each.metadata["argument"]))
        else:
            names, attributes = each.metadata["option"]
            out.append(click.Option([*names, each.name], **attributes))
    return out


def _lint(ctx: click.Context, param: click.Parameter, folders: tuple[Path, ...]) -> tuple[Path, ...]:
    """Check a team's folders before the knowledge in them is used, raise the first mistake, and add installed packs."""
    if ctx.resilient_parsing:  # a shell asks for completions, at each Tab
        return folders
    if folders:
        # The linter imports NumPy, which commands without --knowledge should not load.
        module = import_module("advisor.lint.lint")
        for mistake in module.lint([resources.folder("knowledge"), *folders], about=folders):
            if mistake.severity == "error" and any(mistake.file.is_relative_to(f) for f in folders):
                raise KnowledgeError(f"{mistake.file}:{mistake.line}: {mistake.text}")
    return (*folders, *sound_packs(folders, warn))


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """The option `--knowledge`."""

    knowledge: tuple[Path, ...] = option(
        "--knowledge",
        multiple=True,
        type=PATH,
        callback=_lint,
        metavar="DIR",
        place=_KNOWLEDGE,
        help="Add a team's own rules to those of installed packs; repeatable.",
    )


@dataclass(frozen=True, kw_only=True)
class Output:
    """The option `--out`."""

    out: Path | None = option(
        "--out", type=PATH, metavar="FILE", place=_OUTPUT, help="Write to FILE instead of stdout."
    )


@dataclass(frozen=True, kw_only=True)
class Launches:
    """The options `--kernel`, `--answers` and `--gpu`; the last two complete a report."""

    kernel: str | None = option(
        "--kernel", metavar="REGEX", place=_FILTER, help="Only launches whose kernel name matches."
    )
    answers: Path | None = option(
        "--answers", type=PATH, metavar="FILE.yaml", place=_FILTER, help="A YAML file of session answers."
    )
    gpu: str | None = option("--gpu", metavar="NAME", place=_FILTER, help="The GPU, if the report does not name it.")

    @property
    def given(self) -> dict[str, float | str] | None:
        """The answers: question id (or metric id) -> value. Raises KnowledgeError with file and line."""
        return load(self.answers, dict[str, Any]) if self.answers is not None else None

    @property
    def pattern(self) -> re.Pattern[str] | None:
        """The compiled `--kernel`. Raises UsageError if it is not a regular expression."""
        return kernel_pattern(self.kernel)


@dataclass(frozen=True, kw_only=True)
class Strict:
    """The option `--strict`."""

    strict: bool = flag("--strict", place=_OUTPUT, help="Exit with 2 if any input is incomplete or unreadable.")
