"""Pairs of the twenty-first round that are not CUDA C: PyTorch and Triton, and CuPy (twentyfirst_cupy)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from device import Tools
from pair import Cases, Pair, made, seeded_torch
from twentyfirst_cupy import MORE

CASES = Cases()
case = CASES.add
SEED = 213


# ---- PyTorch
@case
def torch_taxi_fares(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    steps, rides, some = t.size(1 << 24, 1 << 12), t.size(1 << 23, 1 << 12), 1 << 12
    edges = torch.sort(torch.rand(steps, device="cuda")).values
    lengths = torch.rand(rides, device="cuda")
    ordered, order = torch.sort(lengths)
    back = torch.argsort(order)[:some]

    def ref() -> Any:
        return [np.searchsorted(edges.cpu().numpy(), lengths[:some].cpu().numpy())]

    def cured() -> Any:
        return torch.searchsorted(edges, ordered)[back]

    return made(lambda: torch.searchsorted(edges, lengths)[:some], cured, 0.0, ref)


@case
def torch_umbrella_sales(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    days, shops, some = t.size(1024, 64), t.size(16384, 128), 64
    sold = torch.rand(days, shops, device="cuda")

    def ref() -> Any:
        return [np.cumsum(sold[:, :some].double().cpu().numpy(), 0)]

    def cured() -> Any:
        return torch.cumsum(sold.t().contiguous(), 1).t()[:, :some]

    return made(lambda: torch.cumsum(sold, 0)[:, :some], cured, 1e-4, ref)


@case
def torch_menu_losses(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    guests, dishes, some = t.size(8192, 64), t.size(8192, 64), 64
    scores = torch.randn(guests, dishes, device="cuda")
    chosen = torch.randint(0, dishes, (guests,), device="cuda")
    f = torch.nn.functional

    def slow() -> Any:
        return -(f.one_hot(chosen, dishes) * f.log_softmax(scores, 1)).sum(1)

    def ref() -> Any:
        x, y = scores[:some].double().cpu().numpy(), chosen[:some].cpu().numpy()
        return [np.log(np.exp(x).sum(1)) - x[np.arange(len(y)), y]]

    pair = made(slow, lambda: f.cross_entropy(scores, chosen, reduction="none"), 1e-4)
    whole = pair.outs
    pair.outs = lambda which: [x[:some] for x in whole(which)]
    pair.ref = ref
    return pair


@case
def torch_windsurf_poses(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    poses, some = t.size(1 << 19, 1 << 10), 1 << 10
    body, sail = (torch.randn(poses, 3, 3, device="cuda") for _ in range(2))

    def cured() -> Any:
        turned = body[:, :, 0, None] * sail[:, None, 0]
        turned = torch.addcmul(turned, body[:, :, 1, None], sail[:, None, 1])
        return torch.addcmul(turned, body[:, :, 2, None], sail[:, None, 2])[:some]

    def ref() -> Any:
        a, b = (x[:some].double().cpu().numpy() for x in (body, sail))
        return [np.einsum("nij,njk->nik", a, b)]

    return made(lambda: torch.bmm(body, sail)[:some], cured, 5e-3, ref)


@case
def torch_dog_likeness(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    breeds, dogs, deep, some = 4, t.size(2048, 64), t.size(1024, 32), 32
    looks = torch.randn(breeds, dogs, deep, device="cuda").half() / deep**0.25
    pairs = torch.randn(breeds, dogs, deep, device="cuda").half() / deep**0.25

    def slow() -> Any:
        every = looks.view(breeds * dogs, deep) @ pairs.view(breeds * dogs, deep).t()
        blocks = every.view(breeds, dogs, breeds, dogs)
        return blocks.diagonal(dim1=0, dim2=2)[:some, :some]

    def cured() -> Any:
        return torch.bmm(looks, pairs.transpose(1, 2)).permute(1, 2, 0)[:some, :some]

    def ref() -> Any:
        a, b = (x[:, :some].double().cpu().numpy() for x in (looks, pairs))
        return [np.einsum("bid,bjd->ijb", a, b)]

    return made(slow, cured, 5e-3, ref)


@case
def torch_cartoon_pans(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    frames, high, wide, step, some = t.size(128, 2), t.size(1024, 16), 2048, 296, 1
    film = torch.randint(0, 256, (frames, high, wide), device="cuda", dtype=torch.uint8)

    def cured() -> Any:
        return torch.roll(film.view(torch.int64), step // 8, 2).view(torch.uint8)[:some]

    def ref() -> Any:
        return [np.roll(film[:some].cpu().numpy(), step, 2)]

    return made(lambda: torch.roll(film, step, 2)[:some], cured, 0.0, ref)


# ---- Triton
@case
def triton_proverb_adapter(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import twentyfirst_triton as k

    tokens, deep, rank, some = 1 << 18, 256, 32, 1024
    x = torch.randn(tokens, deep, device="cuda").half()
    down, up = ((torch.randn(rank, deep, device="cuda") * w).half() for w in (0.06, 0.2))
    out = torch.zeros_like(x)

    def slow() -> Any:
        k.proverb_adapter[(tokens // 32,)](x, down, up, out, 0.5, BM=32, D=deep, R=rank, num_warps=4)
        return out[:some]

    def cured() -> Any:
        k.proverb_adapter_b[(tokens // 64,)](x, down, up, out, 0.5, BM=64, D=deep, R=rank, num_warps=4)
        return out[:some]

    def ref() -> Any:
        a, d, u = (y.double().cpu().numpy() for y in (x[:some], down, up))
        return [a + 0.5 * (a @ d.T) @ u]

    return made(slow, cured, 3e-3, ref)


@case
def triton_lullaby_turns(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import twentyfirst_triton as k

    tokens, heads, deep, block, first, some = 8192, 64, 128, 16, 21, 64
    x = torch.randn(tokens, heads, deep, device="cuda").half()
    out = torch.zeros_like(x)

    def run(each: int) -> Any:
        grid = (tokens // block, heads // each)
        k.lullaby_turns[grid](x, out, first, heads, 10000.0, BLOCK=block, D=deep, HEADS=each, num_warps=4)
        return out[-some:]

    def ref() -> Any:
        a, b = np.split(x[-some:].double().cpu().numpy(), 2, 2)
        place = first + np.arange(tokens - some, tokens)
        angle = (place[:, None] * 10000.0 ** (-2 * np.arange(deep // 2) / deep))[:, None]
        c, s = np.cos(angle), np.sin(angle)
        return [np.concatenate((a * c - b * s, b * c + a * s), 2)]

    return made(lambda: run(1), lambda: run(16), 5e-3, ref)


@case
def triton_riddle_answers(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import twentyfirst_triton as k

    riddles, wide, keep, some = 16384, 1024, 16, 256
    scores = torch.randn(riddles, wide, device="cuda")
    best, total = torch.zeros(riddles, keep, device="cuda"), torch.zeros(riddles, device="cuda")
    which = torch.zeros(riddles, keep, device="cuda", dtype=torch.int32)

    def run(warps: int) -> None:
        k.riddle_answers[(riddles,)](scores, best, which, total, WIDE=wide, K=keep, num_warps=warps)

    def ref() -> Any:
        x = scores[:some].double().cpu().numpy()
        order = np.argsort(-x, 1)[:, :keep]
        top = np.take_along_axis(x, order, 1)
        weight = np.exp(top - top[:, :1])
        return [weight, np.take_along_axis(x, order, 1), weight.sum(1)]

    def outs(_: str) -> Any:
        return [best[:some], torch.gather(scores[:some], 1, which[:some].long()), total[:some]]

    return Pair(lambda: run(8), lambda: run(1), outs, ref, 1e-4, best.zero_)


@case
def triton_fable_decode(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import twentyfirst_triton as k

    heads, seq, deep, splits = 16, 16384, 128, 32
    q = torch.randn(heads, deep, device="cuda").half() * 2
    keys, values = (torch.randn(heads, seq, deep, device="cuda").half() for _ in range(2))
    out = torch.zeros(heads, deep, device="cuda")
    parts = torch.zeros(heads, splits, deep + 2, device="cuda")
    scale = 1.4426950408889634 / deep**0.5

    def run(pieces: int) -> Any:
        more = {"D": deep, "BN": 64, "SPLITS": pieces, "num_warps": 4}
        k.fable_decode[(heads, pieces)](q, keys, values, out, parts, seq, scale, **more)
        if pieces > 1:
            k.fable_join[(heads,)](parts, out, D=deep, SPLITS=pieces, num_warps=4)
        return out

    def ref() -> Any:
        a, b, c = (x[:4].double().cpu().numpy() for x in (q, keys, values))
        score = np.einsum("hd,hnd->hn", a, b) / deep**0.5
        part = np.exp(score - score.max(1, keepdims=True))
        return [np.einsum("hn,hnd->hd", part / part.sum(1, keepdims=True), c)]

    return made(lambda: run(1)[:4], lambda: run(splits)[:4], 2e-3, ref)


@case
def triton_mushroom_moments(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import twentyfirst_triton as k

    pictures, pixels, channels, wide = 64, 4096, 128, 32
    x = torch.rand(pictures, pixels, channels, device="cuda") - 0.3
    out = torch.zeros(2, pictures, channels, device="cuda")
    given = (x, out[0], out[1], pixels, channels)

    def slow() -> Any:
        k.mushroom_moments[(channels, pictures)](*given, BLOCK=1024, num_warps=4)
        return out[:, :4]

    def cured() -> Any:
        k.mushroom_moments_b[(channels // wide, pictures)](*given, BLOCK=128, WIDE=wide, num_warps=8)
        return out[:, :4]

    def ref() -> Any:
        a = x[:4].double().cpu().numpy()
        return [np.array([a.mean(1), 1 / np.sqrt(a.var(1) + 1e-5)])]

    return made(slow, cured, 1e-3, ref)


@case
def triton_comic_layer(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import twentyfirst_triton as k

    panels, deep, wide, bm, bn, some = 4096, 4096, 4096, 128, 256, 64
    x = torch.randn(panels, deep, device="cuda").half()
    w = (torch.randn(deep, wide, device="cuda") / 64).half()
    bias = torch.rand(wide, device="cuda")
    out = torch.zeros(panels, wide, device="cuda", dtype=torch.float16)
    grid = (panels // bm, wide // bn)

    def run(stages: int) -> Any:
        more = {"BM": bm, "BN": bn, "BK": 64, "num_warps": 8, "num_stages": stages}
        k.comic_layer[grid](x, w, bias, out, deep, wide, **more)
        return out[:some]

    def ref() -> Any:
        a, b, c = (y.double().cpu().numpy() for y in (x[:some], w, bias))
        return [np.maximum(a @ b + c, 0)]

    return made(lambda: run(1), lambda: run(3), 5e-3, ref)


@case
def triton_wedding_bags(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import twentyfirst_triton as k

    gifts, deep, lists, most, piece, some = 1 << 20, 64, 16384, 8000, 128, 512
    table = torch.randn(gifts, deep, device="cuda").half()
    long = torch.randint(1, 65, (lists,))
    long[torch.randint(some, lists, (6,))] = most
    long[some // 2] = most
    starts = torch.cat((torch.zeros(1, dtype=torch.int64), long.cumsum(0)))
    items = torch.randint(0, gifts, (int(starts[-1]),), device="cuda", dtype=torch.int32)
    count = (long + piece - 1) // piece
    owner = torch.repeat_interleave(torch.arange(lists), count)
    nth = torch.arange(len(owner)) - torch.repeat_interleave(count.cumsum(0) - count, count)
    begins = starts[owner] + nth * piece
    ends = torch.minimum(begins + piece, starts[owner + 1])
    starts, owner, begins, ends = (x.int().cuda() for x in (starts, owner, begins, ends))
    out = torch.zeros(lists, deep, device="cuda")
    pieces = (table, items, owner, begins, ends, out)

    def ref() -> Any:
        at, all_items = starts[: some + 1].cpu().numpy(), items.cpu().numpy()
        rows = table.float().cpu().numpy()
        return [np.array([rows[all_items[a:b]].sum(0, dtype=np.float64) for a, b in pairwise(at)])]

    return Pair(
        lambda: k.wedding_bags[(lists,)](table, items, starts, out, D=deep, BLOCK=32, num_warps=4),
        lambda: k.wedding_bags_b[(len(owner),)](*pieces, D=deep, BLOCK=32, num_warps=4),
        lambda _: [out[:some]],
        ref,
        1e-4,
        out.zero_,
    )


@case
def triton_news_interest(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import twentyfirst_triton as k

    readings, block, some = 1 << 24, 1024, 1 << 16
    now = torch.full((1,), 1.7e9, device="cuda", dtype=torch.float64)
    read_at = now - torch.rand(readings, device="cuda", dtype=torch.float64) ** 4 * 5e6
    value, out = torch.rand(readings, device="cuda"), torch.zeros(readings, device="cuda")

    def run(kernel: Any) -> Any:
        kernel[(readings // block,)](read_at, value, now, out, BLOCK=block, num_warps=4)
        return out[:some]

    def ref() -> Any:
        age, w = 1.7e9 - read_at[:some].cpu().numpy(), value[:some].double().cpu().numpy()
        shares = ((0.4, 3600), (0.2, 21600), (0.1, 86400), (0.1, 604800), (0.1, 2592000), (0.1, 31536000))
        return [w * sum(share * np.exp(-age / long) for share, long in shares)]

    return made(lambda: run(k.news_interest), lambda: run(k.news_interest_b), 1e-4, ref)


CASES.update(MORE)
