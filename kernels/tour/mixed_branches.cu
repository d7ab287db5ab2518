// Eight kinds of work, mixed in every warp: each lane waits for the seven other paths.
extern "C" __global__ void mixed_branches(const int* __restrict__ kind, const float* __restrict__ in, float* __restrict__ out, int n, int iters) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = in[i], w = v * 0.5f + 0.25f;
  switch (kind[i] & 7) {
    case 0: for (int t = 0; t < iters; ++t) { v = fmaf(v, 0.9f, w); w = fmaf(w, 0.8f, 0.01f); } break;
    case 1: for (int t = 0; t < iters; ++t) { v = fmaf(-v, v, 0.5f); w += v * 0.01f; } break;
    case 2: for (int t = 0; t < iters; ++t) { w = fabsf(v - w); v = fmaf(w, 0.5f, 0.1f); } break;
    case 3: for (int t = 0; t < iters; ++t) { v = fminf(v * 1.01f, 1.f - w); w = fmaf(v, 0.3f, 0.1f); } break;
    case 4: for (int t = 0; t < iters; ++t) { v = fmaf(w, w, -0.5f * v); w = w * 0.99f; } break;
    case 5: for (int t = 0; t < iters; ++t) { v = fmaxf(v * 0.7f, w); w = w * 0.97f + 0.003f; } break;
    case 6: for (int t = 0; t < iters; ++t) { w = fmaf(v, 0.1f, w * 0.5f); v = v - 0.1f * w; } break;
    default: for (int t = 0; t < iters; ++t) { v = (v + w) * 0.49f; w = fmaf(v, v, 0.02f); } break;
  }
  out[i] = v + w;
}
