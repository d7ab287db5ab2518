// Small and large matrices: many products A B^T of 32 by 32, many inverses of 8 by 8, one linear layer in half precision.
#include <cuda_fp16.h>
#include <mma.h>

// block (N, N / 4); dynamic shared memory: N * N floats of A and N * Pitch of B.
template <int N, int Pitch>
__global__ void multiply_transposed(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                                    int batch) {
  extern __shared__ float4 raw[];
  float* const as = reinterpret_cast<float*>(raw);
  float* const bs = as + N * N;
  constexpr int Step = N / 4;
  const int x = threadIdx.x, y = threadIdx.y;
  for (int m = blockIdx.x; m < batch; m += gridDim.x) {
    const size_t base = static_cast<size_t>(m) * N * N;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      as[(y + j * Step) * N + x] = a[base + (y + j * Step) * N + x];
      bs[(y + j * Step) * Pitch + x] = b[base + (y + j * Step) * N + x];
    }
    __syncthreads();
    float sum[4] = {};
#pragma unroll
    for (int k = 0; k < N; ++k) {
      const float right = bs[x * Pitch + k];
#pragma unroll
      for (int j = 0; j < 4; ++j) sum[j] = fmaf(as[(y + j * Step) * N + k], right, sum[j]);
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) c[base + (y + j * Step) * N + x] = sum[j];
    __syncthreads();
  }
}
template __global__ void multiply_transposed<32, 32>(const float*, const float*, float*, int);
template __global__ void multiply_transposed<32, 33>(const float*, const float*, float*, int);

// A matrix a thread, element (i, j) of matrix t at [(i * N + j) * batch + t].
template <typename T, int N>
struct Square {
  T at[N][N];
  __device__ void load(const T* __restrict__ from, int batch, int t) {
#pragma unroll
    for (int e = 0; e < N * N; ++e) at[e / N][e % N] = from[static_cast<size_t>(e) * batch + t];
  }
  __device__ void store(T* __restrict__ to, int batch, int t) const {
#pragma unroll
    for (int e = 0; e < N * N; ++e) to[static_cast<size_t>(e) * batch + t] = at[e / N][e % N];
  }
  // Gauss-Jordan in place, for matrices that need no pivots.
  __device__ void invert() {
#pragma unroll
    for (int p = 0; p < N; ++p) {
      const T scale = __frcp_rn(at[p][p]);
      at[p][p] = T(1);
#pragma unroll
      for (int j = 0; j < N; ++j) at[p][j] *= scale;
#pragma unroll
      for (int i = 0; i < N; ++i) {
        if (i == p) continue;
        const T factor = at[i][p];
        at[i][p] = T(0);
#pragma unroll
        for (int j = 0; j < N; ++j) at[i][j] = fmaf(-factor, at[p][j], at[i][j]);
      }
    }
  }
};

template <int N, int BlocksPerSm>
__global__ void __launch_bounds__(256, BlocksPerSm) invert_all(const float* __restrict__ in, float* __restrict__ out, int batch) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= batch) return;
  Square<float, N> m;
  m.load(in, batch, t);
  m.invert();
  m.store(out, batch, t);
}
template __global__ void invert_all<8, 8>(const float*, float*, int);
template __global__ void invert_all<8, 1>(const float*, float*, int);

// y[m][n] = sum over k of x[m][k] w[n][k]: 128 by 128 outputs a block, 32 of k at a time.
constexpr int kTile = 128, kDepth = 32;

