// Sound and codes: mixing, levels, voices, filters, despreading.

// Two tracks of 16-bit samples mixed by 3 : 2 and clipped.
__device__ short mixed(short a, short b) { return (short)max(-32768, min(32767, (3 * a + 2 * b) >> 2)); }
extern "C" __global__ void mix_tracks(const short *a, const short *b, short *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = mixed(a[i], b[i]);
}
extern "C" __global__ void mix_tracks_b(const int4 *a, const int4 *b, int4 *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 8; i += gridDim.x * blockDim.x) {
        const int4 u = a[i], v = b[i];
        const int x[4] = {u.x, u.y, u.z, u.w}, y[4] = {v.x, v.y, v.z, v.w};
        int z[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const int low = mixed((short)x[k], (short)y[k]), high = mixed((short)(x[k] >> 16), (short)(y[k] >> 16));
            z[k] = (low & 0xFFFF) | high << 16;
        }
        out[i] = make_int4(z[0], z[1], z[2], z[3]);
    }
}

// Levels in dB of powers.
extern "C" __global__ void sound_levels(const float *power, float *level, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        level[i] = 3.0102999566f * __log2f(power[i] + 1e-9f);
}

// Energy of 256 samples of voices after a low pass; voice v is a sine, a saw, a square or noise by v mod 4.
__device__ float voice(int kind, float step)
{
    float y = 0, energy = 0, phase = 0.25f * step;
    if (kind == 0) {
#pragma unroll 4
        for (int k = 0; k < 256; k++) {
            phase += step;
            y = fmaf(0.1f, __sinf(phase) - y, y);
            energy = fmaf(y, y, energy);
        }
    } else if (kind == 1) {
#pragma unroll 4
        for (int k = 0; k < 256; k++) {
            phase += step;
            phase = phase > 1.0f ? phase - 2.0f : phase;
            y = fmaf(0.1f, phase - y, y);
            energy = fmaf(y, y, energy);
        }
    } else if (kind == 2) {
#pragma unroll 4
        for (int k = 0; k < 256; k++) {
            phase += step;
            phase = phase > 1.0f ? phase - 2.0f : phase;
            y = fmaf(0.1f, (phase < 0.0f ? -1.0f : 1.0f) - y, y);
            energy = fmaf(y, y, energy);
        }
    } else {
        unsigned state = __float_as_uint(step);
#pragma unroll 4
        for (int k = 0; k < 256; k++) {
            state = state * 1664525u + 1013904223u;
            y = fmaf(0.1f, __uint_as_float(0x3F800000u | state >> 9) - 1.5f - y, y);
            energy = fmaf(y, y, energy);
        }
    }
    return energy;
}
extern "C" __global__ void synth_voices(const float *step, float *energy, int voices)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < voices) energy[v] = voice(v & 3, step[v]);
}
extern "C" __global__ void synth_voices_b(const float *step, float *energy, int voices)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x, quarter = voices / 4;
    if (t >= voices) return;
    const int kind = t / quarter, v = t % quarter * 4 + kind;
    energy[v] = voice(kind, step[v]);
}

// 16 second-order sections in a row on each channel; x and out are [sample][channel].
#define POLE(s) (-1.2f + 0.04f * (s))
#define GAIN(s) (0.3f + 0.04f * (s))
extern "C" __global__ void __launch_bounds__(256) equalise(const float *x, float *out, int channels, int samples)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= channels) return;
    float p[16] = {}, q[16] = {};
#pragma unroll 1
    for (int t = 0; t < samples; t++) {
        float v = x[(size_t)t * channels + c];
#pragma unroll
        for (int s = 0; s < 16; s++) {
            const float y = __fadd_rn(__fmul_rn(0.27f * GAIN(s), v), p[s]);
            p[s] = __fadd_rn(__fadd_rn(__fmul_rn(0.5f * GAIN(s), v), __fmul_rn(-POLE(s), y)), q[s]);
            q[s] = __fadd_rn(__fmul_rn(0.23f * GAIN(s), v), __fmul_rn(-0.5f, y));
            v = y;
        }
        out[(size_t)t * channels + c] = v;
    }
}
extern "C" __global__ void __launch_bounds__(256) equalise_b(const float *x, float *out, int channels, int samples)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= channels) return;
    float p[16] = {}, q[16] = {};
