// Checksums, hashes, frames of video, sparse matrices, molecules, ions, lorries, index leaves, heat in a fluid.

// Adler-32 of pages of text, words of the pages side by side; at most 5552 bytes a page.
extern "C" __global__ void adler_pages(const unsigned *text, unsigned *sum, int words, int pages)
{
    const int page = blockIdx.x * blockDim.x + threadIdx.x;
    if (page >= pages) return;
    unsigned long a = 1, b = 0;
#pragma unroll 4
    for (int k = 0; k < words; k++) {
        const unsigned word = text[(size_t)k * pages + page];
        for (int j = 0; j < 4; j++) {
            a = (a + (word >> 8 * j & 255)) % 65521;
            b = (b + a) % 65521;
        }
    }
    sum[page] = (unsigned)(b << 16 | a);
}
extern "C" __global__ void adler_pages_b(const unsigned *text, unsigned *sum, int words, int pages)
{
    const int page = blockIdx.x * blockDim.x + threadIdx.x;
    if (page >= pages) return;
    unsigned a = 1, b = 0;
#pragma unroll 4
    for (int k = 0; k < words; k++) {
        const unsigned word = text[(size_t)k * pages + page];
        for (int j = 0; j < 4; j++) {
            a += word >> 8 * j & 255;
            b += a;
        }
    }
    sum[page] = b % 65521 << 16 | a % 65521;
}

// How much each sample of a frame has changed since the frame before.
extern "C" __global__ void frame_change(const unsigned char *now, const unsigned char *before, unsigned char *change, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) change[i] = abs((int)now[i] - (int)before[i]);
}
extern "C" __global__ void
frame_change_b(const unsigned char *now, const unsigned char *before, unsigned char *change, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 16) return;
    const uint4 a = ((const uint4 *)now)[i], b = ((const uint4 *)before)[i];
    ((uint4 *)change)[i] =
        make_uint4(__vabsdiffu4(a.x, b.x), __vabsdiffu4(a.y, b.y), __vabsdiffu4(a.z, b.z), __vabsdiffu4(a.w, b.w));
}

// Product of a sparse matrix with the same number of entries in each row and a vector.
extern "C" __global__ void
ell_product(const int *column, const float *entry, const float *x, float *y, int width, int rows)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
#pragma unroll 4
    for (int k = 0; k < width; k++) {
        const int at = row * width + k;
        sum += entry[at] * x[column[at]];
    }
    y[row] = sum;
}
extern "C" __global__ void
ell_product_b(const int *column, const float *entry, const float *x, float *y, int width, int rows)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
#pragma unroll 4
    for (int k = 0; k < width; k++) {
        const int at = k * rows + row;
        sum += entry[at] * x[column[at]];
    }
    y[row] = sum;
}

// Relativistic momenta of charged particles in an even field, by the method of Boris; u: three planes of n.
struct Field {
    float ex, ey, ez, bx, by, bz;
};
extern "C" __global__ void boris_push(const float *u, float *pushed, const Field *field, float dt, int steps, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Field f = *field;
    float ux = u[i], uy = u[n + i], uz = u[2 * n + i];
#pragma unroll 1
    for (int s = 0; s < steps; s++) {
        ux += 0.5 * dt * f.ex;
        uy += 0.5 * dt * f.ey;
        uz += 0.5 * dt * f.ez;
        const double gamma = sqrt(1.0 + ux * ux + uy * uy + uz * uz);
        const double tx = 0.5 * dt * f.bx / gamma, ty = 0.5 * dt * f.by / gamma, tz = 0.5 * dt * f.bz / gamma;
        const double scale = 2.0 / (1.0 + tx * tx + ty * ty + tz * tz);
        const double vx = ux + uy * tz - uz * ty, vy = uy + uz * tx - ux * tz, vz = uz + ux * ty - uy * tx;
        ux += scale * (vy * tz - vz * ty) + 0.5 * dt * f.ex;
        uy += scale * (vz * tx - vx * tz) + 0.5 * dt * f.ey;
        uz += scale * (vx * ty - vy * tx) + 0.5 * dt * f.ez;
    }
    pushed[i] = ux, pushed[n + i] = uy, pushed[2 * n + i] = uz;
}
extern "C" __global__ void boris_push_b(const float *u, float *pushed, const Field *field, float dt, int steps, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Field f = *field;
    float ux = u[i], uy = u[n + i], uz = u[2 * n + i];
#pragma unroll 1
    for (int s = 0; s < steps; s++) {
        ux += 0.5f * dt * f.ex;
        uy += 0.5f * dt * f.ey;
        uz += 0.5f * dt * f.ez;
        const float gamma = sqrtf(1.0f + ux * ux + uy * uy + uz * uz);
        const float tx = 0.5f * dt * f.bx / gamma, ty = 0.5f * dt * f.by / gamma, tz = 0.5f * dt * f.bz / gamma;
        const float scale = 2.0f / (1.0f + tx * tx + ty * ty + tz * tz);
        const float vx = ux + uy * tz - uz * ty, vy = uy + uz * tx - ux * tz, vz = uz + ux * ty - uy * tx;
        ux += scale * (vy * tz - vz * ty) + 0.5f * dt * f.ex;
        uy += scale * (vz * tx - vx * tz) + 0.5f * dt * f.ey;
        uz += scale * (vx * ty - vy * tx) + 0.5f * dt * f.ez;
    }
    pushed[i] = ux, pushed[n + i] = uy, pushed[2 * n + i] = uz;
}

