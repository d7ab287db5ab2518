"""Diagnoses with realistic values and an analysis that answers from them, so that a test brings its own data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from advisor.explain.entries import Explanation
from advisor.explain.explain import Hit
from advisor.knowledge.base import Catalog, catalog
from advisor.reasoning.engine.explain import BlockedRule, Clause, Flip, Proof, RuleProof
from advisor.reasoning.engine.trace import Trace
from advisor.records.diagnosis import (
    Comparison,
    Diagnosis,
    Finding,
    FixAdvice,
    LaunchDiagnosis,
    LaunchGpu,
    Missing,
    Question,
    Speedup,
    Verdict,
)
from advisor.records.errors import InputError, UsageError
from advisor.records.readings import Progress, ReportInfo
from advisor.session.executor import Executor, Sources
from advisor.session.language.lexicon import Known
from advisor.session.questions import answer
from advisor.session.records import Algorithm, Ask, Choice, KnowledgeIndex, NapkinResult
from advisor.session.requests import AnswerQuestion
from advisor.view.blocks import Line
from advisor.view.pages.answers.parts import Answered
from tests.changed import replace

METRICS = {
    "compute_pct": 12.4,
    "memory_pct": 96.1,
    "pipe_fma_pct": 3.3,
    "pipe_alu_pct": 12.4,
    "pipe_fp64_pct": 0.0,
    "issue_pct": 11.8,
    "dram_pct": 34.0,
    "l2_pct": 41.5,
    "l1_wavefronts_pct": 96.1,
    "lsu_pct": 22.0,
    "shared_wavefront_ratio": 16.5,
    "stall_mio_throttle_pct": 61.0,
    "stall_short_scoreboard_pct": 22.0,
    "stall_long_scoreboard_pct": 9.0,
    "stall_selected_pct": 2.0,
    "occupancy_achieved_pct": 93.0,
    "occupancy_theoretical_pct": 100.0,
    "blocks_per_sm_limit": 8.0,
}


def comparison(
    observation: str, metric: str, value: float | None, unit: str, threshold: float, says: str
) -> Comparison:
    holds = None if value is None else value > threshold
    away = None if value is None else value - threshold
    return Comparison(
        observation=observation,
        metric=metric,
        value=value,
        unit=unit,
        test=f"> {threshold:g}",
        threshold=threshold,
        holds=holds,
        margin=None if away is None else away / threshold,
        margin_abs=away,
        cites=("guide.step3",),
        says=says,
    )


CONFLICTS = Finding(
    id="bank_conflicts",
    kind="diagnosis",
    title="Shared-memory bank conflicts",
    confidence=0.93,
    speedup=Speedup(2.2, 1.9, 2.6, "dram", "L1 wavefronts of shared memory shrink to 6 %; then DRAM is what limits"),
    evidence=(
        comparison(
            "shared_excess", "shared_wavefront_ratio", 16.5, "ratio", 1.1, "shared accesses need too many wavefronts"
        ),
        comparison("l1_busy", "l1_wavefronts_pct", 96.1, "%", 60, "the L1 data stage is busy"),
    ),
    because="shared accesses take 16.5× their ideal wavefronts and saturate the L1 data stage",
    rules=("bank_conflicts.excess",),
    locations=(),
    fix=FixAdvice(
        id="pad_shared_tile",
        summary="Pad or swizzle the shared array",
        steps=("Find the shared load with the most excess wavefronts.", "Add one column of padding to the array."),
        costs="A few hundred bytes of shared memory",
        practice="bank-conflicts",
    ),
    cites=("guide.step3",),
)
NARROW = Finding(
    id="narrow_accesses",
    kind="diagnosis",
    title="Narrow accesses",
    confidence=0.61,
    speedup=Speedup(1.08, 1.02, 1.15, "dram", "fewer instructions for the same bytes"),
    evidence=(),
    because="each lane moves 4 bytes where 16 would do",
    rules=("narrow_accesses.width",),
    locations=(),
    fix=FixAdvice("vector_loads", "Load 16 bytes a lane", ("Use float4.",), "", ""),
    cites=("guide.step3",),
)
LINES = Finding(
    id="line_info_missing",
    kind="trust",
    title="No line information",
    confidence=1.0,
    speedup=None,
    evidence=(),
    because="the kernel was built without -lineinfo, so findings cannot be traced to lines",
    rules=("line_info_missing.absent",),
    locations=(),
    fix=None,
    cites=("guide.step3",),
)
DONE = Finding(
    id="near_memory_roofline",
    kind="diagnosis",
    title="Near the memory roofline",
    confidence=0.9,
    speedup=None,
    evidence=(comparison("dram_full", "dram_pct", 91.0, "%", 76.5, "DRAM gives what it can"),),
    because="DRAM runs at 91 % of its peak and every byte is used",
    rules=("near_memory_roofline.full",),
    locations=(),
    fix=None,
    cites=("guide.step3",),
)
TYPE = Question(
    id="dtype",
    ask="Which data type does the kernel compute in?",
    why="the peak that counts depends on it",
    would_change=("fp64_unintended",),
    kind="choice",
    choices=(("f32", "single precision"), ("f64", "double precision"), ("f16", "half precision")),
)
BYTES = Question(
    id="theoretical_bytes",
    ask="How many bytes must the algorithm move at least?",
    why="more than that is traffic that could be saved",
    would_change=("excess_traffic",),
    kind="number",
    unit="byte",
)


def launch(index: int, kernel: str, **changes: object) -> LaunchDiagnosis:
    """A transpose with bank conflicts, or whatever the changes make of it."""
    made = LaunchDiagnosis(
        report=0,
        index=index,
        kernel=kernel,
        kernel_full=f"void {kernel}<float>(float const*, float*)",
        grid=(256, 256, 1),
        block=(32, 8, 1),
        duration_ns=333_000.0,
        gpu=LaunchGpu("NVIDIA H200", "9.0", "H200-SXM"),
        verdict=Verdict(
            id="internal_congestion",
            title="L1/shared-memory-bound",
            margin=0.13,
            evidence=(
                comparison("memory_high", "memory_pct", 96.1, "%", 60, "memory is busy"),
                comparison("compute_high", "compute_pct", 12.4, "%", 60, "compute is busy"),
            ),
            because="memory runs at 96 %, led by L1 wavefronts; DRAM at 34 %",
            notes=("leading unit: L1 wavefronts at 96.1 %",),
        ),
        findings=(CONFLICTS, NARROW, LINES),
        questions=(TYPE, BYTES),
        missing=(Missing("idc_requests", ("constant_serialization",), "ncu --section MemoryWorkloadAnalysis"),),
        metrics=METRICS,
        labels={"occupancy_limiter": "warps"},
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def diagnosis(*launches: LaunchDiagnosis) -> Diagnosis:
    """These launches, or six ordinary ones."""
    done = Verdict(id="dram_bound", title="DRAM-bound", margin=0.3, because="memory runs at 91 % and DRAM at 91 %")
    made = launches or (
        launch(0, "vector_copy", duration_ns=132_000.0, findings=(DONE,), verdict=done, questions=(), missing=()),
        launch(1, "transpose_tile"),
        launch(2, "gemm_one_output", duration_ns=1_860_000.0, findings=(NARROW,)),
        launch(3, "small_saxpy", duration_ns=2_400.0),
        launch(4, "byte_image", duration_ns=453_000.0, findings=(NARROW, LINES)),
        launch(5, "fma_chains", duration_ns=582_000.0, findings=()),
    )
    return Diagnosis((ReportInfo("tour.ncu-rep.xz", "0" * 64, "ncu 2025.3.1", "ncu-rep"),), made)


INDEX = KnowledgeIndex(
    ranges=(("theoretical_bytes", 1.0, 1e15),),
    metrics=(("dram_pct", "%", "DRAM throughput"), ("l2_pct", "%", "L2 throughput"), ("duration_ns", "ns", "duration")),
    algorithms=(
        Algorithm(
            "transpose",
            "Transpose of a matrix",
            (
                Ask("rows", "How many rows?", "", unit="count", low=1, optional=False, group="napkin"),
                Ask(
                    "dtype",
                    "Which type?",
                    "",
                    "choice",
                    choices=(Choice("f32", "fp32"), Choice("f64", "fp64")),
                    group="napkin",
                    usual="f32",
                ),
            ),
        ),
    ),
    interview=(
        Ask("duration_ns", "How long does the kernel take?", "it scales everything", unit="ns", low=0, group="metric"),
        Ask("dram_pct", "DRAM throughput", "decides DRAM-bound", unit="%", low=0, high=110, group="metric"),
        Ask("l2_pct", "L2 throughput", "decides internal congestion", unit="%", low=0, high=110, group="metric"),
    ),
    findings=(
        ("bank_conflicts", "Shared-memory bank conflicts"),
        ("narrow_accesses", "Narrow accesses"),
        ("tail_effect", "Tail effect"),
    ),
    words=("occupancy", "long_scoreboard", "bank_conflicts", "dram_pct"),
    cites=(("guide.step3", "The guide: step 3"),),
    exercises=("bank-conflicts",),
)


@dataclass
class Analysis:
    """Answers move the conclusion in one known way: f64 brings a finding, other answers change nothing."""

    diagnosis: Diagnosis
    given: dict[int | None, dict[str, float | str]] = field(default_factory=dict)

    @property
    def catalog(self) -> Catalog:
        return catalog()

    def _launch(self, position: int) -> LaunchDiagnosis:
        return self.diagnosis.launches[position]

    def how(self, position: int, finding_id: str) -> Proof:
        now = self._launch(position)
        if finding_id == now.verdict.id:
            clauses = tuple(Clause(item.observation, "when", True, (item,)) for item in now.verdict.evidence)
            rule = RuleProof(f"class.{finding_id}", now.verdict.because, ("guide.step3",), clauses)
            return Proof(finding_id, now.verdict.title, "class", (rule,))
        found = next((f for f in now.findings if f.id == finding_id), None)
        if found is None:
            raise UsageError(f"{finding_id!r} was not found on launch {position}")
        clauses = tuple(Clause(item.observation, "when", True, (item,)) for item in found.evidence)
        blocked = Clause("excess_on_atomics", "unless", False)
        rule = RuleProof(found.rules[0], found.because, found.cites, (*clauses, blocked))
        return Proof(finding_id, found.title, found.kind, (rule,))

    def why_not(self, position: int, finding_id: str) -> tuple[BlockedRule, ...]:
        if finding_id not in dict(INDEX.findings):
            raise UsageError(f"no diagnosis is called {finding_id!r}")
        waves = comparison("few_waves", "waves", 62.0, "count", 4, "the grid is few waves")
        return (
            BlockedRule(
                f"{finding_id}.rule",
                finding_id,
                False,
                (Clause("few_waves", "when", False, (waves,)),),
                (),
                (),
                ("guide.step3",),
            ),
        )

    def flips(self, position: int, finding_id: str = "") -> tuple[Flip, ...]:
        now = self._launch(position)
        items = now.verdict.evidence if finding_id == now.verdict.id else ()
        then = Trace("latency_bound", (), ())
        return tuple(
            Flip(i.observation, i.metric, i.value or 0.0, i.threshold or 0.0, i.unit, i.test, then) for i in items[:1]
        )

    def turns(self, position: int) -> dict[str, tuple[float, ...]]:
        now = self._launch(position)
        items = (*now.verdict.evidence, *(item for finding in now.findings for item in finding.evidence))
        return {i.metric: (i.threshold,) for i in items if i.threshold is not None}

    def what_if(self, position: int, values: Mapping[str, float]) -> LaunchDiagnosis:
        now = self._launch(position)
        if values.get("dram_pct", 0) >= 60:
            return replace(
                now, verdict=Verdict(id="dram_bound", title="DRAM-bound", margin=0.1, because="DRAM runs high")
            )
        return now

    def answered(self, position: int | None, answers: Mapping[str, float | str]) -> Analysis:
        merged = {key: dict(value) for key, value in self.given.items()}
        merged.setdefault(position, {}).update(answers)
        launches = list(self.diagnosis.launches)
        for at in range(len(launches)) if position is None else [position]:
            left = tuple(q for q in launches[at].questions if q.id not in answers)
            launches[at] = replace(launches[at], questions=left)
            if answers.get("dtype") == "f64":
                launches[at] = replace(
                    launches[at], findings=tuple(f for f in launches[at].findings if f is not NARROW)
                )
        return Analysis(replace(self.diagnosis, launches=tuple(launches)), merged)


def analyse(paths: Sequence[Path], gpu: str | None, progress: Progress) -> Analysis:
    for name in paths:
        if "broken" in name.name:
            raise InputError(f"{name.name} is cut off: copy it again")
        if "crash" in name.name:
            raise RuntimeError("a defect of ours")
    progress("read", 3, 6)
    return Analysis(diagnosis())


def analyse_numbers(values: Mapping[str, float | str], gpu: str | None) -> Analysis:
    dram = values.get("dram_pct")
    if dram is None:
        verdict, findings = (
            Verdict(id="undetermined", title="Undetermined", because="the report lacks a deciding metric"),
            (),
        )
    elif float(dram) >= 60:
        verdict, findings = (
            Verdict(id="dram_bound", title="DRAM-bound", margin=0.2, because=f"DRAM at {dram} %"),
            (DONE,),
        )
    else:
        verdict, findings = (
            Verdict(id="latency_bound", title="Latency-bound", margin=0.2, because=f"DRAM at {dram} %"),
            (NARROW,),
        )
    one = launch(
        0,
        "your kernel",
        verdict=verdict,
        findings=findings,
        questions=(),
        missing=(),
        duration_ns=None,
        grid=None,
        block=None,
    )
    return Analysis(diagnosis(one))


def explanation(word: str, text: str) -> Explanation:
    return Explanation("word", word, word, (("what", tuple(text.splitlines())),), (), ())


def explain(word: str) -> Explanation:
    word = word.rpartition(":")[2]  # the screen asks for a kind and a name
    if word not in INDEX.words:
        raise UsageError(f"nothing here is called {word!r}: perhaps occupancy")
    return explanation(word, "what it means\nand a second line")


def reckon(algorithm: str, parameters: Mapping[str, float | str], on: LaunchDiagnosis) -> NapkinResult:
    lines = (Line("8.59 GB at least", "fact", "Bytes"), Line("1.79 ms", "fact", "Floor"))
    return NapkinResult(f"{algorithm} of {parameters['rows']:g} rows", lines, (("theoretical_bytes", 8.59e9),))


def contents() -> tuple[Hit, ...]:
    """A small knowledge base: what INDEX knows, by kinds."""
    kinds = {"occupancy": "term", "long_scoreboard": "stall", "bank_conflicts": "diagnosis", "dram_pct": "metric"}
    return tuple(Hit(kinds.get(word, "term"), word, word.replace("_", " "), 0.0) for word in INDEX.words)


def find(text: str, most: int) -> tuple[Hit, ...]:
    return tuple(hit for hit in contents() if text.casefold() in f"{hit.id} {hit.title}")[:most]


def answered(judged: Analysis, request: AnswerQuestion) -> Answered:
    return answer(request.text, judged, request.position, Known())  # type: ignore[arg-type]


def sources(**changes: object) -> Sources:
    """The injected data source; tests swap single parts of it."""
    made = Sources(
        analyse, analyse_numbers, lambda: INDEX, explain, reckon, contents=contents, find=find, answer=answered
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def desk(**changes: object) -> Executor:
    return Executor(sources(**changes))
