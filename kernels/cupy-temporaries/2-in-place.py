"""The same expression with its temporaries reused: `out=` and in-place operators, two buffers in all."""


def prepare(cp, data, out, n, kernel):
    x, y, z = data["x"], data["y"], out["z"]
    t = cp.empty_like(x)

    def run():
        cp.subtract(x, y, out=z)
        cp.add(x, y, out=t)
        cp.multiply(z, t, out=z)
        cp.multiply(z, 0.5, out=z)
        cp.multiply(x, y, out=t)
        cp.add(z, t, out=z)

    return run
