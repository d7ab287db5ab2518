// A chain with its values in 100 KB of shared memory per block: two blocks fit on an SM.
#define K 100
extern "C" __global__ void chain_shared(const unsigned* __restrict__ next, float* __restrict__ out, unsigned lines) {
  extern __shared__ unsigned kept[];
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = i % 32;
  unsigned at = (unsigned)(((unsigned long long)(i / 32) * 2654435761ull) % lines);
  float mean = 0.f, var = 0.f;
  for (int t = 0; t < K; ++t) { at = next[(size_t)at * 32 + lane]; kept[t * blockDim.x + threadIdx.x] = at; mean += (float)at; }
  mean *= 1.f / K;
  for (int t = 0; t < K; ++t) { float d = (float)kept[t * blockDim.x + threadIdx.x] - mean; var = fmaf(d, d, var); }
  out[i] = var;
}
