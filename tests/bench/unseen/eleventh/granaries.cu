// Facts, series, links, documents, orders, sparse blocks, bonds, residual streams, cells, weights of 4 bits, averages of
// prices, mixtures, dictionaries, ratings.

#include <cuda_fp16.h>

// Scores of facts (head, relation, tail) of a graph of knowledge by TransE: the distance of head and relation from the
// tail; entities and relations are rows of `width` features.
extern "C" __global__ void fact_scores(const int *head, const int *relation, const int *tail, const float *entity,
                                       const float *move, float *score, int width, int facts)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= facts) return;
    const float *h = entity + (size_t)head[i] * width;
    const float *t = entity + (size_t)tail[i] * width;
    const float *r = move + (size_t)relation[i] * width;
    float sum = 0.0f;
    for (int d = 0; d < width; d++) sum += fabsf(h[d] + r[d] - t[d]);
    score[i] = -sum;
}
extern "C" __global__ void fact_scores_b(const int *head, const int *relation, const int *tail, const float *entity,
                                         const float *move, float *score, int width, int facts)
{
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (i >= facts) return;
    const float *h = entity + (size_t)head[i] * width;
    const float *t = entity + (size_t)tail[i] * width;
    const float *r = move + (size_t)relation[i] * width;
    float sum = 0.0f;
    for (int d = lane; d < width; d += 32) sum += fabsf(h[d] + r[d] - t[d]);
    for (int w = 16; w > 0; w /= 2) sum += __shfl_xor_sync(~0u, sum, w);
    if (lane == 0) score[i] = -sum;
}

// Autoregressive models of time series from their autocovariances (lag, series) by the recursion of Levinson and
// Durbin: coefficients (lag, series) and the variance that is left.
#define MOST 16
extern "C" __global__ void
yule_walker(const float *covariance, float *coefficient, float *variance, int order, int series)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= series) return;
    float r[MOST + 1], a[MOST], old[MOST];
    for (int m = 0; m <= order; m++) r[m] = covariance[(size_t)m * series + i];
    float left = r[0];
    for (int m = 0; m < order; m++) {
        float reflect = r[m + 1];
        for (int k = 0; k < m; k++) reflect -= a[k] * r[m - k];
        reflect /= left;
        for (int k = 0; k < m; k++) old[k] = a[k];
        for (int k = 0; k < m; k++) a[k] = old[k] - reflect * old[m - 1 - k];
        a[m] = reflect;
        left *= 1.0f - reflect * reflect;
    }
    for (int m = 0; m < order; m++) coefficient[(size_t)m * series + i] = a[m];
    variance[i] = left;
}
template <int ORDER>
__device__ __forceinline__ void levinson(const float *covariance, float *coefficient, float *variance, int series)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= series) return;
    float r[ORDER + 1], a[ORDER], old[ORDER];
#pragma unroll
    for (int m = 0; m <= ORDER; m++) r[m] = covariance[(size_t)m * series + i];
    float left = r[0];
#pragma unroll
    for (int m = 0; m < ORDER; m++) {
        float reflect = r[m + 1];
#pragma unroll
        for (int k = 0; k < m; k++) reflect -= a[k] * r[m - k];
        reflect /= left;
#pragma unroll
        for (int k = 0; k < m; k++) old[k] = a[k];
#pragma unroll
        for (int k = 0; k < m; k++) a[k] = old[k] - reflect * old[m - 1 - k];
        a[m] = reflect;
        left *= 1.0f - reflect * reflect;
    }
#pragma unroll
    for (int m = 0; m < ORDER; m++) coefficient[(size_t)m * series + i] = a[m];
    variance[i] = left;
}
extern "C" __global__ void
yule_walker_b(const float *covariance, float *coefficient, float *variance, int order, int series)
{
    if (order == 16) levinson<16>(covariance, coefficient, variance, series);
}

