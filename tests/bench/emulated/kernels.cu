// Forty small kernels for the emulator: each takes float* x (N values in [0, 1)), float* y (N zeros) and int n.
// The comment before a kernel is its launch: // <grid> <block> <dynamic shared bytes> <n>
#include <cuda_fp16.h>
#define K extern "C" __global__ void
__constant__ float table[64] = {1, 2, 3, 4, 5, 6, 7, 8};
__device__ __noinline__ float step(float v, int k) { return v * 1.5f + k / (v + 1.0f); }
__device__ __noinline__ int mixed_hash(int a) { a ^= a >> 7; a *= 0x9E3779B1; return a ^ (a >> 15); }

// 130 96 0 12345
K e01_odd_block(const float* x, float* y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i] + 1; }
// 17,9 8,4 0 17
K e02_two_dimensions(const float* x, float* y, int n) { int c = blockIdx.x * 8 + threadIdx.x, r = blockIdx.y * 4 + threadIdx.y; y[r * 136 + c] = x[c * 36 + r]; }
// 5,3,2 4,4,3 0 7
K e03_three_dimensions(const float* x, float* y, int n) { int a = blockIdx.x * 4 + threadIdx.x, b = blockIdx.y * 4 + threadIdx.y, c = blockIdx.z * 3 + threadIdx.z; y[(c * 12 + b) * 20 + a] = x[(a * 12 + b) * 6 + c] * n; }
// 200 128 0 20000
K e04_lane_branches(const float* x, float* y, int n) { int i = blockIdx.x * 128 + threadIdx.x; float v = x[i]; if (i % 3 == 0) v = sinf(v); else if (i % 3 == 1) v = expf(v); y[i] = v; }
// 64 64 0 40
K e05_uneven_loops(const float* x, float* y, int n) { int i = blockIdx.x * 64 + threadIdx.x; float s = 0; for (int k = 0; k < i % n; k++) s += x[i + k]; y[i] = s; }
// 64 128 0 30
K e06_nested_loops(const float* x, float* y, int n) { int i = blockIdx.x * 128 + threadIdx.x; float s = 0; for (int k = 0; k < n; k++) for (int j = 0; j < (i + k) % 5; j++) s += x[i + 8 * j] * k; y[i] = s; }
// 100 128 0 64
K e07_break_and_continue(const float* x, float* y, int n) { int i = blockIdx.x * 128 + threadIdx.x; float s = 0; for (int k = 0; k < n; k++) { if ((k + i) % 4 == 0) continue; if (k > i % 37) break; s += x[i] * k; } y[i] = s; }
// 100 128 0 9
K e08_switch(const float* x, float* y, int n) { int i = blockIdx.x * 128 + threadIdx.x; float v = x[i]; switch (i % n) { case 0: v += 1; break; case 1: v *= 2; break; case 2: v = -v; break; case 3: v = v * v; break; case 4: v = sqrtf(v); break; case 5: v = 1 / (v + 1); break; case 6: v -= 7; break; default: v = 3; } y[i] = v; }
// 90 128 0 4
K e09_device_calls(const float* x, float* y, int n) { int i = blockIdx.x * 128 + threadIdx.x; float v = x[i]; for (int k = 0; k < n; k++) v = step(v, k + i % 2); y[i] = v; }
// 90 128 0 3
K e10_call_in_a_branch(const float* x, float* y, int n) { int i = blockIdx.x * 128 + threadIdx.x; float v = x[i]; if (i % 5 == 0) v = step(v, n); else if (i % 7 == 0) v = step(v + 1, n + 1); y[i] = v; }
// 60 256 0 256
K e11_block_reduction(const float* x, float* y, int n) { __shared__ float s[256]; int t = threadIdx.x; s[t] = x[blockIdx.x * 256 + t]; __syncthreads(); for (int k = 128; k; k >>= 1) { if (t < k) s[t] += s[t + k]; __syncthreads(); } if (!t) y[blockIdx.x] = s[0]; }
// 60 256 0 256
K e12_shuffle_reduction(const float* x, float* y, int n) { int i = blockIdx.x * 256 + threadIdx.x; float v = x[i]; for (int k = 16; k; k >>= 1) v += __shfl_xor_sync(~0u, v, k); if (i % 32 == 0) y[i / 32] = v; }
// 60 128 0 128
K e13_warp_scan(const float* x, float* y, int n) { int i = blockIdx.x * 128 + threadIdx.x, l = i & 31; float v = x[i]; for (int k = 1; k < 32; k <<= 1) { float u = __shfl_up_sync(~0u, v, k); if (l >= k) v += u; } y[i] = v; }
// 60 128 0 1
K e14_ballot(const float* x, float* y, int n) { int i = blockIdx.x * 128 + threadIdx.x; unsigned b = __ballot_sync(~0u, i % 3 == 0); y[i] = __popc(b & ((1u << (i & 31)) - 1)) + (__any_sync(~0u, i % 64 == 5) ? 10 : 0); }
// 60 128 0 1
K e15_match(const float* x, float* y, int n) { int i = blockIdx.x * 128 + threadIdx.x; y[i] = __popc(__match_any_sync(~0u, i % 6)); }
// 60 128 0 1
K e16_redux(const float* x, float* y, int n) { int i = blockIdx.x * 128 + threadIdx.x; y[i] = __reduce_add_sync(~0u, i % 9) + __reduce_max_sync(~0u, i % 11); }
// 100 128 0 100
K e17_integer_atomics(const float* x, float* y, int n) { int i = blockIdx.x * 128 + threadIdx.x; atomicAdd((int*)y + mixed_hash(i) % 97 * (mixed_hash(i) % 97 < 0 ? -1 : 1), 1); }
// 100 128 0 100
K e18_float_atomics(const float* x, float* y, int n) { int i = blockIdx.x * 128 + threadIdx.x; atomicAdd(y + i % n, x[i]); }
// 40 128 0 16
K e19_shared_atomics(const float* x, float* y, int n) { __shared__ int h[64]; if (threadIdx.x < 64) h[threadIdx.x] = 0; __syncthreads(); atomicAdd(h + threadIdx.x * 7 % n, 1 + (int)(threadIdx.x & 1)); __syncthreads(); if (threadIdx.x < 64) y[blockIdx.x * 64 + threadIdx.x] = h[threadIdx.x]; }
// 40 64 0 8
K e20_shared_float_atomics(const float* x, float* y, int n) { __shared__ float h[8]; if (threadIdx.x < 8) h[threadIdx.x] = 0; __syncthreads(); atomicAdd(h + threadIdx.x % n, 1.0f); __syncthreads(); if (threadIdx.x < 8) y[blockIdx.x * 8 + threadIdx.x] = h[threadIdx.x]; }
// 40 64 0 1
K e21_atomic_results(const float* x, float* y, int n) { int i = blockIdx.x * 64 + threadIdx.x; int old = atomicMax((int*)y + 65536 + i % 3, i); y[i] = old >= 0 ? 1 : 0; }
// 50 128 0 100
K e22_doubles(const float* x, float* y, int n) { int i = blockIdx.x * 128 + threadIdx.x; double s = x[i]; for (int k = 1; k < n; k++) s = s * 0.999 + 1.0 / k; y[i] = (float)s; }
// 50 128 0 3
K e23_double_division(const float* x, float* y, int n) { int i = blockIdx.x * 128 + threadIdx.x; double d = (double)x[i] + n; y[i] = (float)(sqrt(d) / (d + 0.25)); }
// 50 128 0 20
K e24_halves(const float* x, float* y, int n) { int i = blockIdx.x * 128 + threadIdx.x; __half2 h = __floats2half2_rn(x[i], x[i] + 1), s = h; for (int k = 0; k < n; k++) s = __hfma2(s, h, h); y[i] = __low2float(s) + __high2float(s); }
// 50 128 0 1
K e25_half_loads(const float* x, float* y, int n) { int i = blockIdx.x * 128 + threadIdx.x; const __half* h = (const __half*)x; y[i] = __half2float(h[i * 3]) + 1.0f; }
// 50 128 0 24
K e26_local_array(const float* x, float* y, int n) { int i = blockIdx.x * 128 + threadIdx.x; float a[24]; for (int k = 0; k < 24; k++) a[k] = x[i + k]; float s = 0; for (int k = 0; k < n; k++) s += a[(k * 5 + i) % 24]; y[i] = s; }
// 50 128 0 64
K e27_byte_array(const float* x, float* y, int n) { int i = blockIdx.x * 128 + threadIdx.x; unsigned char a[64]; for (int k = 0; k < 64; k++) a[k] = 3 * k + i; int s = 0; for (int k = 0; k < n; k++) s += a[(k * k + i) & 63]; y[i] = s; }
// 50 128 0 1
K e28_uniform_table(const float* x, float* y, int n) { int i = blockIdx.x * 128 + threadIdx.x; float s = 0; for (int k = 0; k < 40; k++) s += table[k] * x[i]; y[i] = s; }
// 50 128 0 1
K e29_lane_table(const float* x, float* y, int n) { int i = blockIdx.x * 128 + threadIdx.x; y[i] = table[i * 5 & 63] + table[i & 15]; }
// 50 128 0 1
K e30_strided_loads(const float* x, float* y, int n) { int i = blockIdx.x * 128 + threadIdx.x; y[i] = x[i * 5] + x[i * 9 + 3]; }
// 50 128 0 1
K e31_misaligned_vectors(const float* x, float* y, int n) { int i = blockIdx.x * 128 + threadIdx.x; float2 a = ((const float2*)(x + 2))[i]; float4 b = ((const float4*)x)[i * 3]; y[i + 3] = a.x + b.w; }
// 50 128 0 1
K e32_byte_accesses(const float* x, float* y, int n) { int i = blockIdx.x * 128 + threadIdx.x; ((unsigned char*)y)[i] = 5 * i; ((short*)y)[i * 2 + 30000] = i; }
// 20 256 0 1
K e33_tile_conflicts(const float* x, float* y, int n) { __shared__ float s[32][32]; int c = threadIdx.x % 32, r = threadIdx.x / 32; for (int k = r; k < 32; k += 8) s[k][c] = x[blockIdx.x * 1024 + k * 32 + c]; __syncthreads(); for (int k = r; k < 32; k += 8) y[blockIdx.x * 1024 + k * 32 + c] = s[c][k]; }
// 20 128 0 1
K e34_shared_doubles(const float* x, float* y, int n) { __shared__ double s[512]; int t = threadIdx.x; for (int k = 0; k < 4; k++) s[t + 128 * k] = x[t + k]; __syncthreads(); y[blockIdx.x * 128 + t] = (float)(s[t * 3 & 511] + s[t / 2]); }
// 20 128 0 1
K e35_shared_vectors(const float* x, float* y, int n) { __shared__ float4 s[256]; int t = threadIdx.x; s[t] = make_float4(t, 1, 2, 3); s[t + 128] = make_float4(x[t], 5, 6, 7); __syncthreads(); float4 a = s[t * 5 & 255], b = s[t / 4], c = s[(t ^ 3) * 2 & 255]; y[blockIdx.x * 128 + t] = a.x + b.y + c.z + a.w; }
// 30 160 3200 160
K e36_dynamic_shared(const float* x, float* y, int n) { extern __shared__ float s[]; for (int k = threadIdx.x; k < 5 * n; k += n) s[k] = x[k]; __syncthreads(); y[blockIdx.x * n + threadIdx.x] = s[threadIdx.x * 5] + s[4 * n - 1 - threadIdx.x]; }
// 33 64 0 70000
K e37_grid_stride(const float* x, float* y, int n) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[i] * 2; }
// 80 128 0 1009
K e38_integer_division(const float* x, float* y, int n) { int i = blockIdx.x * 128 + threadIdx.x; y[i] = i / n + i % (n + threadIdx.x) + (unsigned)i / 7u; }
// 80 128 0 3
K e39_long_integers(const float* x, float* y, int n) { long long i = blockIdx.x * 128ll + threadIdx.x; unsigned long long h = i * 0x9E3779B97F4A7C15ull; for (int k = 0; k < n; k++) h = (h ^ (h >> 29)) * 0xBF58476D1CE4E5B9ull + (h < 12345678901ull); y[i] = (float)(h >> 40) + __clzll(h) + __popcll(h) + __brev((unsigned)h) % 3; }
// 40 256 0 3
K e40_several_barriers(const float* x, float* y, int n) { __shared__ float s[2][256]; int t = threadIdx.x; s[0][t] = x[blockIdx.x * 256 + t]; for (int k = 0; k < n; k++) { __syncthreads(); s[~k & 1][t] = s[k & 1][(t * 3 + k) & 255] + __syncthreads_count(t % 5 == k); } y[blockIdx.x * 256 + t] = s[n & 1][t]; }
