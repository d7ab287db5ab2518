"""The rules of the knowledge base, checked and ordered, for the engine and the trace.

Mistakes are reported with the file and line of the entry.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from advisor.knowledge.base import WORD_FILES, Catalog
from advisor.knowledge.expressions import ExpressionError, parse_test
from advisor.knowledge.loader import key_line, read_text
from advisor.knowledge.schemas import STEP_OF_WORDS, ClassDef, DiagnosisDef, FixDef, RuleDef
from advisor.records.errors import KnowledgeError


def place(catalog: Catalog, entry: str, *keys: str) -> tuple[Path, int]:
    """Return the file and line, from 1, of `keys` in a finding or class, such as ("seen", "0", "when")."""
    for folder in catalog.folders:
        area, _, key = entry.partition(".")
        if area in WORD_FILES and (path := folder / WORD_FILES[area]).is_file():
            return path, key_line(path, key, *keys)
        for kind in ("diagnoses", "trust", "timeline"):
            path = folder / kind / f"{entry}.yaml"
            if path.is_file():
                return path, key_line(path, *keys)
        name = entry.removeprefix("class.")
        for path in (folder / "classification.yaml", folder / "timeline_decisions.yaml"):
            if entry != name and path.is_file() and re.search(rf"^{re.escape(name)}:", read_text(path), re.MULTILINE):
                return path, key_line(path, name, *keys)
    return Path("knowledge"), 1


def mistake(catalog: Catalog, entry: str, keys: tuple[str, ...], text: str) -> KnowledgeError:
    """Return the error for a mistake in an entry."""
    path, line = place(catalog, entry, *keys)
    return KnowledgeError(f"{path}:{line}: {text}")


CLASS_STEP = 2
SECOND_PASS = 6  # steps from here on run after the quantification and may read its conclusions
UNDETERMINED = "class.undetermined"
WORDS = tuple(STEP_OF_WORDS)  # conclusions that are neither findings nor classes: napkin, gain, advice
KINDS = ("found", "class", "answer", "fix", *WORDS)
_FIX_PLACE = 900  # rules of fixes run after all other rules of their step
_GAIN_PLACE = -1  # rules of the estimates run before all other rules of their step
# experta reads a double underscore in a field's name as a nested access.
_ID = re.compile(r"[a-z](?:[a-z0-9.]|_(?!_))*\Z")


@lru_cache(maxsize=8192)
def kind_of(name: str) -> str:
    """Return the kind of a name: observation, found, class, answer, napkin, gain; only conclusions are advice or fix.

    A finding as a conclusion has no prefix and so is an observation here.
    """
    head, dot, _ = name.partition(".")
    return head if dot and head in KINDS else "observation"


def is_word(name: str) -> bool:
    """Whether a name is a conclusion of the napkin math or of the quantification."""
    return kind_of(name) in WORDS


def well_formed(name: str) -> bool:
    """Whether rules may use an id: lower case, digits, dots and single underscores, beginning with a letter."""
    return _ID.match(name) is not None


def fix_rule(finding: str, fix_id: str) -> str:
    """Return the name of the rule that concludes that a fix suits, and of its conclusion."""
    return f"fix.{finding}.{fix_id}"


class CompiledRule(Struct, frozen=True):
    """A rule as the engine uses it. `concludes` is the id of a finding or word, `class.<id>` or `fix.<finding>.<id>`.

    place: orders the classes, and puts estimates before the findings and fixes after them. rare: those of `unless`
    that cost no confidence while they are unknown. seldom: while it is undecided, its finding counts as not concluded.
    """

    id: str
    concludes: str
    step: int
    when: tuple[str, ...]
    unless: tuple[str, ...]
    place: int = 0
    rare: tuple[str, ...] = ()
    seldom: bool = False

    @property
    def is_class(self) -> bool:
        """Whether it concludes a class."""
        return self.concludes.startswith("class.")

    @property
    def name(self) -> str:
        """Return the conclusion as rules spell it."""
        return f"found.{self.concludes}" if kind_of(self.concludes) == "observation" else self.concludes

    @property
    def fixes(self) -> str:
        """The finding for which it chooses a fix; empty for other rules."""
        return self.concludes.split(".")[1] if kind_of(self.concludes) == "fix" else ""

    def observed(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the observations in `names`."""
        return tuple(n for n in names if kind_of(n) == "observation")


