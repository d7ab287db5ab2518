"""`ncu-advisor collect`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from advisor.knowledge.base import Catalog, catalog
from advisor.reasoning.collect import command, purposes, sections_for, wanted_by
from advisor.records.errors import EXIT_DONE, UsageError


def _identifier() -> str:
    from advisor.view.writers.ncu_section import IDENTIFIER

    return IDENTIFIER


def _write_sections(cat: Catalog, folder: Path) -> list[str]:
    """Write both sections into the folder, which is made where its parent exists; UsageError where it cannot be.

    Returns what to say of them.
    """
    from advisor.records.files import write_whole
    from advisor.view.writers.ncu_section import FILE, OVER_TIME, OVER_TIME_FILE, over_time_text, section_text

    try:
        folder.mkdir(exist_ok=True)
    except OSError as e:
        raise UsageError(f"{folder}: is no folder to write a section into: {e.strerror}") from None
    write_whole(folder / FILE, section_text(cat.metrics))
    write_whole(folder / OVER_TIME_FILE, over_time_text())
    return [
        f"# {folder / FILE}: one section with all that the findings need, for ncu 2024.1 and later",
        f"# {folder / OVER_TIME_FILE}: whether phases of the kernel differ, at more passes: --section {OVER_TIME}",
    ]


def run(
    report: Path | None,
    *,
    kernel: str | None,
    skip: int,
    count: int,
    clock_control: str,
    section_file: Path | None = None,
    knowledge: tuple[Path, ...],
    write: Callable[[str, Path | None], None],
) -> int:
    """Print the command, and before it what each section is for; with `section_file` write a section of our own."""
    cat = catalog(knowledge)
    if section_file is not None:
        if report is not None:
            raise UsageError("--section-file writes a section for everything that is read: leave the report out")
        lines = _write_sections(cat, section_file)
        line = command([_identifier()], kernel, skip, count, clock_control, section_file)
        write("\n".join([*lines, line]) + "\n", None)
        return EXIT_DONE
    if report is None:
        wanted = {name for name, metric in cat.metrics.items() if metric.section}
        reasons: dict[str, set[str]] = {}
        lines = ["# everything that the advisor reads:"]
    else:
        from advisor.reasoning.diagnose import analyse

        diagnosis = analyse([report], knowledge=knowledge).diagnosis
        if any(launch.scope == "workload" for launch in diagnosis.launches):
            raise UsageError(f"{report.name} was typed in, ncu does not measure it: `diagnose` lists the words to type")
        reasons = wanted_by(diagnosis.launches)
        wanted = set(reasons)
        lines = [f"# what {report.name} lacks, over {len(diagnosis.launches)} launches:"]
    sections = sections_for(cat, wanted)
    if not sections:
        write("# nothing is missing: every rule could be decided from this report\n", None)
        return EXIT_DONE
    chosen = purposes(sections, reasons)
    for section, needed, metrics in chosen:
        purpose = (
            f"for {', '.join(needed)}" if needed else f"{len(metrics)} metrics" if metrics else "to place the launch"
        )
        lines.append(f"#   {section}: {purpose}")
    lines.append(
        "# each section replays the kernel once or several times; the source counters and the sampler cost the most"
    )
    line = command((section for section, _, _ in chosen), kernel, skip, count, clock_control)
    write("\n".join([*lines, line]) + "\n", None)
    return EXIT_DONE
