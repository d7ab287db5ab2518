"""What would decide a launch without a diagnosis: rows of its page, and the command that collects it."""

from __future__ import annotations

from advisor.knowledge.base import catalog, finding_title, metric_title
from advisor.knowledge.texts import within_sentence
from advisor.records.deciding import Deciding, Wanted
from advisor.view.blocks import Block, Command, Fact, Paragraph

WOULD_DECIDE = "Would decide"
_CAUSES = 4


def deciding_facts(deciding: Deciding | None) -> list[Fact]:
    """Return a row for each section that would decide, or for each question; empty without any."""
    if deciding is None:
        return []
    rows = [Fact(WOULD_DECIDE, section_text(one), "lead") for one in deciding.sections]
    asked = [catalog().questions[name].ask for name in deciding.questions if name in catalog().questions]
    return rows + [Fact(WOULD_DECIDE, f"your answer: {ask}", "lead") for ask in asked]


def section_text(wanted: Wanted) -> str:
    """`stall long scoreboard, stall barrier (section WarpStateStats): memory latency not hidden, barrier stalls`."""
    metrics = ", ".join(within_sentence(metric_title(metric)) for metric in wanted.metrics)
    causes = [within_sentence(finding_title(cause)) for cause in wanted.findings]
    more = [f"{len(causes) - _CAUSES} more"] if len(causes) > _CAUSES else []
    return f"{metrics} (section {wanted.section}), for {', '.join([*causes[:_CAUSES], *more])}"


def deciding_blocks(deciding: Deciding | None) -> tuple[Block, ...]:
    """Return the command that collects what would decide; empty if nothing is to be collected."""
    if deciding is None or not deciding.command:
        return ()
    return (Paragraph("Collect what would decide:"), Command(deciding.command, fold=True))
