// Pipes and clusters of atoms, secrets and sounds, codes and shields, tanks and streets, reservoirs, fabrics, masts,
// fires on a heath, winds and recipes.

// A step of a lattice Boltzmann fluid of nine directions in the plane, driven along x, at its ends joined to itself.
__device__ __forceinline__ float relax(float f, float weight, float cu, float uu, float rho, float rate)
{
    return f + rate * (weight * rho * (1.0f + 3.0f * cu + 4.5f * cu * cu - 1.5f * uu) - f);
}
template <bool PLANES> __device__ __forceinline__ int spot(int q, int cell, int cells)
{
    return PLANES ? q * cells + cell : cell * 9 + q;
}
template <bool PLANES>
__device__ __forceinline__ void lattice_step(
    const float *__restrict__ from, float *__restrict__ to, float rate, float push, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, cells = width * height;
    if (x >= width) return;
    const int w = x > 0 ? x - 1 : width - 1, e = x + 1 < width ? x + 1 : 0;
    const int s = (y > 0 ? y - 1 : height - 1) * width, n = (y + 1 < height ? y + 1 : 0) * width, m = y * width;
    float f[9];
    f[0] = from[spot<PLANES>(0, m + x, cells)];
    f[1] = from[spot<PLANES>(1, m + w, cells)];
    f[2] = from[spot<PLANES>(2, s + x, cells)];
    f[3] = from[spot<PLANES>(3, m + e, cells)];
    f[4] = from[spot<PLANES>(4, n + x, cells)];
    f[5] = from[spot<PLANES>(5, s + w, cells)];
    f[6] = from[spot<PLANES>(6, s + e, cells)];
    f[7] = from[spot<PLANES>(7, n + e, cells)];
    f[8] = from[spot<PLANES>(8, n + w, cells)];
    const float rho = f[0] + f[1] + f[2] + f[3] + f[4] + f[5] + f[6] + f[7] + f[8], over = __fdividef(1.0f, rho);
    const float u = (f[1] + f[5] + f[8] - f[3] - f[6] - f[7]) * over + push;
    const float v = (f[2] + f[5] + f[6] - f[4] - f[7] - f[8]) * over, uu = u * u + v * v;
    const float side = 1.0f / 9.0f, edge = 1.0f / 36.0f;
    to[spot<PLANES>(0, m + x, cells)] = relax(f[0], 4.0f / 9.0f, 0.0f, uu, rho, rate);
    to[spot<PLANES>(1, m + x, cells)] = relax(f[1], side, u, uu, rho, rate);
    to[spot<PLANES>(2, m + x, cells)] = relax(f[2], side, v, uu, rho, rate);
    to[spot<PLANES>(3, m + x, cells)] = relax(f[3], side, -u, uu, rho, rate);
    to[spot<PLANES>(4, m + x, cells)] = relax(f[4], side, -v, uu, rho, rate);
    to[spot<PLANES>(5, m + x, cells)] = relax(f[5], edge, u + v, uu, rho, rate);
    to[spot<PLANES>(6, m + x, cells)] = relax(f[6], edge, v - u, uu, rho, rate);
    to[spot<PLANES>(7, m + x, cells)] = relax(f[7], edge, -u - v, uu, rho, rate);
    to[spot<PLANES>(8, m + x, cells)] = relax(f[8], edge, u - v, uu, rho, rate);
}
extern "C" __global__ void __launch_bounds__(256) pipe_lattice(
    const float *__restrict__ from, float *__restrict__ to, float rate, float push, int width, int height)
{
    lattice_step<false>(from, to, rate, push, width, height);
}
extern "C" __global__ void __launch_bounds__(256) pipe_lattice_b(
    const float *__restrict__ from, float *__restrict__ to, float rate, float push, int width, int height)
{
    lattice_step<true>(from, to, rate, push, width, height);
}

