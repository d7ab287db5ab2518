// Kernels of the twenty-first round: NAME is diagnosed, NAME_b has its one cause mended.
#include <cstdint>
#include <cuda_fp16.h>

namespace {

__device__ __forceinline__ uint32_t in_shared(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

__device__ __forceinline__ void copy16(void *to, const void *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(in_shared(to)), "l"(from) : "memory");
}
__device__ __forceinline__ void copies_end() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int LEFT> __device__ __forceinline__ void copies_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}

}  // namespace

// Ropes: wear of the 256 fibres of each rope, from strains over time. A block has a rope, a thread a fibre.
namespace rope {

constexpr int FIBRES = 256, STEPS = 16, TILE = FIBRES * STEPS, STAGES = 3;

struct Fibre {
  float fast = 0, slow = 0, heat = 0, peak = 0, harm = 0;
};

__device__ __forceinline__ void fetch(float *tile, const float *strain) {
  for (int i = threadIdx.x * 4; i < TILE; i += FIBRES * 4) copy16(tile + i, strain + i);
}

__device__ __forceinline__ void wear(Fibre &s, const float *tile) {
  int f = threadIdx.x, before = f > 0 ? f - 1 : f, after = f + 1 < FIBRES ? f + 1 : f;
#pragma unroll
  for (int k = 0; k < STEPS; ++k) {
    const float *now = tile + k * FIBRES;
    float x = now[f], rub = fabsf(x - now[before]) + fabsf(x - now[after]);
    s.fast += 0.3f * (x - s.fast);
    s.slow += 0.01f * (x - s.slow);
    float swing = s.fast - s.slow;
    s.heat = 0.97f * s.heat + 0.05f * rub * swing * swing;
    float stress = fabsf(swing) * (1 + 0.2f * s.heat) + 0.1f * rub, square = stress * stress;
    float soft = __fdividef(1.0f, 1 + s.heat + 0.5f * square);
    s.harm += (0.01f * square * square + 0.002f * square) * stress * (2 - soft);
    s.peak = fmaxf(0.999f * s.peak, stress * soft);
  }
}

}  // namespace rope

extern "C" __global__ void __launch_bounds__(256)
    rope_fatigue(const float *__restrict__ strain, float *__restrict__ harm, float *__restrict__ peak, int tiles) {
  extern __shared__ __align__(16) float rope_tile[];
  const float *mine = strain + (size_t)blockIdx.x * tiles * rope::TILE;
  rope::Fibre s;
  for (int i = 0; i < tiles; ++i) {
    rope::fetch(rope_tile, mine + (size_t)i * rope::TILE);
    copies_end();
    copies_wait<0>();
    __syncthreads();
    rope::wear(s, rope_tile);
    __syncthreads();
  }
  harm[blockIdx.x * rope::FIBRES + threadIdx.x] = s.harm;
  peak[blockIdx.x * rope::FIBRES + threadIdx.x] = s.peak;
}

extern "C" __global__ void __launch_bounds__(256)
    rope_fatigue_b(const float *__restrict__ strain, float *__restrict__ harm, float *__restrict__ peak, int tiles) {
  extern __shared__ __align__(16) float rope_tile[];
  const float *mine = strain + (size_t)blockIdx.x * tiles * rope::TILE;
  rope::Fibre s;
  for (int i = 0; i < rope::STAGES - 1; ++i) {
    if (i < tiles) rope::fetch(rope_tile + i * rope::TILE, mine + (size_t)i * rope::TILE);
    copies_end();
  }
  int here = 0, next = rope::STAGES - 1;
  for (int i = 0; i < tiles; ++i) {
    copies_wait<rope::STAGES - 2>();
    __syncthreads();
    int ahead = i + rope::STAGES - 1;
    if (ahead < tiles) rope::fetch(rope_tile + next * rope::TILE, mine + (size_t)ahead * rope::TILE);
    copies_end();
    rope::wear(s, rope_tile + here * rope::TILE);
    here = here + 1 == rope::STAGES ? 0 : here + 1;
    next = next + 1 == rope::STAGES ? 0 : next + 1;
  }
  harm[blockIdx.x * rope::FIBRES + threadIdx.x] = s.harm;
  peak[blockIdx.x * rope::FIBRES + threadIdx.x] = s.peak;
}

