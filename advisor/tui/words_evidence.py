"""The texts of the evidence: headings of its pages, and what they say where there is nothing to show."""

from __future__ import annotations

from typing import Final

NOTHING: Final = "The evidence appears here together with the diagnosis."
ROOFLINE: Final = "Roofline"
COLLECT: Final = "Collect it with these options, and give the new report:"
NO_PAPER: Final = "Say what the algorithm needs (/napkin), and the place that paper expects is marked as well."
MEMORY: Final = "Memory chart"
NO_CHART: Final = "A workload that was typed in has no memory chart: Nsight Graphics gives no volumes."
SOURCE: Final = "Where in the code"
HOT: Final = "Hot lines by {measure}"
NOTHING_HOT: Final = "Nothing in the code has any of it, or passes the filters."
INLINED: Final = "inlined at {place}"
NO_PLACES: Final = "The lines behind this finding have not been read from the report yet."
NO_CODE: Final = "Typed numbers have no code: open a report to see lines and instructions."
MORE_SOURCE: Final = "/source (F7) reads and shows hot lines and instructions, with search and further columns."
NAPKIN: Final = "On paper"
AGAINST: Final = "Needed, of what was measured"
BYTES: Final = "Bytes"
OPERATIONS: Final = "Operations"
NEEDED_OF: Final = "{least} of {measured}"
NONE_NEEDED: Final = "the algorithm needs none"
NONE_MEASURED: Final = "{least}; none was measured"
NOT_MEASURED: Final = "{least}; what was measured is unknown"
EXPECTED: Final = "You expected {bound}; it is {title}."
NO_NAPKIN: Final = (
    "What the algorithm needs is not known yet. /napkin asks for the algorithm and its sizes, and works out the fewest"
    " bytes and operations and so the least time."
)
CLASS: Final = "Behind the class: {title}"
FINDING: Final = "Behind the finding: {title}"
NO_EVIDENCE: Final = "No single number stands behind it."
ALL: Final = "All numbers of this launch, {found} of {all}"
NO_NUMBER: Final = "No number has this in its name or meaning."
FIND: Final = "find a number by name or meaning"
TIP_NEXT: Final = "The next page of the evidence"
TIP_BEFORE: Final = "The page of the evidence before"
TIP_FIND: Final = "Search all numbers by name or meaning"
TIP_LEAVE_FIND: Final = "All numbers again, and out of the search"
# Each page of the evidence in the order of its tabs: the key that shows it (Alt with a digit would type a character,
# since Textual takes it for the Option key of a Mac), its name among all actions, and what it shows.
PAGES: Final = (
    ("units", "alt+u", "Units", "Evidence: units, their speed of light with its breakdown, stalls, occupancy"),
    ("roofline", "alt+r", "Roofline", "Evidence: roofline, the launch under the roofs of its card"),
    ("memory", "alt+m", "Memory chart", "Evidence: memory chart, volumes, percentages and hit rates"),
    ("source", "alt+c", "Hot lines", "Evidence: source code, the hot lines"),
    ("napkin", "alt+k", "Napkin", "Evidence: napkin, what the algorithm needs beside what was measured"),
    ("numbers", "alt+n", "All numbers", "Evidence: numbers of class and finding, all metrics with search"),
)
