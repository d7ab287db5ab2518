"""No fix and no step of a fix recommends what the instructions of the kernel show that it has already."""

from __future__ import annotations

import math
import re
from pathlib import Path

import msgspec
import pytest

from advisor.knowledge.base import Catalog, catalog
from advisor.knowledge.expressions import FALSE, TRUE, UNKNOWN
from advisor.knowledge.libraries import libraries
from advisor.knowledge.schemas import DiagnosisDef, FixDef, ObservationDef, RuleDef
from advisor.reasoning.assemble import fix_advices
from advisor.reasoning.diagnose import analyse, analyse_numbers
from advisor.reasoning.engine.reason import Engine
from advisor.reasoning.metrics.instruction_mix import count, summarise
from advisor.records import resources
from advisor.records.errors import KnowledgeError
from advisor.records.readings import Access
from advisor.view.pages.launch import fix_condition

LIBRARY_FIXES = {fix.id for fix in libraries().fix}
BASE = {
    "l1_wavefronts_pct": 91,
    "l1_requests_pct": 76,
    "lsu_pct": 76,
    "dram_pct": 1,
    "l2_pct": 9,
    "compute_pct": 38,
    "memory_inst": 1300,
    "shared_wavefronts_ideal": 1200,
    "ffma_inst": 1000,
    "fadd_inst": 0,
    "fmul_inst": 0,
    "dfma_inst": 0,
    "half_inst": 0,
    "tensor_inst": 0,
    "shared_wavefront_ratio": 1.0,
    "inst_executed": 3000,
    "shared_load_inst": 1200,
    "shared_store_inst": 10,
    "global_load_inst": 50,
    "barrier_inst": 10,
    "warps": 100,
    "loaded_bytes": 100000,
    "dram_bytes": 1000,
    "library_kernel": 0,
    "shuffle_inst": 0,
    "atomic_inst": 0,
}


def of(numbers, finding="lsu_saturation"):
    launch = analyse_numbers({**BASE, **numbers}).diagnosis.launches[0]
    return next(f for f in launch.findings if f.id == finding)


@pytest.mark.parametrize(
    ("rows", "columns", "first"),
    [
        (1, 1, "register_tile"),  # both operands are loaded for each multiply-add
        (2, 1, "register_tile"),
        (8, 1, "reuse_loaded_operand"),  # eight outputs, but one operand is loaded for each
        (1, math.inf, "reuse_loaded_operand"),  # one output, one operand in a register or a constant
        (2, 2, "reuse_loaded_operand"),
        (4, 4, "larger_register_tile"),
        (8, 4, "larger_register_tile"),
        (8, math.inf, "larger_register_tile"),
    ],
)
def test_the_fix_of_a_saturated_load_path_follows_the_outputs_that_a_thread_has(rows, columns, first):
    words = 1 / rows + (0 if math.isinf(columns) else 1 / columns)  # loaded for each multiply-add
    found = of({"multiply_adds_per_word": 1 / words, "shared_wide_load_share": 1.0})
    assert found.fix.id == first
    assert not any("LDS.128" in step for step in found.fix.steps)
    assert "wider_shared_accesses" not in {other.id for other in found.alternatives}


def test_narrow_shared_loads_are_to_be_widened_also_in_a_register_tile():
    found = of({"multiply_adds_per_word": 2.0, "shared_wide_load_share": 0.0, "shared_bits_mean": 32})
    assert found.fix.id == "wider_shared_accesses"
    assert "larger_register_tile" in {other.id for other in found.alternatives}
    tile = of({"multiply_adds_per_word": 0.5, "shared_wide_load_share": 0.0, "shared_bits_mean": 32}).fix
    assert tile.id == "register_tile" and any("LDS.128" in step for step in tile.steps)


