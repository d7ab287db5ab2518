"""CuPy: a chain of elementwise operations, each a kernel that reads and writes everything."""

import cupy

x = cupy.random.random(1 << 26, dtype=cupy.float32)
for _ in range(5):
    y = cupy.sqrt(x * x + 2 * x + 1) - x
    z = y.astype(cupy.float64).sum()
print(float(z))
