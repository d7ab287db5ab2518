"""Failures of programs, each with its message, and the messages of compilers. Uses only the standard library."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Remark:
    """A compiler message about a line of the learner's file. severity: error, warning or similar."""

    file: str
    line: int
    severity: str
    text: str


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure: its kind for programs, a line for people, the compiler's remarks and the raw detail."""

    kind: str
    words: str
    remarks: tuple[Remark, ...] = ()
    detail: str = ""


_REMARK = re.compile(r"^(.+?)\((\d+)\): (catastrophic error|error|warning|remark)(?: #[\w-]+)?: (.*)$")


# Lines of compilers and linkers with another form that name an error.
_FAILS = re.compile(r"(?i)\b(?:error|fatal|undefined reference|unresolved|not found|no such file|no rule to make)\b")
_LONGEST = 300  # characters of such a line


def remarks(log: str) -> tuple[Remark, ...]:
    """Parse an NVRTC or nvcc log, errors first; each remark has the file and line that `#line` set."""
    found = []
    for row in log.splitlines():
        match = _REMARK.match(row.strip())
        if match:
            severity = "error" if match[3] == "catastrophic error" else match[3]
            found.append(Remark(match[1], int(match[2]), severity, match[4]))
    return tuple(sorted(found, key=lambda r: r.severity != "error"))


def compile_failure(log: str, source: str) -> Failure:
    """Return the failure of a source that did not compile: its first error with file and line."""
    said = remarks(log)
    errors = [r for r in said if r.severity == "error"]
    if errors:
        first = errors[0]
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        words = f"{Path(first.file).name}:{first.line}: error: {first.text}{more}"
    elif too := re.search(r"ptxas (?:error|fatal)\s*: (.*)", log):
        words = f"{Path(source).name}: {too[1]}"
    else:
        rows = [row.strip() for row in log.splitlines() if row.strip()] or ["no reason given"]
        said_so = next((row for row in rows if _FAILS.search(row)), rows[0])
        words = f"{Path(source).name}: does not compile: {said_so[:_LONGEST]}"
    return Failure("compile", words, said, log)
