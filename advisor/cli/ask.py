"""The command `ncu-advisor ask`."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from advisor.cli import terminal
from advisor.cli.options import Knowledge, Output, argument, command, formats, option
from advisor.compare.side import parse_side
from advisor.reasoning.diagnose import analyse
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.records.errors import EXIT_DONE, UsageError
from advisor.session.answer_record import answer_document
from advisor.session.language.kernel_names import also_named, named_launch
from advisor.session.language.known import known
from advisor.session.questions import answer
from advisor.session.state import best_position
from advisor.source.locate import locate_findings
from advisor.view.pages.answer import answer_page
from advisor.view.pages.answers.parts import Answered
from advisor.view.writers import PAGE_FORMATS
from advisor.view.writers.json import document_json


@dataclass(frozen=True, kw_only=True)
class Options(Output, Knowledge):
    """Options of `ask`."""

    report: str = argument()
    question: tuple[str, ...] = argument(nargs=-1, required=True)
    launch: str | None = option("--launch", metavar="N|NAME", help="Launch N, from 0, or the launch of this kernel.")
    form: str = formats("text", "json", *PAGE_FORMATS)


@command(Options)
def ask(options: Options) -> int:
    """Answer a plain question about a launch, such as "why is it slow" or "what is the l2 hit rate".

    REPORT#3 or --launch 3 is launch 3 of the report; without it, the question is about the launch or kernel that it
    names, else about the launch whose fix saves most time. `ask REPORT help` lists questions.
    """
    text = " ".join(options.question)
    side = parse_side(options.report)
    wanted = options.launch if side.launch is None else str(side.launch)
    analysis = analyse([side.path], knowledge=options.knowledge, progress=terminal.narrate)
    launches = analysis.diagnosis.launches
    if not launches:
        raise UsageError(f"{side.path.name} holds no launch")
    position = (
        _position(wanted, launches) if wanted is not None else named_launch(text, launches, best_position(launches))
    )
    found = locate_findings(analysis.diagnosis, analysis.catalog, terminal.narrate, positions=[position])
    analysis.diagnosis = found.diagnosis
    terminal.clear()
    made = answer(text, analysis, position, known(options.knowledge), shlex.quote(str(side.path)))
    for info in analysis.diagnosis.reports:
        terminal.tell_problems(info.path, info.problems, most=1)
    terminal.write(_text(made, options, wanted), options.out)
    return EXIT_DONE


def _position(wanted: str, launches: tuple[LaunchDiagnosis, ...]) -> int:
    """Return the place of a launch named by its number or kernel. Raises UsageError if there is none or several."""
    if wanted.lstrip("#").isdecimal():
        found = [at for at, launch in enumerate(launches) if launch.index == int(wanted.lstrip("#"))]
    else:
        names = [launch.kernel.casefold() for launch in launches]
        name = wanted.casefold()
        found = [at for at, each in enumerate(names) if each == name] or [
            at for at, each in enumerate(names) if name in each
        ]
    if not found:
        raise UsageError(f"{wanted}: there is no such launch; `ncu-advisor diagnose REPORT --all` lists them")
    if len({launches[at].kernel for at in found}) > 1:
        two = f"{found[0]} and {found[1]}"
        raise UsageError(f"{wanted!r} matches several kernels, such as those of launches {two}: give a launch number")
    return max(found, key=lambda at: (launches[at].saved_ns, -at))


def _why_this(made: Answered) -> str:
    if made.asked.position != best_position(made.asked.launches):
        others = also_named(made.meaning.text, made.asked.launches, made.asked.position)
        beside = f"; {' and '.join(others[:2])} {'fits' if len(others) == 1 else 'fit'} too" if others else ""
        return f"the one that the question names{beside}"
    return "the one whose fix saves most time"


def _text(made: Answered, options: Options, wanted: str | None) -> str:
    if options.form == "json":
        return document_json(answer_document(made))
    note = ""
    launches = made.asked.launches
    named = made.asked.pair is not None or made.meaning.intent in ("other_launch", "slowest_kernel")
    if len(launches) > 1 and wanted is None and not named:
        count = f"one of {len(launches)} launches, {_why_this(made)}"
        note = f"About launch {made.asked.launch.index} ({count}); --launch N asks about another."
    page = answer_page(made.meaning, made.answer, made.asked, note)
    return terminal.page_text(page, options.form, options.out)
