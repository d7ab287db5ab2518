"""A page of an exercise: cards, and under them charts, numbers, a comparison or code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from textual.containers import VerticalScroll
from textual.content import Content
from textual.widget import Widget

from advisor.records.diagnosis import LaunchDiagnosis
from advisor.session.practice.pages import Page
from advisor.session.records import Card, Lore
from advisor.tui import evidence_pages
from advisor.tui import words_evidence as texts
from advisor.tui import words_exercise as words
from advisor.tui.evidence_context import Exhibit
from advisor.tui.evidence_pages import FEWEST, How
from advisor.tui.layout import heading, safe, styled
from advisor.tui.widgets.card import CardView
from advisor.tui.widgets.line_wise import LineWise

_MOST = 60  # numbers shown at a time
_CODE = {"+": "$text-success", "-": "$text-error", "@": "$quiet"}
Draw = Callable[[int], list[Content]]


class Drawn(LineWise):
    """Lines that are made for the width at hand."""

    def __init__(self, draw: Draw) -> None:
        super().__init__(classes="drawn")
        self._draw = draw

    def _make(self, width: int) -> list[Content]:
        return self._draw(width)


def code_lines(code: Sequence[str], width: int) -> list[Content]:
    """Lines of code or of a diff, as they are: a sign before each changed line says so beside its colour."""
    out = []
    for line in code:
        style = _CODE.get(line[:1], "") if line[:1] in _CODE else ""
        text = line.expandtabs(4)
        # What is too long goes on further in than the line itself.
        inside = min(len(text) - len(text[1:].lstrip()) + 4, max(width - 20, 0))
        room = max(width - inside, 20)
        parts = [text[:width], *(" " * inside + text[at : at + room] for at in range(width, len(text), room))]
        out += [styled(part, style) for part in parts]
    return out


def evidence(page: Page, lore: Lore, wanted: str, blocks: bool) -> list[Draw]:
    """What a profile shows without its diagnosis: charts, and on the page of numbers what was measured."""
    verdict = replace(page.launch.verdict, title="", evidence=())
    launch = replace(page.launch, findings=(), verdict=verdict)
    shown = Exhibit(launch, metrics=lore.metrics)

    def drawn(make: Callable[[Exhibit, How], list[Content]]) -> Draw:
        return lambda width: [*make(shown, How(max(width, FEWEST), blocks)), Content("")]

    pictures = () if page.numbers and wanted else (evidence_pages.units, evidence_pages.memory, evidence_pages.roofline)
    numbers: list[Draw] = [lambda width: number_lines(launch, lore, wanted, width)] if page.numbers else []
    return [*(drawn(make) for make in pictures), *numbers]


def number_lines(launch: LaunchDiagnosis, lore: Lore, wanted: str, width: int) -> list[Content]:
    """The numbers of a launch whose name or meaning has the words: the first of them, as many as a key may redraw."""
    find = wanted.casefold().split()
    means = {name: text for name, _, text in lore.metrics}
    names = [n for n in sorted(launch.metrics) if all(word in f"{n} {means.get(n, '')}".casefold() for word in find)]
    few = replace(launch, metrics={name: launch.metrics[name] for name in names[:_MOST]})
    how = How(max(width, FEWEST))
    lines = [heading(texts.ALL.format(found=len(names), all=len(launch.metrics)))]
    lines += evidence_pages.numbers(Exhibit(few, metrics=lore.metrics), how)[1:]
    more = len(names) - _MOST
    return [*lines, *(evidence_pages.note(words.MORE_NUMBERS.format(count=more), how) if more > 0 else ())]


def compared_lines(compared: Any, width: int, blocks: bool) -> list[Content]:
    """Two versions beside each other, as the command `compare` tells it."""
    from advisor.view.blocks import Page
    from advisor.view.pages.compare import pair_sections
    from advisor.view.writers.terminal import terminal_text

    parts = [part for pair in compared.pairs for part in pair_sections(pair, "")]
    text = terminal_text(Page("", (), tuple(parts)), width=width, blocks=blocks)
    return [styled(line, "") for line in text.splitlines()]


class ExercisePage(VerticalScroll, can_focus=False):
    """Shows a page; what is the same as before stays, so that an answer appears under its question."""

    def __init__(self, *, blocks: bool = True, ident: str | None = None) -> None:
        super().__init__(id=ident)
        self._blocks = blocks
        self._shown: tuple[Any, ...] = ()
        self._cards: tuple[Card, ...] = ()
        self._views: list[Widget] = []
        self._below: list[Widget] = []

    def show(self, page: Page, place: tuple[str, ...], lore: Lore, wanted: str) -> None:
        """Show this page. place: which page of what it is, another one is shown from its top; wanted: which numbers."""
        key = (page, place, wanted if page.numbers else "")
        if key == self._shown:
            return
        same_page = bool(self._shown) and self._shown[1] == place
        only_numbers = same_page and self._shown[0] == page
        self._shown = key
        if only_numbers:
            self._replace_below(page, lore, wanted)
            return
        same = 0
        while same_page and same < min(len(self._cards), len(page.cards)) and self._cards[same] == page.cards[same]:
            same += 1
        gone, self._views = self._views[same:], self._views[:same]
        new: list[Widget] = [CardView(card, blocks=self._blocks) for card in page.cards[same:]]
        self._cards = page.cards
        if gone:
            self.remove_children(gone)
        self._views += new
        if new:
            self.mount(*new, **({"before": self._below[0]} if self._below and self._below[0].is_attached else {}))
        self._replace_below(page, lore, wanted)
        if same and new:
            self.call_after_refresh(self.scroll_to_widget, new[-1], animate=False, top=False)
        elif not same:
            self.scroll_home(animate=False)

    def _replace_below(self, page: Page, lore: Lore, wanted: str) -> None:
        if self._below:
            self.remove_children(self._below)
        self._below = [Drawn(draw) for draw in self._draws(page, lore, wanted)]
        if self._below:
            self.mount(*self._below)

    def _draws(self, page: Page, lore: Lore, wanted: str) -> list[Draw]:
        out: list[Draw] = []
        compared, blocks = page.compared, self._blocks
        if page.launch is not None:
            out += evidence(page, lore, wanted, blocks)
        if compared is not None:
            out.append(lambda width: compared_lines(compared, width, blocks))
        if page.code:
            head = [heading(safe(page.code_title))] if page.code_title else []
            out.append(lambda width: [*head, *code_lines(page.code, width)])
        return out
