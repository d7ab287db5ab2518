"""Pairs of the twenty-second round: kernels of CuPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import Cases, Pair, f32, i32, made

MORE = Cases()
case = MORE.add
f64 = np.float64


@case
def cupy_balloon_heights(t: Tools) -> Pair:
    cp, flights, steps, some = t.xp, 1 << 21, 16, 1 << 12
    kernel = cp.ElementwiseKernel(
        "T burn, T chill, T load",
        "T height",
        """
        T hot = T(0.5), up = T(0);
        for (int step = 0; step < 16; step++) {
            hot += burn * exp(T(-0.5) * hot) - T(0.1) * chill * hot;
            const T lift = hot / (T(1) + hot + T(0.2) * up) - T(0.3) * load;
            up = max(up + T(0.4) * lift, T(0));
        }
        height = up;
        """,
        "balloon_heights",
    )
    wide = [t.rng.random(flights) for _ in range(3)]
    narrow = [x.astype(f32) for x in wide]
    height = {"slow": cp.zeros(flights), "cured": cp.zeros(flights, f32)}

    def ref() -> Any:
        burn, chill, load = (cp.asnumpy(x[:some]) for x in wide)
        hot, up = np.full(some, 0.5), np.zeros(some)
        for _ in range(steps):
            hot = hot + burn * np.exp(-0.5 * hot) - 0.1 * chill * hot
            up = np.maximum(up + 0.4 * (hot / (1 + hot + 0.2 * up) - 0.3 * load), 0)
        return [up]

    return Pair(
        lambda: kernel(*wide, height["slow"]),
        lambda: kernel(*narrow, height["cured"]),
        lambda which: [height[which][:some], height[which]],
        ref,
        1e-4,
    )


@case
def cupy_weighbridge_dues(t: Tools) -> Pair:
    cp, lorries, fields, some = t.xp, 1 << 22, 24, 1 << 12
    kernel = cp.ElementwiseKernel(
        "float32 gross, float32 tare, float32 price",
        "float32 due",
        """
        const float net = fmaxf(gross - 0.4f * tare, 0.0f);
        const float over = fmaxf(net - 0.7f, 0.0f);
        due = price * (net + 0.5f * over) + 0.05f;
        """,
        "weighbridge_dues",
    )
    record = t.rng.random((lorries, fields), dtype=f32)
    used = [record[:, k] for k in (0, 9, 18)]
    columns = [cp.ascontiguousarray(x) for x in used]
    due = cp.zeros(lorries, f32)

    def ref() -> Any:
        gross, tare, price = (cp.asnumpy(x[:some]).astype(f64) for x in columns)
        net = np.maximum(gross - 0.4 * tare, 0)
        return [price * (net + 0.5 * np.maximum(net - 0.7, 0)) + 0.05]

    return Pair(
        lambda: kernel(*used, due),
        lambda: kernel(*columns, due),
        lambda _: [due[:some], due],
        ref,
        1e-5,
    )


@case
def cupy_siren_phases(t: Tools) -> Pair:
    cp, bins, some = t.xp, 1 << 23, 1 << 14
    left, right = ((t.rng.random(2 * bins) - 0.5).view(cp.complex128) for _ in range(2))
    whole = cp.ElementwiseKernel(
        "complex128 left, complex128 right",
        "complex128 phase",
        """
        const double re = left.real() * right.real() + left.imag() * right.imag();
        const double im = left.imag() * right.real() - left.real() * right.imag();
        const double by = 1.0 / (sqrt(re * re + im * im) + 1e-6);
        phase = complex<double>(re * by, im * by);
        """,
        "siren_phases_b",
    )

    def slow() -> Any:
        cross = left * right.conj()
        return (cross / (cp.abs(cross) + 1e-6))[:some]

    def parts(x: Any) -> Any:
        return x.view(cp.float64)

    def ref() -> Any:
        a, b = (cp.asnumpy(x[:some]) for x in (left, right))
        cross = a * b.conj()
        return [(cross / (np.abs(cross) + 1e-6)).view(f64)]

    return made(lambda: parts(slow()), lambda: parts(whole(left, right)[:some]), 1e-9, ref)


@case
def cupy_bus_fares(t: Tools) -> Pair:
    import cupyx

    cp, rides, stops, blocks = t.xp, 1 << 23, 960, 264
    code = r"""
    extern "C" __global__ void bus_fares_b(const int4* stop, const float4* fare, float* taken, int fours, int stops)
    {
        __shared__ float sum[960];
        for (int s = threadIdx.x; s < stops; s += blockDim.x) sum[s] = 0.0f;
        __syncthreads();
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < fours; i += gridDim.x * blockDim.x) {
            const int4 at = stop[i];
            const float4 paid = fare[i];
            atomicAdd(&sum[at.x], paid.x);
            atomicAdd(&sum[at.y], paid.y);
            atomicAdd(&sum[at.z], paid.z);
            atomicAdd(&sum[at.w], paid.w);
        }
        __syncthreads();
        for (int s = threadIdx.x; s < stops; s += blockDim.x) atomicAdd(&taken[s], sum[s]);
    }
    """
    cured = cp.RawKernel(code, "bus_fares_b")
    stop, fare = t.uint32(rides, stops).view(cp.int32), t.rng.random(rides, dtype=f32)
    taken = cp.zeros(stops, f32)
    args = (stop, fare, taken, i32(rides // 4), i32(stops))

    def ref() -> Any:
        return [np.bincount(cp.asnumpy(stop), cp.asnumpy(fare).astype(f64), stops)]

    return Pair(
        lambda: cupyx.scatter_add(taken, stop, fare),
        lambda: cured((blocks,), (512,), args),
        lambda _: [taken],
        ref,
        1e-4,
        lambda: taken.fill(0),
    )


@case
def cupy_frost_growth(t: Tools) -> Pair:
    cp, nx, ny, nz, some = t.xp, 250, 256, 256, 4
    slow = cp.ElementwiseKernel(
        "float32 here, raw float32 frost, int32 nx, int32 ny, int32 nz, float32 rate",
        "float32 grown",
        """
        const int x = i % nx, y = i / nx % ny, z = i / (nx * ny);
        const int west = (x + nx - 1) % nx, east = (x + 1) % nx;
        const int south = (y + ny - 1) % ny, north = (y + 1) % ny;
        const int below = (z + nz - 1) % nz, above = (z + 1) % nz;
        const float about = frost[(z * ny + y) * nx + west] + frost[(z * ny + y) * nx + east]
                          + frost[(z * ny + south) * nx + x] + frost[(z * ny + north) * nx + x]
                          + frost[(below * ny + y) * nx + x] + frost[(above * ny + y) * nx + x];
        grown = here + rate * (about - 6.0f * here) + 0.1f * here * (1.0f - here);
        """,
        "frost_growth",
    )
    code = r"""
    extern "C" __global__ void frost_growth_b(
        const float* __restrict__ frost, float* __restrict__ grown, int nx, int ny, int nz, float rate)
    {
        const int x = blockIdx.x * blockDim.x + threadIdx.x;
        const int y = blockIdx.y * blockDim.y + threadIdx.y;
        if (x >= nx || y >= ny) return;
        const int flat = nx * ny, at = y * nx + x;
        const int west = x > 0 ? at - 1 : at + nx - 1, east = x < nx - 1 ? at + 1 : at - nx + 1;
        const int south = y > 0 ? at - nx : at + flat - nx, north = y < ny - 1 ? at + nx : at - flat + nx;
        const int first = blockIdx.z * 4, last = min(first + 4, nz);
        float under = frost[(first > 0 ? first - 1 : nz - 1) * flat + at], here = frost[first * flat + at];
        for (int z = first; z < last; z++) {
            const float* layer = frost + z * flat;
            const float over = frost[(z < nz - 1 ? z + 1 : 0) * flat + at];
            const float about = layer[west] + layer[east] + layer[south] + layer[north] + under + over;
            grown[z * flat + at] = here + rate * (about - 6.0f * here) + 0.1f * here * (1.0f - here);
            under = here;
            here = over;
        }
    }
    """
    cured = cp.RawKernel(code, "frost_growth_b")
    frost, grown = t.rng.random((nz, ny, nx), dtype=f32), cp.zeros((nz, ny, nx), f32)
    args = (frost, grown, i32(nx), i32(ny), i32(nz), f32(0.05))
    grid = (-(-nx // 64), ny // 4, nz // 4)

    def ref() -> Any:
        a = cp.asnumpy(frost).astype(f64)
        about = sum(np.roll(a, step, axis)[:some] for axis in range(3) for step in (1, -1))
        now = a[:some]
        return [now + 0.05 * (about - 6 * now) + 0.1 * now * (1 - now)]

    return Pair(
        lambda: slow(frost, frost, i32(nx), i32(ny), i32(nz), f32(0.05), grown),
        lambda: cured(grid, (64, 4), args),
        lambda _: [grown[:some], grown],
        ref,
        1e-5,
    )


@case
def cupy_monitor_breaths(t: Tools) -> Pair:
    cp, frames, samples, each, some = t.xp, 1 << 18, 64, 128, 1 << 10
    code = r"""
    #define SAMPLES 64
    #define FRAMES 128
    extern "C" __global__ void monitor_breaths(const float* sound, float* power, float* peak, int pitch)
    {
        extern __shared__ float frame[];
        const float* from = sound + (size_t)blockIdx.x * FRAMES * SAMPLES;
    #pragma unroll 16
        for (int k = threadIdx.x; k < FRAMES * SAMPLES; k += FRAMES) {
            frame[k / SAMPLES * pitch + k % SAMPLES] = from[k];
        }
        __syncthreads();
        float* mine = frame + threadIdx.x * pitch;
        float low = mine[0];
        for (int k = 0; k < SAMPLES; k++) {
            low += 0.25f * (mine[k] - low);
            mine[k] = low;
        }
        float sum = 0.0f, most = 0.0f;
        for (int k = SAMPLES - 1; k >= 0; k--) {
            low += 0.25f * (mine[k] - low);
            sum += low * low;
            most = fmaxf(most, fabsf(low));
        }
        const int i = blockIdx.x * FRAMES + threadIdx.x;
        power[i] = sum / SAMPLES;
        peak[i] = most;
    }
    """
    kernel = cp.RawKernel(code, "monitor_breaths")
    sound = t.rng.random((frames, samples), dtype=f32) - f32(0.5)
    power, peak = cp.zeros(frames, f32), cp.zeros(frames, f32)

    def run(pitch: int) -> None:
        args = (sound, power, peak, i32(pitch))
        kernel((frames // each,), (each,), args, shared_mem=4 * each * pitch)

    def ref() -> Any:
        x = cp.asnumpy(sound[:some]).astype(f64).T
        low, kept = x[0], []
        for now in x:
            low = low + 0.25 * (now - low)
            kept.append(low)
        back = []
        for now in kept[::-1]:
            low = low + 0.25 * (now - low)
            back.append(low)
        y = np.array(back)
        return [(y * y).mean(axis=0), np.abs(y).max(axis=0)]

    def outs(_: str) -> Any:
        return [power[:some], peak[:some], power, peak]

    return Pair(lambda: run(samples), lambda: run(samples + 1), outs, ref, 1e-4)


@case
def cupy_bingo_lines(t: Tools) -> Pair:
    cp, cards, numbers, some = t.xp, 1 << 19, 75, 1 << 8
    code = r"""
    extern "C" __global__ void bingo_lines(
        const unsigned char* place, const int* drawn, int* first, int* points, int numbers, int cards)
    {
        const int card = blockIdx.x * blockDim.x + threadIdx.x;
        if (card >= cards) return;
        unsigned char marked[25];
        int early = numbers, won = 0;
        for (int at = 0; at < 25; at++) marked[at] = 0;
        for (int turn = 0; turn < numbers; turn++) {
            const int at = place[drawn[turn] * cards + card];
            if (at >= 25) continue;
            const int row = at / 5, column = at % 5;
            int across = 0, down = 0, fall = 0, rise = 0;
            marked[at] = 1;
            for (int k = 0; k < 5; k++) {
                across += marked[5 * row + k];
                down += marked[5 * k + column];
                fall += marked[6 * k];
                rise += marked[4 * k + 4];
            }
            int full = (across == 5) + (down == 5);
            full += row == column && fall == 5;
            full += row + column == 4 && rise == 5;
            if (full > 0) early = min(early, turn);
            won += full * (numbers - turn);
        }
        first[card] = early;
        points[card] = won;
    }
    extern "C" __global__ void bingo_lines_b(
        const unsigned char* place, const int* drawn, int* first, int* points, int numbers, int cards)
    {
        const int card = blockIdx.x * blockDim.x + threadIdx.x;
        if (card >= cards) return;
        unsigned int marked = 0;
        int early = numbers, won = 0;
        for (int turn = 0; turn < numbers; turn++) {
            const int at = place[drawn[turn] * cards + card];
            if (at >= 25) continue;
            const int row = at / 5, column = at % 5;
            marked |= 1u << at;
            int full = ((marked >> 5 * row) & 31u) == 31u;
            full += ((marked >> column) & 0x108421u) == 0x108421u;
            full += row == column && (marked & 0x1041041u) == 0x1041041u;
            full += row + column == 4 && (marked & 0x111110u) == 0x111110u;
            if (full > 0) early = min(early, turn);
            won += full * (numbers - turn);
        }
        first[card] = early;
        points[card] = won;
    }
    """
    slow, cured = (cp.RawKernel(code, name) for name in ("bingo_lines", "bingo_lines_b"))
    order = cp.argsort(t.rng.random((cards, numbers), dtype=f32), axis=1)
    place = cp.ascontiguousarray(cp.where(order < 25, order, 255).astype(cp.uint8).T)
    drawn = cp.argsort(t.rng.random(numbers, dtype=f32)).astype(i32)
    first, points = cp.zeros(cards, i32), cp.zeros(cards, i32)
    args = (place, drawn, first, points, i32(numbers), i32(cards))

    def ref() -> Any:
        turn_of = np.empty(numbers, int)
        turn_of[cp.asnumpy(drawn)] = np.arange(numbers)
        at = cp.asnumpy(place[:, :some]).astype(int)
        turns = np.zeros((some, 25), int)
        for number in range(numbers):
            hit = np.flatnonzero(at[number] < 25)
            turns[hit, at[number, hit]] = turn_of[number]
        board = turns.reshape(some, 5, 5)
        diagonals = [np.diagonal(b, axis1=1, axis2=2).max(axis=1)[:, None] for b in (board, board[:, :, ::-1])]
        done = np.concatenate([board.max(axis=2), board.max(axis=1), *diagonals], axis=1)
        return [done.min(axis=1), (numbers - done).sum(axis=1)]

    def outs(_: str) -> Any:
        return [first[:some], points[:some], first, points]

    return Pair(
        lambda: slow((cards // 256,), (256,), args),
        lambda: cured((cards // 256,), (256,), args),
        outs,
        ref,
    )


@case
def cupy_bubble_colours(t: Tools) -> Pair:
    cp, points, waves, some = t.xp, 1 << 21, 24, 1 << 12
    code = r"""
    extern "C" __global__ void NAME(const float* film, const float* tilt, const float4* wave, float* red, float* green,
                                    float* blue, int waves, int n)
    {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return;
        const float depth = 100.0f + 900.0f * film[i];
        const float path = 16.7f * depth * sqrtf(1.0f - 0.56f * tilt[i] * tilt[i]);
        float r = 0.0f, g = 0.0f, b = 0.0f;
        for (int w = 0; w < waves; w++) {
            const float4 tone = wave[w];
            const float length = 400.0f + 13.0f * w;
            const float beat = sinf(path / length);
            const float light = powf(fabsf(beat), 2.2f) * expf(-tone.w * depth);
            r += tone.x * light;
            g += tone.y * light;
            b += tone.z * light;
        }
        red[i] = r;
        green[i] = g;
        blue[i] = b;
    }
    """
    slow = cp.RawKernel(code.replace("NAME", "bubble_colours"), "bubble_colours")
    cured = cp.RawKernel(code.replace("NAME", "bubble_colours_b"), "bubble_colours_b", options=("--use_fast_math",))
    film, tilt = (t.rng.random(points, dtype=f32) for _ in range(2))
    wave = t.rng.random((waves, 4), dtype=f32) * cp.asarray([0.1, 0.1, 0.1, 0.002], f32)
    colours = [cp.zeros(points, f32) for _ in range(3)]
    args = (film, tilt, wave, *colours, i32(waves), i32(points))

    def ref() -> Any:
        x, s = (cp.asnumpy(v[:some]).astype(f64)[:, None] for v in (film, tilt))
        tone, depth = cp.asnumpy(wave).astype(f64), 100 + 900 * x
        beat = np.sin(16.7 * depth * np.sqrt(1 - 0.56 * s * s) / (400 + 13 * np.arange(waves)))
        light = np.abs(beat) ** 2.2 * np.exp(-depth * tone[:, 3])
        return list((light @ tone[:, :3]).T)

    return Pair(
        lambda: slow((points // 256,), (256,), args),
        lambda: cured((points // 256,), (256,), args),
        lambda _: [*(c[:some] for c in colours), *colours],
        ref,
        2e-3,
    )


@case
def cupy_sock_likeness(t: Tools) -> Pair:
    cp, socks, deep, some = t.xp, 4096, 1024, 64
    left, right = (t.rng.random((socks, deep), dtype=f32) - f32(0.5) for _ in range(2))
    right = right + left[::-1]
    left, right = (x / cp.linalg.norm(x, axis=1, keepdims=True) for x in (left, right))

    def cured() -> Any:
        return (left.astype(cp.float16) @ right.astype(cp.float16).T)[-some:]

    def ref() -> Any:
        a, b = (cp.asnumpy(x).astype(f64) for x in (left[-some:], right))
        return [a @ b.T]

    return made(lambda: (left @ right.T)[-some:], cured, 5e-3, ref)


@case
def cupy_eel_pulses(t: Tools) -> Pair:
    cp, windows, channels, samples, some = t.xp, 1 << 16, 10, 48, 1 << 12
    code = r"""
    __device__ void follow(const float* volt, float* charge, float* pulses, int at, int n, int samples)
    {
        float a = 0.0f, b = 0.0f, slow = 0.05f, sum = 0.0f, count = 0.0f, before = 0.0f;
    #pragma unroll 4
        for (int k = 0; k < samples; k++) {
            const float v = volt[(size_t)k * n + at] - 0.5f;
            const float band = 0.35f * v + a;
            a = b - 0.2f * v + 0.9f * band;
            b = 0.1f * v - 0.4f * band;
            const float size = fabsf(band);
            slow += (size > slow ? 0.3f : 0.05f) * (size - slow);
            const float over = fmaxf(size - 0.8f * slow, 0.0f);
            sum += over * over * (1.0f + 0.5f * size);
            count += over * before * (over - 0.2f * before + 0.1f);
            before = over;
        }
        charge[at] = sum;
        pulses[at] = count;
    }
    extern "C" __global__ void eel_pulses(
        const float* volt, float* charge, float* pulses, int windows, int channels, int samples)
    {
        const int window = blockIdx.x * blockDim.y + threadIdx.y, channel = threadIdx.x;
        if (window >= windows || channel >= channels) return;
        follow(volt, charge, pulses, window * channels + channel, windows * channels, samples);
    }
    extern "C" __global__ void eel_pulses_b(
        const float* volt, float* charge, float* pulses, int windows, int channels, int samples)
    {
        const int at = blockIdx.x * blockDim.x + threadIdx.x;
        if (at < windows * channels) follow(volt, charge, pulses, at, windows * channels, samples);
    }
    """
    slow, cured = (cp.RawKernel(code, name) for name in ("eel_pulses", "eel_pulses_b"))
    volt = t.rng.random((samples, windows, channels), dtype=f32)
    charge, pulses = (cp.zeros((windows, channels), f32) for _ in range(2))
    args = (volt, charge, pulses, i32(windows), i32(channels), i32(samples))

    def ref() -> Any:
        a, b, total, count, before = (np.zeros((some, channels)) for _ in range(5))
        level = np.full((some, channels), 0.05)
        for now in cp.asnumpy(volt[:, :some]).astype(f64):
            v = now - 0.5
            band = 0.35 * v + a
            a, b = b - 0.2 * v + 0.9 * band, 0.1 * v - 0.4 * band
            size = np.abs(band)
            level = level + np.where(size > level, 0.3, 0.05) * (size - level)
            over = np.maximum(size - 0.8 * level, 0)
            total = total + over * over * (1 + 0.5 * size)
            count = count + over * before * (over - 0.2 * before + 0.1)
            before = over
        return [total, count]

    def outs(_: str) -> Any:
        return [charge[:some], pulses[:some], charge, pulses]

    return Pair(
        lambda: slow((windows // 8,), (32, 8), args),
        lambda: cured((windows * channels // 256,), (256,), args),
        outs,
        ref,
        1e-3,
    )


@case
def cupy_diving_marks(t: Tools) -> Pair:
    cp, blocks, each = t.xp, 132, 128
    dives = blocks * each
    code = r"""
    extern "C" __global__ void diving_marks(
        const int* __restrict__ one, const int* __restrict__ two, unsigned long long* apart,
        int each, int lead, int step)
    {
        __shared__ int part[32];
        int sum = 0;
        for (int k = 0; k < each; k++) {
            const int dive = blockIdx.x * lead + k * step;
            const int a = one[dive], b = two[dive];
    #pragma unroll 4
            for (int other = threadIdx.x; other < dive; other += blockDim.x) {
                sum += ((a - one[other]) ^ (b - two[other])) < 0;
            }
        }
        for (int by = 16; by > 0; by /= 2) sum += __shfl_down_sync(0xffffffffu, sum, by);
        if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
        __syncthreads();
        if (threadIdx.x > 0) return;
        for (int warp = 1; warp < blockDim.x / 32; warp++) sum += part[warp];
        atomicAdd(apart, (unsigned long long)sum);
    }
    """
    kernel = cp.RawKernel(code, "diving_marks")
    one, two = (cp.argsort(t.rng.random(dives)).astype(i32) for _ in range(2))
    apart = cp.zeros(1, np.uint64)

    def run(lead: int, step: int) -> None:
        kernel((blocks,), (1024,), (one, two, apart, i32(each), i32(lead), i32(step)))

    def ref() -> Any:
        a, b = cp.asnumpy(one), cp.asnumpy(two)
        count = sum(int(np.count_nonzero(((a[k] - a[:k]) ^ (b[k] - b[:k])) < 0)) for k in range(1, dives))
        return [np.array([count], np.uint64)]

    return Pair(lambda: run(each, 1), lambda: run(1, blocks), lambda _: [apart], ref, 0.0, lambda: apart.fill(0))


@case
def cupy_bamboo_culms(t: Tools) -> Pair:
    cp, culms, nodes, some = t.xp, 1 << 18, 128, 1 << 12
    code = r"""
    extern "C" __global__ void bamboo_culms(const float* gap, float* mean, float* longest)
    {
        __shared__ float sums[4], tops[4];
        const int culm = blockIdx.x, node = threadIdx.x;
        float sum = gap[(size_t)culm * blockDim.x + node], top = sum;
        for (int by = 16; by > 0; by /= 2) {
            sum += __shfl_down_sync(0xffffffffu, sum, by);
            top = fmaxf(top, __shfl_down_sync(0xffffffffu, top, by));
        }
        if (node % 32 == 0) {
            sums[node / 32] = sum;
            tops[node / 32] = top;
        }
        __syncthreads();
        if (node == 0) {
            mean[culm] = (sums[0] + sums[1] + sums[2] + sums[3]) / blockDim.x;
            longest[culm] = fmaxf(fmaxf(tops[0], tops[1]), fmaxf(tops[2], tops[3]));
        }
    }
    extern "C" __global__ void bamboo_culms_b(const float4* gap, float* mean, float* longest, int culms)
    {
        const int lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32;
        for (int culm = (blockIdx.x * blockDim.x + threadIdx.x) / 32; culm < culms; culm += warps) {
            const float4 v = gap[culm * 32 + lane];
            float sum = v.x + v.y + v.z + v.w, top = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
            for (int by = 16; by > 0; by /= 2) {
                sum += __shfl_down_sync(0xffffffffu, sum, by);
                top = fmaxf(top, __shfl_down_sync(0xffffffffu, top, by));
            }
            if (lane == 0) {
                mean[culm] = sum / 128.0f;
                longest[culm] = top;
            }
        }
    }
    """
    slow, cured = (cp.RawKernel(code, name) for name in ("bamboo_culms", "bamboo_culms_b"))
    gap = t.rng.random((culms, nodes), dtype=f32)
    mean, longest = cp.zeros(culms, f32), cp.zeros(culms, f32)

    def ref() -> Any:
        x = cp.asnumpy(gap[:some]).astype(f64)
        return [x.mean(axis=1), x.max(axis=1)]

    return Pair(
        lambda: slow((culms,), (nodes,), (gap, mean, longest)),
        lambda: cured((132 * 8,), (256,), (gap, mean, longest, i32(culms))),
        lambda _: [mean[:some], longest[:some], mean, longest],
        ref,
        1e-5,
    )
