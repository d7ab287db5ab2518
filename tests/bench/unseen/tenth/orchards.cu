// Stars, sentences, words, games, weights, patches, soils, vectors, pulsars, circuits, queries, texts, losses, herds.

#include <cuda_fp16.h>

// Absolute magnitude and colour of the stars of a catalogue; parallax in thousandths of an arc second.
struct Star {
    long long source;
    float ra, dec, motion_ra, motion_dec, parallax, parallax_error;
    float g, bp, rp, velocity, temperature, gravity, metallicity, noise;
};
__device__ __forceinline__ float absolute(float apparent, float parallax)
{
    return parallax > 0.0f ? apparent - 10.0f + 5.0f * log10f(parallax) : 99.0f;
}
extern "C" __global__ void star_colours(const Star *star, float *magnitude, float *colour, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    magnitude[i] = absolute(star[i].g, star[i].parallax);
    colour[i] = star[i].bp - star[i].rp;
}
extern "C" __global__ void star_colours_b(const float *parallax, const float *g, const float *bp, const float *rp,
                                          float *magnitude, float *colour, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    magnitude[i] = absolute(g[i], parallax[i]);
    colour[i] = bp[i] - rp[i];
}

// Attention of a sequence to itself, heads of 64 features, (head, position, feature). A block has 32 queries, a warp
// four of them, one after the other; keys and values come by 32, a lane has a key for the scores and two features
// for the sums.
template <int PITCH>
__device__ __forceinline__ void
attend(const float *q, const float *k, const float *v, float *y, float scale, int length)
{
    __shared__ float query[32 * 64];
    __shared__ float key[32 * PITCH];
    __shared__ float value[32 * 64];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const size_t head = (size_t)blockIdx.y * length * 64;
    const size_t first = head + (size_t)blockIdx.x * 32 * 64;
    for (int at = threadIdx.x; at < 32 * 64; at += 256) query[at] = q[first + at] * scale;
    float top[4], mass[4], low[4], high[4];
#pragma unroll
    for (int r = 0; r < 4; r++) top[r] = -1e30f, mass[r] = low[r] = high[r] = 0.0f;
    for (int tile = 0; tile < length; tile += 32) {
        __syncthreads();
        for (int at = threadIdx.x; at < 32 * 64; at += 256) {
            key[at / 64 * PITCH + at % 64] = k[head + (size_t)tile * 64 + at];
            value[at] = v[head + (size_t)tile * 64 + at];
        }
        __syncthreads();
#pragma unroll
        for (int r = 0; r < 4; r++) {
            const float *own = query + (warp * 4 + r) * 64;
            float score = 0.0f;
#pragma unroll 16
            for (int d = 0; d < 64; d++) score += own[d] * key[lane * PITCH + d];
            float most = score;
            for (int w = 16; w > 0; w /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, w));
            most = fmaxf(most, top[r]);
            const float weight = __expf(score - most), keep = __expf(top[r] - most);
            float sum = weight;
            for (int w = 16; w > 0; w /= 2) sum += __shfl_xor_sync(~0u, sum, w);
            top[r] = most;
            mass[r] = mass[r] * keep + sum;
            low[r] *= keep;
            high[r] *= keep;
#pragma unroll 8
            for (int j = 0; j < 32; j++) {
                const float w = __shfl_sync(~0u, weight, j);
                low[r] += w * value[j * 64 + lane];
                high[r] += w * value[j * 64 + 32 + lane];
            }
        }
    }
#pragma unroll
    for (int r = 0; r < 4; r++) {
        float *row = y + first + (warp * 4 + r) * 64;
        row[lane] = low[r] / mass[r];
        row[32 + lane] = high[r] / mass[r];
    }
}
extern "C" __global__ void __launch_bounds__(256)
    attend_sentences(const float *q, const float *k, const float *v, float *y, float scale, int length)
{
    attend<64>(q, k, v, y, scale, length);
}
extern "C" __global__ void __launch_bounds__(256)
    attend_sentences_b(const float *q, const float *k, const float *v, float *y, float scale, int length)
{
    attend<65>(q, k, v, y, scale, length);
}

