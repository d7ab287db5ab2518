"""What a fix that takes registers or shared memory costs in occupancy: how much more fits, and what follows beyond."""

from __future__ import annotations

from advisor.hardware.gpus import limits_of
from advisor.hardware.occupancy import Cliff, Occupancy, occupancy
from advisor.knowledge.base import catalog
from advisor.records.diagnosis import Finding, LaunchDiagnosis
from advisor.records.errors import UsageError
from advisor.view.blocks import Fact
from advisor.view.numbers import counted, percent_text, size_text


def room_facts(finding: Finding, launch: LaunchDiagnosis) -> tuple[Fact, ...]:
    """Return for each resource that the fix takes from how much on fewer warps fit an SM; empty if it is unknown.

    The limits are those of the theoretical occupancy (`hardware.occupancy`), with the launch's own block, registers per
    thread and shared memory per block.
    """
    entry = catalog().findings.get(finding.id)
    fix = finding.fix
    found = next((one for one in entry.fixes if fix is not None and one.id == fix.id), None) if entry else None
    if found is None or not found.takes:
        return ()
    fits, shared = _fits(launch)
    if fits is None:
        return ()
    rows = []
    for resource in found.takes:
        cliff = next((one for one in fits.cliffs if one.resource == resource and not one.gain), None)
        rows.append(_row(resource, cliff, fits, launch, shared))
    return (Fact("Occupancy", " ".join(rows)),)


def _fits(launch: LaunchDiagnosis) -> tuple[Occupancy | None, int]:
    """Return the theoretical occupancy of the launch, and the bytes of shared memory that it requests per block."""
    names = ("block_size", "registers_per_thread", "shared_bytes_per_block")
    block, registers, shared = (launch.metrics.get(name) for name in names)
    if not block or not registers or shared is None:
        return None, 0
    try:
        limits = limits_of(launch.cc)
        # The number of a report includes what the system reserves of each block.
        requested = max(0, int(shared) - limits.shared_reserved)
        return occupancy(limits, int(block), int(registers), requested), requested
    except UsageError:
        return None, 0


def _row(resource: str, cliff: Cliff | None, fits: Occupancy, launch: LaunchDiagnosis, shared: int) -> str:
    if resource == "registers":
        now = counted(int(launch.metrics["registers_per_thread"]), "register")
        have = f"{now} per thread"
        beyond = "" if cliff is None else f"{cliff.value} or more"
    else:
        have = f"{size_text(shared)} of shared memory per block" if shared else "no shared memory"
        beyond = "" if cliff is None else f"{size_text(cliff.value)} or more of it per block"
    warps = f"{counted(fits.warps, 'warp')} ({percent_text(fits.percent)})"
    if cliff is None:
        return f"With {have} {warps} fit an SM; more of it takes none away."
    then = f"{counted(cliff.warps, 'warp')} ({percent_text(cliff.percent)})" if cliff.blocks else "no block fits"
    return f"With {have} {warps} fit an SM; with {beyond}, {then}."