class Program(Struct, frozen=True):
    """All launch rules in the order of the reasoning, and the names that they read, each list sorted.

    observations: those known from the start; quantified: those that test the numbers of the quantification.
    """

    rules: tuple[CompiledRule, ...]
    observations: tuple[str, ...]
    quantified: tuple[str, ...]
    answers: tuple[str, ...]
    classes: tuple[str, ...]
    explains: Mapping[str, tuple[str, ...]]

    def of_pass(self, second: bool) -> tuple[CompiledRule, ...]:
        """Return the rules that run before the quantification, or those that run after it."""
        return tuple(r for r in self.rules if (r.step >= SECOND_PASS) == second)


def is_quantified(catalog: Catalog, name: str) -> bool:
    """Whether an observation tests a number of the quantification, so that only the second pass knows it."""
    try:
        return not catalog.quantified.isdisjoint(parse_test(catalog.observations[name].test).names)
    except ExpressionError:
        return False  # the lint reports these


def reference_error(catalog: Catalog, name: str, step: int, concludes: str = "") -> str | None:
    """Return the mistake in a name in a rule of this step, or None. The engine and the lint use the same wording.

    concludes: the word that the rule concludes, if it concludes one.
    """
    kind, rest = kind_of(name), name.partition(".")[2]
    if kind == "observation":
        if name not in catalog.observations:
            return f"{name!r} is not an observation"
        if step < SECOND_PASS and is_quantified(catalog, name):
            return f"{name!r} is known only after the quantification: a rule of step {step} cannot read it"
        return None
    if kind == "class":
        if rest not in catalog.classes:
            return f"{name!r}: there is no such class"
        if step <= CLASS_STEP:
            return f"{name!r} is concluded in step {CLASS_STEP}: a rule of step {step} cannot read it"
    elif kind == "found":
        entry = catalog.findings.get(rest)
        if entry is None:
            return f"{name!r}: there is no such finding"
        if entry.scope != catalog.scope:
            return f"{name!r} is a finding of the scope {entry.scope}, not of a {catalog.scope}"
        if entry.step >= step:
            return f"{name!r} is concluded in step {entry.step}: a rule of step {step} may read only earlier steps"
    elif kind == "answer":
        question, _, choice = rest.rpartition(".")
        asked = catalog.questions.get(question)
        if asked is None:
            return f"{name!r}: there is no question {question!r}"
        if choice not in asked.choices:
            return f"{name!r}: {question!r} has no choice {choice!r}"
    elif kind == "fix":
        return f"{name!r}: a rule cannot read which fix was chosen"
    elif kind == "advice":
        return f"{name!r}: a rule cannot read the advice, which is concluded last"
    elif name not in catalog.words:
        return f"{name!r}: there is no such conclusion"
    elif kind == "gain" and step < SECOND_PASS:
        return f"{name!r} is known only after the quantification: a rule of step {step} cannot read it"
    elif kind_of(concludes) == kind:
        return f"{name!r}: a rule that concludes {concludes!r} cannot read it"
    elif step <= STEP_OF_WORDS[kind] and kind == "napkin":
        return f"{name!r} is concluded in step {STEP_OF_WORDS[kind]}: a rule of step {step} cannot read it"
    return None


def fix_error(catalog: Catalog, finding: DiagnosisDef, name: str) -> str | None:
    """Return the mistake in a condition of a fix, or None. A fix may read all conclusions of its finding's pass."""
    if kind_of(name) == "gain":
        return f"{name!r} depends on the chosen fix, so it cannot be one of its conditions"
    return reference_error(catalog, name, fix_step(catalog, finding) + 1)