// Gradient of a table of words (words, 128) from the gradients of the tokens of a batch (tokens, 128).
extern "C" __global__ void word_gradients(const int *word, const float *gradient, float *table)
{
    const int token = blockIdx.x * 4 + threadIdx.x / 128, d = threadIdx.x % 128;
    atomicAdd(&table[(size_t)word[token] * 128 + d], gradient[(size_t)token * 128 + d]);
}
extern "C" __global__ void
word_gradients_b(const int *order, const int *word, const float *gradient, float *table)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    int now = word[warp * 32];
    float sum[4] = {};
#pragma unroll 4
    for (int k = 0; k < 32; k++) {
        const int next = word[warp * 32 + k];
        const float *row = gradient + (size_t)order[warp * 32 + k] * 128 + lane;
        if (next != now) {
#pragma unroll
            for (int c = 0; c < 4; c++) atomicAdd(&table[(size_t)now * 128 + 32 * c + lane], sum[c]), sum[c] = 0.0f;
            now = next;
        }
#pragma unroll
        for (int c = 0; c < 4; c++) sum[c] += row[32 * c];
    }
#pragma unroll
    for (int c = 0; c < 4; c++) atomicAdd(&table[(size_t)now * 128 + 32 * c + lane], sum[c]);
}

// Games of snakes and ladders: how many throws all games of a player took; jump: where one goes on from each of 101
// squares. A throw beyond the last square is lost.
__device__ __forceinline__ int throw_die(unsigned &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return 1 + ((state >> 16) * 6 >> 16);
}
extern "C" __global__ void __launch_bounds__(256)
    ladder_games(const unsigned char *__restrict__ jump, const unsigned *seed, unsigned *throws, int games)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = seed[i], count = 0;
    for (int game = 0; game < games; game++) {
        int square = 0;
        while (square < 100) {
            const int next = square + throw_die(state);
            if (next <= 100) square = jump[next];
            count++;
        }
    }
    throws[i] = count;
}
extern "C" __global__ void __launch_bounds__(256)
    ladder_games_b(const unsigned char *__restrict__ jump, const unsigned *seed, unsigned *throws, int games)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = seed[i], count = 0;
    int square = 0;
    while (games > 0) {
        const int next = square + throw_die(state);
        if (next <= 100) square = jump[next];
        count++;
        if (square == 100) square = 0, games--;
    }
    throws[i] = count;
}

// A step of AdamW.
extern "C" __global__ void adamw_step(float *weight, const float *gradient, float *mean, float *square, float rate,
                                      float beta1, float beta2, float decay, int step, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float g = gradient[i];
    const float m = beta1 * mean[i] + (1 - beta1) * g;
    const float v = beta2 * square[i] + (1 - beta2) * g * g;
    mean[i] = m;
    square[i] = v;
    const float m_hat = m / (1 - pow(beta1, step));
    const float v_hat = v / (1 - pow(beta2, step));
    const float w = weight[i];
    weight[i] = w - rate * (m_hat / (sqrt(v_hat) + 1e-8) + decay * w);
}
extern "C" __global__ void adamw_step_b(float *weight, const float *gradient, float *mean, float *square, float rate,
                                        float beta1, float beta2, float decay, float mend1, float mend2, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float g = gradient[i];
    const float m = beta1 * mean[i] + (1 - beta1) * g;
    const float v = beta2 * square[i] + (1 - beta2) * g * g;
    mean[i] = m;
    square[i] = v;
    const float w = weight[i];
    weight[i] = w - rate * (m * mend1 / (sqrtf(v * mend2) + 1e-8f) + decay * w);
}