// Figure skating: work, spin and time in the air from sensors in the blades; a block has a programme of many records.
namespace skate {

struct __align__(16) Record {
  float push[3], turn[3], weight, span;
};
constexpr int MANY = 512, THREADS = 256;

__device__ __forceinline__ void bulk(void *to, const void *from, int bytes, uint64_t *bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   in_shared(to)),
               "l"(from), "r"(bytes), "r"(in_shared(bar))
               : "memory");
}

__device__ __forceinline__ void expect(uint64_t *bar, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(in_shared(bar)), "r"(bytes) : "memory");
}

__device__ __forceinline__ void await(uint64_t *bar, int phase) {
  asm volatile("{\n .reg .pred p;\nAGAIN:\n mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n @p bra DONE;\n"
               " bra AGAIN;\nDONE:\n}" ::"r"(in_shared(bar)),
               "r"(phase)
               : "memory");
}

// Copies the records of a tile one by one, or all at once.
template <bool EACH> __device__ __forceinline__ void fetch(Record *to, const Record *from, uint64_t *bar) {
  if (threadIdx.x == 0) expect(bar, MANY * sizeof(Record));
  if (EACH) {
    for (int i = threadIdx.x; i < MANY; i += THREADS) bulk(to + i, from + i, sizeof(Record), bar);
  } else if (threadIdx.x == 0) {
    bulk(to, from, MANY * sizeof(Record), bar);
  }
}

template <bool EACH> __device__ __forceinline__ void programme(const Record *records, float *result, int tiles) {
  __shared__ Record tile[2][MANY];
  __shared__ uint64_t bar[2];
  __shared__ float part[THREADS / 32][3];
  const Record *mine = records + (size_t)blockIdx.x * tiles * MANY;
  if (threadIdx.x == 0) {
    for (int b = 0; b < 2; ++b) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(in_shared(&bar[b])));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  for (int b = 0; b < 2 && b < tiles; ++b) fetch<EACH>(tile[b], mine + b * MANY, &bar[b]);
  float sum[3] = {0, 0, 0};
  for (int i = 0; i < tiles; ++i) {
    int b = i & 1;
    await(&bar[b], (i >> 1) & 1);
    for (int k = threadIdx.x; k < MANY; k += THREADS) {
      const Record r = tile[b][k];
      float force = r.push[0] * r.push[0] + r.push[1] * r.push[1] + r.push[2] * r.push[2];
      float spin = r.turn[0] * r.turn[0] + r.turn[1] * r.turn[1] + r.turn[2] * r.turn[2];
      sum[0] += force * r.span;
      sum[1] += sqrtf(spin) * r.span;
      sum[2] += r.weight < 0.1f ? r.span : 0.0f;
    }
    __syncthreads();
    if (i + 2 < tiles) fetch<EACH>(tile[b], mine + (size_t)(i + 2) * MANY, &bar[b]);
  }
  for (int c = 0; c < 3; ++c) {
    for (int step = 16; step > 0; step /= 2) sum[c] += __shfl_xor_sync(~0u, sum[c], step);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32][c] = sum[c];
  }
  __syncthreads();
  if (threadIdx.x < 3) {
    float all = 0;
    for (int w = 0; w < THREADS / 32; ++w) all += part[w][threadIdx.x];
    result[blockIdx.x * 3 + threadIdx.x] = all;
  }
}

}  // namespace skate

extern "C" __global__ void __launch_bounds__(256)
    skate_programme(const skate::Record *__restrict__ records, float *__restrict__ result, int tiles) {
  skate::programme<true>(records, result, tiles);
}

