"""The tools: each answers one question about a report, an entry or a change as a short page."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import Field

from advisor.compare.compare import compare as compare_analyses
from advisor.compare.compare import read_sides
from advisor.explain.explain import explain as explain_word
from advisor.hardware.gpus import gpu as find_gpu
from advisor.knowledge.schemas import checked
from advisor.mcp_server.brief import brief
from advisor.mcp_server.reports import Reports, position_of
from advisor.practice.emulated_source import ARCHITECTURES, counted, kernel_problem, parse_arguments, parse_launch
from advisor.reasoning.collect import gather
from advisor.reasoning.emulated_counts import emulated_document
from advisor.reasoning.modelled import with_modelled
from advisor.records.diagnosis import LaunchDiagnosis, first_diagnosis
from advisor.records.errors import UsageError
from advisor.session.language.kernel_names import named_launch
from advisor.session.language.known import known
from advisor.session.questions import answer
from advisor.session.state import best_position
from advisor.source.locate import locate_findings
from advisor.view.blocks import (
    FIXED,
    Block,
    Cell,
    Column,
    Command,
    Fact,
    Facts,
    Page,
    Paragraph,
    Section,
    Table,
    for_report,
    map_texts,
)
from advisor.view.numbers import estimate_text, time_text
from advisor.view.pages.answer import answer_page
from advisor.view.pages.answers.supposing import followed_text
from advisor.view.pages.compare import Result, compare_page
from advisor.view.pages.diagnosis import class_title, grouped, launch_title
from advisor.view.pages.emulated import emulated_page
from advisor.view.pages.explain import explain_page
from advisor.view.pages.launch import Texts, launch_blocks, steps_heading
from advisor.view.pages.proof import Explained, proofs_page
from advisor.view.text import cut, sentence

if TYPE_CHECKING:
    from advisor.reasoning.analysis import Analysis

_EMULATED_S: Final = 20.0  # of processor time, for one launch
_GROUPS: Final = 12  # rows of the list of kernels
# What the list of a report says of each kernel.
_COLUMNS: Final = (
    Column("Launch", numeric=True),
    Column("Kernel"),
    Column("Launches", numeric=True),
    Column("Time", numeric=True),
    Column("Class"),
    Column("First finding"),
    Column("Speedup", numeric=True),
)
# The order of the sections of a launch: what to do, what shows it, what to doubt; then the rest as it comes.
_BEFORE: Final = ("Evidence", "Caveats", "Minor and unknown", "Other findings, by estimated speedup")


# The arguments, as the client is told of them.
Report = Annotated[
    str,
    Field(
        description="Path of a report (.ncu-rep, or CSV or text of ncu) in the folder of this server; "
        "REPORT#3 is its launch 3",
        max_length=4096,
    ),
]
Launch = Annotated[int | None, Field(description="Number of a launch, from 0, as `diagnose` lists it", ge=0)]
Finding = Annotated[
    str, Field(description="Id of a finding or class, such as bank_conflicts or dram_bound", max_length=200)
]
Values = Annotated[
    dict[str, float], Field(description="Metric id -> assumed value in the metric's unit, such as dram_pct: 95")
]
Question = Annotated[str, Field(description="A plain English question, such as: is it memory bound?", max_length=2000)]
Word = Annotated[str, Field(description="A diagnosis, metric, stall reason, SASS opcode, GPU or term", max_length=2000)]
Source = Annotated[str, Field(description="Path of a CUDA source (.cu) in the folder of this server", max_length=4096)]
Shape = Annotated[str, Field(description="X, or X,Y or X,Y,Z", max_length=40)]
Arguments = Annotated[
    list[str],
    Field(
        description="Arguments of the kernel in order: 'float[1000]' is an array of random values, 'int[9]=zeros' and "
        "'int[9]=range' others, 'int=5' a value",
        max_length=64,
    ),
]
Kernel = Annotated[str, Field(description="The kernel, if the source has several", max_length=4096)]
Shared = Annotated[int, Field(description="Dynamic shared memory in bytes", ge=0, le=1 << 20)]
Architecture = Annotated[str, Field(description=f"One of {', '.join(ARCHITECTURES)}", max_length=20)]
Gpu = Annotated[
    str, Field(description="A GPU, such as H100-SXM, for which caches and time are modelled as well", max_length=200)
]


class Tools:
    """The tools on the reports of one folder. Each returns Markdown of at most `brief.TOKENS` tokens.

    The first paragraph of a method's docstring is what the client reads. The same arguments on the same files give the
    same text. All raise AdvisorError with one line for a wrong argument or an unreadable report.
    """

    def __init__(self, reports: Reports) -> None:
        self.reports = reports

    def diagnose(self, report: Report, launch: Launch = None) -> str:
        """Say why the kernels of a report are slow.

        Returns a table of the kernels by the time that a fix saves; with `launch`, or if there is only one, the cause,
        estimated speedup, hot line, fix and evidence of one launch.
        """
        analysis, path, number = self._opened(report, launch)
        launches = analysis.diagnosis.launches
        if number is None and len(launches) > 1:
            return brief(_list_page(analysis, path))
        position = 0 if number is None else position_of(launches, number)
        found = locate_findings(analysis.diagnosis, analysis.catalog, positions=[position])
        one = found.diagnosis.launches[position]
        return brief(_launch_page(one, found.diagnosis.reports[one.report].problems, found.texts, path))

    def why(self, report: Report, launch: Launch = None, finding: Finding = "") -> str:
        """Say how a finding was concluded.

        Returns its rules, each test with number, threshold and source, how the speedup was estimated, and the values
        at which the verdict flips. Default: the first finding of the launch that should be fixed first.
        """
        analysis, _, position = self._one(report, launch)
        one = analysis.diagnosis.launches[position]
        chosen = finding or _first_id(one)
        if not analysis.concluded(position, chosen):
            raise UsageError(f"{chosen!r} was not found on launch {one.index}: call `why_not`, or `explain` for its id")
        proof = analysis.how(position, chosen)
        now = (one.verdict.id, {each.id for each in one.findings})
        flips = [f for f in analysis.flips(position, chosen) if (f.then.class_id, set(f.then.findings)) != now]
        return brief(proofs_page([Explained(one, chosen, proof, flips)]))

    def why_not(self, report: Report, finding: Finding, launch: Launch = None) -> str:
        """Say why a finding was not concluded.

        Returns the tests that fail, the metrics that are unknown, and what speaks against it.
        """
        analysis, _, position = self._one(report, launch)
        one = analysis.diagnosis.launches[position]
        page = proofs_page([Explained(one, finding, tuple(analysis.why_not(position, finding)))])
        if analysis.concluded(position, finding):
            page = Page("", (Paragraph(f"{finding} was concluded on this launch: call `why`.", "warn"),), page.sections)
        return brief(page)

    def what_if(self, report: Report, values: Values, launch: Launch = None) -> str:
        """Diagnose a launch as if some metrics had other values.

        Returns what changes, then the diagnosis with these values.
        """
        analysis, path, position = self._one(report, launch)
        one, entries = analysis.diagnosis.launches[position], analysis.catalog.metrics
        if not values:
            raise UsageError("give at least one value, such as dram_pct: 95; `explain` finds metrics by their words")
        for name in values:
            if name not in entries:
                raise UsageError(f"no metric is called {name!r}: `explain` finds metrics by their words")
        new = {name: checked(name, entries[name].unit, value, one.metrics.get(name)) for name, value in values.items()}
        supposed = analysis.what_if(position, new)
        before, after = _diagnoses(one), _diagnoses(supposed)
        changes = [
            Fact("Class", f"{class_title(one.verdict.id)}, then {class_title(supposed.verdict.id)}"),
            Fact("Gone", ", ".join(name for name in before if name not in after) or "no finding"),
            Fact("New", ", ".join(name for name in after if name not in before) or "no finding"),
        ]
        page = _launch_page(supposed, (), {}, path)
        said = ", ".join(f"{name} = {value:g}" for name, value in new.items())
        followed = followed_text(one, supposed, new)
        assumed = Paragraph(f"Assuming {said}. {followed}".rstrip(), "warn")
        return brief(Page(page.title, (assumed, Facts(tuple(changes)), *page.made), page.sections))

    def compare(self, base: Report, current: Report) -> str:
        """Compare two reports, before and after a change.

        Returns whether the kernel is faster beyond the noise, which findings are gone or new, whether the estimate
        was right, and whether to go on.
        """
        sides = self.reports.side(base), self.reports.side(current)
        found = compare_analyses(*read_sides(*sides, knowledge=self.reports.knowledge), maps=(), force=False)
        page = compare_page(Result(found, tuple(() for _ in found.pairs)))
        return brief(map_texts(page, self.reports.shortened, FIXED))

    def explain(self, word: Word) -> str:
        """Explain a diagnosis, metric, stall reason, SASS opcode, GPU or other term.

        Returns what it means, how it is concluded, how to fix it with code before and after, thresholds and sources.
        """
        return brief(explain_page(explain_word(word, self.reports.knowledge)))

    def ask(self, report: Report, question: Question, launch: Launch = None) -> str:
        """Answer a plain question about a launch from its own numbers.

        Returns one sentence and its reasons, or says that the question is not understood.
        """
        analysis, path, number = self._opened(report, launch)
        launches = analysis.diagnosis.launches
        wanted = named_launch(question, launches, best_position(launches))
        position = wanted if number is None else position_of(launches, number)
        with self.reports.located(analysis, position) as judged:
            made = answer(question, judged, position, known(self.reports.knowledge), shlex.quote(path))
        note = ""
        if number is None and len(launches) > 1:
            note = f"About launch {made.asked.launch.index}, one of {len(launches)}; `launch` asks about another."
        return brief(answer_page(made.meaning, made.answer, made.asked, note))

    def next_profile(self, report: Report, launch: Launch = None) -> str:
        """Print the ncu command that collects the metrics that a report lacks.

        Returns the command and what each of its sections decides.
        """
        analysis, path, position = self._one(report, launch)
        one = analysis.diagnosis.launches[position]
        found = gather(analysis.catalog, one)
        if not found.command:
            says = "Nothing is missing: the report has every metric that a rule needs for this launch."
            return brief(Page(launch_title(one), (Paragraph(says, "lead"),), ()))
        rows = tuple(
            (Cell(name), Cell(", ".join(needed) or "the launch itself"), Cell(", ".join(metrics)))
            for name, needed, metrics in found.sections
        )
        table = Table((Column("Section"), Column("Decides"), Column("Metrics")), rows)
        blocks: list[Block] = [
            Paragraph("This command collects what the rules lack. Replace YOUR_PROGRAM.", "lead"),
            Command(found.command, fold=True),
            Paragraph(f"Then call `compare` with {path}, or `diagnose` the new report.", "dim"),
        ]
        return brief(Page(launch_title(one), tuple(blocks), (Section("What it decides", (table,)),)))

    def emulate(
        self,
        source: Source,
        grid: Shape,
        block: Shape,
        arguments: Arguments,
        kernel: Kernel = "",
        shared: Shared = 0,
        arch: Architecture = "sm_90",
        gpu: Gpu = "",
    ) -> str:
        """Execute a kernel of a CUDA source on the CPU, and count what a profile counts: no GPU is needed.

        Returns the findings that counts alone show, at most with medium confidence, and the counts: instructions,
        sectors, wavefronts, divergence. Time, stalls and caches are unknown, or modelled for a GPU. It ends after 20 s.
        """
        path, text = self.reports.source(source)
        if arch not in ARCHITECTURES:
            raise UsageError(f"{arch!r} is not emulated: choose one of {', '.join(ARCHITECTURES)}")
        if gpu:
            find_gpu(gpu)  # an unknown name is told before anything else
        shapes = parse_launch(grid, block)
        problem = kernel_problem(path, text, arch, kernel or None, *shapes, parse_arguments(arguments), shared)
        # Whether all blocks of a large grid are executed would depend on the speed of the machine.
        found = counted(problem, _EMULATED_S, whole_s=0.0)
        document = emulated_document(found, gpu or None)
        if gpu:
            document = with_modelled(document, problem, found, gpu, _EMULATED_S)
        return brief(map_texts(emulated_page(document), self.reports.shortened, FIXED))

    def _opened(self, report: str, launch: int | None) -> tuple[Analysis, str, int | None]:
        """Return the analysis of a report, its path for the client, and the launch that is named."""
        side = self.reports.side(report)
        if side.launch is not None and launch is not None and side.launch != launch:
            raise UsageError(f"{report!r} names launch {side.launch}, but launch is {launch}: give one of them")
        return (
            self.reports.analysis(side.path),
            self.reports.shown(side.path),
            side.launch if launch is None else launch,
        )

    def _one(self, report: str, launch: int | None) -> tuple[Analysis, str, int]:
        """Return the analysis, the path for the client, and the position of the launch: by default the best to fix."""
        analysis, path, number = self._opened(report, launch)
        launches = analysis.diagnosis.launches
        return analysis, path, best_position(launches) if number is None else position_of(launches, number)


def _diagnoses(launch: LaunchDiagnosis) -> list[str]:
    return [finding.id for finding in launch.findings if finding.kind == "diagnosis"]


def _first_id(launch: LaunchDiagnosis) -> str:
    first = first_diagnosis(launch)
    return first.id if first is not None else launch.verdict.id


def _list_page(analysis: Analysis, path: str) -> Page:
    """Build the list of a report: one row for equal launches, the most saved time first."""
    launches = analysis.diagnosis.launches
    groups = grouped(launches)
    rows = []
    for group in groups[:_GROUPS]:
        one = launches[group.at]
        first = first_diagnosis(one)
        gain = estimate_text(first.speedup) if first is not None and first.speedup is not None else "unknown"
        texts = (
            str(one.index),
            cut(one.kernel, 60),
            str(len(group.launches)),
            time_text(one.duration_ns),
            one.verdict.title,
            f"{first.title} ({first.id})" if first is not None else "none",
            gain,
        )
        rows.append(tuple(map(Cell, texts)))
    rest = len(groups) - len(rows)
    more = f" {rest} more kernels save less time." if rest > 0 else ""
    problems = [Paragraph(sentence(text), "warn") for info in analysis.diagnosis.reports for text in info.problems]
    says = f"{len(launches)} launches, the one whose first fix saves most time first.{more}"
    then = Paragraph("Call `diagnose` with the number of a launch for its fix, hot line and evidence.", "dim")
    return Page(f"{path}", (Paragraph(says), *problems[:3], Table(_COLUMNS, tuple(rows)), then), ())


def _launch_page(launch: LaunchDiagnosis, problems: Sequence[str], texts: Texts, path: str) -> Page:
    """Build the page of one launch, with what to do and what shows it first."""
    blocks = launch_blocks(launch, texts)
    first = first_diagnosis(launch)
    wanted = (steps_heading(first), *_BEFORE) if first is not None else _BEFORE
    rank = {name: at for at, name in enumerate(wanted)}
    parts = sorted(blocks.rest, key=lambda part: rank.get(part[0], len(rank)))
    sections = tuple(Section(heading, inside) for heading, inside, _ in parts if inside)
    warnings = tuple(Paragraph(sentence(text), "warn") for text in problems[:3])
    page: Page = for_report(Page(launch_title(launch), (*warnings, *blocks.first), sections), path)
    return page
