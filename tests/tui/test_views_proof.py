"""The proof screen: a tree from the finding to its numbers and sources, or what kept each rule."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from advisor.reasoning.engine.explain import BlockedRule, Clause, Proof, RuleProof
from advisor.session.records import KnowledgeIndex, Proved
from advisor.tui.screens.knowledge import KnowledgeScreen
from advisor.tui.screens.proof import Node, ProofScreen, ProofTree, tree
from advisor.tui.screens.session import SessionScreen
from advisor.tui.widgets.prompt import Prompt
from advisor.tui.widgets.text import Note
from tests.changed import replace
from tui.driver import Driver, session
from tui.factory import Analysis, comparison

SIZES = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])


@asynccontextmanager
async def proof(size: tuple[int, int] = (80, 24), **more: Any) -> AsyncIterator[Driver]:
    """The proof of the transpose's bank conflicts."""
    async with session("tour.ncu-rep", size=size, **more) as at:
        await at.open()
        await at.press("f8")
        assert isinstance(at.app.screen, ProofScreen)
        yield at


def under(at: Driver) -> str:
    """The words under the cursor."""
    node = at.app.screen.query_one(ProofTree).cursor_node
    assert node is not None
    return str(node.label)


def beside(at: Driver) -> str:
    """What the pane says of the node under the cursor."""
    return " ".join(line.plain for line in at.app.screen.query_one("#detail", Note).shown)


@SIZES
async def test_from_the_finding_over_its_rule_to_the_number_its_threshold_and_the_source(size: tuple[int, int]):
    async with proof(size) as at:
        assert at.shows("Shared-memory bank conflicts: concluded by 1 rule")
        assert at.shows("✓ Shared accesses take 16.5×", "✓ Shared accesses need too many wavefronts")
        assert at.shows("shared_wavefront_ratio = 16.5, tested > 1.1")
        assert at.shows("✓ unless excess_on_atomics (false, so"), "an unless that is false lets the rule through"
        await at.press("down", "down", "down")
        assert "shared_wavefront_ratio" in under(at) and "15× the threshold" in beside(at)
        await at.press("right", "right", "right", "right")
        assert "The guide: step 3" in under(at)
        await at.press("escape")
        assert isinstance(at.app.screen, SessionScreen)


async def test_left_folds_and_right_unfolds_and_a_does_so_with_everything():
    async with proof() as at:
        await at.press("down", "left")
        assert not at.shows("shared_wavefront_ratio")
        await at.press("right")
        assert at.shows("shared_wavefront_ratio")
        await at.press("a")
        assert not at.shows("Shared accesses need too many")
        await at.press("a")
        assert at.shows("The guide: step 3"), "unfolded down to the sources"
        await at.press("left")
        assert not at.shows("Shared accesses need too many")


async def test_n_goes_through_the_class_and_the_findings_and_the_class_says_where_it_turns():
    async with proof() as at:
        await at.press("N")
        assert at.shows("class, 1 / 4", "Flips if", "memory_pct = 60.0 % (now 96.1 %): then latency_bound")
        await at.press("n", "n")
        assert at.shows("finding, 3 / 4: Narrow accesses")
        await at.press("f4")
        assert at.shows("finding, 2 / 4: Shared-memory bank conflicts")


@SIZES
async def test_a_finding_that_was_not_concluded_says_what_kept_its_rules(size: tuple[int, int]):
    async with proof(size) as at:
        await at.press("slash", *"tail")
        await at.press("enter")
        assert at.shows("Tail effect: not concluded:", "✗ rule tail_effect.rule: did not fire")
        assert at.shows("✗ The grid is few waves", "waves = 62, tested > 4")
        assert at.app.state.view_subject == "tail_effect"


async def test_what_no_finding_is_called_is_told():
    async with proof() as at:
        at.app.screen.query_one(Prompt).focus()
        await at.say("zzzz")
        assert "No finding is called zzzz" in " ".join(at.notes)
        assert at.app.state.view_subject == "bank_conflicts"


