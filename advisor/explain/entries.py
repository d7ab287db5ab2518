"""Turn an entry into an explanation: sections of lines in reading order. Headings are ids; the pages give titles."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

from msgspec import structs

from advisor.explain.index import Index, Place, fields_named, norm
from advisor.hardware.gpus import table
from advisor.knowledge.base import WORD_FILES
from advisor.knowledge.libraries import FILE as LIBRARIES
from advisor.knowledge.libraries import libraries
from advisor.knowledge.library_calls import FILES as CALLS
from advisor.knowledge.library_calls import CallDef, call_fix, call_rule, calls
from advisor.knowledge.loader import load
from advisor.knowledge.schemas import (
    ClassDef,
    DiagnosisDef,
    FixDef,
    MetricDef,
    ObservationDef,
    QuantityDef,
    QuestionDef,
    RuleDef,
    WayDef,
    WordDef,
)
from advisor.records.errors import KnowledgeError
from advisor.records.record import Pairs, Record, named

Section = tuple[str, tuple[str, ...]]
Link = Annotated[tuple[str, str], named("title", "url")]
# Fields of a topic in reading order. Other fields follow under their own names.
_TOPIC = (
    "says",
    "what",
    "picture",
    "means",
    "formula",
    "example",
    "why",
    "when",
    "points",
    "look",
    "steps",
    "cure",
    "code",
    "commands",
    "exit",
    "misleads",
)
_MODIFIERS = "modifiers"
_AS_TYPED = ("code", "picture")
_LARGE = 16  # lines of a picture
_EXAMPLES = 2
_FOUND = "found."
_HIDDEN = frozenset(
    (
        *("title", "see", "cites", "aliases", "modifiers", "verdicts", "no_verdicts", "called"),
        *("table", "links", "pages", "url"),
    )
)


class GpuPeaks(Record):
    """A GPU in the table of ridge points. Unknown values are absent.

    fp32: peak rate, FLOP/s; bandwidth: DRAM peak, bytes/s; ridge: peak -> FLOP/byte, for the peaks in FLOP.
    """

    id: str
    name: str
    cc: str
    sm_count: int | None = None
    fp32: float | None = None
    bandwidth: float | None = None
    l2_bytes: int | None = None
    ridge: Pairs[float] = ()


class Explanation(Record, tag_field="schema", tag="ncu-advisor/explain/1"):
    """Output of `ncu-advisor explain --format json`: the meaning of a word.

    sections: (heading id, lines); a line that begins with two spaces continues the line before. cites: (key, title).
    see: ids, or `kind:id` for another meaning of the same word; `explain` accepts each of them. links: (title,
    address) of further reading and of the cited documents; an address is a text, nothing is fetched. gpus: all GPUs
    that the program knows, for an entry about their peaks.
    """

    kind: str
    id: str
    title: str
    sections: tuple[Annotated[Section, named("heading", "lines")], ...]
    cites: tuple[Annotated[tuple[str, str], named("key", "title")], ...]
    see: tuple[str, ...]
    links: tuple[Link, ...] = ()
    gpus: tuple[GpuPeaks, ...] = ()

    def section(self, heading: str) -> tuple[str, ...]:
        """Return the lines under a heading, or () if the heading does not exist."""
        return next((lines for name, lines in self.sections if name == heading), ())


def build(index: Index, place: Place, word: str, others: tuple[str, ...] = ()) -> Explanation:
    """Return the explanation of one entry; `others` are further meanings of the word."""
    kind = place.kind
    if kind == "conclusion" or any(place.path.match(name) for name in WORD_FILES.values()):
        made = _conclusion(index, place)
    elif kind in ("diagnosis", "trust", "pattern", "workload", "rule", "fix"):
        made = _diagnosis(index, place)
    elif kind == "metric":
        made = _metric(index, place)
    elif kind == "observation":
        made = _observation(index, place)
    elif kind in ("class", "decision"):
        made = _class(index, place)
    elif kind == "question":
        made = _question(index, place)
    elif kind == "gpu":
        made = _gpu(index, place)
    elif kind == "call":
        made = _call(index, place)
    elif kind == "formula" and "ways" in place.content:
        made = _quantity(index, place)
    else:
        made = _topic(index, place, word)
    corrections = tuple(_corrections(index, made))
    sections = (*made.sections, ("corrections", corrections)) if corrections else made.sections
    see = tuple(dict.fromkeys(s for s in (*made.see, *others) if norm(s) != norm(place.id)))
    links = (*made.links, *_links(index, (key for key, _ in made.cites)))
    unique = {url: (title, url) for title, url in reversed(links)}  # of two titles for an address the first one counts
    shown = tuple(link for link in dict.fromkeys(links) if unique[link[1]] == link)
    return structs.replace(made, sections=tuple(s for s in sections if s[1]), see=see, links=shown)


def build_source(index: Index, key: str, title: str) -> Explanation:
    """Return the explanation of a citation key that has no entry: of a measurement, what was measured."""
    said = index.measured(key)
    sections = (("measured", (said,)),) if said else ()
    return Explanation("source", key, title, sections, ((key, title),), (), tuple(_links(index, (key,))))


def _links(index: Index, keys: Iterable[str]) -> Iterable[tuple[str, str]]:
    return (link for key in keys if (link := index.source_link(key)) is not None)


def plain(text: str) -> str:
    """Replace each field of a text with the metric's id in angle brackets."""
    return " ".join(fields_named(text).split())


