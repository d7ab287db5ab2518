"""Each thing that can be wrong with an exercise's folder is found, at its place, and nothing in a sound one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from learner import NAME, kernels, use
from test_recording import SAID, measured

from advisor.knowledge.base import catalog
from advisor.practice import selfcheck
from advisor.practice.folders import faults
from advisor.practice.manifest import exercise

MANIFEST = "exercise.yaml"


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A kernels folder with a sound exercise and its recording: packing that takes two seconds."""
    place = kernels(tmp_path_factory.mktemp("sound") / "kernels")
    with pytest.MonkeyPatch.context() as patch:
        use(patch, place)
        selfcheck.write(measured(place.parent), SAID, place / NAME / "recorded" / "h200")
    return place


@pytest.fixture
def folder(sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A sound exercise with its recording, to be changed."""
    place = Path(shutil.copytree(sound, tmp_path / "kernels"))
    use(monkeypatch, place)
    return place / NAME


def found(folder: Path) -> list[tuple[str, int, str]]:
    exercise.cache_clear()
    return [(f.file.relative_to(folder.parent).as_posix(), f.line, f.text) for f in faults(catalog())]


def line_of(path: Path, text: str) -> int:
    return next(i for i, row in enumerate(path.read_text(encoding="utf-8").splitlines(), 1) if text in row)


def replaced(old: str, new: str, file: str = MANIFEST) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        text = (folder / file).read_text(encoding="utf-8")
        assert old in text
        (folder / file).write_text(text.replace(old, new), encoding="utf-8")

    return change


def mending(step: str, finding: str) -> str:
    return f"says: x\n    mends: [{{step: {step}, finding: {finding}}}]"


def test_a_sound_folder_has_no_faults(folder: Path) -> None:
    replaced("says: It is fast.", mending("slow", "bank_conflicts"))(folder)
    assert found(folder) == []


@pytest.mark.parametrize(
    ("change", "at", "says"),
    [
        (replaced("diagnosis: bank_conflicts", "diagnosis: gremlins"), "diagnosis:", "no diagnosis 'gremlins'"),
        (replaced("[Look., Look again., It is the tile.]", "[Look.]"), "hints:", "at least 3 hints"),
        (replaced("text: five, because: It is not.", "text: five, because: No., right: true"), "- ask", "exactly one"),
        (replaced("cites: [guide.step3.bank]", "cites: [nowhere]"), "cites:", "no source 'nowhere'"),
        (replaced("licence: MIT", "licence: MIT\nprerequisites: [gone]"), "prerequisites:", "no exercise 'gone'"),
        (replaced("expect: bank_conflicts}", "expect: gremlins}"), "id: slow", "no diagnosis 'gremlins'"),
        (replaced("over: slow", "over: gone"), "gain:", "no step 'gone'"),
        (replaced("says: It is fast.", "says: It is fast.\n    class: odd_bound"), "class:", "no class 'odd_bound'"),
        (replaced("says: It is fast.", "says: x\n    reach: {bus: 0.9}"), "reach:", "neither copy nor a step"),
        (replaced("says: It is fast.", "says: x\n    look_at: 1"), "look_at:", "is not profiled"),
        (
            replaced("says: It is fast.", "says: x\n    forbid: [near_compute_roofline]"),
            "forbid:",
            "expected and forbidden",
        ),
        (replaced("says: It is fast.", mending("fast", "near_compute_roofline")), "mends:", "no earlier step 'fast'"),
        (replaced("says: It is fast.", mending("slow", "tail_effect")), "mends:", "slow shows bank_conflicts, not"),
        (replaced("source: 2-fast.cu", "source: 3-gone.cu"), "steps:", "3-gone.cu is listed but missing"),
        (
            replaced("explanation:", "overlap: {full: slow, memory: fast, math: gone, verdict: none}\nexplanation:"),
            "overlap:",
            "no step 'gone'",
        ),
        (replaced("id: fast", "id: mine"), "id: mine", "'mine' is reserved for the learner's version"),
        (replaced("id: fast", "id: slow"), "steps:", "two steps have the same id"),
        (replaced("title: A vector doubled", "titel: A vector doubled"), "", "titel"),
    ],
)
def test_a_wrong_manifest_is_named_with_its_line(
    folder: Path, change: Callable[[Path], None], at: str, says: str
) -> None:
    change(folder)
    hits = [(file, line) for file, line, text in found(folder) if says in text]
    assert hits == [(f"{NAME}/{MANIFEST}", line_of(folder / MANIFEST, at))], found(folder)


def test_a_folder_without_a_manifest_is_a_fault(folder: Path) -> None:
    (folder.parent / "stray").mkdir()
    assert found(folder) == [(f"stray/{MANIFEST}", 1, "missing: every folder here must be an exercise")]


def test_a_file_that_nobody_names_is_a_fault(folder: Path) -> None:
    (folder / "notes.txt").write_text("x", encoding="utf-8")
    (folder / "recorded" / "h200" / "more.ncu-rep").write_text("x", encoding="utf-8")
    assert [f[0] for f in found(folder)] == [f"{NAME}/notes.txt", f"{NAME}/recorded/h200/more.ncu-rep"]


@pytest.mark.parametrize(
    ("change", "file", "says"),
    [
        (replaced("// launch:", "// lunch:", "1-slow.cu"), "1-slow.cu", "no launch line"),
        (replaced("says: It is fast.", "says: x\n    launches: 2"), "2-fast.cu", "1 launch lines, 2 in"),
        (replaced("return {", "return [", "case.py"), "case.py", "SyntaxError"),
        (replaced("def work(", "def wrok(", "case.py"), "case.py", "lacks work"),
    ],
)
def test_a_wrong_file_is_named(folder: Path, change: Callable[[Path], None], file: str, says: str) -> None:
    from advisor.practice.tasks import load_case

    change(folder)
    load_case.cache_clear()
    assert [f[0] for f in found(folder) if says in f[2]] == [f"{NAME}/{file}"], found(folder)


def test_changed_code_wants_a_new_recording_and_a_changed_comment_does_not(folder: Path) -> None:
    replaced("// Doubles a vector.", "// Doubles.", "1-slow.cu")(folder)
    assert found(folder) == []
    replaced("a * x[i]", "x[i] * a", "1-slow.cu")(folder)
    assert [f[2] for f in found(folder)] == ["1-slow.cu has changed since: record it again"]


def test_other_sizes_want_a_new_recording(folder: Path) -> None:
    from advisor.practice.tasks import load_case

    replaced('{"n": 4096}', '{"n": 8192}', "case.py")(folder)
    load_case.cache_clear()
    assert [f[2] for f in found(folder)] == ["case.py gives other sizes for this GPU now: record it again"]


def test_a_recording_of_other_steps_or_none_is_a_fault(folder: Path) -> None:
    record = folder / "recorded" / "h200" / "record.json"
    record.write_text(record.read_text(encoding="utf-8").replace('"fast"', '"other"'), encoding="utf-8")
    assert [f[2] for f in found(folder)] == ["its steps differ from the manifest"]
    record.unlink()
    (folder / "recorded" / "h200" / "profile.ncu-rep.xz").unlink()
    assert [f[2] for f in found(folder)] == ["no recording: recorded/h200/record.json"]


def test_too_few_timed_runs_are_a_fault(folder: Path) -> None:
    path = folder / "recorded" / "h200" / "record.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    record["steps"]["slow"]["times_ns"] = record["steps"]["slow"]["times_ns"][:19]
    path.write_text(json.dumps(record), encoding="utf-8")
    assert [text for _, _, text in found(folder)] == ["slow: 19 timed runs, at least 20"]


def test_recordings_have_a_budget(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("advisor.practice.folders.MOST_RECORDED", 1000)
    assert any("1000 bytes at most" in text or "0 MB at most" in text for _, _, text in found(folder))


def test_a_tolerance_must_be_argued_and_a_licence_named(folder: Path) -> None:
    replaced('"a product is rounded once"', '" "', "case.py")(folder)
    replaced("licence: MIT", "licence: ''")(folder)
    texts = [text for _, _, text in found(folder)]
    assert "the tolerance of y has no reason" in texts
    assert "no licence" in texts
