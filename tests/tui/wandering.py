"""A user who does anything in any order: seeded actions on the program, and what must hold after each."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Final

from textual.widgets import Input

from advisor.session import events as e
from advisor.session.actions import COMMANDS
from advisor.session.choices import choices
from advisor.session.reducer import replay
from advisor.session.state import VIEWS, State
from advisor.tui.screens.launches import LaunchesScreen
from advisor.tui.screens.session import SessionScreen
from tui.driver import Driver
from tui.hostile import NAMES

KEYS: Final = (
    *("enter", "up", "down", "left", "right", "pageup", "pagedown", "home", "end", "tab", "shift+tab", "escape"),
    *("space", "backspace", "delete", "ctrl+t", "ctrl+y", "ctrl+p", "ctrl+r", "ctrl+up", "ctrl+end"),
    *("alt+up", "alt+down", "alt+2", "alt+m"),
    *(f"f{n}" for n in range(1, 13)),
    *"fhnswcpermgluvykt?",  # actions, the same on all screens
    *"abdijoxzBNO[]<>/:+-=0123456789",  # keys of one screen, and those that open the prompt
)
LINES: Final = (
    *(
        "1",
        "2",
        "3",
        "9",
        "d",
        "y",
        "no",
        "idk",
        "why",
        "how",
        "next",
        "what if",
        "what is",
        "show the steps",
        "go back",
    ),
    *("64 MiB", "12.5us", "83%", "f64", "double", "transpose", "4096", "2^20", "1,234.56", "-1e999", "0x10", "1e999"),
    *(
        "dram 83%",
        "l2 = 41, dram 7%",
        "long scoreboard 42",
        "i expect memory",
        "compare with new.ncu-rep",
        "open t.sqlite",
    ),
    *("banana", "/", "//", "é" * 300, *(name[:2000] for name in NAMES.values())),
)
GIVEN: Final = ("", "1", "3", "bank_conflicts", "tail_effect", "dram_pct=80", "occupancy", "t.sqlite", "new.ncu-rep")
SIZES: Final = ((80, 24), (160, 50), (30, 8), (110, 30), (200, 12), (80, 40))
# Answers to these are kept as answers about the kernel; others lead somewhere (a napkin, a file, a first question).
KEPT: Final = ("question", "metric", "gpu")


@dataclass
class Wanderer:
    """Draws actions from a seed, does them, and checks."""

    at: Driver
    chance: random.Random
    done: list[str] = field(default_factory=list)

    async def wander(self, actions: int) -> int:
        """Do so many actions, or fewer where the program was left; how many were done."""
        for turn in range(actions):
            before = self.at.app.state
            await self._act()
            if self.left:
                return turn + 1
            lost = lost_answer(before, self.at.app.state)
            assert not lost, f"{lost} was lost after {self.done[-5:]}"
            if turn % 100 == 99:
                assert replay(self.at.app.state.log) == self.at.app.state, self.done[-100:]
                await self.come_back()
        return actions

    @property
    def left(self) -> bool:
        """Whether the program has ended."""
        return self.at.app.state.place == "closed" or not self.at.app.is_running

    async def _act(self) -> None:
        kind = self.chance.random()
        # Left to chance alone it would spend most of its time in lists and views, where little can be said.
        if self.chance.random() < 0.3 and not self._at_home():
            kind = 0.95
        if self.chance.random() < 0.4 and isinstance(self.at.app.screen, LaunchesScreen):
            self.done.append("a launch")
            self.at.app.say(f"/kernel {self.chance.randrange(6)}")
            await self.at.pilot.pause()
        elif kind < 0.35:
            key = self.chance.choice(KEYS)
            self.done.append(key)
            await self.at.pilot.press(key)
        elif kind < 0.88:
            line = self._line()
            self.done.append(line)
            await self._type(line)
        elif kind < 0.9:
            view = self.chance.choice(tuple(VIEWS))
            self.done.append(f"view {view}")
            self.at.app.dispatch(e.ViewShown(view, self.chance.choice(("", "occupancy", "bank_conflicts"))))
            await self.at.pilot.pause()
        elif kind < 0.96:
            self.done.append("escape")
            await self.at.pilot.press("escape")
        else:
            size = self.chance.choice(SIZES)
            self.done.append(str(size))
            await self.at.pilot.resize_terminal(*size)

    async def _type(self, line: str) -> None:
        """Open the prompt as a user does, put the line into it, as a paste would, and send it."""
        if not isinstance(self.at.app.focused, Input):
            await self.at.pilot.press(self.chance.choice("/:"))
        focused = self.at.app.focused
        # Where no prompt opens, the line goes into one that is there, and Enter to what has the focus.
        prompt = focused if isinstance(focused, Input) else next(iter(self.at.app.screen.query(Input)), None)
        if prompt is not None:
            prompt.value = line
        await self.at.pilot.press("enter")

    def _line(self) -> str:
        """A command, an answer to what is asked, the name of a choice, or anything."""
        kind, state = self.chance.random(), self.at.app.state
        if kind < 0.3:
            name = self.chance.choice([command.name for command in COMMANDS.values() if command.name != "quit"])
            return f"/{name} {self.chance.choice(GIVEN)}".strip()
        offered = [choice for choice in choices(state) if choice.id != "quit"]
        if kind < 0.5 and offered:
            return self.chance.choice(offered).label
        if kind < 0.75 and state.ask is not None and state.ask.kind == "number":
            return f"{self.chance.choice((1, 12.5, 40, 99, 1e6)):g}"
        return self.chance.choice(LINES)

    async def come_back(self) -> None:
        """Escape leaves whatever is open, in a few presses."""
        for _ in range(12):
            await self.at.settle()
            if self._at_home():
                return
            await self.at.pilot.press("escape")
        assert self._at_home(), f"{self.at.app.screen} cannot be left; before: {self.done[-8:]}"

    def _at_home(self) -> bool:
        return isinstance(self.at.app.screen, SessionScreen | LaunchesScreen) and not self.at.app.state.view


def lost_answer(before: State, after: State) -> object:
    """An answer that was accepted and is nowhere, None where all are kept, replaced or undone."""
    if len(after.log) < len(before.log) or after.log[: len(before.log)] != before.log:
        return None  # undone
    new = after.log[len(before.log) :]
    anew = any(isinstance(event, e.VersionBegun | e.ReportGiven | e.Completed) for event in new)
    for position, question, value in before.answers:
        again = any((p, q) == (position, question) for p, q, _ in after.answers)
        if not again and not anew:
            return question, value
    event, asked = (new[0] if new else None), before.ask
    if not isinstance(event, e.Answered) or event.value is None or asked is None or asked.group not in KEPT:
        return None
    kept = any((q, v) == (event.question, event.value) for _, q, v in after.answers)
    return None if kept else event
