"""The records of an emulated launch: what it counted, by the names of Nsight Compute, and what follows from that."""

from __future__ import annotations

import msgspec

from advisor.records.record import Count, NotNegative, Pairs, Record, Shape, Share

FORMAT = "emulated"
SCHEMA = "ncu-advisor/emulated/1"
TOOL = "ncu-advisor emulate"
# The largest confidence of a conclusion from an emulated launch: medium, since it knows no time.
MOST_CONFIDENCE = 0.75


class EmulatedLocation(Record, tag=False):
    """Where a cost arises. share: of that cost; file and line: '' and 0 without line information."""

    sass: str
    address: Count
    share: Share
    file: str = ""
    line: Count = 0


class EmulatedFinding(Record, tag=False):
    """A finding of the rules. weight: the avoidable work over the time to issue all instructions (may exceed 1)."""

    id: str
    title: str
    confidence: str
    weight: NotNegative
    because: tuple[str, ...]
    cites: tuple[str, ...]
    locations: tuple[EmulatedLocation, ...] = ()


class EmulatedInstruction(Record, tag=False):
    """The counts of one instruction over the grid; a count that does not apply is absent."""

    address: Count
    sass: str
    executed: NotNegative
    threads: NotNegative
    threads_on: NotNegative
    requests: float | None = None
    sectors: float | None = None
    ideal_sectors: float | None = None
    local_sectors: float | None = None
    wavefronts: float | None = None
    ideal_wavefronts: float | None = None
    file: str = ""
    line: Count = 0


class EmulatedAccess(Record, tag=False):
    """The accesses of one kind, space and width (bits per lane), summed over the instructions."""

    space: str
    kind: str
    width: Count
    executed: NotNegative
    lanes: NotNegative
    sectors: NotNegative = 0.0
    sectors_ideal: NotNegative = 0.0
    wavefronts: NotNegative = 0.0
    wavefronts_ideal: NotNegative = 0.0


class ModelledValue(Record, tag=False):
    """A value of a model, neither counted nor measured. metric: canonical name; unit: B, ns or %."""

    metric: str
    value: float
    unit: str


class EmulatedDocument(Record, tag_field="schema", tag=SCHEMA):
    """The counts of a launch that was emulated on the CPU. kind: `emulated`, so that no reader takes it for a profile.

    exact: whether every block was executed; spread: largest relative difference between neighbouring executed blocks;
    data_dependent: whether the contents of the inputs decide counts; order_dependent: whether results of atomic
    operations do, which depend on the order of warps; unknown: what emulation does not give; counts: name of ncu ->
    sum over the launch; opcodes: opcode with modifiers -> executions; metrics: canonical metrics; modelled: values of a
    model of the GPU `modelled_on` (none without a GPU), on which no finding rests; not_modelled: why there are none, or
    no time, although a GPU was named.
    """

    kernel: str
    arch: str
    grid: Shape
    block: Shape
    blocks: Count
    executed_blocks: Count
    exact: bool
    spread: NotNegative
    data_dependent: bool
    metrics: Pairs[float]
    findings: tuple[EmulatedFinding, ...]
    unknown: tuple[str, ...]
    instructions: tuple[EmulatedInstruction, ...]
    registers: Count | None = None
    shared_bytes: Count = 0
    order_dependent: bool = False
    counts: Pairs[float] = ()
    opcodes: Pairs[float] = ()
    accesses: tuple[EmulatedAccess, ...] = ()
    modelled: tuple[ModelledValue, ...] = ()
    modelled_on: str = ""
    not_modelled: str = ""
    kind: str = msgspec.field(default_factory=lambda: FORMAT)
    class_: str = msgspec.field(default_factory=lambda: "undetermined", name="class")
