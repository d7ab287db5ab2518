"""Parse the console output of `ncu`, also in logs with other output in between or with line numbers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from advisor.readers.csv_tables import MIXED, last_is_cut, packed, percent_of, speedup_of
from advisor.readers.frame import Contents, Launch, Shape, breakdown_name, one_line, short_name
from advisor.readers.numbers import Packer, Values, number
from advisor.records.errors import InputError
from advisor.records.magnitudes import shape_of, whole
from advisor.records.quantities import counted
from advisor.records.readings import RuleResult

_NUMBERED = re.compile(r"\d+: ?")
_STREAM = re.compile(r"\d+, Stream \d+(?:, Device \d+)?(?:, CC (\d+\.\d+))?\s*")
_SUMMARY = re.compile(r"(?:Device \d+, CC (\d+\.\d+), )?Invocations (\d+)\s*")
_DEVICE = re.compile(r"Device \d+, CC (\d+\.\d+)\s*")
_SHAPE = re.compile(r"\s*\((\d+), (\d+), (\d+)\)x\((\d+), (\d+), (\d+)\)$")
_TIME = re.compile(r", \d{4}-\w{3}-\d{2} \d{2}:\d{2}:\d{2}$")
_DASHES = re.compile(r"-{3,}(\s+-{3,})+")
_RUN = re.compile(r"-{3,}")
# The lines of a table of ncu, which a program's own output before the first launch would hardly have.
_RULER = re.compile(r" {4}-{3,}(?: -{3,}){2,4}\s*")
# How a section, a table and a rule begin, of which a truncated last line may hold a part.
_HEADING = "Section: "
_HEADER = "Metric Name Metric Unit Metric Value"
_SENTENCE_ENDS = (".", ")", "%", "!", "?", '"', "'", "]")
_CUT_RULE = re.compile(r" {4}(?:O|OP|OPT|I|IN|INF|W|WR|WRN) *")
_CUT_LAUNCH = re.compile(r" {0,4}\S.*\(\d+, \d+, \d+\)x\(\d.*")
_BEGINS_INSIDE = "the text begins inside a launch: its first part is missing"
NO_NAME = "(unnamed)"
_UNNAMED = "the text names no kernel: where a section comes again, another launch is taken to begin"
_ENDS_INSIDE = "the text ends inside a {}: it is truncated"
_PROFILED = re.compile(r'==PROF== Profiling "[^"]*"(?: - (\d+))?')
_TOOL = re.compile(r"[Nn]sight[ -][Cc]ompute[/\\ -](\d{4}\.\d+(?:\.\d+)?)")
_RULE = re.compile(r"\s*(OPT|INF|WRN|ERR)\s{2,}(\S.*)")
_ESTIMATE = re.compile(r"Est(?:\.|imated) (Local )?Speedup: ([\d.,]+)%")


class _Table:
    """The current table: the position of its columns, and whether its rows have begun.

    headed: whether it has a row of headings, as since 2022; before that, rows follow the first line of dashes.
    """

    def __init__(self) -> None:
        self.columns: list[tuple[int, int]] = []
        self.open = self.filled = self.headed = False
        self.rulers = 0

    def dashes(self, line: str, first: bool) -> None:
        """Process a line of dashes: above the header, below it, or at the end of the rows.

        first: whether it is the line after the name of the section.
        """
        self.rulers += 1
        self.columns = [run.span() for run in _RUN.finditer(line)]
        if self.filled:
            self.open = self.filled = False
        elif first and len(self.columns) == 3:
            self.open = True

    def heading(self) -> None:
        """Process the row of headings."""
        self.open = self.headed = True

    def cells(self, line: str) -> tuple[str, str, str] | None:
        """Return label, unit and value of a row; the average if it has minimum, maximum and average."""
        if len(self.columns) not in (3, 5) or len(line) <= self.columns[2][0]:
            return None
        self.filled = True
        label, unit = (line[a:b].strip() for a, b in self.columns[:2])
        rest = line[self.columns[-1][0] :] if len(self.columns) == 5 else line[self.columns[1][1] :]
        return (label, unit, rest.strip()) if label else None


class _Reader:
    """The state of the parser."""

    def __init__(self, wanted: Collection[str], most: int) -> None:
        self.wanted = frozenset(wanted)
        self.most = most
        self.found = Contents()
        self.table = _Table()
        self.section = self.part = self.cc = ""
        # Of the last launch, as text; those before it are packed.
        self.values: dict[str, tuple[str, str]] = {}
        self.labels: dict[tuple[str, str], tuple[str, str]] = {}
        self.packer = Packer()
        self.packed: list[tuple[Values[str], Values[tuple[str, str]]]] = []
        self.sections: list[list[str]] = []  # of the last two launches
        self.entered: set[str] = set()  # the sections of the last one
        self.flush = False  # the headings of sections are not indented, as whoever pasted the text left them
        self.profiled: set[str] = set()
        self.unnumbered = self.invocations = 0
        self.rule: list[str] | None = None
        self.headless = False  # a part of a launch came before any launch
        self.named = False  # a line with the name of a kernel came
        self.last = self.before = ""  # the last line, and the one before it
        self.launched = ""  # the line of the last launch
        self.ruler = ""  # the first line of the current table
        self.padded = 0  # width to which ncu filled the lines of the current rule with blanks, 0 if it did not

    def line(self, text: str) -> None:
        """Process the next line of the file."""
        stripped, self.before, self.last = text.strip(), self.last, text
        if ("Context " in text or ", Invocations " in text) and (self._launch(stripped) or self._wrapped(stripped)):
            self.launched = text
            return
        if match := _PROFILED.search(text):
            self._profiled(match[1])
        elif stripped.startswith(_HEADING):
            self.flush = text.startswith(_HEADING)
            self._enter(stripped.removeprefix(_HEADING).strip())
        elif stripped.startswith("Table Name :"):
            self._close_rule()
            self.part, self.table = stripped[12:].strip(), _Table()
        elif _DASHES.fullmatch(stripped):
            self._close_rule()
            if not self.table.columns:
                self.ruler = stripped
            self.table.dashes(text, self.before.strip().startswith((_HEADING, "Table Name :")))
        elif "Metric Name" in text and "Metric Unit" in text:
            self.table.heading()
        elif self.found.launches:
            self._inside(text, stripped)
        if not self.named and not self.headless:
            self.headless = bool(_RULER.fullmatch(text)) or (stripped.startswith(_HEADING) and text[:4].isspace())
        if match := _DEVICE.fullmatch(stripped):
            self.cc = match[1]
        if self.found.tool == "ncu" and (match := _TOOL.search(text[:500])):
            self.found.tool = f"ncu {match[1]}"

    def _launch(self, text: str) -> bool:
        head, _, tail = text.rpartition(", Context ")
        match, count = _STREAM.fullmatch(tail), 0
        if not (head and match):
            head, _, tail = text.rpartition(", Invocations ")
            before = _DEVICE.search(head[-40:])
            match = _SUMMARY.fullmatch("Invocations " + tail)
            if not (head and match):
                return False
            count = whole(match[2]) or 0
            head = head.rpartition(", Device ")[0] if before and before.end() == len(head[-40:]) else head
            cc = before[1] if before else self.cc
        else:
            cc = match[1] or ""
        head = _TIME.sub("", head)
        grid: Shape | None = None
        block: Shape | None = None
        if shapes := _SHAPE.search(head[-120:]):
            head = head[: len(head) - (shapes.end() - shapes.start())]
            grid, block = shape_of(shapes.groups()[:3]), shape_of(shapes.groups()[3:])
        if not head.strip():
            return False
        if not self.named:
            # What came before is a part of a launch whose beginning is missing.
            self.headless = self.headless or bool(self.values or self.labels or self.packed)
            self.found.launches, self.packed, self.sections = [], [], []
            self.values, self.labels, self.rule, self.named = {}, {}, None, True
        self._begin(Launch(len(self.found.launches), short_name(head), head.strip(), grid, block, cc=cc))
        self.invocations += count
        self.section = self.part = ""
        self.table = _Table()
        return True

    def _wrapped(self, text: str) -> bool:
        """Read the end of a launch's line that whoever pasted the text wrapped after the name or before the context."""
        before = self.before.strip()
        return before.endswith((")", ",")) and self._launch(f"{before} {text}")

    def _begin(self, launch: Launch) -> None:
        self._close_rule()
        if len(self.found.launches) >= self.most:
            raise InputError(f"more than {self.most:,} launches; split the file")
        self._pack()
        self.found.launches.append(launch)
        self.sections, self.entered = [*self.sections[-1:], []], set()

    def _pack(self) -> None:
        """Store the values of the last launch as numbers."""
        if self.found.launches:
            values, lost = packed(self.packer, self.values)
            labels, lost_there = packed(self.packer, self.labels)
            self.found.launches[-1].known["nan_metrics"] = float(lost + lost_there)
            self.packed.append((values, labels))
            self.values, self.labels = {}, {}

    def _profiled(self, number_: str | None) -> None:
        if number_ is None:
            self.unnumbered += 1
        else:
            self.profiled.add(number_)

    def _enter(self, section: str) -> None:
        self._close_rule()
        if not self.named and (not self.sections or (section in self.entered and (self.values or self.labels))):
            self._begin(Launch(len(self.found.launches), NO_NAME, NO_NAME))
        self.section, self.part, self.table = section, "", _Table()
        self.sections[-1].append(section)
        self.entered.add(section)

    def _inside(self, text: str, stripped: str) -> None:
        match = _RULE.match(text[:4000])
        if match and not text[:1].isspace() and (match[1] == "ERR" or self.table.open or not self.flush):
            match = None  # a program's own line
        if match:
            self._close_rule()
            self.table = _Table()
            self.rule = [match[1], match[2]]
            self.padded = len(text) if text[-1].isspace() else 0
        elif self.rule is not None:
            if stripped:
                self.rule.append(stripped)
            else:
                self._close_rule()
        elif self.table.open and (cells := self.table.cells(text)):
            self._value(*cells)
        elif "without fixed GPU frequencies" in text:
            self.found.launches[-1].known["clock_control"] = 0.0

    def _value(self, label: str, unit: str, value: str) -> None:
        name = label if label in self.wanted else breakdown_name(label)
        if name in self.wanted:
            self.values.setdefault(name, (value, unit))
        else:
            self.labels.setdefault((self.part or self.section, label), (value, unit))

    def _close_rule(self) -> None:
        rule, self.rule = self.rule, None
        if rule is None or rule[0] == "ERR" or not self.found.launches:
            return
        estimate = _ESTIMATE.match(rule[1])
        words = rule[2:] if estimate else rule[1:]
        launch = self.found.launches[-1]
        speedup = speedup_of(number(estimate[2])) if estimate and not estimate[1] else None
        local = percent_of(number(estimate[2])) if estimate and estimate[1] else None
        launch.rules = (*launch.rules, RuleResult("", self.section, one_line(" ".join(words)), speedup, local))

    def _ends_inside(self) -> str:
        """Return what the last line is a part of, if more of it must follow; empty if nothing shows that."""
        if self.table.open or self._ends_in_table_frame():
            return "table"
        if self._ends_in_rule():
            return "rule's message"
        last = self.last.strip()
        begins = last and _HEADING.startswith(last) and self.last.startswith("    ") and not self.before.strip()
        if (begins or last.startswith(_HEADING)) and self.sections:
            return "section"
        cut = self.sections and self.last != self.launched and _CUT_LAUNCH.fullmatch(self.last)
        return "launch" if cut else ""

    def _ends_in_table_frame(self) -> bool:
        """Whether the last line is a ruler or a header that the rows, or the rest of the line, must follow."""
        last, before = self.last.strip(), self.before.strip()
        if not last or not self.last.startswith("    ") or not self.sections:
            return False
        if set(last) <= {"-", " "}:
            begins = before.startswith((_HEADING.strip(), "Table Name"))
            # Above the header, below it, and at the end; a table whose upper part was left out has only the last.
            below = self.table.headed and self.table.rulers % 3 == 2
            more = below or (self.table.rulers == 1 and not before[-1:].isdigit())
            return begins or more or (last != self.ruler and self.ruler.startswith(last))
        return _HEADER.startswith(" ".join(last.split())) and bool(_RULER.fullmatch(self.before))

    def _ends_in_rule(self) -> bool:
        """Whether the last line is the beginning of a rule's message; blanks at the very end may have been removed."""
        if self.rule is None:
            return bool(_CUT_RULE.fullmatch(self.last)) and not self.before.strip() and bool(self.sections)
        if self.rule[0] == "ERR":
            return False
        first = len(self.rule) == 2
        if first and _ESTIMATE.fullmatch(self.rule[1].strip()):
            return True
        unfinished = not self.last.endswith(_SENTENCE_ENDS) and "://" not in self.last.rsplit(" ", 1)[-1]
        return unfinished and (len(self.last) < self.padded or (first and not self.padded))

    def _keep_read(self) -> None:
        """Keep the launches without a name from which something was read."""
        launches = zip(self.found.launches, self.packed, strict=True)
        read = [(launch, lists) for launch, lists in launches if lists[0] or lists[1]]
        self.found.launches, self.packed = [launch for launch, _ in read], [lists for _, lists in read]
        for at, launch in enumerate(self.found.launches):
            launch.index = at
        if read:
            self.found.problems.append(_UNNAMED)
            self.found.missing = None

    def end(self) -> Contents:
        """Finish the file: convert the texts to numbers and record what is missing."""
        inside, found = self._ends_inside(), self.found
        self._close_rule()
        self._pack()
        if not self.named:
            self._keep_read()
        elif self.headless:
            found.problems.append(_BEGINS_INSIDE)
            found.missing = None
        if inside:
            found.problems.append(_ENDS_INSIDE.format(inside))
            found.missing = None
        elif not self.last.lstrip().startswith("==") and (cut := last_is_cut([tuple(x) for x in self.sections])):
            found.problems.append(cut)
            found.missing = None
        if self.invocations:
            found.problems.append(f"a summary: each kernel is the average of its launches ({self.invocations} in all)")
        shown, profiled = self.invocations or len(found.launches), max(len(self.profiled), self.unnumbered)
        if profiled > shown:
            found.problems.append(f"ncu profiled {counted(profiled, 'launch')}, the text holds {shown}")
            found.missing = profiled - shown if found.missing is not None else None
        if self.packer.style.mark is None:
            found.problems.append(MIXED)
        for launch, (values, labels) in zip(found.launches, self.packed, strict=True):
            values.settle(self.packer.style.mark)
            labels.settle(self.packer.style.mark)
            launch.values, launch.labels = values, labels
        return found