extern "C" __global__ void __launch_bounds__(256)
    skate_programme_b(const skate::Record *__restrict__ records, float *__restrict__ result, int tiles) {
  skate::programme<false>(records, result, tiles);
}

// Beetles: likeness of descriptions of beetles to those of species, in tiles of 128 by 128 on tensor cores.
namespace beetle {

constexpr int TILE = 128, DEPTH = 64;

template <int PITCH>
__device__ __forceinline__ void fetch(__half *to, const __half *from, int length) {
  for (int i = threadIdx.x; i < TILE * DEPTH / 8; i += 256) {
    int row = i / (DEPTH / 8), part = i % (DEPTH / 8) * 8;
    copy16(to + row * PITCH + part, from + (size_t)row * length + part);
  }
}

__device__ __forceinline__ void matrices(uint32_t (&r)[4], const __half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(in_shared(p))
               : "memory");
}

__device__ __forceinline__ void multiply(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

template <int PITCH>
__device__ __forceinline__ void likeness(const __half *beetles, const __half *species, float *like, int kinds,
                                         int length) {
  extern __shared__ __align__(16) __half beetle_tile[];
  constexpr int PART = TILE * PITCH;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = warp / 2 * 32, column = warp % 2 * 64;
  const __half *from_a = beetles + (size_t)blockIdx.y * TILE * length;
  const __half *from_b = species + (size_t)blockIdx.x * TILE * length;
  float sum[2][8][4] = {};
  fetch<PITCH>(beetle_tile, from_a, length);
  fetch<PITCH>(beetle_tile + PART, from_b, length);
  copies_end();
  for (int k = 0; k < length; k += DEPTH) {
    __half *here = beetle_tile + k / DEPTH % 2 * 2 * PART, *next = beetle_tile + (k / DEPTH + 1) % 2 * 2 * PART;
    if (k + DEPTH < length) {
      fetch<PITCH>(next, from_a + k + DEPTH, length);
      fetch<PITCH>(next + PART, from_b + k + DEPTH, length);
    }
    copies_end();
    copies_wait<1>();
    __syncthreads();
    const __half *a_at = here + (row + lane % 16) * PITCH + lane / 16 * 8;
    const __half *b_at = here + PART + (column + lane % 8 + lane / 16 * 8) * PITCH + lane / 8 % 2 * 8;
#pragma unroll
    for (int step = 0; step < DEPTH; step += 16) {
      uint32_t a[2][4], b[4][4];
#pragma unroll
      for (int m = 0; m < 2; ++m) matrices(a[m], a_at + m * 16 * PITCH + step);
#pragma unroll
      for (int n = 0; n < 4; ++n) matrices(b[n], b_at + n * 16 * PITCH + step);
#pragma unroll
      for (int m = 0; m < 2; ++m)
#pragma unroll
        for (int n = 0; n < 8; ++n) multiply(sum[m][n], a[m], b[n / 2][n % 2 * 2], b[n / 2][n % 2 * 2 + 1]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int m = 0; m < 2; ++m)
#pragma unroll
    for (int n = 0; n < 8; ++n) {
      size_t r = blockIdx.y * TILE + row + m * 16 + lane / 4, c = blockIdx.x * TILE + column + n * 8 + lane % 4 * 2;
      *(float2 *)(like + r * kinds + c) = make_float2(sum[m][n][0], sum[m][n][1]);
      *(float2 *)(like + (r + 8) * kinds + c) = make_float2(sum[m][n][2], sum[m][n][3]);
    }
}

}  // namespace beetle

extern "C" __global__ void __launch_bounds__(256, 2)
    beetle_species(const __half *__restrict__ beetles, const __half *__restrict__ species, float *__restrict__ like,
                   int kinds, int length) {
  beetle::likeness<beetle::DEPTH>(beetles, species, like, kinds, length);
}

extern "C" __global__ void __launch_bounds__(256, 2)
    beetle_species_b(const __half *__restrict__ beetles, const __half *__restrict__ species, float *__restrict__ like,
                     int kinds, int length) {
  beetle::likeness<beetle::DEPTH + 8>(beetles, species, like, kinds, length);
}

// Forged paintings: how odd each painting is among others, from a forest of trees; a thread has a painting.
namespace painting {

constexpr int TRAITS = 32;  // a node has the bits of its cut in x and its trait in y

__device__ __forceinline__ void stage(float (*trait)[128], const float *traits, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  for (int c = 0; c < TRAITS; ++c) trait[c][threadIdx.x] = traits[(size_t)c * n + i];
}

}  // namespace painting

extern "C" __global__ void __launch_bounds__(128)
    painting_forest(const float *__restrict__ traits, const int2 *__restrict__ nodes,
                    const float *__restrict__ leaves, float *__restrict__ odd, int trees, int depth, int n) {
  __shared__ float trait[painting::TRAITS][128];
  painting::stage(trait, traits, n);
  float sum = 0;
  for (int tree = 0; tree < trees; ++tree) {
    const int2 *own = nodes + ((size_t)tree << depth);
    int at = 1;
#pragma unroll 1
    for (int level = 0; level < depth; ++level) {
      int2 node = __ldg(own + at);
      at = 2 * at + (trait[node.y][threadIdx.x] > __int_as_float(node.x));
    }
    sum += leaves[((size_t)tree << depth) + at - (1 << depth)];
  }
  odd[blockIdx.x * 128 + threadIdx.x] = exp2f(-sum / trees);
}

extern "C" __global__ void __launch_bounds__(128)
    painting_forest_b(const float *__restrict__ traits, const int2 *__restrict__ nodes,
                      const float *__restrict__ leaves, float *__restrict__ odd, int trees, int depth, int n) {
  constexpr int AT_ONCE = 8;
  __shared__ float trait[painting::TRAITS][128];
  painting::stage(trait, traits, n);
  float sum = 0;
  for (int tree = 0; tree < trees; tree += AT_ONCE) {
    const int2 *own = nodes + ((size_t)tree << depth);
    int at[AT_ONCE];
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) at[k] = 1;
#pragma unroll 1
    for (int level = 0; level < depth; ++level) {
      int2 node[AT_ONCE];
#pragma unroll
      for (int k = 0; k < AT_ONCE; ++k) node[k] = __ldg(own + (k << depth) + at[k]);
#pragma unroll
      for (int k = 0; k < AT_ONCE; ++k)
        at[k] = 2 * at[k] + (trait[node[k].y][threadIdx.x] > __int_as_float(node[k].x));
    }
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) sum += leaves[((size_t)(tree + k) << depth) + at[k] - (1 << depth)];
  }
  odd[blockIdx.x * 128 + threadIdx.x] = exp2f(-sum / trees);
}