// How many of the parcels in line each lorry takes until one no longer fits, and what room is left; parcels a
// multiple of 8.
extern "C" __global__ void
fill_lorries(const unsigned *weight, const unsigned *room, unsigned *taken, unsigned *spare, int parcels, int lorries)
{
    const int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= lorries) return;
    unsigned left = room[me];
    int k = 0;
    for (; k < parcels; k++) {
        const unsigned heavy = weight[(size_t)k * lorries + me];
        if (heavy > left) break;
        left -= heavy;
    }
    taken[me] = k;
    spare[me] = left;
}
extern "C" __global__ void
fill_lorries_b(const unsigned *weight, const unsigned *room, unsigned *taken, unsigned *spare, int parcels, int lorries)
{
    const int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= lorries) return;
    unsigned left = room[me], heavy[8];
    int count = 0;
    bool full = false;
    for (int k = 0; k < parcels && !full; k += 8) {
#pragma unroll
        for (int j = 0; j < 8; j++) heavy[j] = weight[(size_t)(k + j) * lorries + me];
#pragma unroll
        for (int j = 0; j < 8; j++) {
            full = full || heavy[j] > left;
            if (!full) left -= heavy[j], count++;
        }
    }
    taken[me] = count;
    spare[me] = left;
}

// Blocks of 32 by 32 samples from their differences along the rows, a warp a block, a lane a row; pitch: words from
// row to row in shared memory.
extern "C" __global__ void __launch_bounds__(256) undo_rows(const int *difference, int *sample, int pitch)
{
    extern __shared__ int tile[];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const size_t base = ((size_t)blockIdx.x * 8 + warp) * 1024;
    int *own = tile + warp * 32 * pitch;
#pragma unroll 8
    for (int r = 0; r < 32; r++) own[r * pitch + lane] = difference[base + r * 32 + lane];
    __syncwarp();
    int left = 512;
#pragma unroll 8
    for (int k = 0; k < 32; k++) {
        left = left + own[lane * pitch + k] & 1023;
        own[lane * pitch + k] = left;
    }
    __syncwarp();
#pragma unroll 8
    for (int r = 0; r < 32; r++) sample[base + r * 32 + lane] = own[r * pitch + lane];
}

