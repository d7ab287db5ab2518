// Kernels of the twenty-first round, in pairs: NAME is slow, NAME_b is cured. Sizes are multiples of the blocks' sizes.

// Rucksacks: the most joy that a hiker can carry, of things that are each taken once or left at home.
// weight, joy: [thing][hiker]; weights from 1 to 12, a rucksack carries up to 39.
constexpr int CARRIED = 40, HIKERS = 128;
extern "C" __global__ void __launch_bounds__(HIKERS) rucksack_joy(
    const int *__restrict__ weight, const float *__restrict__ joy, float *__restrict__ most, int things, int n)
{
    __shared__ float table[HIKERS * CARRIED];
    const int i = blockIdx.x * HIKERS + threadIdx.x;
    float *best = table + threadIdx.x * CARRIED;
    for (int w = 0; w < CARRIED; w++) best[w] = 0.0f;
    for (int k = 0; k < things; k++) {
        const int heavy = weight[k * n + i];
        const float liked = joy[k * n + i];
        for (int w = CARRIED - 1; w >= heavy; w--) best[w] = fmaxf(best[w], best[w - heavy] + liked);
    }
    most[i] = best[CARRIED - 1];
}
extern "C" __global__ void __launch_bounds__(HIKERS) rucksack_joy_b(
    const int *__restrict__ weight, const float *__restrict__ joy, float *__restrict__ most, int things, int n)
{
    __shared__ float table[CARRIED * HIKERS];
    const int i = blockIdx.x * HIKERS + threadIdx.x;
    float *best = table + threadIdx.x;
    for (int w = 0; w < CARRIED; w++) best[w * HIKERS] = 0.0f;
    for (int k = 0; k < things; k++) {
        const int heavy = weight[k * n + i];
        const float liked = joy[k * n + i];
        for (int w = CARRIED - 1; w >= heavy; w--)
            best[w * HIKERS] = fmaxf(best[w * HIKERS], best[(w - heavy) * HIKERS] + liked);
    }
    most[i] = best[(CARRIED - 1) * HIKERS];
}

// Cheeses: how ripe a cheese is after some days, each of six kinds by a rule of its own.
// cheese: salt, water, warmth, and how ripe it is at first.
__device__ __forceinline__ float ripen(int kind, float4 c, int days)
{
    float ripe = c.w, water = c.y;
    switch (kind) {
    case 0:
        for (int d = 0; d < days; d++) {
            const float grown = 0.05f * water * __expf(-c.x * ripe) * (1.0f - 0.4f * ripe);
            water -= 0.02f * water * (1.0f + 0.3f * c.z);
            ripe += grown / (1.0f + water);
        }
        break;
    case 1:
        for (int d = 0; d < days; d++) {
            const float mould = __fdividef(c.z * ripe, 0.2f + ripe + c.x * water);
            ripe += 0.03f * mould * (1.2f - ripe);
            water = fmaxf(water - 0.01f * mould - 0.004f, 0.05f);
            ripe -= 0.002f * c.x * ripe * ripe * water;
        }
        break;
    case 2:
        for (int d = 0; d < days; d++) {
            const float acid = rsqrtf(0.1f + water * water + c.x * ripe);
            ripe = fminf(ripe + 0.02f * acid * c.z, 2.0f);
            water = 0.985f * water + 0.003f * acid * (1.0f - 0.2f * ripe);
            ripe += 0.004f * (acid - 0.5f) * (water - c.y);
        }
        break;
    case 3:
        for (int d = 0; d < days; d++) {
            const float turn = __sinf(0.4f * ripe + c.z);
            ripe += 0.015f * turn * turn + 0.01f * water * (1.0f - c.x);
            water += 0.01f * (0.6f - water) - 0.003f * turn * c.x;
            ripe *= 1.0f - 0.001f * water * turn;
        }
        break;
    case 4:
        for (int d = 0; d < days; d++) {
            const float gas = __log2f(1.0f + ripe * c.z + 0.5f * water);
            ripe += 0.01f * gas * (1.5f - 0.3f * gas) - 0.002f * c.x * ripe;
            water *= 0.99f - 0.002f * gas;
            ripe = fmaxf(ripe, 0.01f + 0.1f * water * c.x);
        }
        break;
    default:
        for (int d = 0; d < days; d++) {
            const float rind = sqrtf(0.05f + ripe * water);
            ripe += 0.02f * rind * (c.z - 0.3f * ripe) + 0.001f * c.x;
            water -= 0.008f * rind * water * (1.0f - 0.5f * c.x);
            ripe -= 0.003f * rind * rind * ripe;
        }
    }
    return ripe + 0.1f * water;
}
extern "C" __global__ void __launch_bounds__(256) cheese_ripening(
    const float4 *__restrict__ cheese, const int *__restrict__ kind, const int *__restrict__ order,
    float *__restrict__ ripe, int days)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    ripe[i] = ripen(kind[i], cheese[i], days);
}
extern "C" __global__ void __launch_bounds__(256) cheese_ripening_b(
    const float4 *__restrict__ cheese, const int *__restrict__ kind, const int *__restrict__ order,
    float *__restrict__ ripe, int days)
{
    const int i = order[blockIdx.x * 256 + threadIdx.x];
    ripe[i] = ripen(kind[i], cheese[i], days);
}

