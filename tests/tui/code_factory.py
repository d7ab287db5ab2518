"""A small kernel's instructions, for the screens that show code: a load, what waits for it, a loop, an inlined line."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from source.listings import row

from advisor.session import events as e
from advisor.source.listing import Listing
from advisor.source.measures import EXECUTED, LANES, SAMPLES, STALL, WAVEFRONTS
from advisor.source.viewer import Seen, Viewer

LOAD = STALL + "long_scoreboard"
# (SASS, source line, executed, samples, wavefronts, long-scoreboard samples)
CODE = (
    ("MOV R1, c[0x0][0x28]", 3, 100, 1, 0, 0),
    ("LDG.E R4, [R2.64]", 5, 800, 4, 0, 0),
    ("IADD3 R6, R6, 0x1, RZ", 4, 800, 2, 0, 0),
    ("STS [R8], R4", 5, 800, 60, 800, 55),
    ("LDS R5, [R9]", 7, 800, 20, 25_600, 0),
    ("FFMA R10, R5, R5, R10", 7, 800, 12, 0, 0),
    ("@P0 BRA 0x1010", 4, 800, 1, 0, 0),
    ("EXIT", 9, 100, 0, 0, 0),
)
TEXT = """// one tile
#define N 32
__global__ void k(float* in) {
  for (int i = 0; i < n; ++i) {
    tile[y][x] = in[i];
    __syncthreads();
    sum += tile[x][y] * tile[x][y];
  }
}
"""


def listing(lines: bool = True, file: str = "k.cu", text: str = TEXT, code: Any = CODE) -> Listing:
    """The kernel as a report has it, with or without line information."""
    rows = []
    for at, (sass, line, executed, samples, wavefronts, waits) in enumerate(code):
        values = {
            EXECUTED: float(executed),
            LANES: executed * 32.0,
            SAMPLES: float(samples),
            WAVEFRONTS: float(wavefronts),
            WAVEFRONTS + "_ideal": min(800.0, wavefronts),
            LOAD: float(waits),
        }
        rows.append(row(at, sass, values, file, line if lines else 0))
    have = set(rows[0].sight.values)
    lacking = {name for measure in _measures() for name in measure.needs} - have
    return Listing(tuple(rows), frozenset(lacking), (), {file: text} if lines else {})


def _measures() -> Any:
    from advisor.source.measures import MEASURES

    return MEASURES.values()


class Shelf(Viewer):
    """A viewer that reads this listing instead of a report, and counts how often it is asked."""

    def __init__(self, what: Listing) -> None:
        super().__init__()
        self.what, self.asked = what, 0

    def _listing(self, path: Any, launch: Any, extra: Any) -> Listing:
        self.asked += 1
        return self.what


CATALOG = SimpleNamespace(
    findings={
        "bank_conflicts": SimpleNamespace(locate="excess_wavefronts"),
        "narrow_accesses": SimpleNamespace(locate=None),
        "near_memory_roofline": SimpleNamespace(locate=None),
    }
)


def locator(what: Listing | None = None) -> Any:
    """The `locate` of Sources on a listing."""
    viewer = Shelf(what or listing())

    def locate(judged: Any, request: e.Locate, progress: Any) -> Seen:
        progress("locate", 0, 0)
        return viewer.see(
            SimpleNamespace(diagnosis=judged.diagnosis, catalog=CATALOG),  # type: ignore[arg-type]
            request.position,
            by=request.by,
            search=request.search,
            where=request.where,
            columns=request.columns,
            finding=request.finding,
        )

    return locate
