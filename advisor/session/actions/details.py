"""Show the whole page of a launch, as `diagnose` prints it."""

from __future__ import annotations

from typing import Final

from msgspec import structs

from advisor.session.action import Action, Command
from advisor.session.records import Card
from advisor.session.requests import UserEvent
from advisor.session.state import State
from advisor.session.transitions import add, reveal
from advisor.session.views import located
from advisor.view.blocks import Line
from advisor.view.pages.diagnosis import about_text
from advisor.view.pages.launch import launch_blocks


class DetailsShown(UserEvent, frozen=True, tag="details"):
    """Everything that `diagnose` prints for this launch is shown."""


def _details_shown(state: State, event: DetailsShown) -> State:
    launch = state.launch
    if state.place != "launch" or launch is None or state.position is None:
        return state
    found = tuple(located(state, finding) for finding in launch.findings)
    page = launch_blocks(structs.replace(launch, findings=found), {})
    rest = [block for title, body, _ in page.rest if body for block in (Line(title, "strong"), *body)]
    reports = state.diagnosis.reports if state.diagnosis is not None else ()
    about = [Line(about_text(reports[launch.report]), "quiet")] if launch.report < len(reports) else []
    blocks = (*about, *page.first, *rest)
    return add(reveal(state), Card("details", launch.kernel, blocks, state.position, label="Details"))


_DETAILS: Final = Command(
    "details",
    "everything that diagnose prints for this launch",
    DetailsShown,
    group="launch",
    key="i",
    short="Info",
    said=("everything", "the whole page", "all numbers"),
)

ACTIONS: Final = (Action(DetailsShown, _details_shown, "asks for the whole page", (_DETAILS,), step="2", mark="done"),)
