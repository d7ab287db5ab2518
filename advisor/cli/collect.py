"""The command `ncu-advisor collect`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from advisor.cli import terminal
from advisor.cli.options import PATH, Knowledge, argument, clock_control, command, option
from advisor.knowledge.base import Catalog, catalog
from advisor.reasoning.collect import command as ncu_command
from advisor.reasoning.collect import purposes, sections_for, wanted_by
from advisor.reasoning.diagnose import analyse
from advisor.records.errors import EXIT_DONE, UsageError
from advisor.records.files import write_whole
from advisor.view.numbers import counted
from advisor.view.writers.ncu_section import FILE, IDENTIFIER, OVER_TIME, OVER_TIME_FILE, over_time_text, section_text


@dataclass(frozen=True, kw_only=True)
class Options(Knowledge):
    """Options of `collect`."""

    report: Path | None = argument(required=False, type=PATH)
    kernel: str | None = option("--kernel", metavar="REGEX", help="The kernel to profile.")
    skip: int = option("--skip", default=1, type=click.IntRange(0), help="Warm-up launches to skip.")
    count: int = option("--count", default=1, type=click.IntRange(1), help="Launches to profile.")
    clock_control: str = clock_control()
    section_file: Path | None = option(
        "--section-file",
        type=PATH,
        metavar="DIR",
        help="Write an ncu section file with every metric that is read.",
    )


@command(Options)
def collect(options: Options) -> int:
    """Print the ncu command that collects the metrics a report lacks, or every metric that the advisor reads."""
    cat = catalog(options.knowledge)
    if options.section_file is not None:
        if options.report is not None:
            raise UsageError("--section-file writes a section for every metric: leave the report out")
        lines = _write_sections(cat, options.section_file)
        terminal.write("\n".join([*lines, _command([IDENTIFIER], options)]))
        return EXIT_DONE
    if options.report is None:
        wanted = {name for name, metric in cat.metrics.items() if metric.section}
        reasons: dict[str, set[str]] = {}
        lines = ["# every metric that the advisor reads:"]
    else:
        launches = analyse([options.report], knowledge=options.knowledge).diagnosis.launches
        if any(launch.scope == "workload" for launch in launches):
            raise UsageError(
                f"{options.report.name} is a typed-in workload, which ncu cannot measure: `diagnose` lists what to add"
            )
        reasons = wanted_by(launches)
        wanted = set(reasons)
        lines = [f"# missing from {options.report.name}, over {counted(len(launches), 'launch')}:"]
    sections = sections_for(cat, wanted)
    if not sections:
        terminal.write("# nothing is missing: the report has every metric that a rule needs")
        return EXIT_DONE
    chosen = purposes(sections, reasons)
    for section, needed, metrics in chosen:
        purpose = (
            f"for {', '.join(needed)}" if needed else counted(len(metrics), "metric") if metrics else "launch geometry"
        )
        lines.append(f"#   {section}: {purpose}")
    lines.append("# each section replays the kernel at least once; source counters and sampling cost the most")
    terminal.write("\n".join([*lines, _command([section for section, _, _ in chosen], options)]))
    return EXIT_DONE


def _command(sections: list[str], options: Options) -> str:
    return ncu_command(
        sections, options.kernel, options.skip, options.count, options.clock_control, options.section_file
    )


def _write_sections(cat: Catalog, folder: Path) -> list[str]:
    """Write both section files into the folder and describe them. Raises UsageError if the folder is not usable."""
    try:
        folder.mkdir(exist_ok=True)
    except OSError as e:
        raise UsageError(f"{folder}: cannot be used as a folder for section files: {e.strerror}") from None
    write_whole(folder / FILE, section_text(cat.metrics))
    write_whole(folder / OVER_TIME_FILE, over_time_text())
    return [
        f"# {folder / FILE}: one section with every metric that the rules need, for ncu 2024.1 and later",
        f"# {folder / OVER_TIME_FILE}: whether the kernel phases differ; needs more passes: --section {OVER_TIME}",
    ]
