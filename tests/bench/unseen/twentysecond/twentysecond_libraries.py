"""Pairs of the twenty-second round that are not CUDA C: PyTorch and Triton, and CuPy (twentysecond_cupy)."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import Cases, Pair, made, seeded_torch
from twentysecond_cupy import MORE

CASES = Cases()
case = CASES.add
SEED = 227


# ---- PyTorch
@case
def torch_trampoline_records(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    places, jumps, piece, some = t.size(32, 4), t.size(1 << 18, 1 << 10), t.size(512, 32), 2
    heights = torch.randn(places, jumps, device="cuda")
    f = torch.nn.functional

    def slow() -> Any:
        return torch.cummax(heights, 1).values[:some]

    def cured() -> Any:
        parts = torch.cummax(heights.view(-1, piece), 1).values.view(places, -1, piece)
        before = torch.cummax(parts[:, :-1, -1], 1).values
        before = f.pad(before, (1, 0), value=-float("inf"))
        return torch.maximum(parts, before[:, :, None]).view(places, jumps)[:some]

    def ref() -> Any:
        return [np.maximum.accumulate(heights[:some].cpu().numpy(), 1)]

    return made(slow, cured, 0.0, ref)


@case
def torch_flight_recorder_wind(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    moments, channels, some = t.size(1 << 24, 1 << 12), 16, 1 << 12
    records = torch.randn(moments, channels, device="cuda")
    east, north = (records[:, c].clone() for c in (3, 12))

    def slow() -> Any:
        return torch.hypot(records[:, 3], records[:, 12])[:some]

    def ref() -> Any:
        a = records[:some].double().cpu().numpy()
        return [np.hypot(a[:, 3], a[:, 12])]

    return made(slow, lambda: torch.hypot(east, north)[:some], 1e-5, ref)


@case
def torch_bird_feeder_counts(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    hours, some = t.size(1 << 24, 1 << 12), 1 << 12
    # The visits were counted with NumPy, whose numbers are float64, and half a visit was added.
    visits = torch.from_numpy(np.random.default_rng(SEED).poisson(7.0, 1 << 12) + 0.5)
    visits = visits.repeat(hours >> 12).cuda() if not t.dry else visits[:hours]
    single = visits.float()

    def ref() -> Any:
        known: dict[float, float] = {}
        for v in visits[:some].tolist():
            if v not in known:
                # lgamma of a half by the product of what is below it
                known[v] = 0.5 * np.log(np.pi) + float(np.log(np.arange(0.5, v)).sum())
        return [np.array([known[v] for v in visits[:some].tolist()])]

    return made(lambda: torch.lgamma(visits)[:some], lambda: torch.lgamma(single)[:some], 1e-5, ref)


@case
def torch_gemstone_colours(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    stones, bands, shades, some = t.size(8192, 64), t.size(256, 16), t.size(4096, 64), 64
    spectra = torch.rand(stones, bands, device="cuda")
    filters = torch.randn(bands, shades, device="cuda") / bands**0.5

    def run(precision: str) -> Any:
        torch.set_float32_matmul_precision(precision)
        seen = torch.matmul(spectra, filters)
        torch.set_float32_matmul_precision("highest")
        return seen[:some]

    def ref() -> Any:
        return [spectra[:some].double().cpu().numpy() @ filters.double().cpu().numpy()]

    return made(lambda: run("highest"), lambda: run("high"), 3e-3, ref)


@case
def torch_smart_watch_norms(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    samples, senses, some = t.size(1 << 20, 1 << 10), 16, 1 << 10
    x = torch.randn(samples, senses, device="cuda") * 3 + 1
    weight, bias = torch.rand(senses, device="cuda") + 0.5, torch.randn(senses, device="cuda")

    def slow() -> Any:
        return torch.nn.functional.layer_norm(x, (senses,), weight, bias, 1e-5)[:some]

    def cured() -> Any:
        spread, mean = torch.var_mean(x, 1, correction=0, keepdim=True)
        return torch.addcmul(bias, (x - mean).mul_(torch.rsqrt(spread + 1e-5)), weight)[:some]

    def ref() -> Any:
        a, w, b = (y.double().cpu().numpy() for y in (x[:some], weight, bias))
        return [(a - a.mean(1, keepdims=True)) / np.sqrt(a.var(1, keepdims=True) + 1e-5) * w + b]

    return made(slow, cured, 1e-4, ref)


# ---- Triton
@case
def triton_haiku_words(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import twentysecond_triton as k

    rows, words, some = 2048, 32000, 32
    scores, bias = torch.randn(rows, words, device="cuda") * 2, torch.randn(words, device="cuda")
    out, entropy = torch.zeros(rows, words, device="cuda"), torch.zeros(rows, device="cuda")

    def run(**more: int) -> None:
        k.haiku_words[(rows,)](scores, bias, out, entropy, 0.7, words, BLOCK=32768, **more)

    def ref() -> Any:
        x = (scores[:some].double().cpu().numpy() + bias.double().cpu().numpy()) * 0.7
        part = np.exp(x - x.max(1, keepdims=True))
        part /= part.sum(1, keepdims=True)
        return [part, -(part * np.log(part)).sum(1)]

    return Pair(run, lambda: run(num_warps=16), lambda _: [out[:some], entropy[:some]], ref, 1e-4, out.zero_)


@case
def triton_horoscope_experts(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import twentysecond_triton as k

    tokens, experts, bm, turns, some = 1 << 19, 64, 32, 8, 1024
    liked = torch.zeros(experts, device="cuda")
    liked[5], liked[17], liked[40] = 3.0, 2.0, 1.5
    logits = torch.randn(tokens, experts, device="cuda") + liked
    best, counts = (torch.zeros(n, device="cuda", dtype=torch.int32) for n in (tokens, experts))
    share = torch.zeros(tokens, device="cuda")

    def run(kernel: Any) -> None:
        grid = (tokens // (bm * turns),)
        kernel[grid](logits, best, share, counts, BM=bm, E=experts, TURNS=turns, num_warps=4)

    def ref() -> Any:
        x = logits[:some].double().cpu().numpy()
        top = np.bincount(logits.cpu().numpy().argmax(1), minlength=experts)
        return [top, x.argmax(1), 1 / np.exp(x - x.max(1, keepdims=True)).sum(1)]

    return Pair(
        lambda: run(k.horoscope_experts),
        lambda: run(k.horoscope_experts_b),
        lambda _: [counts, best[:some], share[:some]],
        ref,
        1e-5,
        counts.zero_,
    )


@case
def triton_sign_memory(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import twentysecond_triton as k

    films, frames, deep = 16, 1024, 2048
    x, keep = (torch.randn(films, frames, deep, device="cuda") for _ in range(2))
    out = torch.zeros(films, frames, deep, device="cuda")

    def slow() -> Any:
        k.sign_memory[(deep // 128, films)](x, keep, out, frames, deep, BLOCK=128, num_warps=4)
        return out[:2]

    def cured() -> Any:
        k.sign_memory_b[(deep // 32, films)](x, keep, out, frames, deep, BLOCK=32, T=64, num_warps=4)
        return out[:2]

    def ref() -> Any:
        a, gate = x[:2].double().cpu().numpy(), 1 / (1 + np.exp(-keep[:2].double().cpu().numpy()))
        h, want = np.zeros((2, deep)), np.zeros((2, frames, deep))
        for i in range(frames):
            h = gate[:, i] * h + (1 - gate[:, i]) * a[:, i]
            want[:, i] = h
        return [want]

    return made(slow, cured, 1e-4, ref)


@case
def triton_bonsai_gelu(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import twentysecond_triton as k

    leaves, wide, block, some = 16384, 4096, 1024, 64
    x = (torch.randn(leaves, wide, device="cuda") * 1.5).half()
    bias, out = torch.randn(wide, device="cuda") / 4, torch.zeros_like(x)

    def run(kernel: Any) -> Any:
        kernel[(leaves, wide // block)](x, bias, out, wide, BLOCK=block, num_warps=4)
        return out[:some]

    def ref() -> Any:
        a = x[:some].double().cpu().numpy() + bias.double().cpu().numpy()
        return [0.5 * a * (1 + np.tanh(np.sqrt(2 / np.pi) * (a + 0.044715 * a**3)))]

    return made(lambda: run(k.bonsai_gelu), lambda: run(k.bonsai_gelu_b), 2e-3, ref)


@case
def triton_basket_items(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import twentysecond_triton as k

    baskets, longest, deep, block, each, some = 16384, 1024, 32, 32, 2, 128
    long = (2.0 ** (torch.rand(baskets) * 10)).long()
    long[some] = longest
    starts = torch.cat((torch.zeros(1, dtype=torch.int64), long.cumsum(0)))
    count = int(starts[-1])
    part = int(starts[some])
    owner = torch.repeat_interleave(torch.arange(some), long[:some])
    starts = starts.int().cuda()
    items = torch.randn(count, deep, device="cuda").half()
    price, taste = torch.rand(count, device="cuda") * 20, torch.randn(baskets, deep, device="cuda")
    out = torch.zeros_like(items)
    given = (items, price, starts, taste, out)
    tiles = (longest + block - 1) // block

    def slow() -> Any:
        k.basket_items[(tiles, baskets)](*given, D=deep, BLOCK=block, num_warps=4)
        return out[:part]

    def cured() -> Any:
        k.basket_items_b[(each, baskets)](*given, D=deep, BLOCK=block, EACH=each, num_warps=4)
        return out[:part]

    def ref() -> Any:
        a, p, w = (y.double().cpu().numpy() for y in (items[:part], price[:part], taste[:some]))
        return [a * w[owner.numpy()] * np.log1p(p)[:, None]]

    return made(slow, cured, 1e-3, ref)


@case
def triton_trail_messages(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import twentysecond_triton as k

    edges, junctions, deep, block, some = 1 << 20, 1 << 16, 64, 128, 256
    state = torch.randn(junctions, deep, device="cuda").half()
    source, target = (torch.randint(0, junctions, (edges,), device="cuda", dtype=torch.int32) for _ in range(2))
    length, out = torch.rand(edges, device="cuda") * 3, torch.zeros(junctions, deep, device="cuda")

    def run(kernel: Any) -> None:
        kernel[(edges // block,)](state, source, target, length, out, edges, D=deep, BLOCK=block, num_warps=4)

    def ref() -> Any:
        a, b, far = (y.cpu().numpy() for y in (source, target, length.double()))
        near, want = b < some, np.zeros((some, deep))
        np.add.at(want, b[near], state.double().cpu().numpy()[a[near]] * np.exp(-far[near])[:, None])
        return [want]

    return Pair(
        lambda: run(k.trail_messages), lambda: run(k.trail_messages_b), lambda _: [out[:some]], ref, 1e-4, out.zero_
    )


@case
def triton_sourdough_rise(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import twentysecond_triton as k

    loaves, bends, some = 1 << 23, 128, 4096
    warmth, base = torch.rand(loaves, device="cuda") * 40, torch.full((1,), 0.2, device="cuda")
    knots, slope = torch.linspace(0, 40, bends, device="cuda"), torch.randn(bends, device="cuda") / 8
    out = torch.zeros(loaves, device="cuda")

    def run(block: int) -> Any:
        grid = (loaves // block,)
        k.sourdough_rise[grid](warmth, base, knots, slope, out, loaves, K=bends, BLOCK=block, num_warps=4)
        return out[:some]

    def ref() -> Any:
        w, at, by = (y.double().cpu().numpy() for y in (warmth[:some], knots, slope))
        return [0.2 + (np.maximum(w[:, None] - at, 0) * by).sum(1)]

    return made(lambda: run(128), lambda: run(1024), 1e-4, ref)


CASES.update(MORE)