// Pictures (picture, channel, row, column) cut into square patches, a token each: (picture, patch, channel, y, x).
extern "C" __global__ void patch_tokens(const float *picture, float *token, long long channels, long long height,
                                        long long width, long long patch, long long total)
{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    const long long across = width / patch, down = height / patch;
    const long long length = channels * patch * patch;
    const long long inside = i % length, number = i / length;
    const long long b = number / (across * down), where = number % (across * down);
    const long long c = inside / (patch * patch);
    const long long y = where / across * patch + inside % (patch * patch) / patch;
    const long long x = where % across * patch + inside % patch;
    token[i] = picture[((b * channels + c) * height + y) * width + x];
}
// Patches of 16 by 16, three channels; a block has a patch, a thread four samples.
extern "C" __global__ void __launch_bounds__(192)
    patch_tokens_b(const float4 *picture, float4 *token, int height, int width)
{
    const int c = threadIdx.x / 64, y = threadIdx.x % 64 / 4, x = threadIdx.x % 4;
    const int row = (blockIdx.z * 3 + c) * height + blockIdx.y * 16 + y;
    const int number = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    token[(size_t)number * 192 + threadIdx.x] = picture[(size_t)row * (width / 4) + blockIdx.x * 4 + x];
}

// Water that goes down through the layers of the soil of each cell, day after day: what has left the lowest layer and
// what the soil holds in the end; rain: (day, cell).
extern "C" __global__ void soil_water(const float *rain, const float *capacity, const float *flow, float *drained,
                                      float *held, int layers, int days, int cells)
{
    const int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= cells) return;
    const float full = capacity[cell], rate = flow[cell];
    float water[48], out = 0.0f;
    for (int l = 0; l < layers; l++) water[l] = 0.9f * full;
    for (int day = 0; day < days; day++) {
        float in = rain[(size_t)day * cells + cell];
        for (int l = 0; l < layers; l++) {
            const float now = water[l] + in;
            in = rate * fmaxf(now - full, 0.0f);
            water[l] = now - in;
        }
        out += in;
    }
    float sum = 0.0f;
    for (int l = 0; l < layers; l++) sum += water[l];
    drained[cell] = out;
    held[cell] = sum;
}
template <int LAYERS>
__device__ __forceinline__ void soil(const float *rain, const float *capacity, const float *flow, float *drained,
                                     float *held, int days, int cells)
{
    const int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= cells) return;
    const float full = capacity[cell], rate = flow[cell];
    float water[LAYERS], out = 0.0f;
#pragma unroll
    for (int l = 0; l < LAYERS; l++) water[l] = 0.9f * full;
#pragma unroll 1
    for (int day = 0; day < days; day++) {
        float in = rain[(size_t)day * cells + cell];
#pragma unroll
        for (int l = 0; l < LAYERS; l++) {
            const float now = water[l] + in;
            in = rate * fmaxf(now - full, 0.0f);
            water[l] = now - in;
        }
        out += in;
    }
    float sum = 0.0f;
#pragma unroll
    for (int l = 0; l < LAYERS; l++) sum += water[l];
    drained[cell] = out;
    held[cell] = sum;
}
extern "C" __global__ void soil_water_b(const float *rain, const float *capacity, const float *flow, float *drained,
                                        float *held, int layers, int days, int cells)
{
    if (layers == 36) soil<36>(rain, capacity, flow, drained, held, days, cells);
}

