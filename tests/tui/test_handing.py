"""Keys and pasted text for the line of a screen whose list has the focus: a burst of them arrives whole."""

from __future__ import annotations

from textual.events import Key, Paste

from advisor.tui.widgets.prompt import Prompt
from tests.changed import replace
from tui.driver import Driver, session
from tui.factory import INDEX

KEYS = {".": "full_stop", "/": "slash", "\r": "enter"}


async def burst(at: Driver, text: str, *, paste: str = "") -> None:
    """All at once, as a terminal hands over what it read: nothing waits for what the key before it does."""
    if paste:
        at.app.post_message(Paste(paste))
    for c in text:
        at.app.post_message(Key(KEYS.get(c, c), None if c == "\r" else c))
    await at.settle()


def line(at: Driver) -> str:
    return at.app.screen.query_one(Prompt).value


BURSTS = (
    ("f9", "0.25", "0.25"),
    ("f7", "/LDG", "LDG"),
    ("f7", ":share>5", "share>5"),
    ("f8", "/nearr", "nearr"),
    ("f12", "dram", "dram"),
    ("", ":dram", "dram"),
    ("", "/dram", "dram"),
)


async def test_a_burst_of_keys_or_pasted_text_arrives_whole():
    async with session("tour.ncu-rep") as at:
        await at.open()
        for view, text, there in BURSTS:
            for paste in ("", "0.2\nmore"):
                if view:
                    await at.press(view)
                await burst(at, "1" if paste else text, paste=paste)
                assert line(at) == ("0.21" if paste else there), (view, text)
                assert at.app.screen.query_one(Prompt).has_focus, (view, text)
                for _ in range(4):
                    if line(at) or at.app.state.view:
                        await at.press("escape")
                assert not line(at) and at.app.state.place == "launch" and not at.app.state.view, (view, text)


async def test_a_value_typed_or_pasted_with_its_enter_is_tried():
    index = replace(INDEX, metrics=(("memory_pct", "%", "memory throughput"),))
    async with session("tour.ncu-rep", knowledge=lambda: index) as at:
        await at.open()
        await at.press("f9")
        await burst(at, "4.5\r")
        assert [value for _, value in at.app.state.supposing] == [4.5] and not line(at)
        await burst(at, "\r", paste="70.25")
        assert [value for _, value in at.app.state.supposing] == [70.25]
        await at.press("right")
        assert not line(at), "the keys are the table's again"


async def test_beside_the_evidence_what_is_typed_goes_to_the_prompt():
    async with session("tour.ncu-rep", size=(160, 50)) as at:
        await at.open()
        await at.press("tab")
        assert not at.app.screen.query_one("#prompt").has_focus
        await burst(at, "/why is that")
        assert line(at) == "why is that"
