"""The same expression as an ElementwiseKernel: the loop body in CUDA C++, the rest by CuPy."""


def prepare(cp, data, out, n, kernel):
    x, y, z = data["x"], data["y"], out["z"]
    mix = cp.ElementwiseKernel("T x, T y", "T z", "z = x * y + T(0.5) * ((x - y) * (x + y))", "mixing_product")
    return lambda: mix(x, y, z)