// Squares of the distances of all queries from all vectors of an index, 128 features; a block has 128 by 128 pairs, a
// thread 8 by 8.
__device__ __forceinline__ void pair_distances(const float4 *query, const float4 *index, float *distance, int n)
{
    __shared__ __align__(16) float a[8][132];
    __shared__ __align__(16) float b[8][132];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, row = threadIdx.x / 2, part = threadIdx.x % 2;
    query += ((size_t)blockIdx.y * 128 + row) * 32 + part;
    index += ((size_t)blockIdx.x * 128 + row) * 32 + part;
    float sum[8][8];
#pragma unroll
    for (int r = 0; r < 8; r++)
#pragma unroll
        for (int c = 0; c < 8; c++) sum[r][c] = 0.0f;
#pragma unroll 1
    for (int k = 0; k < 32; k += 2) {
        const float4 p = query[k], q = index[k];
        __syncthreads();
        a[part * 4][row] = p.x, a[part * 4 + 1][row] = p.y, a[part * 4 + 2][row] = p.z, a[part * 4 + 3][row] = p.w;
        b[part * 4][row] = q.x, b[part * 4 + 1][row] = q.y, b[part * 4 + 2][row] = q.z, b[part * 4 + 3][row] = q.w;
        __syncthreads();
#pragma unroll
        for (int d = 0; d < 8; d++) {
            const float4 a0 = *(const float4 *)&a[d][ty * 4], a1 = *(const float4 *)&a[d][64 + ty * 4];
            const float4 b0 = *(const float4 *)&b[d][tx * 4], b1 = *(const float4 *)&b[d][64 + tx * 4];
            const float left[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
            const float right[8] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
#pragma unroll
            for (int r = 0; r < 8; r++)
#pragma unroll
                for (int c = 0; c < 8; c++) {
                    const float off = left[r] - right[c];
                    sum[r][c] += off * off;
                }
        }
    }
#pragma unroll
    for (int r = 0; r < 8; r++) {
        const size_t number = (size_t)blockIdx.y * 128 + r / 4 * 64 + ty * 4 + r % 4;
        float *line = distance + number * n + blockIdx.x * 128 + tx * 4;
        *(float4 *)line = make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
        *(float4 *)(line + 64) = make_float4(sum[r][4], sum[r][5], sum[r][6], sum[r][7]);
    }
}
extern "C" __global__ void __launch_bounds__(256, 4)
    search_vectors(const float4 *query, const float4 *index, float *distance, int n)
{
    pair_distances(query, index, distance, n);
}
extern "C" __global__ void __launch_bounds__(256)
    search_vectors_b(const float4 *query, const float4 *index, float *distance, int n)
{
    pair_distances(query, index, distance, n);
}

// Power of a radio telescope (channel, sample) summed over the channels, each shifted by its delay at a trial
// dispersion; a block has a trial.
extern "C" __global__ void dedisperse(const float *power, const int *delay, float *series, int channels, int samples,
                                      int length)
{
    const int *shift = delay + blockIdx.x * channels;
    for (int t = threadIdx.x; t < length; t += blockDim.x) {
        float sum = 0.0f;
        for (int c = 0; c < channels; c++) sum += power[(size_t)c * samples + t + shift[c]];
        series[(size_t)blockIdx.x * length + t] = sum;
    }
}
extern "C" __global__ void dedisperse_b(const float *power, const int *delay, float *series, int channels, int samples,
                                        int length)
{
    const int *shift = delay + blockIdx.y * channels;
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= length) return;
    float sum = 0.0f;
    for (int c = 0; c < channels; c++) sum += power[(size_t)c * samples + t + shift[c]];
    series[(size_t)blockIdx.y * length + t] = sum;
}

// Currents into the nodes of a circuit from their voltages, by the sparse matrix of its conductances; a warp a row.
extern "C" __global__ void node_currents(const int *begin, const int *column, const float *conductance,
                                         const float *voltage, float *current, int rows)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    const int end = begin[row + 1];
    float sum = 0.0f;
    for (int k = begin[row] + lane; k < end; k += 32) sum += conductance[k] * voltage[column[k]];
    for (int w = 16; w > 0; w /= 2) sum += __shfl_down_sync(~0u, sum, w);
    if (lane == 0) current[row] = sum;
}
// The same; piece: row, first entry, entry after the last; a row of many entries has several pieces.
extern "C" __global__ void node_currents_b(const int4 *piece, const int *column, const float *conductance,
                                           const float *voltage, float *current, int pieces)
{
    const int own = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (own >= pieces) return;
    const int4 p = piece[own];
    float sum = 0.0f;
    for (int k = p.y + lane; k < p.z; k += 32) sum += conductance[k] * voltage[column[k]];
    for (int w = 16; w > 0; w /= 2) sum += __shfl_down_sync(~0u, sum, w);
    if (lane == 0) atomicAdd(&current[p.x], sum);
}

