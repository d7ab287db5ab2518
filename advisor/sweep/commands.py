"""The commands of a sweep: words with placeholders for the parameters and the point's folder, run without a shell."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Mapping

from msgspec import Struct

from advisor.records.errors import UsageError

OUT = "out"
NAME = r"[A-Za-z_][A-Za-z0-9_]*"
# `{NAME}` is a placeholder, `{{NAME}}` is `{NAME}`; other braces are text.
_FIELD = re.compile(rf"\{{\{{({NAME})\}}\}}|\{{({NAME})\}}")
_OPERATORS = re.compile(r"(?:\|\|?|&&?|;|[0-9]?>>?.*|<<?.*)\Z|[^'\"]*;\Z")
_EXPANDED = re.compile(r"\$[A-Za-z_({]|`")
_ASSIGNED = re.compile(rf"{NAME}=")


class Part(Struct, frozen=True):
    """A piece of a word: text, or the name of a placeholder."""

    text: str
    placeholder: bool = False


class Command(Struct, frozen=True):
    """A command with placeholders. text: as the user wrote it; words: each a sequence of parts."""

    text: str
    words: tuple[tuple[Part, ...], ...]

    @property
    def names(self) -> frozenset[str]:
        """The names of its placeholders."""
        return frozenset(part.text for word in self.words for part in word if part.placeholder)

    def filled(self, values: Mapping[str, str]) -> tuple[str, ...]:
        """Return the words with the placeholders filled."""
        return tuple("".join(values[p.text] if p.placeholder else p.text for p in word) for word in self.words)

    def shell(self, values: Mapping[str, str]) -> str:
        """Return the command for a POSIX shell; the folder of the point is the variable `out`."""
        return " ".join(_quoted(word, values) for word in self.words)


def _quoted(word: tuple[Part, ...], values: Mapping[str, str]) -> str:
    """Return a word for the shell: text in quotes where needed, the variable between them."""
    out, text = [], ""
    for part in word:
        if part.placeholder and part.text == OUT:
            out += [shlex.quote(text)] if text else []
            out.append('"$out"')
            text = ""
        else:
            text += values[part.text] if part.placeholder else part.text
    out += [shlex.quote(text)] if text or not out else []
    return "".join(out)


def parse(option: str, text: str, names: Collection[str]) -> Command:
    """Parse the command of an option; names: the parameters. Raises UsageError if it needs a shell or another name."""
    try:
        words = shlex.split(text)
    except ValueError as e:
        raise UsageError(f"{option} {_cut(text)}: cannot be split into words: {str(e).lower()}") from None
    if not words:
        raise UsageError(f"{option} is empty: give a command")
    if any("\0" in word for word in words):
        raise UsageError(f"{option} {_cut(text)}: a command cannot contain a null character")
    _without_shell(option, text)
    known = {*names, OUT}
    command = Command(text, tuple(_parts(word) for word in words))
    for name in sorted(command.names - known):
        listed = ", ".join(f"{{{n}}}" for n in [*names, OUT])
        raise UsageError(f"{option}: {{{name}}} is not a placeholder: there are {listed}; {{{{{name}}}}} is the text")
    return command


def _parts(word: str) -> tuple[Part, ...]:
    out, at = [], 0
    for match in _FIELD.finditer(word):
        out.append(Part(word[at : match.start()]))
        out.append(Part(f"{{{match[1]}}}") if match[1] else Part(match[2], True))
        at = match.end()
    return tuple(part for part in (*out, Part(word[at:])) if part.text or part.placeholder)


def _without_shell(option: str, text: str) -> None:
    """Raise UsageError for what only a shell understands, outside quotes."""
    try:
        raw = shlex.split(text, posix=False)
    except ValueError:
        return
    how = "no shell runs it: write sh -c '…'"
    if _ASSIGNED.match(raw[0]):
        raise UsageError(f"{option} begins with {_cut(raw[0])}, but {how}, or env {_cut(raw[0], False)} …")
    for word in raw:
        plain = re.sub(r"'[^']*'", "", word)
        if _OPERATORS.match(plain) or _EXPANDED.search(plain):
            raise UsageError(f"{option} contains {_cut(word)}, but {how}")


def _cut(text: str, quoted: bool = True) -> str:
    short = text if len(text) <= 60 else f"{text[:60]}…"
    return repr(short) if quoted else short