// Short links: numbers of 64 bits as 11 letters, the leading ones first, in fields of 16 bytes.
#define LETTERS 11
__device__ __forceinline__ unsigned letter(unsigned digit)
{
    return digit + (digit < 10 ? '0' : digit < 36 ? 'a' - 10 : 'A' - 36);
}
extern "C" __global__ void
short_links(const unsigned long long *number, uint4 *link, unsigned long long base, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long left = number[i];
    unsigned word[4] = {0, 0, 0, 0};
#pragma unroll
    for (int c = LETTERS - 1; c >= 0; c--) {
        word[c / 4] |= letter(left % base) << c % 4 * 8;
        left /= base;
    }
    link[i] = make_uint4(word[0], word[1], word[2], word[3]);
}
extern "C" __global__ void short_links_b(const unsigned long long *number, uint4 *link, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    constexpr unsigned long long base = 62;
    unsigned long long left = number[i];
    unsigned word[4] = {0, 0, 0, 0};
#pragma unroll
    for (int c = LETTERS - 1; c >= 0; c--) {
        const unsigned long long rest = left / base;
        word[c / 4] |= letter((unsigned)(left - rest * base)) << c % 4 * 8;
        left = rest;
    }
    link[i] = make_uint4(word[0], word[1], word[2], word[3]);
}

// BM25 weights of the words of documents from their counts (document, word); holders: documents that have the word,
// length: words of a document.
extern "C" __global__ void bm25_weights(const unsigned short *count, const int *holders, const int *length,
                                        float *weight, float mean_length, int documents, int words)
{
    const int word = blockIdx.x * blockDim.x + threadIdx.x;
    const int document = blockIdx.y * blockDim.y + threadIdx.y;
    if (word >= words || document >= documents) return;
    const size_t at = (size_t)document * words + word;
    const int df = holders[word];
    const float tf = count[at];
    const float idf = log(1.0 + (documents - df + 0.5) / (df + 0.5));
    const float norm = 1.0 - 0.75 + 0.75 * length[document] / mean_length;
    weight[at] = idf * tf * (1.2 + 1.0) / (tf + 1.2 * norm);
}
extern "C" __global__ void bm25_weights_b(const unsigned short *count, const int *holders, const int *length,
                                          float *weight, float mean_length, int documents, int words)
{
    const int word = blockIdx.x * blockDim.x + threadIdx.x;
    const int document = blockIdx.y * blockDim.y + threadIdx.y;
    if (word >= words || document >= documents) return;
    const size_t at = (size_t)document * words + word;
    const int df = holders[word];
    const float tf = count[at];
    const float idf = logf(1.0f + (documents - df + 0.5f) / (df + 0.5f));
    const float norm = 1.0f - 0.75f + 0.75f * length[document] / mean_length;
    weight[at] = idf * tf * (1.2f + 1.0f) / (tf + 1.2f * norm);
}

// How many items came late, by way of transport and priority of the order; days as numbers.
#define PRIORITIES 5
extern "C" __global__ void late_items(const int *shipped, const int *promised, const int *received,
                                      const unsigned char *mode, const unsigned char *priority, unsigned *table,
                                      int first, int last, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int s = shipped[i], p = promised[i], r = received[i];
        const int group = mode[i] * PRIORITIES + priority[i];
        if (s < p && p < r && r >= first && r < last) atomicAdd(&table[group], 1);
    }
}
extern "C" __global__ void late_items_b(const int *shipped, const int *promised, const int *received,
                                        const unsigned char *mode, const unsigned char *priority, unsigned *table,
                                        int first, int last, int n)
{
    __shared__ unsigned own[7 * PRIORITIES];
    for (int k = threadIdx.x; k < 7 * PRIORITIES; k += blockDim.x) own[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int s = shipped[i], p = promised[i], r = received[i];
        const int group = mode[i] * PRIORITIES + priority[i];
        if (s < p && p < r && r >= first && r < last) atomicAdd(&own[group], 1);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 7 * PRIORITIES; k += blockDim.x) atomicAdd(&table[k], own[k]);
}

// Cholesky's factors of the diagonal blocks of 32 by 32 of a sparse matrix, for a preconditioner; a warp a block of the
// matrix, a lane a row.
template <int PITCH> __device__ __forceinline__ void factor_block(const float *diagonal, float *lower)
{
    __shared__ float tile[4][32 * PITCH];
    const int lane = threadIdx.x % 32;
    const size_t first = ((size_t)blockIdx.x * 4 + threadIdx.x / 32) * 1024;
    float *a = tile[threadIdx.x / 32];
    for (int r = 0; r < 32; r++) a[r * PITCH + lane] = diagonal[first + r * 32 + lane];
    __syncwarp();
    for (int k = 0; k < 32; k++) {
        const float own = a[lane * PITCH + k] / sqrtf(a[k * PITCH + k]);
        __syncwarp();
        a[lane * PITCH + k] = own;
        __syncwarp();
        for (int j = k + 1; j < 32; j++)
            if (lane >= j) a[lane * PITCH + j] -= own * a[j * PITCH + k];
        __syncwarp();
    }
    for (int r = 0; r < 32; r++) lower[first + r * 32 + lane] = lane <= r ? a[r * PITCH + lane] : 0.0f;
}
extern "C" __global__ void __launch_bounds__(128) jacobi_blocks(const float *diagonal, float *lower)
{
    factor_block<32>(diagonal, lower);
}
extern "C" __global__ void __launch_bounds__(128) jacobi_blocks_b(const float *diagonal, float *lower)
{
    factor_block<33>(diagonal, lower);
}

