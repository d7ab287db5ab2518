"""`advise`: run a function or block under ncu in a child process, and return the diagnosis of its kernels."""

from __future__ import annotations

import dataclasses
import functools
import html
import linecache
import os
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, overload

from msgspec.structs import replace

from advisor.knowledge.base import catalog
from advisor.program.collect import Settings, Step, collect, report_place, survey
from advisor.program.run import Program
from advisor.python.child import INSIDE
from advisor.python.payload import Sent, block_of, send_block, send_call
from advisor.reasoning.diagnose import analyse
from advisor.records.diagnosis import Finding, Location
from advisor.records.errors import AdvisorError, UsageError
from advisor.records.files import write_whole
from advisor.records.result import Diagnosis
from advisor.records.scratch import ScratchFolder
from advisor.source.locate import locate_findings
from advisor.view.blocks import Page
from advisor.view.pages.diagnosis import HTML_SECTIONS, diagnosis_page
from advisor.view.writers.html import page_html
from advisor.view.writers.ncu_section import FILE, IDENTIFIER, section_text

Texts = Mapping[tuple[int, str], tuple[str, ...]]
_CHILD = "import sys; sys.path.insert(0, sys.argv.pop(1)); from advisor.python.child import main; main()"
_HEIGHT = 700  # pixels of the page in a notebook


class AdviceError(AdvisorError):
    """Why there is no diagnosis, in one line. A notebook shows that line and no traceback."""

    def _render_traceback_(self) -> list[str]:
        return [f"ncu-advisor: {self}"]


