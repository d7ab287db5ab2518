// The first version again, four blocks per SM instead of one: while one block loads, another computes.
// launch: transitions<<<4 * sms, 256, 16384>>>(in, out, tiles)
#define THREADS 256
#define ORDER 16

// exp(a) of a 4x4 matrix by the Taylor series in Horner's form.
__device__ void exponential(float a[16]) {
  float e[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) e[i] = fmaf(1.f / ORDER, a[i], i % 5 == 0 ? 1.f : 0.f);
#pragma unroll
  for (int k = ORDER - 1; k > 0; --k) {
    float t[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      t[i] = 0.f;
#pragma unroll
      for (int j = 0; j < 4; ++j) t[i] = fmaf(a[i / 4 * 4 + j], e[j * 4 + i % 4], t[i]);
    }
#pragma unroll
    for (int i = 0; i < 16; ++i) e[i] = fmaf(1.f / k, t[i], i % 5 == 0 ? 1.f : 0.f);
  }
#pragma unroll
  for (int i = 0; i < 16; ++i) a[i] = e[i];
}

// The position of quarter `part` of a record in the tile: spread so that neither rows nor records share a bank.
__device__ int slot(int record, int part) { return record * 4 + (part ^ (record / 2 & 3)); }

extern "C" __global__ void __launch_bounds__(THREADS) transitions(const float4* __restrict__ in, float4* __restrict__ out, int tiles) {
  extern __shared__ float4 tile[];
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      int f = threadIdx.x + k * THREADS;
      tile[slot(f / 4, f % 4)] = in[(size_t)t * 4 * THREADS + f];
    }
    __syncthreads();
    float a[16];
#pragma unroll
    for (int p = 0; p < 4; ++p) {
      float4 q = tile[slot(threadIdx.x, p)];
      a[4 * p] = q.x; a[4 * p + 1] = q.y; a[4 * p + 2] = q.z; a[4 * p + 3] = q.w;
    }
    exponential(a);
#pragma unroll
    for (int p = 0; p < 4; ++p) tile[slot(threadIdx.x, p)] = make_float4(a[4 * p], a[4 * p + 1], a[4 * p + 2], a[4 * p + 3]);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      int f = threadIdx.x + k * THREADS;
      out[(size_t)t * 4 * THREADS + f] = tile[slot(f / 4, f % 4)];
    }
    __syncthreads();
  }
}
