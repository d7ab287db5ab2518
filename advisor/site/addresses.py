"""Where each entry of the knowledge base is on the site: on its own page, or in a section of a page of its kind."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Final

from msgspec import Struct

from advisor.explain.index import Index, Place, norm
from advisor.knowledge.library_calls import FILES as CALLS
from advisor.knowledge.loader import load

# Kinds whose entries have a page each -> the folder of the pages.
OWN: Final = {"diagnosis": "causes", "trust": "caveats", "pattern": "timelines", "workload": "graphics"}


class Collection(Struct, frozen=True):
    """A page of entries. path: of the page; kinds, stem: its entries, by kind and by the name of their file, if given.

    about: what it lists, in a sentence.
    """

    path: str
    title: str
    about: str
    kinds: tuple[str, ...]
    stem: str = ""

    def has(self, place: Place) -> bool:
        """Return whether an entry is on this page."""
        graphics = place.path.parent.parent.name == "graphics"  # has files of the same names
        return place.kind in self.kinds and self.stem in ("", "graphics" if graphics else place.path.stem)


_METRIC = "Each metric with its unit, its names in Nsight Compute or its formula, and the thresholds that use it."
_TEST = "Each test with the rules that use it. Only these tests compare numbers with thresholds."
LIBRARY_CALLS: Final = "library-calls"
_CALLED = (
    ("pytorch_reductions", "PyTorch, reductions and scans"),
    ("pytorch_pictures", "PyTorch, images"),
    ("pytorch_indices", "PyTorch, indices"),
    ("pytorch_values", "PyTorch, element-wise"),
    ("cupy", "CuPy"),
    ("nvidia", "NVIDIA's libraries"),
)
COLLECTIONS: Final = (
    Collection("classes", "Classes of a launch", "The first that applies is the class of a launch.", ("class",)),
    Collection("stalls", "Stall reasons", "Why a warp does not issue. A stall is a symptom, not a cause.", ("stall",)),
    Collection("opcodes", "SASS instructions", "What an instruction does, and the pipe that executes it.", ("opcode",)),
    Collection("units", "Units of the GPU", "The units that the time model knows.", ("unit",)),
    Collection("glossary", "Glossary", "The terms of the field.", ("term",)),
    Collection("metrics/ncu", "Metrics of a launch", _METRIC, ("metric",), "metrics"),
    Collection("metrics/modern", "Metrics of newer hardware features", _METRIC, ("metric",), "metrics_modern"),
    Collection("metrics/reasoning", "Computed metrics", _METRIC, ("metric",), "metrics_reasoning"),
    Collection("metrics/napkin", "Metrics of the napkin math", _METRIC, ("metric",), "metrics_napkin"),
    Collection("metrics/timeline", "Metrics of a timeline", _METRIC, ("metric",), "metrics_timeline"),
    Collection("metrics/emulated", "Metrics of the emulator", _METRIC, ("metric",), "metrics_emulated"),
    Collection("metrics/graphics", "Metrics of graphics workloads", _METRIC, ("metric",), "metrics_graphics"),
    Collection("tests/class", "Tests: class", _TEST, ("observation",), "class"),
    Collection("tests/compute", "Tests: arithmetic and instructions", _TEST, ("observation",), "compute"),
    Collection("tests/memory", "Tests: memory", _TEST, ("observation",), "memory"),
    Collection("tests/shared", "Tests: shared memory", _TEST, ("observation",), "shared"),
    Collection("tests/latency", "Tests: latency", _TEST, ("observation",), "latency"),
    Collection("tests/launch", "Tests: launch", _TEST, ("observation",), "launch"),
    Collection("tests/modern", "Tests: newer hardware features", _TEST, ("observation",), "modern"),
    Collection("tests/fixes", "Tests: which fix suits", _TEST, ("observation",), "fixes"),
    Collection("tests/trust", "Tests: trust in the data", _TEST, ("observation",), "trust"),
    Collection("tests/napkin", "Tests: napkin math", _TEST, ("observation",), "napkin"),
    Collection("tests/quantification", "Tests: quantification", _TEST, ("observation",), "quantification"),
    Collection("tests/emulated", "Tests: emulated counts", _TEST, ("observation",), "emulated"),
    Collection("tests/timeline", "Tests: timelines", _TEST, ("observation",), "timeline"),
    Collection("tests/graphics", "Tests: graphics workloads", _TEST, ("observation",), "graphics"),
    Collection("method/steps", "The method, step by step", "What to do, in which order.", ("step",), "steps"),
    Collection("method/graphics", "The method for graphics workloads", "What to do, in which order.", ("step",)),
    Collection("method/pitfalls", "Pitfalls", "Mistakes that make a profile mislead.", ("pitfall",)),
    Collection("method/thresholds", "Thresholds of the sources", "What counts as high.", ("threshold",)),
    Collection("method/formulas", "Formulas", "Waste, bounds and limits by formula.", ("formula",)),
    Collection("method/algorithms", "Algorithms of the napkin math", "Minimum work and bytes.", ("algorithm",)),
    Collection("method/types", "Data types", "Their sizes and peaks.", ("dtype",)),
    Collection("method/questions", "Questions", "What a report cannot answer, and what depends on it.", ("question",)),
    Collection("method/conclusions", "Conclusions between the steps", "Their rules.", ("conclusion",)),
    Collection("method/ncu-rules", "Rules of Nsight Compute", "What each says, and when not to follow.", ("ncu_rule",)),
    Collection("method/decisions", "After a timeline", "Which kernel to profile next, or none.", ("decision",)),
    Collection("topics/overview", "A map of the GPU", "The units, and a first lesson.", ("topic",), "overview"),
    Collection("topics/memory", "Memory", "How memory works.", ("topic",), "memory"),
    Collection("topics/occupancy", "Occupancy and launch", "How warps hide latency.", ("topic",), "occupancy"),
    Collection("topics/pipes", "Pipes", "How instructions are executed.", ("topic",), "pipes"),
    Collection("topics/newer", "Newer hardware features", "From Hopper on.", ("topic",), "newer_features"),
    Collection("topics/advanced", "Advanced techniques", "For kernels near a limit.", ("topic",), "advanced"),
    Collection("topics/no-effect", "What has no effect", "Negative results.", ("topic",), "no_effect"),
    Collection("topics/build", "Build", "Compiler options.", ("topic",), "build"),
    Collection("topics/profiling", "Profiling", "How to collect a report.", ("topic",), "profiling"),
    Collection("topics/cluster", "On a cluster", "Profiling where others work, too.", ("topic",), "cluster"),
    Collection("topics/ncu-pages", "Pages of Nsight Compute", "Where a number is shown.", ("topic",), "tool_pages"),
    Collection("topics/graphics", "Graphics workloads", "Without a report.", ("topic",), "graphics"),
    Collection(LIBRARY_CALLS, "Calls of libraries", "Kernels recognised by name, and what to call instead.", ("call",)),
    *(Collection(f"metrics/{stem}", f"Calls: {name}", _METRIC, ("metric",), stem) for stem, name in _CALLED),
    *(Collection(f"tests/{stem}", f"Tests: calls, {name}", _TEST, ("observation",), stem) for stem, name in _CALLED),
    Collection("cases", "Worked cases", "The cases of the sources.", ("case",)),
    Collection("corrections", "Corrections of the sources", "Where a source errs, and what holds.", ("erratum",)),
    Collection("sources", "Sources", "What the knowledge base cites.", ("source",)),
)  # fmt: skip
GPUS: Final = "gpus"
_OPCODE = re.compile(r"[A-Z][A-Z0-9]{2,}\Z")


def anchor(name: str) -> str:
    """Return the id of an entry's section: letters, digits, dashes and underscores."""
    return re.sub(r"[^A-Za-z0-9_]+", "-", name)


