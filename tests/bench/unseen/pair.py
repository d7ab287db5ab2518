"""What a pair of a round is: a slow and a cured call, what they put out, and what it must be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from device import Launch, Tools

SMS = 132
i32, i64, f32 = np.int32, np.int64, np.float32


@dataclass
class Pair:
    """slow, cured: the two calls; outs("slow" or "cured"): the arrays that the call fills, in a form that both share.

    ref: what the first arrays must be, from other code; near: largest difference, relative to the largest value; reset:
    before each call (without one the arrays are set to 0 before they are checked).
    """

    slow: Callable[[], Any]
    cured: Callable[[], Any]
    outs: Callable[[str], Sequence[Any]]
    ref: Callable[[], Sequence[Any]] | None = None
    near: float = 0.0
    reset: Callable[[], Any] | None = None


class Cases(dict[str, Callable[[Tools], Pair]]):
    """What makes each pair of a module, by the pair's id."""

    def add(self, make: Callable[[Tools], Pair]) -> Callable[[Tools], Pair]:
        """Enter a function by its name; a decorator."""
        self[make.__name__] = make
        return make


def launch(t: Tools, file: str, name: str, grid: Any, block: Any, args: tuple[Any, ...], shared: int = 0) -> Launch:
    wide = tuple(int(x) for x in (grid if isinstance(grid, tuple) else (grid,)))
    return Launch(t.kernel(file, rf"^{name}$"), wide, block if isinstance(block, tuple) else (block,), args, shared)


def both(t: Tools, file: str, name: str, grids: Any, blocks: Any, args: Any, out: Any, **more: Any) -> Pair:
    """NAME and NAME_b with the same arguments; grids, blocks, shared: of each of the two; out: what is compared."""
    outs = out if isinstance(out, tuple) else (out,)
    shared = more.pop("shared", (0, 0))
    slow = launch(t, file, name, grids[0], blocks[0], args, shared[0])
    cured = launch(t, file, f"{name}_b", grids[1], blocks[1], args, shared[1])
    return Pair(slow, cured, lambda _: outs, **more)


def same(t: Tools, file: str, name: str, grids: Any, blocks: Any, args: Any, out: Any, **more: Any) -> Pair:
    """One kernel, started in two ways."""
    shared = more.pop("shared", 0)
    slow, cured = (launch(t, file, name, g, b, args, shared) for g, b in zip(grids, blocks, strict=True))
    return Pair(slow, cured, lambda _: (out,), **more)


def follow(cases: Mapping[str, Any], file: str, cures: Mapping[str, Callable[[Tools, Pair], dict[str, Any]]]) -> Cases:
    """The pairs of a round with other cures; a pair without one among `cures` keeps its own.

    cures: what is other in the cured launch, by the pair's id: kernel (if it is not NAME_f of the file), grid, block,
    args, shared.
    """

    def make(name: str, own: Callable[[Tools], Pair]) -> Callable[[Tools], Pair]:
        def made(t: Tools) -> Pair:
            pair = own(t)
            if name in cures:
                other = {"kernel": f"{name}_f", **cures[name](t, pair)}
                before, kernel = pair.cured, other.pop("kernel")
                whole = {n: getattr(before, n) for n in ("grid", "block", "args", "shared")} | other
                pair.cured = launch(t, file, kernel, **whole)
            return pair

        return made

    return Cases({name: make(name, own) for name, own in cases.items()})


def zero(*arrays: Any) -> Callable[[], None]:
    def reset() -> None:
        for a in arrays:
            a.fill(0)

    return reset


def host(array: Any) -> np.ndarray:
    """A NumPy copy of an array of NumPy, CuPy or torch."""
    if isinstance(array, np.ndarray):
        return array.copy()
    if hasattr(array, "detach"):
        return np.asarray(array.detach().float().cpu().numpy())
    return np.asarray(array.get())


def differ(got: Sequence[Any], want: Sequence[Any], near: float) -> str:
    """Why two lists of arrays are not alike, or ''."""
    for number, (a, b) in enumerate(zip(got, want, strict=False)):
        x, y = host(a), host(b)
        if x.shape != y.shape:
            return f"output {number}: shapes {x.shape} and {y.shape}"
        if not np.any(y):
            return f"output {number} is all 0"
        if near == 0.0:
            if wrong := int(np.count_nonzero(x != y)):
                return f"output {number}: {wrong} of {x.size} values differ"
            continue
        x, y = x.astype(np.float64), y.astype(np.float64)
        if not (np.isfinite(x).all() and np.isfinite(y).all()):
            return f"output {number} is not finite"
        off = float(np.abs(x - y).max() / np.abs(y).max())
        if off > near:
            return f"output {number}: off by {off:.2g} of the largest value, {near:g} allowed"
    return ""


def made(slow: Callable[[], Any], cured: Callable[[], Any], near: float, ref: Any = None) -> Pair:
    """Calls that return their result."""
    last: dict[str, Any] = {}

    def keep(which: str, call: Callable[[], Any]) -> Callable[[], None]:
        def run() -> None:
            last[which] = call()

        return run

    return Pair(keep("slow", slow), keep("cured", cured), lambda w: [last[w]] if w in last else [], ref, near)


def seeded_torch(seed: int) -> Any:
    """PyTorch, where it is, with its random numbers begun at a seed."""
    import torch

    torch.manual_seed(seed)
    return torch
