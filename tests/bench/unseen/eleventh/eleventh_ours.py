"""The pairs whose kernels are in the .cu files here: inputs, grids and references. Craters and rovers."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, launch, zero

CASES = Cases()
case = CASES.add
f64, i64 = np.float64, np.int64


# ---- bodies, fields and materials
@case
def moon_systems(t: Tools) -> Pair:
    xp, n, steps, dt = t.xp, t.size(SMS * 2048, 512), t.size(48, 4), f32(0.02)
    mass = xp.asarray([1.0, 1e-3, 2e-3, 1e-3, 3e-3], dtype=f32)
    state, end = xp.zeros((5, 6, n), f32), xp.zeros((5, 6, n), f32)
    for body in range(1, 5):
        radius = f32(body) + f32(0.2) * t.rng.random(n, dtype=f32)
        place, tilt = f32(6.28) * t.rng.random(n, dtype=f32), f32(0.3) * t.rng.random(n, dtype=f32)
        speed = 1 / xp.sqrt(radius)
        state[body, 0], state[body, 1] = radius * xp.cos(place), radius * xp.sin(place) * xp.cos(tilt)
        state[body, 2] = radius * xp.sin(place) * xp.sin(tilt)
        state[body, 3], state[body, 4] = -speed * xp.sin(place), speed * xp.cos(place) * xp.cos(tilt)
        state[body, 5] = speed * xp.cos(place) * xp.sin(tilt)

    def ref() -> Any:
        p, v, h, m = state[:, :3].astype(f64), state[:, 3:].astype(f64), float(dt), mass.astype(f64).tolist()

        def pull() -> Any:
            a = xp.zeros_like(p)
            for i in range(5):
                for j in range(5):
                    if i != j:
                        d = p[j] - p[i]
                        a[i] += m[j] * d * ((d * d).sum(axis=0) + 1e-4) ** -1.5
            return a

        a = pull()
        for _ in range(steps):
            v = v + 0.5 * h * a
            p = p + h * v
            a = pull()
            v = v + 0.5 * h * a
        return [xp.concatenate([p, v], axis=1)]

    args, grids = (state, end, mass, dt, i32(steps), i32(n)), (n // 256, n // 256)
    return both(t, "craters", "moon_systems", grids, (256, 256), args, end, ref=ref, near=1e-3)


@case
def dipole_fields(t: Tools) -> Pair:
    xp, magnets, probes = t.xp, t.size(512, 16), t.size(SMS * 2048, 256)
    magnet = t.rng.random((magnets, 6), dtype=f32) - f32(0.5)
    probe, field = f32(2) * t.rng.random((3, probes), dtype=f32) - f32(1), xp.zeros((3, probes), f32)

    def ref() -> Any:
        want, of, at = xp.zeros((3, probes)), magnet.astype(f64), probe.astype(f64)
        for k in range(magnets):
            d, m = at - of[k, :3, None], of[k, 3:, None]
            r2 = (d * d).sum(axis=0) + 1e-3
            want += (3 * (m * d).sum(axis=0) / r2 * d - m) / (r2 * xp.sqrt(r2))
        return [want]

    args, grids = (magnet, probe, field, i32(magnets), i32(probes)), (probes // 256, probes // 256)
    return both(t, "craters", "dipole_fields", grids, (256, 256), args, field, ref=ref, near=1e-4)


@case
def phi_forces(t: Tools) -> Pair:
    xp, nx, ny, nz, nt = t.xp, 64, t.size(64, 8), t.size(64, 4), t.size(128, 4)
    phi, force = t.rng.random((nt, nz, ny, nx), dtype=f32) - f32(0.5), xp.zeros((nt, nz, ny, nx), f32)
    mass2, strength = f32(0.1), f32(0.4)

    def ref() -> Any:
        want = -(8 + float(mass2)) * phi.astype(f64) - float(strength) * phi.astype(f64) ** 3
        for axis in range(4):
            want += xp.roll(phi, 1, axis=axis)
            want += xp.roll(phi, -1, axis=axis)
        return [want]

    args = (phi, force, mass2, strength, i32(nx), i32(ny), i32(nz), i32(nt))
    grids, blocks = (phi.size // 256, (nz, nt)), (256, (64, 4))
    return both(t, "craters", "phi_forces", grids, blocks, args, force, ref=ref, near=1e-5)


@case
def relax_domains(t: Tools) -> Pair:
    xp, n, colour = t.xp, t.size(4096, 64), 1
    start = f32(2) * t.rng.random((2, n, n), dtype=f32) - f32(1)
    field = f32(0.5) * t.rng.random((n, n), dtype=f32)
    px, py = start[0].copy(), start[1].copy()
    linear, cubic, mixed, fifth = 0.3, 0.4, 0.15, 0.25

    def reset() -> None:
        px[...] = start[0]
        py[...] = start[1]

    def ref() -> Any:
        u, v = start.astype(f64)
        a = 4 + float(f32(linear))
        sx, sy = (sum(xp.roll(p, s, axis=k) for s in (1, -1) for k in (0, 1)) for p in (u, v))
        sx = sx + field
        old = u, v
        for _ in range(12):
            gu = u * (a + mixed * v**2 + cubic * u**2 + fifth * u**4) - sx
            gv = v * (a + mixed * u**2 + cubic * v**2 + fifth * v**4) - sy
            uu = a + mixed * v**2 + 3 * cubic * u**2 + 5 * fifth * u**4
            vv = a + mixed * u**2 + 3 * cubic * v**2 + 5 * fifth * v**4
            uv = 2 * mixed * u * v
            det = uu * vv - uv * uv
            u, v = u - (vv * gu - uv * gv) / det, v - (uu * gv - uv * gu) / det
        number = xp.arange(n)
        mine = (number[:, None] + number) % 2 == colour
        return [xp.where(mine, u, old[0]), xp.where(mine, v, old[1])]

    args = (px, py, field, f32(linear), f32(cubic), f32(mixed), f32(fifth), i32(colour), i32(n))
    grids, blocks = ((n // 32, n // 8), (n // 64, n // 8)), ((32, 8), (32, 8))
    return both(t, "craters", "relax_domains", grids, blocks, args, (px, py), ref=ref, near=1e-5, reset=reset)


@case
def dig_craters(t: Tools) -> Pair:
    xp, n, craters, large, wide = t.xp, t.size(8192, 256), t.size(16384, 32), 6, t.size(900, 60)
    draw = np.random.default_rng(11)
    crater = np.empty((craters, 4), f32)
    crater[:, :2] = n * draw.random((craters, 2))
    crater[:, 2] = 4 + 12 * draw.random(craters) ** 3
    crater[draw.choice(craters, large, replace=False), 2] = wide
    crater[:, 3] = 0.2 * crater[:, 2]
    reach = f32(1.5) * crater[:, 2]
    first = np.maximum(0, np.ceil(crater[:, 1] - reach)).astype(i64)
    last = np.minimum(n - 1, np.floor(crater[:, 1] + reach)).astype(i64)
    strips = [(k, y, min(y + 31, last[k]), 0) for k in range(craters) for y in range(first[k], last[k] + 1, 32)]
    strip, height, dents = xp.asarray(strips, dtype=i32), xp.zeros((n, n), f32), xp.asarray(crater)

    def ref() -> Any:
        want = xp.zeros((n, n))
        for cx, cy, radius, depth in crater.astype(f64).tolist():
            far = int(1.5 * radius) + 2
            x0, y0 = max(0, int(cx) - far), max(0, int(cy) - far)
            x, y = xp.arange(x0, min(n, int(cx) + far)), xp.arange(y0, min(n, int(cy) + far))
            q = ((x - cx) ** 2 + ((y - cy) ** 2)[:, None]) / radius**2
            rim = xp.where(q < 2.25, 0.16 * (2.25 - q) ** 2, 0.0)
            want[y0 : y0 + len(y), x0 : x0 + len(x)] += depth * xp.where(q < 1, 1.25 * q - 1, rim)
        return [want]

    slow = launch(t, "craters", "dig_craters", craters, (32, 8), (dents, height, i32(n)))
    cured = launch(t, "craters", "dig_craters_b", len(strips), (32, 8), (dents, strip, height, i32(n)))
    return Pair(slow, cured, lambda _: (height,), ref, 1e-4, zero(height))


@case
def roof_sag(t: Tools) -> Pair:
    xp, roofs, iterations = t.xp, t.size(SMS * 16, 4), t.size(32, 3)
    load = t.rng.random((roofs, 32, 32), dtype=f32)
    ground = f32(0.02) + f32(0.1) * t.rng.random((roofs, 32, 32), dtype=f32)
    sag = xp.zeros((roofs, 32, 32), f32)

    def ref() -> Any:
        def stretch(p: Any) -> Any:
            wide = xp.pad(p, ((0, 0), (1, 1), (1, 1)))
            near = wide[:, :-2, 1:-1] + wide[:, 2:, 1:-1] + wide[:, 1:-1, :-2] + wide[:, 1:-1, 2:]
            return (4 + ground.astype(f64)) * p - near

        x, r = xp.zeros(load.shape), load.astype(f64)
        p, rr = r, (r * r).sum(axis=(1, 2), keepdims=True)
        for _ in range(iterations):
            ap = stretch(p)
            alpha = rr / (p * ap).sum(axis=(1, 2), keepdims=True)
            x, r = x + alpha * p, r - alpha * ap
            new = (r * r).sum(axis=(1, 2), keepdims=True)
            p, rr = r + new / rr * p, new
        return [x]

    args, grids = (load, ground, sag, i32(iterations)), (roofs, roofs)
    return both(t, "craters", "roof_sag", grids, (1024, 256), args, sag, ref=ref, near=1e-3)


@case
def pore_shapes(t: Tools) -> Pair:
    xp, n, slab = t.xp, t.size(512, 256), 64
    depth = t.size(512, 8)
    voxel = t.rng.integers(0, 2, (depth, n, n), dtype=i32).astype(xp.uint8)
    bit = (np.arange(256)[:, None] >> np.arange(8) & 1).reshape(256, 2, 2, 2)
    pairs = [np.moveaxis(bit, k, 1) for k in (1, 2, 3)]  # both sides across each axis
    faces = sum((p[:, 0] != p[:, 1]).sum(axis=(1, 2)) for p in pairs)
    either = sum((p[:, 0] | p[:, 1]).sum(axis=(1, 2)) for p in pairs)  # quarters of faces of the solid
    edges = sum(p[:, side].any(axis=(1, 2)).astype(int) for p in pairs for side in (0, 1))  # halves of edges
    cubes, point = bit.sum(axis=(1, 2, 3)), bit.any(axis=(1, 2, 3)).astype(int)
    tables = [faces, 4 * edges - 4 * either + 3 * cubes, 8 * point - 4 * edges + 2 * either - cubes]
    for name, table in zip(("face_of", "bend_of", "hole_of"), tables, strict=True):
        t.constant("craters", name, xp.asarray(table, dtype=i32))
    slabs = -(-depth // slab)
    total = xp.zeros((slabs, 3), i32)

    def ref() -> Any:
        want = xp.zeros((slabs, 3), i32)
        for s in range(slabs):
            v = voxel[s * slab : (s + 1) * slab + 1]
            near = [v[k : len(v) - 1 + k, j : n - 1 + j, i : n - 1 + i] for k in (0, 1) for j in (0, 1) for i in (0, 1)]
            code = sum(a.astype(xp.int16) << k for k, a in enumerate(near))
            count = xp.bincount(code.reshape(-1), minlength=256)
            for k, table in enumerate(tables):
                want[s, k] = (count * xp.asarray(table)).sum()
        return [want]

    args, more = (voxel, total, i32(n), i32(n), i32(depth)), {"ref": ref, "reset": zero(total)}
    grid = (n // 256, n - 1, slabs)
    return both(t, "craters", "pore_shapes", (grid, grid), (256, 256), args, total, **more)


@case
def net_wrenches(t: Tools) -> Pair:
    xp, n, bodies = t.xp, t.size(1 << 23, 1 << 12), t.size(2048, 16)
    draw = np.random.default_rng(12)
    edge = np.concatenate([[0], np.sort(draw.choice(np.arange(1, n), bodies - 1, replace=False)), [n]])
    body = xp.asarray(np.repeat(np.arange(bodies), np.diff(edge)).astype(i32))
    contact = t.rng.random((6, n), dtype=f32) - f32(0.25)
    centre, wrench = t.rng.random((bodies, 3), dtype=f32), xp.zeros((bodies, 6), f32)

    def ref() -> Any:
        r, f = contact[:3].astype(f64) - centre[body].T, contact[3:].astype(f64)
        turn = [r[1] * f[2] - r[2] * f[1], r[2] * f[0] - r[0] * f[2], r[0] * f[1] - r[1] * f[0]]
        want, cut = xp.zeros((bodies, 6)), xp.asarray(edge)
        for k, part in enumerate([*f, *turn]):
            upto = xp.concatenate([xp.zeros(1), xp.cumsum(part)])
            want[:, k] = upto[cut[1:]] - upto[cut[:-1]]
        return [want]

    args, more = (contact, body, centre, wrench, i32(n)), {"ref": ref, "near": 1e-4, "reset": zero(wrench)}
    return both(t, "craters", "net_wrenches", (n // 256, n // 256), (256, 256), args, wrench, **more)


# ---- robots, scanners and pictures
@case
def arm_dexterity(t: Tools) -> Pair:
    xp, joints, n = t.xp, 8, t.size(1 << 21, 512)
    twist = np.array([1.57, -1.57, 1.57, -1.57, 1.2, -1.57, 1.57, 0.4])
    sides = np.array([[0.1, 0.3, 0.2, 0.4, 0.1, 0.2, 0.1, 0.1], [0.4, 0.1, 0.5, 0.1, 0.4, 0.1, 0.2, 0.1]])
    table = np.stack([*sides, np.cos(twist), np.sin(twist)], axis=1).astype(f32)
    angle, dexterity = f32(6) * t.rng.random((joints, n), dtype=f32) - f32(3), xp.zeros(n, f32)

    def ref() -> Any:
        want = xp.empty(n)
        for first in range(0, n, 1 << 17):
            some = angle[:, first : first + (1 << 17)].astype(f64)
            zero_, one = xp.zeros(some.shape[1]), xp.ones(some.shape[1])
            x, y, z = (xp.stack(v) for v in ((one, zero_, zero_), (zero_, one, zero_), (zero_, zero_, one)))
            p, begin = xp.zeros_like(x), []
            for (a, d, ca, sa), q in zip(table.astype(f64).tolist(), some, strict=True):
                begin.append((p, z))
                nx, ny = xp.cos(q) * x + xp.sin(q) * y, xp.cos(q) * y - xp.sin(q) * x
                p, x = p + a * nx + d * z, nx
                y, z = ca * ny + sa * z, ca * z - sa * ny
            jacobian = xp.stack([xp.concatenate([xp.cross(b, p - o, axis=0), b]) for o, b in begin], axis=1)
            product = xp.einsum("rjn,cjn->nrc", jacobian, jacobian)
            want[first : first + (1 << 17)] = xp.sqrt(xp.maximum(xp.linalg.det(product), 0))
        return [want]

    args, bytes_each = (xp.asarray(table), angle, dexterity, i32(joints), i32(n)), 128 * 4
    more = {"shared": (bytes_each * 6 * joints, bytes_each * (6 * joints + 1)), "ref": ref, "near": 1e-3}
    return both(t, "rovers", "arm_dexterity", (n // 128, n // 128), (128, 128), args, dexterity, **more)


@case
def snake_torques(t: Tools) -> Pair:
    xp, links, n = t.xp, 12, t.size(1 << 21, 512)
    angle, speed, accel = (t.rng.random((links, n), dtype=f32) - f32(0.5) for _ in range(3))
    torque = xp.zeros((links, n), f32)

    def ref() -> Any:
        want = xp.empty((links, n))
        for begin in range(0, n, 1 << 18):
            part = slice(begin, begin + (1 << 18))
            phi, omega, alpha = (xp.cumsum(a[:, part].astype(f64), axis=0) for a in (angle, speed, accel))
            s, c = xp.sin(phi), xp.cos(phi)
            gx, gy = -alpha * s - omega**2 * c, alpha * c - omega**2 * s
            mx = 0.5 * (0.2 * (xp.cumsum(gx, axis=0) - gx) + 0.1 * gx)
            my = 0.5 * (0.2 * (xp.cumsum(gy, axis=0) - gy) + 0.1 * gy + 9.81)
            fx, fy = (xp.cumsum(m[::-1], axis=0)[::-1] - m for m in (mx, my))
            turn = 0.0017 * alpha + 0.1 * (c * my - s * mx) + 0.2 * (c * fy - s * fx)
            want[:, part] = xp.cumsum(turn[::-1], axis=0)[::-1]
        return [want]

    args = (angle, speed, accel, torque)
    slow = launch(t, "rovers", "snake_torques", n // 256, 256, (*args, i32(links), i32(n)))
    cured = launch(t, "rovers", "snake_torques_b", n // 256, 256, (*args, i32(n)))
    return Pair(slow, cured, lambda _: (torque,), ref, 1e-4)


@case
def align_scans(t: Tools) -> Pair:
    xp, pairs, m = t.xp, t.size(32, 3), t.size(1 << 18, 1 << 11)
    points = t.rng.random((9, pairs * m), dtype=f32) - f32(0.4)
    points[6:] /= xp.sqrt((points[6:] ** 2).sum(axis=0))
    sums, parts = xp.zeros((pairs, 27), f32), t.size(33, 2)

    def ref() -> Any:
        want, lower = xp.empty((pairs, 27)), [(r, c) for r in range(6) for c in range(r + 1)]
        for k in range(pairs):
            s, g, v = points[:, k * m : (k + 1) * m].astype(f64).reshape(3, 3, m)
            row, off = xp.concatenate([xp.cross(s, v, axis=0), v]), ((g - s) * v).sum(axis=0)
            product = row @ row.T
            want[k] = xp.concatenate([xp.stack([product[r, c] for r, c in lower]), row @ off])
        return [want]

    args, grids = (points, sums, i32(m), i32(pairs * m)), (pairs, (parts, pairs))
    return both(t, "rovers", "align_scans", grids, (256, 256), args, sums, ref=ref, near=1e-4, reset=zero(sums))


@case
def deskew_scan(t: Tools) -> Pair:
    xp, turns, rings, columns = t.xp, t.size(128, 1), 128, 1024
    n, draw = turns * rings * columns, np.random.default_rng(13)
    pose = np.zeros((turns + 1, 8), f32)
    pose[:, :3] = np.cumsum(draw.normal(0.5, 0.2, (turns + 1, 3)), axis=0)
    quaternion = np.cumsum(draw.normal(0.0, 0.15, (turns + 1, 4)), axis=0) + np.array([2, 0, 0, 0])
    pose[:, 4:] = quaternion / np.sqrt((quaternion**2).sum(axis=1, keepdims=True))
    distance, cloud = f32(1) + f32(60) * t.rng.random(n, dtype=f32), xp.zeros((3, n), f32)

    def ref() -> Any:
        want, size = xp.empty((3, n)), rings * columns
        u, rise = np.arange(columns) / columns, -0.4 + 0.006 * np.arange(rings)
        around = 2 * np.pi * u
        for k in range(turns):
            a, b = pose[k].astype(f64), pose[k + 1].astype(f64)
            dot = a[4:] @ b[4:]
            angle = np.arccos(min(abs(dot), 0.999999))
            near, far = np.sin((1 - u) * angle) / np.sin(angle), np.sign(dot) * np.sin(u * angle) / np.sin(angle)
            q = xp.asarray(near * a[4:, None] + far * b[4:, None])[:, :, None]
            flat = distance[k * size : (k + 1) * size].reshape(columns, rings).astype(f64)
            x = flat * xp.asarray(np.cos(around)[:, None] * np.cos(rise))
            y = flat * xp.asarray(np.sin(around)[:, None] * np.cos(rise))
            z = flat * xp.asarray(np.sin(rise))
            a0, a1, a2 = q[2] * z - q[3] * y, q[3] * x - q[1] * z, q[1] * y - q[2] * x  # v x p, and again:
            b0, b1, b2 = q[2] * a2 - q[3] * a1, q[3] * a0 - q[1] * a2, q[1] * a1 - q[2] * a0
            place = xp.asarray(a[:3, None] + u * (b[:3] - a[:3])[:, None])[:, :, None]
            for axis, (p, once, twice) in enumerate(((x, a0, b0), (y, a1, b1), (z, a2, b2))):
                turned = p + 2 * q[0] * once + 2 * twice + place[axis]
                want[axis, k * size : (k + 1) * size] = turned.reshape(-1)
        return [want]

    args, grids = (distance, xp.asarray(pose), cloud, i32(n)), (n // 256, n // (32 * rings))
    return both(t, "rovers", "deskew_scan", grids, (256, 128), args, cloud, ref=ref, near=1e-4)


@case
def coil_magnitudes(t: Tools) -> Pair:
    xp, coils, voxels = t.xp, 32, t.size(1 << 21, 1 << 9)
    signal = t.rng.random((voxels, coils, 2), dtype=f32) - f32(0.5)
    weight, magnitude = f32(0.5) + t.rng.random(coils, dtype=f32), xp.zeros(voxels, f32)

    def ref() -> Any:
        want = xp.zeros(voxels)
        for c in range(coils):
            want += float(weight[c]) * (signal[:, c].astype(f64) ** 2).sum(axis=1)
        return [xp.sqrt(want)]

    args, grids = (signal, weight, magnitude, i32(coils), i32(voxels)), (voxels // 256, voxels // 64)
    return both(t, "rovers", "coil_magnitudes", grids, (256, 256), args, magnitude, ref=ref, near=1e-5)


@case
def level_shading(t: Tools) -> Pair:
    xp, width, height = t.xp, t.size(8192, 128), t.size(8192, 64)
    raw, flat = f32(1000) * t.rng.random((height, width), dtype=f32), xp.zeros((height, width), f32)
    gain = xp.asarray([1.0, 0.35, 0.08, 0.02], dtype=f32)
    black, cx, cy, scale = f32(64), f32(width / 2 - 3.5), f32(height / 2 + 7.25), f32(2 / width)

    def ref() -> Any:
        dx, dy = (xp.arange(width) - float(cx)) * float(scale), (xp.arange(height) - float(cy)) * float(scale)
        q, (a, b, c, d) = dx**2 + (dy**2)[:, None], gain.astype(f64).tolist()
        return [xp.maximum(raw.astype(f64) - float(black), 0) * (a + q * (b + q * (c + q * d)))]

    args = (raw, flat, gain, black, cx, cy, scale, i32(width), i32(height))
    grids, blocks = ((width // 8, height // 8), (width // 32, height // 64)), ((8, 8), (32, 8))
    return both(t, "rovers", "level_shading", grids, blocks, args, flat, ref=ref, near=1e-5)
