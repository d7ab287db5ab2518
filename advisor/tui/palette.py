"""The command palette: every action and every command, and findings, steps, launches and exercises by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from advisor.session import events as e
from advisor.session.actions import COMMANDS
from advisor.session.numbers import launch_number
from advisor.session.state import VIEWS
from advisor.tui import words_help as words
from advisor.tui.keys import keys_of, works
from advisor.tui.layout import safe, styled

if TYPE_CHECKING:
    from advisor.tui.app import AdvisorApp

_MOST = 60  # hits of one search
_LONGEST = 120
_SAYS = 0.6  # what a match in the remark counts beside one in the name


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that can be done: what it is called, what it is, how it is done, and by which key."""

    name: str
    says: str
    do: Callable[[], object]
    key: str = ""

    @property
    def shown(self) -> Content:
        """Its name, with the key beside it."""
        return styled(self.name, "") + styled(f"  {self.key}" if self.key else "", "$quiet")

    @property
    def more(self) -> str | None:
        """What it is, where its name does not say it."""
        return safe(self.says) if self.says.casefold() != self.name.casefold() else None


class Everything(Provider):
    """All that can be done now, found by any letters of its name in order."""

    async def discover(self) -> Hits:
        """Before anything is typed: actions, commands and views."""
        for entry in (*actions(self._app), *commands(self._app), *views(self._app)):
            yield DiscoveryHit(entry.shown, entry.do, text=entry.name, help=entry.more)

    async def search(self, query: str) -> Hits:
        """What matches, the best first."""
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
        from advisor.tui.app import AdvisorApp

        assert isinstance(self.app, AdvisorApp)
        return self.app


def everything(app: AdvisorApp) -> Iterator[Entry]:
    """Every entry, the general ones first."""
    yield from actions(app)
    yield from commands(app)
    yield from views(app)
    yield from things(app)


def actions(app: AdvisorApp) -> Iterator[Entry]:
    """What the keys of the screen do, and the keys that work everywhere, where they do something now."""
    under = next((s for s in reversed(app.screen_stack) if type(s).__module__.startswith("advisor.")), app.screen)
    for key in [one for group in keys_of(app, under) for one in group]:
        if works(key) and "digit" not in key.action:
            yield Entry(key.name, key.says, _runs(app, key.action, key.at), key.shown)


def _runs(app: AdvisorApp, action: str, at: object) -> Callable[[], object]:
    return lambda: app.run_action(action, at)  # type: ignore[arg-type]


def commands(app: AdvisorApp) -> Iterator[Entry]:
    """The slash commands; one that takes something is put into the line to be completed."""
    for command in COMMANDS.values():
        word, needs = f"/{command.name}", bool(command.takes) and not command.takes.startswith("[")
        yield Entry(command.usage, command.does, _types(app, f"{word} ") if needs else _says(app, word))


def _says(app: AdvisorApp, line: str) -> Callable[[], object]:
    return lambda: app.say(line)


def _types(app: AdvisorApp, line: str) -> Callable[[], object]:
    return lambda: app.prefill(line)


def views(app: AdvisorApp) -> Iterator[Entry]:
    """The views of the session."""
    for view in VIEWS:
        name, says = words.VIEWS.get(view, (view, ""))
        yield Entry(name, says, _posts(app, e.ViewShown(view)))


def things(app: AdvisorApp) -> Iterator[Entry]:
    """Findings of the launch at hand, steps, launches, exercises, and what can be explained."""
    state = app.state
    if state.launch is not None:
        for finding in state.launch.findings:
            yield Entry(
                words.FINDING.format(title=finding.title), words.FINDING_SAYS, _posts(app, e.FindingShown(finding.id))
            )
    for step in state.knowledge.steps:
        says = words.STEP.format(id=step.id, title=step.title)
        yield Entry(says, words.STEP_SAYS, _posts(app, e.StepShown(step.id)))
    if state.diagnosis is not None and not state.numbers:
        for at, launch in enumerate(state.diagnosis.launches):
            number = launch_number(launch, state.several_reports)
            kernel = safe(launch.kernel).replace("\n", " ")[:_LONGEST]
            name = words.LAUNCH.format(number=number, kernel=kernel)
            yield Entry(name, words.LAUNCH_SAYS, _posts(app, e.LaunchSelected(at)))
    for exercise in state.knowledge.exercises:
        event = e.ViewShown("practice", exercise)
        yield Entry(words.EXERCISE.format(name=exercise), words.EXERCISE_SAYS, _posts(app, event))
    for name, title in state.knowledge.findings:
        event = e.ViewShown("knowledge", name)
        yield Entry(words.EXPLAIN.format(title=title or name), words.EXPLAIN_SAYS, _posts(app, event))


def _posts(app: AdvisorApp, event: e.Event) -> Callable[[], object]:
    return lambda: app.do(event)
