"""Small sources in other styles than the exercises', their launches, and what must become of each kind of patch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from advisor.cli.fix import _given
from advisor.patches.prove import fix
from advisor.patches.records import FixDocument
from advisor.patches.stages import own_stage

FOLDER = Path(__file__).parent / "sources"


@dataclass(frozen=True)
class Small:
    """A source with its launch. offered: kinds that must be proven; rejected: kind -> the reason it must have."""

    name: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    arguments: tuple[str, ...]
    offered: tuple[str, ...] = ()
    rejected: tuple[tuple[str, str], ...] = ()


def tried(one: Small, kinds: tuple[str, ...] = (), text: str = "") -> FixDocument:
    """Try the kinds that the case names, or those given; text: in place of the file's."""
    path = FOLDER / one.name
    text = text or path.read_text(encoding="utf-8")
    given, types = _given(one.arguments)
    stage = own_stage(path, text, "sm_90", None, one.grid, one.block, given, types, 0, 1e-5, 30.0)
    return fix(stage, text, kinds or (*one.offered, *(kind for kind, _ in one.rejected)))


SMALL = (
    Small(
        "rotate_macro_tile.cu",
        (4, 4, 1),
        (32, 8, 1),
        ("float[16384]=zeros", "float[16384]", "uint32=128"),
        ("pad_tile",),
    ),
    Small(
        *("flat_alias_tile.cu", (2, 2, 1), (32, 32, 1), ("float[4096]", "float[4096]=zeros", "int=64")),
        rejected=(("pad_tile", "unsuited"),),
    ),
    Small(
        *("spilled_row_tile.cu", (2, 2, 1), (32, 32, 1), ("float[4096]", "float[4096]=zeros", "int=64")),
        rejected=(("pad_tile", "memory error"),),  # the unused elements are read
    ),
    Small(
        *("flat_written_tile.cu", (4, 1, 1), (32, 32, 1), ("float[4096]", "float[4096]=zeros")),
        rejected=(("pad_tile", "results differ"),),
    ),
    Small(
        *("tight_bounds.cu", (4, 1, 1), (128, 1, 1), ("float[24576]", "float[512]=zeros", "int=512")),
        offered=("launch_bounds",),
    ),
    Small("histogram_pairs.cu", (4, 1, 1), (64, 1, 1), ("float[8192]", "uint32[256]=zeros", "int=32"), ("pad_index",)),
    Small("decay_doubles.cu", (8, 1, 1), (128, 1, 1), ("float[1000]", "float=0.1", "int=1000"), ("single_precision",)),
    Small(
        *("wanted_doubles.cu", (4, 1, 1), (64, 1, 1), ("float[1000]", "double[256]=zeros", "int=1000")),
        rejected=(("single_precision", "unsuited"),),
    ),
    Small(
        *("row_dots_pointer.cu", (4, 1, 1), (64, 1, 1)),
        ("float[16384]", "float[64]", "float[256]=zeros", "int=256", "int=64"),
        ("vector_loop",),
    ),
    Small(
        *("odd_rows.cu", (4, 1, 1), (64, 1, 1), ("float[17500]", "float[256]=zeros", "int=256")),
        rejected=(("vector_loop", "counter did not fall"),),
    ),
    Small("prefix_in_place.cu", (2, 1, 1), (64, 1, 1), ("float[2048]", "int=16"), rejected=(("vector_loop", ""),)),
    Small(
        *("brighten_bytes.cu", (4, 1, 1), (128, 1, 1)),
        ("uint8[10001]", "uint8[10001]=zeros", "int=10001", "int=80"),
        ("vector_map",),
    ),
    Small(
        "blur_neighbours.cu",
        (2, 1, 1),
        (32, 1, 1),
        ("float[65]", "float[65]=zeros", "int=64"),
        rejected=(("vector_map", "unsuited"),),
    ),
    Small(
        "particles_struct.cu",
        (8, 1, 1),
        (128, 1, 1),
        ("float[8192]", "float[1024]=zeros", "int=1024"),
        ("align_struct",),
    ),
    Small(
        *("odd_struct.cu", (8, 1, 1), (128, 1, 1), ("float[3072]", "float[1024]=zeros", "int=1024")),
        rejected=(("align_struct", "unsuited"),),
    ),
    Small("column_matrix.cu", (8, 8, 1), (16, 16, 1), ("float[16384]", "float=3", "int=128"), ("swap_thread_axes",)),
    Small(
        *("loop_order.cu", (4, 4, 1), (64, 1, 1), ("float[16384]", "int=1024")),
        rejected=(("swap_loops", "counter did not fall"),),
    ),
    Small(
        *("accumulate_global.cu", (4, 1, 1), (64, 1, 1)),
        ("float[300]", "float[16]", "float[256]=zeros", "int=16"),
        ("hoist_invariant", "restrict_pointers"),
    ),
    Small("lookup_local.cu", (4, 1, 1), (64, 1, 1), ("float[256]", "float[256]=zeros"), ("unroll_loop",)),
    Small(
        "signed_halves.cu", (1, 1, 1), (64, 1, 1), ("int[2048]", "int[512]=zeros", "int=512"), ("unsigned_division",)
    ),
    Small(
        *("negative_halves.cu", (4, 1, 1), (64, 1, 1), ("int[256]", "int[256]=zeros")),
        rejected=(("unsigned_division", "unsuited"),),
    ),
    Small(
        *("count_matches.cu", (8, 1, 1), (128, 1, 1)),
        ("float[1000]", "float[1]=zeros", "uint32[5]=zeros", "int=1000"),
        ("aggregate_atomic",),
    ),
    Small("every_second.cu", (4, 1, 1), (256, 1, 1), ("int[1024]", "int[4]=zeros"), ("compact_branch",)),
    Small(
        *("flag_wait.cu", (2, 1, 1), (64, 1, 1), ("int[1]", "float[128]", "float[128]=zeros")),
        rejected=(("drop_volatile", "unsuited"),),
    ),
    Small(
        *("in_place_twice.cu", (2, 1, 1), (64, 1, 1), ("float[128]", "@1", "float[1]")),
        rejected=(("restrict_pointers", "unsuited"),),
    ),
    Small(
        *("halo_barrier.cu", (2, 1, 1), (128, 1, 1), ("float[256]", "int=4")),
        rejected=(("warp_barrier", "memory error"), ("hoist_barrier", "unsuited")),
    ),
    Small(
        *("useless_barrier.cu", (2, 1, 1), (128, 1, 1)),
        ("float[64]", "int[2048]", "float[256]=zeros", "int=8"),
        ("hoist_barrier",),
    ),
    Small(
        "floor_static_cast.cu",
        (4, 1, 1),
        (64, 1, 1),
        ("float[256]", "float[256]=zeros"),
        ("truncate_float", "whole_power"),
    ),
    Small(
        "split_dot.cu",
        (4, 1, 1),
        (64, 1, 1),
        ("float[1024]", "float[1024]", "float[256]=zeros"),
        ("fuse_multiply_add",),
    ),
    Small("palette.cu", (4, 1, 1), (64, 1, 1), ("int[256]", "float[256]=zeros"), ("constant_to_global",)),
    Small(
        *("conditional_sum.cu", (1, 1, 1), (64, 1, 1), ("float[16]", "float[1]=zeros", "int=16")),
        rejected=(("hoist_invariant", "unsuited"),),
    ),
    Small(
        *("publish_each.cu", (2, 1, 1), (64, 1, 1), ("int[1024]", "int[1024]=zeros", "int[1024]=zeros", "int=8")),
        rejected=(("hoist_barrier", ""),),
    ),
    Small(
        *("global_exchange.cu", (2, 1, 1), (128, 1, 1), ("int[256]", "int[256]=zeros", "int=4")),
        rejected=(("warp_barrier", "unsuited"), ("hoist_barrier", "unsuited")),
    ),
    Small(
        *("fence_rounds.cu", (2, 1, 1), (64, 1, 1), ("int[1024]", "int[1024]=zeros", "int=8")),
        offered=("hoist_barrier",),
    ),
    Small(
        *("leader_value.cu", (2, 1, 1), (128, 1, 1), ("int[256]", "int[256]=zeros")),
        rejected=(("compact_branch", "unsuited"),),
    ),
)
