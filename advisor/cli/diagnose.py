"""The command `ncu-advisor diagnose`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import click
from msgspec.structs import replace

from advisor.cli import terminal
from advisor.cli.options import (
    PATH,
    REPORT,
    Knowledge,
    Launches,
    Output,
    Strict,
    argument,
    command,
    flag,
    formats,
    option,
)
from advisor.hardware import gpus
from advisor.reasoning.diagnose import PART, analyse_frame, diagnose_in_parts, gather
from advisor.reasoning.document import Explanation, diagnosis_document
from advisor.reasoning.engine.explain import Proof
from advisor.reasoning.inputs import parse_assignments
from advisor.reasoning.packed import PackedLaunches
from advisor.records.diagnosis import Diagnosis, LaunchDiagnosis, MeasuredCeilings
from advisor.records.errors import EXIT_DONE, EXIT_WRONG_USE, UsageError
from advisor.records.readings import ReportInfo
from advisor.source.locate import locate_findings
from advisor.view.pages.answers.supposing import followed_text
from advisor.view.pages.diagnosis import (
    HTML_SECTIONS,
    MARKDOWN_SECTIONS,
    diagnosis_page,
    diagnosis_parts,
    grouped,
    listed,
    worth_fixing,
)
from advisor.view.pages.ncu_rules import rules_page
from advisor.view.pages.proof import Explained, proofs_page
from advisor.view.writers import PAGE_FORMATS
from advisor.view.writers.json import document_texts
from advisor.view.writers.sarif import diagnosis_sarif

if TYPE_CHECKING:
    from advisor.knowledge.base import Catalog
    from advisor.reasoning.analysis import Analysis
    from advisor.reasoning.inputs import Inputs

_PAGES = (*PAGE_FORMATS, "sarif")  # formats that are not printed to a terminal
# Texts of the code around the locations of a finding: (position of the launch, finding) -> lines.
Texts = Mapping[tuple[int, str], tuple[str, ...]]
# The analysis that contains a launch, and the launch's position in it.
Asked = tuple["Analysis", int]
Kind = Literal["how", "why_not"]


@dataclass(frozen=True, kw_only=True)
class Options(Output, Launches, Strict, Knowledge):
    """Options of `diagnose`."""

    reports: tuple[Path, ...] = argument(nargs=-1, required=True, type=REPORT)
    launches: tuple[int, ...] = option(
        "--launch", multiple=True, type=int, metavar="N", help="Only launch N, from 0; repeatable."
    )
    top: int | None = option(
        "--top", type=click.IntRange(1), metavar="N", help="Only the N launches whose first fix saves most time."
    )
    ptxas: Path | None = option(
        "--ptxas", type=PATH, metavar="FILE", help="A `ptxas -v` log with registers and spills."
    )
    jobs: int = option("--jobs", default=2, type=click.IntRange(1, 64), help="Number of processes.")
    how: tuple[str, ...] = option(
        "--how", multiple=True, metavar="ID", help="Show how a finding or class was concluded; repeatable."
    )
    why_not: tuple[str, ...] = option(
        "--why-not", multiple=True, metavar="ID", help="Show why a finding was not concluded; repeatable."
    )
    what_if: tuple[str, ...] = option(
        "--what-if", multiple=True, metavar="METRIC=VALUE", help="Diagnose with a changed metric value; repeatable."
    )
    on: str | None = option("--on", metavar="GPU", help="Also estimate for another GPU, such as H100-SXM.")
    rules: bool = flag("--rules", help="Show what Nsight Compute's own rules say, compared with the diagnosis.")
    locate: bool | None = option(
        "--locate/--no-locate",
        help="Locate the first finding in the source; by default of a single launch, and of the five worth most.",
    )
    every: bool = flag("--all", help="Text: a section for each launch, also for equal launches of a kernel.")
    form: str = formats("text", "json", *PAGE_FORMATS, "sarif")


@command(Options)
def diagnose(options: Options) -> int:
    """Diagnose reports and print the result: text, JSON, a page, or SARIF for editors and code review."""
    pattern = options.pattern
    _check(options)
    other_gpu = gpus.gpu(options.on) if options.on is not None else None
    catalog, inputs = gather(
        options.reports,
        answers=options.given,
        gpu=options.gpu,
        knowledge=options.knowledge,
        ptxas=options.ptxas,
        kernel=pattern,
        launches=frozenset(options.launches) if options.launches else None,
        jobs=options.jobs,
        progress=terminal.narrate,
    )
    if len(inputs.frame) > PART and _nothing_asked(options):
        terminal.clear()
        listed_in = _listed if options.form == "json" else _paged
        return _write(inputs.reports, listed_in(catalog, inputs, options), options)
    analysis = analyse_frame(catalog, inputs, options.jobs)
    terminal.clear()
    diagnosis, followed = analysis.diagnosis, ""
    positions = list(range(len(diagnosis.launches)))
    asked: list[Asked] = [(analysis, position) for position in positions]
    if options.what_if:
        values = parse_assignments(options.what_if, analysis.catalog)
        asked = [(analysis.supposed(p, values), 0) for p in positions]
        followed = _FOLLOWED
        if len(asked) == 1:
            followed = followed_text(diagnosis.launches[0], asked[0][0].diagnosis.launches[0], values)
        diagnosis = dataclasses.replace(diagnosis, launches=tuple(a.diagnosis.launches[0] for a, _ in asked))
    if options.top is not None:
        positions = sorted(positions, key=lambda p: (-diagnosis.launches[p].saved_ns, p))[: options.top]
        asked = [asked[p] for p in positions]
        diagnosis = dataclasses.replace(diagnosis, launches=tuple(diagnosis.launches[p] for p in positions))
    texts: Texts = {}
    if chosen := _chosen(diagnosis, options):
        diagnosis, texts = _places(diagnosis, analysis.catalog, options, chosen)
    if other_gpu is not None:
        moved = [a.on([p], other_gpu)[0] for a, p in asked] if options.what_if else analysis.on(positions, other_gpu)
        launches = (replace(launch, on=on) for launch, on in zip(diagnosis.launches, moved, strict=True))
        diagnosis = dataclasses.replace(diagnosis, launches=tuple(launches))
    return _write(diagnosis.reports, _texts(diagnosis, asked, texts, options, followed), options)


def _write(reports: tuple[ReportInfo, ...], texts: Iterator[str], options: Options) -> int:
    for info in reports:
        terminal.tell_problems(info.path, info.problems)
    terminal.write_parts(texts, options.out)
    troubled = any(not info.complete or info.problems for info in reports)
    return EXIT_WRONG_USE if options.strict and troubled else EXIT_DONE


def _nothing_asked(options: Options) -> bool:
    """Return whether the output shows every launch as it was measured, without a proof."""
    asked = options.on or options.how or options.why_not or options.what_if or options.rules or options.locate
    return not asked and options.top is None


def _listed(catalog: Catalog, inputs: Inputs, options: Options) -> Iterator[str]:
    """Yield the JSON document of thousands of launches, of which only a part is in memory at a time."""
    ceilings: dict[str, MeasuredCeilings] = {}
    launches = _in_parts(catalog, inputs, options, ceilings)
    document = diagnosis_document(Diagnosis(inputs.reports, ()))
    return document_texts(document, {"launches": launches, "measured_ceilings": ceilings.values()})


def _in_parts(
    catalog: Catalog, inputs: Inputs, options: Options, ceilings: dict[str, MeasuredCeilings]
) -> Iterator[LaunchDiagnosis]:
    """Yield the launches; add the ceilings that were used."""
    for part in diagnose_in_parts(catalog, inputs, options.jobs):
        for one in part.measured_ceilings:
            ceilings.setdefault(one.gpu, one)
        yield from part.launches


def _paged(catalog: Catalog, inputs: Inputs, options: Options) -> Iterator[str]:
    """Yield thousands of launches as text, a page or SARIF; what a table does not show of them is packed meanwhile."""
    ceilings: dict[str, MeasuredCeilings] = {}
    rows: list[LaunchDiagnosis] = []
    with PackedLaunches() as packed:
        for launch in _in_parts(catalog, inputs, options, ceilings):
            packed.add(launch)
            rows.append(listed(launch))
        diagnosis = Diagnosis(inputs.reports, tuple(rows), tuple(ceilings.values()))
        chosen = _chosen(diagnosis, options)
        texts: Texts = {}
        if chosen:
            some = dataclasses.replace(diagnosis, launches=tuple(packed[at] for at in chosen))
            some, texts = _places(some, catalog, options, range(len(chosen)))
            for at, launch in zip(chosen, some.launches, strict=True):
                packed.replace(at, launch)
        if options.form == "sarif":
            yield _ended(diagnosis_sarif(diagnosis, options.knowledge, whole=packed))
        elif options.form == "text":
            page, rest = diagnosis_parts(
                diagnosis, texts=texts, sections=None, whole=packed, each=_each(options), unlocated=_unlocated(options)
            )
            yield from terminal.page_parts(page, rest, options.out)
        else:
            page = diagnosis_page(diagnosis, texts=texts, sections=_SECTIONS[options.form], whole=packed)
            yield _ended(terminal.page_text(page, options.form, options.out))


def _ended(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"


# Of more launches, reading the instructions of some takes longer than the diagnosis of all.
_LOCATED_OF: Final = 200
_SECTIONS: Final[Mapping[str, int | None]] = {"html": HTML_SECTIONS, "markdown": MARKDOWN_SECTIONS}
_FOLLOWED: Final = (
    "Time and utilisations follow where the fix of a finding changes the value supposed; others are kept as measured."
)


def _check(options: Options) -> None:
    """Raise UsageError if options contradict each other."""
    proofs = options.how or options.why_not or options.rules
    if options.on is not None and proofs:
        raise UsageError("--on is part of the diagnosis: leave out --how, --why-not and --rules")
    if options.form in _PAGES and proofs:
        raise UsageError(f"--how, --why-not and --rules print text or JSON: leave out --format {options.form}")
    if options.form == "sarif" and options.what_if:
        raise UsageError("--what-if values are not measured: --format sarif does not support them")


def _each(options: Options) -> bool:
    """Return whether each launch of a text has its own section: also if the user named the launches."""
    return options.every or bool(options.launches)


def _unlocated(options: Options) -> bool:
    """Return whether a text locates the findings of some launches only."""
    return options.form == "text" and options.locate is None and not options.what_if


def _chosen(diagnosis: Diagnosis, options: Options) -> list[int]:
    """Return the positions of the launches whose findings are located in the source."""
    count = len(diagnosis.launches)
    if options.locate is False:
        return []
    if options.form in _PAGES and not options.what_if:
        return [group.at for group in grouped(diagnosis.launches)][: count if options.locate else HTML_SECTIONS]
    asked = options.how or options.why_not or options.what_if or options.rules
    if options.locate or (count == 1 and not asked):
        return list(range(count))
    if asked or options.form != "text" or count > _LOCATED_OF:
        return []
    return [group.at for group in worth_fixing(grouped(diagnosis.launches))]


def _places(
    diagnosis: Diagnosis, catalog: Catalog, options: Options, positions: Sequence[int]
) -> tuple[Diagnosis, Texts]:
    """Return the diagnosis with the source locations of these launches, and the texts around them."""
    every = options.form == "sarif"
    found = locate_findings(diagnosis, catalog, terminal.narrate, positions=positions, every=every)
    terminal.clear()
    for problem in found.problems if options.locate else ():
        terminal.warn(problem)
    return found.diagnosis, found.texts


def _texts(diagnosis: Diagnosis, asked: list[Asked], texts: Texts, options: Options, followed: str) -> Iterator[str]:
    """Return the output in pieces: as JSON, thousands of launches take more memory than as records."""
    if options.form == "json":
        return document_texts(diagnosis_document(diagnosis, _explanations(_proofs(asked, options))))
    return iter((_ended(_text(diagnosis, asked, texts, options, followed)),))


def _text(diagnosis: Diagnosis, asked: list[Asked], texts: Texts, options: Options, followed: str) -> str:
    assumed = f"Assuming {', '.join(options.what_if)}: the values below were not measured." if options.what_if else ""
    assumed += f" {followed}" if followed else ""
    proofs = _proofs(asked, options)
    if options.form == "sarif":
        return diagnosis_sarif(diagnosis, options.knowledge)
    if proofs:
        page = proofs_page([proof for _, proof in proofs])
    elif options.rules:
        page = rules_page(diagnosis.launches)
    else:
        page = diagnosis_page(
            diagnosis,
            texts=texts,
            sections=_SECTIONS.get(options.form),
            supposed=assumed,
            each=_each(options),
            unlocated=_unlocated(options),
        )
    return terminal.page_text(page, options.form, options.out)


def _proofs(asked: list[Asked], options: Options) -> list[tuple[Kind, Explained]]:
    """Return (`how` or `why_not`, proof) for each launch that has a proof of the requested finding."""
    out: list[tuple[Kind, Explained]] = []
    for finding in options.how:
        holding = [(a, p) for a, p in asked if a.concluded(p, finding)]
        if not holding:
            raise UsageError(f"{finding!r} was not concluded on any selected launch: use --why-not {finding}")
        for a, p in holding:
            launch = a.diagnosis.launches[p]
            now = (launch.verdict.id, {f.id for f in launch.findings})
            flips = [f for f in a.flips(p, finding) if (f.then.class_id, set(f.then.findings)) != now]
            out.append(("how", Explained(launch, finding, a.how(p, finding), flips)))
    for finding in options.why_not:
        for a, p in asked:
            out.append(("why_not", Explained(a.diagnosis.launches[p], finding, tuple(a.why_not(p, finding)))))
    return out


def _explanations(proofs: list[tuple[Kind, Explained]]) -> tuple[Explanation, ...]:
    return tuple(
        Explanation(
            launch=one.launch.index,
            kind=kind,
            id=one.finding,
            proof=one.found if isinstance(one.found, Proof) else None,
            rules=None if isinstance(one.found, Proof) else one.found,
        )
        for kind, one in proofs
    )
