"""The mixing product of two complex fields, written as one would on paper."""


def prepare(cp, data, out, n, kernel):
    x, y, z = data["x"], data["y"], out["z"]
    return lambda: cp.add(x * y, 0.5 * ((x - y) * (x + y)), out=z)