def read_console(lines: Iterable[str], wanted: Collection[str], most: int) -> Contents:
    """Read at most `most` launches of console text; metrics `wanted` are found by name, others by section and label."""
    reader = _Reader(wanted, most)
    for text in _without_numbers(lines):
        reader.line(text)
    return reader.end()


def _without_numbers(lines: Iterable[str]) -> Iterable[str]:
    """Yield the lines without the line numbers (`12: `) of a viewer, if all of the first lines have one."""
    first: list[str] = []
    source = iter(lines)
    for text in source:
        if text.strip():
            first.append(text)
        if len(first) == 5:
            break
    numbered = bool(first) and all(_NUMBERED.match(text) for text in first)
    for part in (first, source):
        for text in part:
            number_ = _NUMBERED.match(text) if numbered else None
            yield text[number_.end() :] if number_ is not None else text


def pasted_rule(text: str) -> RuleResult:
    """Return a paragraph of a rule (`OPT Est. Speedup: 62.5% The 4.00 …`) as its result, in any layout of its lines."""
    words = " ".join(text[:4000].split())
    words = re.sub(r"^(?:OPT|INF|WRN)\s+", "", words)
    estimate = _ESTIMATE.match(words)
    message = words[estimate.end() :].strip() if estimate else words
    speedup = speedup_of(number(estimate[2])) if estimate and not estimate[1] else None
    local = percent_of(number(estimate[2])) if estimate and estimate[1] else None
    return RuleResult("", "", one_line(message), speedup, local)