// Energy that is left to an ion after collisions of its kind, of which there are eight.
__device__ float collide(float energy, float chance, int kind)
{
    float e = energy;
    switch (kind) {
    case 0:
        for (int k = 0; k < 12; k++) e = e * expf(-0.01f * chance * sqrtf(e)) + 0.02f;
        return e;
    case 1:
        for (int k = 0; k < 12; k++) e = e - 0.05f * chance * logf(1.0f + e);
        return e;
    case 2:
        for (int k = 0; k < 12; k++) e = e * (1.0f - 0.03f * cospif(chance + 0.1f * k)) + 0.01f * e / (1.0f + e);
        return e;
    case 3:
        for (int k = 0; k < 12; k++) e = sqrtf(e * e + 0.1f * chance * e) - 0.02f / (0.5f + e);
        return e;
    case 4:
        for (int k = 0; k < 12; k++) e = e + 0.1f * tanhf(chance - 0.2f * e);
        return e;
    case 5:
        for (int k = 0; k < 12; k++) e = 0.9f * e + 0.3f * expf(-e) * logf(2.0f + chance);
        return e;
    case 6:
        for (int k = 0; k < 12; k++) e = e - 0.02f * atanf(e * chance) + 0.01f * sinpif(e);
        return e;
    default:
        for (int k = 0; k < 12; k++) e = e * (1.0f - 0.02f * erff(chance * e)) + 0.005f * log1pf(e);
        return e;
    }
}
extern "C" __global__ void collide_ions(const float *energy, const float *chance, const int *kind, float *after, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) after[i] = collide(energy[i], chance[i], kind[i]);
}

// The most that serving two customers in one tour saves, for each customer over those after it; stop: place and
// distance from the depot. A warp has two groups of four customers.
__device__ void save_most(const float4 *stop, float *saving, int first, int n)
{
    const int lane = threadIdx.x % 32;
    float4 own[4];
    float best[4];
#pragma unroll
    for (int q = 0; q < 4; q++) own[q] = stop[first + q], best[q] = 0.0f;
    for (int j = first + 1 + lane; j < n; j += 32) {
        const float4 other = stop[j];
#pragma unroll
        for (int q = 0; q < 4; q++) {
            const float dx = other.x - own[q].x, dy = other.y - own[q].y;
            const float saved = own[q].z + other.z - sqrtf(dx * dx + dy * dy);
            if (j > first + q) best[q] = fmaxf(best[q], saved);
        }
    }
#pragma unroll
    for (int q = 0; q < 4; q++) {
        for (int k = 16; k > 0; k /= 2) best[q] = fmaxf(best[q], __shfl_down_sync(~0u, best[q], k));
        if (lane == 0) saving[first + q] = best[q];
    }
}
extern "C" __global__ void __launch_bounds__(1024) tour_savings(const float4 *stop, float *saving, int n)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (int group = 2 * warp; group < 2 * warp + 2; group++) save_most(stop, saving, 4 * group, n);
}
extern "C" __global__ void __launch_bounds__(1024) tour_savings_b(const float4 *stop, float *saving, int n)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, groups = n / 4;
    for (int group = warp; group < groups; group += groups - 1 - 2 * warp) {
        save_most(stop, saving, 4 * group, n);
        if (group != warp) break;
    }
}

// BLAKE2b-512 of records of 128 bytes, words of the records side by side.
__device__ __forceinline__ unsigned long long turn_right(unsigned long long x, int by)
{
    return x >> by | x << (64 - by);
}
#define BLAKE_G(a, b, c, d, x, y)                                                                                      \
    v[a] += v[b] + m[x], v[d] = turn_right(v[d] ^ v[a], 32);                                                           \
    v[c] += v[d], v[b] = turn_right(v[b] ^ v[c], 24);                                                                  \
    v[a] += v[b] + m[y], v[d] = turn_right(v[d] ^ v[a], 16);                                                           \
    v[c] += v[d], v[b] = turn_right(v[b] ^ v[c], 63);
#define BLAKE_ROUND(s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, sa, sb, sc, sd, se, sf)                                    \
    BLAKE_G(0, 4, 8, 12, s0, s1)                                                                                       \
    BLAKE_G(1, 5, 9, 13, s2, s3)                                                                                       \
    BLAKE_G(2, 6, 10, 14, s4, s5)                                                                                      \
    BLAKE_G(3, 7, 11, 15, s6, s7)                                                                                      \
    BLAKE_G(0, 5, 10, 15, s8, s9)                                                                                      \
    BLAKE_G(1, 6, 11, 12, sa, sb)                                                                                      \
    BLAKE_G(2, 7, 8, 13, sc, sd)                                                                                       \
    BLAKE_G(3, 4, 9, 14, se, sf)
