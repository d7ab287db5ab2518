"""A program whose time is on the CPU: it prepares for a second what the GPU does in a millisecond."""

import cupy
import numpy

x = numpy.random.default_rng(1).random(1 << 20).astype(numpy.float32)
for _ in range(400):
    x = numpy.sort(numpy.cos(x))
y = cupy.asarray(x)
for _ in range(5):
    y = y * 1.0001
print(float(y[0]))