class Addresses:
    """The addresses of all entries, as `path#section`."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._of: dict[tuple[str, str, Path], str] = {}
        for place in index.everything():
            found = self._address(place)
            if found:
                self._of[place.kind, place.id, place.path] = found

    def _address(self, place: Place) -> str:
        if place.kind in OWN:
            return f"{OWN[place.kind]}/{place.id}"
        if place.kind == "gpu":
            return GPUS
        if place.kind in ("rule", "fix"):
            return self._part(place)
        page = next((one for one in COLLECTIONS if one.has(place)), None)
        return f"{page.path}#{anchor(place.id)}" if page is not None else ""

    def _part(self, place: Place) -> str:
        """Return the address of a rule or fix: a section of the page of its entry."""
        kinds = {"diagnoses": "diagnosis", "trust": "trust", "timeline": "pattern"}
        folder = place.path.parent
        if place.path.match(CALLS):
            return LIBRARY_CALLS
        kind = "workload" if folder.parent.name == "graphics" else kinds.get(folder.name, "")
        return f"{OWN[kind]}/{place.path.stem}#{anchor(place.id)}" if kind else ""

    def of(self, place: Place) -> str:
        """Return `path#section` of an entry; empty if it has none."""
        return self._of.get((place.kind, place.id, place.path), "")

    def link(self, word: str) -> tuple[str, str]:
        """Return address and text of a word in a text: of `kind:id` with its title, or of an id that is no common word.

        Both are empty for a word without a page.
        """
        kind, colon, name = word.partition(":")
        if not colon and "_" not in word and "." not in word and not _OPCODE.match(word):
            return "", ""
        # The index is blind to case.
        for place in self._index.places.get(norm(name if colon else word), ()):
            if place.id == (name if colon else word) and kind in (place.kind if colon else kind,) and self.of(place):
                return self.of(place), (self._index.title(place) or name) if colon else word
        source = word.partition(".")[0]
        if "." in word and source in self._index.sources and self._index.source_title(word):
            return self.of(self._index.sources[source]), word
        return "", ""

    def places(self, kind: str) -> list[Place]:
        """Return the entries of a kind, in the order of their files."""
        found = [place for place in self._index.everything() if place.kind == kind]
        order: dict[Path, dict[str, int]] = {}
        for path in {place.path for place in found}:
            order[path] = {str(name): at for at, name in enumerate(load(path, dict))}
        return sorted(found, key=lambda place: (place.path, order[place.path].get(place.id, 0)))


def relative(address: str, here: str) -> str:
    """Return the link from the page `here` to `path#section`, without the ending of `path`."""
    path, mark, section = address.partition("#")
    if path == here:
        return f"#{section}" if mark else ""
    return posixpath.relpath(path, posixpath.dirname(here) or ".") + ".html" + mark + section
