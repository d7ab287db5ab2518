// Rules of tax, tanks, pairs, key streams, likeness of histograms, generators, quotes, residues, leaves, ciphers.
#include <cassert>
#include <new>

// 24 rules one after another on the income of households, for some years; each rule has a kind and two numbers.
struct Rule {
    float a, b;
    __device__ Rule(float2 p) : a(p.x), b(p.y) {}
    __device__ virtual float apply(float v) const = 0;
};
struct Flat : Rule {
    __device__ Flat(float2 p) : Rule(p) {}
    __device__ float apply(float v) const override { return fmaf(-a, v, v); }
};
struct Bracket : Rule {
    __device__ Bracket(float2 p) : Rule(p) {}
    __device__ float apply(float v) const override { return fmaf(-a, fmaxf(v - b, 0.0f), v); }
};
struct Credit : Rule {
    __device__ Credit(float2 p) : Rule(p) {}
    __device__ float apply(float v) const override { return v + fmaxf(fmaf(-b, v, a), 0.0f); }
};
struct Levy : Rule {
    __device__ Levy(float2 p) : Rule(p) {}
    __device__ float apply(float v) const override { return v - fminf(a, b * v); }
};
extern "C" __global__ void __launch_bounds__(256)
    tax_rules(const int *kind, const float2 *number, const float *income, float *left, int rules, int years, int n)
{
    __shared__ alignas(16) char room[32][32];
    __shared__ const Rule *rule[32];
    if (threadIdx.x < rules) {
        const float2 p = number[threadIdx.x];
        void *at = room[threadIdx.x];
        switch (kind[threadIdx.x]) {
        case 0: rule[threadIdx.x] = new (at) Flat(p); break;
        case 1: rule[threadIdx.x] = new (at) Bracket(p); break;
        case 2: rule[threadIdx.x] = new (at) Credit(p); break;
        default: rule[threadIdx.x] = new (at) Levy(p);
        }
    }
    __syncthreads();
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    float v = income[i];
    for (int y = 0; y < years; y++)
        for (int r = 0; r < rules; r++) v = rule[r]->apply(v);
    left[i] = v;
}
extern "C" __global__ void __launch_bounds__(256)
    tax_rules_b(const int *kind, const float2 *number, const float *income, float *left, int rules, int years, int n)
{
    __shared__ int kinds[32];
    __shared__ float2 numbers[32];
    if (threadIdx.x < rules) {
        kinds[threadIdx.x] = kind[threadIdx.x];
        numbers[threadIdx.x] = number[threadIdx.x];
    }
    __syncthreads();
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    float v = income[i];
    for (int y = 0; y < years; y++)
        for (int r = 0; r < rules; r++) {
            const float2 p = numbers[r];
            switch (kinds[r]) {
            case 0: v = fmaf(-p.x, v, v); break;
            case 1: v = fmaf(-p.x, fmaxf(v - p.y, 0.0f), v); break;
            case 2: v = v + fmaxf(fmaf(-p.y, v, p.x), 0.0f); break;
            default: v = v - fminf(p.x, p.y * v);
            }
        }
    left[i] = v;
}

// 360 days of rain tanks: what flows in by the day's rain, what is used, what runs over.
__constant__ float rain[360];
template <bool CHECKED> __device__ void fill_tanks(const float2 *tank, float *over, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    const float2 t = tank[i]; // area of the roof, use of a day
    float level = 0.5f, lost = 0;
#pragma unroll 4
    for (int day = 0; day < 360; day++) {
        const float in = rain[day] * t.x;
        if (CHECKED) assert(in >= 0.0f);
        level = fmaxf(level - t.y, 0.0f) + in;
        const float above = fmaxf(level - 1.0f, 0.0f);
        level -= above;
        if (CHECKED) assert(level >= 0.0f && level <= 1.0f);
        lost += above;
        if (CHECKED) assert(lost < 1e6f);
    }
    over[i] = lost;
}
extern "C" __global__ void __launch_bounds__(256) tank_levels(const float2 *tank, float *over, int n) { fill_tanks<true>(tank, over, n); }
extern "C" __global__ void __launch_bounds__(256) tank_levels_b(const float2 *tank, float *over, int n) { fill_tanks<false>(tank, over, n); }

// Work of collisions of pairs of particles, records of 32 bytes: place and mass, speed and charge.
extern "C" __global__ void __launch_bounds__(256) active_pairs(const float4 *particle, const int2 *pair, float *work, int n)
{
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        const int2 p = pair[i];
        const float4 a = particle[2 * p.x], u = particle[2 * p.x + 1], b = particle[2 * p.y], v = particle[2 * p.y + 1];
        const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z, dx = u.x - v.x, dy = u.y - v.y, dz = u.z - v.z;
        work[i] = a.w * b.w * (x * dx + y * dy + z * dz) + u.w * v.w * (x * x + y * y + z * z);
    }
}

