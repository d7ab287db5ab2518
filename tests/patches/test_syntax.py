"""The syntax tree: declarations, values, types and edits; and no source, whole or damaged, makes a kind fail."""

from __future__ import annotations

import random
import time

import pytest

from advisor.patches.kinds import kinds
from advisor.patches.proposal import Cause, Proposal, Unsuited
from advisor.patches.syntax import Edit, Source, plain_name, walk, whole_access
from advisor.patches.types import not_negative, type_of, value_of
from advisor.records import resources
from advisor.records.errors import InputError
from tests.patches.small import FOLDER

pytest.importorskip("tree_sitter_cuda")
SOURCES = sorted(resources.folder("kernels").glob("*/*.cu")) + sorted(FOLDER.glob("*.cu"))


def proposed(text: str) -> int:
    """Run all kinds on all kernels of a source; return the number of patches, each of which can be applied."""
    source = Source(text)
    count = 0
    for function in source.functions:
        if not function.kernel:
            continue
        cause = Cause(function, (4, 4, 1), (32, 32, 1))
        for propose in kinds().values():
            for one in propose(source, cause):
                assert isinstance(one, Proposal | Unsuited)
                if isinstance(one, Proposal):
                    assert one.edits and source.edited(one.edits) != text
                    count += 1
    return count


def test_every_kernel_of_the_exercises_can_be_analysed() -> None:
    assert sum(proposed(path.read_text(encoding="utf-8")) for path in SOURCES) > 200


def test_pragmas_and_alignment_do_not_hide_declarations() -> None:
    text = """__global__ void __launch_bounds__(256) k(float* x) {
  __shared__ __align__(16) float tile[4][8], row[8];
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 8; ++j) tile[i][j] = x[j];
}"""
    source = Source(text)
    assert not source.root.has_error and source.text.decode() == text
    (kernel,) = source.functions
    names = {source.at(d.name): len(d.dimensions) for d in source.declarations(kernel.body)}
    assert names == {"tile": 2, "row": 1, "i": 0, "j": 0}
    inner = list(walk(kernel.body, "for_statement"))[1]
    pragma = source.pragma_before(inner)
    assert pragma is not None and pragma[2] == "#pragma unroll"


def test_types_and_values_follow_scopes_and_macros() -> None:
    source = Source("""
#define N 32  // threads
struct P { float x; double y; int n[4]; };
__device__ float f(int a);
__device__ float g(float v) { return v; }
__global__ void k(const P* p, unsigned u, float s) {
  constexpr int M = N * 2 + 1;
  double s2 = s;
  { int s2 = 3; use(s2); }
  use(p[u].x, p->y, p[0].n[1], s * 2.0, s * 2, u / 2, sin(s), sin(s2), g(s), threadIdx.x + 1, (float)s2, M, s2);
}""")
    call = list(walk(source.root, "call_expression"))
    inner = next(c for c in call if source.at(c) == "use(s2)")
    outer = next(c for c in call if source.at(c).startswith("use(p"))
    kinds_ = [type_of(source, n) for n in outer.child_by_field_name("arguments").named_children]
    assert kinds_ == [
        *("float", "double", "int", "double", "float", "unsigned", "float", "double", "float"),
        *("unsigned", "float", "int", "double"),
    ]
    assert type_of(source, inner.child_by_field_name("arguments").named_children[0]) == "int"
    assert value_of(source, outer.child_by_field_name("arguments").named_children[11]) == 65


def test_a_value_is_not_negative_only_if_nothing_makes_it_so() -> None:
    source = Source("""__global__ void k(int n) {
  int a = blockIdx.x * blockDim.x + threadIdx.x;
  int b = a - 1, c = a / 2, d = 0, e = 5;
  --d;
  e += a;
  use(a, b, c, d, e, n, a + n);
}""")
    rows = next(walk(source.root, "argument_list")).named_children
    assert [not_negative(source, n) for n in rows] == [True, False, True, False, True, False, False]


def test_edits_keep_the_rest_and_must_not_overlap() -> None:
    source = Source("int ä = 1;\r\nint b = 2;\r\n")
    start = source.text.index(b"1")
    assert source.edited([Edit(start, start + 1, "3\n")]) == "int ä = 3\r\n;\r\nint b = 2;\r\n"
    with pytest.raises(ValueError, match="overlap"):
        source.edited([Edit(0, 4, "x"), Edit(3, 5, "y")])


def test_mangled_names_are_read() -> None:
    assert plain_name("_Z6rotateIfEvPT_PKS0_j") == "rotate"
    assert plain_name("_ZN3sim6energyEPK4BodyPfi") == "energy"
    assert plain_name("copy") == "copy"


def test_an_access_is_the_whole_of_its_indices() -> None:
    source = Source("void f() { a[b[1]][2] = c; }")
    by_name = {source.at(n): n for n in walk(source.root, "identifier")}
    assert source.at(whole_access(by_name["a"])[0]) == "a[b[1]][2]" and len(whole_access(by_name["a"])[1]) == 2
    assert source.at(whole_access(by_name["b"])[0]) == "b[1]"


def test_damaged_sources_are_analysed_or_refused_and_never_crash() -> None:
    chance = random.Random(17)
    texts = [path.read_text(encoding="utf-8") for path in SOURCES]
    for _ in range(150):
        text = chance.choice(texts)
        for _ in range(chance.randint(1, 4)):
            at, end = sorted((chance.randrange(len(text) + 1), chance.randrange(len(text) + 1)))
            end = min(end, at + chance.choice((1, 3, 30)))
            text = (
                text[:at]
                + chance.choice(("", "{", "}", "((", "[", "'", '"', "/*", "#if 1\n", "\0", "for(;;)"))
                + text[end:]
            )
        try:
            proposed(text)
        except InputError as e:
            assert "\n" not in str(e)


@pytest.mark.parametrize(
    "text",
    [
        "int a = " + "(" * 5000 + "1" + ")" * 5000 + ";",
        "__global__ void k(float* x) {" + "x[0] = 1.0;" * 40_000 + "}",
        "__global__ void k(float* x) { x[0] = " + "1.0 + " * 3000 + "x[1]; }",
        "{" * 100_000,
    ],
    ids=["parentheses", "statements", "sum", "braces"],
)
def test_huge_sources_are_refused_or_take_seconds(text: str) -> None:
    start = time.process_time()
    try:
        proposed(text)
    except InputError as e:
        assert "too" in str(e)
    assert time.process_time() - start < 20
