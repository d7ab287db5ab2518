// Forces of many sources on test particles, and signals matched against a codebook.

__device__ __forceinline__ float inverse_root(float v) {
  float r;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
  return r;
}

struct Force {
  float x = 0.0f, y = 0.0f, z = 0.0f;
  __device__ void add(const float4& at, const float4& source, float softening) {
    const float dx = source.x - at.x, dy = source.y - at.y, dz = source.z - at.z;
    const float inverse = inverse_root(fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, softening))));
    const float pull = source.w * inverse * inverse * inverse;
    x = fmaf(pull, dx, x);
    y = fmaf(pull, dy, y);
    z = fmaf(pull, dz, z);
  }
};

// Each: particles a thread, block-strided. `sources` is a multiple of blockDim.x, which is Threads.
template <int Threads, int Each>
__global__ void __launch_bounds__(Threads) forces(const float4* __restrict__ particle, const float4* __restrict__ source,
                                                  float4* __restrict__ force, int sources, float softening) {
  __shared__ float4 tile[Threads];
  const int base = blockIdx.x * Threads * Each + threadIdx.x;
  float4 at[Each];
  Force sum[Each];
#pragma unroll
  for (int e = 0; e < Each; ++e) at[e] = particle[base + e * Threads];
  for (int first = 0; first < sources; first += Threads) {
    tile[threadIdx.x] = source[first + threadIdx.x];
    __syncthreads();
#pragma unroll 16
    for (int s = 0; s < Threads; ++s) {
      const float4 q = tile[s];
#pragma unroll
      for (int e = 0; e < Each; ++e) sum[e].add(at[e], q, softening);
    }
    __syncthreads();
  }
#pragma unroll
  for (int e = 0; e < Each; ++e) force[base + e * Threads] = make_float4(sum[e].x, sum[e].y, sum[e].z, 0.0f);
}
template __global__ void forces<256, 2>(const float4*, const float4*, float4*, int, float);

// The nearest of Codes vectors of 16 floats for each signal. Dynamic shared memory holds all codes: one block of 1024 an SM.
// Signals lie in tiles of 2048: element d of signal s of a tile at [(tile * 16 + d) * 2048 + s]; blocks take tiles in turn.
template <int Codes>
__global__ void __launch_bounds__(1024, 1) nearest_code(const float* __restrict__ signals, const float4* __restrict__ codebook,
                                                        int* __restrict__ best, int tiles) {
  extern __shared__ float4 codes[];
  for (int i = threadIdx.x; i < Codes * 4; i += blockDim.x) codes[i] = codebook[i];
  __syncthreads();
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const float* const mine = signals + static_cast<size_t>(tile) * 16 * 2048 + threadIdx.x;
    float a[16], b[16];
#pragma unroll
    for (int d = 0; d < 16; ++d) {
      a[d] = mine[d * 2048];
      b[d] = mine[d * 2048 + 1024];
    }
    float least_a = 3.0e38f, least_b = 3.0e38f;
    int code_a = 0, code_b = 0;
    for (int c = 0; c < Codes; ++c) {
      float off_a = 0.0f, off_b = 0.0f;
#pragma unroll
      for (int q = 0; q < 4; ++q) {
        const float4 v = codes[c * 4 + q];
        const float w[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          const float da = a[q * 4 + j] - w[j], db = b[q * 4 + j] - w[j];
          off_a = fmaf(da, da, off_a);
          off_b = fmaf(db, db, off_b);
        }
      }
      if (off_a < least_a) {
        least_a = off_a;
        code_a = c;
      }
      if (off_b < least_b) {
        least_b = off_b;
        code_b = c;
      }
    }
    best[tile * 2048 + threadIdx.x] = code_a;
    best[tile * 2048 + 1024 + threadIdx.x] = code_b;
  }
}
template __global__ void nearest_code<3072>(const float*, const float4*, int*, int);