// A check of 256 bytes of the RC4 key streams of many keys, 64 a block, whose states lie in shared memory.
struct RowOfStream {
    static __device__ int at(int i) { return threadIdx.x * 256 + i; }
};
struct WordsSideBySide {
    static __device__ int at(int i) { return (i >> 2) * 256 + threadIdx.x * 4 + (i & 3); }
};
template <class Lay> __device__ void key_streams(const unsigned *key, unsigned *check)
{
    __shared__ unsigned char state[64 * 256];
    const int me = blockIdx.x * 64 + threadIdx.x;
    const unsigned k4 = key[me];
#pragma unroll 1
    for (int i = 0; i < 256; i++) state[Lay::at(i)] = i;
    unsigned j = 0;
#pragma unroll 4
    for (int i = 0; i < 256; i++) {
        const unsigned a = state[Lay::at(i)];
        j = j + a + (k4 >> (8 * (i & 3)) & 255) & 255;
        const unsigned b = state[Lay::at(j)];
        state[Lay::at(i)] = b;
        state[Lay::at(j)] = a;
    }
    unsigned sum = 0;
    j = 0;
#pragma unroll 1
    for (int n = 1; n <= 256; n++) {
        const int i = n & 255;
        const unsigned a = state[Lay::at(i)];
        j = j + a & 255;
        const unsigned b = state[Lay::at(j)];
        state[Lay::at(i)] = b;
        state[Lay::at(j)] = a;
        sum = sum * 31 + state[Lay::at(a + b & 255)];
    }
    check[me] = sum;
}
extern "C" __global__ void __launch_bounds__(64) rc4_streams(const unsigned *key, unsigned *check) { key_streams<RowOfStream>(key, check); }
extern "C" __global__ void __launch_bounds__(64) rc4_streams_b(const unsigned *key, unsigned *check) { key_streams<WordsSideBySide>(key, check); }

// What each two histograms have in common; x and y have the bins as rows. A tile of 128 by 128 a block, 8 by 8 a thread.
__device__ void common_parts(const float *x, const float *y, float *common, int n, int bins)
{
    __shared__ alignas(16) float left[8][128], right[8][128];
    const int tx = threadIdx.x & 15, ty = threadIdx.x >> 4;
    float sum[8][8] = {};
    for (int from = 0; from < bins; from += 8) {
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const int row = k * 2 + (threadIdx.x >> 7), column = threadIdx.x & 127;
            left[row][column] = x[(from + row) * n + blockIdx.y * 128 + column];
            right[row][column] = y[(from + row) * n + blockIdx.x * 128 + column];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; k++) {
            float a[8], b[8];
#pragma unroll
            for (int i = 0; i < 8; i += 4) {
                *(float4 *)(a + i) = *(const float4 *)&left[k][ty * 4 + i * 16];
                *(float4 *)(b + i) = *(const float4 *)&right[k][tx * 4 + i * 16];
            }
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++) sum[i][j] += fminf(a[i], b[j]);
        }
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j += 4)
            *(float4 *)(common + (size_t)(blockIdx.y * 128 + ty * 4 + (i & 4) * 16 + (i & 3)) * n + blockIdx.x * 128 + tx * 4 + j * 16) =
                make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
}
extern "C" __global__ void __launch_bounds__(256, 4) common_histograms(const float *x, const float *y, float *common, int n, int bins)
{
    common_parts(x, y, common, n, bins);
}
extern "C" __global__ void __launch_bounds__(256, 2) common_histograms_b(const float *x, const float *y, float *common, int n, int bins)
{
    common_parts(x, y, common, n, bins);
}

// Walks in the plane by additive Fibonacci generators of 17 words, 17 steps a round.
__device__ void seed_words(unsigned (&word)[17], unsigned seed)
{
#pragma unroll
    for (int k = 0; k < 17; k++) {
        seed = seed * 1664525u + 1013904223u;
        word[k] = seed ^ seed >> 15;
    }
}
__device__ void step_of(unsigned w, int &x, int &y)
{
    x += (int)(w >> 30) - 1;
    y += (int)(w >> 28 & 3) - 1;
}
extern "C" __global__ void __launch_bounds__(256) fibonacci_walks(int2 *end, int rounds)
{
    const int me = blockIdx.x * 256 + threadIdx.x;
    unsigned word[17];
    seed_words(word, me);
    int x = 0, y = 0, at = 0, other = 12;
#pragma unroll 1
    for (int k = 0; k < rounds * 17; k++) {
        const unsigned w = word[at] + word[other];
        word[at] = w;
        step_of(w, x, y);
        at = at == 16 ? 0 : at + 1;
        other = other == 16 ? 0 : other + 1;
    }
    end[me] = make_int2(x, y);
}
extern "C" __global__ void __launch_bounds__(256) fibonacci_walks_b(int2 *end, int rounds)
{
    const int me = blockIdx.x * 256 + threadIdx.x;
    unsigned word[17];
    seed_words(word, me);
    int x = 0, y = 0;
#pragma unroll 1
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int k = 0; k < 17; k++) {
            word[k] += word[(k + 12) % 17];
            step_of(word[k], x, y);
        }
    end[me] = make_int2(x, y);
}

