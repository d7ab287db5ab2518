"""Which words `explain` takes, in which spelling, and what it says to those that mean nothing."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.explain.explain import explain, find, words
from advisor.records.errors import KnowledgeError, UsageError


@pytest.mark.parametrize(
    "word", ["bank_conflicts", "Bank Conflicts", "bank-conflicts", "BANK_CONFLICT", " bank  conflicts "]
)
def test_case_spaces_dashes_and_number_do_not_matter(word: str) -> None:
    assert explain(word).id == "bank_conflicts"


@pytest.mark.parametrize(
    ("word", "kind", "found"),
    [
        ("latency-bound", "class", "latency_bound"),
        ("debug build", "trust", "debug_build"),
        ("dram_leads", "observation", "dram_leads"),
        ("bank_conflicts.excess", "rule", "bank_conflicts.excess"),
        ("pad shared tile", "fix", "pad_shared_tile"),
        ("step 2b", "step", "2b"),
        ("III.replay", "step", "III.replay"),
        ("annex b", "step", "B"),
        ("timers in kernel", "pitfall", "timers_in_kernel"),
        ("sector waste", "formula", "sector_waste"),
        ("wavefront", "term", "wavefront"),
        ("gemm", "algorithm", "gemm"),
        ("bmm", "algorithm", "batched_gemm"),
        ("h200", "gpu", "H200-SXM"),
        ("rtx 4090", "gpu", "RTX-4090"),
        ("SOLBottleneck", "ncu_rule", "SOLBottleneck"),
        ("intended_dtype", "question", "intended_dtype"),
        ("errata.sectors", "erratum", "errata.sectors"),
        ("long scoreboard", "stall", "long_scoreboard"),
        ("stall_long_sb", "stall", "long_scoreboard"),
        ("stall_barrier_not_issued_pct", "stall", "barrier"),
        ("smsp__pcsamp_warps_issue_stalled_long_scoreboard", "stall", "long_scoreboard"),
        ("LDG.E.128", "opcode", "LDG"),
        ("ffma32i.ftz", "opcode", "FFMA"),
        ("ptxas", "topic", "build.ptxas"),
        ("XU pipe", "topic", "pipe_xu"),
        ("smem", "topic", "shared_memory"),
        ("guide.step3.bank", "source", "guide.step3.bank"),
    ],
)
def test_every_kind_of_entry_answers(word: str, kind: str, found: str) -> None:
    explanation = explain(word)
    assert (explanation.kind, explanation.id) == (kind, found)


def test_the_modifiers_of_an_opcode_are_told_as_written() -> None:
    lines = explain("LDG.E.128").section("modifiers")
    assert [line.partition(":")[0] for line in lines] == [".E", ".128"]
    assert explain("LDG").section("modifiers") == ()


def test_a_metric_is_found_under_its_own_and_under_ncus_name() -> None:
    assert explain("dram_pct").kind == "metric"
    assert explain("gpu__time_duration.sum").id == "duration_ns"
    assert explain("gpu__time_duration").id == "duration_ns"


def test_a_counter_that_is_only_warned_of_leads_to_the_warning() -> None:
    assert explain("l1tex__data_bank_conflicts_pipe_lsu_mem_shared").id == "conflict_counter"


def test_a_word_with_two_meanings_names_the_other() -> None:
    first = explain("theoretical_bytes")
    assert first.kind == "question" and "metric:theoretical_bytes" in first.see
    assert explain("metric:theoretical_bytes").kind == "metric"


def test_a_misspelt_word_is_answered_with_what_could_be_meant() -> None:
    with pytest.raises(UsageError) as caught:
        explain("bnak_conflicst")
    assert "bank_conflicts" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_word_that_stands_only_in_texts_leads_to_them() -> None:
    found = explain("cudaHostAlloc")
    assert found.kind == "search" and "erratum:errata.pinned" in found.see
    assert any(line.startswith("pageable: ") for line in found.section("hits"))


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("graph", "III.graphs"),
        ("cuda graphs", "III.graphs"),
        ("replay modes", "III.replay"),
        ("Range replay", "replay.range"),
        ("stall long", "long_scoreboard"),
        ("scoreboard, long", "long_scoreboard"),
        ("pinned memory", "pageable"),
        ("what is the roofline", "roofline"),
        ("atomics", "III.atomics"),
        ("tensor cores", "III.tensor"),
    ],
)
def test_free_words_find_the_entry_that_is_about_them(words: str, found: str) -> None:
    assert explain(words).id == found


def test_words_in_the_plural_or_singular_are_the_same_words() -> None:
    assert explain("accesses uncoalesced").id == explain("uncoalesced access").id == "uncoalesced_access"


def test_what_a_search_finds_can_be_explained() -> None:
    found = explain("shared memory tile")
    assert found.kind == "search" and len(found.see) >= 3
    for word in found.see:
        assert explain(word).kind != "search"


def test_a_short_word_is_not_searched_in_texts() -> None:
    with pytest.raises(UsageError):
        explain("e")


@pytest.mark.parametrize("word", ["gpu:no_such_card", "question:bank_conflicts", "?"])
def test_an_impossible_word_is_refused(word: str) -> None:
    with pytest.raises(UsageError):
        explain(word)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=40))
def test_no_word_whatever_ends_in_anything_but_an_answer_or_one_line(word: str) -> None:
    try:
        assert explain(word).title
    except UsageError as e:
        assert "\n" not in str(e) and str(e).isprintable()


def test_a_search_finds_titles_before_bodies() -> None:
    hits = find("bank conflicts", limit=5)
    assert len(hits) == 5
    assert "bank_conflicts" in [h.id for h in hits]
    assert all(a.score >= b.score for a, b in pairwise(hits))
    assert find("") == () and find("bank", limit=0) == ()


def test_every_hit_of_a_search_can_be_explained() -> None:
    for hit in find("memory", limit=100):
        assert explain(f"{hit.kind}:{hit.id}").id == hit.id


def test_the_words_are_the_ids() -> None:
    known = words()
    assert list(known) == sorted(known)
    assert {"bank_conflicts", "latency_bound", "wavefront", "2b", "H200-SXM", "gemm", "dram_pct"} <= set(known)


def test_a_teams_folder_is_explained_too(tmp_path: Path) -> None:
    (tmp_path / "topics").mkdir()
    (tmp_path / "topics" / "ours.yaml").write_text(
        "acme.tiles: {title: Our tiles, what: Use 64., cites: [guide.step5]}\n"
    )
    found = explain("acme tiles", (tmp_path,))
    assert (found.title, found.section("what")) == ("Our tiles", ("Use 64.",))
    assert explain("bank_conflicts", (tmp_path,)).id == "bank_conflicts"


def test_a_teams_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeError, match="nowhere:1:"):
        explain("occupancy", (tmp_path / "nowhere",))


def test_a_broken_entry_is_named_with_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "topics").mkdir()
    (tmp_path / "topics" / "ours.yaml").write_text("acme.a: {title: A}\nacme.b: [a list]\n")
    with pytest.raises(KnowledgeError, match=r"ours\.yaml:2:"):
        explain("acme.b", (tmp_path,))


def test_an_unknown_field_of_an_entry_is_named_with_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "questions.yaml").write_text("acme_q:\n  ask: Why?\n  colour: red\n")
    with pytest.raises(KnowledgeError, match=r"questions\.yaml:\d:.*colour"):
        explain("acme_q", (tmp_path,))


def test_explaining_imports_nothing_heavy() -> None:
    code = (
        "import sys; from advisor.explain.explain import explain; from advisor.view.pages.explain import explain_page;"
        "explain_page(explain('bank_conflicts')); explain_page(explain('H200'));"
        "heavy = {'pandas', 'numpy', 'textual', 'experta', 'matplotlib', 'cupy', 'ncu_report'} & set(sys.modules);"
        "sys.exit(f'imports {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_team_folder_is_read_not_only_the_first(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name / "topics").mkdir(parents=True)
        (tmp_path / name / "topics" / "ours.yaml").write_text(f"acme.{name}: {{title: Team {name}}}\n")
    folders = (tmp_path / "one", tmp_path / "two")
    assert [explain(f"acme.{name}", folders).title for name in ("one", "two")] == ["Team one", "Team two"]
