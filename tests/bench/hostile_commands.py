"""Hostile input of the newer commands: `python -m tests.bench.hostile_commands [--part PART]... [--name NAME]...`.

sources: CUDA sources for `emulate` and `fix` that are no text, absurdly long, deeply nested, or bombs for a compiler;
cubins: a cubin cut, flipped and with absurd sizes, decoded and executed; profile: programs and options; ask: questions;
mcp: lines that are no protocol, paths out of the root. Each is a process of its own. None may show a traceback, end in
another code than 0 to 3, write over three lines on stderr or what cannot be printed, hold over 2 GB in any process, or
take over 30 s of processor time or 300 s. Prints a line for each, and exit 1 after any failure.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from advisor.records import resources

_ROOT = Path(__file__).resolve().parents[2]
_MOST_S, _MOST_WALL_S, _MOST_MB, _MOST_LINES = 30.0, 300.0, 2048.0, 3
# Folder of the outputs, file to pipe in, text in the output after which the pipe closes; then the command line.
_MEASURED = """
import contextlib, json, resource, subprocess, sys, threading, time
folder, given, last, *words = sys.argv[1:]
out, err = (open(f"{folder}/{name}", "wb") for name in ("out", "err"))
stdin = subprocess.PIPE if given else subprocess.DEVNULL
process = subprocess.Popen([sys.executable, "-m", "advisor", *words], stdin=stdin, stdout=out, stderr=err)

def feed():
    with contextlib.suppress(OSError), process.stdin, open(given, "rb") as file:
        while chunk := file.read(1 << 16):
            process.stdin.write(chunk)
        process.stdin.flush()
        end = time.monotonic() + 90
        while last and process.poll() is None and time.monotonic() < end:
            if last in open(f"{folder}/out", encoding="utf-8", errors="replace").read():
                break
            time.sleep(0.1)

if given:
    threading.Thread(target=feed, daemon=True).start()