def fix_step(catalog: Catalog, finding: DiagnosisDef) -> int:
    """Return the step of the rules that choose a finding's fix: the last step of the finding's pass."""
    if finding.step < SECOND_PASS:
        return SECOND_PASS - 1
    return max(entry.step for entry in catalog.findings.values())


def compile_rules(catalog: Catalog) -> Program:
    """Compile the rules of a catalogue; raises KnowledgeError with file and line for an invalid rule."""
    rules: list[CompiledRule] = []
    taken: set[str] = set()

    def check(entry: str, step: int, rule_id: str, rule: RuleDef | ClassDef | FixDef, keys: tuple[str, ...]) -> None:
        def wrong(text: str, part: str) -> KnowledgeError:
            return mistake(catalog, entry, (*keys, part), f"{rule_id}: {text}")

        if not well_formed(rule_id) or rule_id in taken:
            what = "is already taken" if rule_id in taken else "is not a valid rule id"
            raise wrong(f"{rule_id!r} {what}", "id")
        taken.add(rule_id)
        for part, names in (("when", rule.when), ("unless", rule.unless)):
            for name in names:
                fixing = isinstance(rule, FixDef)
                wrong_name = (
                    fix_error(catalog, catalog.findings[entry], name)
                    if fixing
                    else reference_error(catalog, name, step, entry)
                )
                if wrong_name is not None:
                    raise wrong(wrong_name, part)
                if not well_formed(name):
                    raise wrong(f"{name!r} is not a valid name in a rule", part)
        if isinstance(rule, RuleDef) and (stray := next((n for n in rule.rare if n not in rule.unless), None)):
            raise wrong(f"{stray!r} is listed under rare, but not under unless", "rare")
        if both := next((n for n in rule.when if n in rule.unless), None):
            raise wrong(f"{both!r} is listed under both when and unless", "unless")

    for place, (name, entry) in enumerate(catalog.classes.items()):
        if f"class.{name}" == UNDETERMINED:
            continue
        rule_id = f"class.{name}"
        check(rule_id, CLASS_STEP, rule_id, entry, ())
        rules.append(CompiledRule(rule_id, rule_id, CLASS_STEP, entry.when, entry.unless, place))
    for name, word in catalog.words.items():
        for at, rule in enumerate(word.seen):
            check(name, word.step, rule.id, rule, ("seen", str(at)))
            before = _GAIN_PLACE if word.area == "gain" else 0
            rules.append(CompiledRule(rule.id, name, word.step, rule.when, rule.unless, before))
    explains = {}
    for name, finding in catalog.findings.items():
        if finding.scope != catalog.scope:
            continue
        explains[name] = finding.explains
        for at, rule in enumerate(finding.seen):
            check(name, finding.step, rule.id, rule, ("seen", str(at)))
            one = CompiledRule(rule.id, name, finding.step, rule.when, rule.unless, rare=rule.rare, seldom=rule.seldom)
            rules.append(one)
        for at, fix in enumerate(finding.fixes):
            if not fix.conditional:
                continue  # the general fix suits every launch with its finding
            rule_id, step = fix_rule(name, fix.id), fix_step(catalog, finding)
            check(name, step, rule_id, fix, ("fix", str(at)))
            rules.append(CompiledRule(rule_id, rule_id, step, (f"found.{name}", *fix.when), fix.unless, _FIX_PLACE))
    rules.sort(key=lambda r: (r.step, not r.is_class, r.place, r.id))

    def names(kind: str) -> tuple[str, ...]:
        return tuple(sorted({n for r in rules for n in (*r.when, *r.unless) if kind_of(n) == kind}))

    seen = names("observation")
    late = tuple(name for name in seen if is_quantified(catalog, name))
    return Program(
        rules=tuple(rules),
        observations=tuple(name for name in seen if name not in late),
        quantified=late,
        answers=names("answer"),
        classes=tuple(r.concludes for r in rules if r.is_class),
        explains=explains,
    )
