"""Coverage-guided fuzzing of the readers of text: `python -m tests.bench.fuzz READER [--seconds 60]`.

Needs atheris (`pip install atheris`, Python 3.11 to 3.13). It changes bundled inputs so that new branches of the
readers run; each input must be read, or refused by an error of ours. READER: profile (CSV, console text and workloads),
trace (CSV of nsys), transcript, ptxas, yaml, question (what is typed into a session). Ends with atheris's report of the
first input that raises anything else, and leaves that input in the working folder.
"""

from __future__ import annotations

import argparse
import contextlib
import lzma
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import atheris  # type: ignore[import-not-found,unused-ignore]

with atheris.instrument_imports(include=["advisor"], enable_loader_override=False):
    from advisor.knowledge.plain_yaml import parse as parse_yaml
    from advisor.readers import ptxas
    from advisor.readers.read import read
    from advisor.session.language.understand import understand
    from advisor.session.state import State
    from advisor.session.transcripts.format import parse as parse_transcript
    from advisor.timeline.read import read_trace

from advisor.records import resources
from advisor.records.errors import AdvisorError
from tests import damaged
from tests.damaged_kinds import TABLES

_FOLDER = Path(tempfile.mkdtemp(prefix="fuzz-"))


def _profile(data: bytes) -> None:
    # A compressed or binary report starts a child process, which the bench of damaged inputs covers.
    if data[:4] in (b"NVR\0", b"\xfd7zX", b"\x28\xb5\x2f\xfd") or data[:2] == b"\x1f\x8b":
        return
    path = _FOLDER / "input.csv"
    path.write_bytes(data)
    read(path)


def _trace(data: bytes) -> None:
    path = _FOLDER / "input_cuda_gpu_trace.csv"
    path.write_bytes(data)
    read_trace([path])


def _question(data: bytes) -> None:
    understand(data.decode("utf-8", "surrogateescape"), State())


def _seeds(reader: str) -> list[bytes]:
    data, transcripts = damaged.DATA, resources.folder("transcripts")
    if reader == "profile":
        packed = lzma.decompress((data / "tour_raw.csv.xz").read_bytes())
        texts = [(data / name).read_bytes() for name in ("tour_details.csv", "tour_details.txt")]
        return [packed, *texts, *(path.read_bytes() for path in (transcripts / "workloads").glob("*.yaml"))]
    if reader == "trace":
        return [text.encode() for text in TABLES]
    if reader == "transcript":
        return [path.read_bytes()[:20_000] for path in sorted(transcripts.glob("*.jsonl"))[:6]]
    if reader == "yaml":
        return [path.read_bytes() for path in sorted((resources.folder("knowledge") / "diagnoses").glob("*.yaml"))[:8]]
    if reader == "ptxas":
        return [b"ptxas info    : Compiling entry function '_Z1fPf' for 'sm_90'\nptxas info    : Used 32 registers\n"]
    return [b"why is it slow", b"dram 70, long scoreboard 42%", b"/whatif dram_pct=20", b"what if dram = 95"]


READERS: dict[str, Callable[[bytes], object]] = {
    "profile": _profile,
    "trace": _trace,
    "transcript": parse_transcript,
    "ptxas": lambda data: ptxas.parse(iter(data.decode("utf-8", "replace").splitlines())),
    "yaml": lambda data: parse_yaml(Path("x.yaml"), data.decode("utf-8", "replace")),
    "question": _question,
}


def main() -> None:
    """Fuzz until the time is over or an input fails."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("reader", choices=READERS)
    parser.add_argument("--seconds", type=int, default=60)
    given = parser.parse_args()
    corpus = _FOLDER / "corpus"
    corpus.mkdir()
    for number, seed in enumerate(_seeds(given.reader)):
        (corpus / str(number)).write_bytes(seed)
    reader = READERS[given.reader]

    def one(data: bytes) -> None:
        with contextlib.suppress(AdvisorError):
            reader(data)

    limits = ("-max_len=60000", "-timeout=30", "-rss_limit_mb=2048", "-print_final_stats=1")
    where = (f"-artifact_prefix={Path.cwd()}/", str(corpus))
    atheris.Setup([sys.argv[0], f"-max_total_time={given.seconds}", *limits, *where], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
