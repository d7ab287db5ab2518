"""Occupancy: active blocks and warps of an SM, their limiters, and the nearest changes that raise or lower it.

The rules are those of CUDA's occupancy calculator: registers round up to 8 per thread and are allocated to a warp in
units of 256 from its sub-partition's quarter of the file; shared memory rounds up to 128 bytes per block (256 before
capability 8.0), and from 8.0 on the system reserves 1 KiB of each block; warps round up per block.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from msgspec import Struct

from advisor.hardware.gpus import Limits, limits_of
from advisor.records.errors import UsageError
from advisor.records.record import Record

WARP = 32
_REGISTER_STEP = 8  # the registers of a thread are a multiple of this


class Cliff(Record):
    """The nearest change of a resource that changes the number of active warps on an SM.

    resource: registers (per thread), shared (bytes per block that the kernel requests) or block_size; value: the
    nearest value with `warps` active warps; percent: that occupancy; gain: whether that is more warps than now.
    """

    resource: str
    value: int
    blocks: int
    warps: int
    percent: float
    gain: bool


class Occupancy(Struct, frozen=True):
    """The occupancy of an SM. blocks, warps: active on it; percent: of its warp slots (0-100); limits: blocks that each
    resource alone allows; limiters: resources with the lowest limit; cliffs: nearest gain and loss of each resource.
    """

    blocks: int
    warps: int
    percent: float
    warps_per_block: int
    limits: tuple[tuple[str, int], ...]
    limiters: tuple[str, ...]
    cliffs: tuple[Cliff, ...]


def round_up(value: int, unit: int) -> int:
    """Round `value` up to a multiple of `unit`."""
    return -(-value // unit) * unit


def warps_of(block_size: int) -> int:
    """Return the number of warps of a block with this many threads, rounded up."""
    return -(-block_size // WARP)


def shared_allocated(limits: Limits, shared: int) -> int:
    """Return the bytes allocated to a block whose kernel requests `shared` bytes (static and dynamic together)."""
    return round_up(shared + limits.shared_reserved, limits.shared_unit)


def register_limit(limits: Limits, block_size: int, registers: int) -> int:
    """Return the blocks that an SM's registers allow; the allowed warps are counted in each sub-partition."""
    per_warp = round_up(round_up(max(registers, 1), _REGISTER_STEP) * WARP, limits.register_unit)
    warps = limits.registers_per_sm // limits.schedulers // per_warp * limits.schedulers
    return warps // warps_of(block_size)


