// Forty kernels in the style of programs, written apart from the emulator and its tests. launches.h has their launches.
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

namespace cg = cooperative_groups;

// 1 Resize an image with bilinear interpolation; neither size is a multiple of the block.
__global__ void resize(const float* in, float* out, int w, int h, int ow, int oh) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= ow || y >= oh) return;
  float fx = (x + 0.5f) * w / ow - 0.5f, fy = (y + 0.5f) * h / oh - 0.5f;
  int x0 = max((int)floorf(fx), 0), y0 = max((int)floorf(fy), 0), x1 = min(x0 + 1, w - 1), y1 = min(y0 + 1, h - 1);
  float ax = fminf(fmaxf(fx - x0, 0.f), 1.f), ay = fminf(fmaxf(fy - y0, 0.f), 1.f);
  float top = in[y0 * w + x0] * (1 - ax) + in[y0 * w + x1] * ax;
  float low = in[y1 * w + x0] * (1 - ax) + in[y1 * w + x1] * ax;
  out[y * ow + x] = top * (1 - ay) + low * ay;
}

// 2 Steps until z -> z^2 + c escapes.
__global__ void escape(int* steps, int w, int h, int most, float scale) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float cr = scale * x / w - 2.f, ci = scale * y / h - 1.25f, r = 0, i = 0;
  int n = 0;
  while (n < most && r * r + i * i < 4.f) {
    float t = r * r - i * i + cr;
    i = 2 * r * i + ci;
    r = t;
    n++;
  }
  steps[y * w + x] = n;
}

// 3 Steps of 3n+1 until 1, in 64 bits.
__global__ void collatz(unsigned* steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long v = i + 27;
  unsigned s = 0;
  do {
    v = v & 1 ? 3 * v + 1 : v >> 1;
    s++;
  } while (v != 1 && s < 1000);
  steps[i] = s;
}

// 4 Sort 512 values in each block with a bitonic network.
__global__ void bitonic(const float* in, float* out) {
  __shared__ float s[512];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 512 + t];
  s[t + 256] = in[blockIdx.x * 512 + t + 256];
  for (int size = 2; size <= 512; size <<= 1)
    for (int stride = size / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      int low = 2 * t - (t & (stride - 1));
      bool up = (low & size) == 0;
      float a = s[low], b = s[low + stride];
      if ((a > b) == up) {
        s[low] = b;
        s[low + stride] = a;
      }
    }
  __syncthreads();
  out[blockIdx.x * 512 + t] = s[t];
  out[blockIdx.x * 512 + t + 256] = s[t + 256];
}

// 5 Inclusive scan with two buffers; the block has 224 threads.
__global__ void scan_two_buffers(const int* in, int* out, int n) {
  extern __shared__ int buffers[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, from = 0;
  buffers[t] = i < n ? in[i] & 1023 : 0;
  __syncthreads();
  for (int k = 1; k < (int)blockDim.x; k *= 2) {
    int to = 1 - from;
    buffers[to * blockDim.x + t] = buffers[from * blockDim.x + t] + (t >= k ? buffers[from * blockDim.x + t - k] : 0);
    from = to;
    __syncthreads();
  }
  if (i < n) out[i] = buffers[from * blockDim.x + t];
}

// 6 Exclusive scan up and down a tree, with the bank conflicts of its strides.
__global__ void scan_tree(const float* in, float* out) {
  __shared__ float s[1024];
  int t = threadIdx.x, base = blockIdx.x * 1024;
  s[2 * t] = in[base + 2 * t];
  s[2 * t + 1] = in[base + 2 * t + 1];
  int offset = 1;
  for (int d = 512; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0) s[1023] = 0;
  for (int d = 1; d < 1024; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
      float v = s[a];
      s[a] = s[b];
      s[b] += v;
    }
  }
  __syncthreads();
  out[base + t] = s[t];
  out[base + t + 512] = s[t + 512];
}