// Rotary places of the queries of a model, (token, head, 64 pairs of features).
extern "C" __global__ void rotary_places(const __half2 *query, __half2 *turned, int heads)
{
    const int pair = threadIdx.x, head = blockIdx.y * blockDim.y + threadIdx.y, token = blockIdx.x;
    const float angle = token * powf(10000.0f, -2.0f * pair / 128.0f);
    float s, c;
    sincosf(angle, &s, &c);
    const size_t at = ((size_t)token * heads + head) * 64 + pair;
    const float2 x = __half22float2(query[at]);
    turned[at] = __floats2half2_rn(x.x * c - x.y * s, x.x * s + x.y * c);
}
extern "C" __global__ void rotary_places_b(const __half2 *query, __half2 *turned, int heads)
{
    const int pair = threadIdx.x, token = blockIdx.x * blockDim.y + threadIdx.y;
    const float angle = token * powf(10000.0f, -2.0f * pair / 128.0f);
    float s, c;
    sincosf(angle, &s, &c);
    const __half2 *__restrict__ from = query + (size_t)token * heads * 64 + pair;
    __half2 *__restrict__ to = turned + (size_t)token * heads * 64 + pair;
#pragma unroll 8
    for (int head = 0; head < heads; head++) {
        const float2 x = __half22float2(from[head * 64]);
        to[head * 64] = __floats2half2_rn(x.x * c - x.y * s, x.x * s + x.y * c);
    }
}

// Texts of a model of pairs of words, a block a text: each next word is the best of 1024 by its score after the last
// word, below 2^20, and some luck.
__device__ __forceinline__ unsigned luck(unsigned x)
{
    x *= 0x9e3779b9u;
    x ^= x >> 15;
    x *= 0x85ebca6bu;
    return x >> 13;
}
extern "C" __global__ void __launch_bounds__(1024)
    write_texts(const unsigned *score, const int *begin, int *text, int length)
{
    __shared__ unsigned best[1024];
    const int own = threadIdx.x;
    int word = begin[blockIdx.x];
    for (int step = 0; step < length; step++) {
        const unsigned chance = luck((blockIdx.x * length + step) * 1024 + own);
        best[own] = score[word * 1024 + own] + chance << 10 | own;
        __syncthreads();
        for (int half = 512; half > 0; half /= 2) {
            if (own < half) best[own] = max(best[own], best[own + half]);
            __syncthreads();
        }
        word = best[0] & 1023;
        if (own == 0) text[blockIdx.x * length + step] = word;
        __syncthreads();
    }
}
extern "C" __global__ void __launch_bounds__(1024)
    write_texts_b(const unsigned *score, const int *begin, int *text, int length)
{
    __shared__ unsigned best[2][32];
    const int own = threadIdx.x;
    int word = begin[blockIdx.x];
    for (int step = 0; step < length; step++) {
        const unsigned chance = luck((blockIdx.x * length + step) * 1024 + own);
        const unsigned mine = score[word * 1024 + own] + chance << 10 | own;
        const unsigned high = __reduce_max_sync(~0u, mine);
        if (own % 32 == 0) best[step % 2][own / 32] = high;
        __syncthreads();
        word = __reduce_max_sync(~0u, best[step % 2][own % 32]) & 1023;
        if (own == 0) text[blockIdx.x * length + step] = word;
    }
}

