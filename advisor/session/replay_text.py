"""What a replay concludes otherwise than the session that was saved, as text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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
        return f"{shown(name)}: all {steps} conclusions as saved"
    lines = [f"{shown(name)}: {len(found)} of {steps} steps conclude something else"]
    for one in found[:_STEPS]:
        lines.append("  " + shown(serialize.STEP.format(number=one.step.number, what=one.step.words))[: width - 2])
        if not one.done:
            lines.append(f"    {serialize.IGNORED}")
        for item in one.differences[:_SHOWN]:
            lines.append(f"    {shown(item.place)}"[:width])
            lines.append(f"      {serialize.EXPECTED:<9} {_value(item.expected, width - 16)}")
            lines.append(f"      {serialize.CAME:<9} {_value(item.came, width - 16)}")
        if len(one.differences) > _SHOWN:
            lines.append("    " + f"… and {len(one.differences) - _SHOWN} more")
    if len(found) > _STEPS:
        lines.append("  " + f"… and {len(found) - _STEPS} later steps")
    return "\n".join(lines)


def _value(value: Any, room: int) -> str:
    if value is None:
        return "nothing"
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
    text = shown(text)
    return text if len(text) <= room else text[: room - 1] + "…"