def test_a_fix_whose_condition_is_unknown_is_given_with_the_condition():
    found = of({})
    assert found.fix.id == "register_tile"
    assert "each thread already computes several outputs from the values it loads" in found.fix.needs_not
    assert "several outputs" in fix_condition(found.fix)
    known = of({"multiply_adds_per_word": 0.5, "operand_reuse": 60}).fix
    assert known.needs_not == () and fix_condition(known) == ""


def test_steps_that_a_kernel_has_done_are_left_out_only_where_that_is_known(make):
    made = make([("x.r", 3, ["a"], [])])
    one = FixDef(id="general", summary="s", steps=("first", "second"), done={"b": 1})
    entry = msgspec.structs.replace(made.findings["x"], fixes_given=one)
    made.__dict__["findings"] = made.__dict__["diagnoses"] = {"x": entry}
    trace = Engine(made).conclude({"a": TRUE})
    for truth, steps in ((TRUE, ("second",)), (FALSE, ("first", "second")), (UNKNOWN, ("first", "second"))):
        (advice,) = fix_advices(made, entry, trace, {}, holds=lambda name, t=truth: name == "b" and t == TRUE)
        assert advice.steps == steps


def test_a_fix_may_have_the_operators_of_another_one_of_its_entry():
    fixes = (
        FixDef(
            id="a",
            summary="a",
            when=("x",),
            operators={"leave": {"lsu": "0.5"}},
            partial={"half of it": {"leave": {"lsu": "0.8"}}},
        ),
        FixDef(id="b", summary="b", when=("y",), operators_as="a"),
        FixDef(id="c", summary="c", when=("y",)),
        FixDef(id="d", summary="d", operators={"leave": {"dram": "0.9"}}),
    )
    rule = RuleDef(id="e.r", when=("x",))
    given = {f.id: (f.operators, f.partial) for f in DiagnosisDef(id="e", seen=(rule,), fixes_given=fixes).fixes}
    part = {"half of it": {"leave": {"lsu": "0.8"}}}
    assert given["b"] == given["a"] == ({"leave": {"lsu": "0.5"}}, part)
    assert given["c"] == given["d"] == ({"leave": {"dram": "0.9"}}, {})


def test_factors_of_a_fix_of_a_launch_are_refused_with_what_to_write(tmp_path):
    (tmp_path / "diagnoses").mkdir()
    text = (Path(__file__).parents[1] / "lint" / "knowledge_ok" / "diagnoses" / "waiting.yaml").read_text()
    old = text.replace('operators: {leave: {latency: "0.5"}}', 'changes: {latency: "0.5"}')
    (tmp_path / "diagnoses" / "waiting.yaml").write_text(old)
    with pytest.raises(KnowledgeError, match="`leave` takes what `changes` named"):
        _ = Catalog((tmp_path,)).diagnoses
    (tmp_path / "diagnoses" / "waiting.yaml").write_text(text)
    assert Catalog((tmp_path,)).diagnoses["waiting"].fix.operators == {"leave": {"latency": "0.5"}}


def test_conditions_of_fixes_have_words_for_the_unknown_case():
    for entry in catalog().findings.values():
        for one in entry.fixes:
            for name in (*one.when, *one.unless):
                found = catalog().observations.get(name, ObservationDef(states="a conclusion"))
                assert found.states or "{" not in found.says, (one.id, name)


def access(space, kind, width, executed):
    return Access(space, kind, width, executed, 32 * executed, math.nan, math.nan, math.nan, math.nan)


def test_loaded_registers_and_wide_shared_loads_are_counted_by_width():
    found = summarise(
        [
            access("shared", "load", 128, 30),
            access("shared", "load", 32, 10),
            access("shared", "store", 128, 99),
            access("global", "load", 64, 5),
            access("global", "load", 8, 7),
        ]
    )
    assert found["loaded_words"] == 4 * 30 + 10 + 2 * 5 + 7
    assert found["shared_wide_load_share"] == 0.75
    assert math.isnan(summarise([access("shared", "load", 0, 3)])["loaded_words"])
    assert math.isnan(summarise([])["shared_wide_load_share"])