def _cites(index: Index, keys: Iterable[str]) -> tuple[tuple[str, str], ...]:
    return tuple((key, index.source_title(key) or "") for key in dict.fromkeys(keys))


def _lines(value: Any) -> tuple[str, ...]:
    """Return strings, lists and mappings as lines."""
    if value is None:
        return ()
    if isinstance(value, str):
        return (plain_space(value),) if value.strip() else ()
    if isinstance(value, Mapping):
        out: list[str] = []
        for name, inner in value.items():
            lines = _lines(inner)
            out += [f"{name}: {lines[0]}"] if len(lines) == 1 else [f"{name}:", *(f"  {line}" for line in lines)]
        return tuple(out)
    if isinstance(value, list | tuple):
        return tuple(line for item in value for line in _lines(item))
    if isinstance(value, bool):
        return ("yes" if value else "no",)
    return (f"{value:g}" if isinstance(value, float) else str(value),)


def _code(text: Any) -> tuple[str, ...]:
    """Return the lines of a program unchanged, with indentation and empty lines."""
    return tuple(str(text).rstrip().split("\n"))


def plain_space(text: str) -> str:
    """Replace line breaks and runs of spaces in a text with single spaces."""
    return " ".join(text.split())


def condition_text(index: Index, name: str) -> str:
    """Return a condition of a rule with its test, or with its meaning."""
    place = index.of(name, "observation")
    if place:
        return f"{name}: {index.entry(place, ObservationDef).test}"
    kind, _, rest = name.partition(".")
    if kind == "answer":
        question, _, choice = rest.rpartition(".")
        asked = index.of(question, "question")
        return f"{name}: {index.entry(asked, QuestionDef).ask} {choice}" if asked else name
    named = index.of(rest, "class") if kind == "class" else index.of(name, "conclusion")
    return f"{name}: {index.title(named)}" if named else name


def _rule(index: Index, rule: RuleDef) -> Iterable[str]:
    yield f"{rule.id}: {plain(rule.because)}" if rule.because else rule.id
    yield from (f"  when {condition_text(index, name)}" for name in rule.when)
    yield from (f"  unless {condition_text(index, name)}" for name in rule.unless if not name.startswith(_FOUND))
    others = [name.removeprefix(_FOUND) for name in rule.unless if name.startswith(_FOUND)]
    if others:
        yield f"  unless found: {', '.join(others)}"


def _values(examples: Sequence[Mapping[str, float]]) -> tuple[str, ...]:
    """Return the first examples; the files contain one for each rule."""
    shown = examples[:_EXAMPLES]
    return tuple(", ".join(f"{name}={value:g}" for name, value in one.items()) for one in shown)


def _operators(fix: FixDef) -> Iterable[str]:
    """Yield the operators of a fix with their parameters, those of each part of it, and those of its furthest form."""
    for says, given in {"": fix.operators, **fix.partial, "at most": fix.most}.items():
        for name, parameters in given.items():
            text = ", ".join(f"{key} = {formula}" for key, formula in parameters.items())
            told = f"{name} ({text})" if text else name
            yield f"{says}: {told}" if says else told


def _changes(changes: Mapping[str, str]) -> Iterable[str]:
    """Yield the factors by which a fix changes the terms' work; skip a factor of 1, which is only a placeholder."""
    for term, factor in changes.items():
        if factor != "1":
            whole = re.sub(r"\([^()]*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)[^()]*)*\)", "", factor)
            yield f"{term} × ({factor})" if " " in whole else f"{term} × {factor}"