async def test_enter_explains_the_word_under_the_cursor_and_escape_comes_back():
    async with proof() as at:
        await at.press("enter")
        assert isinstance(at.app.screen, KnowledgeScreen) and at.app.state.view_subject == "bank_conflicts"
        await at.press("escape")
        assert isinstance(at.app.screen, ProofScreen)
        assert at.shows("concluded by 1 rule")


async def test_a_proof_that_fails_says_so_and_is_tried_again(monkeypatch: pytest.MonkeyPatch):
    def fails(self: Any, *_: Any) -> Any:
        raise ValueError("a defect of ours")

    async with proof() as at:
        at.app.screen.query_one(Prompt).focus()
        with monkeypatch.context() as patch:
            patch.setattr(Analysis, "why_not", fails)
            await at.say("tail effect")
            assert at.shows("!", "Ctrl+R retries")
        await at.press("ctrl+r")
        assert at.shows("✗ rule tail_effect.rule")


def labels(node: Node) -> list[str]:
    return [node.label, *(label for child in node.children for label in labels(child))]


def test_an_unknown_condition_is_neither_true_nor_false_and_a_finding_behind_it_is_proved_in_turn():
    unknown = comparison("ratio_high", "ratio", None, "ratio", 2.0, "the ratio is high")
    inner = Proof("latency", "Latency", "note", (RuleProof("latency.rule", "warps wait", (), ()),))
    clauses = (Clause("ratio_high", "when", None, (unknown,)), Clause("found.latency", "when", True, (), inner))
    rule = RuleProof("a.rule", "both hold", (), clauses)
    top = tree(Proved(Proof("a", "A", "diagnosis", (rule,))), "a", KnowledgeIndex(findings=(("latency", "Latency"),)))
    condition, found = top.children[0].children
    assert condition.status == "unknown" and "(unknown)" in condition.label
    assert condition.children[0].label == "ratio = unknown, tested > 2"
    assert found.label == "Latency (holds)" and "Warps wait" in labels(found)
    assert found.word == "latency"


def test_a_blocking_unless_is_marked_as_what_fails():
    rule = BlockedRule("a.rule", "a", False, (), (), (Clause("on_atomics", "unless", True),), ())
    blocked = tree((rule,), "a", KnowledgeIndex()).children[0]
    assert blocked.status == "fails" and blocked.children[0].status == "fails"
    assert "blocks the rule" in blocked.children[0].label


def test_without_any_rule_the_tree_says_so():
    assert "No rule concludes this" in tree((), "a", KnowledgeIndex()).label


@SIZES
async def test_hostile_texts_in_a_proof_are_shown_and_not_obeyed(size: tuple[int, int]):
    async with proof(size) as at:
        evil = "[red]x[/red]\x1b[31m\u202e" + "y" * 10_000
        rule = RuleProof(
            "a.rule", evil, (evil,), (Clause("c", "when", True, (comparison("c", evil, 1, "", 2, evil),)),)
        )
        top = tree(Proved(Proof("a", evil, "diagnosis", (rule,))), "a", replace(at.app.state.knowledge, findings=()))
        view = at.app.screen.query_one(ProofTree)
        view.fill(top)
        await at.press("down", "down", "down")
        assert "\x1b" not in at.screen and "\u202e" not in at.screen
        assert at.shows("[red]x[/red]") and all(len(line) == size[0] for line in at.rows)


@pytest.mark.parametrize("size", [(60, 24), (80, 24)], ids=["60x24", "80x24"])
async def test_rows_that_have_no_room_end_in_an_ellipsis_and_the_footer_keeps_the_way_out(size: tuple[int, int]):
    async with proof(size) as at:
        tree = at.app.screen.query_one(ProofTree)
        tree.root.add_leaf("bank " * 40)
        await at.settle()
        row = next(row for row in at.rows if "bank bank" in row)
        assert row.rstrip().endswith("…") and not tree.max_scroll_x
        keys = "\n".join(at.rows[-2:])
        assert "? Help" in keys and "Leave" in keys
        await at.pilot.resize_terminal(200, 24)
        await at.settle()
        assert "Why not" in at.rows[-1]
