"""A launch on another GPU as text and JSON: the time there first, then what limits it, then what is left open."""

from __future__ import annotations

from typing import Any

from advisor.reasoning.time_model.terms import time_model
from advisor.records.diagnosis import Elsewhere, LaunchDiagnosis, Unit
from advisor.view.text import factor_text, labelled, number, paint, present, share_text, time_text, wrap

_SHOWN = 4
_LISTED = 2


def elsewhere_lines(launch: LaunchDiagnosis, on: Elsewhere, width: int, colour: bool) -> list[str]:
    """The prediction of one launch for the card that `--on` names."""
    lines = ["", paint(elsewhere_heading(on), "bold", colour)]
    for label, told in elsewhere_rows(launch, on):
        lines += labelled(label, told, width)
    lines += [line for _, text in on.cannot for line in wrap(f"· {text}", width, 2, 4)]
    return lines


def elsewhere_heading(on: Elsewhere) -> str:
    """Which card is spoken of, and by what."""
    return f"On {on.gpu}, reckoned from the counters of {on.here}"


def elsewhere_rows(launch: LaunchDiagnosis, on: Elsewhere) -> list[tuple[str, str]]:
    """Label and text of each thing that is told; nothing where the launch cannot run there."""
    if on.ratio is None:
        return []
    rows = [
        ("Time", _time(on)),
        ("Limit", f"{_limit(on)}; as a class: {on.class_title}"),
        ("Units", f"share of the time there (work: its time there over here): {_units(on)}"),
    ]
    if on.occupancy_pct is not None:
        rows.append(("Occupancy", _occupancy(launch, on)))
    return [*rows, ("Fix first", _findings(on))]


def _time(on: Elsewhere) -> str:
    assert on.ratio is not None and on.low is not None and on.high is not None
    of_here = f"{factor_text(on.ratio)} times that of here ({factor_text(on.low)} to {factor_text(on.high)})"
    if on.duration_ns is None:
        return of_here
    return (
        f"{time_text(on.duration_ns)} ({time_text(on.duration_low_ns)} to {time_text(on.duration_high_ns)}), {of_here}"
    )


def _limit(on: Elsewhere) -> str:
    return time_model().terms[on.leader].name


def _units(on: Elsewhere) -> str:
    return ", ".join(f"{u.name} {share_text(min(1.0, u.need))} (work {_work(u)})" for u in on.units[:_SHOWN])


def _work(unit: Unit) -> str:
    if unit.high < 1.005 * unit.low:
        return f"{factor_text(unit.ratio)}x"
    return f"{factor_text(unit.low)} to {factor_text(unit.high)}x"


def _occupancy(launch: LaunchDiagnosis, on: Elsewhere) -> str:
    here, waves = launch.metrics.get("occupancy_theoretical_pct"), launch.metrics.get("waves")
    text = f"{on.occupancy_pct:.0f} %" + (f", here {here:.0f} %" if here is not None else "")
    if on.waves is not None:
        text += f"; {_count(on.waves)} waves" + (f", here {_count(waves)}" if waves is not None else "")
    return text


def _count(waves: float) -> str:
    return f"{waves:,.0f}" if waves >= 10 else f"{waves:.2g}"


def _findings(on: Elsewhere) -> str:
    if not on.findings:
        return "cannot be told from what carries over"
    first, *rest = on.findings[: 1 + _LISTED]
    return f"{first}" + (f" (then {', '.join(rest)})" if rest else "")


def elsewhere_dict(on: Elsewhere) -> dict[str, Any]:
    """The `on` of a launch."""
    return present(
        {
            "gpu": on.gpu,
            "here": on.here,
            "ratio": number(on.ratio),
            "low": number(on.low),
            "high": number(on.high),
            "duration_ns": number(on.duration_ns),
            "duration_low_ns": number(on.duration_low_ns),
            "duration_high_ns": number(on.duration_high_ns),
            "limiter": on.leader or None,
            "units": [
                {
                    "term": unit.term,
                    "need": number(unit.need),
                    "ratio": number(unit.ratio),
                    "low": number(unit.low),
                    "high": number(unit.high),
                }
                for unit in on.units
            ],
            "occupancy_pct": number(on.occupancy_pct),
            "waves": number(on.waves),
            "class": on.class_id or None,
            "findings": list(on.findings),
            "cannot": [{"id": name, "says": text} for name, text in on.cannot],
        }
    )