// Barometers: mean, steepest fall within three hours and hours of falling of each station, which keeps a row of hours.
namespace barometer {

struct State {
  float sum = 0, fall = 0, last[3] = {0, 0, 0};
  int falling = 0;
};

__device__ __forceinline__ void reading(State &s, float p, int hour) {
  s.sum += p;
  if (hour >= 3) {
    float drop = s.last[2] - p;
    s.fall = fmaxf(s.fall, drop);
    s.falling += drop > 0.5f;
  }
  s.last[2] = s.last[1];
  s.last[1] = s.last[0];
  s.last[0] = p;
}

__device__ __forceinline__ void finish(const State &s, float *found, int i, int hours, int n) {
  found[i] = s.sum / hours;
  found[n + i] = s.fall;
  found[2 * (size_t)n + i] = s.falling;
}

}  // namespace barometer

extern "C" __global__ void __launch_bounds__(128)
    barometer_falls(const float *__restrict__ pressure, float *__restrict__ found, int hours, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  const float *mine = pressure + (size_t)i * hours;
  barometer::State s;
  for (int h = 0; h < hours; ++h) barometer::reading(s, mine[h], h);
  barometer::finish(s, found, i, hours, n);
}

extern "C" __global__ void __launch_bounds__(128)
    barometer_falls_b(const float *__restrict__ pressure, float *__restrict__ found, int hours, int n) {
  __shared__ float tile[128][33];
  int i = blockIdx.x * 128 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const float *mine = pressure + (size_t)(blockIdx.x * 128 + warp * 32) * hours;
  barometer::State s;
  for (int h = 0; h < hours; h += 32) {
#pragma unroll 8
    for (int r = 0; r < 32; ++r) tile[warp * 32 + r][lane] = mine[(size_t)r * hours + h + lane];
    __syncwarp();
    for (int k = 0; k < 32; ++k) barometer::reading(s, tile[threadIdx.x][k], h + k);
    __syncwarp();
  }
  barometer::finish(s, found, i, hours, n);
}

