"""A pattern of a timeline as a section: its bound, its moments and its fix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from advisor.knowledge.base import catalog, condition_title, timelines
from advisor.timeline.results import Moment, Pattern
from advisor.view.blocks import Block, Bullets, Fact, Facts, Paragraph, Section
from advisor.view.blocks import section as made_section
from advisor.view.numbers import at_text, rate_text, share_text, size_text, speedup_text, time_text
from advisor.view.text import cut, shown

_CALLS, _WHOLE = 0.1, 0.95  # shares of a gap


def _condition(name: str) -> str:
    """Return the words for a condition that is unknown: what the observation would state."""
    known = timelines(catalog()).observations.get(name)
    return known.states if known is not None and known.states else condition_title(name)


def pattern_section(
    number: int,
    pattern: Pattern,
    values: Mapping[str, float],
    *,
    steps: bool = True,
    same: int | None = None,
) -> Section:
    """A pattern with its bound, its moments and its fix.

    values: the metrics of its GPU; same: the number of the pattern with the same moments.
    """
    finding, gain, fix = pattern.finding, pattern.finding.speedup, pattern.finding.fix
    rows = [Fact("Why", finding.because)]
    if gain is not None:
        least = f", at least {speedup_text(gain.low)}" if gain.low >= 1.005 else ""
        rows.append(Fact("Speedup", f"at most {speedup_text(gain.high)}{least}{_of_what(gain.high, values)}"))
    rows += [Fact("Fix", fix.summary)] if fix is not None else []
    rows += [Fact("Typical", pattern.typical)] if pattern.typical else []
    rows += [Fact("Cost", fix.costs)] if fix is not None and fix.costs else []
    if finding.undecided:
        rows.append(Fact("Uncertain", f"unknown whether {' or '.join(map(_condition, finding.undecided))}", "warn"))
    moments: Block | None = Bullets(tuple(map(moment_text, pattern.moments))) if pattern.moments else None
    if moments is not None and same is not None:
        moments = Paragraph(f"Same moments as pattern {same}.")
    how = Bullets(fix.steps, ordered=True) if steps and fix is not None and fix.steps else None
    title = f"{number}. {finding.title} ({finding.id})" if number else f"{finding.title} ({finding.id})"
    return made_section(title, [Facts(tuple(rows)), moments, how], level=3)


def _of_what(most: float, values: Mapping[str, float]) -> str:
    """Return the time that a speedup of the window applies to, and what is left of it in the whole run."""
    window, run = values.get("window_us"), values.get("run_us")
    if window is None:
        return ""
    text = f", of the window of {time_text(window * 1000)}"
    if run is None or window > _WHOLE * run:
        return text
    whole = run / (run - window * (1 - 1 / most))
    return f"{text}; at most {speedup_text(whole)} of the run of {time_text(run * 1000)}"


def moment_text(moment: Moment) -> str:
    """Return start, duration, activity or neighbours of a moment, and the host's activity."""
    if moment.kind == "gap":
        text = f"idle between {cut(shown(moment.before), 40)} and {cut(shown(moment.after), 40)}"
    else:
        text = cut(shown(moment.what), 60)
        if moment.size is not None:
            text += f" {size_text(moment.size)}"
            text += f" at {rate_text(moment.size / moment.duration * 1e9)}" if moment.duration else ""
        if moment.pageable is not None:
            text += " pageable" if moment.pageable else " not pageable"
    where = list(_host_texts(moment))
    where += [f"range {cut(shown(moment.range), 40)}"] if moment.range else []
    text = f"{at_text(moment.start)}: {time_text(moment.duration)}, {text}"
    return f"{text}; {', '.join(where)}" if where else text


def _host_texts(moment: Moment) -> Iterator[str]:
    """Yield the host's activity; for a gap, calls that take a tenth of it or more."""
    if moment.kind != "gap":
        if moment.call:
            yield f"requested by {cut(shown(moment.call), 40)}"
        return
    before = "host "
    if moment.call_share is not None and moment.call_share < _CALLS:
        yield "host outside of CUDA"
        before = ""
    for name, share, most in ((moment.call, moment.call_share, 40), (moment.system, moment.system_share, 24)):
        if name and share is not None and share >= _CALLS:
            part = "" if share >= _WHOLE else f" for {share_text(share)} of it"
            yield f"{before}in {cut(shown(name), most)}{part}"
            before = ""
