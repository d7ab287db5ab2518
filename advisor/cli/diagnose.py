"""`ncu-advisor diagnose`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from advisor.cli.terminal import width
from advisor.records.diagnosis import Diagnosis, Elsewhere, LaunchDiagnosis
from advisor.records.errors import EXIT_DONE, EXIT_WRONG_USE, UsageError

if TYPE_CHECKING:
    from advisor.hardware.gpus import Gpu

# Forms that are not for a terminal.
PAGES = ("html", "markdown", "sarif")


def read_answers(path: Path) -> dict[str, Any]:
    """A YAML file of question id (or metric id) to value; a KnowledgeError with file and line when it is not one."""
    from advisor.knowledge.loader import load

    return load(path, dict[str, Any])


def time_to_win(launch: LaunchDiagnosis) -> float:
    """Nanoseconds that the first fix would give back: duration x (1 - 1 / speedup); 0 when unknown."""
    gains = [f.speedup.estimate for f in launch.findings if f.kind == "diagnosis" and f.speedup is not None]
    return (launch.duration_ns or 0.0) * (1 - 1 / gains[0]) if gains else 0.0


def run(
    reports: tuple[Path, ...],
    *,
    kernel: str | None,
    launches: tuple[int, ...],
    top: int | None,
    answers: Path | None,
    gpu: str | None,
    ptxas: Path | None,
    form: str,
    out: Path | None,
    jobs: int,
    how_: tuple[str, ...],
    why_not: tuple[str, ...],
    what_if: tuple[str, ...],
    on: str | None,
    rules: bool,
    locate: bool | None,
    strict: bool,
    knowledge: tuple[Path, ...],
    write: Callable[[str, Path | None], None],
    narrate: Callable[[str, int, int], None],
    clear: Callable[[], None],
    colour: bool,
) -> int:
    """Read, reason, print; returns the exit code."""
    from advisor.reasoning.diagnose import analyse

    try:
        pattern = re.compile(kernel) if kernel is not None else None
    except re.error as e:
        raise UsageError(f"--kernel {kernel!r} is not a regular expression: {e}") from None
    if on is not None and (how_ or why_not or rules):
        raise UsageError("--on adds to the diagnosis itself: leave out --how, --why-not and --rules")
    if form in PAGES and (how_ or why_not or rules):
        raise UsageError(f"--how, --why-not and --rules are told as text or JSON: leave out --format {form}")
    if form == "sarif" and what_if:
        raise UsageError("--what-if is not what was measured, so --format sarif does not tell it")
    there = _card(on)
    analysis = analyse(
        reports,
        answers=read_answers(answers) if answers is not None else None,
        gpu=gpu,
        knowledge=knowledge,
        ptxas=ptxas,
        kernel=pattern,
        launches=frozenset(launches) if launches else None,
        jobs=jobs,
        progress=narrate,
    )
    clear()
    diagnosis = analysis.diagnosis
    positions = list(range(len(diagnosis.launches)))
    asked = [(analysis, position) for position in positions]
    if what_if:
        from advisor.reasoning.engine.what_if import parse_assignments

        values = parse_assignments(what_if, analysis.catalog)
        asked = [(analysis.supposed(p, values), 0) for p in positions]
        diagnosis = replace(diagnosis, launches=tuple(a.diagnosis.launches[0] for a, _ in asked))
    if top is not None:
        positions = sorted(positions, key=lambda p: (-time_to_win(diagnosis.launches[p]), p))[:top]
        diagnosis = replace(diagnosis, launches=tuple(diagnosis.launches[p] for p in positions))
    texts: Mapping[tuple[int, str], tuple[str, ...]] = {}
    if form in PAGES and locate is not False and not what_if:
        from advisor.source.locate import locate_findings
        from advisor.view.pages.diagnosis import HTML_SECTIONS, grouped

        most = len(diagnosis.launches) if locate else HTML_SECTIONS
        chosen_ = [group.at for group in grouped(diagnosis.launches)][:most]
        found = locate_findings(diagnosis, analysis.catalog, narrate, positions=chosen_, every=form == "sarif")
        diagnosis, texts, problems = found.diagnosis, found.texts, list(found.problems)
        clear()
        for problem in problems if locate else ():
            click.echo(f"ncu-advisor: {problem}", err=True)
    elif locate or (locate is None and len(diagnosis.launches) == 1 and not (how_ or why_not or what_if or rules)):
        from advisor.source.locate import locate_findings

        found = locate_findings(diagnosis, analysis.catalog, narrate)
        diagnosis, texts, problems = found.diagnosis, found.texts, list(found.problems)
        clear()
        for problem in problems if locate else ():
            click.echo(f"ncu-advisor: {problem}", err=True)
    if there is not None:
        chosen = [asked[p] for p in positions]
        moved = analysis.on(positions, there) if not what_if else [a.on([p], there)[0] for a, p in chosen]
        diagnosis = replace(diagnosis, launches=tuple(map(_with_on, diagnosis.launches, moved)))
    _report_problems(diagnosis)
    explained = _explained([asked[p] for p in positions], how_, why_not, form, colour)
    if form == "json":
        from advisor.view.diagnosis_json import diagnosis_json

        write(diagnosis_json(replace(diagnosis, extra={**diagnosis.extra, **explained})), out)
    elif form in PAGES:
        write(_page(diagnosis, texts, form, _supposed(what_if), knowledge), out)
    elif explained:
        write(explained["text"], out)
    else:
        from advisor.view.charts.bars import can_draw
        from advisor.view.pages.diagnosis import diagnosis_page
        from advisor.view.pages.ncu_rules import rules_page
        from advisor.view.writers.terminal import terminal_text

        blocks = can_draw(getattr(sys.stdout, "encoding", None)) if out is None else True
        made = (
            rules_page(diagnosis.launches)
            if rules
            else diagnosis_page(diagnosis, texts=texts, sections=None, supposed=_supposed(what_if))
        )
        write(terminal_text(made, width=width(), colour=colour and out is None, blocks=blocks), out)
    troubled = any(not info.complete or info.problems for info in diagnosis.reports)
    return EXIT_WRONG_USE if strict and troubled else EXIT_DONE


def _supposed(values: tuple[str, ...]) -> str:
    """The remark over a diagnosis of assumed values."""
    return f"Assumed: {', '.join(values)}. The following was not measured." if values else ""


def _page(
    diagnosis: Diagnosis,
    texts: Mapping[tuple[int, str], tuple[str, ...]],
    form: str,
    supposed: str,
    knowledge: tuple[Path, ...],
) -> str:
    """The diagnosis for people, or for editors and code review."""
    if form == "sarif":
        from advisor.view.writers.sarif import diagnosis_sarif

        return diagnosis_sarif(diagnosis, knowledge)
    from advisor.view.pages.diagnosis import HTML_SECTIONS, MARKDOWN_SECTIONS, diagnosis_page

    if form == "html":
        from advisor.view.writers.html import page_html

        return page_html(diagnosis_page(diagnosis, texts=texts, sections=HTML_SECTIONS, supposed=supposed))
    from advisor.view.writers.markdown import page_markdown

    return page_markdown(diagnosis_page(diagnosis, texts=texts, sections=MARKDOWN_SECTIONS, supposed=supposed))


def _card(name: str | None) -> Gpu | None:
    """The card that --on names, before anything is read; UsageError names the nearest."""
    if name is None:
        return None
    from advisor.hardware import gpus

    return gpus.gpu(name)


def _with_on(launch: LaunchDiagnosis, on: Elsewhere) -> LaunchDiagnosis:
    return replace(launch, on=on)


def _report_problems(diagnosis: Diagnosis) -> None:
    from advisor.view.text import shown

    for info in diagnosis.reports:
        for problem in info.problems:
            click.echo(f"ncu-advisor: {shown(info.path)}: {shown(problem)}", err=True)


def _explained(
    asked: list[tuple[Any, int]], how_: tuple[str, ...], why_not: tuple[str, ...], form: str, colour: bool
) -> dict[str, Any]:
    """The proofs asked for, of the launches where they hold: one text, or parts of the JSON document."""
    if not how_ and not why_not:
        return {}
    from advisor.view import proof

    made: list[tuple[Any, int, str, str, Any]] = []
    for finding in how_:
        holding = [(a, p) for a, p in asked if a.concluded(p, finding)]
        if not holding:
            raise UsageError(f"{finding!r} was not concluded on any launch looked at: ask --why-not {finding}")
        made += [(a, p, "how", finding, a.how(p, finding)) for a, p in holding]
    made += [(a, p, "why_not", finding, a.why_not(p, finding)) for a, p in asked for finding in why_not]
    if form == "json":
        dicts: dict[str, Any] = {"how": proof.proof_dict, "why_not": proof.blocked_dict}
        return {
            "explanations": [
                {"launch": a.diagnosis.launches[p].index, "kind": kind, "id": finding, **dicts[kind](found)}
                for a, p, kind, finding, found in made
            ]
        }
    texts: dict[str, Any] = {"how": proof.proof_text, "why_not": proof.blocked_text}
    parts = []
    for analysis, position, kind, finding, found in made:
        launch = analysis.diagnosis.launches[position]
        head = proof.heading(launch, kind, finding)
        flips = analysis.flips(position, finding) if kind == "how" else ()
        now = (launch.verdict.id, {f.id for f in launch.findings})
        flips = tuple(f for f in flips if (f.then.class_id, set(f.then.findings)) != now)
        parts.append("\n".join([head, texts[kind](found, finding, colour=colour), *proof.flip_lines(flips)]))
    return {"text": "\n\n".join(parts) + "\n"}
