"""The SASS dictionary: complete, consistent, and right about the opcodes that mislead."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.hardware.sass import Entry, classify, dictionary, multiply_adds, stem
from advisor.knowledge.base import catalog

PIPES = {"fma", "alu", "fp64", "fp16", "xu", "tensor", "lsu", "adu", "cbu", "uniform", "tex", "tma", "none"}
KINDS = {
    *(
        "fp32",
        "fp64",
        "half",
        "tensor",
        "integer",
        "move",
        "conversion",
        "special",
        "predicate",
        "vote",
        "load",
        "store",
    ),
    *(
        "atomic",
        "reduction",
        "copy",
        "constant",
        "shuffle",
        "barrier",
        "fence",
        "control",
        "special_register",
        "uniform",
    ),
    *("texture", "surface", "cache", "other"),
}
SPACES = {"", "global", "shared", "local", "generic", "constant", "texture", "surface", "tensor"}
TOPIC = catalog().topic_file("sass")
OPCODES = [name for name in TOPIC if name != "modifiers"]
# Every opcode of the instruction lists that a kernel of CC 7.0 to 9.0 commonly has.
_COMMON = """
FADD FMUL FFMA FMNMX FSEL FSETP FCHK MUFU DADD DMUL DFMA DSETP HADD2 HMUL2 HFMA2 HSETP2 HMMA IMMA DMMA HGMMA
IADD3 IMAD LEA LOP3 SHF ISETP IMNMX VIMNMX IABS IDP BMSK SGXT POPC FLO BREV PRMT SEL MOV MOVM P2R R2P PLOP3 VOTE R2UR
UMOV UIADD3 UIMAD ULEA ULOP3 USHF UISETP ULDC S2UR VOTEU REDUX SHFL MATCH
F2F F2I I2F I2I FRND F2FP I2FP LDG STG LD ST LDL STL LDS STS LDSM STSM LDC ATOM ATOMG ATOMS RED REDG LDGSTS LDGDEPBAR
UTMALDG UTMASTG UBLKCP SYNCS S2R CS2R B2R BRA BRX BSSY BSYNC BREAK EXIT CALL RET JMP BAR WARPSYNC YIELD NANOSLEEP DEPBAR
MEMBAR FENCE ERRBAR CCTL NOP TEX TLD TLD4 TXD SULD SUST WARPGROUP BMOV VIADD VIADDMNMX USETMAXREG UCGABAR_ARV
"""


@pytest.mark.parametrize("name", OPCODES)
def test_an_entry_is_complete_and_its_words_are_known(name: str) -> None:
    entry, topic = dictionary()[name], TOPIC[name]
    assert entry.pipe in PIPES
    assert entry.kind in KINDS
    assert entry.space in SPACES
    assert topic["title"] and topic["what"].endswith(".")
    assert set(entry.counts) <= catalog().metrics.keys()
    assert all(catalog().cite(key) is not None for key in entry.cites)
    for where in entry.pipe_on:
        version, pipe = where.split()
        assert float(version) >= 7
        assert pipe in PIPES - {entry.pipe}


@pytest.mark.parametrize("opcode", _COMMON.split())
def test_a_common_opcode_has_an_entry(opcode: str) -> None:
    assert classify(opcode).entry


@pytest.mark.parametrize(
    ("opcode", "pipe"),
    [
        ("IMAD.WIDE", "fma"),
        ("LEA.HI.X", "alu"),
        ("F2F.F32.F64", "xu"),
        ("I2F", "xu"),
        ("F2I.TRUNC.NTZ", "xu"),
        ("FRND.FLOOR", "xu"),
        ("BAR.SYNC.DEFER_BLOCKING", "adu"),
        ("S2R", "adu"),
        ("LDC.64", "adu"),
        ("POPC", "xu"),
        ("MOV", "alu"),
        ("SHFL.BFLY", "lsu"),
        ("BRA", "cbu"),
        ("HMMA.16816.F32", "tensor"),
        ("UIADD3", "uniform"),
        ("DSETP.GT.AND", "fp64"),
        ("FSETP.GT.AND", "alu"),
    ],
)
def test_an_opcode_runs_where_the_counters_say(opcode: str, pipe: str) -> None:
    assert classify(opcode).pipe == pipe


@pytest.mark.parametrize(
    ("cc", "pipe"), [("7.5", "fp16"), ("8.0", "fp16"), ("8.6", "fma"), ("9.0", "fma"), ("12.0", "fma")]
)
def test_half_arithmetic_moved_to_the_fma_pipe(cc: str, pipe: str) -> None:
    assert classify("HFMA2.BF16_V2", cc).pipe == pipe


@pytest.mark.parametrize("opcode", ["CS2R", "R2UR"])
def test_register_transfers_count_on_alu_on_hopper_only(opcode: str) -> None:
    assert classify(opcode, "9.0").pipe == "alu"
    assert {classify(opcode, cc).pipe for cc in ("7.5", "8.0", "8.6", "8.9")} == {"none"}


def test_the_longest_known_stem_decides() -> None:
    assert classify("IMAD.MOV.U32").kind == "move"
    assert classify("IMAD.X").kind != "move"
    assert classify("HFMA2.MMA").pipe == "tensor"
    assert classify("imad.mov.u32").entry == "IMAD.MOV"


@pytest.mark.parametrize(
    ("opcode", "bits"),
    [
        ("LDG.E", 32),
        ("LDG.E.64.CONSTANT", 64),
        ("LDG.E.LTC128B.128", 128),
        ("LDG.E.LTC128B", 32),
        ("LDG.E.U8", 8),
        ("STG.E.U16", 16),
        ("LDS.U.128", 128),
        ("LDSM.16.M88.4", 128),
        ("LDSM.16.MT88.2", 64),
        ("LDSM.16.M88", 32),
        ("ATOMG.E.ADD.F64.RN.STRONG.GPU", 64),
        ("REDG.E.ADD.STRONG.GPU", 32),
        ("ULDC.64", 64),
        ("UTMALDG.3D", 0),
        ("FFMA", 0),
    ],
)
def test_the_width_of_an_access_is_read_off_its_modifiers(opcode: str, bits: int) -> None:
    assert classify(opcode).width == bits


def test_double_precision_is_seen_in_conversions_and_reciprocals() -> None:
    assert classify("F2F.F64.F32").is_conversion
    assert classify("F2F.F64.F32").involves_f64
    assert not classify("F2F.F16.F32").involves_f64
    assert classify("MUFU.RCP64H").involves_f64
    assert classify("DFMA").involves_f64


def test_spaces_and_kinds_of_memory_instructions() -> None:
    assert (classify("STL.64").space, classify("STL.64").access) == ("local", "store")
    assert (classify("ATOMS.POPC.INC.32").space, classify("ATOMS.POPC.INC.32").access) == ("shared", "atomic")
    assert (classify("LD.E").space, classify("LDGSTS.E.BYPASS.128").access) == ("generic", "copy")


def test_an_unknown_opcode_is_not_guessed() -> None:
    assert classify("QUUX.64").entry == ""
    assert classify("").entry == ""
    assert stem("FFMAX") == ""


@given(st.sampled_from(sorted(dictionary())), st.lists(st.sampled_from(["FTZ", "E", "64", "SAT", "XYZ"]), max_size=4))
def test_modifiers_never_lose_an_opcode(name: str, modifiers: list[str]) -> None:
    found = classify(".".join([name, *modifiers]))
    assert found.entry
    assert isinstance(dictionary()[found.entry], Entry)


def test_links_of_the_dictionary_and_the_stalls_lead_somewhere() -> None:
    from advisor.explain.explain import explain

    for topics in (TOPIC, catalog().topic_file("stalls")):
        for name, topic in topics.items():
            for link in (*topic.get("see", ()), *topic.get("leads_to", ())):
                assert explain(str(link)).title, (name, link)


@pytest.mark.parametrize(
    ("opcode", "expected"),
    [
        ("HMMA.16816.F32", 2048),
        ("HMMA.1688.F32.TF32", 1024),
        ("IMMA.8816.S8.S8.SAT", 1024),
        ("IMMA.16832.S8.S8.SAT", 4096),
        ("DMMA.884", 256),
        ("QMMA.16832.F32.E4M3.E4M3", 4096),
        ("OMMA.SF.16864.F32.E2M1.E2M1.UE4M3.4X", 8192),
        ("BMMA.168256.XOR.POPC", 32768),
        ("HGMMA.64x128x16.F32", 32768),
        ("HGMMA.64x256x16.F32", 65536),
        ("QGMMA.64x64x32.F32.E4M3.E4M3", 32768),
        ("BGMMA.64x8x256.AND.POPC", 32768),
        ("HMMA.SP.16832.F32", None),
        ("HMMA.884.F32.F32.STEP0", None),
        ("HMMA", None),
        ("UTCHMMA.2CTA", None),
        ("HFMA2.MMA", None),
        ("FFMA", None),
    ],
)
def test_the_multiply_adds_of_a_matrix_instruction_are_those_of_its_shape(opcode: str, expected: float | None) -> None:
    assert multiply_adds(opcode) == expected


def test_a_warpgroup_instruction_does_the_work_of_16_to_32_of_a_warp() -> None:
    warp = multiply_adds("HMMA.16816.F32")
    assert warp and [multiply_adds(f"HGMMA.64x{n}x16.F32") for n in (128, 256)] == [16 * warp, 32 * warp]


@pytest.mark.parametrize("opcode", ["UTCHMMA", "UTCQMMA", "UTCIMMA", "UTCOMMA", "OMMA.SF", "BGMMA", "QMMA.SF"])
def test_newer_matrix_instructions_are_tensor_work(opcode: str) -> None:
    found = classify(opcode, "10.0")
    assert (found.pipe, found.kind) == ("tensor", "tensor")
    assert "tensor_inst" in found.counts
