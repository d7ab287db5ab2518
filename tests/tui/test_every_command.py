"""Every slash command, typed on a screen: what it does can be seen, and Back or Escape leads out of it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from advisor.session.actions import COMMANDS as BY_NAME
from advisor.session.executor import sources as real
from advisor.session.export.export import writers
from advisor.session.transcripts.autosave import Saving
from tui.driver import Driver, session

RECORDED = (
    Path(__file__).resolve().parents[2] / "kernels" / "bank-conflicts" / "recorded" / "h200" / "profile.ncu-rep.xz"
)
# The command as it is typed on a launch whose first finding is bank conflicts, and what must stand on the screen.
SEEN = {
    "ask": ("/ask is it memory bound", "Answer"),
    "why": ("/why", "Mixed"),
    "details": ("/details", "Details"),
    "how": ("/how", "How"),
    "proof": ("/proof", "concluded by 1 rule"),
    "whynot": ("/whynot uncoalesced_access", "Why not"),
    "whatif": ("/whatif shared_wavefront_ratio=1", "What if"),
    "explain": ("/explain occupancy", "Explain"),
    "evidence": ("/evidence", "Evidence"),
    "next": ("/next", "This launch has no other finding"),
    "fix": ("/fix", "Fix"),
    "missing": ("/missing", "Missing"),
    "collect": ("/collect", "Collect"),
    "source": ("/source", "SASS"),
    "timeline": ("/timeline", "trace"),
    "steps": ("/steps", "Napkin"),
    "goto": ("/goto 2b", "Memory chart"),
    "compare": ("/compare {report}#1 a padded tile", "Faster"),
    "predict": ("/predict on", "Predictions are on"),
    "version": ("/version wider loads", "typed numbers"),
    "baseline": ("/baseline without the early exit", "typed numbers"),
    "log": ("/log", "log"),
    "kernel": ("/kernel 1", "transpose"),
    "kernels": ("/kernels", "First finding"),
    "napkin": ("/napkin", "algorithm"),
    "practice": ("/practice bank-conflicts", "Story"),
    "back": ("/back", "transpose"),
    "skip": ("/skip", "/skip"),
    "save": ("/save {folder}/mine.jsonl", "saved"),
    "export": ("/export md {folder}/mine.md", "saved"),
    "help": ("/help", "/whynot"),
    "quit": ("/quit", ""),
}


def test_every_command_is_typed_here():
    assert SEEN.keys() == BY_NAME.keys()


async def opened(at: Driver) -> None:
    """The first launch, with its diagnosis shown."""
    await at.open()
    assert at.app.state.place == "launch" and at.app.state.cards


@pytest.mark.heavy
@pytest.mark.parametrize("name", SEEN)
async def test_a_command_does_what_it_says(name: str, tmp_path: Path):
    line, shown = SEEN[name]
    saving = Saving()
    own = saving.sources(real(), writers())
    fields = {field.name: getattr(own, field.name) for field in dataclasses.fields(own)}
    async with session(str(RECORDED), size=(160, 50), **fields) as at:
        await opened(at)
        before = len(at.app.state.log)
        await at.say(line.format(report=RECORDED, folder=tmp_path))
        if name == "quit":
            assert at.app.state.place == "closed"
            return
        assert shown.casefold() in at.screen.casefold(), at.screen
        if name not in ("skip", "version", "baseline", "back"):  # nothing is asked, or typed, or to be undone here
            assert len(at.app.state.log) > before
        if name in ("save", "export"):
            assert list(tmp_path.iterdir())
        for _ in range(6):
            await at.press("escape")
        assert at.app.is_running and not at.app.state.view