def fix_conditions(index: Index, fix: FixDef) -> Iterable[str]:
    """Yield the conditions on which a fix suits a launch."""
    for role, names in (("when", fix.when), ("unless", fix.unless)):
        yield from (f"{role} {condition_text(index, name)}" for name in names)


def _symptoms(index: Index, names: Iterable[str]) -> Iterable[str]:
    """Return the texts of the observations that a finding explains."""
    for name in names:
        place = index.of(name, "observation")
        said = plain(index.entry(place, ObservationDef).says) if place else ""
        yield f"{name}: {said}" if said else name


def _diagnosis(index: Index, place: Place) -> Explanation:
    if place.path.name == LIBRARIES:
        entry = DiagnosisDef(fixes_given=libraries(place.path.parent).fix)
    elif place.path.match(CALLS):
        known = calls(place.path.parents[1]).values()
        entry = _parts_of_call(next(call for call in known if place.id in _named(call)))
    else:
        entry = load(place.path, DiagnosisDef)
    rules = entry.seen
    if place.kind == "rule":
        rules = tuple(r for r in entry.seen if norm(r.id) == norm(place.id))
    shown = place.kind not in ("rule", "fix")
    sections: list[Section] = []
    if shown:
        sections += [("what", _lines(entry.what)), ("why", _lines(entry.why))]
    # A page of an entry shows its general fix, and which other fixes suit which launches.
    fix = entry.fix
    if place.kind == "fix":
        fix = next(one for one in entry.fixes if norm(one.id) == norm(place.id))
    if fix is not None and place.kind != "rule":
        sections += [
            ("fix", _lines(fix.summary) if shown else ()),
            ("conditions", tuple(fix_conditions(index, fix)) if not shown else ()),
            ("steps", _lines(fix.steps)),
            ("before", _code(fix.before) if fix.before else ()),
            ("after", _code(fix.after) if fix.after else ()),
            ("typical", _lines(fix.typical)),
            ("costs", _lines(fix.costs)),
        ]
    if shown:
        sections.append(("fixes", tuple(f"{one.id}: {one.summary}" for one in entry.fixes if one.conditional)))
    if shown:
        sections.append(("exercise", _lines(entry.exercise)))
    sections.append(("misleads", _lines(entry.misleads)))
    if place.kind != "fix":
        sections.append(("rules", tuple(line for rule in rules for line in _rule(index, rule))))
    if shown:
        sections.append(("explains", tuple(_symptoms(index, entry.explains))))
    if fix is not None and place.kind != "rule":
        sections.append(("changes", (*_operators(fix), *_changes(fix.changes))))
    if shown:
        sections += [("fires", _values(entry.examples.fires)), ("silent", _values(entry.examples.silent))]
    names = [n for rule in rules for n in (*rule.when, *rule.unless)]
    related = [n.partition(".")[2] for n in names if n.startswith(("class.", "found."))]
    keys = [*entry.cites, *(key for rule in rules for key in rule.cites)]
    keys += fix.cites if fix is not None and not shown else ()
    see = (*entry.see, *related) if shown else (entry.id, *related)
    title = entry.title
    if place.kind == "fix" and fix is not None:
        title = fix.summary
    return Explanation(place.kind, place.id, title, tuple(sections), _cites(index, keys), _known(index, see))


def _parts_of_call(call: CallDef) -> DiagnosisDef:
    """Return the rule and the fix of a call of a library as a finding with nothing else."""
    rule, fix = call_rule(call), call_fix(call, call.finding)
    return DiagnosisDef(id=call.finding or call.id, title=_title(call), seen=(rule,) if rule else (), fixes_given=fix)


def _title(call: CallDef) -> str:
    return call.title[:1].upper() + call.title[1:]


def _named(call: CallDef) -> tuple[str, ...]:
    """Return the ids of the rule and the fix of a call."""
    rule = call_rule(call)
    return (rule.id if rule else "", call.fix.id if call.fix else "")


