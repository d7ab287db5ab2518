"""Workload files: what a person types is understood in any spelling, or refused in one line that says what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.knowledge.base import metrics
from advisor.readers.formats import sniff
from advisor.readers.read import read
from advisor.readers.workload import LARGEST, key_of, typed
from advisor.records.errors import InputError

SMALL = "workload: Blur\nunits: {SM: 40, TEX: 30}\n"


def values(folder: Path, text: str, name: str = "w.yaml") -> dict[str, float]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    row = read(path).frame.iloc[0]
    return {str(k): float(v) for k, v in row.items() if isinstance(v, float) and v == v}


def refused(folder: Path, text: str, name: str = "w.yaml") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read(path)
    line = str(caught.value)
    assert "\n" not in line and line.startswith(f"{name}: ")
    return line


def test_every_word_leads_to_a_metric_and_back() -> None:
    known, words = metrics(), typed()
    for key, word in words.units.items():
        assert known[word.metric].unit == "%" and key_of(word.metric) == f"units: {key}"
    for key, word in words.numbers.items():
        assert word.metric in known and key_of(word.metric) == key
    for key, choice in words.choices.items():
        for sets in choice.values.values():
            assert all(m in known and key_of(m) == key for m in sets)
    assert key_of("stall_barrier_pct") == "stalls: barrier"
    assert key_of("dram_bytes") == "" and key_of("stall_barrier_not_issued_pct") == ""


def test_a_file_becomes_one_launch_without_grid_and_block(tmp_path: Path) -> None:
    path = tmp_path / "w.yaml"
    path.write_text("workload: Blur\ngpu: GeForce GTX 1060\nunits: {SM: 40, TEX: 30}\nduration_ms: 0.5\n")
    found = read(path)
    assert (found.info.format, found.info.tool, found.info.complete) == ("workload", "typed in", True)
    row = found.frame.iloc[0]
    assert (row["kernel"], row["grid"], row["block"], row["gpu_name"]) == ("Blur", None, None, "GeForce GTX 1060")
    assert row["duration_ns"] == 500_000


def test_spelling_of_case_spaces_dashes_and_other_names_does_not_matter(tmp_path: Path) -> None:
    text = (
        "Workload: Blur\nUnits:\n  sm: 40 %\n  L1TEX: 30\n  fb: 20.5\n"
        "SM-Throughput for Active Cycles: 45%\nTEX hit rate: 80\nSM occupancy: 32\nStalls: {Long Scoreboard: 50}\n"
        "GPU Elapsed Time: 700 us\nkind: Full Screen\n"
    )
    found = values(tmp_path, text)
    assert found["sm_throughput_pct"] == 40 and found["tex_unit_pct"] == 30 and found["dram_pct"] == 20.5
    assert found["sm_throughput_active_pct"] == 45 and found["l1_hit_pct"] == 80 and found["shader_warps"] == 32
    assert found["stall_long_scoreboard_pct"] == 50 and found["duration_ns"] == 700_000 and found["full_screen"] == 1


def test_what_is_not_typed_is_unknown_never_zero(tmp_path: Path) -> None:
    found = values(tmp_path, SMALL)
    assert set(found) == {"sm_throughput_pct", "tex_unit_pct"}


def test_idle_sms_are_the_complement_of_active_ones(tmp_path: Path) -> None:
    assert values(tmp_path, SMALL + "sm_idle: 7\n")["sm_active_pct"] == 93


def test_one_word_of_a_choice_denies_the_others(tmp_path: Path) -> None:
    found = values(tmp_path, SMALL + "occupancy_limiter: shared memory\n")
    assert found["held_by_shared"] == 1 and found["held_by_registers"] == 0 and found["held_by_group"] == 0


@pytest.mark.parametrize("name", ["w.yaml", "w.yml", "notes.txt", "w"])
@pytest.mark.parametrize("start", ["", "# typed by hand\n\n", "---\n", "\ufeff", '  # a comment\n---\n"'])
def test_a_workload_is_known_by_its_first_word(tmp_path: Path, name: str, start: str) -> None:
    path = tmp_path / name
    path.write_text(start + ('workload": x\n' if start.endswith('"') else SMALL), encoding="utf-8")
    assert sniff(path).format == "workload"


def test_the_name_may_stand_below_in_a_file_called_yaml_but_not_in_a_log(tmp_path: Path) -> None:
    text = "units: {SM: 40, TEX: 30}\nworkload: Blur\n"
    assert values(tmp_path, text)["sm_throughput_pct"] == 40
    assert "not output of ncu" in refused(tmp_path, text, "run.log")


def test_a_compressed_file_is_read_as_well(tmp_path: Path) -> None:
    import gzip

    path = tmp_path / "w.yaml.gz"
    path.write_bytes(gzip.compress(SMALL.encode()))
    assert read(path).frame.iloc[0]["kernel"] == "Blur"


@pytest.mark.parametrize(
    "text, told",
    [
        ("workload: B\nunits: {SMM: 40, TEX: 30}\n", "no unit is called 'SMM'; did you mean SM?"),
        ("workload: B\nunits: {CRPO: 40, TEX: 30}\n", "did you mean CROP?"),
        ("workload: B\nunits: {quux: 40, TEX: 30}\n", "known: SM, RTCORE, TEX"),
        (SMALL + "tex_hits: 30\n", "no key is called 'tex_hits'; did you mean tex_hit?"),
        (SMALL + "CROP: 30\n", "CROP is a unit: write it under units:"),
        (SMALL + "stalls: {long_scorebord: 30}\n", "did you mean long_scoreboard?"),
        (SMALL + "kind: sphere\n", "'sphere' is not one of full-screen, compute, geometry"),
        (SMALL + "kind: 3\n", "'3' is not one of"),
        (SMALL + "tex_hit: 140\n", "tex_hit: 140 is not between 0 and 100"),
        (SMALL + "tex_hit: -1\n", "tex_hit: -1 is not between 0 and 100"),
        ("workload: B\nunits: {SM: 101, TEX: 30}\n", "units: SM: 101 is not between 0 and 100"),
        (SMALL + "duration_ms: 0\n", "duration_ms: 0 is not between"),
        (SMALL + "duration_ms: 3 %\n", "'%' is not a unit of it"),
        (SMALL + "tex_hit: .nan\n", "'nan' is not a number"),
        (SMALL + "tex_hit: .inf\n", "'inf' is not a number"),
        (SMALL + "tex_hit: yes\n", "'True' is not a number"),
        (SMALL + "tex_hit: high\n", "'high' is not a number"),
        (SMALL + "tex_hit: [80]\n", "is not a number"),
        (SMALL + f"tex_hit: {'9' * 400}\n", "is not a number"),
        (SMALL + "l1 hit rate: 70\ntex_hit: 80\n", "have the same meaning: keep one"),
        (SMALL + "sm_idle: 5\nsm_active: 95\n", "have the same meaning: keep one"),
        ("workload: B\nunits: {TEX: 30, L1TEX: 40}\n", "'L1TEX' and 'TEX' have the same meaning"),
        ("workload: B\nunits: {SM: 40, SM: 50}\n", "line 2: duplicate key 'SM': already in line 2"),
        ("workload: B\nunits: {SM: 40}\n", "at least two"),
        ("workload: B\nunits: 40\n", "expected a list of names with percentages"),
        ("workload: B\n", "type the five most utilised units"),
        ("workload:\nunits: {SM: 40, TEX: 30}\n", "workload is empty"),
        ("workload: {a: 1}\nunits: {SM: 40, TEX: 30}\n", "workload: expected a line of text"),
        ("workload: B\nunits: {SM: 40, TEX: 30\n", "line "),
        ("workload: B\n- 1\n", "line "),
        ("workload: &a B\nunits: {SM: 40, TEX: 30}\nnote: *a\n", "aliases are not allowed"),
        ("workload: B\nunits: !!python/object:os.system {SM: 40}\n", "line "),
        ("workload: B\nunits: " + "{SM: " * 80 + "}" * 80 + "\n", "nested too deeply"),
        (SMALL + "stalls: {long_scoreboard: 80, barrier: 60}\n", "they add up to 140 %"),
        (SMALL + "idle: 30\nsm_active: 90\n", "sm_active 90 and idle 30 contradict each other"),
        (SMALL + "sm_active: 20\n", "SM 40 and sm_active 20 contradict each other"),
        (SMALL + "warps: 65\nwarp_slots: 64\n", "warps 65 exceed"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_line(tmp_path: Path, text: str, told: str) -> None:
    assert told in refused(tmp_path, text)


def test_an_endless_file_is_refused_unread(tmp_path: Path) -> None:
    assert "over 64 KiB" in refused(tmp_path, SMALL + "# " + "x" * 1000 + "\n" * LARGEST)


def test_names_are_data_and_shown_escaped(tmp_path: Path) -> None:
    path = tmp_path / "w.yaml"
    path.write_text('workload: "\\e[31mred [bold]\\u202e"\nunits: {SM: 40, TEX: 30}\n', encoding="utf-8")
    name = read(path).frame.iloc[0]["kernel"]
    assert name == r"\x1b[31mred [bold]\u202e"
    path.write_text('workload: B\nunits: {"\\e[31m": 40, TEX: 30}\n', encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read(path)
    assert "\x1b" not in str(caught.value)


def test_a_wrong_file_among_several_does_not_hide_the_others(tmp_path: Path) -> None:
    from advisor.readers.read import read_many

    (tmp_path / "a.yaml").write_text(SMALL)
    (tmp_path / "b.yaml").write_text("workload: B\nunits: {SMM: 1, TEX: 2}\n")
    frame, infos = read_many([tmp_path / "a.yaml", tmp_path / "b.yaml"])
    assert len(frame) == 1 and [i.format for i in infos] == ["workload", ""]
    assert "did you mean SM?" in infos[1].problems[0]
