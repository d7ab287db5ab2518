"""A pipe or a device in the place of a file is refused at once: it could block for ever, or never end."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from advisor.knowledge.loader import read_text
from advisor.readers.container import Limits
from advisor.readers.formats import lines
from advisor.readers.kinds import kind_of
from advisor.readers.read import read, read_many
from advisor.records.errors import AdvisorError
from advisor.session.transcripts import format as transcripts
from advisor.timeline.read import read_trace
from advisor.triage.one_file import _examine

READERS: dict[str, Callable[[Path], Any]] = {
    "report": read,
    "text": lambda path: list(lines(path, Limits())),
    "trace": read_trace,
    "transcript": transcripts.load,
    "head of a transcript": transcripts.head,
    "yaml": read_text,
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are a matter of POSIX")
@pytest.mark.parametrize("reader", READERS)
def test_a_pipe_without_a_writer_and_a_device_are_refused(reader: str, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.txt"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero"), Path("/dev/null")):
        with pytest.raises(AdvisorError, match="is a pipe or a device: give a regular file") as refusal:
            READERS[reader](path)
        assert "\n" not in str(refusal.value)
    assert kind_of(pipe) == "report"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are a matter of POSIX")
def test_triage_calls_a_pipe_no_report(tmp_path: Path) -> None:
    from advisor.triage.one_file import Settings

    pipe = tmp_path / "x.ncu-rep"
    os.mkfifo(pipe)
    part = _examine(pipe, "x", Settings())
    assert "pipe or a device" in part.refused


def test_a_file_larger_than_any_report_may_be_is_refused_without_reading_it_all(tmp_path: Path) -> None:
    path = tmp_path / "huge.txt"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # sparse: all zeros, and no space on the disk
    found, (info,) = read_many([path])
    assert len(found) == 0 and info.sha256 == "" and "not an Nsight Compute report" in info.problems[0]