def _call(index: Index, place: Place) -> Explanation:
    """Explain a call of a library: what its kernel does, when it is a cause, and what to call instead."""
    call = calls(place.path.parents[1])[place.id]
    parts = _parts_of_call(call)
    fix = parts.fixes[0] if parts.fixes else None
    sections: list[Section] = [
        ("means", _lines(call.means)),
        ("names", (*call.names, *(f"with {form}" for form in call.types))),
        ("rules", tuple(line for rule in parts.seen for line in _rule(index, rule))),
    ]
    if fix is not None:
        sections += [
            ("fix", _lines(fix.summary)),
            ("steps", _lines(fix.steps)),
            ("before", _code(fix.before)),
            ("after", _code(fix.after)),
            ("costs", _lines(fix.costs)),
            ("changes", tuple(_operators(fix))),
        ]
    keys = [*call.cites, *(key for rule in parts.seen for key in rule.cites)]
    see = _known(index, (call.finding, call.metric, call.observation))
    return Explanation("call", place.id, _title(call), tuple(sections), _cites(index, keys), see)


def _conclusion(index: Index, place: Place) -> Explanation:
    """Explain a conclusion of napkin math or quantification, or one of its rules."""
    entry: WordDef = index.entry(place, WordDef)
    whole = place.kind == "conclusion"
    rules = tuple(r for r in entry.seen if whole or norm(r.id) == norm(place.id))
    users = _users(index, place.id, ("diagnosis", "trust", "workload", "conclusion")) if whole else ()
    sections: tuple[Section, ...] = (
        ("what", _lines(entry.what) if whole else ()),
        ("rules", tuple(line for rule in rules for line in _rule(index, rule))),
        ("used_by", tuple(dict.fromkeys(f"{p.id}: {index.title(p)}" for p in users))),
        ("fires", _values(entry.examples.fires) if whole else ()),
        ("silent", _values(entry.examples.silent) if whole else ()),
    )
    names = [n.removeprefix(_FOUND) for rule in rules for n in (*rule.when, *rule.unless)]
    see = _known(index, (*entry.see, entry.suggests, *(p.id for p in users), *names))
    keys = (*entry.cites, *(key for rule in rules for key in rule.cites))
    return Explanation(place.kind, place.id, entry.title, sections, _cites(index, keys), see)


def _known(index: Index, names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(n for n in names if index.of(n)))


def _users(index: Index, name: str, kinds: tuple[str, ...]) -> tuple[Place, ...]:
    """Return entries of these kinds whose text contains a name, in file order."""
    return tuple(p for p in index.naming(name) if p.kind in kinds and p.id != name)


def _metric(index: Index, place: Place) -> Explanation:
    entry: MetricDef = index.entry(place, MetricDef)
    tested = []
    for user in _users(index, place.id, ("observation",)):
        test = index.entry(user, ObservationDef).test
        if re.search(rf"\b{re.escape(place.id)}\b", test):
            tested.append((user.id, test))
    sections: tuple[Section, ...] = (
        ("what", _lines(entry.means)),
        ("unit", _lines(entry.unit)),
        ("formula", _lines(entry.formula)),
        ("names", tuple(entry.names)),
        ("text", tuple(entry.text)),
        ("collect", (f"ncu --section {entry.section}",) if entry.section else ()),
        ("thresholds", tuple(f"{name}: {test}" for name, test in tested)),
    )
    see = [name for name, _ in tested] + [n for n in re.findall(r"[a-z]\w+", entry.formula) if index.of(n, "metric")]
    return Explanation("metric", place.id, place.id, sections, _cites(index, entry.cites), _known(index, see))


def _observation(index: Index, place: Place) -> Explanation:
    entry: ObservationDef = index.entry(place, ObservationDef)
    users = _users(index, place.id, ("diagnosis", "trust", "pattern", "workload", "class", "decision", "conclusion"))
    metrics = [n for n in re.findall(r"[a-z]\w+", entry.test) if index.of(n, "metric")]
    sections: tuple[Section, ...] = (
        ("what", _lines(plain(entry.says))),
        ("test", _lines(entry.test)),
        ("partition", _lines(entry.partition)),
        ("used_by", tuple(f"{p.id}: {index.title(p)}" for p in users)),
    )
    see = _known(index, [*(p.id for p in users), *metrics])
    return Explanation("observation", place.id, place.id, sections, _cites(index, entry.cites), see)


def _class(index: Index, place: Place) -> Explanation:
    entry: ClassDef = index.entry(place, ClassDef)
    tests = [f"when {condition_text(index, n)}" for n in entry.when] + [
        f"unless {condition_text(index, n)}" for n in entry.unless
    ]
    sections: tuple[Section, ...] = (
        ("what", _lines(entry.meaning)),
        ("rules", tuple(tests)),
        ("next", _lines(entry.next)),
    )
    about = ("class", "1") if place.kind == "class" else ("S5",)
    see = _known(index, (*about, *entry.when, *entry.unless))
    return Explanation(place.kind, place.id, entry.title, sections, _cites(index, entry.cites), see)