// Forces in drops of molten salt, of 256 ions each: repulsion, dispersion and screened charges of ions closer than a
// cutoff. ions: place and charge.
constexpr int IONS = 256;
__device__ __forceinline__ void pair_force(
    const float4 &a, const float4 &b, float dx, float dy, float dz, float r2, float most,
    float3 &f)
{
    const float r = sqrtf(r2), inv = 1.0f / r, inv2 = inv * inv, inv6 = inv2 * inv2 * inv2;
    const float screen = erfcf(0.75f * r) * inv + 0.8462844f * expf(-0.5625f * r2);
    const float push = 12.0f * expf(-3.0f * r) - 6.0f * inv6 * inv * (1.0f - expf(-r2 * r2 * r2));
    const float pull = (push * inv + a.w * b.w * screen * inv2) * (most - r2);
    f.x += pull * dx;
    f.y += pull * dy;
    f.z += pull * dz;
}
extern "C" __global__ void __launch_bounds__(IONS) salt_drops(
    const float4 *__restrict__ ions, float *__restrict__ force, float cutoff)
{
    __shared__ float4 drop[IONS];
    const int tid = threadIdx.x, at = blockIdx.x * IONS + tid;
    const float4 mine = drop[tid] = ions[at];
    __syncthreads();
    float3 f = make_float3(0.0f, 0.0f, 0.0f);
    const float most = cutoff * cutoff;
#pragma unroll 1
    for (int j = 0; j < IONS; j++) {
        const float4 other = drop[j];
        const float dx = mine.x - other.x, dy = mine.y - other.y, dz = mine.z - other.z;
        const float r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < most && j != tid) pair_force(mine, other, dx, dy, dz, r2, most, f);
    }
    force[3 * at] = f.x;
    force[3 * at + 1] = f.y;
    force[3 * at + 2] = f.z;
}
extern "C" __global__ void __launch_bounds__(IONS) salt_drops_b(
    const float4 *__restrict__ ions, float *__restrict__ force, float cutoff)
{
    __shared__ float4 drop[IONS];
    const int tid = threadIdx.x, at = blockIdx.x * IONS + tid;
    const float4 mine = drop[tid] = ions[at];
    __syncthreads();
    float3 f = make_float3(0.0f, 0.0f, 0.0f);
    const float most = cutoff * cutoff;
#pragma unroll 1
    for (int first = 0; first < IONS; first += 64) {
        unsigned long long close = 0;
#pragma unroll 16
        for (int k = 0; k < 64; k++) {
            const float4 other = drop[first + k];
            const float dx = mine.x - other.x, dy = mine.y - other.y, dz = mine.z - other.z;
            if (dx * dx + dy * dy + dz * dz < most && first + k != tid) close |= 1ull << k;
        }
        while (close) {
            const float4 other = drop[first + __ffsll(close) - 1];
            close &= close - 1;
            const float dx = mine.x - other.x, dy = mine.y - other.y, dz = mine.z - other.z;
            pair_force(mine, other, dx, dy, dz, dx * dx + dy * dy + dz * dz, most, f);
        }
    }
    force[3 * at] = f.x;
    force[3 * at + 1] = f.y;
    force[3 * at + 2] = f.z;
}

// Shares of secrets for a number of people: a polynomial of degree 15 modulo a prime, at 1, 2, 3 and so on. parts: the
// secret and 15 random numbers, 16 rows.
extern "C" __global__ void __launch_bounds__(256) share_secrets(
    const unsigned *__restrict__ parts, unsigned *__restrict__ shares, unsigned long long prime, int people, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned part[16];
#pragma unroll
    for (int k = 0; k < 16; k++) part[k] = parts[k * n + i];
    for (int person = 1; person <= people; person++) {
        unsigned long long share = part[15];
#pragma unroll
        for (int k = 14; k >= 0; k--) share = (share * person + part[k]) % prime;
        shares[(person - 1) * n + i] = share;
    }
}
// over: 2 to the power of 64 divided by the prime, rounded down.
extern "C" __global__ void __launch_bounds__(256) share_secrets_b(
    const unsigned *__restrict__ parts, unsigned *__restrict__ shares, unsigned long long prime,
    unsigned long long over, int people, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned part[16];
#pragma unroll
    for (int k = 0; k < 16; k++) part[k] = parts[k * n + i];
    for (int person = 1; person <= people; person++) {
        unsigned long long share = part[15];
#pragma unroll
        for (int k = 14; k >= 0; k--) {
            const unsigned long long value = share * person + part[k];
            share = value - __umul64hi(value, over) * prime;
            if (share >= prime) share -= prime;
        }
        shares[(person - 1) * n + i] = share;
    }
}

