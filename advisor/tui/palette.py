"""The keys of a screen, read from its bindings, and the command palette, which lists all actions by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, cast

from msgspec import Struct
from msgspec.structs import replace
from textual.actions import parse
from textual.app import App
from textual.binding import Binding
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.dom import DOMNode
from textual.screen import Screen

from advisor.session import events as e
from advisor.session.actions import COMMANDS
from advisor.session.state import VIEWS, launch_number
from advisor.tui.drawing import safe, styled
from advisor.tui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from advisor.tui.app import AdvisorApp


class Key(Struct, frozen=True):
    """One action: its displayed keys, its name, its description, the action string, and the node that handles it."""

    shown: str
    name: str
    says: str
    action: str
    at: DOMNode
    keys: tuple[str, ...] = ()


def bindings_of(node: DOMNode) -> list[Binding]:
    """Return the bindings that classes of this program declare, the node's own class first."""
    out: list[Binding] = []
    for kind in type(node).__mro__:
        if kind.__module__.startswith("advisor."):
            out += [b for b in kind.__dict__.get("BINDINGS", ()) if isinstance(b, Binding)]
    return out


def keys_of(app: App[int], screen: Screen[object]) -> tuple[list[Key], list[Key]]:
    """Return the keys of this screen and its prompt, and the keys that work everywhere; list each action once."""
    return _keys(app, screen, *list(screen.query(Prompt))[:1]), _keys(app, app)


def _keys(app: App[int], *nodes: DOMNode) -> list[Key]:
    """Return the keys of these nodes; keys of one node with the same action and text share a row."""
    rows: dict[tuple[str, str, DOMNode], Key] = {}
    for node in nodes:
        for binding in bindings_of(node):
            name, says = binding.description, binding.tooltip or binding.description
            if not says:
                continue
            keys = tuple(binding.key.split(","))
            shown = ", ".join(app.get_key_display(Binding(key, "")) for key in keys)
            same = (binding.action, says, node)
            old = rows.get(same)
            key = Key(shown, name or says, says, binding.action, node, keys)
            rows[same] = key if old is None else replace(old, shown=f"{old.shown}, {shown}", keys=old.keys + keys)
    return list(rows.values())


def works(key: Key) -> bool:
    """Return whether the action does something now."""
    namespace, name, parameters = parse(key.action)
    node = key.at.app if namespace == "app" else key.at
    return bool(node.check_action(name, parameters))


_MOST = 60  # maximum number of hits of one search
_LONGEST = 120
_SAYS = 0.6  # weight of a match in the description relative to one in the name


class Entry(Struct, frozen=True):
    """A palette entry: its name, its description, the function that runs it, and its key."""

    name: str
    says: str
    do: Callable[[], object]
    key: str = ""

    @property
    def shown(self) -> Content:
        """The name, followed by the key."""
        return styled(self.name, "") + styled(f"  {self.key}" if self.key else "", "$quiet")

    @property
    def more(self) -> str | None:
        """The description, or None if the name already says it."""
        return safe(self.says) if self.says.casefold() != self.name.casefold() else None


class Entries(Provider):
    """Search provider for all actions that are available now."""

    async def discover(self) -> Hits:
        app = cast("AdvisorApp", self.app)
        for entry in (*actions(app), *commands(app), *views(app)):
            yield DiscoveryHit(entry.shown, entry.do, text=entry.name, help=entry.more)

    async def search(self, query: str) -> Hits:
        match = self.matcher(query).match
        entries = everything(cast("AdvisorApp", self.app))
        scored = [(max(match(entry.name), _SAYS * match(entry.says)), entry) for entry in entries]
        found = sorted((s for s in scored if s[0] > 0), key=lambda s: -s[0])
        for score, entry in found[:_MOST]:
            yield Hit(score, entry.shown, entry.do, text=entry.name, help=entry.more)


def everything(app: AdvisorApp) -> Iterator[Entry]:
    """Yield all entries, general ones first."""
    yield from actions(app)
    yield from commands(app)
    yield from views(app)
    yield from things(app)


def actions(app: AdvisorApp) -> Iterator[Entry]:
    """Yield the screen's actions and the global ones, as far as they do something now."""
    under = next((s for s in reversed(app.screen_stack) if type(s).__module__.startswith("advisor.")), app.screen)
    for key in [one for group in keys_of(app, under) for one in group]:
        if works(key) and "digit" not in key.action:
            yield Entry(key.name, key.says, partial(app.run_action, key.action, key.at), key.shown)


def commands(app: AdvisorApp) -> Iterator[Entry]:
    """Yield the slash commands; a command that needs an argument is put into the prompt."""
    for command in COMMANDS.values():
        word, needs = f"/{command.name}", bool(command.takes) and not command.takes.startswith("[")
        do = partial(app.prefill, f"{word} ") if needs else partial(app.say, word)
        yield Entry(command.usage, command.does, do)


def views(app: AdvisorApp) -> Iterator[Entry]:
    """Yield the views of the session."""
    for name, view in VIEWS.items():
        yield Entry(f"View: {view.name.casefold()}", view.says, partial(app.do, e.ViewShown(name)))


def things(app: AdvisorApp) -> Iterator[Entry]:
    """Yield the findings of the current launch, steps, launches, exercises and entries to explain."""
    state, knowledge, launch = app.state, app.state.knowledge, app.state.launch
    launches = () if state.diagnosis is None or state.numbers else state.diagnosis.launches
    numbers = [launch_number(each, state.several_reports) for each in launches]
    kernels = [safe(each.kernel).replace("\n", " ")[:_LONGEST] for each in launches]
    found: list[tuple[str, str, e.Event]] = [
        *(
            (f"Finding: {finding.title}", "show this finding of the current launch", e.FindingShown(finding.id))
            for finding in (launch.findings if launch is not None else ())
        ),
        *((f"Step {s.id}: {s.title}", "go to this step of the method", e.StepShown(s.id)) for s in knowledge.steps),
        *(
            (f"Launch {number}: {kernel}", "open this launch", e.LaunchSelected(at))
            for at, (number, kernel) in enumerate(zip(numbers, kernels, strict=True))
        ),
        *((f"Exercise: {name}", "practise on it", e.ViewShown("practice", name)) for name in knowledge.exercises),
        *(
            (f"Explain: {title or name}", "open it in the knowledge base", e.ViewShown("knowledge", name))
            for name, title in knowledge.findings
        ),
    ]
    for name, says, event in found:
        yield Entry(name, says, partial(app.do, event))