// Yield of a period of each bond from its price, by Newton's method.
__device__ __forceinline__ float bond_yield(float price, float coupon, int periods)
{
    float yield = coupon / price;
    for (int turn = 0; turn < 8; turn++) {
        const float v = 1.0f / (1.0f + yield);
        float discount = 1.0f, annuity = 0.0f, mean = 0.0f, time = 1.0f;
        for (int k = 0; k < periods; k++) {
            discount *= v;
            annuity += discount;
            mean += time * discount;
            time += 1.0f;
        }
        const float value = coupon * annuity + 100.0f * discount;
        const float slope = -v * (coupon * mean + 100.0f * periods * discount);
        yield -= (value - price) / slope;
    }
    return yield;
}
extern "C" __global__ void
bond_yields(const float *price, const float *coupon, const int *periods, float *yield, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) yield[i] = bond_yield(price[i], coupon[i], periods[i]);
}
// Bonds in the order of their periods; place: where each belongs.
extern "C" __global__ void bond_yields_b(const float *price, const float *coupon, const int *periods,
                                         const int *place, float *yield, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) yield[place[i]] = bond_yield(price[i], coupon[i], periods[i]);
}

// What a layer adds to the residual stream of the tokens, each feature by its own gate: (token, feature) of halves.
extern "C" __global__ void
residual_stream(const __half *stream, const __half *branch, const __half *gate, __half *next, int width)
{
    const int f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f >= width) return;
    const size_t at = (size_t)blockIdx.y * width + f;
    next[at] = __float2half(__half2float(stream[at]) + __half2float(gate[f]) * __half2float(branch[at]));
}
extern "C" __global__ void
residual_stream_b(const uint4 *stream, const uint4 *branch, const uint4 *gate, uint4 *next, int width)
{
    const int f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f >= width / 8) return;
    const size_t at = (size_t)blockIdx.y * (width / 8) + f;
    const uint4 x = stream[at], z = branch[at], g = gate[f];
    uint4 y;
    const __half2 *a = (const __half2 *)&x, *b = (const __half2 *)&z, *c = (const __half2 *)&g;
    __half2 *out = (__half2 *)&y;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const float2 p = __half22float2(a[k]), q = __half22float2(b[k]), r = __half22float2(c[k]);
        out[k] = __floats2half2_rn(p.x + r.x * q.x, p.y + r.y * q.y);
    }
    next[at] = y;
}

