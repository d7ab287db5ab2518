"""PyTorch: a normalisation written as separate operations."""

import torch

x = torch.rand(8192, 8192, device="cuda")
for _ in range(5):
    y = (x - x.mean(dim=1, keepdim=True)) / (x.var(dim=1, keepdim=True) + 1e-5).sqrt()
    z = torch.relu(y * 1.5 + 0.1)
torch.cuda.synchronize()
print(z.shape)