__device__ __forceinline__ void blake(const unsigned long long *record, unsigned long long *digest, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned long long start[8] = {0x6a09e667f3bcc908ull, 0xbb67ae8584caa73bull, 0x3c6ef372fe94f82bull,
                                         0xa54ff53a5f1d36f1ull, 0x510e527fade682d1ull, 0x9b05688c2b3e6c1full,
                                         0x1f83d9abfb41bd6bull, 0x5be0cd19137e2179ull};
    unsigned long long m[16], v[16];
#pragma unroll
    for (int k = 0; k < 16; k++) m[k] = record[(size_t)k * n + i];
#pragma unroll
    for (int k = 0; k < 8; k++) v[k] = start[k], v[k + 8] = start[k];
    v[0] ^= 0x01010040ull, v[12] ^= 128, v[14] = ~v[14];
    BLAKE_ROUND(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
    BLAKE_ROUND(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3)
    BLAKE_ROUND(11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4)
    BLAKE_ROUND(7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8)
    BLAKE_ROUND(9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13)
    BLAKE_ROUND(2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9)
    BLAKE_ROUND(12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11)
    BLAKE_ROUND(13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10)
    BLAKE_ROUND(6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5)
    BLAKE_ROUND(10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0)
    BLAKE_ROUND(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
    BLAKE_ROUND(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3)
#pragma unroll
    for (int k = 0; k < 8; k++)
        digest[(size_t)k * n + i] = start[k] ^ (k == 0 ? 0x01010040ull : 0) ^ v[k] ^ v[k + 8];
}
extern "C" __global__ void __launch_bounds__(256, 6)
    blake_records(const unsigned long long *record, unsigned long long *digest, int n)
{
    blake(record, digest, n);
}
extern "C" __global__ void __launch_bounds__(256)
    blake_records_b(const unsigned long long *record, unsigned long long *digest, int n)
{
    blake(record, digest, n);
}

// How many of the atoms of its box and of the three after it lie in each of 24 shells about an atom, by the square of
// the distance; a box is a block of 256 atoms, places are whole numbers below 1024.
extern "C" __global__ void __launch_bounds__(256) shell_counts(const int4 *atom, int *shell, int n)
{
    __shared__ int4 other[256];
    const int me = blockIdx.x * 256 + threadIdx.x;
    const int4 own = atom[me];
    int count[24];
    for (int s = 0; s < 24; s++) count[s] = 0;
    for (int box = 0; box < 4; box++) {
        __syncthreads();
        other[threadIdx.x] = atom[(blockIdx.x + box) % gridDim.x * 256 + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 256; k++) {
            const int dx = other[k].x - own.x, dy = other[k].y - own.y, dz = other[k].z - own.z;
            count[dx * dx + dy * dy + dz * dz >> 17]++;
        }
    }
    for (int s = 0; s < 24; s++) shell[s * n + me] = count[s];
}
extern "C" __global__ void __launch_bounds__(256) shell_counts_b(const int4 *atom, int *shell, int n)
{
    __shared__ int4 other[256];
    __shared__ int count[24][256];
    const int me = blockIdx.x * 256 + threadIdx.x;
    const int4 own = atom[me];
    for (int s = 0; s < 24; s++) count[s][threadIdx.x] = 0;
    for (int box = 0; box < 4; box++) {
        __syncthreads();
        other[threadIdx.x] = atom[(blockIdx.x + box) % gridDim.x * 256 + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 256; k++) {
            const int dx = other[k].x - own.x, dy = other[k].y - own.y, dz = other[k].z - own.z;
            count[dx * dx + dy * dy + dz * dz >> 17][threadIdx.x]++;
        }
    }
    for (int s = 0; s < 24; s++) shell[s * n + me] = count[s][threadIdx.x];
}

// Levels of blocks of 8 by 8 back to coefficients, with the scale and the rounding of each place and of the block's
// kind (0 or 1).
__constant__ int scale_list[128];
__constant__ int round_list[128];
__device__ int restore_level(int level, int scale, int round)
{
    return level > 0 ? level * scale + round : level < 0 ? level * scale - round : 0;
}
extern "C" __global__ void restore_blocks(const int *level, const int *kind, int *coefficient, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int at = kind[i / 64] * 64 + i % 64;
    coefficient[i] = restore_level(level[i], scale_list[at], round_list[at]);
}
extern "C" __global__ void restore_blocks_b(const int *level, const int *kind, const int *__restrict__ scale,
                                            const int *__restrict__ round, int *coefficient, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int at = kind[i / 64] * 64 + i % 64;
    coefficient[i] = restore_level(level[i], scale[at], round[at]);
}

// Energy of each atom of a ligand with the 256 atoms of its site, softened, from the attraction and the repulsion of
// Lennard-Jones; place and depth.
extern "C" __global__ void __launch_bounds__(256) site_affinity(const float4 *ligand, const float4 *site, float *energy)
{
    __shared__ float4 other[256];
    const int me = blockIdx.x * 256 + threadIdx.x;
    const float4 own = ligand[me];
    other[threadIdx.x] = site[me];
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 256; k++) {
        const float dx = other[k].x - own.x, dy = other[k].y - own.y, dz = other[k].z - own.z;
        const float r = sqrtf(dx * dx + dy * dy + dz * dz + 1.0f);
        sum += other[k].w * own.w * (powf(1.0f / r, 12.0f) - powf(1.0f / r, 6.0f));
    }
    energy[me] = sum;
}
extern "C" __global__ void __launch_bounds__(256)
    site_affinity_b(const float4 *ligand, const float4 *site, float *energy)
{
    __shared__ float4 other[256];
    const int me = blockIdx.x * 256 + threadIdx.x;
    const float4 own = ligand[me];
    other[threadIdx.x] = site[me];
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 256; k++) {
        const float dx = other[k].x - own.x, dy = other[k].y - own.y, dz = other[k].z - own.z;
        const float near = __frcp_rn(dx * dx + dy * dy + dz * dz + 1.0f), sixth = near * near * near;
        sum += other[k].w * own.w * (sixth * sixth - sixth);
    }
    energy[me] = sum;
}

