// Readings of instruments: power meters, rain gauges, seismographs, radio signals.

// Wh of the day and the highest quarter of an hour of each meter; wh holds 96 quarters a meter.
extern "C" __global__ void meter_totals(const unsigned *wh, unsigned *total, unsigned *peak, int meters)
{
    const int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= meters) return;
    unsigned sum = 0, high = 0;
    for (int k = 0; k < 96; k++) {
        const unsigned v = wh[(size_t)m * 96 + k];
        sum += v;
        high = max(high, v);
    }
    total[m] = sum;
    peak[m] = high;
}
extern "C" __global__ void meter_totals_b(const unsigned *wh, unsigned *total, unsigned *peak, int meters)
{
    const int m = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (m >= meters) return;
    unsigned sum = 0, high = 0;
    for (int k = 0; k < 96; k += 32) {
        const unsigned v = wh[(size_t)m * 96 + k + lane];
        sum += v;
        high = max(high, v);
    }
    for (int o = 16; o; o /= 2) {
        sum += __shfl_xor_sync(~0u, sum, o);
        high = max(high, __shfl_xor_sync(~0u, high, o));
    }
    if (lane == 0) {
        total[m] = sum;
        peak[m] = high;
    }
}

// Mean and variance of the record of each sensor, a block of 512 threads a sensor.
__device__ float block_sum(float v, float *part)
{
    for (int o = 16; o; o /= 2) v += __shfl_xor_sync(~0u, v, o);
    __syncthreads();
    if ((threadIdx.x & 31) == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 16; k++) sum += part[k];
    return sum;
}
extern "C" __global__ void __launch_bounds__(512) sensor_spread(const float *record, float *mean, float *variance, int length)
{
    __shared__ float part[16];
    const float *mine = record + (size_t)blockIdx.x * length;
    float sum = 0;
#pragma unroll 8
    for (int k = threadIdx.x; k < length; k += 512) sum += mine[k];
    const float m = block_sum(sum, part) / length;
    float square = 0;
#pragma unroll 8
    for (int k = threadIdx.x; k < length; k += 512) {
        const float d = mine[k] - m;
        square = fmaf(d, d, square);
    }
    square = block_sum(square, part);
    if (threadIdx.x == 0) {
        mean[blockIdx.x] = m;
        variance[blockIdx.x] = square / length;
    }
}
extern "C" __global__ void __launch_bounds__(512) sensor_spread_b(const float *record, float *mean, float *variance, int length)
{
    __shared__ float part[16];
    const float *mine = record + (size_t)blockIdx.x * length;
    const float first = mine[0];
    float sum = 0, square = 0;
#pragma unroll 8
    for (int k = threadIdx.x; k < length; k += 512) {
        const float d = mine[k] - first;
        sum += d;
        square = fmaf(d, d, square);
    }
    sum = block_sum(sum, part) / length;
    square = block_sum(square, part) / length;
    if (threadIdx.x == 0) {
        mean[blockIdx.x] = first + sum;
        variance[blockIdx.x] = square - sum * sum;
    }
}

// The day on which the rain of each station has come to its limit; rain is [day][station], days a multiple of 8.
extern "C" __global__ void days_to_limit(const unsigned *rain, const unsigned *limit, int *day, int stations, int days)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= stations) return;
    const unsigned enough = limit[s];
    unsigned sum = 0;
    int d = 0;
    for (; d < days; d++) {
        sum += rain[(size_t)d * stations + s];
        if (sum >= enough) break;
    }
    day[s] = d;
}
extern "C" __global__ void days_to_limit_b(const unsigned *rain, const unsigned *limit, int *day, int stations, int days)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= stations) return;
    const unsigned enough = limit[s];
    unsigned sum = 0;
    int d = days;
    for (int week = 0; week < days && d == days; week += 8) {
        unsigned v[8];
#pragma unroll
        for (int k = 0; k < 8; k++) v[k] = rain[(size_t)(week + k) * stations + s];
#pragma unroll
        for (int k = 0; k < 8; k++) {
            sum += v[k];
            if (sum >= enough && d == days) d = week + k;
        }
    }
    day[s] = d;
}

// Autocorrelation of a radio signal at 32 lags: the sum of x[i] x[i + lag]; blocks of 1024.
__device__ void lag_sum(const short *x, unsigned long long *sums, int lag, int from, int to)
{
    __shared__ long long part[32];
    long long sum = 0;
    for (int i = from + threadIdx.x; i < to; i += 1024) sum += (int)x[i] * (int)x[i + lag];
    for (int o = 16; o; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 32; k++) sum += part[k];
        atomicAdd(sums + lag, (unsigned long long)sum);
    }
}
extern "C" __global__ void __launch_bounds__(1024) lag_products(const short *x, unsigned long long *sums, int n)
{
    lag_sum(x, sums, blockIdx.x, 0, n);
}
extern "C" __global__ void __launch_bounds__(1024) lag_products_b(const short *x, unsigned long long *sums, int n)
{
    const int piece = (n + gridDim.y - 1) / gridDim.y, from = blockIdx.y * piece;
    lag_sum(x, sums, blockIdx.x, from, min(n, from + piece));
}

// Frames of 4096 samples of a seismograph are smoothed with 12 weights; the highest of each 4 results is kept.
#define WEIGHT(k) (0.02f + 0.011f * (k) * (11 - (k)) / 5)
__device__ void smooth_frame(const float *frame, float *peaks)
{
    float high = 0;
#pragma unroll
    for (int part = 0; part < 4; part++) {
        float sum = 0;
#pragma unroll
        for (int k = 0; k < 12; k++) sum = fmaf(WEIGHT(k), frame[part * 1024 + threadIdx.x + k], sum);
        high = fmaxf(high, fabsf(sum));
    }
    peaks[threadIdx.x] = high;
}
extern "C" __global__ void __launch_bounds__(1024, 1) seismic_frames(const float *sample, float *peaks, int frames)
{
    __shared__ float frame[4096 + 16];
    if (threadIdx.x < 16) frame[4096 + threadIdx.x] = 0;
    for (int f = blockIdx.x; f < frames; f += gridDim.x) {
#pragma unroll
        for (int part = 0; part < 4; part++)
            frame[part * 1024 + threadIdx.x] = sample[(size_t)f * 4096 + part * 1024 + threadIdx.x];
        __syncthreads();
        smooth_frame(frame, peaks + (size_t)f * 1024);
        __syncthreads();
    }
}
extern "C" __global__ void __launch_bounds__(1024, 1) seismic_frames_b(const float *sample, float *peaks, int frames)
{
    __shared__ float frame[4096 + 16];
    if (threadIdx.x < 16) frame[4096 + threadIdx.x] = 0;
    float next[4];
#pragma unroll
    for (int part = 0; part < 4; part++) next[part] = sample[(size_t)blockIdx.x * 4096 + part * 1024 + threadIdx.x];
    for (int f = blockIdx.x; f < frames; f += gridDim.x) {
#pragma unroll
        for (int part = 0; part < 4; part++) frame[part * 1024 + threadIdx.x] = next[part];
        __syncthreads();
        const int g = f + gridDim.x < frames ? f + gridDim.x : f;
#pragma unroll
        for (int part = 0; part < 4; part++) next[part] = sample[(size_t)g * 4096 + part * 1024 + threadIdx.x];
        smooth_frame(frame, peaks + (size_t)f * 1024);
        __syncthreads();
    }
}