def block_limits(
    limits: Limits, block_size: int, registers: int, shared: int, capacity: int, barriers: int = 0
) -> dict[str, int]:
    """Return the blocks that each resource of an SM allows. capacity: the SM's configured shared memory in bytes."""
    allocated = shared_allocated(limits, shared)
    out = {
        "registers": register_limit(limits, block_size, registers),
        "shared": capacity // allocated if allocated else limits.blocks_per_sm,
        "blocks": limits.blocks_per_sm,
        "warps": limits.warps_per_sm // warps_of(block_size),
    }
    if barriers and limits.barriers_per_sm:
        out["barriers"] = min(limits.blocks_per_sm, limits.barriers_per_sm // barriers)
    return out


def occupancy(
    cc: str | Limits,
    block_size: int,
    registers: int,
    shared: int = 0,
    shared_config: int | None = None,
    barriers: int = 0,
) -> Occupancy:
    """Return the theoretical occupancy of a kernel.

    cc: compute capability or the limits themselves; block_size: threads; registers: per thread; shared: bytes per
    block, static and dynamic; shared_config: configured shared memory of the SM in bytes (default: the maximum);
    barriers: named barriers per block. Raises UsageError if a value exceeds the limit of a block.
    """
    limits = limits_of(cc) if isinstance(cc, str) else cc
    for value, low, high, what in (
        (block_size, 1, limits.threads_per_block, "threads of a block"),
        (registers, 0, limits.registers_per_thread, "registers of a thread"),
        (shared, 0, limits.shared_per_block, "bytes of shared memory of a block"),
    ):
        if not low <= value <= high:
            raise UsageError(f"{value:,} {what} are out of range: {low} to {high:,} on this GPU")
    capacity = shared_config or limits.shared_per_sm
    by_resource = block_limits(limits, block_size, registers, shared, capacity, barriers)
    blocks = min(by_resource.values())
    warps = blocks * warps_of(block_size)
    return Occupancy(
        blocks=blocks,
        warps=warps,
        percent=100 * warps / limits.warps_per_sm,
        warps_per_block=warps_of(block_size),
        limits=tuple(by_resource.items()),
        limiters=tuple(name for name, count in by_resource.items() if count == blocks),
        cliffs=tuple(_cliffs(limits, block_size, registers, shared, capacity, barriers, warps)),
    )


def _cliffs(
    limits: Limits, block_size: int, registers: int, shared: int, capacity: int, barriers: int, warps: int
) -> Iterator[Cliff]:
    """Return the nearest value of each resource, up and down, that changes the number of active warps."""
    top = limits.shared_per_block
    unit = limits.shared_unit
    # The largest and the smallest request that round to each allocation: the number of warps changes only there.
    below = range(round_up(shared + limits.shared_reserved, unit) - limits.shared_reserved - unit, -1, -unit)
    above = range(round_up(shared + limits.shared_reserved, unit) - limits.shared_reserved + 1, top + 1, unit)
    searches = (
        ("registers", range(registers - 1, 0, -1), True),
        ("registers", range(registers + 1, limits.registers_per_thread + 1), False),
        ("shared", (*below, 0) if shared else (), True),
        ("shared", above, False),
        ("block_size", _near(block_size, limits.threads_per_block), True),
        ("block_size", _near(block_size, limits.threads_per_block), False),
    )
    for resource, values, gain in searches:
        for value in values:
            changed = {"block_size": block_size, "registers": registers, "shared": shared} | {resource: value}
            by_resource = block_limits(limits, **changed, capacity=capacity, barriers=barriers)
            blocks = min(by_resource.values())
            now = blocks * warps_of(changed["block_size"])
            if (now > warps) if gain else (now < warps):
                yield Cliff(resource, value, blocks, now, 100 * now / limits.warps_per_sm, gain)
                break


def _near(block_size: int, largest: int) -> list[int]:
    """Return other block sizes that are multiples of a warp, the nearest first."""
    sizes = [size for size in range(WARP, largest + 1, WARP) if size != block_size]
    return sorted(sizes, key=lambda size: (abs(size - block_size), size))


def most_for(limits: Limits, block_size: int, capacity: int, blocks: int) -> tuple[int, int] | None:
    """Return the most registers per thread and bytes of shared memory per block with which `blocks` blocks fit an SM.

    Return None if the SM has too few block or warp slots. Shared memory is the amount that the kernel requests.
    Registers are 0 if even one is too many.
    """
    if blocks > limits.blocks_per_sm or blocks > limits.warps_per_sm // warps_of(block_size):
        return None
    registers = next(
        (r for r in range(limits.registers_per_thread, 0, -1) if register_limit(limits, block_size, r) >= blocks), 0
    )
    allocation = capacity // blocks // limits.shared_unit * limits.shared_unit
    return registers, min(max(0, allocation - limits.shared_reserved), limits.shared_per_block)


def changes_needed(
    limits: Limits, block_size: int, registers: int, shared: int, capacity: int, percent: float
) -> tuple[tuple[str, int, int], ...]:
    """Return the resources that keep a kernel from an occupancy (0-100), each as (resource, value now, value needed).

    resource: registers (per thread, the most), shared (bytes per block, the most) or block_size (threads): if the block
    or warp slots do not allow it with this block size, the nearest size that they allow, and nothing else.
    """
    wanted = percent / 100 * limits.warps_per_sm

    def blocks_of(size: int) -> int:
        return math.ceil(wanted / warps_of(size) - 1e-9)

    def allowed(size: int) -> bool:
        return blocks_of(size) <= min(limits.blocks_per_sm, limits.warps_per_sm // warps_of(size))

    if not allowed(block_size):
        sizes = [size for size in _near(block_size, limits.threads_per_block) if allowed(size)]
        return (("block_size", block_size, sizes[0]),) if sizes else ()
    most = most_for(limits, block_size, capacity, blocks_of(block_size))
    assert most is not None
    now = {"registers": registers, "shared": shared}
    pairs = zip(now.items(), most, strict=True)
    return tuple((name, value, bound) for (name, value), bound in pairs if value > bound)