// 7 Count digits; one lane of those with the same digit adds for all.
__global__ void digits(const unsigned* keys, unsigned* counts, int shift, int n) {
  __shared__ unsigned h[8][17];
  int w = threadIdx.x / 32;
  if (threadIdx.x < 136) (&h[0][0])[threadIdx.x] = 0;
  __syncthreads();
  for (int base = blockIdx.x * blockDim.x; base < n; base += gridDim.x * blockDim.x) {
    int i = base + threadIdx.x;
    unsigned digit = i < n ? keys[i] >> shift & 15 : 16, peers = __match_any_sync(~0u, digit);
    if (__ffs(peers) - 1 == (int)(threadIdx.x & 31)) h[w][digit] += __popc(peers);
    __syncwarp();
  }
  __syncthreads();
  if (threadIdx.x < 16) {
    unsigned sum = 0;
    for (int k = 0; k < 8; k++) sum += h[k][threadIdx.x];
    atomicAdd(counts + threadIdx.x, sum);
  }
}

// 8 Append what passes a filter; one atomic operation a warp.
__global__ void filter(const float* in, float* out, unsigned* count, float limit, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? in[i] : 2.f;
  bool take = v < limit;
  unsigned mask = __ballot_sync(~0u, take);
  int lane = threadIdx.x & 31;
  unsigned base = 0;
  if (lane == 0 && mask) base = atomicAdd(count, __popc(mask));
  base = __shfl_sync(~0u, base, 0);
  if (take) out[base + __popc(mask & ((1u << lane) - 1))] = v;
}

// 9 Sums of tiles of eight threads.
__global__ void tile_sums(const float* in, float* out) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  float v = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int k = tile.size() / 2; k > 0; k /= 2) v += tile.shfl_down(v, k);
  if (tile.thread_rank() == 0) out[blockIdx.x * (blockDim.x / 8) + tile.meta_group_rank()] = v;
}

// 10 Threads that took a branch form a group and reserve room together.
__global__ void coalesced_groups(const int* in, int* out, int* counters) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
  if (v % 3 != 0) {
    auto group = cg::coalesced_threads();
    int base = 0;
    if (group.thread_rank() == 0) base = atomicAdd(counters + blockIdx.x, (int)group.size());
    base = group.shfl(base, 0);
    out[blockIdx.x * blockDim.x + base + group.thread_rank()] = v;
  }
}

// 11 Seven-point stencil in three dimensions, blocks of 10 x 6 x 3.
__global__ void stencil(const float* in, float* out, int nx, int ny, int nz, float c0, float c1) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
  int i = (z * ny + y) * nx + x;
  out[i] = c0 * in[i] + c1 * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny]);
}

// 12 Convolution with a mask in constant memory and a tile with a halo.
__constant__ float mask5[25] = {1, 4, 6, 4, 1, 4, 16, 24, 16, 4, 6, 24, 36, 24, 6, 4, 16, 24, 16, 4, 1, 4, 6, 4, 1};
__global__ void blur(const float* in, float* out, int w, int h) {
  __shared__ float tile[20][20];
  int bx = blockIdx.x * 16, by = blockIdx.y * 16;
  for (int k = threadIdx.y * 16 + threadIdx.x; k < 400; k += 256) {
    int x = min(max(bx + k % 20 - 2, 0), w - 1), y = min(max(by + k / 20 - 2, 0), h - 1);
    tile[k / 20][k % 20] = in[y * w + x];
  }
  __syncthreads();
  int x = bx + threadIdx.x, y = by + threadIdx.y;
  if (x >= w || y >= h) return;
  float sum = 0;
  for (int j = 0; j < 5; j++)
    for (int i = 0; i < 5; i++) sum += mask5[j * 5 + i] * tile[threadIdx.y + j][threadIdx.x + i];
  out[y * w + x] = sum * (1.f / 256);
}