#pragma unroll 1
    for (int t = 0; t < samples; t++) {
        float v = x[(size_t)t * channels + c];
#pragma unroll
        for (int s = 0; s < 16; s++) {
            const float y = fmaf(0.27f * GAIN(s), v, p[s]);
            p[s] = fmaf(0.5f * GAIN(s), v, fmaf(-POLE(s), y, q[s]));
            q[s] = fmaf(0.23f * GAIN(s), v, -0.5f * y);
            v = y;
        }
        out[(size_t)t * channels + c] = v;
    }
}

// Bursts of 64 chips, a warp each, are descrambled in 8 ways and taken apart into the 64 Walsh codes; the strongest code
// of a burst is put out as amplitude << 16 | way << 8 | code. Blocks of 1024.
template <typename Sync>
__device__ void strongest(const int *chip, unsigned *best, int bursts, int (*line)[64], Sync sync)
{
    const int burst = blockIdx.x * 32 + threadIdx.x / 32, lane = threadIdx.x & 31;
    int *mine = line[threadIdx.x / 32];
    const int first[2] = {chip[(size_t)burst * 64 + lane], chip[(size_t)burst * 64 + lane + 32]};
    unsigned high = 0;
#pragma unroll 1
    for (int way = 0; way < 8; way++) {
        int v[2];
        const unsigned code = (way * 32 + lane + 1) * 2654435761u;
        v[0] = code >> 31 ? -first[0] : first[0];
        v[1] = code >> 30 & 1 ? -first[1] : first[1];
#pragma unroll
        for (int h = 1; h < 64; h *= 2) {
            mine[lane] = v[0];
            mine[lane + 32] = v[1];
            sync();
            const int o[2] = {mine[lane ^ h], mine[(lane + 32) ^ h]};
            sync();
            v[0] = lane & h ? o[0] - v[0] : v[0] + o[0];
            v[1] = (lane + 32) & h ? o[1] - v[1] : v[1] + o[1];
        }
        high = max(high, (unsigned)abs(v[0]) << 16 | way << 8 | lane);
        high = max(high, (unsigned)abs(v[1]) << 16 | way << 8 | (lane + 32));
    }
    high = __reduce_max_sync(~0u, high);
    if (lane == 0) best[burst] = high;
}
struct Threads {
    __device__ void operator()() const { __syncthreads(); }
};
struct Lanes {
    __device__ void operator()() const { __syncwarp(); }
};
extern "C" __global__ void __launch_bounds__(1024) walsh_codes(const int *chip, unsigned *best, int bursts)
{
    __shared__ int line[32][64];
    strongest(chip, best, bursts, line, Threads());
}
extern "C" __global__ void __launch_bounds__(1024) walsh_codes_b(const int *chip, unsigned *best, int bursts)
{
    __shared__ int line[32][64];
    strongest(chip, best, bursts, line, Lanes());
}

// One-bit-like converters: each sample of a channel is held for 32 steps, in each of which the running error is rounded to
// a level; the levels are weighed and summed. x and out are [sample][channel].
__device__ float nearest(float v) { return rintf(v); }
__device__ float nearest_b(float v) { return (v + 12582912.0f) - 12582912.0f; }
extern "C" __global__ void sigma_delta(const float *x, float *out, int channels, int samples)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= channels) return;
    float error = 0.25f;
#pragma unroll 1
    for (int t = 0; t < samples; t++) {
        const float v = x[(size_t)t * channels + c];
        float sum = 0;
#pragma unroll
        for (int k = 0; k < 32; k++) {
            error += v;
            const float level = nearest(error);
            error -= level;
            sum = fmaf(0.01f + 0.001f * k, level, sum);
        }
        out[(size_t)t * channels + c] = sum;
    }
}
extern "C" __global__ void sigma_delta_b(const float *x, float *out, int channels, int samples)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= channels) return;
    float error = 0.25f;
#pragma unroll 1
    for (int t = 0; t < samples; t++) {
        const float v = x[(size_t)t * channels + c];
        float sum = 0;
#pragma unroll
        for (int k = 0; k < 32; k++) {
            error += v;
            const float level = nearest_b(error);
            error -= level;
            sum = fmaf(0.01f + 0.001f * k, level, sum);
        }
        out[(size_t)t * channels + c] = sum;
    }
}
