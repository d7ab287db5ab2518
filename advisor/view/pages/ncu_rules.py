"""Compare Nsight Compute's rules with the advisor's conclusions: the differences, or all rules."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.records.diagnosis import ENDS, Finding, LaunchDiagnosis, RuleVerdict
from advisor.view.blocks import Line, Page, Paragraph, Turn, section
from advisor.view.numbers import share_text, time_text
from advisor.view.text import title_text

HEADING = "Where Nsight Compute's rules disagree"
CLAIM = 0.10  # of the kernel's time: the minimum saving for a line
_MOST = 3  # lines; a report of a tuned library has a dozen such promises
_NOT_RANKED = ("refuted", "gave_way", "small", "unknown")


def differing(launch: LaunchDiagnosis) -> list[RuleVerdict]:
    """Return relevant verdicts: another class, savings of 10 % that are not ranked here, another first cause.

    Savings on subjects without a diagnosis are only in the full list.
    """
    out = []
    for verdict in launch.ncu_rules:
        claims = verdict.saving >= CLAIM
        if (
            verdict.here.status == "class_differs"
            or (claims and verdict.here.status in _NOT_RANKED)
            or (claims and verdict.leading and verdict.here.status == "ranked")
        ):
            out.append(verdict)
    return sorted(out, key=lambda v: v.here.status != "class_differs")


def verdict_texts(launch: LaunchDiagnosis, first: Finding | None) -> tuple[list[str], str]:
    """Return the differences as sentences, and a line on those left out."""
    found = differing(launch)
    promises = [v for v in found if v.here.status != "class_differs"]
    # A kernel near its limit, or too short to measure, has the same answer to all estimates.
    settled = first is not None and first.id in (*ENDS, "launch_overhead") and bool(promises)
    shown_ = [v for v in found if v not in promises] if settled else found[:_MOST]
    texts = [f"ncu: {rule_claim(verdict)}. Advisor: {verdict.here.because}" for verdict in shown_]
    if settled and first is not None:
        names = "; ".join(v.short for v in promises[:_MOST]) + ("; …" if len(promises) > _MOST else "")
        most = max(v.saving for v in promises)
        texts.append(f"ncu: up to {share_text(most)} of the time ({names}). Advisor: {first.title}: {first.because}")
    elif len(found) > _MOST:
        return texts, f"and {len(found) - _MOST} more: `ncu-advisor diagnose REPORT --rules` shows all"
    return texts, ""


def rule_claim(verdict: RuleVerdict) -> str:
    """Return the subject of a rule's result and the share of the time that it estimates to be saved."""
    subject = verdict.short
    if verdict.speedup:
        return f"{subject}, {share_text(verdict.saving)} of the time"
    return f"{subject}, {verdict.local_pct:.0f} % of one part" if verdict.local_pct is not None else subject


def rules_page(launches: Sequence[LaunchDiagnosis]) -> Page:
    """Build the page of all estimates of ncu's rules per launch, each with the advisor's conclusion."""
    parts = []
    for launch in launches:
        title = f"Nsight Compute's rules · {title_text(launch, 0, time_text(launch.duration_ns))}"
        none = Paragraph("The report has no results of its rules.")
        parts.append(section(title, [_rule(verdict) for verdict in launch.ncu_rules] or [none]))
    return Page("", (), tuple(parts))


def _rule(verdict: RuleVerdict) -> Turn:
    often = f" ({verdict.times} times)" if verdict.times > 1 else ""
    lines = (Line(verdict.message, label="ncu"), Line(verdict.here.because, label="advisor"))
    return Turn(verdict.rule or "Rule", f"{rule_claim(verdict)}{often}", lines)