// Counts of the genes of cells (cell, gene) to profiles log(1 + x), scaled to one sum; genes with a large share of a
// cell's counts do not enter its sum. A block a cell.
__device__ __forceinline__ float block_sum(float x)
{
    __shared__ float part[33];
    for (int w = 16; w > 0; w /= 2) x += __shfl_xor_sync(~0u, x, w);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x < 32) {
        x = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0.0f;
        for (int w = 16; w > 0; w /= 2) x += __shfl_xor_sync(~0u, x, w);
        if (threadIdx.x == 0) part[32] = x;
    }
    __syncthreads();
    return part[32];
}
// The number of genes is a multiple of 16 for each thread of a block.
__device__ __forceinline__ float total(float4 v) { return v.x + v.y + v.z + v.w; }
__device__ __forceinline__ float4 up_to(float4 v, float limit)
{
    return make_float4(v.x <= limit ? v.x : 0.0f, v.y <= limit ? v.y : 0.0f, v.z <= limit ? v.z : 0.0f,
                       v.w <= limit ? v.w : 0.0f);
}
__device__ __forceinline__ float4 log_scaled(float4 v, float scale)
{
    return make_float4(log1pf(v.x * scale), log1pf(v.y * scale), log1pf(v.z * scale), log1pf(v.w * scale));
}
extern "C" __global__ void __launch_bounds__(512) cell_profiles(const float4 *__restrict__ count,
                                                                float4 *__restrict__ profile, float target,
                                                                float share, int genes)
{
    const int quads = genes / 4;
    const float4 *row = count + (size_t)blockIdx.x * quads;
    float4 *out = profile + (size_t)blockIdx.x * quads;
    float sum = 0.0f;
    for (int first = threadIdx.x; first < quads; first += 4 * 512)
#pragma unroll
        for (int k = 0; k < 4; k++) sum += total(row[first + k * 512]);
    const float limit = share * block_sum(sum);
    float rest = 0.0f;
    for (int first = threadIdx.x; first < quads; first += 4 * 512)
#pragma unroll
        for (int k = 0; k < 4; k++) rest += total(up_to(row[first + k * 512], limit));
    const float scale = target / block_sum(rest);
    for (int g = threadIdx.x; g < quads; g += 512) out[g] = log_scaled(row[g], scale);
}
extern "C" __global__ void __launch_bounds__(1024) cell_profiles_b(const float4 *__restrict__ count,
                                                                   float4 *__restrict__ profile, float target,
                                                                   float share, int genes)
{
    extern __shared__ float4 kept[];
    const int quads = genes / 4;
    const float4 *row = count + (size_t)blockIdx.x * quads;
    float4 *out = profile + (size_t)blockIdx.x * quads;
    float sum = 0.0f;
    for (int first = threadIdx.x; first < quads; first += 4 * 1024) {
        float4 v[4];
#pragma unroll
        for (int k = 0; k < 4; k++) v[k] = row[first + k * 1024];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            kept[first + k * 1024] = v[k];
            sum += total(v[k]);
        }
    }
    const float limit = share * block_sum(sum);
    float rest = 0.0f;
    for (int g = threadIdx.x; g < quads; g += 1024) rest += total(up_to(kept[g], limit));
    const float scale = target / block_sum(rest);
    for (int g = threadIdx.x; g < quads; g += 1024) out[g] = log_scaled(kept[g], scale);
}

// Weights of a layer from 4 bits each, eight in a word, by the levels of NF4 and a scale for 64 weights.
__constant__ float level[16] = {-1.0f,       -0.69619280f, -0.52507305f, -0.39491749f, -0.28444138f, -0.18477343f,
                                -0.09105004f, 0.0f,         0.07958030f,  0.16093020f,  0.24611230f,  0.33791524f,
                                0.44070983f,  0.56261700f,  0.72295684f,  1.0f};
__device__ __forceinline__ unsigned two(float low, float high)
{
    const __half2 pair = __floats2half2_rn(low, high);
    return *(const unsigned *)&pair;
}
extern "C" __global__ void nf4_weights(const unsigned *packed, const float *scale, uint4 *weight, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned word = packed[i];
    const float s = scale[i / 8];
    float w[8];
#pragma unroll
    for (int k = 0; k < 8; k++) w[k] = s * level[word >> 4 * k & 15];
    weight[i] = make_uint4(two(w[0], w[1]), two(w[2], w[3]), two(w[4], w[5]), two(w[6], w[7]));
}
extern "C" __global__ void nf4_weights_b(const unsigned *packed, const float *scale, uint4 *weight, int n)
{
    __shared__ float near[16];
    if (threadIdx.x < 16) near[threadIdx.x] = level[threadIdx.x];
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned word = packed[i];
    const float s = scale[i / 8];
    float w[8];
#pragma unroll
    for (int k = 0; k < 8; k++) w[k] = s * near[word >> 4 * k & 15];
    weight[i] = make_uint4(two(w[0], w[1]), two(w[2], w[3]), two(w[4], w[5]), two(w[6], w[7]));
}

