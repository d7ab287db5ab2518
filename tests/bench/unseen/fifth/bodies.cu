// Forests of decisions, joints of persons, quantised cells, headings, curves, accounts.
#include <cstdio>
typedef unsigned long long u64;

// The sum of the leaves that a sample of 8 features ([8][n]) comes to in 64 trees of 9 levels. A node is the feature (low
// word) and the threshold, a leaf has its value where a node has the threshold; the children of k are 2k and 2k + 1.
template <typename Nodes> __device__ void vote(Nodes node, const float *feature, float *score, int n)
{
    __shared__ float mine[8][256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    for (int f = 0; f < 8; f++) mine[f][threadIdx.x] = feature[(size_t)f * n + i];
    float sum = 0;
#pragma unroll 1
    for (int tree = 0; tree < 64; tree++) {
        int k = 1;
#pragma unroll
        for (int level = 0; level < 9; level++) {
            const u64 v = node[tree * 1024 + k];
            k = 2 * k + (mine[v & 7][threadIdx.x] > __uint_as_float((unsigned)(v >> 32)));
        }
        const u64 leaf = node[tree * 1024 + k];
        sum += __uint_as_float((unsigned)(leaf >> 32));
    }
    score[i] = sum;
}
extern "C" __global__ void __launch_bounds__(256) forest_votes(const u64 *node, const float *feature, float *score, int n)
{
    vote((const volatile u64 *)node, feature, score, n);
}
extern "C" __global__ void __launch_bounds__(256) forest_votes_b(const u64 *node, const float *feature, float *score, int n)
{
    vote(node, feature, score, n);
}

// 300 steps of the 17 joints of each person towards where they were seen, a thread a joint; both are [persons][17].
extern "C" __global__ void pose_joints(const float2 *seen, const float *stiffness, float2 *joint, int persons)
{
    const int j = threadIdx.x % 17, p = blockIdx.x * (blockDim.x / 17) + threadIdx.x / 17;
    if (p >= persons) return;
    const float2 to = seen[(size_t)p * 17 + j];
    const float pull = -0.02f * stiffness[j];
    float x = 0, y = 0, u = 0, v = 0;
#pragma unroll 4
    for (int step = 0; step < 300; step++) {
        u = fmaf(pull, x - to.x, 0.95f * u);
        v = fmaf(pull, y - to.y, 0.95f * v);
        x = fmaf(0.1f, u, x);
        y = fmaf(0.1f, v, y);
    }
    joint[(size_t)p * 17 + j] = make_float2(x, y);
}

// 1024 steps of quantised cells, four a thread; cell is (weight, input, scale in 1 / 65536, what the input gains a step).
template <bool INTEGERS> __device__ void cells(const int4 *cell, int *last, int n)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    int4 c[4];
    int state[4];
    float scale[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        c[k] = cell[k * (n / 4) + t];
        state[k] = 0;
        scale[k] = c[k].z * (1.0f / 65536);
    }
#pragma unroll 4
    for (int step = 0; step < 1024; step++) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const int raw = c[k].x * state[k] + c[k].y;
            state[k] = INTEGERS ? (raw * c[k].z) >> 16 : __float2int_rd((float)raw * scale[k]);
            c[k].y += c[k].w;
        }
    }
#pragma unroll
    for (int k = 0; k < 4; k++) last[k * (n / 4) + t] = state[k];
}
extern "C" __global__ void __launch_bounds__(256) requantise_cells(const int4 *cell, int *last, int n) { cells<false>(cell, last, n); }
extern "C" __global__ void __launch_bounds__(256) requantise_cells_b(const int4 *cell, int *last, int n) { cells<true>(cell, last, n); }