// 13 Sparse rows of uneven length, a warp a row.
__global__ void sparse_rows(const int* columns, const float* values, float* out, int rows, int n) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (row >= rows) return;
  int begin = row * 50, end = begin + 3 + row * 7 % 47;
  float sum = 0;
  for (int k = begin + lane; k < end; k += 32) sum += values[k] * values[columns[k] % n];
  for (int k = 16; k > 0; k >>= 1) sum += __shfl_down_sync(~0u, sum, k);
  if (lane == 0) out[row] = sum;
}

// 14 Add doubles to buckets.
__global__ void buckets(const int* where, const double* what, double* sums, int n, int number) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sums + where[i] % number, what[i]);
}

// 15 Several atomic operations of 64 and 32 bits without use of their results.
__global__ void many_atomics(const int* in, unsigned long long* wide, unsigned* narrow) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
  atomicAdd(wide + (v & 31), (unsigned long long)v);
  atomicMax(wide + 64 + (v & 7), (unsigned long long)v << 20);
  atomicXor(narrow + 2048 + (v >> 4 & 63), v);
  atomicOr(narrow + 4096 + i / 32, 1u << (v & 31));
  atomicMin((int*)narrow + 8192 + threadIdx.x % 5, -v);
}

// 16 Greatest float of a bucket with compare-and-swap.
__global__ void greatest(const float* in, unsigned* out, int number) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[i] * (i % 101);
  unsigned* place = out + i % number;
  unsigned old = *place, assumed;
  while (__uint_as_float(old) < v) {
    assumed = old;
    old = atomicCAS(place, assumed, __float_as_uint(v));
    if (old == assumed) break;
  }
}

// 17 Points in a circle with a xorshift generator.
__global__ void circle(unsigned* hits, int rounds, unsigned seed) {
  unsigned s = (blockIdx.x * blockDim.x + threadIdx.x + 1) * 2654435761u ^ seed;
  int inside = 0;
  for (int k = 0; k < rounds; k++) {
    s ^= s << 13, s ^= s >> 17, s ^= s << 5;
    float x = (s >> 8) * 5.9604645e-8f;
    s ^= s << 13, s ^= s >> 17, s ^= s << 5;
    float y = (s >> 8) * 5.9604645e-8f;
    inside += x * x + y * y <= 1.f;
  }
  inside = __reduce_add_sync(~0u, inside);
  if ((threadIdx.x & 31) == 0) hits[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = inside;
}

// 18 Bit tricks.
__global__ void bits(const unsigned* a, const unsigned long long* b, unsigned* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = a[i], w = a[i + 1];
  unsigned long long q = b[i / 2];
  unsigned r = __popc(v ^ w) + __popcll(q) * 3 + __clz(v) * 5 + __clzll(q) * 7 + __ffs(w) * 11 + __ffsll(q);
  r ^= __brev(v) + (unsigned)(__brevll(q) >> 20);
  r += __byte_perm(v, w, 0x5140 + (i & 3)) ^ __funnelshift_l(v, w, i) ^ __funnelshift_rc(v, w, i & 63);
  r += __vabsdiffu4(v, w) ^ __vaddus2(v, w) ^ __usad(v, w, r) ^ (v >> 5 & 0x1ff) ^ __mulhi((int)v, (int)w) ^ __umul24(v, w);
  out[i] = r;
}

// 19 Forces of a tile of bodies, in double precision.
__global__ void forces(const double* p, double* out, int n) {
  __shared__ double tx[64], ty[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  double x = p[2 * i], y = p[2 * i + 1], fx = 0, fy = 0;
  for (int base = 0; base < n; base += 64) {
    tx[threadIdx.x] = p[2 * (base + threadIdx.x)];
    ty[threadIdx.x] = p[2 * (base + threadIdx.x) + 1];
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < 64; k++) {
      double dx = tx[k] - x, dy = ty[k] - y, r2 = dx * dx + dy * dy + 1e-3, inv = rsqrt(r2);
      inv = inv * inv * inv;
      fx += dx * inv;
      fy += dy * inv;
    }
    __syncthreads();
  }
  out[2 * i] = fx;
  out[2 * i + 1] = fy;
}

// 20 Functions in double precision.
__global__ void double_functions(const double* in, double* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double v = in[i] * 4;
  out[i] = exp(-v) * log(v + 1) + sin(v * 10) * pow(v + 0.5, 1.7) + atan(v) - floor(v) / (1 + fabs(cos(v)));
}

// 21 Functions in single precision.
__global__ void float_functions(const float* in, float* out, float big) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[i];
  float s, c;
  sincosf(v * big, &s, &c);
  out[i] = tanhf(v) + erff(v * 2) + powf(v + 0.1f, 2.3f) + atan2f(v, 0.3f) + cbrtf(v) + fmodf(v * 37, 1.7f) + s * c +
           log1pf(v) + exp2f(v) + __sinf(v) + rsqrtf(v + 1) + lgammaf(v + 1.5f) + ldexpf(v, i % 5) + rintf(v * 9);
}