// Pendulum clocks: how badly each of many guesses of start and rate fits the swings of a clock, in exact sums.
namespace pendulum {

constexpr int TILE = 1024;

struct Sum {
  float all = 0, lost = 0;
  __device__ __forceinline__ void add(float x) {
    float y = x - lost, t = all + y;
    lost = (t - all) - y;
    all = t;
  }
};

__device__ __forceinline__ void stage(float2 *tile, const float2 *swings) {
  __syncthreads();
  for (int k = threadIdx.x; k < TILE; k += blockDim.x) tile[k] = swings[k];
  __syncthreads();
}

}  // namespace pendulum

extern "C" __global__ void __launch_bounds__(128)
    pendulum_fit(const float2 *__restrict__ swings, const float *__restrict__ start, const float *__restrict__ rate,
                 float *__restrict__ misfit, int many) {
  __shared__ float2 tile[pendulum::TILE];
  int i = blockIdx.x * 128 + threadIdx.x;
  float a = start[i], b = rate[i];
  pendulum::Sum sum;
  for (int from = 0; from < many; from += pendulum::TILE) {
    pendulum::stage(tile, swings + from);
#pragma unroll 8
    for (int k = 0; k < pendulum::TILE; ++k) {
      float2 swing = tile[k];
      float off = swing.y - (a + b * swing.x);
      sum.add(off * off);
    }
  }
  misfit[i] = sum.all;
}

extern "C" __global__ void __launch_bounds__(128)
    pendulum_fit_b(const float2 *__restrict__ swings, const float *__restrict__ start, const float *__restrict__ rate,
                   float *__restrict__ misfit, int many) {
  __shared__ float2 tile[pendulum::TILE];
  int i = blockIdx.x * 128 + threadIdx.x;
  float a = start[i], b = rate[i];
  pendulum::Sum sum[4];
  for (int from = 0; from < many; from += pendulum::TILE) {
    pendulum::stage(tile, swings + from);
#pragma unroll 2
    for (int k = 0; k < pendulum::TILE; k += 4)
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        float2 swing = tile[k + j];
        float off = swing.y - (a + b * swing.x);
        sum[j].add(off * off);
      }
  }
  for (int j = 1; j < 4; ++j) {
    sum[0].add(sum[j].all);
    sum[0].add(-sum[j].lost);
  }
  misfit[i] = sum[0].all;
}

// Car parks: takings by zone. A record has the zone in the lower 4 bits and the cents in the others.
extern "C" __global__ void __launch_bounds__(256)
    car_park_takings(const uint4 *__restrict__ records, unsigned long long *__restrict__ takings, int n) {
  __shared__ unsigned zone[16];
  if (threadIdx.x < 16) zone[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    uint4 r = records[i];
    unsigned words[4] = {r.x, r.y, r.z, r.w};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      atomicAdd(&zone[words[k] & 15], words[k] >> 4 & 0xfff);
      atomicAdd(&zone[words[k] >> 16 & 15], words[k] >> 20);
    }
  }
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&takings[threadIdx.x], (unsigned long long)zone[threadIdx.x]);
}