// Cicadas: power of a song behind a filter of 32 taps, a microphone a thread. song: [sample][microphone].
constexpr int TAPS = 32;
__constant__ float cicada_taps[TAPS];
extern "C" __global__ void __launch_bounds__(256) cicada_song(
    const float *__restrict__ song, float *__restrict__ power, int samples, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    float ring[TAPS], sum = 0.0f;
    for (int k = 0; k < TAPS; k++) ring[k] = 0.0f;
    int at = 0;
    for (int s = 0; s < samples; s++) {
        ring[at] = song[s * n + i];
        float heard = 0.0f;
#pragma unroll
        for (int k = 0; k < TAPS; k++) heard += cicada_taps[k] * ring[(at - k) & (TAPS - 1)];
        sum += heard * heard;
        at = (at + 1) & (TAPS - 1);
    }
    power[i] = sum / samples;
}
extern "C" __global__ void __launch_bounds__(256) cicada_song_b(
    const float *__restrict__ song, float *__restrict__ power, int samples, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    float ring[TAPS], sum = 0.0f;
#pragma unroll
    for (int k = 0; k < TAPS; k++) ring[k] = 0.0f;
    for (int from = 0; from < samples; from += TAPS) {
#pragma unroll
        for (int at = 0; at < TAPS; at++) {
            ring[at] = song[(from + at) * n + i];
            float heard = 0.0f;
#pragma unroll
            for (int k = 0; k < TAPS; k++) heard += cicada_taps[k] * ring[(at - k) & (TAPS - 1)];
            sum += heard * heard;
        }
    }
    power[i] = sum / samples;
}

// Fireflies: each one's charge swings by the two equations of FitzHugh and Nagumo, with a drive of its own.
// A thread has four fireflies, a fourth of the swarm apart from each other.
constexpr int EACH = 4;
__device__ __forceinline__ void flash(float &v, float &w, float drive)
{
    const float cube = v * v * v;
    const float next = v + 0.05f * (v - cube * 0.33333333f - w + drive);
    w += 0.004f * (next + 0.7f - 0.8f * w);
    v = next;
}
extern "C" __global__ void __launch_bounds__(128) firefly_swarm(
    const float *__restrict__ drive, float2 *__restrict__ state, float *__restrict__ mean, int steps)
{
    const int threads = gridDim.x * 128, first = blockIdx.x * 128 + threadIdx.x;
    for (int k = 0; k < EACH; k++) {
        const int i = first + k * threads;
        const float own = drive[i];
        float v = -1.0f, w = 0.5f * own, sum = 0.0f;
        for (int s = 0; s < steps; s++) {
            flash(v, w, own);
            sum += v;
        }
        state[i] = make_float2(v, w);
        mean[i] = sum / steps;
    }
}
extern "C" __global__ void __launch_bounds__(128) firefly_swarm_b(
    const float *__restrict__ drive, float2 *__restrict__ state, float *__restrict__ mean, int steps)
{
    const int threads = gridDim.x * 128, first = blockIdx.x * 128 + threadIdx.x;
    float own[EACH], v[EACH], w[EACH], sum[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        own[k] = drive[first + k * threads];
        v[k] = -1.0f;
        w[k] = 0.5f * own[k];
        sum[k] = 0.0f;
    }
    for (int s = 0; s < steps; s++) {
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            flash(v[k], w[k], own[k]);
            sum[k] += v[k];
        }
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        state[first + k * threads] = make_float2(v[k], w[k]);
        mean[first + k * threads] = sum[k] / steps;
    }
}

