"""The code of an open launch is read for the producers of its lost issue slots, also if its finding has no place."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace
from tui.talk import settle

from advisor.records.diagnosis import main_finding
from advisor.session import events as e
from advisor.session import views
from advisor.session.executor import Executor, sources
from advisor.session.reducer import reduce
from advisor.session.state import State


def test_the_slots_of_a_copy_that_is_done_have_their_producers(tour_path: Path) -> None:
    desk = Executor(sources())
    listed = replace(settle(reduce(State(), e.Began((str(tour_path),))), desk), expects=False)
    state = settle(reduce(listed, e.LaunchSelected(0)), desk)
    assert state.launch is not None
    finding = main_finding(state.launch)
    assert finding is None or finding.id not in state.knowledge.placed
    (seen,) = views.read(state)
    assert seen.slots is not None
    first = max(seen.slots.lost, key=lambda lost: lost.percent)
    assert first.reason == "long_scoreboard" and first.blamed and "LDG" in first.blamed[0].producer.sass
