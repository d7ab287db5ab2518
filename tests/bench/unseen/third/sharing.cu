// Values that other threads could see: plates, curves, labels, journals, scans, waves.
#include <cuda/atomic>

// A step of a plate's heat equation of sixth order: 13 points.
template <typename In> __device__ void plate(In in, float *out, int width, int height, float k)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 3 || y < 3 || x >= width - 3 || y >= height - 3) return;
    const int i = y * width + x;
    const float c[4] = {-2.7222222f, 1.5f, -0.15f, 0.0111111f};
    float sum = 2 * c[0] * in[i];
    for (int d = 1; d <= 3; d++) sum += c[d] * (in[i - d] + in[i + d] + in[i - d * width] + in[i + d * width]);
    out[i] = in[i] + k * sum;
}
extern "C" __global__ void plate_step(const float *in, float *out, int width, int height, float k)
{
    plate((const volatile float *)in, out, width, height, k);
}
extern "C" __global__ void plate_step_b(const float *in, float *out, int width, int height, float k)
{
    plate(in, out, width, height, k);
}

// Colour curves of 257 entries on three channels in planes.
template <typename Curve> __device__ float on_curve(Curve curve, float v)
{
    const float at = fminf(fmaxf(v, 0.0f), 1.0f) * 255.0f;
    const int k = (int)at;
    const float low = curve[k], high = curve[k + 1];
    return low + (at - k) * (high - low);
}
template <typename Curve> __device__ void grade(const float *rgb, float *out, Curve curve, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float r = on_curve(curve, rgb[i]), g = on_curve(curve + 257, rgb[n + i]), b = on_curve(curve + 514, rgb[2 * n + i]);
        const float luma = on_curve(curve + 771, 0.2126f * r + 0.7152f * g + 0.0722f * b);
        out[i] = r * luma;
        out[n + i] = g * luma;
        out[2 * n + i] = b * luma;
    }
}
extern "C" __global__ void grade_film(const float *rgb, float *out, float *curve, int n)
{
    grade(rgb, out, (volatile float *)curve, n);
}
extern "C" __global__ void grade_film_b(const float *rgb, float *out, const float *__restrict__ curve, int n)
{
    grade(rgb, out, curve, n);
}

// A step of label propagation, 8 neighbours a vertex in planes; the new labels go elsewhere.
extern "C" __global__ void settle(const int *neighbour, int *label, int *next, int n)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    int best = label[v];
    for (int k = 0; k < 8; k++) {
        cuda::atomic_ref<int, cuda::thread_scope_device> other(label[neighbour[k * n + v]]);
        best = min(best, other.load(cuda::memory_order_relaxed));
    }
    next[v] = best;
}
extern "C" __global__ void settle_b(const int *neighbour, int *label, int *next, int n)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    int best = label[v];
    for (int k = 0; k < 8; k++) best = min(best, label[neighbour[k * n + v]]);
    next[v] = best;
}

// Events into a journal, 64 a thread, and the number of those written, which a reader may follow.
template <bool EACH> __device__ void journal(const unsigned *event, unsigned *log, int *written, int threads)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = t * 747796405u + 2891336453u;
    for (int k = 0; k < 64; k++) {
        const int i = k * threads + t;
        state = state * 747796405u + event[i];
        log[i] = (state >> ((state >> 28) + 4)) ^ state;
        if (EACH) __threadfence();
    }
    if (!EACH) __threadfence();
    written[t] = 64;
}
extern "C" __global__ void write_journal(const unsigned *event, unsigned *log, int *written, int threads)
{
    journal<true>(event, log, written, threads);
}
extern "C" __global__ void write_journal_b(const unsigned *event, unsigned *log, int *written, int threads)
{
    journal<false>(event, log, written, threads);
}

// Running totals of each row of 1024 trades; a block takes every gridDim.x-th row.
template <bool WIDE> __device__ void totals(const float *amount, float *total, int rows)
{
    __shared__ float line[2][1024];
    const int t = threadIdx.x;
    for (int r = blockIdx.x; r < rows; r += gridDim.x) {
        int from = 0;
        line[0][t] = amount[(long long)r * 1024 + t];
        if (WIDE) __threadfence();
        __syncthreads();
        for (int d = 1; d < 1024; d *= 2) {
            line[1 - from][t] = line[from][t] + (t >= d ? line[from][t - d] : 0.0f);
            from = 1 - from;
            if (WIDE) __threadfence();
            __syncthreads();
        }
        total[(long long)r * 1024 + t] = line[from][t];
        if (WIDE) __threadfence();
        __syncthreads();
    }
}
extern "C" __global__ void __launch_bounds__(1024) running_totals(const float *amount, float *total, int rows)
{
    totals<true>(amount, total, rows);
}
extern "C" __global__ void __launch_bounds__(1024) running_totals_b(const float *amount, float *total, int rows)
{
    totals<false>(amount, total, rows);
}

// Strings of 512 points each, a block a string, in two buffers in global memory, 32 steps.
template <bool WIDE> __device__ void strings(float *now, float *before, float stiffness)
{
    float *a = now + blockIdx.x * 512, *b = before + blockIdx.x * 512;
    const int t = threadIdx.x;
    for (int step = 0; step < 32; step++) {
        const float left = t ? a[t - 1] : 0.0f, right = t < 511 ? a[t + 1] : 0.0f;
        b[t] = 2 * a[t] - b[t] + stiffness * (left - 2 * a[t] + right);
        float *c = a;
        a = b;
        b = c;
        if (WIDE) __threadfence_system();
        __syncthreads();
    }
}
extern "C" __global__ void __launch_bounds__(512) pluck(float *now, float *before, float stiffness) { strings<true>(now, before, stiffness); }
extern "C" __global__ void __launch_bounds__(512) pluck_b(float *now, float *before, float stiffness) { strings<false>(now, before, stiffness); }