// Heat of six sources added to a fluid's temperatures; source: place, heat, one over the square of its reach.
__device__ __forceinline__ float heat_at(const float4 s, float x, float y)
{
    const float dx = x - s.x, dy = y - s.y;
    return s.z * fmaxf(0.0f, 1.0f - (dx * dx + dy * dy) * s.w);
}
extern "C" __global__ void __launch_bounds__(256)
    heat_fluid(float *temperature, const float4 *__restrict__ source, int width, int height)
{
    for (int k = 0; k < 6; k++) {
        const float4 s = source[k];
        for (int y = blockIdx.x; y < height; y += gridDim.x) {
            float *row = temperature + (size_t)y * width;
#pragma unroll 4
            for (int x = threadIdx.x; x < width; x += 256) row[x] += heat_at(s, x, y);
        }
    }
}
extern "C" __global__ void __launch_bounds__(256)
    heat_fluid_b(float *temperature, const float4 *__restrict__ source, int width, int height)
{
    float4 s[6];
#pragma unroll
    for (int k = 0; k < 6; k++) s[k] = source[k];
    for (int y = blockIdx.x; y < height; y += gridDim.x) {
        float *row = temperature + (size_t)y * width;
#pragma unroll 4
        for (int x = threadIdx.x; x < width; x += 256) {
            float here = row[x];
#pragma unroll
            for (int k = 0; k < 6; k++) here += heat_at(s[k], x, y);
            row[x] = here;
        }
    }
}

// Smallest and largest key and their sum in each leaf of an index, 32 keys a leaf, a warp a leaf.
extern "C" __global__ void leaf_summaries(const unsigned *key, uint4 *summary, int leaves)
{
    const int leaf = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (leaf >= leaves) return;
    const unsigned own = key[(size_t)leaf * 32 + lane];
    const unsigned low = __reduce_min_sync(~0u, own), high = __reduce_max_sync(~0u, own);
    const unsigned sum = __reduce_add_sync(~0u, own);
    if (lane == 0) summary[leaf] = make_uint4(low, high, sum, 0);
}
