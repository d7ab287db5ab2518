"""The table of launches: rows, filter, sort order, and the widget that draws them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import ClassVar, Final

from msgspec import Struct
from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.events import Click, Resize
from textual.message import Message
from textual.widgets import DataTable

from advisor.records.diagnosis import Diagnosis, LaunchDiagnosis, is_settled, main_finding
from advisor.session.state import launch_number
from advisor.tui.drawing import safe
from advisor.view.charts.bars import bar
from advisor.view.numbers import counted, saved_text, short_gain_text, time_text
from advisor.view.text import cut

_ORDER_NAMES: Final = {
    "saves": "by time saved by the fix",
    "duration": "by time",
    "kernel": "by kernel",
    "class": "by class",
    "finding": "by first finding",
    "gain": "by speedup of the fix",
    "report": "in order of the report",
}
_FILTER: Final = 24  # characters of a filter that the summary shows
_BEGIN: Final = 5  # characters that are left of the beginning of a name whose middle is cut
ORDERS: Final = tuple(_ORDER_NAMES)  # `o` cycles through them in this order


class Row(Struct, frozen=True):
    """A row of the table: a launch, or equal launches, shown by the one whose fix saves most time.

    positions: all launches of the row; kernel: with their number, `10 × copy`; duration: of all, in ns, None if
    unknown; share: fraction of the time of all launches with known duration, 0 to 1; back: ns that the fixes of the
    first findings would save; factor: the speedup of the first finding's fix; report: the file, if there are several;
    found_by: the text for the filter.
    """

    position: int
    positions: tuple[int, ...]
    number: str
    kernel: str
    time: str
    verdict: str
    finding: str
    gain: str
    saves: str
    done: bool
    duration: float | None
    share: float | None
    back: float | None
    factor: float | None
    report: str
    found_by: str


def rows_of(diagnosis: Diagnosis, collapse: bool = False) -> tuple[Row, ...]:
    """Return the launches as rows, in report order. collapse: one row for equal launches (see `_alike`)."""
    launches = diagnosis.launches
    time = sum(launch.duration_ns or 0.0 for launch in launches)
    groups: dict[object, list[int]] = {}
    for at, launch in enumerate(launches):
        groups.setdefault(_alike(launch) if collapse else at, []).append(at)
    return tuple(_row(tuple(group), time, diagnosis) for group in groups.values())


def _alike(launch: LaunchDiagnosis) -> tuple[object, ...]:
    """Return what equal launches have in common: report, kernel, shape, class and first finding."""
    first = main_finding(launch)
    return (launch.report, launch.kernel, launch.grid, launch.block, launch.verdict.id, first.id if first else "")


def _total(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _row(positions: tuple[int, ...], time: float, diagnosis: Diagnosis) -> Row:
    several = len(diagnosis.reports) > 1
    launches = [diagnosis.launches[at] for at in positions]
    # As in `diagnose`, so that both show the same numbers.
    position = max(positions, key=lambda at: (diagnosis.launches[at].saved_ns, -at))
    launch = diagnosis.launches[position]
    first, duration = main_finding(launch), _total(one.duration_ns for one in launches)
    speedup = first.speedup if first is not None else None
    back = sum(one.saved_ns for one in launches) or None
    ranges = [one.saved_range_ns for one in launches]
    number = launch_number(launch, several)
    name = safe(launch.kernel).replace("\n", " ")
    kernel = name if len(positions) == 1 else f"{len(positions)} × {name}"
    numbers = [f"#{launch_number(one, several)}" for one in launches]
    verdict = safe(launch.verdict.title or launch.verdict.id)
    finding = "" if first is None else safe(first.title)
    report = safe(Path(diagnosis.reports[launch.report].path).name) if several else ""
    return Row(
        position=position,
        positions=positions,
        number=number,
        kernel=kernel,
        time="unknown" if duration is None else time_text(duration),
        verdict=verdict,
        finding=finding,
        gain=short_gain_text(speedup),
        saves="–" if back is None else saved_text(*map(sum, zip(*ranges, strict=True))),
        done=first is not None and is_settled(launch, first),
        duration=duration,
        share=duration / time if duration is not None and time > 0 else None,
        back=back,
        factor=None if speedup is None else speedup.estimate,
        report=report,
        found_by=" ".join((*numbers, name, verdict, finding, report)).casefold(),
    )


def exactly(rows: Sequence[Row], wanted: str) -> int | None:
    """Return the position of the only launch whose number or kernel name equals the filter, else None."""
    text = wanted.strip().casefold()
    number = f"#{text.removeprefix('#')}"
    numbered = [row.position for row in rows if number in row.found_by.split()[: len(row.positions)]]
    found = numbered or [row.position for row in rows if row.kernel.casefold() == text]
    return found[0] if text and len(found) == 1 else None


def matches(rows: Sequence[Row], text: str) -> bool:
    """Return whether a row contains all words of a text, so that it can filter the list."""
    words = text.casefold().split()
    return bool(words) and any(all(word in row.found_by for word in words) for row in rows)


def share_text(share: float) -> str:
    """Format a share (0 to 1) as whole percent, or as `<1 %` if it rounds to zero."""
    percent = 100 * share
    return f"{percent:.0f} %" if percent >= 0.95 or not percent else "<1 %"


# Sort order -> its sort key: a number or text of a row.
_VALUES: Final[dict[str, Callable[[Row], float | str | None]]] = {
    "duration": lambda row: row.duration,
    "saves": lambda row: row.back,
    "gain": lambda row: row.factor,
    "kernel": lambda row: row.kernel.casefold(),
    "class": lambda row: row.verdict.casefold(),
    "finding": lambda row: row.finding.casefold(),
}
_LARGEST_FIRST: Final = ("duration", "saves", "gain")


def arranged(rows: Sequence[Row], wanted: str, order: str, upwards: bool = False) -> list[Row]:
    """Return the rows that contain all words of the filter, sorted; ties are in report order, unknown values last."""
    words = wanted.casefold().split()
    kept = [row for row in rows if all(word in row.found_by for word in words)]
    if order == "report":
        return kept[::-1] if upwards else kept
    value = _VALUES[order]
    known = [row for row in kept if value(row) not in (None, "")]
    known.sort(key=value, reverse=upwards != (order in _LARGEST_FIRST))  # type: ignore[arg-type]
    return known + [row for row in kept if value(row) in (None, "")]


def summary(rows: Sequence[Row], kept: Sequence[Row], order: str, upwards: bool = False, wanted: str = "") -> str:
    """Return a summary: the number of shown launches, their order and time, and the number without known duration.

    wanted: the filter, if one is set.
    """
    if not rows:
        return ""
    every, here = (sum(row.duration or 0.0 for row in some) for some in (rows, kept))
    counts = [sum(len(row.positions) for row in some) for some in (kept, rows)]
    lead = f"Filter “{cut(wanted, _FILTER)}”, Esc shows all: " if wanted else ""
    parts = [
        f"{lead}{counts[0]} of {counted(counts[1], 'launch')}, {_ORDER_NAMES[order]}{', reversed' if upwards else ''}"
    ]
    if every > 0:
        share = "" if len(kept) == len(rows) else f", {share_text(here / every)}"
        parts.append(f"{time_text(here)}{share} of kernel time")
    unknown = sum(row.duration is None for row in kept)
    if unknown:
        parts.append(f"{unknown} of unknown duration")
    return "; ".join(parts)


_WIDE: Final = 100  # smallest number of columns for full class names and bars of shares
_ROOMY: Final = 88  # smallest number of columns for the share of time, and for the speedup beside the time saved
_WIDEST: Final = 130  # smallest number of columns for the file name, if there are several reports
_NARROWEST: Final = 60
_BAR: Final = 9
# Column -> heading, sort order, and width; width 0 means that it depends on the content.
_COLUMNS: Final = {
    "report": ("#", "report", 5),
    "file": ("Report", "report", 20),
    "kernel": ("Kernel", "kernel", 0),
    "duration": ("Time", "duration", 9),
    "share": ("Share", "duration", 6),
    "class": ("Class", "class", 14),
    "finding": ("First finding", "finding", 0),
    "gain": ("Gain", "gain", 6),
    "saves": ("Saves", "saves", 11),
}
_RIGHT: Final = ("duration", "gain", "saves")
_CLASS_WIDE, _SHARE_WIDE = 24, 6 + _BAR + 1


class LaunchTable(DataTable[Text], inherit_bindings=False):
    """The table of launches. The arrow keys of the prompt move its cursor too; mouse clicks work in the table itself.

    A row is one cell whose text contains our own columns, since a cell costs far more to draw than its text.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open", tooltip="Open the highlighted launch"),
        Binding("up", "step(-1)", "Up", show=False),
        Binding("down", "step(1)", "Down", show=False),
        Binding("home", "step(-9999999)", "First", show=False),
        Binding("end", "step(9999999)", "Last", show=False),
    ]

    class Opened(Message):
        """The user chose a launch."""

        def __init__(self, position: int) -> None:
            super().__init__()
            self.position = position

    class SortAsked(Message):
        """The user clicked a column heading."""

        def __init__(self, order: str) -> None:
            super().__init__()
            self.order = order

    def __init__(self, ident: str | None = None, *, blocks: bool = True) -> None:
        super().__init__(id=ident, cursor_type="row", cell_padding=0, zebra_stripes=True)
        self._blocks = blocks
        self.kept: list[Row] = []  # the filtered rows in their order
        self._rows: tuple[Row, ...] = ()
        self._shown: tuple[str, str, bool, int | None, int] = (
            "",
            ORDERS[0],
            False,
            None,
            0,
        )  # of `show`, and the width
        self._widths: dict[str, int] = {}

    def show(
        self, rows: tuple[Row, ...], wanted: str, order: str, upwards: bool = False, marked: int | None = None
    ) -> None:
        """Show these rows, filtered and sorted; marked: the position of a launch that another is compared with.

        The cursor moves to the launch whose number or name was typed; otherwise it stays on its launch.
        """
        asked = (wanted, order, upwards, marked, self.size.width)
        same = rows is self._rows or rows == self._rows
        if same and asked == self._shown:
            return
        named = exactly(rows, wanted) if not same or wanted != self._shown[0] else None
        at = self.position if named is None else named
        self._rows, self._shown = rows, asked
        self.kept = arranged(rows, wanted, order, upwards)
        self._widths = self._measured()
        self.clear(columns=True)
        self.show_header = bool(rows)
        heads = (_fitted(self._head(name), size) for name, size in self._widths.items())
        self.add_column(Text("".join(heads), no_wrap=True), width=sum(self._widths.values()), key="row")
        most = max((row.share or 0.0 for row in rows), default=0.0)
        names = told_apart([row.kernel for row in self.kept], self._widths["kernel"] - 1)
        for row, name in zip(self.kept, names, strict=True):
            self.add_row(self._line(row, name, most))
        if not self.point(at):
            self.move_cursor(row=0, animate=False)

    def _measured(self) -> dict[str, int]:
        width = max(self._shown[4] - 1, _NARROWEST)  # one column for the scroll bar
        heads = {name: cell_len(self._head(name)) + 1 for name in _COLUMNS}
        widths = {name: max(size, heads[name]) if size else 0 for name, (_, _, size) in _COLUMNS.items()}
        if width >= _WIDE:
            widths |= {"class": _CLASS_WIDE, "share": _SHARE_WIDE}
        if width < _ROOMY and self._shown[1] != "gain":
            del widths["gain"]  # the time saved says more, and the preview shows both
        if width < _WIDEST or not any(row.report for row in self._rows):
            del widths["file"]
        if width < _ROOMY:
            del widths["share"]  # the cause needs the room
        numbers = max((len(row.number) for row in self._rows), default=0) + 1
        widths["report"] = max(widths["report"], min(numbers, 12))
        wanted = max((len(row.finding) for row in self._rows), default=0) + 2
        if width - sum(widths.values()) - self._longest() < wanted and width < _WIDE:
            widths.pop("share", None)  # the cause needs the room
        left = width - sum(widths.values())
        longest = self._longest()
        widths["kernel"] = max(min(longest, left // 2), heads["kernel"])
        finding = min(max((len(row.finding) for row in self._rows), default=0) + 3, left - widths["kernel"])
        widths["finding"] = max(finding, heads["finding"])
        return widths

    def _longest(self) -> int:
        """Return the cells that the longest kernel name needs."""
        return max((len(row.kernel) for row in self._rows), default=0) + 2

    def _head(self, name: str) -> str:
        head, order, _ = _COLUMNS[name]
        _, sorted_by, upwards, *_ = self._shown
        # The heading of the sort column has a mark. Report order needs none.
        marked = order == sorted_by and name not in ("share", "file") and (order != "report" or upwards)
        mark = ("▴" if upwards else "▾") if self._blocks else "^" if upwards else "v"
        return f"{head} {mark}" if marked else head

    def _line(self, row: Row, name: str, most: float) -> Text:
        texts = {
            "report": f"{'●' if self._blocks else '*'}{row.number}" if self._shown[3] in row.positions else row.number,
            "file": row.report,
            "kernel": name,
            "duration": row.time,
            "share": self.share_cell(row, most),
            "class": row.verdict,
            "finding": row.finding,
            "gain": row.gain,
            "saves": row.saves,
        }
        line = Text(no_wrap=True, end="")
        for name, size in self._widths.items():
            part = _fitted(texts[name], size, right=name in _RIGHT)
            line.append(part, "italic" if name == "finding" and row.done else "")
        return line

    def share_cell(self, row: Row, most: float) -> str:
        """Return the share of the total time and, if there is room, a bar scaled to the largest share."""
        if row.share is None:
            return "    ?"
        text = f"{share_text(row.share):>5}"
        if self._widths.get("share", 0) <= _BAR or most <= 0:
            return text
        return f"{text} {bar(100 * row.share / most, _BAR, blocks=self._blocks, marks=()).rstrip('.·')}"

    @property
    def position(self) -> int | None:
        """The position of the launch under the cursor, or None if the table is empty."""
        return self.kept[self.cursor_row].position if 0 <= self.cursor_row < len(self.kept) else None

    def point(self, position: int | None) -> bool:
        """Put the cursor on this launch; return whether it is in the table."""
        at = next((at for at, row in enumerate(self.kept) if position in row.positions), None)
        if at is not None:
            self.move_cursor(row=at, animate=False)
        return at is not None

    def action_open(self) -> None:
        if self.position is not None:
            self.post_message(self.Opened(self.position))

    def action_step(self, by: int) -> None:
        self.step(by)

    def step(self, by: int) -> None:
        self.move_cursor(row=min(max(self.cursor_row + by, 0), max(len(self.kept) - 1, 0)), animate=False)

    def on_resize(self, event: Resize) -> None:
        self.show(self._rows, *self._shown[:4])

    def on_click(self, event: Click) -> None:
        row = event.style.meta.get("row", -2)
        if 0 <= row < len(self.kept):
            self.post_message(self.Opened(self.kept[row].position))
        elif row == -1:
            at = event.x + self.scroll_offset.x
            ends = accumulate(self._widths.values())
            name = next((name for name, end in zip(self._widths, ends, strict=True) if at < end), "")
            if name:
                self.post_message(self.SortAsked(_COLUMNS[name][1]))


def told_apart(names: Sequence[str], room: int) -> list[str]:
    """Cut names to `room` characters; names that are alike up to there show where they differ: `average_…_shuffle`."""
    alike: dict[str, set[str]] = {}
    for name in names:
        alike.setdefault(name[: room - 1], set()).add(name)
    return [_differing(name, alike[name[: room - 1]], room) for name in names]


def _differing(name: str, alike: set[str], room: int) -> str:
    if len(name) <= room or len(alike) == 1:
        return name
    same = next(
        (at for at, letters in enumerate(zip(*alike, strict=False)) if len({*letters}) > 1), min(map(len, alike))
    )
    # A word is shown whole: `shuffle` and `shared` differ after their first two letters.
    while same and name[same - 1].isalnum():
        same -= 1
    begin = max(room - 1 - len(name[same:]), min(_BEGIN, room // 2))
    return cut(f"{name[:begin]}…{name[same:]}", room)


def _fitted(text: str, size: int, *, right: bool = False) -> str:
    """Fit the text into a column of `size` cells, the last one blank; overlong text ends in an ellipsis."""
    room = max(size - 1, 1)
    if cell_len(text) > room:
        text = set_cell_size(text, room - 1) + "…"
    blank = " " * (room - cell_len(text))
    return (blank + text if right else text + blank) + " " * (size - room)
