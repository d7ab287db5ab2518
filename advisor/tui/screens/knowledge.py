"""The knowledge browser: search while typing, entries by kind, and links between entries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from threading import Thread
from typing import Any, ClassVar, Final

from msgspec import Struct
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input, OptionList, Static

from advisor.explain.explain import LISTS
from advisor.explain.index import ORDER
from advisor.records.errors import AdvisorError
from advisor.session import events as e
from advisor.session.state import State
from advisor.tui.drawing import heading, safe, styled
from advisor.tui.screens.base import PAGE_KEYS, ViewScreen
from advisor.tui.widgets.keys import KeyLine
from advisor.tui.widgets.lists import fill, labelled_row
from advisor.tui.widgets.prompt import Prompt
from advisor.tui.widgets.text import Banner, Lines
from advisor.view.numbers import plural
from advisor.view.pages.explain import HEADINGS, LINKS, SEE, SOURCES, explain_page
from advisor.view.text import wrap
from advisor.view.writers.terminal import terminal_text

_PLURALS: Final = {
    "threshold": "thresholds",
    "ncu_rule": "rules of Nsight Compute",
    "case": "worked cases",
    "unit": "terms of the time model",
    "dtype": "data types",
    "source": "sources",
    "workload": "graphics workloads",
    "pattern": "timeline patterns",
    "trust": "caveats",
    "decision": "timeline decisions",
    "step": "steps of the method",
    "erratum": "corrections",
    "gpu": "GPUs",
    "call": "calls of libraries",
}

_SEARCH: Final = "type to search: a finding, a stall, an opcode, a metric, a GPU, any words"
_MOST: Final = 120  # maximum number of hits of a search
_OF_A_KIND: Final = 8  # maximum number of hits of each kind while all kinds are searched
_LONGEST: Final = 200  # maximum number of characters of a search text
_CITED: Final = 30
_PLURAL: Final = {kind: plural for plural, kind in LISTS.items()} | dict(_PLURALS)
_HEADS: Final = frozenset((*HEADINGS.values(), SEE, SOURCES, LINKS)) - {""}


class Row(Struct, frozen=True):
    """A row of a list. kind: `head`, `kind` (`word` is one) or `entry` (`word` can be explained)."""

    kind: str
    word: str
    label: str
    note: str = ""

    @property
    def line(self) -> Content:
        """The row as drawn on the screen."""
        if self.kind == "head":
            return styled(self.label, "bold $text-primary")
        style = "" if self.kind == "entry" else "$text-accent"
        return labelled_row(styled(f"  {self.label}".replace("\n", " "), style), self.note)


def kinds_of(contents: Sequence[Any]) -> list[Row]:
    """Return a row for each kind of entry, in order of precedence."""
    counts = Counter(hit.kind for hit in contents)
    known = sorted(counts, key=lambda kind: ORDER.index(kind) if kind in ORDER else len(ORDER))
    return [Row("kind", kind, _named(kind), str(counts[kind])) for kind in known]


def _named(kind: str) -> str:
    return _PLURAL.get(kind, kind.replace("_", " "))


def grouped(hits: Sequence[Any], most: int = _OF_A_KIND) -> list[Row]:
    """Group hits by kind, the kind of the best hit first, with at most `most` hits of each kind."""
    groups: dict[str, list[Any]] = {}
    for hit in hits:
        groups.setdefault(hit.kind, []).append(hit)
    out = []
    for kind, found in groups.items():
        out.append(Row("head", "", _named(kind)))
        out += [entry_row(hit) for hit in found[:most]]
        if len(found) > most:
            out.append(Row("kind", kind, f"all {len(found)} of {_named(kind)}"))
    return out


def entry_row(hit: Any) -> Row:
    """Return the row of an entry: its id, followed by its title if that differs."""
    return Row("entry", f"{hit.kind}:{hit.id}", hit.id, "" if hit.title == hit.id else hit.title)


class KnowledgeScreen(ViewScreen):
    """A search line above the list and the entry, which are side by side if there is room, else shown one at a time.

    The search text, list and entry belong to the screen, not to the session state.
    """

    low = 16
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", tooltip="Back to the list, to all kinds or to the conversation"),
        Binding("backspace,alt+left", "previous", "Previous", tooltip="Previous entry"),
        Binding("slash", "search", "Search", tooltip="Search"),
        *PAGE_KEYS,
    ]

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__(blocks=blocks)
        self.contents: Sequence[Any] | None = None  # None until they are loaded
        self.problem = ""
        self.word = ""  # id of the shown entry
        self.links: list[Row] = []  # links of the shown entry
        self._scope = ""
        self._rows: list[Row] = []
        self._made: Any = None
        self._trail: list[str] = []
        self._subject: str | None = None
        self._direct = False  # opened for one entry, with no search since then

    def compose(self) -> ComposeResult:
        yield Banner(blocks=self.blocks)
        yield self.prompt_line(Prompt((), placeholder=_SEARCH, ident="search"))
        with Horizontal(id="below"):
            yield OptionList(id="hits", markup=False, compact=True)
            with Vertical(id="read"):
                with VerticalScroll(id="page"):
                    yield Lines(ident="entry")
                yield Static("Enter follows a link; Backspace goes back", id="linkhead", markup=False)
                yield OptionList(id="links", markup=False, compact=True)
        yield KeyLine()

    def on_mount(self) -> None:
        self.query_one("#hits").can_focus = False
        self.query_one(Prompt).focus()
        Thread(target=self._load, name="knowledge", daemon=True).start()
        self.show(self.app.state)

    def _load(self) -> None:
        try:
            self.call_later(self._loaded, tuple(self.app.executor.sources.contents()), "")
        except AdvisorError as problem:
            self.call_later(self._loaded, (), str(problem))

    def _loaded(self, contents: Sequence[Any], problem: str) -> None:
        self.contents, self.problem = contents, problem
        self.refresh_list()
        if self._direct and self._subject:
            self.open(self._subject)

    def on_screen_resume(self) -> None:
        """Show the entry that the view was opened for."""
        self._subject = None

    def show(self, state: State) -> None:
        """Open the entry that the view was opened for."""
        if state.view != "knowledge" or state.view_subject == self._subject:
            return
        self._subject = state.view_subject
        self._direct = bool(self._subject)
        if self._subject:
            self._trail, self.word = [], ""
            if self.contents is not None:
                self.open(self._subject)
        else:
            self.remove_class("-entry")
            self.query_one(Prompt).focus()
        self.refresh_list()

    # The list

    @property
    def _text(self) -> str:
        return self.query_one(Prompt).value.strip()[:_LONGEST]

    def refresh_list(self) -> None:
        """Update the rows for the typed text and the chosen kind."""
        text, contents = self._text, self.contents
        if contents is None:
            self._rows = []
        elif not text:
            here = [hit for hit in contents if hit.kind == self._scope]
            self._rows = [entry_row(hit) for hit in here] if self._scope else kinds_of(contents)
        else:
            self._rows = self._searched(text)
        first = next((at for at, row in enumerate(self._rows) if row.kind != "head"), None)
        heads = [row.kind == "head" for row in self._rows]
        fill(self._hits, [row.line for row in self._rows], first, heads)
        self.query_one(Banner).show(self._banner())
        scope = f"type to search in {_named(self._scope)}; Esc goes back to all"
        self.query_one(Prompt).placeholder = scope if self._scope else _SEARCH
        if first is None and not self.has_class("-entry"):
            self._draw_entry()
        self.refresh_bindings()

    @property
    def _hits(self) -> OptionList:
        return self.query_one("#hits", OptionList)

    def _searched(self, text: str) -> list[Row]:
        sources = self.app.executor.sources
        try:
            hits = sources.find(text, len(self.contents or ()) if self._scope else _MOST)
        except AdvisorError as problem:
            self.problem = str(problem)
            return []
        if self._scope:
            here = [hit for hit in hits if hit.kind == self._scope]
            rest = [Row("head", "", f"{len(here) - _MOST} more: refine the search")] if len(here) > _MOST else []
            return [*(entry_row(hit) for hit in here[:_MOST]), *rest]
        wanted = text.casefold().replace(" ", "_")
        titled = [hit for hit in self.contents or () if hit.kind == "source" and wanted in hit.id.casefold()]
        rows = grouped([*hits, *titled])
        # A name that appears in no text, such as an opcode with modifiers, can still be explained.
        made = self.explained(text) if not rows else None
        return [Row("entry", text, text, getattr(made, "title", ""))] if made is not None else rows

    def _banner(self) -> str:
        if self.contents is None:
            return "Loading the knowledge base."
        count = sum(row.kind == "entry" for row in self._rows)
        if self._text:
            found = f"{count} {plural(count, 'entry', 'entries')} found"
            return f"{found} · {_named(self._scope)}" if self._scope else found
        if self._scope:
            return f"{count} of {_named(self._scope)}"
        return f"{len(self.contents)} entries; Enter lists a kind, typing searches all"

    # The entry

    def explained(self, word: str) -> Any:
        """Return the knowledge entry for a word, or None if there is none."""
        try:
            return self.app.executor.sources.explain(word)
        except AdvisorError as problem:
            self.problem = str(problem)
            return None

    def open(self, word: str, keep: bool = True) -> None:
        """Show an entry; with `keep`, remember the previous entry so that the user can go back."""
        made = self.explained(word)
        if made is None:
            self.notify(self.problem, severity="warning", markup=False)
            return
        if keep and self.word and self.word != word:
            self._trail.append(self.word)
        self.word, self._made = word, made
        self.links = self._links_of(made)
        fill(self.query_one("#links", OptionList), [row.line for row in self.links])
        self.set_class(bool(self.links), "-links")
        self.query_one("#page", VerticalScroll).scroll_home(animate=False)
        self._draw_entry()
        if keep:
            self.add_class("-entry")
            self._enter()
        self.refresh_bindings()

    def _enter(self) -> None:
        self.query_one("#links" if self.links else "#page").focus()

    def _links_of(self, made: Any) -> list[Row]:
        """Return the links of an entry: related entries and sources or, for a source, the entries that cite it."""
        titles = {f"{hit.kind}:{hit.id}": hit.title for hit in self.contents or ()}
        by_id: dict[str, str] = {}
        for hit in self.contents or ():
            by_id.setdefault(hit.id, hit.title)
        see, cites = getattr(made, "see", ()), getattr(made, "cites", ())
        out = [Row("entry", word, word, titles.get(word, by_id.get(word, ""))) for word in see]
        if getattr(made, "kind", "") == "source":
            hits = self.app.executor.sources.find(made.id, _CITED)
            return out + [Row("entry", f"{hit.kind}:{hit.id}", hit.id, "cites it") for hit in hits]
        return out + [Row("entry", key, key, f"source: {title}") for key, title in cites]

    def _draw_entry(self) -> None:
        self.query_one(Lines).show(self._entry_lines)

    def _entry_lines(self, width: int) -> list[Content]:
        made = self._made
        if made is None:
            text = self.problem if not self._rows else "Choose an entry; Enter opens it."
            text = "Loading the knowledge base." if self.contents is None else text
            return [styled(line, "$quiet") for line in wrap(safe(text), width)]
        if isinstance(made, str):
            return [styled(line, "") for line in made.splitlines()]
        lines = terminal_text(explain_page(made), width=min(width, 100)).splitlines()
        return [heading(lines[0]), *(styled(line, "bold" if line in _HEADS else "") for line in lines[1:])]

    # User actions

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self._direct = self._direct and not event.value
        if event.value:
            self.remove_class("-entry")
        if self.contents is not None:
            self.refresh_list()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        at = self._hits.highlighted
        if at is not None and at < len(self._rows):
            self._take(self._rows[at])
        elif self._text:
            self.open(self._text)

    @on(Prompt.Stepped)
    def _stepped(self, event: Prompt.Stepped) -> None:
        self._step(event.by)

    def _step(self, by: int) -> None:
        self._hits.action_cursor_down() if by > 0 else self._hits.action_cursor_up()

    @on(OptionList.OptionHighlighted, "#hits")
    def _pointed(self, event: OptionList.OptionHighlighted) -> None:
        row = self._rows[event.option_index] if event.option_index < len(self._rows) else None
        if self.has_class("-wide") and row is not None and row.kind == "entry" and not self._direct:
            self.open(row.word, keep=False)

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        rows = self.links if event.option_list.id == "links" else self._rows
        if event.option_index < len(rows):
            self._take(rows[event.option_index])

    def _take(self, row: Row) -> None:
        if row.kind == "kind":
            self._scope, self._direct = row.word, False
            self.refresh_list()
            self.query_one(Prompt).focus()
        elif row.kind == "entry":
            if not self.has_class("-entry"):
                self._trail, self.word = [], ""
            self.open(row.word)

    def action_previous(self) -> None:
        if self._trail:
            self.open(self._trail.pop(), keep=False)
            self._enter()

    def action_search(self) -> None:
        self.remove_class("-entry")
        self.query_one(Prompt).focus()

    def action_leave(self) -> None:
        search = self.query_one(Prompt)
        if self._direct:
            self.app.dispatch(e.ViewLeft())
        elif self.has_class("-entry") or not search.has_focus:
            self.action_search()
        elif search.value:
            search.clear()
        elif self._scope:
            self._scope = ""
            self.refresh_list()
        else:
            self.app.dispatch(e.ViewLeft())

    def action_page(self, by: int) -> None:
        """Scroll by a page: the entry if one is visible, else the list."""
        if self.has_class("-entry") or (self.has_class("-wide") and self._made is not None):
            super().action_page(by)
        else:
            for _ in range(max(self._hits.size.height - 1, 1)):
                self._step(by)

    def scrolled(self) -> VerticalScroll:
        return self.query_one("#page", VerticalScroll)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "previous":
            return bool(self._trail)
        if action == "search":
            return not (self.is_mounted and self.query_one(Prompt).has_focus)
        return True