class Advice(Diagnosis):
    """The diagnosis of the kernels that a function, block or cell launched; a notebook shows it as a page.

    reports_at: the reports that ncu wrote.
    """

    reports_at: tuple[Path, ...]
    texts: Texts

    @classmethod
    def of(cls, diagnosis: Diagnosis, reports: tuple[Path, ...], texts: Texts) -> Advice:
        """Return the diagnosis with its reports and the source lines of its places."""
        made = cls(**{f.name: getattr(diagnosis, f.name) for f in dataclasses.fields(diagnosis)})
        object.__setattr__(made, "reports_at", reports)
        object.__setattr__(made, "texts", texts)
        return made

    @property
    def page(self) -> Page:
        """The page that the program shows of it."""
        return diagnosis_page(self, texts=dict(self.texts), sections=HTML_SECTIONS)

    def html(self) -> str:
        """Return the page as one HTML file."""
        return page_html(self.page)

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, so that its style and that of the notebook stay apart."""
        return (
            f'<iframe title="ncu-advisor" sandbox="" style="width:100%;height:{_HEIGHT}px;border:0"'
            f' srcdoc="{html.escape(self.html(), quote=True)}"></iframe>'
        )


class _Block:
    """The context manager of `with advise() as found:`; afterwards `found.diagnosis` is the advice.

    The block runs here as usual, and again under ncu in a child process, with the values that its names had before it.
    """

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options
        self._folder: ScratchFolder | None = None
        self._sent: Sent | None = None
        self.diagnosis: Advice | None = None

    def enter(self, frame: FrameType) -> _Block:
        if os.environ.get(INSIDE):
            return self
        self._folder = ScratchFolder()
        source, file = block_of(frame)
        self._sent = send_block(Path(self._folder.name), source, file, {**frame.f_globals, **frame.f_locals})
        return self

    def __enter__(self) -> _Block:
        try:
            return self.enter(sys._getframe(1))
        except AdvisorError as e:
            raise AdviceError(str(e)) from None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._folder is None or self._sent is None:
            return
        with self._folder as name:
            if kind is None:
                self.diagnosis = advised(Path(name), self._sent, "the block", **self._options)

    def _repr_html_(self) -> str | None:
        return self.diagnosis._repr_html_() if self.diagnosis is not None else None

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Advice]:
        """Decorate a function: `@advise(kernel="gemm")`."""
        return _decorated(function, self._options)


@overload
def advise(function: Callable[..., Any], /) -> Callable[..., Advice]: ...


@overload
def advise(
    *, kernel: str | None = None, most: int = 5, report: str | Path | None = None, limit_s: float = 600.0
) -> Any: ...


def advise(
    function: Callable[..., Any] | None = None,
    /,
    *,
    kernel: str | None = None,
    most: int = 5,
    report: str | Path | None = None,
    limit_s: float = 600.0,
) -> Any:
    """Decorate a function, or open a block, whose kernels are to be diagnosed.

    A call of the function returns its Advice instead of its result. `with advise() as found:` runs the block as usual;
    then `found.diagnosis` is the Advice. Either is repeated in child processes: alone, with the duration of each
    launch, and with the metrics of typical launches of the kernels that take the time.

    kernel: regular expression, only kernels whose name matches; most: kernels at most; report: where to write the
    report, by default in the user's data folder; limit_s: longest silence of a run. Raises AdviceError, with one line,
    if ncu is missing, the function fails or launches no kernel, or an argument cannot be sent to the child.
    """
    options = {"kernel": kernel, "most": most, "report": report, "limit_s": limit_s}
    return _Block(options) if function is None else _decorated(function, options)


def _decorated(function: Callable[..., Any], options: Mapping[str, Any]) -> Callable[..., Advice]:
    if not callable(function) or not hasattr(function, "__qualname__"):
        raise AdviceError("advise decorates a function that launches kernels, not a kernel itself")

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        if os.environ.get(INSIDE):
            return function(*arguments, **named)
        with ScratchFolder() as name:
            try:
                sent = send_call(Path(name), function, arguments, named)
            except AdvisorError as e:
                raise AdviceError(str(e)) from None
            return advised(Path(name), sent, f"{function.__name__}()", **options)

    return call


def advised(
    folder: Path,
    sent: Sent,
    title: str,
    *,
    kernel: str | None = None,
    most: int = 5,
    report: str | Path | None = None,
    limit_s: float = 600.0,
    step: Callable[[Step], None] = lambda _: None,
) -> Advice:
    """Profile what was sent and return its diagnosis. folder: for intermediate files. Raises AdviceError."""
    try:
        settings = Settings(sections=folder, section=IDENTIFIER, kernel=_pattern(kernel), most=most, limit_s=limit_s)
        place = report_place(None if report is None else Path(report), "python")
        write_whole(folder / FILE, section_text(catalog().metrics))
        # Not with -m: what lies in the current folder must not be imported before the parent's path is known.
        words = (sys.executable, "-P", "-c", _CHILD, str(Path(__file__).parents[2]), str(sent.file))
        program = Program(words, title=title)
        found = survey(program, settings, folder, step)
        reports = tuple(one.report for one in collect(program, found, settings, place, step))
        analysis = analyse(reports)
        located = locate_findings(analysis.diagnosis, analysis.catalog)
    except AdvisorError as e:
        raise AdviceError(str(e)) from None
    diagnosis, texts = _shown(located.diagnosis, located.texts, sent.shown)
    return Advice.of(diagnosis, reports, texts)


def _pattern(kernel: str | None) -> re.Pattern[str] | None:
    try:
        return re.compile(kernel) if kernel is not None else None
    except (re.error, TypeError) as e:
        raise UsageError(f"kernel={kernel!r} is not a regular expression: {e}") from None


def _shown(diagnosis: Diagnosis, texts: Texts, names: Mapping[str, str]) -> tuple[Diagnosis, Texts]:
    """Name the files that only the child had as the notebook names them, and add the lines that only it knows."""

    def place(location: Location) -> Location:
        return replace(location, file=names.get(location.file, location.file))

    def finding(one: Finding) -> Finding:
        return replace(one, locations=tuple(map(place, one.locations)))

    launches = tuple(replace(x, findings=tuple(map(finding, x.findings))) for x in diagnosis.launches)
    known = {(report, names.get(file, file)): lines for (report, file), lines in texts.items()}
    for launch in launches:
        for one in (location for f in launch.findings for location in f.locations):
            key = (launch.report, one.file)
            if one.file and key not in known and (lines := linecache.getlines(one.file)):
                known[key] = tuple(line.rstrip("\n") for line in lines)
    return dataclasses.replace(diagnosis, launches=launches), known
