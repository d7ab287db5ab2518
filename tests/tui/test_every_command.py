"""Every slash command, typed on a screen: what it does can be seen, and Back or Escape leads out of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.session.actions import COMMANDS as BY_NAME
from advisor.session.executor import sources as real
from advisor.session.transcripts.autosave import Saving
from advisor.tui.screens.launches import LaunchesScreen
from advisor.tui.screens.session import SessionScreen
from tui.driver import session

RECORDED = (
    Path(__file__).resolve().parents[2] / "kernels" / "bank-conflicts" / "recorded" / "h200" / "profile.ncu-rep.xz"
)
# The command as it is typed on a launch whose first finding is bank conflicts, and what must stand on the screen.
SEEN = {
    "ask": ("/ask is it memory bound", "Answer"),
    "why": ("/why", "bank_conflicts.excess"),
    "details": ("/details", "Details"),
    "how": ("/how", "How"),
    "proof": ("/proof", "concluded by 1 rule"),
    "whynot": ("/whynot uncoalesced_access", "Why not"),
    "whatif": ("/whatif shared_wavefront_ratio=1", "What if"),
    "explain": ("/explain occupancy", "Explain"),
    "evidence": ("/evidence", "Evidence"),
    "next": ("/next", "All findings of this launch are shown above"),
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
    assert set(SEEN) ^ set(BY_NAME) == set(), "SEEN lists what each command shows"


@pytest.mark.heavy
async def test_every_command_does_what_it_says(tmp_path: Path):
    """In one session, put back to the first launch with its diagnosis after each command; /quit is the last."""
    saving = Saving()
    own = saving.sources(real())
    fields = {name: getattr(own, name) for name in own.__struct_fields__}
    async with session(str(RECORDED), size=(160, 50), **fields) as at:
        await at.open()
        opened = at.app.state
        assert opened.place == "launch" and opened.cards
        for name, (line, shown) in SEEN.items():
            (tmp_path / name).mkdir()
            await at.say(line.format(report=RECORDED, folder=tmp_path / name))
            if name == "quit":
                break
            assert shown.casefold() in at.screen.casefold(), f"/{name}\n{at.screen}"
            if name not in ("skip", "version", "baseline", "back"):  # nothing is asked, or typed, or to be undone here
                assert len(at.app.state.log) > len(opened.log), name
            if name in ("save", "export"):
                assert list((tmp_path / name).iterdir()), name
            for _ in range(6):
                if not at.app.state.view and isinstance(at.app.screen, SessionScreen | LaunchesScreen):
                    break
                await at.press("escape")
            assert at.app.is_running and not at.app.state.view, name
            at.app.go_on(opened, at.app.executor)
            await at.settle()
        assert name == "quit" and at.app.state.place == "closed"
