"""What a replay concludes otherwise than the session that was saved, as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from advisor.records.escapes import json_text
from advisor.session.transcripts import serialize
from advisor.session.transcripts.conclusions import Difference
from advisor.session.transcripts.player import Step
from advisor.view.text import shown

_SHOWN = 12  # differences of one step
_STEPS = 8  # what differs once often makes all that follows differ


@dataclass(frozen=True, slots=True)
class StepDifference:
    """A step that concludes something else; `done` is False where it could not be done at all."""

    step: Step
    differences: tuple[Difference, ...]
    done: bool = True


def check_text(name: str, steps: int, found: Sequence[StepDifference], width: int) -> str:
    """One line where all is as saved; else each step with what was expected and what came."""
    if not found:
        return serialize.SAME.format(name=shown(name), count=steps)
    lines = [serialize.DIFFERS.format(name=shown(name), count=len(found), steps=steps)]
    for one in found[:_STEPS]:
        lines.append("  " + shown(serialize.STEP.format(number=one.step.number, what=one.step.words))[: width - 2])
        if not one.done:
            lines.append(f"    {serialize.IGNORED}")
        for item in one.differences[:_SHOWN]:
            lines.append(f"    {shown(item.place)}"[:width])
            lines.append(f"      {serialize.EXPECTED:<9} {_value(item.expected, width - 16)}")
            lines.append(f"      {serialize.CAME:<9} {_value(item.came, width - 16)}")
        if len(one.differences) > _SHOWN:
            lines.append("    " + serialize.MANY_MORE.format(count=len(one.differences) - _SHOWN))
    if len(found) > _STEPS:
        lines.append("  " + serialize.MORE_STEPS.format(count=len(found) - _STEPS))
    return "\n".join(lines)


def _value(value: Any, room: int) -> str:
    if value is None:
        return serialize.ABSENT
    text = value if isinstance(value, str) else json_text(value, sort_keys=True)
    text = shown(text)
    return text if len(text) <= room else text[: room - 1] + "…"