// New centres of a codebook of sounds: sums of the vectors of 32 numbers that are nearest to each. vectors: in the
// order of their centres; start: where those of each begin.
__device__ __forceinline__ void sum_members(
    const float *__restrict__ vectors, float *__restrict__ sums, int centre, int first, int stop, int row, int step)
{
    __shared__ float part[8][32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float sum = 0.0f;
#pragma unroll 4
    for (int k = first + row; k < stop; k += step) sum += vectors[k * 32 + lane];
    part[warp][lane] = sum;
    __syncthreads();
    if (warp > 0) return;
#pragma unroll
    for (int w = 1; w < 8; w++) sum += part[w][lane];
    atomicAdd(&sums[centre * 32 + lane], sum);
}
extern "C" __global__ void __launch_bounds__(256) codebook_sums(
    const float *__restrict__ vectors, const int *__restrict__ start, float *__restrict__ sums)
{
    const int c = blockIdx.x;
    sum_members(vectors, sums, c, start[c], start[c + 1], threadIdx.x / 32, 8);
}
extern "C" __global__ void __launch_bounds__(256) codebook_sums_b(
    const float *__restrict__ vectors, const int *__restrict__ start, float *__restrict__ sums)
{
    const int c = blockIdx.y;
    sum_members(vectors, sums, c, start[c], start[c + 1], blockIdx.x * 8 + threadIdx.x / 32, gridDim.x * 8);
}

// How often each of 64 symbols is in a page of seismic residues, for its Huffman code; a table a thread. A block of 64
// threads a page; words: of 4 symbols.
constexpr int SYMBOLS = 64, PAGERS = 64;
__device__ __forceinline__ void symbol_tables(
    const uint4 *__restrict__ words, int *__restrict__ counts, int each, int by_thread, int by_symbol, int turn)
{
    __shared__ int table[SYMBOLS * PAGERS];
    const int tid = threadIdx.x;
#pragma unroll 8
    for (int k = 0; k < SYMBOLS; k++) table[k * PAGERS + tid] = 0;
    __syncthreads();
    int *mine = table + tid * by_thread;
    const uint4 *page = words + (long long)blockIdx.x * each;
    for (int k = tid; k < each; k += PAGERS) {
        const uint4 four = page[k];
        const unsigned part[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int b = 0; b < 32; b += 8) mine[(part[j] >> b & 63) * by_symbol]++;
    }
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < PAGERS; k++) sum += table[tid * by_symbol + ((k + turn * tid) % PAGERS) * by_thread];
    counts[blockIdx.x * SYMBOLS + tid] = sum;
}
extern "C" __global__ void __launch_bounds__(PAGERS) symbol_counts(
    const uint4 *__restrict__ words, int *__restrict__ counts, int each)
{
    symbol_tables(words, counts, each, SYMBOLS, 1, 0);
}
extern "C" __global__ void __launch_bounds__(PAGERS) symbol_counts_b(
    const uint4 *__restrict__ words, int *__restrict__ counts, int each)
{
    symbol_tables(words, counts, each, 1, PAGERS, 1);
}