def _question(index: Index, place: Place) -> Explanation:
    entry: QuestionDef = index.entry(place, QuestionDef)
    bounds = [f"{sign} {value:g}" for sign, value in ((">=", entry.low), ("<=", entry.high)) if value is not None]
    answers = [f"answer.{entry.id}.{name}" for name in entry.choices]
    users = [p for name in answers for p in _users(index, name, ("diagnosis", "trust", "class"))]
    if entry.sets:
        users += list(_users(index, entry.sets, ("observation",)))
    used = dict.fromkeys(p.id for p in users)
    sections: tuple[Section, ...] = (
        ("why", _lines(entry.why)),
        ("unit", _lines(" ".join([entry.unit, *bounds]))),
        ("choices", _lines(entry.choices)),
        ("sets", _lines(entry.sets)),
        ("used_by", tuple(used)),
    )
    see = _known(index, (entry.sets, *used))
    return Explanation("question", place.id, entry.ask, sections, _cites(index, entry.cites), see)


def _quantity(index: Index, place: Place) -> Explanation:
    """Return a formula that is computed on every launch: also how, and the findings whose speedup it bounds."""
    entry: QuantityDef = index.entry(place, QuantityDef)
    found = [index.of(name, "diagnosis") for name in entry.bounds]
    assumed = [f"where {entry.assumes}", *(f"  when {condition_text(index, name)}" for name in entry.holds)]
    assumed += [f"  on launches of the class {' or '.join(entry.classes)}"] if entry.classes else []
    sections: tuple[Section, ...] = (
        ("what", _lines(entry.what)),
        ("formula", _lines(entry.formula)),
        ("example", _lines(entry.example)),
        ("misleads", _lines(entry.misleads)),
        ("computed", tuple(line for way in entry.ways for line in _way(index, way))),
        ("assumes", tuple(assumed) if entry.assumes else ()),
        ("bounds", tuple(f"{at.id}: {index.title(at)}" for at in found if at)),
    )
    see = _known(index, (*entry.see, *entry.bounds))
    return Explanation("formula", place.id, entry.title, sections, _cites(index, entry.cites), see)


def _way(index: Index, way: WayDef) -> Iterable[str]:
    yield plain(way.says)
    yield from (f"  when {condition_text(index, name)}" for name in way.when)
    yield from (f"  unless {condition_text(index, name)}" for name in way.unless)
    named_ = {**way.let, "share": way.share, "at most": way.at_most}
    yield from (f"  {name} = {formula}" for name, formula in named_.items() if formula)


def _gpu(index: Index, place: Place) -> Explanation:
    gpu = table().cards.get(place.id)
    if gpu is None:
        raise KnowledgeError(f"{place.path}:1: {place.id}: not in the table of GPUs")
    facts = [f"compute capability: {gpu.cc}"]
    for name, value, scale, unit in (
        ("SMs", gpu.sm_count, 1, ""),
        ("boost clock", gpu.boost_clock_hz, 1e6, " MHz"),
        ("memory", gpu.bandwidth, 1e9, " GB/s"),
        ("L2", gpu.l2_bytes, 2**20, " MiB"),
    ):
        if value:
            facts.append(f"{name}: {value / scale:,.6g}{unit}")
    peaks = []
    for peak, rate in gpu.peaks.items():
        ridge = gpu.ridge(peak)
        end = f", ridge point {ridge:.1f} FLOP/byte" if ridge and not peak.startswith("int") else ""
        unit = "TOP/s" if peak.startswith("int") else "TFLOP/s"
        how = ", computed" if gpu.sources[f"peaks.{peak}"].startswith("computed") else ""
        peaks.append(f"{peak}: {rate / 1e12:.4g} {unit}{end}{how}")
    held = {name: getattr(gpu.limits, name) for name in gpu.limits.__struct_fields__} if gpu.limits else {}
    limits = _lines({name: value for name, value in held.items() if value is not None})
    sections: tuple[Section, ...] = (
        ("facts", tuple(facts)),
        ("peaks", tuple(peaks)),
        ("limits", limits),
        ("note", _lines(gpu.note)),
    )
    see = [p.id for p in _users(index, place.id, ("erratum",))] + ["ridge_point", "B"]
    return Explanation("gpu", place.id, gpu.name, sections, _cites(index, gpu.cites), _known(index, see))