// Lichens: how much of a rock each of 16 kinds covers; a point has a kind and how thick it is there.
constexpr int KINDS = 16;
extern "C" __global__ void __launch_bounds__(256) lichen_cover(
    const uchar4 *__restrict__ kind, const ushort4 *__restrict__ thick, unsigned *__restrict__ cover, int fours)
{
    __shared__ unsigned sums[KINDS];
    if (threadIdx.x < KINDS) sums[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < fours; i += gridDim.x * 256) {
        const uchar4 k = kind[i];
        const ushort4 much = thick[i];
        atomicAdd(&sums[k.x], static_cast<unsigned>(much.x));
        atomicAdd(&sums[k.y], static_cast<unsigned>(much.y));
        atomicAdd(&sums[k.z], static_cast<unsigned>(much.z));
        atomicAdd(&sums[k.w], static_cast<unsigned>(much.w));
    }
    __syncthreads();
    if (threadIdx.x < KINDS) atomicAdd(&cover[threadIdx.x], sums[threadIdx.x]);
}
extern "C" __global__ void __launch_bounds__(256) lichen_cover_b(
    const uchar4 *__restrict__ kind, const ushort4 *__restrict__ thick, unsigned *__restrict__ cover, int fours)
{
    __shared__ unsigned sums[KINDS * 32];
    for (int k = threadIdx.x; k < KINDS * 32; k += 256) sums[k] = 0;
    __syncthreads();
    unsigned *own = sums + threadIdx.x % 32;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < fours; i += gridDim.x * 256) {
        const uchar4 k = kind[i];
        const ushort4 much = thick[i];
        atomicAdd(&own[k.x * 32], static_cast<unsigned>(much.x));
        atomicAdd(&own[k.y * 32], static_cast<unsigned>(much.y));
        atomicAdd(&own[k.z * 32], static_cast<unsigned>(much.z));
        atomicAdd(&own[k.w * 32], static_cast<unsigned>(much.w));
    }
    __syncthreads();
    if (threadIdx.x < KINDS) {
        unsigned sum = 0;
        for (int k = 0; k < 32; k++) sum += sums[threadIdx.x * 32 + (k + threadIdx.x) % 32];
        atomicAdd(&cover[threadIdx.x], sum);
    }
}

// Gaits of horses: walk, trot, canter or gallop at each of 96 moments, the likeliest way by the algorithm of Viterbi.
// speed: [moment][horse]; gait: [moment][horse]; the way back is kept in shared memory.
constexpr int MOMENTS = 96, HORSES = 64, GAITS = 4;
__device__ __forceinline__ void likeliest(float (&score)[GAITS], int (&from)[GAITS], float speed)
{
    float next[GAITS];
#pragma unroll
    for (int g = 0; g < GAITS; g++) {
        const float off = speed - 1.5f * (g + 0.5f);
        float best = -1e30f;
#pragma unroll
        for (int h = 0; h < GAITS; h++) {
            const float way = score[h] - 0.7f * (g > h ? g - h : h - g);
            if (way > best) {
                best = way;
                from[g] = h;
            }
        }
        next[g] = best - off * off;
    }
#pragma unroll
    for (int g = 0; g < GAITS; g++) score[g] = next[g];
}
__device__ __forceinline__ int last_gait(const float (&score)[GAITS])
{
    int at = 0;
    float best = score[0];
#pragma unroll
    for (int g = 1; g < GAITS; g++)
        if (score[g] > best) {
            best = score[g];
            at = g;
        }
    return at;
}
extern "C" __global__ void __launch_bounds__(HORSES) horse_gaits(
    const float *__restrict__ speed, unsigned char *__restrict__ gait, float *__restrict__ total, int n)
{
    extern __shared__ short back[];  // [moment][gait][horse]
    const int i = blockIdx.x * HORSES + threadIdx.x;
    float score[GAITS] = {};
    for (int m = 0; m < MOMENTS; m++) {
        int from[GAITS];
        likeliest(score, from, speed[m * n + i]);
#pragma unroll
        for (int g = 0; g < GAITS; g++) back[(m * GAITS + g) * HORSES + threadIdx.x] = static_cast<short>(from[g]);
    }
    int at = last_gait(score);
    total[i] = fmaxf(fmaxf(score[0], score[1]), fmaxf(score[2], score[3]));
    for (int m = MOMENTS - 1; m >= 0; m--) {
        gait[m * n + i] = static_cast<unsigned char>(at);
        at = back[(m * GAITS + at) * HORSES + threadIdx.x];
    }
}
extern "C" __global__ void __launch_bounds__(HORSES) horse_gaits_b(
    const float *__restrict__ speed, unsigned char *__restrict__ gait, float *__restrict__ total, int n)
{
    extern __shared__ unsigned char packed[];  // [moment][horse], two bits a gait
    const int i = blockIdx.x * HORSES + threadIdx.x;
    float score[GAITS] = {};
    for (int m = 0; m < MOMENTS; m++) {
        int from[GAITS];
        likeliest(score, from, speed[m * n + i]);
        packed[m * HORSES + threadIdx.x] =
            static_cast<unsigned char>(from[0] | from[1] << 2 | from[2] << 4 | from[3] << 6);
    }
    int at = last_gait(score);
    total[i] = fmaxf(fmaxf(score[0], score[1]), fmaxf(score[2], score[3]));
    for (int m = MOMENTS - 1; m >= 0; m--) {
        gait[m * n + i] = static_cast<unsigned char>(at);
        at = packed[m * HORSES + threadIdx.x] >> 2 * at & 3;
    }
}
