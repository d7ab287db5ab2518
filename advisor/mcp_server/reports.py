"""The reports that the server may read: confined to one folder, each analysed once while its file is unchanged."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final

from advisor.compare.side import Side, parse_side
from advisor.practice.emulated_source import source_text
from advisor.reasoning.diagnose import analyse
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.records.errors import UsageError
from advisor.source.locate import locate_findings
from advisor.view.text import cut

if TYPE_CHECKING:
    from advisor.reasoning.analysis import Analysis

_KEPT: Final = 4  # analyses in memory; one of 40 launches takes about 20 MB
_NAME: Final = 200  # characters of a path in a message
# What a directive reads, after its comments and continued lines are gone; `%:` is another way to write `#`.
_DIRECTIVE: Final = re.compile(
    r"^[^\S\n]*(?:#|%:)[^\S\n]*(?:include|include_next|import|embed)\b[^\S\n]*(.*?)[^\S\n]*$", re.M
)
_HEADER: Final = re.compile(r"<[A-Za-z0-9_][A-Za-z0-9_./+-]*>")
_COMMENT: Final = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
# Path, size, time of the last change (ns): a file with other values is read again.
_Key = tuple[Path, int, int]


class Reports:
    """Reports below one folder, with the rules of `knowledge`; safe to use from several threads."""

    def __init__(self, root: Path, knowledge: tuple[Path, ...] = ()) -> None:
        """Take the folder that may be read. Raises UsageError if it is none."""
        self.root = root.resolve()
        self.knowledge = knowledge
        if not self.root.is_dir():
            raise UsageError(f"--root {root}: there is no such folder")
        self._analyses: OrderedDict[_Key, Analysis] = OrderedDict()
        self._lock = Lock()

    def side(self, text: str) -> Side:
        """Return the report, and the launch of `REPORT#3`. Raises UsageError if it is not a file below the root.

        A relative path is relative to the root. Links are followed before the check, so a link out of the root is
        refused too.
        """
        with _named(text):
            side = parse_side(str(self.root / text))
        return Side(self._confined(side.path, text), side.launch)

    def source(self, text: str) -> tuple[Path, str]:
        """Return a CUDA source below the root, with the checks of `side`, and the text that was checked.

        Raises UsageError too if it includes more than headers of the toolkit: the compiler would read any file of this
        machine, and name in its messages what it found there.
        """
        path = self._confined(self.root / text, text)
        content = source_text(path)
        plain = _plain(content)
        if "__has_" in plain or "##" in plain or "%:%:" in plain:
            raise UsageError(
                f"{cut(text, _NAME)!r} has `__has_…` or joins names by `##`, which could ask for any file: this server "
                "compiles sources without them, and with headers of the CUDA toolkit alone"
            )
        for directive in _DIRECTIVE.findall(plain):
            if not _HEADER.fullmatch(directive) or ".." in directive:
                raise UsageError(
                    f"{cut(text, _NAME)!r} includes {cut(directive, _NAME)!r}: this server compiles one file, with "
                    "headers of the CUDA toolkit in angle brackets alone"
                )
        return path, content

    def _confined(self, path: Path, text: str) -> Path:
        """Return a path without links, which is a file below the root; `text` is how the client named it."""
        with _named(text):
            path = path.resolve()
        if not path.is_relative_to(self.root):
            raise UsageError(f"{cut(text, _NAME)!r} is outside the folder that this server may read")
        if not _is_file(path):
            raise UsageError(
                f"{cut(text, _NAME)!r}: there is no such file below the folder of this server; {self._nearby()}"
            )
        return path

    def shown(self, path: Path) -> str:
        """Return a path as the client knows it: relative to the root."""
        return path.relative_to(self.root).as_posix()

    def shortened(self, text: str) -> str:
        """Return a text with the paths in it as the client knows them."""
        return text.replace(f"{self.root}/", "")

    def analysis(self, path: Path) -> Analysis:
        """Return the analysis of a report, which `side` has checked. Raises InputError if it cannot be read."""
        found = path.stat()
        key = (path, found.st_size, found.st_mtime_ns)
        with self._lock:  # Two questions about one report wait for one reading.
            if key not in self._analyses:
                self._analyses[key] = analyse([path], knowledge=self.knowledge)
                if len(self._analyses) > _KEPT:
                    self._analyses.popitem(last=False)
            self._analyses.move_to_end(key)
            return self._analyses[key]

    @contextmanager
    def located(self, analysis: Analysis, position: int) -> Iterator[Analysis]:
        """Give the analysis with the hot lines of one launch while a question about it is answered."""
        with self._lock:
            whole = analysis.diagnosis
            analysis.diagnosis = locate_findings(whole, analysis.catalog, positions=[position]).diagnosis
            try:
                yield analysis
            finally:
                analysis.diagnosis = whole

    def _nearby(self) -> str:
        """Return the first reports of the root, to choose from."""
        endings = (".ncu-rep", ".ncu-repz", ".ncu-rep.xz", ".ncu-rep.gz", ".ncu-rep.zst", ".csv", ".txt")
        names = sorted(each.name for each in self.root.iterdir() if each.name.endswith(endings))[:10]
        return f"it holds {', '.join(names)}" if names else "it holds no report itself; name a file in a folder below"


@contextmanager
def _named(text: str) -> Iterator[None]:
    """Raise UsageError for a text that is no path: a NUL byte, a loop of links, a name that is too long."""
    try:
        yield
    except (OSError, ValueError, RuntimeError) as e:
        why = e.strerror if isinstance(e, OSError) else e
        raise UsageError(f"{cut(text, _NAME)!r} is no path of a file: {why}") from None


def _plain(source: str) -> str:
    """Return a source as its directives are read: continued lines joined, and comments a space.

    What looks like a comment within a string becomes a space too, so the source as it is follows.
    """
    joined = re.sub(r"(?:\\|\?\?/)[^\S\n]*\r?\n", "", source.replace("??=", "#").replace("\0", " ")).replace("\r", "\n")
    return f"{_COMMENT.sub(' ', joined)}\n{joined}"


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is too long for the file system, or a folder that may not be searched
        return False


def position_of(launches: tuple[LaunchDiagnosis, ...], number: int) -> int:
    """Return the place of launch `number` (`index`, from 0). Raises UsageError with the numbers that exist."""
    for at, launch in enumerate(launches):
        if launch.index == number:
            return at
    raise UsageError(
        f"there is no launch {number}: the report holds launches {launches[0].index} to {launches[-1].index}"
    )
