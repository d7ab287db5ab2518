// Pensions, spreads of prices, losses of paths, series, windows of frames, scales of pings.

__device__ unsigned next_word(unsigned &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}
__device__ float unit_of(unsigned word) { return __uint_as_float(0x3f800000u | word >> 9) - 1.5f; }

// Pensions of members in ten kinds of assets, with random returns each month and shares restored each year.
extern "C" __global__ void __launch_bounds__(1024) pension_paths(const float *share, float *pension, int years, int members)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state[10];
    float value[10], part[10], all = 1.0f;
#pragma unroll
    for (int a = 0; a < 10; a++) {
        state[a] = (i * 10 + a + 1) * 2654435761u;
        part[a] = share[a * members + i];
        value[a] = part[a];
    }
#pragma unroll 1
    for (int y = 0; y < years; y++) {
#pragma unroll 1
        for (int m = 0; m < 12; m++)
#pragma unroll
            for (int a = 0; a < 10; a++) value[a] = fmaf(value[a], fmaf(0.005f * (a + 1), unit_of(next_word(state[a])), 0.001f), value[a]);
        all = 0.01f;
#pragma unroll
        for (int a = 0; a < 10; a++) all += value[a];
#pragma unroll
        for (int a = 0; a < 10; a++) value[a] = all * part[a];
    }
    pension[i] = all;
}

// Distances of each price to the 24 before it, [time][paper]; each price is put down twice, so that any 24 lie in a row.
extern "C" __global__ void __launch_bounds__(256) price_spreads(const float *price, float *spread, int times, int papers)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    float last[48], sum = 0;
#pragma unroll
    for (int j = 0; j < 48; j++) last[j] = price[i];
    int head = 0;
    for (int t = 0; t < times; t++) {
        const float now = price[(size_t)t * papers + i];
#pragma unroll
        for (int j = 0; j < 24; j++) sum = fmaf(1.0f / (24 - j), fabsf(now - last[head + j]), sum);
        last[head] = last[head + 24] = now;
        head = head == 23 ? 0 : head + 1;
    }
    spread[i] = sum;
}
extern "C" __global__ void __launch_bounds__(256) price_spreads_b(const float *price, float *spread, int times, int papers)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    float last[24], sum = 0;
#pragma unroll
    for (int j = 0; j < 24; j++) last[j] = price[i];
    for (int from = 0; from < times; from += 24)
#pragma unroll
        for (int head = 0; head < 24; head++) {
            const float now = price[(size_t)(from + head) * papers + i];
#pragma unroll
            for (int j = 0; j < 24; j++) sum = fmaf(1.0f / (24 - j), fabsf(now - last[(head + j) % 24]), sum);
            last[head] = now;
        }
    spread[i] = sum;
}

// The greatest loss from a peak in random paths of a price; path: room for all, [step][path].
extern "C" __global__ void __launch_bounds__(256) path_losses(float *path, float *loss, int steps, int paths)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    unsigned state = (i + 1) * 2654435761u;
    float price = 100.0f;
    for (int k = 0; k < steps; k++) {
        price = fmaf(price * 0.02f, unit_of(next_word(state)), price);
        path[(size_t)k * paths + i] = price;
    }
    float peak = 100.0f, most = 0;
    for (int k = 0; k < steps; k++) {
        const float now = path[(size_t)k * paths + i];
        peak = fmaxf(peak, now);
        most = fmaxf(most, peak - now);
    }
    loss[i] = most;
}
extern "C" __global__ void __launch_bounds__(256) path_losses_b(float *path, float *loss, int steps, int paths)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    unsigned state = (i + 1) * 2654435761u;
    float price = 100.0f, peak = 100.0f, most = 0;
    for (int k = 0; k < steps; k++) {
        price = fmaf(price * 0.02f, unit_of(next_word(state)), price);
        peak = fmaxf(peak, price);
        most = fmaxf(most, peak - price);
    }
    loss[i] = most;
}