// Neutrons through a shield: each flies from collision to collision and scores what it is worth in one of 256 cells of
// depth and height. dose: 256 cells, in units of 2 to the power of -8.
constexpr int CELLS = 256;
__device__ __forceinline__ float uniform(unsigned &state)
{
    state = state * 747796405u + 2891336453u;
    const unsigned word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
    return (word >> 8) * (1.0f / 16777216.0f) + 2.9802322e-8f;
}
template <typename SCORE>
__device__ __forceinline__ void fly_neutron(unsigned state, float free_path, float kept, int most, SCORE score)
{
    float x = 0.0f, y = 8.0f, c = 1.0f, s = 0.0f, worth = 1.0f;
    for (int hit = 0; hit < most; hit++) {
        const float path = -free_path * __logf(uniform(state));
        x += path * c;
        y += path * s;
        if (x < 0.0f || x >= 16.0f || y < 0.0f || y >= 16.0f) return;
        score(min(15, (int)x) * 16 + min(15, (int)y), (unsigned)(worth * (1.0f - kept) * 256.0f));
        worth *= kept;
        __sincosf(6.2831853f * (uniform(state) - 0.5f), &s, &c);
    }
}
extern "C" __global__ void __launch_bounds__(256) shield_doses(
    const unsigned *__restrict__ seeds, unsigned *__restrict__ dose, float free_path, float kept, int most, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        fly_neutron(seeds[i], free_path, kept, most, [&](int cell, unsigned d) { atomicAdd(&dose[cell], d); });
}
extern "C" __global__ void __launch_bounds__(256) shield_doses_b(
    const unsigned *__restrict__ seeds, unsigned *__restrict__ dose, float free_path, float kept, int most, int n)
{
    __shared__ unsigned mine[CELLS];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        fly_neutron(seeds[i], free_path, kept, most, [&](int cell, unsigned d) { atomicAdd(&mine[cell], d); });
    __syncthreads();
    if (mine[threadIdx.x]) atomicAdd(&dose[threadIdx.x], mine[threadIdx.x]);
}

// Pressure and speed of sound of the particles of sloshing water, by Tait's equation.
extern "C" __global__ void __launch_bounds__(256) slosh_pressure(
    const float *__restrict__ density, float *__restrict__ pressure, float *__restrict__ sound, float rest, float c0,
    int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float ratio = density[i] / rest;
    pressure[i] = c0 * c0 * rest / 7.0 * (pow((double)ratio, 7.0) - 1.0);
    sound[i] = c0 * pow((double)ratio, 3.0);
}
extern "C" __global__ void __launch_bounds__(256) slosh_pressure_b(
    const float *__restrict__ density, float *__restrict__ pressure, float *__restrict__ sound, float rest, float c0,
    int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float ratio = density[i] / rest;
    pressure[i] = c0 * c0 * rest / 7.0f * (powf(ratio, 7.0f) - 1.0f);
    sound[i] = c0 * powf(ratio, 3.0f);
}

// The street without its cars: the median of 15 pictures, pixel by pixel.
constexpr int SHOTS = 15;
extern "C" __global__ void __launch_bounds__(256) empty_street(
    const float *__restrict__ shots, float *__restrict__ street, int count, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sorted[SHOTS];
    for (int k = 0; k < count; k++) {
        const float value = shots[k * n + i];
        int at = k;
        while (at > 0 && sorted[at - 1] > value) {
            sorted[at] = sorted[at - 1];
            at--;
        }
        sorted[at] = value;
    }
    street[i] = sorted[count / 2];
}
extern "C" __global__ void __launch_bounds__(256) empty_street_b(
    const float *__restrict__ shots, float *__restrict__ street, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sorted[SHOTS];
#pragma unroll
    for (int k = 0; k < SHOTS; k++) sorted[k] = shots[k * n + i];
#pragma unroll
    for (int round = 0; round < SHOTS; round++)
#pragma unroll
        for (int k = round % 2; k + 1 < SHOTS; k += 2) {
            const float low = fminf(sorted[k], sorted[k + 1]);
            sorted[k + 1] = fmaxf(sorted[k], sorted[k + 1]);
            sorted[k] = low;
        }
    street[i] = sorted[SHOTS / 2];
}