extern "C" __global__ void __launch_bounds__(256)
    car_park_takings_b(const uint4 *__restrict__ records, unsigned long long *__restrict__ takings, int n) {
  __shared__ unsigned zone[16][32];
  for (int k = threadIdx.x; k < 16 * 32; k += 256) zone[k / 32][k % 32] = 0;
  __syncthreads();
  int lane = threadIdx.x % 32;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    uint4 r = records[i];
    unsigned words[4] = {r.x, r.y, r.z, r.w};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      atomicAdd(&zone[words[k] & 15][lane], words[k] >> 4 & 0xfff);
      atomicAdd(&zone[words[k] >> 16 & 15][lane], words[k] >> 20);
    }
  }
  __syncthreads();
  for (int z = threadIdx.x / 32; z < 16; z += 8) {
    unsigned all = __reduce_add_sync(~0u, zone[z][lane]);
    if (lane == 0) atomicAdd(&takings[z], (unsigned long long)all);
  }
}

// Cheques: how far the pressure along each signature is from that of the owner, with time warped.
namespace cheque {

constexpr int MOST = 24, POINTS = 48;
constexpr float FAR = 1e30f;

}  // namespace cheque

extern "C" __global__ void __launch_bounds__(128)
    cheque_signatures(const float *__restrict__ strokes, const int *__restrict__ length,
                      const float *__restrict__ owner, float *__restrict__ off, int n) {
  __shared__ float model[cheque::POINTS];
  if (threadIdx.x < cheque::POINTS) model[threadIdx.x] = owner[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * 128 + threadIdx.x, long_is = length[i];
  float own[cheque::MOST], row[cheque::MOST];
  for (int j = 0; j < long_is; ++j) {
    own[j] = strokes[(size_t)j * n + i];
    row[j] = cheque::FAR;
  }
  for (int m = 0; m < cheque::POINTS; ++m) {
    float corner = m == 0 ? 0 : cheque::FAR, left = cheque::FAR, x = model[m];
    for (int j = 0; j < long_is; ++j) {
      float up = row[j];
      left = fminf(fminf(up, left), corner) + fabsf(x - own[j]);
      corner = up;
      row[j] = left;
    }
  }
  off[i] = row[long_is - 1] / (long_is + cheque::POINTS);
}

extern "C" __global__ void __launch_bounds__(128)
    cheque_signatures_b(const float *__restrict__ strokes, const int *__restrict__ length,
                        const float *__restrict__ owner, float *__restrict__ off, int n) {
  __shared__ float model[cheque::POINTS];
  if (threadIdx.x < cheque::POINTS) model[threadIdx.x] = owner[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * 128 + threadIdx.x, long_is = length[i];
  float own[cheque::MOST], row[cheque::MOST];
#pragma unroll
  for (int j = 0; j < cheque::MOST; ++j) {
    own[j] = strokes[(size_t)j * n + i];
    row[j] = cheque::FAR;
  }
#pragma unroll 1
  for (int m = 0; m < cheque::POINTS; ++m) {
    float corner = m == 0 ? 0 : cheque::FAR, left = cheque::FAR, x = model[m];
#pragma unroll
    for (int j = 0; j < cheque::MOST; ++j) {
      float up = row[j];
      left = fminf(fminf(up, left), corner) + fabsf(x - own[j]);
      corner = up;
      row[j] = left;
    }
  }
  float end = cheque::FAR;
#pragma unroll
  for (int j = 0; j < cheque::MOST; ++j) end = fminf(end, row[j] + (j == long_is - 1 ? 0.0f : cheque::FAR));
  off[i] = end / (long_is + cheque::POINTS);
}

// Wounds: how deep each place of a wound still is after some days, with oxygen from below and cells that grow in.
extern "C" __global__ void __launch_bounds__(256)
    wound_closing(const float *__restrict__ depth, const float *__restrict__ blood, float *__restrict__ left, int days,
                  int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  float d = depth[i], supply = blood[i], cells = 0.05f;
  for (int day = 0; day < days; ++day) {
    float oxygen = supply * exp(-0.35 * d);
    cells = cells + 0.4 * cells * (1.0 - cells / (0.2 + oxygen));
    d = fmaxf(d - 0.08 * sqrt(0.01 + cells * oxygen) * (1.0 + 0.3 * d), 0.0);
  }
  left[i] = d;
}

extern "C" __global__ void __launch_bounds__(256)
    wound_closing_b(const float *__restrict__ depth, const float *__restrict__ blood, float *__restrict__ left,
                    int days, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  float d = depth[i], supply = blood[i], cells = 0.05f;
  for (int day = 0; day < days; ++day) {
    float oxygen = supply * expf(-0.35f * d);
    cells = cells + 0.4f * cells * (1.0f - cells / (0.2f + oxygen));
    d = fmaxf(d - 0.08f * sqrtf(0.01f + cells * oxygen) * (1.0f + 0.3f * d), 0.0f);
  }
  left[i] = d;
}

// Fuel tanks: volumes from heights by the table of each tank, whose knots a block keeps in shared memory.
// Shared memory is given by the caller, for the longest table.
extern "C" __global__ void __launch_bounds__(128)
    fuel_volumes(const float2 *__restrict__ tables, const int *__restrict__ knots, const float *__restrict__ heights,
                 float *__restrict__ volumes, int pitch, int readings) {
  extern __shared__ __align__(16) float2 table[];
  int many = knots[blockIdx.x];
  for (int k = threadIdx.x; k < many; k += 128) table[k] = tables[(size_t)blockIdx.x * pitch + k];
  __syncthreads();
  for (int i = threadIdx.x; i < readings; i += 128) {
    size_t at = (size_t)blockIdx.x * readings + i;
    float height = heights[at];
    int low = 0, high = many - 1;
    while (high - low > 1) {
      int middle = (low + high) / 2;
      if (table[middle].x <= height)
        low = middle;
      else
        high = middle;
    }
    float2 below = table[low], above = table[high];
    float share = __fdividef(height - below.x, above.x - below.x);
    volumes[at] = below.y + fminf(fmaxf(share, 0.0f), 1.0f) * (above.y - below.y);
  }
}

// Hedges: height of hedge plants after some weeks; each kind grows by a law of its own.
namespace hedge {

__device__ __forceinline__ float grow(int kind, float rate, float water, int weeks) {
  float h = 0.1f;
  switch (kind) {
    case 0:  // beech: up to a height that depends on water
      for (int w = 0; w < weeks; ++w) h += rate * h * (1.0f - h * __fdividef(1.0f, 0.5f + water * (1 + 0.01f * h)));
      break;
    case 1: {  // yew: from a store of sugar
      float store = 0.2f;
      for (int w = 0; w < weeks; ++w) {
        store += 0.1f * water * h - 0.05f * store * store;
        h += rate * fminf(store, 0.3f) * (1 - 0.2f * h);
      }
      break;
    }
    case 2: {  // hornbeam: by light that the plant takes from itself
      float shade = 0;
      for (int w = 0; w < weeks; ++w) {
        float light = __expf(-0.8f * h - shade);
        shade = 0.9f * shade + 0.02f * h;
        h += rate * water * light;
      }
      break;
    }
    case 3: {  // privet: cut whenever it is too high
      float vigour = 1;
      for (int w = 0; w < weeks; ++w) {
        h += rate * vigour * (0.3f + water);
        vigour = 0.98f * vigour + 0.03f * water;
        h = h > 1.0f ? 0.6f + 0.1f * h : h;
      }
      break;
    }
    case 4: {  // holly: roots and shoots
      float root = 0.3f;
      for (int w = 0; w < weeks; ++w) {
        float drawn = water * root * __frsqrt_rn(0.1f + root * root + h * h);
        root += 0.3f * rate * drawn;
        h += 0.5f * rate * drawn - 0.01f * h * h;
      }
      break;
    }
    default: {  // box: by warmth that goes up and down
      float warm = 0, turn = 0.4f;
      for (int w = 0; w < weeks; ++w) {
        turn -= 0.15f * warm;
        warm += 0.15f * turn;
        h += rate * fmaxf(warm + 0.2f, 0.0f) * (0.2f + water) * (1.2f - h);
      }
    }
  }
  return h;
}

}  // namespace hedge

extern "C" __global__ void __launch_bounds__(256)
    hedge_heights(const int *__restrict__ kind, const float *__restrict__ rate, const float *__restrict__ water,
                  float *__restrict__ height, int weeks, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) height[i] = hedge::grow(kind[i], rate[i], water[i], weeks);
}

extern "C" __global__ void __launch_bounds__(256)
    hedge_heights_b(const int *__restrict__ order, const int *__restrict__ kind, const float *__restrict__ rate,
                    const float *__restrict__ water, float *__restrict__ height, int weeks, int n) {
  int k = blockIdx.x * 256 + threadIdx.x;
  if (k >= n) return;
  int i = order[k];
  height[i] = hedge::grow(kind[i], rate[i], water[i], weeks);
}

// Puppets: how far points of cloth are from the nearest limb of a puppet, and where they go with all limbs.
namespace puppet {

struct __align__(16) Limb {
  float turn[4], joint[3], length;
};
struct __align__(16) Frame {
  float m[9], joint[3];
};

__device__ __forceinline__ Frame frame(const Limb &limb) {
  float w = limb.turn[0], x = limb.turn[1], y = limb.turn[2], z = limb.turn[3];
  float s = __frsqrt_rn(w * w + x * x + y * y + z * z);
  w *= s;
  x *= s;
  y *= s;
  z *= s;
  return {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z),
           1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x),
           1 - 2 * (x * x + y * y)},
          {limb.joint[0], limb.joint[1], limb.joint[2]}};
}