// Loss of each row of logits against its label, the label smoothed over the whole vocabulary; vocabulary: in fours.
__device__ __forceinline__ float over_block(float x, bool largest)
{
    __shared__ float part[16];
    for (int w = 16; w > 0; w /= 2) {
        const float other = __shfl_xor_sync(~0u, x, w);
        x = largest ? fmaxf(x, other) : x + other;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
    __syncthreads();
    x = part[threadIdx.x % 16];
    for (int w = 8; w > 0; w /= 2) {
        const float other = __shfl_xor_sync(~0u, x, w);
        x = largest ? fmaxf(x, other) : x + other;
    }
    return x;
}
__device__ __forceinline__ float smoothed(float top, float mass, float sum, float own, float smooth, int fours)
{
    return top + logf(mass) - (1.0f - smooth) * own - smooth * sum / (4.0f * fours);
}
extern "C" __global__ void __launch_bounds__(512)
    word_losses(const float4 *logit, const int *label, float *loss, float smooth, int fours)
{
    const float4 *row = logit + (size_t)blockIdx.x * fours;
    float top = -1e30f;
#pragma unroll 4
    for (int k = threadIdx.x; k < fours; k += 512) {
        const float4 x = row[k];
        top = fmaxf(top, fmaxf(fmaxf(x.x, x.y), fmaxf(x.z, x.w)));
    }
    top = over_block(top, true);
    float mass = 0.0f;
#pragma unroll 4
    for (int k = threadIdx.x; k < fours; k += 512) {
        const float4 x = row[k];
        mass += __expf(x.x - top) + __expf(x.y - top) + __expf(x.z - top) + __expf(x.w - top);
    }
    mass = over_block(mass, false);
    float sum = 0.0f;
#pragma unroll 4
    for (int k = threadIdx.x; k < fours; k += 512) {
        const float4 x = row[k];
        sum += x.x + x.y + x.z + x.w;
    }
    sum = over_block(sum, false);
    if (threadIdx.x == 0)
        loss[blockIdx.x] = smoothed(top, mass, sum, ((const float *)row)[label[blockIdx.x]], smooth, fours);
}
extern "C" __global__ void __launch_bounds__(512)
    word_losses_b(const float4 *logit, const int *label, float *loss, float smooth, int fours)
{
    const float4 *row = logit + (size_t)blockIdx.x * fours;
    float top = -1e30f, mass = 0.0f, sum = 0.0f;
#pragma unroll 4
    for (int k = threadIdx.x; k < fours; k += 512) {
        const float4 x = row[k];
        const float most = fmaxf(top, fmaxf(fmaxf(x.x, x.y), fmaxf(x.z, x.w)));
        mass = mass * __expf(top - most) + __expf(x.x - most) + __expf(x.y - most) + __expf(x.z - most) +
               __expf(x.w - most);
        sum += x.x + x.y + x.z + x.w;
        top = most;
    }
    const float most = over_block(top, true);
    mass = over_block(mass * __expf(top - most), false);
    sum = over_block(sum, false);
    if (threadIdx.x == 0)
        loss[blockIdx.x] = smoothed(most, mass, sum, ((const float *)row)[label[blockIdx.x]], smooth, fours);
}

// How akin all pairs of n animals of a herd are, from their standardised genotypes (marker, animal).
extern "C" __global__ void herd_kinship(const float *genotype, float *kinship, int n, int markers)
{
    const int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || j >= n) return;
    float sum = 0.0f;
    for (int m = 0; m < markers; m++) sum += genotype[(size_t)m * n + i] * genotype[(size_t)m * n + j];
    kinship[(size_t)i * n + j] = sum / markers;
}
// The same; a block has 64 by 64 pairs, a thread 4 by 4; n a multiple of 64, markers of 16.
extern "C" __global__ void __launch_bounds__(256)
    herd_kinship_b(const float *genotype, float *kinship, int n, int markers)
{
    __shared__ __align__(16) float a[16][64];
    __shared__ __align__(16) float b[16][64];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const int row = blockIdx.y * 64, column = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int m = 0; m < markers; m += 16) {
        const float *from = genotype + (size_t)(m + ty) * n + tx * 4;
        const float4 p = *(const float4 *)(from + row), q = *(const float4 *)(from + column);
        __syncthreads();
        *(float4 *)&a[ty][tx * 4] = p;
        *(float4 *)&b[ty][tx * 4] = q;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            const float4 u = *(const float4 *)&a[k][ty * 4], w = *(const float4 *)&b[k][tx * 4];
            const float left[4] = {u.x, u.y, u.z, u.w}, right[4] = {w.x, w.y, w.z, w.w};
#pragma unroll
            for (int r = 0; r < 4; r++)
#pragma unroll
                for (int c = 0; c < 4; c++) sum[r][c] += left[r] * right[c];
        }
    }
#pragma unroll
    for (int r = 0; r < 4; r++)
        *(float4 *)&kinship[(size_t)(row + ty * 4 + r) * n + column + tx * 4] = make_float4(
            sum[r][0] / markers, sum[r][1] / markers, sum[r][2] / markers, sum[r][3] / markers);
}
