"""Show the list of launches and select one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from advisor.session.action import Action, Command, Listing, Typed, shape
from advisor.session.actions.help import NotUnderstood, unless_unclear
from advisor.session.language.names import begun, near, pick
from advisor.session.method.steps import steps_to_reveal
from advisor.session.requests import Event, UserEvent
from advisor.session.state import State, launch_number
from advisor.session.transitions import select


class LaunchSelected(UserEvent, frozen=True, tag="launch"):
    """A launch is selected by its index in the diagnosis."""

    position: int


class LaunchesShown(UserEvent, frozen=True, tag="launches"):
    """The list of launches is shown again."""


def _launches_shown(state: State, event: LaunchesShown) -> State:
    """Show the list; drop an open question."""
    if state.place != "launch" or state.numbers:
        return state
    return replace(state, place="launches", ask=None, napkin_input=None)


def _kernel(line: Typed, state: State) -> Event:
    launches = () if state.diagnosis is None else state.diagnosis.launches
    rest = line.rest
    if not rest or state.numbers:
        return LaunchesShown()
    numbers = {launch_number(launch, state.several_reports): at for at, launch in enumerate(launches)}
    if rest.lstrip("#") in numbers:
        return LaunchSelected(numbers[rest.lstrip("#")])
    names = [launch.kernel for launch in launches]
    found = pick(rest, names)
    if len(found) == 1:
        same = [number for number, at in numbers.items() if names[at] == found[0]]
        if len(same) == 1:
            return LaunchSelected(numbers[same[0]])
        because = "Several launches run this kernel: choose one by its number."
        return NotUnderstood(f"/kernel {rest}", tuple(f"/kernel {n}" for n in same[:4]), because)
    meant = tuple(f"/kernel {name}" for name in (found or near(rest, names))[:4])
    return NotUnderstood(f"/kernel {rest}", meant, "Give the number or the kernel of one launch.")


def _kernels(rest: str, state: State, listing: Listing) -> Iterable[str]:
    launches = () if state.diagnosis is None else state.diagnosis.launches
    numbers = [launch_number(launch, state.several_reports) for launch in launches]
    return (*begun(rest, (launch.kernel for launch in launches)), *(n for n in numbers if n.startswith(rest)))


def _words(event: LaunchSelected, kernels: tuple[str, ...]) -> str:
    at = event.position
    if not 0 <= at < len(kernels) or not kernels[at]:
        return f"opens the launch at position {at}"
    return f"opens {kernels[at]}" + ("" if kernels.count(kernels[at]) == 1 else f", the launch at position {at}")


_KERNEL: Final = Command(
    "kernel",
    "another launch",
    _kernel,
    "[number or name]",
    group="launch",
    shapes=(
        shape(
            "(?:launch|kernel|go to kernel|go to launch|another kernel|look at)",
            lambda line, state: unless_unclear(_kernel(line, state)),
        ),
    ),
    complete=_kernels,
)
_KERNELS: Final = Command(
    "kernels",
    "the list of launches",
    LaunchesShown,
    group="launch",
    key="l",
    short="Launches",
)

ACTIONS: Final = (
    Action(
        LaunchSelected,
        lambda state, event: select(state, event.position),
        _words,
        (_KERNEL,),
        step=lambda event, state: steps_to_reveal(state),
    ),
    Action(LaunchesShown, _launches_shown, "goes to the list of launches", (_KERNELS,)),
)
