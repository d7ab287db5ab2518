"""Mistakes in a list of fixes: conditions, the general fix, examples. Each case breaks a sound list once."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from advisor.lint.lint import lint

SOUND = Path(__file__).parent / "knowledge_ok"
SINGLE = (
    "fix: {id: more_loads, summary: More loads, steps: [Unroll.], costs: Registers., "
    'operators: {leave: {latency: "0.5"}}}\n'
)
LIST = """fix:
  - id: less_compute
    summary: Less arithmetic
    when: [dram_low]
    unless: [found.wasted_sectors]
    because: "DRAM runs at {dram_pct:.0f} %"
    steps: [Compute less.]
    costs: Accuracy.
    example: {dram_pct: 10}
  - id: more_loads
    summary: More loads
    steps: [Unroll.]
    costs: Registers.
    operators: {leave: {latency: "0.5"}}
    example: {dram_pct: 45}
"""


@pytest.fixture
def folder(tmp_path):
    made = Path(shutil.copytree(SOUND, tmp_path / "knowledge"))
    for name in ("structs", "waiting", "good-copy"):
        (tmp_path / "kernels" / name).mkdir(parents=True)
        (tmp_path / "kernels" / name / "exercise.yaml").write_text("{}")
    return made


def mistakes(folder, text):
    path = folder / "diagnoses" / "waiting.yaml"
    old = path.read_text()
    assert SINGLE in old
    path.write_text(old.replace(SINGLE, text))
    found = lint([folder], terms=("dram", "latency", "launch"), kernels=folder.parent / "kernels")
    lines = path.read_text().splitlines()
    return [(m.text, lines[m.line - 1]) for m in found if m.severity != "info"]


def test_a_sound_list_has_no_mistakes(folder):
    assert mistakes(folder, LIST) == []


@pytest.mark.parametrize(
    ("old", "new", "text", "marker"),
    [
        ("when: [dram_low]", "when: [dram_lwo]", "'dram_lwo' is not an observation", "when:"),
        ("when: [dram_low]", "when: [gain.any_diagnosis]", "depends on the chosen fix", "when:"),
        ("when: [dram_low]", "when: [found.wasted_sectors]", "listed under both", "unless:"),
        ("steps: [Compute less.]", "steps: [Compute less.]\n    done: {dram_lwo: 1}", "'dram_lwo' is not an", "done:"),
        ("steps: [Compute less.]", "steps: [Compute less.]\n    done: {dram_low: 2}", "there is no step 2", "done:"),
        ("steps: [Compute less.]", "steps: [Compute less.]\n    done: {dram_low: 1}", "may have done all", "done:"),
        ("id: more_loads", "id: more_loads\n    leaves_out: others", "general fix cannot leave others", "leaves_out:"),
        ("costs: Accuracy.", "costs: Accuracy.\n    fallback: true", "only a general fix after others", "fallback:"),
        ("id: more_loads", "id: more_loads\n    seldom: true", "only a fix with conditions", "seldom:"),
        ("costs: Accuracy.", "costs: Accuracy.\n    operators_as: moar", "'moar' is not a fix", "operators_as:"),
        ('leave: {latency: "0.5"}}', 'leave: {launch: "0"}}\n    reach: 0.5', "no effect on the gain", "reach:"),
        ("leave: {latency", "leaf: {latency", "'leaf' is not an operator", "leaf:"),
        ("leave: {latency", "occupy: {latency", "'latency' is not a parameter of occupy", "latency:"),
        ('leave: {latency: "0.5"}', "occupy: {}", "occupy needs the parameter 'blocks'", "occupy:"),
        ('leave: {latency: "0.5"}', "occupy: {blocks: grid_sice}", "'grid_sice' is not a metric", "blocks:"),
        ('latency: "0.5"', 'latent: "0.5"', "'latent' is not a term of the time model", "latent:"),
        ("    unless: [found.wasted_sectors]", "    unless: [dram_low]", "listed under both", "unless:"),
        ("{dram_pct:.0f} %", "{dram_ptc:.0f} %", "'dram_ptc', which is not a metric", "because:"),
        ('    because: "DRAM runs at {dram_pct:.0f} %"\n', "", "because is empty", "id: less_compute"),
        ("id: more_loads", "id: less_compute", "is already taken", "id: less_compute"),
        ("steps: [Compute less.]", "steps: []", "the fix has no steps", "steps:"),
        ("    example: {dram_pct: 10}\n", "", "the fix less_compute has no example", "id: less_compute"),
        ("    example: {dram_pct: 45}\n", "", "the fix more_loads has no example", "id: more_loads"),
        ("example: {dram_pct: 10}", "example: {dram_pct: 95}", "does not conclude the finding", "example:"),
        ("example: {dram_pct: 10}", "example: {dram_pct: 45}", "the first fix is more_loads", "example:"),
        ("example: {dram_pct: 45}", "example: {dram_pct: 10}", "the first fix is less_compute", "example:"),
        ("example: {dram_pct: 10}", "example: {dram_ptc: 10}", "'dram_ptc' is not a metric", "example:"),
        ("    summary: More loads\n", "    summary: More loads\n    when: [dram_middle]\n", "no general fix", "fix:"),
        (
            "    when: [dram_low]\n    unless: [found.wasted_sectors]\n",
            "",
            "only the last fix is general",
            "fix:",
        ),
    ],
)
def test_a_mistake_is_found_at_its_place(folder, old, new, text, marker):
    assert LIST.count(old) == 1
    found = mistakes(folder, LIST.replace(old, new))
    assert any(text in said and marker in line for said, line in found), found


def test_a_single_fix_with_conditions_has_no_general_one(folder):
    found = mistakes(folder, SINGLE.replace("{id:", "{when: [dram_low], because: x, id:"))
    assert any("no general fix" in said for said, _ in found)


LIBRARIES = """names: {CuPy: ['cupy_']}
fix:
  - id: fuse_calls
    summary: Fuse the calls
    when: [dram_low]
    because: it is a call
    steps: [Fuse.]
    costs: A kernel.
