"""Lines, instructions, source text and PTX of a launch as rows of a list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from msgspec import Struct
from textual.content import Content

from advisor.session import events as e
from advisor.session.records import KnowledgeIndex
from advisor.source.columns import Value
from advisor.source.hotspots import Line, Spot
from advisor.source.view import View
from advisor.source.viewer import Seen
from advisor.tui.drawing import styled
from advisor.tui.widgets.lists import Draw, Split
from advisor.view.numbers import brief_text, count_text, counted, plural, share_text
from advisor.view.pages.source import loop_name, reason_text, shape_sections, wait_text
from advisor.view.text import cut_start, file_name, place_text, source_line
from advisor.view.writers.terminal import section_lines

NO_LINES = "No line information: compile with -lineinfo to see source lines. Only instructions can be shown."
NO_TEXT = "The text of the source is neither in the report nor on this machine."
NO_SHAPE = "Without machine code there are no loops or registers to show."
NOTHING = "The measure is 0 on every line, or the filters exclude them all."
_HOT = 0.05  # smallest hot share of the launch's total (as in source.locate); at most half of the largest share
_BAR = 8
_SHARE, _LOOP, _ADDRESS = 8, 4, 8  # widths in cells: a share with its mark, a loop's name, an address
_ROOM = 24  # smallest width in cells of an instruction: its opcode and first operands


class _Form(Struct, frozen=True):
    """Columns of a row before the instruction: a bar, an address, a place of some cells, a gap after a number."""

    bar: bool
    address: bool
    place: int
    gap: int


# Rows use the first form that leaves the instruction enough room, else the last form.
_FORMS = (_Form(True, True, 16, 2), _Form(False, True, 16, 2), _Form(False, False, 16, 2), _Form(False, False, 10, 1))


class Listed(Struct, frozen=True):
    """A list: the places of its rows (instruction index or line number), its head, and a function that draws a row."""

    places: tuple[int, ...]
    draw: Draw
    head: Callable[[int], Content] | None = None

    def row_of(self, place: int) -> int | None:
        """Return the row of a place, or None if it is not listed."""
        return self.places.index(place) if place in self.places else None


@dataclass
class Code:
    """One source view, arranged for lists. blocks: whether to use block characters."""

    seen: Seen
    blocks: bool = True
    _spots: dict[int, Spot] = field(default_factory=dict)
    _lines: dict[tuple[str, int], Line] = field(default_factory=dict)
    _file: str = ""
    _widest: int = 0

    def __post_init__(self) -> None:
        self._spots = {spot.at: spot for spot in self.view.spots}
        self._lines = {(line.file, line.line): line for line in self.view.lines}
        self._file = only_file(self.seen)
        self._widest = max((len(self._place(row.file, row.line)) for row in self.seen.rows), default=0)

    @property
    def view(self) -> View:
        """The source view."""
        return self.seen.view

    # Hot lines

    def lines(self) -> Listed:
        return Listed(tuple(range(len(self.view.lines))), self._line)

    def _line(self, at: int, width: int) -> Split:
        line = self.view.lines[at]
        text = source_line(self.view.texts.get((line.file, line.line), ""))
        shown = text or ", ".join(dict.fromkeys(s.row.opcode for s in line.spots if s.row.opcode))
        return Split(self._amount(line.share, self._is_hot_line(line)) + self._at(line.file, line.line), _data(shown))

    def _place(self, file: str, line: int) -> str:
        """Return `k.cu:7`, or `:7` if there is a single source file, which is named elsewhere."""
        return f":{line}" if self._file and line else place_text(file, line)

    def _at(self, file: str, line: int, most: int = _FORMS[0].place) -> Content:
        """Return a place, padded to the longest place but to at most `most` cells; never cut the line number."""
        text, width = self._place(file, line), min(self._widest, most)
        return styled(f"{cut_start(text, width):<{width}}  ", "$text-secondary")

    def _amount(self, part: float, hot: bool, bar: bool = True) -> Content:
        full = min(max(round(part * _BAR), 1 if part >= 0.01 else 0), _BAR)
        cell, mark = ("█", "●") if self.blocks else ("#", "*")
        number = styled(f"{mark if hot else ' '}{share_text(part):>6} ", "bold" if hot else "$quiet")
        drawn = cell * full + " " * (_BAR - full + 1) if bar else ""
        return number + styled(drawn, "$warning" if hot else "$primary")

    # Instructions

    def instructions(self, line: Line | None, in_order: bool, filtered: bool) -> Listed:
        """List the instructions of a line or of all lines, hottest first with cold ones last, or in code order.

        filtered: the view contains only instructions that pass the filters.
        """
        rows = self.seen.rows
        chosen = [spot.at for spot in self.view.spots]
        chosen += [] if filtered else [at for at in range(len(rows)) if at not in self._spots]
        if line is not None:
            chosen = [at for at in chosen if (rows[at].file, rows[at].line) == (line.file, line.line)]
        places = tuple(sorted(chosen)) if in_order else tuple(chosen)
        cells = {at: [_cell(v) for v in self.view.cells[at]] for at in places if at in self.view.cells}
        titles = [column.title for column in self.view.columns]
        widths = [max(len(t), *(len(row[i]) for row in cells.values()), 1) for i, t in enumerate(titles)]

        def numbers(texts: list[str], form: _Form) -> str:
            return "".join(f"{text:>{w}}{'':<{form.gap}}" for text, w in zip(texts, widths, strict=True))

        def head(width: int) -> Content:
            form = self._form(width, widths)
            before = _SHARE + (_BAR + 1) * form.bar + min(self._widest, form.place) + 2
            return styled(" " * before + numbers(titles, form), "")

        def draw(row: int, width: int) -> Split:
            form, texts = self._form(width, widths), cells.get(places[row], ["-"] * len(titles))
            return self._instruction(places[row], numbers(texts, form), form)

        return Listed(places, draw, head if titles else None)

    def _form(self, width: int, widths: list[int]) -> _Form:
        def left(form: _Form) -> int:
            beside = _SHARE + (_BAR + 1) * form.bar + min(self._widest, form.place) + 2 + _ADDRESS * form.address
            return width - beside - _LOOP * bool(self.view.structure.loops) - sum(w + form.gap for w in widths)

        return next((form for form in _FORMS if left(form) >= _ROOM), _FORMS[-1])

    def _instruction(self, at: int, numbers: str, form: _Form) -> Split:
        row, spot = self.seen.rows[at], self._spots.get(at)
        blank = Content(" " * (_SHARE + (_BAR + 1) * form.bar))
        amount = self._amount(spot.share, self.hot(at), form.bar) if spot is not None else blank
        loop = self._loop(at)
        inside = styled(
            f"{'' if loop is None else f'lp{loop + 1}':<3} " if self.view.structure.loops else "", "$accent"
        )
        address = styled(f"0x{row.pc:<5x} " if form.address else "", "$quiet")
        place = self._at(row.file, row.line, form.place)
        return Split(amount + place + styled(numbers, "") + inside + address, _data(row.sass))

    def _loop(self, at: int) -> int | None:
        loops = self.view.structure.flow
        around = [n for n, loop in enumerate(loops) if at in loop.body]
        return max(around, key=lambda n: loops[n].depth) if around else None

    def hot(self, at: int) -> bool:
        """Return whether an instruction is hot."""
        spot = self._spots.get(at)
        return spot is not None and spot.share >= _least(self.view.spots[0].share) > 0

    def awaited(self, at: int) -> int | None:
        """Return the instruction that another one waits for, or None."""
        wait = self.view.waits.get(at)
        if wait is None or not wait.sources:
            return None
        return next((n for n, row in enumerate(self.seen.rows) if row.pc == wait.sources[0].pc), None)

    def peak(self) -> int | None:
        """Return the instruction with the most live registers, or None."""
        found = self.view.peak
        return None if found is None else next((n for n, r in enumerate(self.seen.rows) if r.pc == found.row.pc), None)

    def about(self, at: int) -> list[Content]:
        """Return details of one instruction."""
        row, spot = self.seen.rows[at], self._spots.get(at)
        parts = []
        if row.executed:
            lanes = f" with {row.lanes:.1f} of 32 lanes active" if row.lanes is not None else ""
            parts.append(f"executed {count_text(row.executed)} {plural(row.executed, 'time')}{lanes}")
        if self.view.structure.loops:
            parts.append(loop_name(self._loop(at)))
        if self.view.structure.live:
            parts.append(f"{counted(self.view.structure.live[at], 'register')} live")
        if self.view.peak is not None:
            parts.append(f"most in the kernel: {self.view.peak.live} at 0x{self.view.peak.row.pc:x} (z goes there)")
        # In a narrow list, columns would leave no room for the instruction.
        shown = [f"0x{row.pc:x} {row.sass}"] if self.view.columns else []
        out = [_data("; ".join([*shown, *parts]))]
        wait = self.view.waits.get(at)
        if wait is not None and spot is not None:
            jump = " (j goes to what it waits for)" if wait.sources else ""
            out.insert(0, _data(f"waits: {wait_text(wait, spot)}{jump}"))
        return out

    # Source text, PTX, shape

    def text(self, file: str) -> Listed:
        """List the text of a file, with the share of each line."""
        numbers = tuple(sorted(n for name, n in self.view.texts if name == file))

        def draw(row: int, width: int) -> Split:
            number = numbers[row]
            line = self._lines.get((file, number))
            blank = Content(" " * (_SHARE + _BAR + 1))
            amount = self._amount(line.share, self._is_hot_line(line)) if line is not None else blank
            text = self.view.texts[file, number].expandtabs(4)
            return Split(amount + styled(f"{number:>5}  ", "$text-secondary"), _data(text))

        return Listed(numbers, draw)

    def hot_line(self, file: str, number: int) -> bool:
        """Return whether a line is hot."""
        line = self._lines.get((file, number))
        return line is not None and self._is_hot_line(line)

    def _is_hot_line(self, line: Line) -> bool:
        return line.share >= _least(self.view.lines[0].share) > 0

    def ptx(self, in_order: bool) -> Listed:
        """List the PTX lines that have a share of the measure."""
        rows = self.view.ptx or ()
        least = _least(max((part for *_, part in rows), default=0.0))
        rows = tuple(sorted(rows)) if in_order else rows

        def draw(row: int, width: int) -> Split:
            number, text, _, part = rows[row]
            amount = self._amount(part, part >= least > 0)
            return Split(amount + styled(f"{number:>5}  ", "$text-secondary"), _data(source_line(text)))

        return Listed(tuple(number for number, *_ in rows), draw)

    def shape(self, width: int) -> Listed:
        """List loops, live registers, inactive lanes and shared accesses as text."""
        lines = [line for part in shape_sections(self.view) for line in section_lines(part, width=width)][1:]
        return Listed(tuple(range(len(lines))), lambda row, _: _data(lines[row]))


def _least(most: float) -> float:
    """Return the smallest share that counts as hot if the largest share is `most`."""
    return min(_HOT, most / 2)


def _data(text: str) -> Content:
    return styled(text.replace("\n", " "), "")


def only_file(seen: Seen) -> str:
    """Return the single source file of the code, or an empty text if there are several files or none."""
    files = {row.file for row in seen.rows if row.line}
    return files.pop() if len(files) == 1 else ""


def _cell(value: Value) -> str:
    return "-" if value is None else value if isinstance(value, str) else brief_text(value)


_NAME = 40  # maximum number of cells of a file name; the beginning of a longer name is cut


def about_view(seen: Seen, query: e.Locate | None, index: KnowledgeIndex) -> list[tuple[str, str]]:
    """Return (text, style) pairs about the measure, its reason, the filters, the reliability of lines, missing data."""
    view = seen.view
    measure = f"{view.measure.title} ({view.measure.id}), total {count_text(view.total)}"
    reason = reason_text(seen.wanted, index.title(seen.wanted.finding) if seen.wanted is not None else "")
    parts = [measure, *([f"because {reason}"] if reason else [])]
    if view.columns and query is not None:
        parts.append(f"columns: {query.columns}")
    out = [("; ".join(parts), "")]
    filters = filters_text(query)
    if filters:
        kept = f"only {filters}: {len(view.spots)} of {counted(len(seen.rows), 'instruction')} (x shows all)"
        out.append((kept, "$text-accent"))
    if not view.spots:
        out.append((NOTHING, "$text-warning"))
    if not view.has_lines:
        out.append((NO_LINES, "$text-warning"))
    elif view.trust is not None:
        only = only_file(seen)
        file = f" in {cut_start(file_name(only), _NAME)}" if only else ""
        lined, inlined = share_text(view.trust.lined), share_text(view.trust.inlined)
        said = f"{lined} of executed instructions have a line{file}, {inlined} are inlined."
        out.append((f"{said} Compilers move code: samples may land on an adjacent line.", "$quiet"))
    if not view.has_code:
        out.append(("The report contains no SASS.", "$text-warning"))
    if view.has_lines and not view.texts:
        out.append((NO_TEXT, "$text-warning"))
    return out


def filters_text(query: e.Locate | None) -> str:
    """Return the search and the comparisons as text, empty if there are none."""
    if query is None:
        return ""
    parts = [f"/{query.search}"] if query.search else []
    return ", ".join((*parts, *query.where))
