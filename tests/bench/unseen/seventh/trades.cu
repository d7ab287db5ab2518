// Order books, exposures, options, correlations, ownership, join keys, order flow.

// Signed value of each order of a book, and its distance from the mid price.
struct Order {
    long long id, time;
    int account, venue, side, kind;
    float price, size, filled, limit;
    int flags, book, route, spare;
};
__device__ float order_value(float price, float size, int side, float mid)
{
    const float value = price * size;
    return (side ? value : -value) + 0.01f * (price - mid);
}
extern "C" __global__ void order_values(const Order *order, float *value, float mid, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) value[i] = order_value(order[i].price, order[i].size, order[i].side, mid);
}
extern "C" __global__ void order_values_b(const float *price, const float *size, const int *side, float *value, float mid, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) value[i] = order_value(price[i], size[i], side[i], mid);
}

// Implied volatilities of calls by Newton's method, rate 0, from a start of 0.3.
__device__ float normal_cdf(float x)
{
    const float k = 1.0 / (1.0 + 0.2316419 * fabs(x));
    const float poly = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    const float tail = 0.39894228 * exp(-0.5 * x * x) * poly;
    return x < 0.0 ? tail : 1.0 - tail;
}
extern "C" __global__ void
implied_vols(const float *spot, const float *strike, const float *term, const float *price, float *vol, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float s = spot[i], k = strike[i], root = sqrt(term[i]), moneyness = log(s / k), target = price[i];
    float v = 0.3;
    for (int step = 0; step < 6; step++) {
        const float d1 = moneyness / (v * root) + 0.5 * v * root, d2 = d1 - v * root;
        const float call = s * normal_cdf(d1) - k * normal_cdf(d2);
        const float vega = s * root * 0.39894228 * exp(-0.5 * d1 * d1);
        v = fmin(fmax(v - (call - target) / (vega + 1e-6), 0.02), 2.0);
    }
    vol[i] = v;
}
__device__ float normal_cdf_b(float x)
{
    const float k = 1.0f / (1.0f + 0.2316419f * fabsf(x));
    const float poly =
        k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    const float tail = 0.39894228f * expf(-0.5f * x * x) * poly;
    return x < 0.0f ? tail : 1.0f - tail;
}
extern "C" __global__ void
implied_vols_b(const float *spot, const float *strike, const float *term, const float *price, float *vol, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float s = spot[i], k = strike[i], root = sqrtf(term[i]), moneyness = logf(s / k), target = price[i];
    float v = 0.3f;
    for (int step = 0; step < 6; step++) {
        const float d1 = moneyness / (v * root) + 0.5f * v * root, d2 = d1 - v * root;
        const float call = s * normal_cdf_b(d1) - k * normal_cdf_b(d2);
        const float vega = s * root * 0.39894228f * expf(-0.5f * d1 * d1);
        v = fminf(fmaxf(v - (call - target) / (vega + 1e-6f), 0.02f), 2.0f);
    }
    vol[i] = v;
}

// Lots traded by each of 12 desks.
extern "C" __global__ void desk_lots(const int *desk, const unsigned *lots, unsigned *total, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&total[desk[i]], lots[i]);
}
extern "C" __global__ void desk_lots_b(const int *desk, const unsigned *lots, unsigned *total, int n)
{
    __shared__ unsigned own[12][256];
    for (int d = 0; d < 12; d++) own[d][threadIdx.x] = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        own[desk[i]][threadIdx.x] += lots[i];
    __syncthreads();
    for (int d = threadIdx.x / 32; d < 12; d += 8) {
        unsigned sum = 0;
        for (int k = threadIdx.x % 32; k < 256; k += 32) sum += own[d][k];
        for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(~0u, sum, k);
        if (threadIdx.x % 32 == 0) atomicAdd(&total[d], sum);
    }
}

// Sum of the amounts of each account, whose rows lie one after another.
__device__ void add_rows(const unsigned *amount, int from, int to, unsigned *total)
{
    unsigned sum = 0;
    for (int r = from + threadIdx.x; r < to; r += 256) sum += amount[r];
    for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(~0u, sum, k);
    if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}
extern "C" __global__ void __launch_bounds__(256) account_totals(const int *first, const unsigned *amount, unsigned *total)
{
    const int account = blockIdx.x;
    add_rows(amount, first[account], first[account + 1], &total[account]);
}
// Pieces of at most 4096 rows: the account, the first row and the end of each.
extern "C" __global__ void __launch_bounds__(256) account_totals_b(const int *piece, const unsigned *amount, unsigned *total)
{
    const int *p = piece + 3 * blockIdx.x;
    add_rows(amount, p[1], p[2], &total[p[0]]);
}

// Control of each company at the top of its chain of 16 owners: shares multiplied, a sign by the top.
extern "C" __global__ void __launch_bounds__(256)
    owner_control(const int2 *owner, const int *company, float *control, int threads)
{
    const int me = blockIdx.x * 256 + threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < 16; k++) {
        int at = company[k * threads + me];
        float share = 1.0f;
        for (int step = 0; step < 16; step++) {
            const int2 link = owner[at];
            share *= __int_as_float(link.y);
            at = link.x;
        }
        control[k * threads + me] = at % 2 ? share : -share;
    }
}
extern "C" __global__ void __launch_bounds__(256)
    owner_control_b(const int2 *owner, const int *company, float *control, int threads)
{
    const int me = blockIdx.x * 256 + threadIdx.x;
    int at[16];
    float share[16];
#pragma unroll
    for (int k = 0; k < 16; k++) at[k] = company[k * threads + me], share[k] = 1.0f;
    for (int step = 0; step < 16; step++) {
#pragma unroll
        for (int k = 0; k < 16; k++) {
            const int2 link = owner[at[k]];
            share[k] *= __int_as_float(link.y);
            at[k] = link.x;
        }
    }
#pragma unroll
    for (int k = 0; k < 16; k++) control[k * threads + me] = at[k] % 2 ? share[k] : -share[k];
}

// Value of each cell of a cube of sales, from the factors of its product, its shop and its week; n cells.
extern "C" __global__ void cube_values(const float *sold, const float *price, const float *rebate, const float *season, float *value,
                                       long long products, long long shops, long long weeks)
{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= products * shops * weeks) return;
    const long long week = i % weeks, shop = i / weeks % shops, product = i / (weeks * shops);
    value[i] = sold[i] * price[product] * rebate[shop] * season[week];
}
extern "C" __global__ void cube_values_b(const float *sold, const float *price, const float *rebate, const float *season, float *value,
                                         long long products, long long shops, long long weeks)
{
    const int week = blockIdx.x * blockDim.x + threadIdx.x, shop = blockIdx.y, product = blockIdx.z;
    if (week >= weeks) return;
    const long long i = (product * shops + shop) * weeks + week;
    value[i] = sold[i] * price[product] * rebate[shop] * season[week];
}

// Moving averages of prices with weights, straight into the result.
extern "C" __global__ void weighted_averages(const float *price, const float *weight, float *average, int taps, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    average[i] = 0;
    for (int k = 0; k < taps; k++) average[i] += weight[k] * price[i + k];
}
extern "C" __global__ void weighted_averages_b(const float *price, const float *weight, float *average, int taps, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < taps; k++) sum += weight[k] * price[i + k];
    average[i] = sum;
}
