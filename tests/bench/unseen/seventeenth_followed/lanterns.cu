// Cures of kernels of ../seventeenth/lanterns.cu by authors who followed the advice: NAME_f for NAME.
#include "../seventeenth/lanterns.cu"

namespace followed {
// A tyre a warp; around is a multiple of 32.
extern "C" __global__ void __launch_bounds__(256) tyre_treads_f(
    const float *__restrict__ depth, float *__restrict__ least, float *__restrict__ mean, float *__restrict__ uneven,
    int around, int tyres)
{
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (i >= tyres) return;
    const float *tyre = depth + static_cast<size_t>(i) * around;
    float low = tyre[0], sum = 0.0f, steps = 0.0f, last = low;
#pragma unroll 8
    for (int k = 0; k < around; k += 32) {
        const float d = tyre[k + lane];
        // From the lane before; the first lane takes what the last one had in the 32 before.
        const float before = __shfl_sync(~0u, lane == 31 ? last : d, (lane + 31) % 32);
        low = fminf(low, d);
        sum += d;
        steps += fabsf(d - before);
        last = d;
    }
#pragma unroll
    for (int away = 16; away > 0; away /= 2) {
        low = fminf(low, __shfl_xor_sync(~0u, low, away));
        sum += __shfl_xor_sync(~0u, sum, away);
        steps += __shfl_xor_sync(~0u, steps, away);
    }
    if (lane == 0) {
        least[i] = low;
        mean[i] = sum / around;
        uneven[i] = steps / around;
    }
}
extern "C" __global__ void __launch_bounds__(1024) turnstile_fares_f(
    const unsigned *__restrict__ tap, unsigned *__restrict__ taken, int n)
{
    __shared__ unsigned mine[STATIONS];
    for (int k = threadIdx.x; k < STATIONS; k += blockDim.x) mine[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const unsigned t = tap[i];
        atomicAdd(&mine[t & (STATIONS - 1)], t >> 16);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < STATIONS; k += blockDim.x) atomicAdd(&taken[k], mine[k]);
}
// Only the last lag samples are kept, in lag * STATION_BLOCK floats of dynamic shared memory; lag is at least 1.
extern "C" __global__ void __launch_bounds__(STATION_BLOCK) geyser_tremor_f(
    const float *__restrict__ tremor, float *__restrict__ beat, float fade, int lag, int steps, int stations)
{
    extern __shared__ float kept[];
    const int tid = threadIdx.x, i = blockIdx.x * STATION_BLOCK + tid;
    if (i >= stations) return;
    for (int k = 0; k < lag; k++) kept[k * STATION_BLOCK + tid] = 0.0f;
    float level = 0.0f, most = 0.0f;
    int at = 0;
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        const float x = tremor[static_cast<size_t>(k) * stations + i];
        float &old = kept[at * STATION_BLOCK + tid];
        level = fmaf(fade, level, x * old);
        most = fmaxf(most, level);
        old = x;
        at = at + 1 == lag ? 0 : at + 1;
    }
    beat[i] = most;
}
// Each warp takes four fingerprints from the front and four from the back, so that all warps compare as many.
extern "C" __global__ void __launch_bounds__(512) finger_matches_f(
    const uint4 *__restrict__ code, int *__restrict__ like, int limit, int prints)
{
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32, fours = prints / 4;
    const int front = blockIdx.x * warps + warp, back = fours - 1 - front;
    if (front > back) return;
#pragma unroll 1
    for (int half = 0; half < (front < back ? 2 : 1); half++)
        count_like(code, like, 4 * (half == 0 ? front : back), limit, prints);
}
// The parts of many blocks are combined: each first joins those of its warps, as all add to few addresses.
extern "C" __global__ void __launch_bounds__(1024, 2) dam_levels_f(
    const float4 *__restrict__ level, unsigned *__restrict__ highest, int *__restrict__ over, float crest, int quads)
{
    __shared__ unsigned tops[32];
    __shared__ int counts[32];
    const int share = quads / gridDim.x, dam = blockIdx.y, lane = threadIdx.x % 32;
    const float4 *mine = level + static_cast<size_t>(dam) * quads + blockIdx.x * share;
    float most = 0.0f;
    int count = 0;
    for (int k = threadIdx.x; k < share; k += 4 * 1024) {
        float4 h[4];
#pragma unroll
        for (int j = 0; j < 4; j++) h[j] = mine[k + j * 1024];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            most = fmaxf(most, fmaxf(fmaxf(h[j].x, h[j].y), fmaxf(h[j].z, h[j].w)));
            count += (h[j].x > crest) + (h[j].y > crest) + (h[j].z > crest) + (h[j].w > crest);
        }
    }
    unsigned top = __reduce_max_sync(~0u, __float_as_uint(most));
    int all = __reduce_add_sync(~0u, count);
    if (lane == 0) {
        tops[threadIdx.x / 32] = top;
        counts[threadIdx.x / 32] = all;
    }
    __syncthreads();
    if (threadIdx.x >= 32) return;
    top = __reduce_max_sync(~0u, tops[lane]);
    all = __reduce_add_sync(~0u, counts[lane]);
    if (lane == 0) {
        atomicMax(&highest[dam], top);
        atomicAdd(&over[dam], all);
    }
}
// Neighbouring terms are joined first, so that most products wait for few others.
// A chain of steps does not divide over more blocks: the room's next 16 readings are loaded while 16 are worked on.
constexpr int AHEAD = 16;
extern "C" __global__ void __launch_bounds__(128) thermistor_lags_f(
    const float *__restrict__ room, const float *__restrict__ gain, float *__restrict__ shown,
    float *__restrict__ mean, float lag, int steps, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float g = gain[i];
    float y = 0.0f, sum = 0.0f;
    const auto step = [&](float warmth) {
        const float x = fmaf(-lag, y, g * warmth);
        y = thermistor[TERMS - 1];
#pragma unroll
        for (int j = TERMS - 2; j >= 0; j--) y = fmaf(y, x, thermistor[j]);
        sum += y;
    };
    const float4 *fours = reinterpret_cast<const float4 *>(room);
    const int rounds = steps / AHEAD;
    float4 next[AHEAD / 4] = {};
    if (rounds > 0) {
#pragma unroll
        for (int j = 0; j < AHEAD / 4; j++) next[j] = fours[j];
    }
#pragma unroll 2
    for (int r = 0; r < rounds; r++) {
        float4 now[AHEAD / 4];
        const int then = min(r + 1, rounds - 1) * (AHEAD / 4);
#pragma unroll
        for (int j = 0; j < AHEAD / 4; j++) {
            now[j] = next[j];
            next[j] = fours[then + j];
        }
#pragma unroll
        for (int j = 0; j < AHEAD / 4; j++) {
            step(now[j].x);
            step(now[j].y);
            step(now[j].z);
            step(now[j].w);
        }
    }
    for (int k = rounds * AHEAD; k < steps; k++) step(room[k]);
    shown[i] = y;
    mean[i] = sum / steps;
}
// 16 points at a time; n is a multiple of 16.
__device__ __forceinline__ unsigned four_grades(unsigned four, unsigned good, unsigned gain, unsigned shine)
{
    unsigned grades = 0;
#pragma unroll
    for (int j = 0; j < 4; j++) grades |= hide_grade(__byte_perm(four, 0, 0x4440 + j), good, gain, shine) << 8 * j;
    return grades;
}
extern "C" __global__ void __launch_bounds__(256) hide_grades_f(
    const uint4 *__restrict__ hide, uint4 *__restrict__ grade, unsigned good, unsigned gain, unsigned shine, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 16; i += gridDim.x * blockDim.x) {
        const uint4 h = hide[i];
        grade[i] = make_uint4(
            four_grades(h.x, good, gain, shine), four_grades(h.y, good, gain, shine),
            four_grades(h.z, good, gain, shine), four_grades(h.w, good, gain, shine));
    }
}
// Tiles of 128 by 128 in a block of 256 threads, eight by eight a thread (four and four, SIDE / 2 apart); 16 dyes at a
// time in shared memory. Recipes and waves are multiples of 128, dyes of 16.
constexpr int SIDE = 128, DYES = 16;
extern "C" __global__ void __launch_bounds__(256, 2) dye_mixes_f(
    const float *__restrict__ recipe, const float *__restrict__ spectrum, float *__restrict__ colour, int dyes,
    int waves)
{
    __shared__ __align__(16) float a[DYES][SIDE + 4];  // recipes, transposed
    __shared__ __align__(16) float b[DYES][SIDE];
    const int tid = threadIdx.x, x = tid % 16 * 4, y = tid / 16 * 4;
    const int row = blockIdx.y * SIDE, wave = blockIdx.x * SIDE;
    const int a_row = tid / 4, a_dye = tid % 4 * 4;  // and SIDE / 2 rows on
    const int b_dye = tid / 32, b_wave = tid % 32 * 4;  // and DYES / 2 dyes on
    float sum[8][8] = {};
    for (int k = 0; k < dyes; k += DYES) {
        float4 r[2], s[2];
#pragma unroll
        for (int h = 0; h < 2; h++) {
            r[h] = *reinterpret_cast<const float4 *>(&recipe[(row + a_row + h * SIDE / 2) * dyes + k + a_dye]);
            s[h] = *reinterpret_cast<const float4 *>(&spectrum[(k + b_dye + h * DYES / 2) * waves + wave + b_wave]);
        }
        __syncthreads();  // the tiles before have been read
#pragma unroll
        for (int h = 0; h < 2; h++) {
            a[a_dye][a_row + h * SIDE / 2] = r[h].x;
            a[a_dye + 1][a_row + h * SIDE / 2] = r[h].y;
            a[a_dye + 2][a_row + h * SIDE / 2] = r[h].z;
            a[a_dye + 3][a_row + h * SIDE / 2] = r[h].w;
            *reinterpret_cast<float4 *>(&b[b_dye + h * DYES / 2][b_wave]) = s[h];
        }
        __syncthreads();
#pragma unroll
        for (int d = 0; d < DYES; d++) {
            float u[8], v[8];
#pragma unroll
            for (int h = 0; h < 2; h++) {
                const float4 p = *reinterpret_cast<const float4 *>(&a[d][y + h * SIDE / 2]);
                const float4 q = *reinterpret_cast<const float4 *>(&b[d][x + h * SIDE / 2]);
                u[4 * h] = p.x, u[4 * h + 1] = p.y, u[4 * h + 2] = p.z, u[4 * h + 3] = p.w;
                v[4 * h] = q.x, v[4 * h + 1] = q.y, v[4 * h + 2] = q.z, v[4 * h + 3] = q.w;
            }
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++) sum[i][j] = fmaf(u[i], v[j], sum[i][j]);
        }
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const int at = (row + y + i % 4 + i / 4 * SIDE / 2) * waves + wave + x + h * SIDE / 2;
            *reinterpret_cast<float4 *>(&colour[at]) =
                make_float4(sum[i][4 * h], sum[i][4 * h + 1], sum[i][4 * h + 2], sum[i][4 * h + 3]);
        }
}
// A fixed grid, each warp of which takes a swim after the other.
extern "C" __global__ void __launch_bounds__(128) swim_strokes_f(
    const float *__restrict__ pull, const int *__restrict__ start, const float *__restrict__ weight,
    float *__restrict__ power, int swims)
{
    const int lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32;
    for (int swim = (blockIdx.x * blockDim.x + threadIdx.x) / 32; swim < swims; swim += warps) {
        const int end = start[swim + 1];
        const float heavy = weight[swim];
#pragma unroll 4
        for (int k = start[swim] + lane; k < end; k += 32) {
            const float p = pull[k];
            power[k] = heavy * p * fabsf(p);
        }
    }
}
extern "C" __global__ void __launch_bounds__(256) pan_salts_f(
    float *__restrict__ water, float *__restrict__ salt, const float *__restrict__ sun, int hours, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float w = water[i], s = salt[i];
    for (int h = 0; h < hours; h++) {
        const float dried = sun[h] * w;
        w -= dried;
        s += dried * (0.3f - 0.2f * s);
    }
    water[i] = w;
    salt[i] = s;
}
}  // namespace followed