without: {NAME: [FIX]}
"""


@pytest.mark.parametrize(
    ("name", "fix", "text"),
    [
        ("nothing", "fuse_calls", "'nothing' is not a diagnosis"),
        ("waiting", "other", "'other' is not a fix for libraries"),
        ("waiting", "fuse_calls", ""),
    ],
)
def test_what_a_diagnosis_does_without_is_a_fix_for_libraries(folder, name, fix, text):
    (folder / "libraries.yaml").write_text(LIBRARIES.replace("NAME", name).replace("FIX", fix))
    found = lint([folder], terms=("dram", "latency", "launch"), kernels=folder.parent / "kernels")
    said = [one.text for one in found if "is not a diagnosis" in one.text or "is not a fix for" in one.text]
    assert said == ([text] if text else [])


CALL = """sorted_rows:
  title: a library's sort
  means: It sorts.
  names: ['^library::sort']
  finding: waiting
  rule:
    when: [dram_low]
    because: it sorts
  fix:
    id: select_instead
    summary: Select instead
    steps: [Select.]
    costs: Order.
    operators: {leave: {latency: "0.5"}}
    example: {sorted_rows_kernel: 1, dram_pct: 10}
  examples:
    fires: [{dram_pct: 10}]
    silent: [{dram_pct: 90}]
  cites: [measured]
"""
GENERAL = SINGLE.replace("costs: Registers.", "costs: Registers., example: {dram_pct: 20}")


def of_call(folder, text):
    path = folder / "calls" / "library.yaml"
    path.parent.mkdir()
    path.write_text(text)
    diagnosis = folder / "diagnoses" / "waiting.yaml"
    diagnosis.write_text(diagnosis.read_text().replace(SINGLE, GENERAL))
    found = lint([folder], terms=("dram", "latency", "launch"), kernels=folder.parent / "kernels")
    return [(m.text, m.file.name, m.file.read_text().splitlines()[m.line - 1]) for m in found if m.severity != "info"]


def test_a_sound_call_has_no_mistakes(folder):
    assert of_call(folder, CALL) == []


@pytest.mark.parametrize(
    ("old", "new", "text", "marker"),
    [
        ("'^library::sort'", "'^library::('", "is not a regular expression", "names:"),
        ("names: ['^library::sort']", "names: []", "no name of a kernel", "names:"),
        ("finding: waiting", "finding: wating", "'wating' is not a finding", "finding:"),
        ("  finding: waiting\n", "", "a rule needs the finding", "rule:"),
        ("when: [dram_low]", "when: [dram_lwo]", "'dram_lwo' is not an observation", "when:"),
        ("leave: {latency", "leaf: {latency", "'leaf' is not an operator", "leaf:"),
        ("steps: [Select.]", "steps: []", "the fix has no steps", "steps:"),
        ("fires: [{dram_pct: 10}]", "fires: [{dram_pct: 90}]", "does not conclude it", "fires:"),
        ("example: {sorted_rows_kernel: 1", "example: {sorted_rows_kernel: 0", "the first fix is", "example:"),
        ("cites: [measured]", "cites: [nowhere]", "'nowhere'", "cites:"),
        ("means: It sorts.", "mean: It sorts.", "unknown field", "mean:"),
    ],
)
def test_a_mistake_in_a_call_is_found_at_its_place_in_the_file_of_calls(folder, old, new, text, marker):
    assert CALL.count(old) == 1
    found = of_call(folder, CALL.replace(old, new))
    assert any(text in said and name == "library.yaml" and marker in line for said, name, line in found), found


def test_a_call_without_a_finding_needs_a_whole_fix(folder):
    lines = CALL.splitlines(keepends=True)
    rest = "".join(
        line for line in lines if not re.match(r"  (finding|rule|examples)|    (when|because|fires|silent)", line)
    )
    assert of_call(folder, rest) == []
    found = of_call_again(folder, rest.replace("    costs: Order.\n", ""))
    assert [text for text, *_ in found] == ["sorted_rows: costs of the fix is empty"]


def of_call_again(folder, text):
    (folder / "calls" / "library.yaml").unlink()
    (folder / "calls").rmdir()
    return of_call(folder, text)
