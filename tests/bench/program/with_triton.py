"""Triton: a transpose whose stores are a column apart."""

import torch
import triton
import triton.language as tl


@triton.jit
def turn(x, y, n, block: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, block):
        column = start + tl.arange(0, block)
        tl.store(y + column * n + row, tl.load(x + row * n + column))


n = 8192
x = torch.rand(n, n, device="cuda")
y = torch.empty_like(x)
for _ in range(4):
    turn[(n,)](x, y, n, block=1024)
torch.cuda.synchronize()
print(y.shape)