def test_read_only_loads_are_known_by_their_modifier_alone():
    assert count({"LDG.E.CONSTANT": 3, "LDG.E.128.CONSTANT": 4, "LDG.E": 5})["read_only_load_inst"] == 7
    assert math.isnan(count({"LDG": 3})["read_only_load_inst"])


def test_work_on_bits_and_warpgroup_products_are_counted() -> None:
    found = count(
        {"LOP3.LUT": 3, "SHF.R.U32.HI": 4, "PRMT": 5, "IMAD": 7, "IADD3": 9, "HGMMA.64x128x16.F32": 2, "HMMA": 1}
    )
    assert (found["bit_inst"], found["integer_inst"]) == (12, 28)
    assert (found["warpgroup_inst"], found["tensor_inst"]) == (2, 3)


# What a text recommends -> whether the kernel has it, from its opcodes and accesses alone.
def _share(launch, space, kinds, width):
    all_ = [a for a in launch["accesses"] or () if a.space == space and a.kind in kinds]
    total = sum(a.executed for a in all_)
    return sum(a.executed for a in all_ if a.width >= width) / total if total else 0.0


def _opcodes(launch, *stems):
    executed = launch["opcodes"] or {}
    return sum(n for op, n in executed.items() if op.startswith(stems)) / max(sum(executed.values()), 1)


TECHNIQUES = {
    r"LDS\.128|Read shared memory 16 bytes": lambda x: _share(x, "shared", ("load",), 128) > 0.5,
    r"^Load and store 16 bytes( of global memory)? per lane": lambda x: _share(x, "global", ("load",), 128) > 0.9,
    r"one output per thread|compute several outputs, so": lambda x: _tiled(x),
    r"over the warp with shuffles|by shuffles instead|by shuffles, with": lambda x: _opcodes(x, "SHFL") > 0.03,
    r"memcpy_async|cp\.async|asynchronous copies": lambda x: _opcodes(x, "LDGSTS", "UBLKCP", "UTMALDG") > 0,
    r"^Declare the pointers .*__restrict__": lambda x: _read_only(x),
    r"^Count in a private copy": lambda x: _opcodes(x, "ATOMS") > 0,
    r"128 to 256 threads instead of": lambda x: math.prod(x["block"]) >= 128,
}


def _tiled(launch):
    words = sum(a.executed * a.width / 32 for a in launch["accesses"] or () if a.kind == "load" and a.space != "local")
    executed = launch["opcodes"] or {}
    return words > 0 and sum(n for op, n in executed.items() if op.startswith("FFMA")) / words > 1.2


def _read_only(launch):
    loads = {op: n for op, n in (launch["opcodes"] or {}).items() if op.startswith("LDG.")}
    return bool(loads) and sum(n for op, n in loads.items() if ".CONSTANT" in op) > 0.9 * sum(loads.values())


RECORDED = sorted(resources.folder("kernels").glob("*/recorded/*/*.ncu-rep.xz"))


@pytest.mark.parametrize("report", RECORDED, ids=lambda path: path.parts[-4])
def test_no_recorded_launch_is_told_to_do_what_it_does(report):
    analysis = analyse([report])
    for position, launch in enumerate(analysis.diagnosis.launches):
        raw = analysis.inputs.frame.iloc[position]
        for finding in launch.findings:
            # Causes that other causes outweigh are notes; their fixes are not given.
            if (
                finding.kind != "diagnosis"
                or finding.fix is None
                or finding.fix.id in (*LIBRARY_FIXES, "larger_bulk_copies")
            ):
                continue
            for text in (finding.fix.summary, *finding.fix.steps):
                has = [name for name, detect in TECHNIQUES.items() if re.search(name, text) and detect(raw)]
                assert not has, (launch.kernel, launch.index, finding.fix.id, text)