struct Cloth {
  float x, y, z, nearest = 1e30f, pull = 0;
};

__device__ __forceinline__ void apply(Cloth &c, const Frame &f, float length) {
  float dx = c.x - f.joint[0], dy = c.y - f.joint[1], dz = c.z - f.joint[2];
  float along = f.m[0] * dx + f.m[1] * dy + f.m[2] * dz;
  float u = f.m[3] * dx + f.m[4] * dy + f.m[5] * dz, v = f.m[6] * dx + f.m[7] * dy + f.m[8] * dz;
  float past = along - fminf(fmaxf(along, 0.0f), length);
  float far = past * past + u * u + v * v;
  c.nearest = fminf(c.nearest, far);
  c.pull += fmaxf(0.25f - far, 0.0f) * u;
}

}  // namespace puppet

extern "C" __global__ void __launch_bounds__(256)
    puppet_cloth(const puppet::Limb *__restrict__ limbs, const float *__restrict__ places, float *__restrict__ nearest,
                 float *__restrict__ pull, int many, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  puppet::Cloth c{places[i], places[n + i], places[2 * n + i]};
  for (int k = 0; k < many; ++k) {
    puppet::Limb limb = limbs[k];
    puppet::apply(c, puppet::frame(limb), limb.length);
  }
  nearest[i] = sqrtf(c.nearest);
  pull[i] = c.pull;
}

extern "C" __global__ void __launch_bounds__(256)
    puppet_cloth_b(const puppet::Limb *__restrict__ limbs, const float *__restrict__ places,
                   float *__restrict__ nearest, float *__restrict__ pull, int many, int n) {
  __shared__ puppet::Frame frames[64];
  __shared__ float length[64];
  if (threadIdx.x < many) {
    puppet::Limb limb = limbs[threadIdx.x];
    frames[threadIdx.x] = puppet::frame(limb);
    length[threadIdx.x] = limb.length;
  }
  __syncthreads();
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  puppet::Cloth c{places[i], places[n + i], places[2 * n + i]};
  for (int k = 0; k < many; ++k) puppet::apply(c, frames[k], length[k]);
  nearest[i] = sqrtf(c.nearest);
  pull[i] = c.pull;
}
