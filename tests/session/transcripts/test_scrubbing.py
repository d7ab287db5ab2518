"""What a saved session must not tell of the machine that it was made on."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.session import events as e
from advisor.session.transcripts.format import Scrubber, bundled_name, bundled_path
from advisor.session.transcripts.recorder import scrubbed

SCRUBBER = Scrubber(Path("/home/marianne"), ["marianne"], ["gpubox", "gpubox.example.org"])


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("/home/marianne/runs/x.ncu-rep", "~/runs/x.ncu-rep"),
        ("/home/marianne", "~"),
        ("/home/marianne2/x", "/home/marianne2/x"),
        ("/scratch/marianne/x", "/scratch/<user>/x"),
        ("on gpubox: it was slow", "on <host>: it was slow"),
        ("ssh marianne@gpubox.example.org", "ssh <user>@<host>"),
        ("a_marianne_kernel", "a_marianne_kernel"),
        ("marianne-2", "marianne-2"),
        ("83 %", "83 %"),
    ],
)
def test_homes_users_and_hosts_go(text: str, without: str) -> None:
    assert SCRUBBER.text(text) == without
    assert SCRUBBER.text(SCRUBBER.text(text)) == without


def test_names_that_are_words_or_too_short_are_left() -> None:
    """A user called root, or al, is no reason to take these letters out of a kernel's name."""
    plain = Scrubber(Path("/root"), ["root", "al"], ["localhost"])
    assert plain.text("root al localhost /root/x /data/root") == "root al localhost ~/x /data/root"


def test_a_home_that_is_the_whole_disk_is_no_home() -> None:
    assert Scrubber(Path("/")).text("/data/x") == "/data/x"


def test_free_texts_and_paths_of_deeds_are_scrubbed_and_ids_are_not() -> None:
    assert scrubbed(e.Began(("/home/marianne/x.ncu-rep",)), SCRUBBER) == e.Began(("~/x.ncu-rep",))
    assert scrubbed(e.ReportGiven("/home/marianne/y", "as marianne said"), SCRUBBER) == e.ReportGiven(
        "~/y", "as <user> said"
    )
    assert scrubbed(e.Answered("marianne", "marianne", "on gpubox"), SCRUBBER) == e.Answered(
        "marianne", "marianne", "on <host>"
    )


def test_keys_and_nested_strings_of_data_are_scrubbed() -> None:
    found = SCRUBBER.data({"/home/marianne": ["gpubox", {"a": "marianne"}], "n": 1.5, "x": None})
    assert found == {"~": ["<host>", {"a": "<user>"}], "n": 1.5, "x": None}


def test_files_of_the_program_have_names_that_hold_everywhere(tour_path: Path) -> None:
    name = bundled_name(str(tour_path))
    assert name == "kernels:tour/recorded/h200/tour.ncu-rep.xz"
    assert bundled_path(name) == tour_path.resolve()
    assert bundled_name("/somewhere/else") == "" and bundled_path("kernels:../README.md") is None
