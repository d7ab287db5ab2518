"""The keys of a screen, read from its bindings, and the command palette: everything that can be done, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from textual.actions import parse
from textual.app import App
from textual.binding import Binding
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widgets import Input

from advisor.session import events as e
from advisor.session.actions import COMMANDS
from advisor.session.numbers import launch_number
from advisor.tui.drawing import safe, styled
from advisor.tui.screens.base import SCREENS
from advisor.tui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from advisor.tui.app import AdvisorApp


@dataclass(frozen=True, slots=True)
class Key:
    """One action: its keys as displayed, its name, what it does, the action string, and the node that handles it."""

    shown: str
    name: str
    says: str
    action: str
    at: DOMNode
    keys: tuple[str, ...] = ()


def bindings_of(node: DOMNode) -> list[Binding]:
    """The bindings declared by the classes of this program, the node's own class first."""
    out: list[Binding] = []
    for kind in type(node).__mro__:
        if kind.__module__.startswith("advisor."):
            out += [b for b in kind.__dict__.get("BINDINGS", ()) if isinstance(b, Binding)]
    return out


def keys_of(app: App[int], screen: Screen[object]) -> tuple[list[Key], list[Key]]:
    """The keys of this screen and its prompt, and the keys that work everywhere; each action once."""
    here = _told(app, screen, bindings_of(screen))
    for prompt in screen.query(Prompt):
        if isinstance(prompt, Input):
            here += _told(app, prompt, bindings_of(prompt))
            break
    return _once(here), _once(_told(app, app, bindings_of(app)))


def _told(app: App[int], node: DOMNode, bindings: Iterable[Binding]) -> list[Key]:
    out = []
    for binding in bindings:
        if binding.tooltip or binding.description:
            keys = tuple(binding.key.split(","))
            shown = ", ".join(app.get_key_display(Binding(key, "")) for key in keys)
            name, says = binding.description, binding.tooltip or binding.description
            out.append(Key(shown, name or says, says, binding.action, node, keys))
    return out


def _once(keys: list[Key]) -> list[Key]:
    """Keys of the same node with the same action and text share a row."""
    rows: dict[tuple[str, str, DOMNode], Key] = {}
    for key in keys:
        same = (key.action, key.says, key.at)
        found = rows.get(same)
        both = key if found is None else replace(found, shown=f"{found.shown}, {key.shown}", keys=found.keys + key.keys)
        rows[same] = both
    return list(rows.values())


def works(key: Key) -> bool:
    """Whether the action does something now."""
    namespace, name, parameters = parse(key.action)
    node = key.at.app if namespace == "app" else key.at
    return bool(node.check_action(name, parameters))


_MOST = 60  # hits of one search
_LONGEST = 120
_SAYS = 0.6  # weight of a match in the description relative to one in the name


@dataclass(frozen=True, slots=True)
class Entry:
    """A palette entry: its name, what it does, how to run it, and its key."""

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
        """What it does, unless the name says it."""
        return safe(self.says) if self.says.casefold() != self.name.casefold() else None


class Entries(Provider):
    """Search provider for everything that can be done now."""

    async def discover(self) -> Hits:
        for entry in (*actions(self._app), *commands(self._app), *views(self._app)):
            yield DiscoveryHit(entry.shown, entry.do, text=entry.name, help=entry.more)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        scored = [
            (max(matcher.match(entry.name), _SAYS * matcher.match(entry.says)), at, entry)
            for at, entry in enumerate(everything(self._app))
        ]
        found = sorted((s for s in scored if s[0] > 0), key=lambda s: (-s[0], s[1]))
        for score, _, entry in found[:_MOST]:
            yield Hit(score, entry.shown, entry.do, text=entry.name, help=entry.more)

    @property
    def _app(self) -> AdvisorApp:
        return cast("AdvisorApp", self.app)


def everything(app: AdvisorApp) -> Iterator[Entry]:
    """All entries, general ones first."""
    yield from actions(app)
    yield from commands(app)
    yield from views(app)
    yield from things(app)


def actions(app: AdvisorApp) -> Iterator[Entry]:
    """The actions of the screen and the global ones, where they do something now."""
    under = next((s for s in reversed(app.screen_stack) if type(s).__module__.startswith("advisor.")), app.screen)
    for key in [one for group in keys_of(app, under) for one in group]:
        if works(key) and "digit" not in key.action:
            yield Entry(key.name, key.says, _runs(app, key.action, key.at), key.shown)


def _runs(app: AdvisorApp, action: str, at: object) -> Callable[[], object]:
    return lambda: app.run_action(action, at)  # type: ignore[arg-type]


def commands(app: AdvisorApp) -> Iterator[Entry]:
    """The slash commands; one that needs an argument is put into the prompt."""
    for command in COMMANDS.values():
        word, needs = f"/{command.name}", bool(command.takes) and not command.takes.startswith("[")
        yield Entry(command.usage, command.does, _types(app, f"{word} ") if needs else _says(app, word))


def _says(app: AdvisorApp, line: str) -> Callable[[], object]:
    return lambda: app.say(line)


def _types(app: AdvisorApp, line: str) -> Callable[[], object]:
    return lambda: app.prefill(line)


def views(app: AdvisorApp) -> Iterator[Entry]:
    """The views of the session."""
    for name, view in SCREENS.items():
        yield Entry(f"View: {view.name.casefold()}", view.says, _posts(app, e.ViewShown(name)))


def things(app: AdvisorApp) -> Iterator[Entry]:
    """Findings of the current launch, steps, launches, exercises and entries to explain."""
    state = app.state
    if state.launch is not None:
        for finding in state.launch.findings:
            yield Entry(
                f"Finding: {finding.title}",
                "show this finding of the current launch",
                _posts(app, e.FindingShown(finding.id)),
            )
    for step in state.knowledge.steps:
        says = f"Step {step.id}: {step.title}"
        yield Entry(says, "go to this step of the method", _posts(app, e.StepShown(step.id)))
    if state.diagnosis is not None and not state.numbers:
        for at, launch in enumerate(state.diagnosis.launches):
            number = launch_number(launch, state.several_reports)
            kernel = safe(launch.kernel).replace("\n", " ")[:_LONGEST]
            name = f"Launch {number}: {kernel}"
            yield Entry(name, "open this launch", _posts(app, e.LaunchSelected(at)))
    for exercise in state.knowledge.exercises:
        event = e.ViewShown("practice", exercise)
        yield Entry(f"Exercise: {exercise}", "practise on it", _posts(app, event))
    for name, title in state.knowledge.findings:
        event = e.ViewShown("knowledge", name)
        yield Entry(f"Explain: {title or name}", "open it in the knowledge base", _posts(app, event))


def _posts(app: AdvisorApp, event: e.Event) -> Callable[[], object]:
    return lambda: app.do(event)