// Convergence and divergence of the moving averages of shares over 12 and 26 days, less its own average over 9 days:
// (day, share).
extern "C" __global__ void macd_lines(const float *price, float *line, int days, int shares)
{
    const int share = blockIdx.x * blockDim.x + threadIdx.x;
    if (share >= shares) return;
    float fast = price[share], slow = fast, signal = 0.0f;
    for (int day = 0; day < days; day++) {
        const float p = price[(size_t)day * shares + share];
        fast += (p - fast) * (2.0f / 13.0f);
        slow += (p - slow) * (2.0f / 27.0f);
        const float macd = fast - slow;
        signal += (macd - signal) * (2.0f / 10.0f);
        line[(size_t)day * shares + share] = macd - signal;
    }
}
// For a number of days that is a multiple of 16.
extern "C" __global__ void
macd_lines_b(const float *__restrict__ price, float *__restrict__ line, int days, int shares)
{
    const int share = blockIdx.x * blockDim.x + threadIdx.x;
    if (share >= shares) return;
    float fast = price[share], slow = fast, signal = 0.0f;
    for (int day = 0; day < days; day += 16) {
        float p[16];
#pragma unroll
        for (int k = 0; k < 16; k++) p[k] = price[(size_t)(day + k) * shares + share];
#pragma unroll
        for (int k = 0; k < 16; k++) {
            fast += (p[k] - fast) * (2.0f / 13.0f);
            slow += (p[k] - slow) * (2.0f / 27.0f);
            const float macd = fast - slow;
            signal += (macd - signal) * (2.0f / 10.0f);
            line[(size_t)(day + k) * shares + share] = macd - signal;
        }
    }
}

// The most likely of the groups of a mixture of normal distributions without covariance for each case of 8 measures:
// (measure, case); centre and inverse deviation: (group, measure).
#define MEASURES 8
extern "C" __global__ void mixture_labels(const float *x, const float *centre, const float *sharp, const float *prior,
                                          float *score, int *label, int groups, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v[MEASURES], best = -1e30f;
    for (int m = 0; m < MEASURES; m++) v[m] = x[(size_t)m * n + i];
    int found = 0;
    for (int g = 0; g < groups; g++) {
        float s = prior[g];
        for (int m = 0; m < MEASURES; m++) {
            const float d = (v[m] - centre[g * MEASURES + m]) * sharp[g * MEASURES + m];
            s -= d * d;
        }
        if (s > best) best = s, found = g;
    }
    score[i] = best;
    label[i] = found;
}
__constant__ float centres[32 * MEASURES], sharps[32 * MEASURES], priors[32];
extern "C" __global__ void mixture_labels_b(const float *x, float *score, int *label, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v[MEASURES], best = -1e30f;
    for (int m = 0; m < MEASURES; m++) v[m] = x[(size_t)m * n + i];
    int found = 0;
#pragma unroll
    for (int g = 0; g < 32; g++) {
        float s = priors[g];
#pragma unroll
        for (int m = 0; m < MEASURES; m++) {
            const float d = (v[m] - centres[g * MEASURES + m]) * sharps[g * MEASURES + m];
            s -= d * d;
        }
        if (s > best) best = s, found = g;
    }
    score[i] = best;
    label[i] = found;
}

// Amounts of the lines of bills, whose prices stand as numbers of a dictionary.
extern "C" __global__ void line_amounts(const unsigned short *code, const float *quantity, const float *dictionary,
                                        float *amount, int entries, int n)
{
    extern __shared__ float price[];
    for (int k = threadIdx.x; k < entries; k += blockDim.x) price[k] = dictionary[k];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        amount[i] = quantity[i] * price[code[i]];
}

// Chances of firms to go from each of 8 ratings to each other over 2 to the power of `doublings` periods, from those of
// one period: (from, to, firm).
__device__ __forceinline__ void migrate(const float *chance, float *later, int doublings, int firms)
{
    const int firm = blockIdx.x * blockDim.x + threadIdx.x;
    if (firm >= firms) return;
    float p[8][8], q[8][8];
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++) p[i][j] = chance[(size_t)(i * 8 + j) * firms + firm];
#pragma unroll 1
    for (int d = 0; d < doublings; d++) {
#pragma unroll
        for (int i = 0; i < 8; i++)
#pragma unroll
            for (int j = 0; j < 8; j++) {
                float sum = 0.0f;
#pragma unroll
                for (int k = 0; k < 8; k++) sum += p[i][k] * p[k][j];
                q[i][j] = sum;
            }
#pragma unroll
        for (int i = 0; i < 8; i++)
#pragma unroll
            for (int j = 0; j < 8; j++) p[i][j] = q[i][j];
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++) later[(size_t)(i * 8 + j) * firms + firm] = p[i][j];
}
extern "C" __global__ void __launch_bounds__(128, 8)
    rating_moves(const float *chance, float *later, int doublings, int firms)
{
    migrate(chance, later, doublings, firms);
}
extern "C" __global__ void __launch_bounds__(128, 3)
    rating_moves_b(const float *chance, float *later, int doublings, int firms)
{
    migrate(chance, later, doublings, firms);
}
