"""Order the fixes of a finding by how well they suit one launch, from the rules that the engine ran."""

from __future__ import annotations

from advisor.knowledge.schemas import DiagnosisDef, FixDef
from advisor.reasoning.engine.program import fix_rule
from advisor.reasoning.engine.trace import Trace


def ranked_fixes(entry: DiagnosisDef, trace: Trace) -> tuple[FixDef, ...]:
    """Return the fixes of a concluded finding that may suit the launch, the one to choose first.

    Those whose conditions hold come first, in the order of the file; then the general fix, which has none; then those
    with an unknown condition, but for those that seldom suit. A fix with a condition that does not hold is left out,
    and so is what a fix that holds leaves out. A general fix that is a fallback is left out where another fix holds.
    """
    if len(entry.fixes) < 2:
        return entry.fixes
    fired = {rule.rule_id for rule in trace.fired}
    undecided = {rule.rule_id for rule in trace.undecided}
    suits = [fix for fix in entry.fixes if fix.conditional and fix_rule(entry.id, fix.id) in fired]
    if alone := [fix for fix in suits if fix.leaves_out == "others"]:
        return tuple(alone[:1])
    left_out = any(one.leaves_out for one in suits)
    general = [fix for fix in entry.fixes if not (fix.conditional or left_out or (fix.fallback and suits))]
    may = [fix for fix in entry.fixes if fix_rule(entry.id, fix.id) in undecided and not fix.seldom]
    return (*suits, *general, *may)


def chosen_fix(entry: DiagnosisDef, trace: Trace) -> FixDef | None:
    """Return the fix of a concluded finding that suits the launch best; None if the finding has no fix."""
    return next(iter(ranked_fixes(entry, trace)), None)