code = process.wait()
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([code, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))
"""


@dataclass(frozen=True)
class Case:
    """A command line. stdin: what is piped in; answers: words of which each must be in its output."""

    part: str
    name: str
    command: tuple[str, ...]
    stdin: bytes = b""
    codes: tuple[int, ...] = (0, 1, 2)
    answers: tuple[str, ...] = ()


def _kernel(body: str) -> str:
    return f"__global__ void k(float *a) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; {body} a[i] *= 2.0f; }}\n"


def _doubled(count: int) -> str:
    macros = "".join(f"#define A{n} A{n - 1} A{n - 1}\n" for n in range(1, count + 1))
    return f"#define A0 a[i] += 1;\n{macros}{_kernel(f'A{count}')}"


def sources(folder: Path) -> dict[str, bytes]:
    """Return sources by name. folder: where they will be."""
    noise, plain = random.Random(1), _kernel("").encode()
    fifo = folder / "fifo"
    if not fifo.exists():
        os.mkfifo(fifo)
    chain = "".join(f"if (a[0] > {n}) a[1] = {n}; else " for n in range(15_000)) + "a[0] = 1;"
    templates = (
        "template<int N, int M> struct G { static const long v = G<N-1,2*M>::v + G<N-1,2*M+1>::v; };\n"
        "template<int M> struct G<0,M> { static const long v = M; };\n"
    )
    loops = "__device__ constexpr int f(int n) { int s = 0; for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j) "
    texts = {
        "empty": "",
        "a line of 10 MB": _kernel(f"int z = 0; /*{'x' * 10_000_000}*/"),
        "a name of 1 MB": f"__global__ void k{'x' * 1_000_000}(float *a) {{ a[0] = 1; }}",
        "a text of 900 kB": _kernel(f'const char *s = "{"y" * 900_000}"; if (a == 0) a[1] = s[i];'),
        "parentheses": _kernel(f"float q = {'(' * 100_000}1{')' * 100_000}; a[i] = q;"),
        "braces": _kernel("{" * 100_000 + "}" * 100_000),
        "braces without an end": _kernel("{(" * 200_000),
        "template arguments": f"template<class T> struct A {{}}; {'A<' * 20_000}int{'>' * 20_000} x; {_kernel('')}",
        "a loop of 200,000, unrolled": _kernel(
            "\n#pragma unroll\nfor (int j=0; j<200000; ++j) a[j%7] = sinf(a[j%13]);\n"
        ),
        "a sum of 60,000": _kernel(f"a[0] = {'+'.join(['a[i]'] * 60_000)};"),
        "signs": _kernel(f"a[0] = {'- ' * 400_000}a[i];"),
        "nested ifs": _kernel("if (a[0] > 0) " * 30_000 + "a[0] = 1;"),
        "a chain of else": _kernel(chain),
        "template bomb": templates + _kernel("a[0] = G<26,1>::v;"),
        "constexpr bomb": f"{loops}s += i ^ j; return s; }}\n{_kernel('constexpr int z = f(20000); a[0] = z;')}",
        "macro bomb": _doubled(30),
        "many macros": _doubled(16),
        "includes itself": f'#include "{folder}/includes itself.cu"\n{_kernel("")}',
        "includes a device": f'#include "/dev/zero"\n{_kernel("")}',
        "includes a pipe": f'#include "{fifo}"\n{_kernel("")}',
        "escapes in an error": f"#error \x1b[2J\x1b]0;x\x07 hi\n{_kernel('')}",
        "escapes in a line": f'#line 1 "\x1b[31m/etc/passwd"\n{_kernel("foo bar;")}',
        "shared memory": _kernel("__shared__ float s[1<<28]; s[i] = 1;"),
        "global memory": f"__device__ float g[1<<30];\n{_kernel('g[i] = 1;')}",
        "local memory": _kernel("float l[1<<26]; for (int j=0; j<(1<<26); ++j) l[j]=a[j]; a[0]=l[(int)a[1]];"),
        "never ends": _kernel("while (true) { a[0] += 1; }"),
        "recursion": f"__device__ float f(float x) {{ return x > 0 ? f(x+1) : 0; }}\n{_kernel('a[0]=f(a[0]+1);')}",
        "assembly that never ends": _kernel('asm volatile("L: bra L;");'),
        "no assembly": _kernel('asm volatile("%%%garbage \\n .\\x01 ");'),
        "trap": _kernel("__trap();"),
        "3,000 kernels": "".join(f"__global__ void k{n}(float *a) {{ a[0] = {n}; }}\n" for n in range(3000)),
        "odd names": "__global__ void \u202eevil\u202c(float *a) { a[0] = 1; }\n",
    }
    return {
        **{name: text.encode() for name, text in texts.items()},
        "a NUL": plain.replace(b"{", b"{\0\0", 1),
        "NULs": b"\0" * 1_000_000,
        "UTF-16": _kernel("").encode("utf-16"),
        "Latin-1": b"// caf\xe9\n" + plain,
        "noise": noise.randbytes(200_000),
        "an ELF file": b"\x7fELF" + noise.randbytes(5000),
        "200 MB": b" " * 200_000_000,
    }


def _source_cases(folder: Path) -> Iterator[Case]:
    launch = ("--grid", "4", "--block", "64", "--arg", "float[1024]", "--seconds", "5")
    paths = {name: folder / f"{name}.cu" for name in sources(folder)}
    special = {"a folder": folder, "a device": Path("/dev/zero"), "a pipe": folder / "fifo", "none": folder / "none.cu"}
    for name, path in {**paths, **special}.items():
        for command in ("emulate", "fix"):
            yield Case("sources", f"{command}: {name}", (command, str(path), *launch))
    plain = str(paths["empty"])
    options = (
        ("--grid", "0"), ("--grid", "9" * 5000), ("--grid", "1,2,3,4"), ("--grid", "\u0664"), ("--block", "-1"),
        ("--block", "1e3"), ("--arg", "float[" + "9" * 100 + "]"), ("--arg", "float[4]=" + "x" * 1000),
        ("--arg", "int=0x" + "f" * 100), ("--arg", "float=nan"), ("--arg", ""), ("--arg", "\x1b[2J"), ("--kernel", ""),
        ("--kernel", "\x1b[2J"), ("--seconds", "nan"), ("--seconds", "inf"), ("--shared", "9" * 30),
        ("--exercise", "../../etc"), ("--gpu", "\x1b[2J"), ("--trace", "9" * 30), ("--save", "/dev/full"),
    )  # fmt: skip
    for one in options:
        yield Case("sources", f"emulate {one[0]} {one[1][:20]!r}", ("emulate", plain, *launch, *one))


def _profile_cases(folder: Path) -> Iterator[Case]:
    def script(name: str, text: str, mode: int = 0o755) -> str:
        path = folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)
        return str(path)

    quick = ("--limit-s", "3", "--report", str(folder / "made"))
    app = script("app", "#!/bin/sh\nexit 0\n")
    python = f"#!{sys.executable}\n"
    words = {
        "an empty word": ("",), "a folder": (str(folder),), "no program": ("\x1b[2Jnothing\u202e",),
        "a name of 200 kB": ("x" * 100_000,), "a path of 5 kB": ("/" + "y/" * 2500,), "a device": ("/dev/zero",),
        "a pipe": (str(folder / "fifo"),), "not executable": (script("text", "x", 0o644),),
        "no interpreter": (script("lost", "#!/nowhere/python\n"),), "interprets itself": (str(folder / "itself"),),
        "noise": (str(folder / "noise"),), "an empty file": (script("nothing", ""),),
        "long arguments": (app, *["z" * 100_000] * 30), "odd arguments": (app, "\x1b[2J", "\u202e", "\n", "'", "$(id)"),
        "options": (app, "--kernel", "--", "-h"), "bytes": (app, os.fsdecode(b"\xff\xfe")),
    }  # fmt: skip
    script("itself", f"#!{folder}/itself\n")
    (folder / "noise").write_bytes(random.Random(2).randbytes(4000))
    (folder / "noise").chmod(0o755)
    for name, some in words.items():
        yield Case("profile", name, ("profile", *quick, "--", *some))
    endless = {
        "never ends": "while True: pass\n",
        "ignores signals": "import signal, time\n"
        "for n in (1, 2, 15): signal.signal(n, signal.SIG_IGN)\nwhile True: time.sleep(1)\n",
        "prints for ever": "import sys\nwhile True: sys.stdout.write('x' * 1000000)\n",
        "prints escapes": "import os\nos.write(1, b'\\x1b[2J\\xff\\0' * 1000); os.write(2, b'\\x1b[2J' * 1000)\n",
        "prints progress": "for n in range(100000):\n"
        "    print(f'==PROF== Profiling \"k{n}\" - {n}: 0%....100% - 8 passes')\n",
        "daemon": "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(20)\n",
        "forks": "import os\nfor n in range(6): os.fork()\n",
        "kills itself": "import os\nos.kill(os.getpid(), 9)\n",
        "kills its group": "import os\nos.killpg(0, 9)\n",
        "closes its output": "import os, time\nos.close(1); os.close(2); time.sleep(1)\n",
        "reads for ever": "import sys\nsys.stdin.read()\n",
    }
    for name, text in endless.items():
        yield Case("profile", name, ("profile", *quick, "--echo", "--", script(name.replace(" ", "_"), python + text)))
    options: tuple[tuple[str, ...], ...] = (
        (), ("--kernel", "("), ("--kernel", "(a+)+$"), ("--kernel", "x" * 100_000), ("--kernel", "\x1b[2J"),
        ("--report", ""), ("--report", "/dev/null/x"), ("--report", "/"), ("--report", "/proc/none/x"),
        ("--report", "x" * 5000), ("--most", "9" * 30), ("--most", "0"), ("--survey", "-1"), ("--limit-s", "nan"),
        ("--knowledge", "/dev/null"), ("--out", "/dev/full"), ("--build", "'"), ("--watch", "--build", "'"),
        ("--watch", "--build", ""), ("--watch", "--depends", "/dev/zero"), ("--replay", "x"),
    )  # fmt: skip
    for one in options:
        name = " ".join(one)[:40]
        yield Case("profile", f"options {name!r}", ("profile", "--limit-s", "3", *one, "--", app))
    yield Case("profile", "no program at all", ("profile",))
    yield Case("profile", "only --", ("profile", "--"))


def _ask_cases(folder: Path) -> Iterator[Case]:
    report = str(resources.folder("kernels") / "bank-conflicts" / "recorded" / "h200" / "profile.ncu-rep.xz")
    questions = (
        "", " ", "?", "why " * 25_000, "x" * 120_000, "why is it slow\n\0".replace("\0", ""), "\x1b[2J", "\u202ewhy",
        "(a+)+" * 2000, "((((" * 20_000, "what if " + "dram_pct=1e999 " * 500, "what if dram_pct=nan",
        "what if dram_pct=-1", "what is " + "9" * 100_000, "is launch " + "9" * 30 + " faster than -1", "\u0664" * 50,
        "$(id) `id` '; drop", "how far from cublas if i use " + "float4 and " * 3000, os.fsdecode(b"\xff\xfe why"),
        "<script>alert(1)</script>", "why\u0300" * 5000, "compare 0 1 " * 3000, "{kernel} {0} %s %n",
    )  # fmt: skip
    for question in questions:
        yield Case("ask", repr(question[:30]), ("ask", report, "--", question))
    for launch in ("-1", "9" * 400, "\x1b[2J", "", "#", "(", "\u0664"):
        yield Case("ask", f"--launch {launch[:20]!r}", ("ask", report, "--launch", launch, "why"))
    for path in ("/dev/zero", str(folder), str(folder / "none"), f"{report}#99", f"{report}#", "#", "x" * 5000):
        yield Case("ask", f"report {path[-20:]!r}", ("ask", path, "why"))


def _mcp_cases(folder: Path) -> Iterator[Case]:
    root = folder / "root"
    root.mkdir(exist_ok=True)
    kept = resources.folder("kernels") / "bank-conflicts" / "recorded" / "h200" / "profile.ncu-rep.xz"
    good = "good.ncu-rep.xz"
    (root / good).write_bytes(kept.read_bytes())
    for name, target in (("out", "/etc/passwd"), ("loop", str(root / "loop")), ("up", str(folder))):
        if not (root / name).is_symlink():
            (root / name).symlink_to(target)
    if not (root / "pipe.csv").exists():
        os.mkfifo(root / "pipe.csv")
    (root / "noise.ncu-rep").write_bytes(random.Random(3).randbytes(100_000))

    def line(number: int | str | None, method: str, **parameters: object) -> bytes:
        body: dict[str, object] = {"jsonrpc": "2.0", "method": method, "params": parameters}
        return json.dumps(body if number is None else {**body, "id": number}).encode() + b"\n"

    hello = line(
        1, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "bench", "version": "0"}
    ) + line(None, "notifications/initialized")

    def call(tool: str, **arguments: object) -> bytes:
        return line(2, "tools/call", name=tool, arguments=arguments)

    last = line("last", "tools/call", name="explain", arguments={"word": "bank_conflicts"})
    escapes = ("/etc/passwd", "../x", "up/../../etc/passwd", "out", "loop", "pipe.csv", "a\0b", "x" * 4000, "", ".",
               "noise.ncu-rep", "/dev/zero", "good.ncu-rep.xz#99", "good.ncu-rep.xz#" + "9" * 400, "\x1b[2J", "~root",
               "file:///etc/passwd", "good.ncu-rep.xz/../../x")  # fmt: skip
    sent: dict[str, bytes] = {
        "no JSON": b"hello\n\xff\xfe\0\n{}\n[]\nnull\n1\n" + b"{" * 100 + b"\n",
        "deep JSON": b"[" * 200_000 + b"]" * 200_000 + b"\n",
        "a line of 20 MB": b'{"jsonrpc": "2.0", "id": 3, "method": "' + b"x" * 20_000_000 + b'"}\n',
        "other methods": line(3, "shutdown") + line(4, "tools/none") + line(5, "resources/read", uri="file:///etc/passwd"),
        "no such tool": call("__import__", name="os"),
        "no arguments": line(3, "tools/call", name="diagnose") + line(4, "tools/call", name="why_not", arguments=[]),
        "other types": call("diagnose", report=["x"]) + call("diagnose", report=1) + call("explain", word=None),
        "numbers": call("diagnose", report=good, launch=10**30) + call("why", report=good, launch=-1),
        "NaN": b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"what_if","arguments":'
        b'{"report":"good.ncu-rep.xz","values":{"dram_pct":NaN}}}}\n',
        "values": call("what_if", report=good, values={"x" * 10_000: 1, "dram_pct": 1e308}),
        "long words": call("explain", word="x" * 100_000) + call("ask", report=good, question="why " * 20_000),
        **{f"path {path[:24]!r}": call("diagnose", report=path) for path in escapes},
    }  # fmt: skip
    for name, lines in sent.items():
        yield Case("mcp", name, ("mcp", "--root", str(root)), hello + lines + last, (0,), ('"id":"last"', "bank"))
    yield Case("mcp", "no hello", ("mcp", "--root", str(root)), last, (0,))
    for name in ("/dev/null", str(folder / "none"), "\x1b[2J", ""):
        yield Case("mcp", f"--root {name!r}", ("mcp", "--root", name), last, (0, 2))


PARTS: dict[str, Callable[[Path], Iterator[Case]]] = {
    "sources": _source_cases, "profile": _profile_cases, "ask": _ask_cases, "mcp": _mcp_cases
}  # fmt: skip


def judged(case: Case, folder: Path, environment: dict[str, str]) -> tuple[str, str, float, float]:
    """Run a case; return what is wrong, the line that it shows, processor seconds, and the largest process in MB."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        given = Path(place) / "in"
        given.write_bytes(case.stdin)
        last = case.answers[0] if case.answers else ""
        command = [sys.executable, "-c", _MEASURED, place, str(given) if case.stdin else "", last, *case.command]
        begun = time.monotonic()
        try:
            done = subprocess.run(command, capture_output=True, timeout=_MOST_WALL_S + 60, env=environment, check=False)
            code, seconds, peak = json.loads(done.stdout) if done.stdout else (2, 0.0, 0.0)
        except subprocess.TimeoutExpired:
            code, seconds, peak = -1, 0.0, 0.0
        except OSError as error:  # the system refuses so long a command line
            return "", error.strerror or "", 0.0, 0.0
        wall = time.monotonic() - begun
        out, err = ((Path(place) / name).read_text("utf-8", "replace") for name in ("out", "err"))
    # Wrong options have their usage before the line, and --echo shows what the program prints.
    lines = 0 if "--echo" in case.command else len(re.sub(r"\AUsage: .*\n(Try .*\n)?\n", "", err).splitlines())
    wrong = [
        *(["traceback"] if "Traceback" in err else []),
        *([f"exit code {code}"] if code not in case.codes else []),
        *([f"{lines} lines on stderr"] if code and lines > _MOST_LINES else []),
        *(["exit code 2 without a line"] if code == 2 and not err.strip() else []),
        *(["characters that are not printed"] if any(c in err for c in "\x1b\x07\u202e") else []),
        *([f"{seconds:.0f} s of processor time"] if seconds > _MOST_S else []),
        *([f"{wall:.0f} s"] if wall > _MOST_WALL_S else []),
        *([f"{peak:.0f} MB"] if peak > _MOST_MB else []),
        *(f"no answer {word!r}" for word in case.answers if word not in out),
        *(["a file outside the root is shown"] if case.part == "mcp" and "root:x:0" in out else []),
    ]
    return ", ".join(wrong), (err.strip().splitlines() or [""])[-1], seconds, peak


