"""What the views' screens look like, to the character and colour, on fixed data."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.tui.app import AdvisorApp
from tui.code_factory import locator
from tui.factory import desk
from tui.test_snapshots import after
from tui.test_views_whatif import KNOWN


@pytest.mark.parametrize(
    ("size", "lines"),
    [
        ((80, 24), ("/kernel 1", "<f7>", "<b>", "<d>")),
        ((160, 50), ("/kernel 1", "<f8>", "<down>", "<down>")),
        ((80, 24), ("/kernel 1", "<f9>", "<less_than_sign>")),
    ],
    ids=["source", "proof", "whatif"],
)
def test_a_view_looks_as_it_did(snap_compare: Any, size: tuple[int, int], lines: tuple[str, ...]):
    app = AdvisorApp(desk(locate=locator(), knowledge=lambda: KNOWN), ("tour.ncu-rep",))
    assert snap_compare(app, terminal_size=size, run_before=after(*lines))