// Headings of vessels over 256 turns; the mean distance from south is put out.
__constant__ float turn[256];
template <bool FAST> __device__ void headings(const float2 *vessel, float *off_south, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 v = vessel[i]; // heading and agility
    float heading = v.x, sum = 0;
    for (int s = 0; s < 256; s++) {
        const float off = fabsf(heading - 180.0f), slow = 1.0f + 0.0001f * off;
        const float next = heading + (FAST ? __fdividef(turn[s] * v.y, slow) : turn[s] * v.y / slow);
        if (FAST) {
            heading = fmaf(-360.0f, floorf(next * (1.0f / 360)), next);
        } else {
            heading = fmodf(next, 360.0f);
            if (heading < 0.0f) heading += 360.0f;
        }
        sum += off;
    }
    off_south[i] = sum / 256;
}
extern "C" __global__ void __launch_bounds__(256) compass_headings(const float2 *vessel, float *off_south, int n) { headings<false>(vessel, off_south, n); }
extern "C" __global__ void __launch_bounds__(256) compass_headings_b(const float2 *vessel, float *off_south, int n) { headings<true>(vessel, off_south, n); }

// Lengths of the curves (a t + b) t + c in speed, by three points in each of 64 pieces; curve is [6][n].
struct Speed {
    float ax, bx, cx, ay, by, cy;
    __device__ float at(float t) const
    {
        const float x = fmaf(fmaf(ax, t, bx), t, cx), y = fmaf(fmaf(ay, t, by), t, cy);
        return sqrtf(fmaf(x, x, y * y));
    }
    __device__ float piece(float from, float to) const
    {
        const float middle = 0.5f * (from + to), half = 0.5f * (to - from), d = 0.77459667f * half;
        return half * (8.0f / 9 * at(middle) + 5.0f / 9 * (at(middle - d) + at(middle + d)));
    }
};
__device__ Speed speed_of(const float *curve, int n, int i)
{
    return {curve[i], curve[n + i], curve[2 * n + i], curve[3 * n + i], curve[4 * n + i], curve[5 * n + i]};
}
__device__ __noinline__ float length_of(Speed speed, float from, float to, int halvings)
{
    if (halvings == 0) return speed.piece(from, to);
    const float middle = 0.5f * (from + to);
    return length_of(speed, from, middle, halvings - 1) + length_of(speed, middle, to, halvings - 1);
}
extern "C" __global__ void __launch_bounds__(256) arc_lengths(const float *curve, float *length, int n, int halvings)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) length[i] = length_of(speed_of(curve, n, i), 0.0f, 1.0f, halvings);
}
extern "C" __global__ void __launch_bounds__(256) arc_lengths_b(const float *curve, float *length, int n, int halvings)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, pieces = 1 << halvings;
    if (i >= n) return;
    const Speed speed = speed_of(curve, n, i);
    const float step = 1.0f / pieces;
    float sum = 0;
#pragma unroll 2
    for (int k = 0; k < pieces; k++) sum += speed.piece(k * step, (k + 1) * step);
    length[i] = sum;
}

// Balances in cents after some months of interest and fees; rates are in 1 / 2^20 a month.
extern "C" __global__ void __launch_bounds__(256) accrue(const int *start, const int *rate, int *balance, int n, int months, int fee)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int b = start[i];
    const int r = rate[i];
    for (int month = 0; month < months; month++) {
        const int high = __mulhi(b, r), interest = (int)((unsigned)b * (unsigned)r >> 20 | (unsigned)high << 12);
        if (high > 0x7ffff) printf("account %d, month %d: interest on %d is too much\n", i, month, b);
        const int more = (int)((unsigned)b + (unsigned)interest);
        if (more < b) printf("account %d, month %d: %d and %d are too much\n", i, month, b, interest);
        const int left = (int)((unsigned)more - (unsigned)fee);
        if (left > more) printf("account %d, month %d: %d has no room for the fee\n", i, month, more);
        b = max(left, 0);
    }
    balance[i] = b;
}
extern "C" __global__ void __launch_bounds__(256) accrue_b(const int *start, const int *rate, int *balance, int n, int months, int fee)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int b = start[i];
    const int r = rate[i];
    bool wrong = false;
    for (int month = 0; month < months; month++) {
        const int high = __mulhi(b, r), interest = (int)((unsigned)b * (unsigned)r >> 20 | (unsigned)high << 12);
        const int more = (int)((unsigned)b + (unsigned)interest), left = (int)((unsigned)more - (unsigned)fee);
        wrong |= high > 0x7ffff || more < b || left > more;
        b = max(left, 0);
    }
    if (wrong) printf("account %d went wrong\n", i);
    balance[i] = b;
}
