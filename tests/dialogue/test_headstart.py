"""Reading that begins before the session asks for it."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from tui.factory import analyse

from advisor.dialogue.desk import CalledOff
from advisor.dialogue.headstart import HeadStart
from advisor.errors import InputError

TOUR = [Path("tour.ncu-rep")]


def quiet(what: str, done: int, total: int) -> None:
    """No progress wanted."""


def test_the_work_begun_is_what_the_first_call_gets_and_is_not_done_twice():
    calls = []

    def counted(paths, gpu, progress):  # type: ignore[no-untyped-def]
        calls.append(paths)
        return analyse(paths, gpu, progress)

    ahead = HeadStart(counted, TOUR, None)
    assert len(ahead(TOUR, None, quiet).diagnosis.launches) == 6
    assert len(calls) == 1
    ahead(TOUR, None, quiet)
    assert len(calls) == 2, "reading again really reads again"


def test_other_reports_or_another_card_are_read_as_usual():
    ahead = HeadStart(analyse, TOUR, None)
    with pytest.raises(InputError, match="cut off"):
        ahead([Path("broken.ncu-rep")], None, quiet)


def test_what_went_wrong_is_raised_where_the_result_is_wanted():
    ahead = HeadStart(analyse, [Path("broken.ncu-rep")], None)
    with pytest.raises(InputError, match="cut off"):
        ahead([Path("broken.ncu-rep")], None, quiet)


def test_progress_made_before_is_told_and_calling_off_reaches_the_work():
    reached, gate, told = threading.Event(), threading.Event(), []

    def slow(paths, gpu, progress):  # type: ignore[no-untyped-def]
        progress("read", 1, 2)
        reached.set()
        gate.wait(10)
        progress("read", 2, 2)
        return analyse(paths, gpu, progress)

    def listen(what: str, done: int, total: int) -> None:
        told.append(done)
        gate.set()
        if done == 2:
            raise CalledOff

    ahead = HeadStart(slow, TOUR, None)
    assert reached.wait(10)
    with pytest.raises(CalledOff):
        ahead(TOUR, None, listen)
    assert told == [1, 2]
