"""What several fixes give together: a small table in the order in which to make them, and its JSON."""

from __future__ import annotations

from typing import Any

from advisor.reasoning.time_model.formulas import worthwhile
from advisor.reasoning.time_model.terms import time_model
from advisor.records.diagnosis import Budget, BudgetStep
from advisor.view.text import factor_text, gain_text, number, paint, wrap

HEADING = "Several fixes, in the order that pays"
_NAME = 28


def budget_lines(budget: Budget, width: int, colour: bool) -> list[str]:
    """The table; fixes that give under 5 % at every place in the order are named below it."""
    listed = listed_steps(budget)
    name = max(_NAME, max(len(step.finding) for step in listed) + 1)
    lines = ["", paint(HEADING, "bold", colour)]
    lines.append(f"     {'':<{name}}{'alone':>7} {'then':>7} {'in all':>7}")
    for at, step in enumerate(listed, 1):
        numbers = " ".join(f"{factor_text(gain) + 'x':>7}" for gain in (step.alone, step.gain, step.total))
        lines.append(f"  {at}. {step.finding:<{name}}{numbers}")
        lines += wrap(note, width, 5, 5) if (note := step_note(step, at)) else []
    return lines + [line for text in closing_texts(budget) for line in wrap(text, width, 2, 2)]


def listed_steps(budget: Budget) -> tuple[BudgetStep, ...]:
    """The fixes up to the last that gives 5 % by itself or at its place."""
    return budget.steps[: 1 + max(at for at, step in enumerate(budget.steps) if _matters(step))]


def closing_texts(budget: Budget) -> list[str]:
    """What all give together, what is left out of the table, and what is left out of the sum."""
    together, rest = budget.together, budget.steps[len(listed_steps(budget)) :]
    all_ = gain_text(together.estimate, together.low, together.high)
    after = time_model().terms[together.next_limiter].name
    texts = [f"All of them together: {all_}; then {after} limits. Gains neither add up nor multiply."]
    if rest:
        texts.append(f"After these, under 5 % each: {', '.join(step.finding for step in rest)}.")
    if budget.left_out:
        texts.append(f"Not in it, since nobody can put a number on them: {', '.join(budget.left_out)}.")
    return texts


def _matters(step: BudgetStep) -> bool:
    return worthwhile(step.alone) or worthwhile(step.gain)


def step_note(step: BudgetStep, at: int) -> str:
    """What is surprising about a fix at this place, counted from 1; often nothing."""
    before = "after 1" if at == 2 else f"after 1 to {at - 1}"
    if at > 1 and not worthwhile(step.alone) and worthwhile(step.gain):
        return f"gives nothing by itself, only {before}"
    if at > 1 and worthwhile(step.alone) and not worthwhile(step.gain):
        return f"no longer worth it {before}: they take the same time away"
    return ""


def budget_dict(budget: Budget) -> dict[str, Any]:
    """The `budget` of a launch."""
    together = budget.together
    return {
        "together": {
            "estimate": number(together.estimate),
            "low": number(together.low),
            "high": number(together.high),
            "next_limiter": together.next_limiter,
            "how": together.how,
        },
        "order": [
            {
                "finding": step.finding,
                "alone": number(step.alone),
                "gain": number(step.gain),
                "total": number(step.total),
                "next_limiter": step.next_limiter,
            }
            for step in budget.steps
        ],
        "left_out": list(budget.left_out),
    }