// Incomplete factors of the flow in an oil reservoir, solved forwards and backwards in patches of 16 by 16 cells, a
// diagonal of cells after another, `sweeps` times over. west, south, inverse: the factors; right: right sides.
constexpr int SIDE = 16;
extern "C" __global__ void __launch_bounds__(SIDE *SIDE) reservoir_patches(
    const float *__restrict__ west, const float *__restrict__ south, const float *__restrict__ inverse,
    float *__restrict__ flow, const float *__restrict__ right, int sweeps)
{
    __shared__ float cell[SIDE + 2][SIDE + 2];
    const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE, at = blockIdx.x * SIDE * SIDE + threadIdx.x;
    for (int k = threadIdx.x; k < (SIDE + 2) * (SIDE + 2); k += SIDE * SIDE)
        cell[k / (SIDE + 2)][k % (SIDE + 2)] = 0.0f;
    const float w = west[at], s = south[at], d = inverse[at], b = right[at];
    float value = b;
    __syncthreads();
    for (int sweep = 0; sweep < sweeps; sweep++) {
        for (int level = 0; level < 2 * SIDE - 1; level++) {
            if (x + y == level)
                cell[y + 1][x + 1] = value = (value - w * cell[y + 1][x] - s * cell[y][x + 1]) * d;
            __syncthreads();
        }
        for (int level = 2 * SIDE - 2; level >= 0; level--) {
            if (x + y == level)
                cell[y + 1][x + 1] = value = (value - w * cell[y + 1][x + 2] - s * cell[y + 2][x + 1]) * d;
            __syncthreads();
        }
        value += b;
    }
    flow[at] = value;
}
// A row of a patch a lane, two patches a warp; what is north and south of a cell comes from the lanes beside.
extern "C" __global__ void __launch_bounds__(128) reservoir_patches_b(
    const float *__restrict__ west, const float *__restrict__ south, const float *__restrict__ inverse,
    float *__restrict__ flow, const float *__restrict__ right, int sweeps)
{
    __shared__ float rows[4][4][32][SIDE + 2];
    __shared__ float first[4][32][SIDE + 2];
    const int lane = threadIdx.x % 32, y = lane % SIDE, base = (blockIdx.x * 128 + threadIdx.x - lane) * SIDE;
    auto &mine = rows[threadIdx.x / 32];
    auto &value = first[threadIdx.x / 32];
    for (int k = lane; k < 32 * SIDE; k += 32) {
        mine[0][k / SIDE][k % SIDE] = west[base + k];
        mine[1][k / SIDE][k % SIDE] = south[base + k];
        mine[2][k / SIDE][k % SIDE] = inverse[base + k];
        mine[3][k / SIDE][k % SIDE] = value[k / SIDE][k % SIDE] = right[base + k];
    }
    __syncwarp();
    for (int sweep = 0; sweep < sweeps; sweep++) {
        float last = 0.0f;
        for (int level = 0; level < 2 * SIDE - 1; level++) {
            const float below = __shfl_up_sync(~0u, last, 1, SIDE);
            const int x = level - y;
            if (x >= 0 && x < SIDE)
                value[lane][x] = last =
                    (value[lane][x] - mine[0][lane][x] * last - mine[1][lane][x] * (y > 0 ? below : 0.0f)) *
                    mine[2][lane][x];
        }
        last = 0.0f;
        for (int level = 2 * SIDE - 2; level >= 0; level--) {
            const float above = __shfl_down_sync(~0u, last, 1, SIDE);
            const int x = level - y;
            if (x >= 0 && x < SIDE)
                value[lane][x] = last = (value[lane][x] - mine[0][lane][x] * last -
                                         mine[1][lane][x] * (y < SIDE - 1 ? above : 0.0f)) * mine[2][lane][x];
        }
        for (int x = 0; x < SIDE; x++) value[lane][x] += mine[3][lane][x];
    }
    __syncwarp();
    for (int k = lane; k < 32 * SIDE; k += 32) flow[base + k] = value[k / SIDE][k % SIDE];
}