// 22 Pairs of halves: multiply-add, comparison, maximum, exponential.
__global__ void half_pairs(const __half2* a, __half2* out, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __half2 v = a[i], s = __float2half2_rn(0.25f);
  for (int k = 0; k < rounds; k++) {
    s = __hfma2(v, s, __float2half2_rn(0.125f));
    s = __hmax2(s, __hmul2(v, v));
    if (__hgt(__low2half(s), __high2half(s))) s = __lowhigh2highlow(s);
  }
  out[i] = __hadd2(h2exp(s), __hneg2(v));
}

// 23 bfloat16 and half to float and back, with odd strides.
__global__ void conversions(const __half* h, __nv_bfloat16* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float f = __half2float(h[i * 3]) + 1.f;
  __nv_bfloat16 b = __float2bfloat16(f);
  b = __hmul(b, __float2bfloat16(1.5f)) + __float2bfloat16((float)__half2int_rn(h[i]) + (float)(short)(i * 7));
  out[2 * i + 1] = b;
}

// 24 Each thread sorts sixteen values in an array of its own.
__global__ void own_sort(const float* in, float* out) {
  float a[16];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 16; k++) a[k] = in[i + k * 512];
#pragma unroll 1
  for (int k = 1; k < 16; k++) {
    float v = a[k];
    int j = k;
    while (j > 0 && a[j - 1] > v) {
      a[j] = a[j - 1];
      j--;
    }
    a[j] = v;
  }
  out[i] = a[i % 16] + a[8];
}

// 25 Walk a search tree with a stack of one's own.
struct Visit { int node; short depth, side; };
__global__ void walk(const int* keys, int* out, int nodes, int low, int high) {
  Visit stack[20];
  int i = blockIdx.x * blockDim.x + threadIdx.x, top = 0, found = 0;
  stack[top++] = {i % 3, 0, 0};
  while (top > 0) {
    Visit v = stack[--top];
    int key = keys[v.node + i % 64];
    if (key >= low && key < high) found += v.depth * 2 + v.side;
    if (v.depth < 16) {
      if (2 * v.node + 1 < nodes && (key & 5)) stack[top++] = {2 * v.node + 1, (short)(v.depth + 1), 0};
      if (2 * v.node + 2 < nodes && (key & 6)) stack[top++] = {2 * v.node + 2, (short)(v.depth + 1), 1};
    }
  }
  out[i] = found;
}