// Sums of 1 / (x + k)^2 over k, each with a compensation of the rounding.
struct Kahan {
    float sum = 0, off = 0;
    __device__ void add(float term)
    {
        const float y = term - off, t = sum + y;
        off = (t - sum) - y;
        sum = t;
    }
};
__device__ float term_of(float at)
{
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(at));
    return r * r;
}
extern "C" __global__ void __launch_bounds__(128) trigamma_sums(const float *x, float *y, int terms)
{
    const int i = blockIdx.x * 128 + threadIdx.x;
    float at = x[i];
    Kahan all;
#pragma unroll 8
    for (int k = 0; k < terms; k++) {
        all.add(term_of(at));
        at += 1.0f;
    }
    y[i] = all.sum;
}
extern "C" __global__ void __launch_bounds__(128) trigamma_sums_b(const float *x, float *y, int terms)
{
    const int i = blockIdx.x * 128 + threadIdx.x;
    float at = x[i];
    Kahan part[4];
#pragma unroll 2
    for (int k = 0; k < terms; k += 4) {
#pragma unroll
        for (int p = 0; p < 4; p++) part[p].add(term_of(at + p));
        at += 4.0f;
    }
    y[i] = (part[0].sum + part[1].sum) + (part[2].sum + part[3].sum);
}

// Frames of a signal, each begun a hop after the last, under a Hamming window.
extern "C" __global__ void __launch_bounds__(256) window_frames(const float *signal, float *frame, int length, int hop)
{
    const int i = blockIdx.x * 256 + threadIdx.x, f = blockIdx.y;
    frame[(size_t)f * length + i] = signal[(size_t)f * hop + i] * (0.54 - 0.46 * cos(2 * 3.141592653589793 * i / (length - 1)));
}
extern "C" __global__ void __launch_bounds__(256) window_frames_b(const float *signal, float *frame, int length, int hop)
{
    const int i = blockIdx.x * 256 + threadIdx.x, f = blockIdx.y;
    frame[(size_t)f * length + i] = signal[(size_t)f * hop + i] * (0.54f - 0.46f * cosf(2 * 3.14159265f * i / (length - 1)));
}

// Energy of pings of 8192 echoes at four scales by second differences, pings through shared memory.
extern __shared__ float4 ping[];
__device__ void fetch_ping(const float4 *from, float4 *to)
{
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const unsigned at = (unsigned)__cvta_generic_to_shared(to + k * 512 + threadIdx.x);
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from + k * 512 + threadIdx.x));
    }
}
__device__ void add_scales(const float *one, float *energy)
{
#pragma unroll 4
    for (int i = threadIdx.x; i < 8192; i += 512)
#pragma unroll
        for (int s = 0; s < 4; s++) {
            const float bend = one[(i - (1 << s)) & 8191] - 2.0f * one[i] + one[(i + (1 << s)) & 8191];
            energy[s] = fmaf(bend, bend, energy[s]);
        }
}
__device__ void write_scales(const float *energy, float *total)
{
#pragma unroll
    for (int s = 0; s < 4; s++) total[(s * gridDim.x + blockIdx.x) * 512 + threadIdx.x] = energy[s];
}
extern "C" __global__ void __launch_bounds__(512) ping_scales(const float4 *echo, float *total, int pings)
{
    float energy[4] = {};
    for (int p = blockIdx.x; p < pings; p += gridDim.x) {
        fetch_ping(echo + (size_t)p * 2048, ping);
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncthreads();
        add_scales((const float *)ping, energy);
        __syncthreads();
    }
    write_scales(energy, total);
}
extern "C" __global__ void __launch_bounds__(512) ping_scales_b(const float4 *echo, float *total, int pings)
{
    float energy[4] = {};
#pragma unroll
    for (int s = 0; s < 2; s++) {
        if (blockIdx.x + s * gridDim.x < pings) fetch_ping(echo + (size_t)(blockIdx.x + s * gridDim.x) * 2048, ping + s * 2048);
        asm volatile("cp.async.commit_group;");
    }
    int stage = 0;
    for (int p = blockIdx.x; p < pings; p += gridDim.x) {
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        const int later = p + 2 * gridDim.x, free = stage == 0 ? 2 : stage - 1;
        if (later < pings) fetch_ping(echo + (size_t)later * 2048, ping + free * 2048);
        asm volatile("cp.async.commit_group;");
        add_scales((const float *)(ping + stage * 2048), energy);
        stage = stage == 2 ? 0 : stage + 1;
    }
    write_scales(energy, total);
}