// Light from a woven fabric by a small network: 40 numbers of a sample, a hidden layer of 40 and one of 40, one output.
constexpr int WIDE = 40;
__constant__ float fabric_weights[2][WIDE][WIDE];
__constant__ float fabric_last[WIDE];
__device__ __forceinline__ void fabric_light(const float *__restrict__ inputs, float *__restrict__ light, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a[WIDE], b[WIDE];
#pragma unroll
    for (int k = 0; k < WIDE; k++) a[k] = 0.0f, b[k] = 0.0f;
#pragma unroll 1
    for (int k = 0; k < WIDE; k++) {
        const float value = inputs[k * n + i];
#pragma unroll
        for (int j = 0; j < WIDE; j++) a[j] = fmaf(fabric_weights[0][k][j], value, a[j]);
    }
#pragma unroll
    for (int j = 0; j < WIDE; j++) a[j] = fmaxf(a[j], 0.0f);
#pragma unroll
    for (int k = 0; k < WIDE; k++)
#pragma unroll
        for (int j = 0; j < WIDE; j++) b[j] = fmaf(fabric_weights[1][k][j], a[k], b[j]);
    float sum = 0.0f;
#pragma unroll
    for (int j = 0; j < WIDE; j++) sum = fmaf(fabric_last[j], fmaxf(b[j], 0.0f), sum);
    light[i] = sum;
}
extern "C" __global__ void __launch_bounds__(256, 8) fabric_net(
    const float *__restrict__ inputs, float *__restrict__ light, int n)
{
    fabric_light(inputs, light, n);
}
extern "C" __global__ void __launch_bounds__(256, 2) fabric_net_b(
    const float *__restrict__ inputs, float *__restrict__ light, int n)
{
    fabric_light(inputs, light, n);
}

// Masts of radio that have the channel of a mast they disturb: how many of its neighbours have the same one.
extern "C" __global__ void __launch_bounds__(256) mast_channels(
    const int *__restrict__ start, const int *__restrict__ near, const int *__restrict__ channel,
    int *__restrict__ clashes, int masts)
{
    const int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= masts) return;
    const int own = channel[m], stop = start[m + 1];
    int count = 0;
    for (int k = start[m]; k < stop; k++) count += channel[near[k]] == own;
    clashes[m] = count;
}
// A thread an edge; from: the mast of each.
extern "C" __global__ void __launch_bounds__(256) mast_channels_b(
    const int *__restrict__ from, const int *__restrict__ near, const int *__restrict__ channel,
    int *__restrict__ clashes, int edges)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= edges) return;
    const int m = from[k];
    if (channel[near[k]] == channel[m]) atomicAdd(&clashes[m], 1);
}

// A step of a fire on a heath: 0 bare, 1 heather, 2 fire, an edge of bare cells about it. Fire takes hold where two
// or more of the eight cells about burn. pitch: bytes of a row, of which the heath is from 4 to pitch - 4.
extern "C" __global__ void __launch_bounds__(256) heath_fire(
    const unsigned char *__restrict__ now, unsigned char *__restrict__ next, int pitch, int rows)
{
    const int x = 4 + blockIdx.x * blockDim.x + threadIdx.x, y = 1 + blockIdx.y;
    if (x >= pitch - 4 || y >= rows - 1) return;
    const unsigned char *at = now + y * pitch + x;
    const unsigned char *up = at - pitch, *down = at + pitch;
    const int fires = (up[-1] >> 1) + (up[0] >> 1) + (up[1] >> 1) + (at[-1] >> 1) + (at[1] >> 1) + (down[-1] >> 1) +
                      (down[0] >> 1) + (down[1] >> 1);
    const int own = at[0];
    next[y * pitch + x] = own == 1 ? 1 + (fires >= 2) : 0;
}
// Four cells a thread.
extern "C" __global__ void __launch_bounds__(256) heath_fire_b(
    const unsigned *__restrict__ now, unsigned *__restrict__ next, int pitch, int rows)
{
    const int words = pitch / 4, x = 1 + blockIdx.x * blockDim.x + threadIdx.x, y = 1 + blockIdx.y;
    if (x >= words - 1 || y >= rows - 1) return;
    const unsigned *at = now + y * words + x;
    unsigned fires = 0, own = 0;
#pragma unroll
    for (int r = -1; r <= 1; r++) {
        const unsigned mid = at[r * words], left = at[r * words - 1], right = at[r * words + 1];
        fires += __funnelshift_r(left, mid, 24) >> 1 & 0x01010101u;
        fires += __funnelshift_r(mid, right, 8) >> 1 & 0x01010101u;
        if (r == 0)
            own = mid;
        else
            fires += mid >> 1 & 0x01010101u;
    }
    const unsigned many = (fires + 0x06060606u) >> 3 & 0x01010101u, heather = own & 0x01010101u;
    next[y * words + x] = heather + (heather & many);
}

