"""Add a simulator's result, computed from the launch's own numbers, to findings whose fix a simulator can check."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from advisor.hardware import lanes, simulators
from advisor.hardware.gpus import limits_of
from advisor.hardware.lanes import LANES
from advisor.hardware.occupancy import occupancy
from advisor.knowledge.base import Catalog
from advisor.records.diagnosis import Finding, FixCheck, Form
from advisor.records.errors import UsageError
from advisor.records.readings import Access

_FULL = 0.01  # lanes: an average within this distance of a whole number represents it
_CAPS = {"registers": "registers", "shared": "shared", "blocks": "block_size", "warps": "block_size"}
Numbers = Mapping[str, float]
Grid = tuple[int, int, int] | None


class Launched(Struct, frozen=True):
    """The input of the simulators: known metrics, accesses, the block's shape and the compute capability."""

    values: Numbers
    accesses: Sequence[Access]
    block: Grid
    cc: str


def launched(identity: Any, values: Numbers) -> Launched:
    """Build the input from a row of the frame and its known metrics."""
    accesses = identity.get("accesses")
    return Launched(
        values, accesses if isinstance(accesses, tuple) else (), identity["block"], str(identity["cc"] or "")
    )


def with_checks(catalog: Catalog, findings: Sequence[Finding], launch: Launched) -> tuple[Finding, ...]:
    """Return the findings; where a fix names a simulator and the numbers suffice, add its result."""
    out = []
    for finding in findings:
        check = catalog.findings[finding.id].fix_named(finding.fix.id).check if finding.fix is not None else ""
        if finding.fix is not None and check:
            finding = replace(finding, fix=replace(finding.fix, check=_CHECKS[check](launch)))
        out.append(finding)
    return tuple(out)


def _block(launch: Launched) -> lanes.Block | None:
    return lanes.Block(*launch.block) if launch.block and all(n > 0 for n in launch.block) else None


def _dearest(launch: Launched, space: str) -> tuple[Access, float, float] | None:
    """Return the accesses with the largest cost over ideal, both per request; None if none has any."""
    found = []
    for access in launch.accesses:
        cost, ideal = (
            (access.wavefronts, access.wavefronts_ideal)
            if space == "shared"
            else (access.sectors, access.sectors_ideal)
        )
        known = access.executed > 0 and access.width in (8, 16, 32, 64, 128) and cost > ideal > 0
        # Atomics on one address serialise with any pattern.
        if access.space == space and access.kind in ("load", "store") and known:
            found.append((cost - ideal, access, cost / access.executed, ideal / access.executed))
    if not found:
        return None
    _, access, cost, ideal = max(found, key=lambda one: one[0])
    return access, cost, ideal


def _measured(access: Access, cost: float, ideal: float) -> tuple[tuple[str, float], ...]:
    return (("bytes", access.width / 8), ("cost", cost), ("ideal", ideal), ("lanes", access.lanes / access.executed))