// The number of quotes before each trade; times in ascending order, their number a power of 2.
template <int EACH> __device__ void find_quotes(const int *quote, const int *trade, int *place, int quotes, int trades)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
#pragma unroll 1
    for (int i = t; i < trades; i += EACH * threads) {
        int at[EACH], when[EACH];
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            at[k] = 0;
            when[k] = i + k * threads < trades ? trade[i + k * threads] : 0;
        }
#pragma unroll 1
        for (int half = quotes / 2; half; half /= 2)
#pragma unroll
            for (int k = 0; k < EACH; k++) at[k] += quote[at[k] + half - 1] < when[k] ? half : 0;
#pragma unroll
        for (int k = 0; k < EACH; k++)
            if (i + k * threads < trades) place[i + k * threads] = at[k];
    }
}
extern "C" __global__ void __launch_bounds__(256) quote_times(const int *quote, const int *trade, int *place, int quotes, int trades)
{
    find_quotes<1>(quote, trade, place, quotes, trades);
}
extern "C" __global__ void __launch_bounds__(256) quote_times_b(const int *quote, const int *trade, int *place, int quotes, int trades)
{
    find_quotes<8>(quote, trade, place, quotes, trades);
}

// Powers modulo a prime below 2^31; minus_inverse of p modulo 2^32, square of 2^32 modulo p.
extern "C" __global__ void __launch_bounds__(256)
    mod_powers(const unsigned *base, unsigned *power, unsigned p, unsigned exponent, unsigned minus_inverse, unsigned square, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    unsigned long long b = base[i], r = 1;
#pragma unroll 1
    for (unsigned e = exponent; e; e >>= 1) {
        if (e & 1) r = r * b % p;
        b = b * b % p;
    }
    power[i] = (unsigned)r;
}
__device__ unsigned reduced(unsigned long long t, unsigned p, unsigned minus_inverse)
{
    const unsigned m = (unsigned)t * minus_inverse, r = (unsigned)((t + (unsigned long long)m * p) >> 32);
    return min(r, r - p);
}
extern "C" __global__ void __launch_bounds__(256)
    mod_powers_b(const unsigned *base, unsigned *power, unsigned p, unsigned exponent, unsigned minus_inverse, unsigned square, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    unsigned b = reduced((unsigned long long)base[i] * square, p, minus_inverse), r = reduced(square, p, minus_inverse);
#pragma unroll 1
    for (unsigned e = exponent; e; e >>= 1) {
        if (e & 1) r = reduced((unsigned long long)r * b, p, minus_inverse);
        b = reduced((unsigned long long)b * b, p, minus_inverse);
    }
    power[i] = reduced(r, p, minus_inverse);
}

// An index of leaves from the red and the infrared byte of each pixel.
__device__ unsigned leaf_of(unsigned red, unsigned infra, int soil) { return (unsigned)max((int)infra - ((int)red * soil >> 7), 0); }
extern "C" __global__ void __launch_bounds__(256)
    leaf_index(const unsigned char *red, const unsigned char *infra, unsigned char *leaf, int soil, long long n)
{
    for (long long i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) leaf[i] = leaf_of(red[i], infra[i], soil);
}
extern "C" __global__ void __launch_bounds__(256) leaf_index_b(const uint4 *red, const uint4 *infra, uint4 *leaf, int soil, long long n)
{
    for (long long i = blockIdx.x * 256 + threadIdx.x; i < n / 16; i += gridDim.x * 256) {
        const uint4 a = red[i], b = infra[i];
        const unsigned r[4] = {a.x, a.y, a.z, a.w}, f[4] = {b.x, b.y, b.z, b.w};
        unsigned v[4] = {};
#pragma unroll
        for (int k = 0; k < 16; k++) v[k / 4] |= leaf_of(r[k / 4] >> (8 * (k % 4)) & 255, f[k / 4] >> (8 * (k % 4)) & 255, soil) << (8 * (k % 4));
        leaf[i] = make_uint4(v[0], v[1], v[2], v[3]);
    }
}

// 32 rounds of a cipher of Feistel's kind on blocks of 64 bits, with four tables of 256 words.
__constant__ unsigned box[4][256], round_key[8];
template <class Box> __device__ void encrypt(const uint2 *plain, uint2 *secret, int n, const Box &table)
{
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        uint2 v = plain[i];
#pragma unroll 4
        for (int k = 0; k < 32; k++) {
            const unsigned x = v.x + round_key[k & 7];
            const unsigned f = table[0][x & 255] ^ table[1][x >> 8 & 255] ^ table[2][x >> 16 & 255] ^ table[3][x >> 24];
            v = make_uint2(v.y ^ f, v.x);
        }
        secret[i] = v;
    }
}
extern "C" __global__ void __launch_bounds__(256) feistel_rounds(const uint2 *plain, uint2 *secret, int n) { encrypt(plain, secret, n, box); }
extern "C" __global__ void __launch_bounds__(256) feistel_rounds_b(const uint2 *plain, uint2 *secret, int n)
{
    __shared__ unsigned copy[4][256];
    for (int k = 0; k < 4; k++) copy[k][threadIdx.x] = box[k][threadIdx.x];
    __syncthreads();
    encrypt(plain, secret, n, copy);
}
