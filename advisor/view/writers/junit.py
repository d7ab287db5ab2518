"""Write a comparison as JUnit XML for a CI system: a case for each kernel, a failure for each threshold."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from advisor.records.escapes import printable
from advisor.view.blocks import Page
from advisor.view.pages.compare import Result, headline, pair_sections, pair_title, shape
from advisor.view.text import shown
from advisor.view.writers.terminal import terminal_text

_SUITE = "ncu-advisor compare"


def junit(result: Result, *, everything: bool = False) -> str:
    """Write one test suite with a case for each pair of kernels, with its text in system-out.

    A crossed threshold is a failure, one that could not be checked an error; a kernel without a counterpart is a
    skipped case, since no threshold applies to it. `time` is the current duration in seconds.
    """
    found = result.compared
    outcomes = result.outcomes or tuple(() for _ in found.pairs)
    root = ET.Element("testsuites")
    suite = ET.SubElement(root, "testsuite", name=_SUITE)
    counts = {"failures": 0, "errors": 0, "skipped": 0}
    for pair, row in zip(found.pairs, outcomes, strict=True):
        case = _case(suite, pair_title(pair), shape(pair.current.launch))
        if pair.current.times is not None:
            case.set("time", f"{pair.current.times.median / 1e9:.9f}")
        # Most programs show only the first of several failures, so all thresholds are in one.
        crossed = [o for o in row if o.crossed]
        unknown = [o for o in row if o.crossed is None]
        for tag, kind, count, rows in (
            ("failure", "threshold", "failures", crossed),
            ("error", "unknown", "errors", unknown if not crossed else []),
        ):
            if rows:
                lines = [shown(f"{o.threshold.text}: {o.text}") for o in rows]
                ET.SubElement(case, tag, type=kind, message="; ".join(lines)).text = "\n".join(lines)
                counts[count] += 1
        page = Page("", (), tuple(pair_sections(pair, "", everything=everything)))
        ET.SubElement(case, "system-out").text = terminal_text(page).rstrip("\n")
    for side, left in (("base", found.base_only), ("current", found.current_only)):
        for runs in left:
            case = _case(suite, shown(runs.launch.kernel), shape(runs.launch))
            ET.SubElement(case, "skipped", message=f"only in the {side} report")
            counts["skipped"] += 1
    for element in (suite, root):
        element.set("tests", str(len(found.pairs) + counts["skipped"]))
        for key, value in counts.items():
            element.set(key, str(value))
    properties = ET.Element("properties")
    for name, info in (("base", found.base), ("current", found.current)):
        ET.SubElement(properties, "property", name=name, value=shown(info.path))
    for at, pair in enumerate(found.pairs):
        ET.SubElement(properties, "property", name=f"pair {at}", value=shown(f"{pair_title(pair)}: {headline(pair)}"))
    suite.insert(0, properties)
    ET.indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + printable(ET.tostring(root, encoding="unicode")) + "\n"


def _case(suite: ET.Element, name: str, size: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", classname=_SUITE, name=f"{name} ({size})" if size else name)