def _pattern(access: Access, cost: float, block: lanes.Block | None) -> simulators.Access | None:
    """Return the access in the simulators' form; None if the lanes differ from one execution to the next."""
    active = access.lanes / access.executed
    if block is None or not 1 - _FULL <= active <= LANES + _FULL or abs(active - round(active)) > _FULL:
        return None
    return simulators.Access(access.width // 8, block, round(active), cost)


def _simulation(pattern: simulators.Access, fit: simulators.Fit) -> tuple[simulators.Asked, dict[str, int]]:
    asked = simulators.Asked(
        fit.index,
        pattern.dtype,
        pattern.vector,
        str(pattern.block),
        fit.sizes[0] if fit.kind == "offset" else 0,
        f"lane < {pattern.active}" if pattern.active < LANES else "",
        fit.sizes[0] if fit.kind in ("column", "row", "stride") else 0,
    )
    return asked, dict(fit.parameters)


def _form(fit: simulators.Fit, cost: float, size: int) -> Form:
    return Form(fit.kind, cost, fit.index, fit.sizes, (("bytes", float(size)),))


def _mix(cost: float, ideal: float, worst: float) -> Form:
    """Express the measured average as a mix: a share of accesses at the worst and the rest at the ideal."""
    share = (cost - ideal) / (worst - ideal)
    return Form("mix", cost, numbers=(("share", share), ("worst", worst), ("best", ideal)))


def _access_check(launch: Launched, space: str, simulator: Literal["banks", "coalescing"]) -> FixCheck | None:
    dearest = _dearest(launch, space)
    if dearest is None:
        return None
    access, cost, ideal = dearest
    pattern = _pattern(access, cost, _block(launch))
    found = () if pattern is None else (simulators.bank_fits if space == "shared" else simulators.sector_fits)(pattern)
    forms: list[Form] = []
    after: list[Form] = []
    command = ""
    for fit in found:
        assert pattern is not None
        asked, parameters = _simulation(pattern, fit)
        try:
            result = (simulators.banks if space == "shared" else simulators.coalescing)(asked, parameters)
        except UsageError:
            continue
        forms.append(_form(fit, result.average, pattern.size))
        if not command:
            command = simulators.command(simulator, pattern, fit)
            after = [Form(change.kind, change.cost, numbers=(("by", float(change.by)),)) for change in result.changes]
    worst = min(float(LANES), access.lanes / access.executed)
    if pattern is None:
        forms = [Form("untried", cost)]
    elif not forms and worst > cost:
        forms = [_mix(cost, ideal, worst)]
    if space == "global":
        after.append(Form("consecutive", ideal))
    measured = _measured(access, cost, ideal)
    return FixCheck(simulator, f"{access.space} {access.kind}", measured, tuple(forms), tuple(after), command)


def _banks(launch: Launched) -> FixCheck | None:
    return _access_check(launch, "shared", "banks")


def _coalescing(launch: Launched) -> FixCheck | None:
    return _access_check(launch, "global", "coalescing")


def _whole(values: Numbers, *names: str) -> list[int] | None:
    """Return the named metrics as whole numbers; None if one is unknown."""
    found = [values.get(name, math.nan) for name in names]
    return [round(value) for value in found] if all(map(math.isfinite, found)) else None


def _shared(values: Numbers, reserved: int) -> int | None:
    """Return the bytes of shared memory that the kernel requests, without the driver's part."""
    if parts := _whole(values, "shared_static_bytes", "shared_dynamic_bytes"):
        return sum(parts)
    total = _whole(values, "shared_bytes_per_block")
    return None if total is None else max(0, total[0] - round(values.get("shared_driver_bytes", reserved)))


def _occupancy_command(block_size: int, registers: int, shared: int, cc: str, capacity: int | None) -> str:
    text = f"ncu-advisor napkin occupancy --block {block_size} --registers {registers} --cc {cc}"
    text += f" --shared {shared}" if shared else ""
    return text + (f" --carveout {capacity}" if capacity else "")


def _occupancy(launch: Launched) -> FixCheck | None:
    """Return the next steps up and down; None if the model and the report disagree on the number of blocks."""
    values = launch.values
    asked = _whole(values, "block_size", "registers_per_thread")
    if asked is None or not launch.cc:
        return None
    block_size, registers = asked
    try:
        limits = limits_of(launch.cc)
        shared = _shared(values, limits.shared_reserved)
        if shared is None:
            return None
        given = _whole(values, "shared_config_bytes")
        capacity = given[0] if given and 0 < given[0] <= limits.shared_per_sm else None
        barriers = round(values.get("barriers_per_block", 0))
        result = occupancy(limits, block_size, registers, shared, capacity, barriers)
        if result.blocks != round(values.get("blocks_per_sm_limit", -1)) and capacity:
            # The driver enlarges the carve-out if a kernel needs it.
            capacity = None
            result = occupancy(limits, block_size, registers, shared, None, barriers)
        # Leave a carve-out that decides nothing out of the command line.
        most = occupancy(limits, block_size, registers, shared, None, barriers)
    except UsageError:
        return None
    if result.blocks != round(values.get("blocks_per_sm_limit", -1)):
        return None
    if (most.blocks, most.cliffs) == (result.blocks, result.cliffs):
        capacity = None
    caps = {_CAPS[name] for name in result.limiters if name in _CAPS}
    # The steps up and down of what limits occupancy; using less shared memory than none costs nothing.
    steps = sorted((c for c in result.cliffs if c.resource in caps), key=lambda c: (not c.gain, c.resource))
    after = tuple(
        Form(
            c.resource,
            c.percent,
            numbers=(("value", c.value), ("blocks", c.blocks), ("warps", c.warps), ("gain", float(c.gain))),
        )
        for c in steps
        if c.gain or c.resource != "shared" or shared
    )
    measured = (
        ("block_size", float(block_size)),
        ("registers", float(registers)),
        ("shared", float(shared)),
        ("blocks", float(result.blocks)),
        ("warps", float(result.warps)),
        ("percent", result.percent),
    )
    command = _occupancy_command(block_size, registers, shared, launch.cc, capacity)
    return FixCheck("occupancy", "+".join(sorted(caps)), measured, (), after, command)


def _waves(launch: Launched) -> FixCheck | None:
    """Return the grids near this one that fill the GPU evenly."""
    values = launch.values
    asked = _whole(values, "grid_size", "sm_count", "blocks_per_sm_limit")
    if asked is None or min(asked) < 1:
        return None
    grid, sms, resident = asked
    wave = sms * resident
    waves = grid / wave
    grids = sorted({sms, wave} if waves < 1 else {math.floor(waves) * wave, math.ceil(waves) * wave})
    after = tuple(
        Form("grid", n / wave, numbers=(("grid", float(n)),)) for n in grids if n != grid and (n > grid or waves > 1)
    )
    measured = (
        ("grid", float(grid)),
        ("sms", float(sms)),
        ("blocks", float(resident)),
        ("wave", float(wave)),
        ("waves", waves),
        ("last", waves - math.ceil(waves) + 1),
    )
    inner = _occupancy(launch)
    return FixCheck("waves", "", measured, (), after, inner.command if inner else "")


_CHECKS = {"banks": _banks, "coalescing": _coalescing, "occupancy": _occupancy, "waves": _waves}