// Winds from how clouds move between two pictures of a satellite: sums of products of gradients in a window of 15 by 15
// pixels about each, and the motion from them. change: gradients by x, y and time, with 7 more pixels on each side.
constexpr int HALF = 7, WIN = 15, TX = 32, TY = 16;
__device__ __forceinline__ void motion(const float (&s)[5], float *u, float *v)
{
    const float det = s[0] * s[2] - s[1] * s[1] + 1e-3f, over = __fdividef(1.0f, det);
    *u = (s[1] * s[4] - s[2] * s[3]) * over;
    *v = (s[1] * s[3] - s[0] * s[4]) * over;
}
__device__ __forceinline__ void products(float x, float y, float t, float (&s)[5])
{
    s[0] += x * x;
    s[1] += x * y;
    s[2] += y * y;
    s[3] += x * t;
    s[4] += y * t;
}
extern "C" __global__ void __launch_bounds__(TX *TY) cloud_winds(
    const float *__restrict__ change, float *__restrict__ winds, int width, int height)
{
    const int x = blockIdx.x * TX + threadIdx.x % TX, y = blockIdx.y * TY + threadIdx.x / TX;
    const int pitch = width + 2 * HALF, plane = pitch * (height + 2 * HALF), n = width * height;
    if (x >= width || y >= height) return;
    float s[5] = {};
    for (int r = 0; r < WIN; r++) {
        const float *row = change + (y + r) * pitch + x;
#pragma unroll
        for (int c = 0; c < WIN; c++) products(row[c], row[plane + c], row[2 * plane + c], s);
    }
    motion(s, &winds[y * width + x], &winds[n + y * width + x]);
}
// Sums down the columns of a tile first, and of those along the rows.
extern "C" __global__ void __launch_bounds__(TX *TY) cloud_winds_b(
    const float *__restrict__ change, float *__restrict__ winds, int width, int height)
{
    constexpr int ACROSS = TX + 2 * HALF;
    __shared__ float column[5][TY][ACROSS];
    const int pitch = width + 2 * HALF, plane = pitch * (height + 2 * HALF), n = width * height;
    const int x0 = blockIdx.x * TX, y0 = blockIdx.y * TY;
    for (int k = threadIdx.x; k < TY * ACROSS; k += TX * TY) {
        const int r = k / ACROSS, c = k % ACROSS;
        float s[5] = {};
        if (y0 + r < height && x0 + c < pitch) {
            const float *top = change + (y0 + r) * pitch + x0 + c;
#pragma unroll
            for (int j = 0; j < WIN; j++)
                products(top[j * pitch], top[plane + j * pitch], top[2 * plane + j * pitch], s);
        }
#pragma unroll
        for (int q = 0; q < 5; q++) column[q][r][c] = s[q];
    }
    __syncthreads();
    const int tx = threadIdx.x % TX, ty = threadIdx.x / TX, x = x0 + tx, y = y0 + ty;
    if (x >= width || y >= height) return;
    float s[5] = {};
#pragma unroll
    for (int c = 0; c < WIN; c++)
#pragma unroll
        for (int q = 0; q < 5; q++) s[q] += column[q][ty][tx + c];
    motion(s, &winds[y * width + x], &winds[n + y * width + x]);
}

// Vectors of the ingredients of recipes: a row of 32 numbers of a table, scaled by the amount, a lane a number.
extern "C" __global__ void recipe_vectors(
    const int *__restrict__ item, const float *__restrict__ amount, const float *__restrict__ table,
    float *__restrict__ vectors, int n)
{
    const int i = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (i >= n) return;
    vectors[i * 32 + lane] = table[item[i] * 32 + lane] * amount[i];
}