def whole_cubin() -> bytes:
    """Return the cubin of a kernel with each kind of memory."""
    from advisor.emulator.compile import compile_cubin

    return compile_cubin(
        "__constant__ float table[64] = {1, 2, 3}; __device__ int total = 5;\n"
        "__device__ __noinline__ float f(float x) { return x * table[(int)x & 63]; }\n"
        "__global__ void k(float *a, const int *b, int n) { __shared__ float s[256]; float l[32];\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x; for (int j = 0; j < 32; ++j) l[j] = a[(i + j) % n];\n"
        "  s[threadIdx.x] = a[i] + l[b[i] & 31]; __syncthreads();\n"
        "  if (i < n) a[i] = f(s[255 - threadIdx.x]); atomicAdd(&total, 1); }\n",
        "k.cu",
        "sm_90",
    )


def damaged_cubins(count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """Yield the kind of damage and the bytes of a damaged cubin."""
    whole = whole_cubin()
    (table,) = struct.unpack_from("<Q", whole, 0x28)
    (sections,) = struct.unpack_from("<H", whole, 0x3C)
    absurd = (0, 1, 7, 1 << 20, 0x7FFFFFFF, 0xFFFFFFFF, 1 << 36, (1 << 63) - 1, (1 << 64) - 1)
    fields = ((0, 4), (4, 4), (8, 8), (24, 8), (32, 8), (32, 8), (40, 4), (56, 8))  # of a row of the section table
    for number in range(count):
        chance, data = random.Random(f"{seed}/{number}"), bytearray(whole)
        kind = ("cut", "flipped", "zeros", "section", "word", "header", "no bits")[number % 7]
        if kind == "cut":
            del data[chance.randrange(len(data)) :]
        elif kind == "flipped":
            for _ in range(chance.choice((1, 1, 2, 8, 40))):
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        elif kind == "zeros":
            at, size = chance.randrange(len(data)), chance.choice((4, 64, 400))
            data[at : at + size] = bytes(len(data[at : at + size]))
        elif kind == "word":
            at = 4 * chance.randrange(len(data) // 4)
            data[at : at + 4] = (chance.choice(absurd) & 0xFFFFFFFF).to_bytes(4, "little")
        elif kind == "header":
            data[chance.randrange(6, 64)] = chance.randrange(256)
        else:
            at = table + 64 * chance.randrange(sections)
            if kind == "no bits":  # a section that has its size, but no bytes in the file
                data[at + 4 : at + 8] = (8).to_bytes(4, "little")
            offset, size = (32, 8) if kind == "no bits" else chance.choice(fields)
            value = chance.choice(absurd) & ((1 << 8 * size) - 1)
            data[at + offset : at + offset + size] = value.to_bytes(size, "little")
        yield kind, bytes(data)


def _decode(data: bytes) -> str:
    """Decode a cubin and execute its kernel; return '' or the line of its refusal."""
    from advisor.emulator.counts import Problem
    from advisor.emulator.cubin import kernels, read_cubin
    from advisor.practice.emulated_source import counted, parse_arguments
    from advisor.records.errors import AdvisorError

    try:
        known = kernels(data)
        program = read_cubin(data, known[0] if known else "k")
        given = parse_arguments(["float[1024]", "int[1024]", "int=1024"])
        counted(Problem(program, (4, 1, 1), (256, 1, 1), given.arguments, given.arrays, 0), 3.0)
    except AdvisorError as error:
        return str(error)
    return ""


def cubins(count: int, seed: int) -> int:
    """Print each failure and the sums; return the number of failures."""
    failures, refused, slowest, largest = 0, 0, 0.0, 0.0
    for number, (kind, data) in enumerate(damaged_cubins(count, seed)):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            try:
                text = _decode(data)
                os.write(writing, text.encode("utf-8", "replace")[:4000])
                os._exit(1 if "\n" in text or "\x1b" in text else 0)
            except BaseException as error:
                os.write(writing, f"{type(error).__name__}: {error}".encode("utf-8", "replace")[:4000])
                os._exit(1)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            said = pipe.read().decode("utf-8", "replace")
        _, status, used = os.wait4(child, 0)
        seconds, peak = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
        slowest, largest, refused = max(slowest, seconds), max(largest, peak), refused + bool(said)
        if status or seconds > _MOST_S or peak > _MOST_MB:
            failures += 1
            print(f"cubins: {kind} {number}: status {status}, {seconds:.0f} s, {peak:.0f} MB: {said[:300]}")
    print(
        f"cubins: {count}, {refused} refused, {failures} wrong, slowest {slowest:.1f} s of processor time, "
        f"largest {largest:.0f} MB, seed {seed}"
    )
    return failures


def main() -> int:
    """Print the figures; 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--part", choices=(*PARTS, "cubins"), action="append")
    parser.add_argument("--name", action="append", help="only cases with this in their names")
    parser.add_argument("--count", type=int, default=200, help="cubins")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    failures = 0
    standin = _ROOT / "tests" / "program" / "standin"
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "names").write_text("k\n")
        environment = {
            **os.environ,
            "PYTHONPATH": str(_ROOT),
            "XDG_DATA_HOME": str(folder / "data"),
            "PATH": f"{standin}{os.pathsep}{os.environ['PATH']}",
            "STANDIN_PYTHON": sys.executable,
            "STANDIN_ROOT": str(_ROOT),
            "STANDIN_LOG": str(folder / "log"),
            "STANDIN_REPORT": str(folder / "none"),
            "STANDIN_NAMES": str(folder / "names"),
        }
        for part in given.part or (*PARTS, "cubins"):
            if part == "cubins":
                failures += cubins(given.count, given.seed)
                continue
            inputs = folder / part
            inputs.mkdir()
            if part == "sources":
                for name, data in sources(inputs).items():
                    (inputs / f"{name}.cu").write_bytes(data)
            count = wrong = 0
            for case in PARTS[part](inputs):
                if given.name and not any(name in case.name for name in given.name):
                    continue
                bad, line, seconds, peak = judged(case, folder, environment)
                count, wrong = count + 1, wrong + bool(bad)
                print(f"{bad or 'fine'}: {part}, {case.name}: {seconds:.1f} s, {peak:.0f} MB: {line[:160]}", flush=True)
            print(f"{part}: {count} cases, {wrong} wrong", flush=True)
            failures += wrong
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