def _gpus() -> tuple[GpuPeaks, ...]:
    """Return the peaks of all GPUs, in the order of the file: by compute capability."""
    return tuple(
        GpuPeaks(
            id=gpu.id,
            name=gpu.name,
            cc=gpu.cc,
            sm_count=gpu.sm_count,
            fp32=gpu.peaks.get("fp32"),
            bandwidth=gpu.bandwidth,
            l2_bytes=gpu.l2_bytes,
            ridge=tuple((p, ridge) for p in gpu.peaks if not p.startswith("int") and (ridge := gpu.ridge(p))),
        )
        for gpu in table().cards.values()
    )


def _modifiers(index: Index, place: Place, raw: Mapping[str, Any], word: str) -> tuple[str, ...]:
    """Return the meanings of the modifiers of an opcode as typed; skip unknown modifiers."""
    written = word.strip().upper().split(".")[len(place.id.split(".")) :]
    shared = index.of(_MODIFIERS, "opcode")
    known: dict[str, str] = {}
    for source in (index.raw(shared) if shared else {}, raw.get("modifiers") or {}):
        for name, text in source.items():
            if isinstance(text, str | int | float):
                known[str(name).upper()] = str(text)
    return tuple(f".{name}: {known[name]}" for name in written if name in known)


def _parameter(name: str, about: Any) -> str:
    """Return a line about a parameter of an algorithm: its name, meaning and bounds."""
    if not isinstance(about, Mapping):
        return f"{name}: {about}"
    more = [f"{key} {value}" for key, value in about.items() if key != "means"]
    bounds = f" ({', '.join(more)})" if more else ""
    return f"{name}: {about.get('means', '')}{bounds}"


def _topic(index: Index, place: Place, word: str) -> Explanation:
    raw = index.raw(place)
    if place.kind == "algorithm":
        raw["parameters"] = [_parameter(n, about) for n, about in (raw.get("parameters") or {}).items()]
    # A picture as large as a terminal would hide what is said in words.
    large = "picture" in raw and len(str(raw["picture"]).splitlines()) > _LARGE
    order = [*(n for n in _TOPIC if n != "picture"), "picture"] if large else _TOPIC
    names = [n for n in order if n in raw] + [n for n in raw if n not in _TOPIC and n not in _HIDDEN]
    sections: list[Section] = [(name, _code(raw[name]) if name in _AS_TYPED else _lines(raw[name])) for name in names]
    if place.kind == "opcode" and place.id == _MODIFIERS:
        # The dictionary of modifiers has one field for each modifier.
        own = tuple(f".{name}: {raw[name]}" for name in names if name not in _TOPIC)
        sections = [*((name, lines) for name, lines in sections if name in _TOPIC), ("modifiers", own)]
    elif place.kind == "opcode":
        sections.insert(0, ("modifiers", _modifiers(index, place, raw, word)))
    if place.kind == "source":
        sections = [(name, lines) for name, lines in sections if name != "kind"]
    keys = raw.get("cites") or ([place.id] if place.kind == "source" else [])
    see = [*(raw.get("see") or ()), *(raw.get("leads_to") or ()), *([raw["found_by"]] if "found_by" in raw else [])]
    naming = next((key for key in ("title", "name") if raw.get(key)), "")
    title = str(raw[naming]) if naming else place.id
    sections = [(name, lines) for name, lines in sections if name != naming]
    cites, related = _cites(index, map(str, keys)), _known(index, map(str, see))
    links = [(link["title"], link["url"]) for link in raw.get("links") or ()]
    if place.kind == "source":
        links += [(f"{title}: {page['title']}", page["url"]) for page in raw.get("pages") or ()]
    gpus = _gpus() if raw.get("table") == "gpus" else ()
    return Explanation(place.kind, place.id, title, tuple(sections), cites, related, tuple(links), gpus)


def _corrections(index: Index, made: Explanation) -> Iterable[str]:
    """Return the text of the errata that the entry cites."""
    for key in dict.fromkeys((*(key for key, _ in made.cites), *made.see)):
        if not key.startswith("errata.") or norm(key) == norm(made.id):
            continue
        place = index.of(key, "erratum")
        if place:
            raw = index.raw(place)
            yield f"{raw.get('title', key)}: {' '.join(_lines(raw.get('what')))}"
