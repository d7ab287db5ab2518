"""Pairs of the twentieth round that are not CUDA C: kernels of PyTorch and Triton, and of CuPy (twentieth_cupy)."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import Cases, Pair, made, seeded_torch
from twentieth_cupy import MORE

CASES = Cases()
case = CASES.add
SEED = 203


# ---- PyTorch
@case
def torch_cliff_depths(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    points, some = 1 << 25, 1 << 18
    old, new, trust = (torch.rand(points, device="cuda") for _ in range(3))

    def ref() -> Any:
        a, b, w = (x[:some].double().cpu().numpy() for x in (old, new, trust))
        return [a + w * (b - a)]

    def slow() -> Any:
        return ((1 - trust) * old + trust * new)[:some]

    return made(slow, lambda: torch.lerp(old, new, trust)[:some], 1e-5, ref)


@case
def torch_transfer_fees(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    clubs, some = 8192, 64
    bought, sold = (torch.rand(clubs, clubs, device="cuda").half() for _ in range(2))
    by_buyer = sold.t().contiguous()

    def ref() -> Any:
        return [bought[:some].float().cpu().numpy() + sold[:, :some].float().cpu().numpy().T]

    return made(lambda: (bought + sold.t())[:some], lambda: (bought + by_buyer)[:some], 1e-3, ref)


@case
def torch_tapestry_light(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    shots, side, field = 8, 1024, 15
    thread = torch.rand(shots, 1, side, side, device="cuda")
    pool, half = torch.nn.functional.avg_pool2d, field // 2

    def cured() -> Any:
        return pool(pool(thread, (field, 1), 1, (half, 0)), (1, field), 1, (0, half))

    def ref() -> Any:
        x = np.pad(thread[:, 0].double().cpu().numpy(), ((0, 0), (half, half), (half, half)))
        down = sum(x[:, k : k + side] for k in range(field))
        return [sum(down[:, :, k : k + side] for k in range(field))[:, None] / field**2]

    return made(lambda: pool(thread, field, 1, half), cured, 1e-4, ref)


@case
def torch_stained_panes(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    panes, bands, side = 16, 4, 320
    light = torch.rand(panes, bands, side, side, device="cuda") * 3 - 1
    weight, bias = (torch.rand(bands, device="cuda") for _ in range(2))

    def slow() -> Any:
        return torch.nn.functional.group_norm(light, 1, weight, bias)

    def cured() -> Any:
        var, mean = torch.var_mean(light.view(panes, -1), 1, correction=0, keepdim=True)
        scale = weight * torch.rsqrt(var + 1e-5)
        shift = bias - mean * scale
        return torch.addcmul(shift[:, :, None, None], light, scale[:, :, None, None])

    def ref() -> Any:
        x = light.double().cpu().numpy()
        off = x - x.mean((1, 2, 3), keepdims=True)
        w, b = (a.double().cpu().numpy()[:, None, None] for a in (weight, bias))
        return [off / np.sqrt(x.var((1, 2, 3), keepdims=True) + 1e-5) * w + b]

    return made(slow, cured, 1e-4, ref)


@case
def torch_pinhole_rings(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    pixels, some = 1 << 24, 1 << 16
    far = torch.rand(pixels, device="cuda") < 0.1
    angle = torch.rand(pixels, device="cuda")
    angle = torch.where(far, 5 + 20 * angle, 0.1 + 4.8 * angle)
    order = torch.argsort(far.to(torch.uint8), stable=True)
    ordered, back = angle[order], torch.argsort(order)[:some]
    bessel = torch.special.bessel_j1

    def ref() -> Any:
        x = angle[:some].double().cpu().numpy()
        turn = (np.arange(128) + 0.5) * np.pi / 128
        return [sum(np.cos(a - x * np.sin(a)) for a in turn) / 128]

    return made(lambda: bessel(angle)[:some], lambda: bessel(ordered)[back], 1e-4, ref)


@case
def torch_sunscreen_doses(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    spots, some = 1 << 24, 1 << 18
    dose = torch.rand(spots, device="cuda", dtype=torch.float64) * 8 + 0.05
    narrow = dose.float()

    def ref() -> Any:
        return [dose[:some].cpu().numpy() ** 1.7]

    return made(lambda: torch.pow(dose, 1.7)[:some], lambda: torch.pow(narrow, 1.7)[:some], 1e-4, ref)


# ---- Triton
@case
def triton_clue_norm(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import twentieth_triton as k

    clues, wide, rows, some = 1 << 20, 128, 32, 2048
    x = torch.randn(clues, wide, device="cuda", dtype=torch.float16)
    weight, bias = (torch.rand(wide, device="cuda") for _ in range(2))
    out = torch.zeros_like(x)

    def slow() -> Any:
        k.clue_norm[(clues,)](x, weight, bias, out, WIDE=wide, num_warps=4)
        return out[:some]

    def cured() -> Any:
        k.clue_norm_b[(clues // rows,)](x, weight, bias, out, ROWS=rows, WIDE=wide, num_warps=4)
        return out[:some]

    def ref() -> Any:
        a, w, b = (y.double().cpu().numpy() for y in (x[:some], weight, bias))
        return [(a - a.mean(1, keepdims=True)) / np.sqrt(a.var(1, keepdims=True) + 1e-5) * w + b]

    return made(slow, cured, 2e-3, ref)


@case
def triton_patent_topics(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import twentieth_triton as k

    patents, deep, topics, some = 16384, 1024, 512, 512
    words = torch.randn(patents, deep, device="cuda")
    lists = torch.randn(deep, topics, device="cuda") * 0.5
    scores = torch.zeros(patents, topics, device="cuda")
    grid = (patents // 64, topics // 64)

    def run(how: str) -> Any:
        k.patent_topics[grid](words, lists, scores, deep, topics, BM=64, BN=64, BK=32, PRECISION=how, num_warps=4)
        return scores[:some]

    def ref() -> Any:
        return [30 * np.tanh(words[:some].double().cpu().numpy() @ lists.double().cpu().numpy() / 30)]

    return made(lambda: run("ieee"), lambda: run("tf32"), 5e-3, ref)


@case
def triton_phrase_routing(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import twentieth_triton as k

    tokens, experts, block = 1 << 20, 32, 512
    logits = torch.randn(tokens, experts, device="cuda").half()
    expert = torch.zeros(tokens, device="cuda", dtype=torch.int32)
    chance = torch.zeros(tokens, device="cuda")
    sums = torch.zeros(2, experts, device="cuda")
    given = (logits, expert, chance, sums[0], sums[1])
    more = {"BLOCK": block, "EXPERTS": experts, "num_warps": 8}

    def ref() -> Any:
        x = logits.float().cpu().numpy().astype(np.float64)
        p, best = 1 / np.exp(x - x.max(1, keepdims=True)).sum(1), expert.cpu().numpy()
        mass = [np.bincount(best, w, minlength=experts) for w in (None, p)]
        return [np.array(mass), p]

    return Pair(
        lambda: k.phrase_routing[(tokens // block,)](*given, **more),
        lambda: k.phrase_routing_b[(tokens // block,)](*given, **more),
        lambda _: [sums, chance],
        ref,
        1e-3,
        sums.zero_,
    )


@case
def triton_court_attention(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import twentieth_triton as k

    heads, seq, deep, window, bm, bn, some = 32, 4096, 64, 512, 128, 64, 1024
    q, keys, values = (torch.randn(heads, seq, deep, device="cuda").half() for _ in range(3))
    out = torch.zeros_like(q)
    scale = 1.4426950408889634 / deep**0.5

    def run(skip: bool) -> Any:
        more = {"D": deep, "BM": bm, "BN": bn, "SKIP": skip, "num_warps": 8}
        k.court_attention[(seq // bm, heads)](q, keys, values, out, seq, window, scale, **more)
        return out[0, :some]

    def ref() -> Any:
        a, b, c = (x[0, :some].double().cpu().numpy() for x in (q, keys, values))
        ago = np.arange(some)[:, None] - np.arange(some)[None]
        score = np.where((ago >= 0) & (ago < window), a @ b.T / deep**0.5, -np.inf)
        part = np.exp(score - score.max(1, keepdims=True))
        return [part / part.sum(1, keepdims=True) @ c]

    return made(lambda: run(False), lambda: run(True), 5e-3, ref)


@case
def triton_museum_bytes(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import twentieth_triton as k

    labels, wide, some = 1 << 19, 128, 2048
    x = torch.randn(labels, wide, device="cuda", dtype=torch.float16)
    codes = torch.zeros(labels, wide, device="cuda", dtype=torch.int8)
    scales = torch.zeros(labels, device="cuda")

    def run(block: int, step: int) -> None:
        k.museum_bytes[(labels // block,)](x, codes, scales, WIDE=wide, BLOCK=block, STEP=step, num_warps=4)

    def outs(_: str) -> Any:
        return [codes[:some] * scales[:some, None]]

    def ref() -> Any:
        a = x[:some].double().cpu().numpy()
        scale = np.abs(a).max(1, keepdims=True) / 127
        return [np.rint(a / scale) * scale]

    return Pair(lambda: run(128, 4), lambda: run(32, 128), outs, ref, 1e-2, codes.zero_)


@case
def triton_pool_levels(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import twentieth_triton as k

    hours, pools, keep, some = 1024, 16384, 0.9, 256
    level, calm = torch.rand(hours, pools, device="cuda"), torch.rand(pools, device="cuda") * 0.5
    out = torch.zeros_like(level)
    grid = (pools // 64,)

    def slow() -> Any:
        k.pool_levels[grid](level, calm, out, hours, pools, keep, BLOCK=64, num_warps=2)
        return out[:, :some]

    def cured() -> Any:
        k.pool_levels_b[grid](level, calm, out, hours, pools, keep, BLOCK=64, STAGES=16, num_warps=2)
        return out[:, :some]

    def ref() -> Any:
        x, rest = level[:, :some].double().cpu().numpy(), calm[:some].double().cpu().numpy()
        mean, rows = rest, []
        for now in x:
            mean = keep * mean + (1 - keep) * now
            rows.append(np.maximum(mean - rest, 0))
        return [np.array(rows)]

    return made(slow, cured, 1e-4, ref)


@case
def triton_spelling_chances(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import twentieth_triton as k

    misspelt, words, block, some = 2048, 32000, 32768, 8
    scores = torch.randn(misspelt, words, device="cuda")
    chances = torch.zeros_like(scores)

    def run(warps: int) -> Any:
        k.spelling_chances[(misspelt,)](scores, chances, words, 1.5, BLOCK=block, num_warps=warps)
        return chances[:some]

    def ref() -> Any:
        part = np.exp(1.5 * scores[:some].double().cpu().numpy())
        return [part / part.sum(1, keepdims=True)]

    return made(lambda: run(4), lambda: run(16), 1e-4, ref)


@case
def triton_wallpaper_windows(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import twentieth_triton as k

    pictures, side, deep, win, block = 16, 448, 12, 7, 1024
    picture = torch.rand(pictures, side, side, deep, device="cuda").half()
    windows = torch.zeros(pictures, side // win, side // win, win, win, deep, device="cuda", dtype=torch.float16)
    grid = (picture.numel() // block,)

    def slow() -> Any:
        k.wallpaper_windows[grid](picture, windows, side, side, deep, win, BLOCK=block, num_warps=4)
        return windows[0]

    def cured() -> Any:
        sizes = {"HIGH": side, "WIDE": side, "DEEP": deep, "WIN": win}
        k.wallpaper_windows_b[grid](picture, windows, **sizes, BLOCK=block, num_warps=4)
        return windows[0]

    def ref() -> Any:
        n = side // win
        return [picture[0].cpu().numpy().reshape(n, win, n, win, deep).swapaxes(1, 2).astype(np.float32)]

    return made(slow, cured, 0.0, ref)


CASES.update(MORE)