// 26 Solve 4 x 4 systems with pivoting in registers.
__global__ void solve(const double* in, double* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double a[4][5];
  for (int r = 0; r < 4; r++)
    for (int c = 0; c < 5; c++) a[r][c] = in[(r * 5 + c) * 1024 + i] + (r == c);
#pragma unroll
  for (int k = 0; k < 4; k++) {
#pragma unroll
    for (int r = k + 1; r < 4; r++)
      if (fabs(a[r][k]) > fabs(a[k][k]))
#pragma unroll
        for (int c = 0; c < 5; c++) {
          double t = a[k][c];
          a[k][c] = a[r][c];
          a[r][c] = t;
        }
#pragma unroll
    for (int r = 0; r < 4; r++)
      if (r != k) {
        double f = a[r][k] / a[k][k];
#pragma unroll
        for (int c = k; c < 5; c++) a[r][c] -= f * a[k][c];
      }
  }
  out[i] = a[0][4] / a[0][0] + a[3][4] / a[3][3];
}

// 27 Checksums with a table in constant memory that is indexed by data.
__constant__ unsigned nibbles[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                     0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                     0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
__global__ void checksum(const unsigned char* in, unsigned* out, int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned crc = ~0u;
  for (int k = 0; k < length; k++) {
    unsigned byte = in[i * length + k];
    crc = crc >> 4 ^ nibbles[(crc ^ byte) & 15];
    crc = crc >> 4 ^ nibbles[(crc ^ byte >> 4) & 15];
  }
  out[i] = ~crc;
}

// 28 Transpose a batch of matrices of double pairs through a padded tile.
__global__ void transpose_batch(const double2* in, double2* out, int w, int h) {
  __shared__ double2 tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, base = blockIdx.z * w * h;
  for (int k = threadIdx.y; k < 16; k += 4) {
    int y = blockIdx.y * 16 + k;
    if (x < w && y < h) tile[k][threadIdx.x] = in[base + y * w + x];
  }
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x;
  for (int k = threadIdx.y; k < 16; k += 4) {
    int y = blockIdx.x * 16 + k;
    if (x < h && y < w) out[base + y * h + x] = tile[threadIdx.x][k];
  }
}

// 29 Calls of functions that are not inlined, with a structure in and out.
struct Ray { float ox, oy, dx, dy; };
__device__ __noinline__ Ray reflect(Ray r, float nx, float ny, float t) {
  float d = 2 * (r.dx * nx + r.dy * ny);
  return {r.ox + t * r.dx, r.oy + t * r.dy, r.dx - d * nx, r.dy - d * ny};
}
__device__ __noinline__ float hit(const Ray& r, float wall) { return r.dx != 0 ? (wall - r.ox) / r.dx : 1e9f; }
__global__ void rays(const float* in, float* out, int bounces) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Ray r = {in[i], in[i + 1], in[i + 2] - 0.5f, in[i + 3] + 0.25f};
  for (int k = 0; k < bounces + i % 3; k++) {
    float t = hit(r, r.dx > 0 ? 1.f : 0.f);
    r = t < (1 - r.oy) / r.dy ? reflect(r, 1, 0, t) : reflect(r, 0, r.dy > 0 ? -1.f : 1.f, fabsf((1 - r.oy) / r.dy));
  }
  out[i] = r.ox + r.oy;
}

// 30 Interpret a small program; every thread has its own.
__global__ void interpret(const unsigned char* code, int* out, int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, a = i, b = 1, c = 0;
  for (int pc = 0; pc < length; pc++) {
    unsigned char op = code[(i / 8) * 4 + pc];
    switch (op & 15) {
      case 0: a += b; break;
      case 1: b = a - c; break;
      case 2: c ^= a << 3; break;
      case 3: a = b * c + 1; break;
      case 4: b = __popc(a); break;
      case 5: if (a > b) pc++; break;
      case 6: c = a % (op | 3); break;
      case 7: { int t = a; a = c; c = t; break; }
      case 8: a = abs(b); break;
      case 9: b += op; break;
      case 10: c = max(a, b); break;
      case 11: a >>= 2; break;
      case 12: b = ~b; break;
      default: a ^= c; break;
    }
  }
  out[i] = a + b + c;
}

