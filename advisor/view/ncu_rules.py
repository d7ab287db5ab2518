"""What Nsight Compute's own rules say beside what is concluded here: where they differ in a few lines, or all of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from advisor.knowledge.texts import BOUNDS
from advisor.records.diagnosis import ENDS, Comparison, Finding, LaunchDiagnosis, RuleVerdict
from advisor.view.text import comparison_dict, number, paint, present, share_text, shown, time_text, title_text, wrap

HEADING = "Where Nsight Compute's rules say otherwise"
CLAIM = 0.10  # of the kernel's time: what a rule must promise to be worth a line
_MOST = 3  # lines; a report of a tuned library has a dozen such promises
_NOT_RANKED = ("refuted", "gave_way", "small", "unknown")


def differing(launch: LaunchDiagnosis) -> list[RuleVerdict]:
    """The verdicts worth a line: another class, promises of 10 % that are not ranked here, another first cause.

    Promises on a subject that no diagnosis is about say nothing otherwise: they stand in the full list alone.
    """
    out = []
    for verdict in launch.ncu_rules:
        claims = verdict.saving >= CLAIM
        if (
            verdict.status == "class_differs"
            or (claims and verdict.status in _NOT_RANKED)
            or (claims and verdict.leading and verdict.status == "ranked")
        ):
            out.append(verdict)
    return sorted(out, key=lambda v: v.status != "class_differs")


def verdict_lines(launch: LaunchDiagnosis, first: Finding | None, width: int, colour: bool) -> list[str]:
    """The section of a diagnosis; nothing where the rules agree with it or promise little."""
    if not differing(launch):
        return []
    texts, more = verdict_texts(launch, first)
    lines = ["", paint(HEADING, "bold", colour)]
    for text in texts:
        lines += wrap(f"· {text}", width, 2, 4)
    return lines + ([f"  {more}"] if more else [])


def verdict_texts(launch: LaunchDiagnosis, first: Finding | None) -> tuple[list[str], str]:
    """The same as sentences, and what names those that are left out."""
    found = differing(launch)
    promises = [v for v in found if v.status != "class_differs"]
    # What is near its limit, or too short to measure, has one answer to all promises.
    settled = first is not None and first.id in (*ENDS, "launch_overhead") and bool(promises)
    shown_ = [v for v in found if v not in promises] if settled else found[:_MOST]
    texts = [f"ncu: {_claim(verdict)}. Here {reason_text(verdict)}" for verdict in shown_]
    if settled and first is not None:
        names = "; ".join(v.short for v in promises[:_MOST]) + ("; …" if len(promises) > _MOST else "")
        most = max(v.saving for v in promises)
        texts.append(f"ncu: up to {share_text(most)} of the time ({shown(names)}). Here {first.id}: {first.because}")
    elif len(found) > _MOST:
        return texts, f"and {len(found) - _MOST} more: `ncu-advisor diagnose REPORT --rules` shows all"
    return texts, ""


def _claim(verdict: RuleVerdict) -> str:
    subject = shown(verdict.short)
    if verdict.speedup:
        return f"{subject}, {share_text(verdict.saving)} of the time"
    return f"{subject}, {verdict.local_pct:.0f} % of one part" if verdict.local_pct is not None else subject


def reason_text(verdict: RuleVerdict) -> str:
    """What is concluded here on the subject, and why: the second half of a sentence."""
    subject, gain = verdict.subject, f", {verdict.gain:.2f}x" if verdict.gain is not None else ""
    if verdict.status == "first":
        return f"the same: {subject} comes first{gain}"
    if verdict.status == "ranked":
        return f"{subject} is number {verdict.place}{gain}; first comes {verdict.by}"
    if verdict.status == "small":
        return f"{subject} is seen, but worth little{gain}"
    if verdict.status == "trust":
        return f"told as a remark on the numbers: {subject}"
    if verdict.status == "gave_way":
        return f"not {subject}: {verdict.by} explains it"
    if verdict.status == "unknown":
        return f"{subject} cannot be decided: {', '.join(verdict.wanting[:3]) or 'a number'} unknown"
    if verdict.status == "refuted":
        ground = next(map(_ground, verdict.evidence), f"{', '.join(verdict.wanting)} is not so")
        return f"not {subject}: {ground}"
    if verdict.status == "class_same":
        return f"the same or compatible: {subject.removeprefix('class.')}"
    if verdict.status == "class_differs":
        return f"{subject.removeprefix('class.')}: {verdict.because}"
    return f"no diagnosis follows. {verdict.because}" if verdict.because else "no diagnosis follows"


def _ground(item: Comparison) -> str:
    """A comparison that refutes: what holds in words, what fails with its number and the test that it fails."""
    if item.holds or item.value is None:
        return item.says
    unit = f" {item.unit}" if item.unit not in ("", "ratio", "count", "bool") else ""
    name = f"{item.metric} = " if item.metric.isidentifier() else ""
    return f'it fails at "{item.says}" ({name}{BOUNDS[item.bound]}{item.value:,.3g}{unit}, not {item.test})'


def rules_text(launches: Sequence[LaunchDiagnosis], *, width: int = 80, colour: bool = False) -> str:
    """All verdicts of the rules, launch by launch, each with the one here."""
    lines: list[str] = []
    for launch in launches:
        title = f"Rules of Nsight Compute · {title_text(launch, 0, time_text(launch.duration_ns))}"
        lines += [paint(x, "bold", colour) for x in wrap(title, width)]
        if not launch.ncu_rules:
            lines += ["  The report holds no verdict of its rules."]
        for verdict in launch.ncu_rules:
            name = f"{shown(verdict.rule)}: " if verdict.rule else ""
            often = f" ({verdict.times} times)" if verdict.times > 1 else ""
            lines += wrap(f"· {name}{_claim(verdict)}{often}", width, 2, 4)
            lines += wrap(f"ncu: {shown(verdict.message)}", width, 4, 9)
            lines += wrap(f"here: {reason_text(verdict)}", width, 4, 10)
        lines.append("")
    return "\n".join(lines[:-1]) + "\n"


def verdict_dict(verdict: RuleVerdict) -> dict[str, Any]:
    """One verdict as JSON."""
    return present(
        {
            "rule": verdict.rule,
            "subject": verdict.short,
            "message": verdict.message,
            "times": verdict.times,
            "speedup": number(verdict.speedup),
            "local_pct": number(verdict.local_pct),
            "leading": verdict.leading,
            "about": list(verdict.about),
            "here": present(
                {
                    "status": verdict.status,
                    "id": verdict.subject or None,
                    "by": verdict.by or None,
                    "place": verdict.place,
                    "speedup": number(verdict.gain),
                    "evidence": [comparison_dict(item) for item in verdict.evidence],
                    "wanting": list(verdict.wanting),
                    "because": reason_text(verdict),
                }
            ),
        }
    )
