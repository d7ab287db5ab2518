"""`ncu-advisor collect`."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable
from pathlib import Path

from advisor.catalog import Catalog, catalog
from advisor.errors import EXIT_DONE, UsageError

# ncu adds these to any selection at no cost of passes; a report without them cannot be placed.
_ALWAYS = ("SpeedOfLight", "LaunchStats", "Occupancy")


def sections_for(cat: Catalog, metrics: Iterable[str]) -> dict[str, list[str]]:
    """Section id -> the canonical metrics that it brings, both in a stable order."""
    out: dict[str, list[str]] = {}
    for metric in sorted(metrics):
        section = cat.metrics[metric].section
        if section:
            out.setdefault(section, []).append(metric)
    return dict(sorted(out.items()))


def command(
    sections: Iterable[str], kernel: str | None, skip: int, count: int, clock_control: str, folder: Path | None = None
) -> str:
    """The ncu command line that collects the sections; `folder`: where else ncu looks for their files."""
    where = ["--section-folder", shlex.quote(str(folder))] if folder is not None else []
    parts = ["ncu", *where, *(word for s in sections for word in ("--section", s)), "--import-source", "yes"]
    if kernel:
        parts += ["--kernel-name", shlex.quote(f"regex:{kernel}")]
    parts += ["--launch-skip", str(skip), "--launch-count", str(count)]
    if clock_control == "none":
        parts += ["--clock-control", "none"]
    return " ".join([*parts, "-o", "profile", "YOUR_PROGRAM"])


def _identifier() -> str:
    from advisor.render.section import IDENTIFIER

    return IDENTIFIER


def _write_section(cat: Catalog, folder: Path) -> Path:
    """Write the section into the folder, which is made where its parent exists; UsageError where it cannot be."""
    from advisor.files import write_whole
    from advisor.render.section import FILE, section_text

    try:
        folder.mkdir(exist_ok=True)
    except OSError as e:
        raise UsageError(f"{folder}: is no folder to write a section into: {e.strerror}") from None
    write_whole(folder / FILE, section_text(cat.metrics))
    return folder / FILE


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
        place = _write_section(cat, section_file)
        lines = [f"# {place}: one section with all that the advisor reads, for ncu 2024.1 and later"]
        line = command([_identifier()], kernel, skip, count, clock_control, section_file)
        write("\n".join([*lines, line]) + "\n", None)
        return EXIT_DONE
    if report is None:
        wanted = {name for name, metric in cat.metrics.items() if metric.section}
        reasons: dict[str, set[str]] = {}
        lines = ["# everything that the advisor reads:"]
    else:
        from advisor.pipelines.diagnose import analyse

        diagnosis = analyse([report], knowledge=knowledge).diagnosis
        if any(launch.scope == "workload" for launch in diagnosis.launches):
            raise UsageError(f"{report.name} was typed in, ncu does not measure it: `diagnose` lists the words to type")
        reasons = {}
        for launch in diagnosis.launches:
            for item in launch.missing:
                reasons.setdefault(item.metric, set()).update(item.needed_for)
        wanted = set(reasons)
        lines = [f"# what {report.name} lacks, over {len(diagnosis.launches)} launches:"]
    sections = sections_for(cat, wanted)
    if not sections:
        write("# nothing is missing: every rule could be decided from this report\n", None)
        return EXIT_DONE
    chosen = sorted({*sections, *_ALWAYS})
    for section in chosen:
        metrics = sections.get(section, [])
        needed = sorted({finding for metric in metrics for finding in reasons.get(metric, ())})
        purpose = (
            f"for {', '.join(needed)}" if needed else f"{len(metrics)} metrics" if metrics else "to place the launch"
        )
        lines.append(f"#   {section}: {purpose}")
    lines.append(
        "# each section replays the kernel once or several times; the source counters and the sampler cost the most"
    )
    write("\n".join([*lines, command(chosen, kernel, skip, count, clock_control)]) + "\n", None)
    return EXIT_DONE