// 31 Reverse and interleave bytes with shuffles of half warps.
__global__ void interleave(const uchar4* in, uchar4* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  uchar4 v = in[i];
  unsigned word = v.x | v.y << 8 | v.z << 16 | v.w << 24;
  unsigned other = __shfl_sync(~0u, word, (threadIdx.x & 15) ^ 15, 16), next = __shfl_xor_sync(~0u, other, 5, 8);
  double wide = __shfl_up_sync(~0u, (double)v.x, 3);
  bool even = __all_sync(0xffffffffu, (word & 1) || (threadIdx.x % 2 == 0));
  out[i] = make_uchar4(other & 255, next >> 8, (unsigned char)wide, v.z + even);
}

// 32 Product of half matrices on tensor cores, a warp a tile.
__global__ void tensor_tiles(const __half* a, const __half* b, float* c, int n) {
  using namespace nvcuda::wmma;
  int warp = threadIdx.x / 32, row = (blockIdx.y * 2 + warp / 2) * 16, column = (blockIdx.x * 2 + warp % 2) * 16;
  fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
  fragment<matrix_b, 16, 16, 16, __half, col_major> fb;
  fragment<accumulator, 16, 16, 16, float> fc;
  fill_fragment(fc, 0.f);
  for (int k = 0; k < n; k += 16) {
    load_matrix_sync(fa, a + row * n + k, n);
    load_matrix_sync(fb, b + column * n + k, n);
    mma_sync(fc, fa, fb, fc);
  }
  store_matrix_sync(c + row * n + column, fc, n, mem_row_major);
}

// 33 Dot products of bytes, four at a time.
__global__ void byte_dots(const int* a, const int* b, int* out, int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  for (int k = 0; k < length; k++) sum = __dp4a(a[(i / 16) * length + k], b[(i % 16) * length + k], sum);
  out[i] = sum + __dp2a_lo(a[i], b[i], sum);
}

// 34 The game of life with 32 cells a word.
__global__ void life(const unsigned* in, unsigned* out, int words, int rows) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= words) return;
  unsigned one = 0, two = 0, four = 0, self = in[y * words + x];
  for (int dy = -1; dy <= 1; dy++) {
    const unsigned* row = in + (y + dy + rows) % rows * words;
    unsigned m = row[x], l = row[(x + words - 1) % words], r = row[(x + 1) % words];
    unsigned set[3] = {m << 1 | l >> 31, dy ? m : 0u, m >> 1 | r << 31};
    for (int k = 0; k < 3; k++) {
      unsigned c = one & set[k];
      one ^= set[k];
      four |= two & c;
      two ^= c;
    }
  }
  out[y * words + x] = two & ~four & (one | self);
}

// 35 Rounds of a hash with rotations.
__device__ __forceinline__ unsigned turn(unsigned v, int k) { return v >> k | v << (32 - k); }
__global__ void rounds(const unsigned* in, unsigned* out, int number) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned s[8];
  for (int k = 0; k < 8; k++) s[k] = in[i + k * 32];
  for (int k = 0; k < number; k++) {
    unsigned t1 = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + nibbles[k & 15];
    unsigned t2 = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    for (int j = 7; j > 0; j--) s[j] = s[j - 1];
    s[4] += t1;
    s[0] = t1 + t2;
  }
  out[i] = s[0] ^ s[3] ^ s[7];
}

// 36 Sum of all: the block that comes last adds the parts of the others.
__global__ void last_block(const float* in, float* parts, unsigned* ticket, int n) {
  __shared__ float s[4];
  __shared__ bool last;
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
  for (int k = 16; k > 0; k >>= 1) v += __shfl_xor_sync(~0u, v, k);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    parts[blockIdx.x + 1] = s[0] + s[1] + s[2] + s[3];
    __threadfence();
    last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  v = 0;
  for (int i = threadIdx.x; i < (int)gridDim.x; i += blockDim.x) v += __ldcg(parts + i + 1);
  atomicAdd(parts, v);
}