template <int Pitch>
__global__ void __launch_bounds__(256) linear_half2(const __half* __restrict__ x, const __half* __restrict__ w,
                                                    __half* __restrict__ y, int n, int k) {
  __shared__ __align__(16) __half2 xs[kDepth / 2][Pitch];
  __shared__ __align__(16) __half2 ws[kDepth / 2][Pitch];
  const int t = threadIdx.x, tx = t % 16 * 4, ty = t / 16 * 4;
  x += static_cast<size_t>(blockIdx.y) * kTile * k;
  w += static_cast<size_t>(blockIdx.x) * kTile * k;
  __half2 sum[8][8];
#pragma unroll
  for (int i = 0; i < 64; ++i) sum[i / 8][i % 8] = __float2half2_rn(0.0f);
  for (int k0 = 0; k0 < k; k0 += kDepth) {
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const int row = (t + 256 * j) / 4, part = t % 4;
      const uint4 px = *reinterpret_cast<const uint4*>(x + static_cast<size_t>(row) * k + k0 + part * 8);
      const uint4 pw = *reinterpret_cast<const uint4*>(w + static_cast<size_t>(row) * k + k0 + part * 8);
      const __half2* hx = reinterpret_cast<const __half2*>(&px);
      const __half2* hw = reinterpret_cast<const __half2*>(&pw);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        xs[part * 4 + i][row] = hx[i];
        ws[part * 4 + i][row] = hw[i];
      }
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < kDepth / 2; ++kk) {
      __half2 left[8], right[8];
      *reinterpret_cast<uint4*>(&left[0]) = *reinterpret_cast<const uint4*>(&xs[kk][ty]);
      *reinterpret_cast<uint4*>(&left[4]) = *reinterpret_cast<const uint4*>(&xs[kk][64 + ty]);
      *reinterpret_cast<uint4*>(&right[0]) = *reinterpret_cast<const uint4*>(&ws[kk][tx]);
      *reinterpret_cast<uint4*>(&right[4]) = *reinterpret_cast<const uint4*>(&ws[kk][64 + tx]);
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) sum[i][j] = __hfma2(left[i], right[j], sum[i][j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int row = blockIdx.y * kTile + ty + i % 4 + i / 4 * 64;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const int col = blockIdx.x * kTile + tx + j % 4 + j / 4 * 64;
      y[static_cast<size_t>(row) * n + col] = __hadd(__low2half(sum[i][j]), __high2half(sum[i][j]));
    }
  }
}
template __global__ void linear_half2<132>(const __half*, const __half*, __half*, int, int);

// The same tiles through the tensor cores: eight warps, 32 by 64 outputs each.
template <int Pitch>
__global__ void __launch_bounds__(256) linear_wmma(const __half* __restrict__ x, const __half* __restrict__ w,
                                                   __half* __restrict__ y, int n, int k) {
  using namespace nvcuda;
  __shared__ __align__(32) __half xs[kTile * Pitch];
  __shared__ __align__(32) __half ws[kTile * Pitch];
  const int t = threadIdx.x, warp = t / 32, down = warp % 4 * 32, across = warp / 4 * 64;
  x += static_cast<size_t>(blockIdx.y) * kTile * k;
  w += static_cast<size_t>(blockIdx.x) * kTile * k;
  wmma::fragment<wmma::accumulator, 16, 16, 16, __half> sum[2][4];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) wmma::fill_fragment(sum[i][j], __float2half(0.0f));
  for (int k0 = 0; k0 < k; k0 += kDepth) {
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const int row = (t + 256 * j) / 4, part = t % 4;
      *reinterpret_cast<uint4*>(&xs[row * Pitch + part * 8]) =
          *reinterpret_cast<const uint4*>(x + static_cast<size_t>(row) * k + k0 + part * 8);
      *reinterpret_cast<uint4*>(&ws[row * Pitch + part * 8]) =
          *reinterpret_cast<const uint4*>(w + static_cast<size_t>(row) * k + k0 + part * 8);
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < kDepth; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> right[4];
#pragma unroll
      for (int i = 0; i < 2; ++i) wmma::load_matrix_sync(left[i], &xs[(down + i * 16) * Pitch + kk], Pitch);
#pragma unroll
      for (int j = 0; j < 4; ++j) wmma::load_matrix_sync(right[j], &ws[(across + j * 16) * Pitch + kk], Pitch);
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) wmma::mma_sync(sum[i][j], left[i], right[j], sum[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) {
      const size_t row = static_cast<size_t>(blockIdx.y) * kTile + down + i * 16;
      wmma::store_matrix_sync(y + row * n + blockIdx.x * kTile + across + j * 16, sum[i][j], n, wmma::mem_row_major);
    }
}
template __global__ void linear_wmma<40>(const __half*, const __half*, __half*, int, int);
