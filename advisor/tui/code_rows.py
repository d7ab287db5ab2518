"""Lines, instructions, source text and PTX of a launch as rows of a list. Everything from the report is data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from textual.content import Content

from advisor.pipelines.viewing import Seen
from advisor.render.source import wait_text
from advisor.render.source_marks import count, loop_name, place_text, share, short, source_line
from advisor.render.source_shape import registers_text, shared_text, structure_text, zones_text
from advisor.source.columns import Value
from advisor.source.hotspots import Line, Spot
from advisor.source.view import View
from advisor.tui import words_views as words
from advisor.tui.layout import styled

_HOT = 0.05  # of the launch's total: worth a visit (as in source.locate); where nothing has much, half of the most is
_BAR = 8
_PLACE = 16  # cells of a place; of a longer one the end stays, which has the line number
_Row = Callable[[int, int], Content]


@dataclass(frozen=True)
class Listed:
    """What a list shows: its rows' places (instructions by address, lines by number), its head, how a row is drawn."""

    places: tuple[int, ...]
    draw: _Row
    head: Content | None = None

    def row_of(self, place: int) -> int | None:
        """The row of a place."""
        return self.places.index(place) if place in self.places else None


@dataclass
class Code:
    """One view, arranged for lists. blocks False: without block characters."""

    seen: Seen
    blocks: bool = True
    _spots: dict[int, Spot] = field(default_factory=dict)
    _lines: dict[tuple[str, int], Line] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._spots = {spot.at: spot for spot in self.view.spots}
        self._lines = {(line.file, line.line): line for line in self.view.lines}

    @property
    def view(self) -> View:
        """What was found."""
        return self.seen.view

    # Hot lines

    def lines(self) -> Listed:
        """Source lines, the hottest first."""
        return Listed(tuple(range(len(self.view.lines))), self._line, styled(words.HEAD_LINES, ""))

    def _line(self, at: int, width: int) -> Content:
        line = self.view.lines[at]
        text = source_line(self.view.texts.get((line.file, line.line), ""))
        told = text or ", ".join(dict.fromkeys(s.row.opcode for s in line.spots if s.row.opcode))
        return (
            self._amount(line.share, self._is_hot_line(line))
            + styled(f"{_place(line.file, line.line)}  ", "$text-secondary")
            + _data(told)
        )

    def _amount(self, part: float, hot: bool) -> Content:
        """A share as a number, a bar and, where it is much, a mark."""
        full = min(max(round(part * _BAR), 1 if part >= 0.01 else 0), _BAR)
        bar = ("█" if self.blocks else "#") * full
        mark = "●" if self.blocks else "*"
        return (
            styled(f"{mark if hot else ' '}{share(part)} ", "bold" if hot else "$quiet")
            + styled(bar, "$warning" if hot else "$primary")
            + Content(" " * (_BAR - full + 1))
        )

    # Instructions

    def instructions(self, line: Line | None, in_order: bool, filtered: bool) -> Listed:
        """Those of a line or of all, hottest first or in the order of the code; without a filter there the cold too."""
        if line is not None:
            places = tuple(spot.at for spot in line.spots)
        elif in_order and not filtered:
            places = tuple(range(len(self.seen.rows)))
        else:
            places = tuple(spot.at for spot in self.view.spots)
        places = tuple(sorted(places)) if in_order else places
        cells = {at: [_cell(v) for v in self.view.cells[at]] for at in places if at in self.view.cells}
        titles = [column.title for column in self.view.columns]
        widths = [max(len(t), *(len(row[i]) for row in cells.values()), 1) for i, t in enumerate(titles)]
        head = f"{'':<8}{'':<{_BAR + 1}}{'':<{_PLACE + 2}}" + "".join(
            f"{t:>{w}}  " for t, w in zip(titles, widths, strict=True)
        )

        def draw(row: int, width: int) -> Content:
            at = places[row]
            numbers = "".join(f"{c:>{w}}  " for c, w in zip(cells.get(at, ["-"] * len(titles)), widths, strict=True))
            return self._instruction(at, numbers)

        return Listed(places, draw, styled(head, "") if titles else None)

    def _instruction(self, at: int, numbers: str) -> Content:
        row, spot = self.seen.rows[at], self._spots.get(at)
        amount = self._amount(spot.share, self.hot(at)) if spot is not None else Content(" " * (8 + _BAR + 1))
        place = styled(f"{_place(row.file, row.line)}  ", "$text-secondary")
        loop = self._loop(at)
        inside = styled(f"{'' if loop is None else f'L{loop + 1}':<3} " if self.view.structure.loops else "", "$accent")
        return amount + place + styled(numbers, "") + inside + styled(f"0x{row.pc:<5x} ", "$quiet") + _data(row.sass)

    def _loop(self, at: int) -> int | None:
        """The innermost loop around an instruction."""
        loops = self.view.structure.flow
        around = [n for n, loop in enumerate(loops) if at in loop.body]
        return max(around, key=lambda n: loops[n].depth) if around else None

    def hot(self, at: int) -> bool:
        """Whether an instruction is worth a visit."""
        spot = self._spots.get(at)
        return spot is not None and spot.share >= _least(self.view.spots[0].share)

    def awaited(self, at: int) -> int | None:
        """The instruction that another one waits for."""
        wait = self.view.waits.get(at)
        if wait is None or not wait.sources:
            return None
        return next((n for n, row in enumerate(self.seen.rows) if row.pc == wait.sources[0].pc), None)

    def peak(self) -> int | None:
        """The instruction with the most live registers."""
        found = self.view.peak
        return None if found is None else next((n for n, r in enumerate(self.seen.rows) if r.pc == found.row.pc), None)

    def about(self, at: int) -> list[Content]:
        """What is told of one instruction beside its row."""
        row, spot = self.seen.rows[at], self._spots.get(at)
        parts = []
        if row.executed:
            ran = words.RAN if row.lanes is not None else words.RAN_ONLY
            parts.append(ran.format(count=count(row.executed), lanes=row.lanes or 0.0))
        if self.view.structure.loops:
            parts.append(loop_name(self._loop(at)))
        if self.view.structure.live:
            parts.append(words.LIVE.format(live=self.view.structure.live[at]))
        if self.view.peak is not None:
            parts.append(words.PEAK.format(live=self.view.peak.live, pc=self.view.peak.row.pc))
        # Columns leave a narrow list no room for the instruction itself.
        shown = [f"0x{row.pc:x} {row.sass}"] if self.view.columns else []
        out = [_data("; ".join([*shown, *parts]))]
        wait = self.view.waits.get(at)
        if wait is not None and spot is not None:
            form = words.FOR_LOAD if wait.sources else words.WAITS
            out.insert(0, _data(form.format(wait=wait_text(wait, spot))))
        return out

    # Source text, PTX, shape

    def text(self, file: str) -> Listed:
        """The text of a file, with what each line costs."""
        numbers = tuple(sorted(n for name, n in self.view.texts if name == file))

        def draw(row: int, width: int) -> Content:
            number = numbers[row]
            line = self._lines.get((file, number))
            amount = (
                self._amount(line.share, self._is_hot_line(line)) if line is not None else Content(" " * (8 + _BAR + 1))
            )
            text = self.view.texts[file, number].expandtabs(4).rstrip()
            return amount + styled(f"{number:>5}  ", "$text-secondary") + _data(text)

        return Listed(numbers, draw)

    def hot_line(self, file: str, number: int) -> bool:
        """Whether a line is worth a visit."""
        line = self._lines.get((file, number))
        return line is not None and self._is_hot_line(line)

    def _is_hot_line(self, line: Line) -> bool:
        return line.share >= _least(self.view.lines[0].share)

    def ptx(self, in_order: bool) -> Listed:
        """Lines of PTX that carry some of the measure."""
        rows = self.view.ptx or ()
        least = _least(max((part for *_, part in rows), default=0.0))
        rows = tuple(sorted(rows)) if in_order else rows

        def draw(row: int, width: int) -> Content:
            number, text, _, part = rows[row]
            return (
                self._amount(part, part >= least)
                + styled(f"{number:>5}  ", "$text-secondary")
                + _data(source_line(text))
            )

        return Listed(tuple(number for number, *_ in rows), draw)

    def shape(self, width: int) -> Listed:
        """Loops, live registers, lanes that are off, shared accesses, as text."""
        view = self.view
        told = [
            *structure_text(view.structure, width, False),
            *registers_text(view, width, False),
            *zones_text(view, width, False),
            *shared_text(view.shared, width, False),
        ][1:]
        return Listed(tuple(range(len(told))), lambda row, _: _data(told[row]))


def _least(most: float) -> float:
    """The least share that is worth a visit where the largest is `most`."""
    return min(_HOT, most / 2)


def _data(text: str) -> Content:
    return styled(text.replace("\n", " "), "")


def _place(file: str, line: int) -> str:
    """A place of a fixed width, of which the line number always stays."""
    text = place_text(file, line)
    return f"{text if len(text) <= _PLACE else '…' + text[-(_PLACE - 1) :]:<{_PLACE}}"


def _cell(value: Value) -> str:
    return "-" if value is None else value if isinstance(value, str) else short(value)