// 37 Vectors of four with a tail, cache hints, and a structure by value.
struct Affine { float scale, shift; int n; };
__global__ void affine(const float* __restrict__ in, float* __restrict__ out, Affine f) {
  int stride = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = i; k < f.n / 4; k += stride) {
    float4 v = __ldcs((const float4*)in + k);
    v.x = v.x * f.scale + f.shift, v.y = v.y * f.scale + f.shift;
    v.z = v.z * f.scale + f.shift, v.w = v.w * f.scale + f.shift;
    __stcs((float4*)out + k, v);
  }
  if (i < f.n % 4) out[f.n / 4 * 4 + i] = __ldg(in + f.n / 4 * 4 + i) * f.scale + f.shift;
}

// 38 Relax a row until nothing changes; the block agrees when to end.
__global__ void relax(const int* in, int* out, int n) {
  __shared__ volatile int s[200];
  int t = threadIdx.x, base = blockIdx.x * n;
  if (t < n) s[t] = in[base + t] & 4095;
  __syncthreads();
  int changed, passes = 0;
  do {
    int v = t < n ? s[t] : 0, left = t > 0 && t < n ? s[t - 1] : 4096, right = t < n - 1 ? s[t + 1] : 4096;
    int better = min(v, min(left, right) + 40);
    __syncthreads();
    if (t < n && better < v) s[t] = better;
    changed = __syncthreads_or(better < v);
    passes++;
  } while (changed);
  if (t < n) out[base + t] = s[t] * 64 + __syncthreads_count(t & 1) + passes;
}

// 39 Powers modulo a prime of 61 bits with products of 128.
__global__ void powers(const unsigned long long* in, unsigned long long* out, unsigned e) {
  const unsigned long long p = (1ull << 61) - 1;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long base = in[i] % p, r = 1;
  for (unsigned k = e + i % 13; k; k >>= 1) {
    auto times = [&](unsigned long long a, unsigned long long b) {
      unsigned long long low = a * b, high = __umul64hi(a, b), v = (low & p) + (low >> 61 | high << 3);
      v = (v & p) + (v >> 61);
      return v >= p ? v - p : v;
    };
    if (k & 1) r = times(r, base);
    base = times(base, base);
  }
  out[i] = r + (i % 2 ? in[i] / (base | 1) : (unsigned long long)__ull2double_rn(base));
}

// 40 Product of matrices: copies to shared memory that do not wait, a tile of registers, two buffers.
template <int K>
__global__ void __launch_bounds__(256) product(const float* a, const float* b, float* c, int n) {
  extern __shared__ __align__(16) float pool[];
  float(*sa)[64][K + 4] = (float(*)[64][K + 4])pool, (*sb)[K][64] = (float(*)[K][64])(pool + 2 * 64 * (K + 4));
  int t = threadIdx.x, row = blockIdx.y * 64, column = blockIdx.x * 64;
  auto fetch = [&](int to, int k) {
    __pipeline_memcpy_async(&sa[to][t / 4][t % 4 * 4], a + (row + t / 4) * n + k + t % 4 * 4, 16);
    __pipeline_memcpy_async(&sb[to][t / 16][t % 16 * 4], b + (k + t / 16) * n + column + t % 16 * 4, 16);
    __pipeline_commit();
  };
  float sum[4][4] = {};
  fetch(0, 0);
  for (int k = 0; k < n; k += K) {
    int now = k / K & 1;
    if (k + K < n) fetch(1 - now, k + K);
    __pipeline_wait_prior(k + K < n ? 1 : 0);
    __syncthreads();
#pragma unroll
    for (int q = 0; q < K; q++)
      for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) sum[i][j] += sa[now][t / 16 * 4 + i][q] * sb[now][q][t % 16 + 16 * j];
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) c[(row + t / 16 * 4 + i) * n + column + t % 16 + 16 * j] = sum[i][j];
}
