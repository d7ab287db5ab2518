"""Calls of libraries, by the names of their kernels: what is known of each call alone (knowledge/calls/).

A call is a metric `<id>_kernel` (1 or 0), an observation `<id>_code`, and, where its entry names a finding, a rule
`<finding>.<id>` with a fix of its own. All of it stands in one entry, so that a call is added in one place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from msgspec.structs import replace

from advisor.knowledge.libraries import library_of, name_and_types
from advisor.knowledge.loader import load_mapping
from advisor.knowledge.schemas import DiagnosisDef, Entry, Examples, FixDef, MetricDef, ObservationDef, RuleDef
from advisor.records import resources

FOLDER = "calls"
FILES = f"{FOLDER}/*.yaml"
# Findings of which a call's fix is no remedy: they are about the launch or the machine, not about what the kernel does.
_WITHOUT = frozenset({"launch_overhead", "power_limited", "remote_memory_traffic", "unexplained"})


class CallDef(Entry, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A call of a library. title: what it is, for a reader; means: how its kernel works.

    names: regular expressions for the kernel's name without arguments, one of which matches; types: further ones for
    what follows the name (template arguments), one of which must match too. finding: the diagnosis that the call is a
    case of, and rule: on which further conditions (`when`, `unless`, `because`; the id and the kernel's name are
    added); without a rule it only has a fix there. fix: what to call instead; its operators count for `finding` alone,
    other findings keep their own. examples: metric values on which the rule must fire and must not, besides the metric
    of the call.
    """

    title: str
    means: str
    names: tuple[str, ...]
    types: tuple[str, ...] = ()
    finding: str = ""
    rule: RuleDef | None = None
    fix: FixDef | None = None
    examples: Examples = Examples()
    id: str = ""

    @property
    def metric(self) -> str:
        """The metric that is 1 for a launch of this call's kernel."""
        return f"{self.id}_kernel"

    @property
    def observation(self) -> str:
        """The observation that a kernel is this call's."""
        return f"{self.id}_code"


def calls(folder: Path | None = None) -> Mapping[str, CallDef]:
    """Return the calls of a knowledge folder by id, by default the bundled one. Raises KnowledgeError for a mistake."""
    return _calls(folder or resources.folder("knowledge"))


@lru_cache(maxsize=4)
def _calls(folder: Path) -> Mapping[str, CallDef]:
    out: dict[str, CallDef] = {}
    for path in sorted(folder.glob(FILES)):
        out |= {key: replace(entry, id=key) for key, entry in load_mapping(path, CallDef).items()}
    return out


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...]:
    return tuple((c.id, re.compile("|".join(c.names)), re.compile("|".join(c.types))) for c in calls().values())


@lru_cache(maxsize=4096)
def calls_of(kernel: str) -> tuple[str, ...]:
    """Return the calls that a kernel may belong to, by its full name; none for a kernel of no library.

    A call that the arguments show too is more specific than one that the name alone shows.
    """
    if not library_of(kernel):
        return ()
    name, types = name_and_types(kernel)
    found = [call for call, names, further in _patterns() if names.search(name) and further.search(types)]
    return tuple(call for call in found if calls()[call].types) or tuple(found)


def call_metrics(known: Mapping[str, CallDef]) -> dict[str, MetricDef]:
    """Return the metrics of the calls by id."""
    return {
        call.metric: MetricDef(
            id=call.metric,
            unit="bool",
            means=f"1 if the kernel's name is that of {call.title}, 0 if not",
            source="python",
            cites=call.cites,
        )
        for call in known.values()
    }


def call_observations(known: Mapping[str, CallDef]) -> dict[str, ObservationDef]:
    """Return the observations of the calls by id."""
    return {
        call.observation: ObservationDef(
            id=call.observation, test=f"{call.metric} == 1", says=_said(call), cites=call.cites
        )
        for call in known.values()
    }


def _said(call: CallDef) -> str:
    return f"the kernel's name is that of {call.title}"


def call_rule(call: CallDef) -> RuleDef | None:
    """Return the rule of a call, with its id and the kernel's name as a condition; None if it concludes no finding."""
    if not call.finding or call.rule is None:
        return None
    return replace(
        call.rule,
        id=f"{call.finding}.{call.id}",
        when=(call.observation, *call.rule.when),
        because=f"{_said(call)}; {call.rule.because}",
        cites=call.rule.cites or call.cites,
    )


def call_fix(call: CallDef, finding: str, reach: float = 1.0) -> FixDef | None:
    """Return the fix of a call as `finding` has it; None if it has none or `finding` is not about what the kernel does.

    reach: the share of the modelled gain, on a log scale, where the call is no case of that finding.
    """
    if call.fix is None or finding in _WITHOUT:
        return None
    fix = replace(
        call.fix,
        when=(call.observation, *call.fix.when),
        because=call.fix.because or "the kernel's name tells the call",
        leaves_out="others",
        cites=call.fix.cites or call.cites,
    )
    if finding == call.finding:
        return fix
    return replace(fix, operators={}, partial={}, most={}, example={}, reach=min(fix.reach, reach))


def with_own_calls(entry: DiagnosisDef, known: Mapping[str, CallDef]) -> DiagnosisDef:
    """Return a finding with the rules, fixes and examples of the calls that are cases of it, before its own fixes."""
    own = [call for call in known.values() if call.finding == entry.id]
    rules = [rule for call in own if (rule := call_rule(call)) is not None]
    fixes = [fix for call in own if (fix := call_fix(call, entry.id)) is not None]
    shown = {
        kind: tuple({call.metric: 1.0, **values} for call in own for values in getattr(call.examples, kind))
        for kind in ("fires", "silent")
    }
    return replace(
        entry,
        seen=(*entry.seen, *rules),
        fixes_given=(*fixes, *entry.fixes) if fixes else entry.fixes_given,
        examples=Examples(
            fires=(*entry.examples.fires, *shown["fires"]), silent=(*entry.examples.silent, *shown["silent"])
        ),
    )


def with_other_calls(entry: DiagnosisDef, known: Mapping[str, CallDef], reach: float) -> DiagnosisDef:
    """Return a diagnosis of a launch with the fixes of the calls that are not cases of it before its own."""
    if entry.kind != "diagnosis" or entry.scope != "launch" or not entry.fixes:
        return entry
    others = [call for call in known.values() if call.finding != entry.id]
    fixes = [fix for call in others if (fix := call_fix(call, entry.id, reach)) is not None]
    return replace(entry, fixes_given=(*fixes, *entry.fixes)) if fixes else entry
