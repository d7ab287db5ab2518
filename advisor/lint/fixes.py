"""Checks of fixes: texts, code, operators or factors, conditions, and examples on which each fix is the first one."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from advisor.knowledge.expressions import ExpressionError, Test, parse
from advisor.knowledge.libraries import FILE as LIBRARIES
from advisor.knowledge.libraries import LibrariesDef
from advisor.knowledge.library_calls import call_fix
from advisor.knowledge.schemas import DiagnosisDef, FixDef, RuleDef
from advisor.lint.base import ERROR, WARNING, Base, Mistake, Placed
from advisor.lint.names import StepError, check_text
from advisor.lint.rules import never
from advisor.reasoning.engine.program import SECOND_PASS, kind_of, well_formed
from advisor.reasoning.engine.trace import Trace
from advisor.reasoning.fixes import chosen_fix
from advisor.reasoning.time_model.operators import OPERATORS, terms_of

_SNIPPET_LINES, _SNIPPET_COLUMNS = 12, 76
_FIELD = re.compile(r"\{([a-z][a-z0-9_]*)(?::[^{}]*)?\}")
_LAUNCH = "launch"  # the term of what launching costs, whose gain has a formula of its own
_LAST = 10  # above every step: a fix of the second pass may read all findings
Keys = tuple[str | int, ...]


def placed_fixes(entry: DiagnosisDef) -> tuple[tuple[FixDef, Keys], ...]:
    """Return the fixes of an entry with their place in its file."""
    listed = isinstance(entry.fixes_given, tuple)
    return tuple((fix, ("fix", at) if listed else ("fix",)) for at, fix in enumerate(entry.fixes))


def check_fixes(base: Base, entry: Placed[DiagnosisDef], terms: Collection[str] | None) -> Iterator[Mistake]:
    """Check everything but the conditions. terms: of the time model, None to accept all."""
    fixes = placed_fixes(entry.value)
    if not fixes:
        if entry.value.kind == "diagnosis":
            yield entry.mistake("no fix", "fix")
        return
    general = [fix for fix, _ in fixes if not fix.conditional]
    if not general:
        yield entry.mistake("no general fix: one needs neither when nor unless", "fix")
    elif len(general) > 1 or fixes[-1][0].conditional:
        yield entry.mistake("only the last fix is general: all others need when or unless", "fix")
    taken: set[str] = set()
    for fix, keys in fixes:
        if fix.id in taken or not well_formed(fix.id):
            text = "is already taken" if fix.id in taken else "is not a valid id"
            yield entry.mistake(f"the fix's id {fix.id!r} {text}", *keys, "id")
        taken.add(fix.id)
        yield from _fix(base, entry, fix, keys, terms)


def _fix(
    base: Base, entry: Placed[DiagnosisDef], fix: FixDef, keys: Keys, terms: Collection[str] | None
) -> Iterator[Mistake]:
    severity = ERROR if entry.document.path.is_relative_to(base.folders[0]) else WARNING
    if not fix.steps:
        yield entry.mistake("the fix has no steps", *keys, "steps")
    if not fix.costs:
        yield entry.mistake("costs of the fix is empty", *keys, "costs", severity=severity)
    yield from _snippets(entry, fix, keys, severity)
    yield from _operators(base, entry, fix, keys, terms)
    for part, changes in (("changes", fix.changes), ("degrees", fix.degrees)):
        for term, text in changes.items():
            if terms is not None and term not in terms:
                yield entry.mistake(f"{term!r} is not a term of the time model", *keys, part, term)
            try:
                names = parse(text).names
            except ExpressionError as e:
                yield entry.mistake(f"{term}: {e}", *keys, part, term)
                continue
            for name in sorted(names - base.metrics.keys()):
                yield entry.mistake(f"{term}: {name!r} is not a metric", *keys, part, term)
    for term in fix.degrees.keys() - fix.changes.keys():
        yield entry.mistake(f"{term!r} is in degrees but not in changes", *keys, "degrees", term)
    texts: list[tuple[str, Keys]] = [(fix.summary, (*keys, "summary")), (fix.costs, (*keys, "costs"))]
    for text, where in (*texts, *((step, (*keys, "steps", at)) for at, step in enumerate(fix.steps))):
        for name in sorted(set(_FIELD.findall(text)) & base.metrics.keys()):
            yield entry.mistake(f"{{{name}}} is not replaced in this text", *where)
    for name, step in fix.done.items():
        if name not in base.observations and not base.is_broken(name):
            yield entry.mistake(f"{name!r} is not an observation", *keys, "done", name)
        if not 1 <= step <= len(fix.steps):
            yield entry.mistake(f"{name}: there is no step {step}", *keys, "done", name)
    if fix.steps and len(set(fix.done.values())) == len(fix.steps):
        yield entry.mistake("a kernel may have done all steps: give the fix a condition instead", *keys, "done")
    if fix.leaves_out and not fix.conditional:
        yield entry.mistake("the general fix cannot leave others out", *keys, "leaves_out")
    if fix.seldom and not fix.conditional:
        yield entry.mistake("only a fix with conditions can suit seldom", *keys, "seldom")
    if fix.fallback and (fix.conditional or len(entry.value.fixes) < 2):
        yield entry.mistake("only a general fix after others can be a fallback", *keys, "fallback")
    if not 0 < fix.reach <= 1:
        yield entry.mistake(f"reach of the fix {fix.id} is {fix.reach:g}; above 0 and at most 1", *keys, "reach")
    elif fix.reach < 1 and _LAUNCH in terms_of({k: v for k, v in fix.operators.items() if k in OPERATORS}):
        yield entry.mistake("reach has no effect on the gain of fewer launches", *keys, "reach")
    if fix.operators_as and fix.operators_as not in {one.id for one in entry.value.fixes}:
        yield entry.mistake(f"{fix.operators_as!r} is not a fix of {entry.id}", *keys, "operators_as")
    for part, conditions in (("when", fix.when), ("unless", fix.unless)):
        for name in conditions:
            found = base.observations.get(name)
            if found is not None and not (found.value.states or _FIELD.search(found.value.says) is None):
                said = f"{name} needs `states`, to name it where it is unknown"
                yield entry.mistake(said, *keys, part, severity=severity)
    if len(entry.value.fixes) > 1 and not fix.example:
        yield entry.mistake(f"the fix {fix.id} has no example", *keys, severity=severity)
    for name in sorted(fix.example.keys() - base.metrics.keys()):
        yield entry.mistake(f"{name!r} is not a metric", *keys, "example", name)


def _operators(
    base: Base, entry: Placed[DiagnosisDef], fix: FixDef, keys: Keys, terms: Collection[str] | None
) -> Iterator[Mistake]:
    """Check the operators of a fix and of its parts: their names, their parameters and the formulas of these."""
    if (fix.partial or fix.most) and not fix.operators:
        yield entry.mistake("parts of a fix without operators", *keys, "partial" if fix.partial else "most")
    if entry.value.scope == "launch" and fix.changes:
        yield entry.mistake("a fix of a launch has operators: `leave` takes what `changes` named", *keys, "changes")
    if entry.value.scope != "launch" and fix.operators:
        yield entry.mistake("only a fix of a launch names operators", *keys, "operators")
    groups: dict[Keys, dict[str, dict[str, str]]] = {("operators",): fix.operators, ("most",): fix.most}
    groups |= {("partial", says): given for says, given in fix.partial.items()}
    for where, given in groups.items():
        for name, texts in given.items():
            at = (*keys, *where, name)
            if name not in OPERATORS:
                yield entry.mistake(f"{name!r} is not an operator of the time model", *at)
                continue
            known = OPERATORS[name].parameters
            if OPERATORS[name].of_terms:
                for term in sorted(texts.keys() - set(terms or texts)):
                    yield entry.mistake(f"{term!r} is not a term of the time model", *at, term)
                known = dict.fromkeys(texts)
            for parameter in texts.keys() - known.keys():
                yield entry.mistake(f"{parameter!r} is not a parameter of {name}", *at, parameter)
            for parameter in sorted(key for key, default in known.items() if default is None and key not in texts):
                yield entry.mistake(f"{name} needs the parameter {parameter!r}", *at)
            for parameter, text in texts.items():
                try:
                    names = parse(text).names
                except ExpressionError as e:
                    yield entry.mistake(f"{parameter}: {e}", *at, parameter)
                    continue
                for metric in sorted(names - base.metrics.keys()):
                    yield entry.mistake(f"{parameter}: {metric!r} is not a metric", *at, parameter)


def _snippets(entry: Placed[DiagnosisDef], fix: FixDef, keys: Keys, severity: str) -> Iterator[Mistake]:
    """Check that the code before and after the fix is given; a team only gets a warning."""
    if bool(fix.before) != bool(fix.after):
        given, missing = ("before", "after") if fix.before else ("after", "before")
        yield entry.mistake(f"{given} without {missing}", *keys, given, severity=severity)
    elif fix.before and fix.before.split() == fix.after.split():
        yield entry.mistake("before and after have the same code", *keys, "after", severity=severity)
    for part, text in (("before", fix.before), ("after", fix.after)):
        lines = text.rstrip().split("\n")
        if len(lines) > _SNIPPET_LINES:
            said = f"{len(lines)} lines of code; at most {_SNIPPET_LINES}"
            yield entry.mistake(said, *keys, part, severity=severity)
        if max(map(len, lines)) > _SNIPPET_COLUMNS:
            said = f"code of {max(map(len, lines))} columns; at most {_SNIPPET_COLUMNS}"
            yield entry.mistake(said, *keys, part, severity=severity)
        if "\t" in text:
            yield entry.mistake("the code contains a tab", *keys, part, severity=severity)


def check_conditions(
    base: Base,
    tests: Mapping[str, Test],
    sound: Mapping[str, Sequence[RuleDef]],
    step_error: StepError,
) -> Iterator[Mistake]:
    """Check the conditions of fixes like those of rules: their names, their reason, and that they can hold."""
    for entry in base.findings.values():
        if not base.is_wanted(entry.document.path):
            continue
        for fix, keys in placed_fixes(entry.value):
            if not fix.conditional:
                continue
            wrong = list(_conditions(base, entry, fix, keys, step_error))
            yield from wrong
            if wrong or any(base.is_broken(n) for n in (*fix.when, *fix.unless)):
                continue
            said = never(base, tests, sound, (f"found.{entry.id}", *fix.when), fix.unless)
            if said is not None and said[1] == ERROR:
                yield entry.mistake(f"the fix {fix.id} can never suit: {said[0]}", *keys, "when")


def _conditions(
    base: Base,
    entry: Placed[DiagnosisDef],
    fix: FixDef,
    keys: Keys,
    step_error: StepError,
) -> Iterator[Mistake]:
    step = SECOND_PASS if entry.value.step < SECOND_PASS else _LAST
    for part, names in (("when", fix.when), ("unless", fix.unless)):
        for name in names:
            text = step_error(name, step)
            if kind_of(name) == "gain":
                text = f"{name!r} depends on the chosen fix, so it cannot be one of its conditions"
            if text is not None:
                yield entry.mistake(f"the fix {fix.id}: {text}", *keys, part)
    for name in sorted(set(fix.when) & set(fix.unless)):
        yield entry.mistake(f"the fix {fix.id}: {name!r} is listed under both when and unless", *keys, "unless")
    if not fix.because:
        yield entry.mistake(f"the fix {fix.id}: because is empty", *keys, "because")
    yield from check_text(base, entry, fix.because, *keys, "because")


def check_libraries(base: Base, terms: Collection[str] | None, step_error: StepError) -> Iterator[Mistake]:
    """Check the names of libraries and the fixes for their kernels."""
    document = base.document(LIBRARIES)
    if document is None or document.mistakes:
        return
    found = document.convert(document.raw, LibrariesDef)
    if found is None:
        yield document.mistakes[-1]
        return
    listed: list[tuple[Keys, tuple[str, ...]]] = [(("names", name), forms) for name, forms in found.names.items()]
    listed += [(("kinds", kind), forms) for kind, forms in found.kinds.items()]
    for keys, forms in listed:
        for at, form in enumerate(forms):
            try:
                re.compile(form)
            except re.error as e:
                yield document.mistake(f"{keys[-1]}: {form!r} is not a regular expression: {e}", *keys, at)
    name = Path(LIBRARIES).stem
    for at, fix in enumerate(found.fix):
        entry = Placed(name, DiagnosisDef(id=name, fixes_given=fix), document, ())
        yield from _fix(base, entry, fix, ("fix", at), terms)
        yield from _conditions(base, entry, fix, ("fix", at), step_error)
    ids = {fix.id for fix in found.fix}
    for name, left_out in found.without.items():
        if name not in base.findings and name not in base.broken:
            yield document.mistake(f"{name!r} is not a diagnosis", "without", name)
        for at, one in enumerate(left_out):
            if one not in ids:
                yield document.mistake(f"{one!r} is not a fix for libraries", "without", name, at)


def check_calls(base: Base, terms: Collection[str] | None, step_error: StepError) -> Iterator[Mistake]:
    """Check the calls of libraries: names of kernels, the finding, and the fixes of those that are a case of none."""
    for call in base.calls.values():
        for part in ("names", "types"):
            for at, form in enumerate(getattr(call.value, part)):
                try:
                    re.compile(form)
                except re.error as e:
                    yield call.mistake(f"{form!r} is not a regular expression: {e}", part, at)
        if not call.value.names:
            yield call.mistake("no name of a kernel", "names")
        if call.value.finding and call.value.finding not in base.findings | dict.fromkeys(base.broken):
            yield call.mistake(f"{call.value.finding!r} is not a finding", "finding")
        if call.value.rule is not None and not call.value.finding:
            yield call.mistake("a rule needs the finding that it concludes", "rule")
        if call.value.rule is None and call.value.fix is None:
            yield call.mistake("neither a rule nor a fix", "fix")
        fix = call_fix(call.value, call.value.finding or call.id)
        if fix is not None and not call.value.finding:
            entry = Placed(call.id, DiagnosisDef(id=call.id, fixes_given=fix), call.document, call.keys)
            yield from _fix(base, entry, fix, ("fix",), terms)
            yield from _conditions(base, entry, fix, ("fix",), step_error)


def library_observations(base: Base) -> set[str]:
    """Return the names that the fixes for libraries and their calls read."""
    document = base.document(LIBRARIES)
    fixes = document.raw.get("fix") if document is not None else None
    given = [fix for fix in fixes if isinstance(fix, dict)] if isinstance(fixes, list) else []
    listed = [fix.get(part) for fix in given for part in ("when", "unless")]
    named = {str(name) for names in listed if isinstance(names, list) for name in names}
    return named | {call.value.observation for call in base.calls.values()}


def fix_cases(base: Base, entry: Placed[DiagnosisDef]) -> Iterator[tuple[FixDef, Keys, dict[str, float]]]:
    """Yield the fixes with an example and its metric values: those of the first example of the entry, changed."""
    fires = entry.value.examples.fires
    if len(entry.value.fixes) < 2 or not fires:
        return
    for fix, keys in placed_fixes(entry.value):
        if fix.example and not (fix.example.keys() | fires[0].keys()) - base.metrics.keys():
            yield fix, (*keys, "example"), {**fires[0], **fix.example}


def wrong_choice(entry: DiagnosisDef, fix: FixDef, traces: Sequence[Trace]) -> str | None:
    """Return the mistake in the example of a fix, or None. traces: of the example, with each answer that rules need."""
    concluded = [trace for trace in traces if trace.fired_for(entry.id)]
    if not concluded:
        return f"the example of the fix {fix.id} does not conclude the finding"
    chosen = [chosen_fix(entry, trace) for trace in concluded]
    if any(one is not None and one.id == fix.id for one in chosen):
        return None
    return f"on the example of the fix {fix.id} the first fix is {chosen[0].id if chosen[0] is not None else 'none'}"
