// Kelvin probes and tyres, metro gates and geysers, fingerprints and vending machines, dams and thermostats, candles
// and hides, dyes and chimneys, swimmers and salt pans.

// Work function of each point of a sample from the signal of a Kelvin probe and its height above the surface.
extern "C" __global__ void __launch_bounds__(256) probe_potentials(
    const float *__restrict__ signal, const float *__restrict__ height, float *__restrict__ work, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float s = signal[i], h = height[i];
    const float gap = 0.12 + exp(-1.025 * h);
    const float drop = 0.0259 * log(1.0 + s / (0.003 + gap));
    const float light = 0.31 * (1.0 - exp(-3.2 * s)) / (1.0 + h * h);
    work[i] = 4.48 + drop - light;
}
extern "C" __global__ void __launch_bounds__(256) probe_potentials_b(
    const float *__restrict__ signal, const float *__restrict__ height, float *__restrict__ work, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float s = signal[i], h = height[i];
    const float gap = 0.12f + expf(-1.025f * h);
    const float drop = 0.0259f * logf(1.0f + s / (0.003f + gap));
    const float light = 0.31f * (1.0f - expf(-3.2f * s)) / (1.0f + h * h);
    work[i] = 4.48f + drop - light;
}

// Least depth, mean depth and unevenness of the tread of tyres, each measured all around. A tyre a thread.
extern "C" __global__ void __launch_bounds__(256) tyre_treads(
    const float *__restrict__ depth, float *__restrict__ least, float *__restrict__ mean, float *__restrict__ uneven,
    int around, int tyres)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= tyres) return;
    const float *tyre = depth + static_cast<size_t>(i) * around;
    float low = tyre[0], sum = 0.0f, steps = 0.0f, last = low;
    for (int k = 0; k < around; k++) {
        const float d = tyre[k];
        low = fminf(low, d);
        sum += d;
        steps += fabsf(d - last);
        last = d;
    }
    least[i] = low;
    mean[i] = sum / around;
    uneven[i] = steps / around;
}
// A tyre a warp; around is a multiple of 32.
extern "C" __global__ void __launch_bounds__(256) tyre_treads_b(
    const float *__restrict__ depth, float *__restrict__ least, float *__restrict__ mean, float *__restrict__ uneven,
    int around, int tyres)
{
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (i >= tyres) return;
    const float *tyre = depth + static_cast<size_t>(i) * around;
    float low = tyre[0], sum = 0.0f, steps = 0.0f, end = low;
    for (int k = lane; k < around; k += 32) {
        const float d = tyre[k];
        float last = __shfl_up_sync(~0u, d, 1);
        if (lane == 0) last = end;
        end = __shfl_sync(~0u, d, 31);
        low = fminf(low, d);
        sum += d;
        steps += fabsf(d - last);
    }
#pragma unroll
    for (int half = 16; half > 0; half /= 2) {
        low = fminf(low, __shfl_xor_sync(~0u, low, half));
        sum += __shfl_xor_sync(~0u, sum, half);
        steps += __shfl_xor_sync(~0u, steps, half);
    }
    if (lane == 0) {
        least[i] = low;
        mean[i] = sum / around;
        uneven[i] = steps / around;
    }
}

// Fares taken at the gates of each station of a metro. A tap is 8 bits of station and 16 of fare.
constexpr int STATIONS = 256;
extern "C" __global__ void __launch_bounds__(256) turnstile_fares(
    const unsigned *__restrict__ tap, unsigned *__restrict__ taken, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const unsigned t = tap[i];
        atomicAdd(&taken[t & (STATIONS - 1)], t >> 16);
    }
}
extern "C" __global__ void __launch_bounds__(256) turnstile_fares_b(
    const unsigned *__restrict__ tap, unsigned *__restrict__ taken, int n)
{
    __shared__ unsigned own[STATIONS];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const unsigned t = tap[i];
        atomicAdd(&own[t & (STATIONS - 1)], t >> 16);
    }
    __syncthreads();
    atomicAdd(&taken[threadIdx.x], own[threadIdx.x]);
}

// Strongest beat of the tremor at each station about geysers: the product of the tremor with that some samples ago,
// faded over time. The last KEEP samples of a station are kept in shared memory; lag is less than KEEP.
constexpr int STATION_BLOCK = 128;
template <int KEEP>
__device__ __forceinline__ void beats(
    const float *__restrict__ tremor, float *__restrict__ beat, float fade, int lag, int steps, int stations)
{
    __shared__ float past[KEEP][STATION_BLOCK];
    const int tid = threadIdx.x, i = blockIdx.x * STATION_BLOCK + tid;
    if (i >= stations) return;
    for (int k = KEEP - lag; k < KEEP; k++) past[k][tid] = 0.0f;
    float level = 0.0f, most = 0.0f;
    int at = 0;
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        const float x = tremor[static_cast<size_t>(k) * stations + i];
        const int old = at < lag ? at - lag + KEEP : at - lag;
        level = fmaf(fade, level, x * past[old][tid]);
        most = fmaxf(most, level);
        past[at][tid] = x;
        at = at + 1 == KEEP ? 0 : at + 1;
    }
    beat[i] = most;
}
extern "C" __global__ void __launch_bounds__(STATION_BLOCK) geyser_tremor(
    const float *__restrict__ tremor, float *__restrict__ beat, float fade, int lag, int steps, int stations)
{
    beats<96>(tremor, beat, fade, lag, steps, stations);
}
extern "C" __global__ void __launch_bounds__(STATION_BLOCK) geyser_tremor_b(
    const float *__restrict__ tremor, float *__restrict__ beat, float fade, int lag, int steps, int stations)
{
    beats<16>(tremor, beat, fade, lag, steps, stations);
}

// How many later fingerprints are like each one: codes of 128 bits that differ in few. Four fingerprints a warp; prints
// is a multiple of four.
__device__ __forceinline__ void count_like(
    const uint4 *__restrict__ code, int *__restrict__ like, int first, int limit, int prints)
{
    const int lane = threadIdx.x % 32;
    if (first >= prints) return;
    uint4 mine[4];
    int found[4] = {};
#pragma unroll
    for (int r = 0; r < 4; r++) mine[r] = code[first + r];
    for (int j = first + lane; j < prints; j += 32) {
        const uint4 c = code[j];
#pragma unroll
        for (int r = 0; r < 4; r++) {
            const int apart = __popc(c.x ^ mine[r].x) + __popc(c.y ^ mine[r].y) + __popc(c.z ^ mine[r].z) +
                              __popc(c.w ^ mine[r].w);
            if (j > first + r && apart <= limit) found[r]++;
        }
    }
#pragma unroll
    for (int r = 0; r < 4; r++) {
        const int all = __reduce_add_sync(~0u, found[r]);
        if (lane == 0) like[first + r] = all;
    }
}
extern "C" __global__ void __launch_bounds__(1024) finger_matches(
    const uint4 *__restrict__ code, int *__restrict__ like, int limit, int prints)
{
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    count_like(code, like, 4 * (blockIdx.x * warps + warp), limit, prints);
}
extern "C" __global__ void __launch_bounds__(1024) finger_matches_b(
    const uint4 *__restrict__ code, int *__restrict__ like, int limit, int prints)
{
    const int warp = threadIdx.x / 32;
    count_like(code, like, 4 * (warp * gridDim.x + blockIdx.x), limit, prints);
}

// Change that vending machines give: how many of each of eight coins, the largest first.
constexpr int COINS = 8;
__constant__ unsigned coin_value[COINS], coin_share[COINS];
template <class F>
__device__ __forceinline__ void give(const unsigned *__restrict__ due, uint2 *__restrict__ given, int n, F whole)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned left = due[i], coins[2] = {};
#pragma unroll
    for (int k = 0; k < COINS; k++) {
        const unsigned many = whole(left, k);
        left -= many * coin_value[k];
        coins[k / 4] |= many << 8 * (k % 4);
    }
    given[i] = make_uint2(coins[0], coins[1]);
}
extern "C" __global__ void __launch_bounds__(256) coin_change(
    const unsigned *__restrict__ due, uint2 *__restrict__ given, int n)
{
    give(due, given, n, [](unsigned left, int k) { return left / coin_value[k]; });
}
// coin_share: 2 to the power of 32 over the value of a coin, rounded up; exact as left and values are less than 65536.
extern "C" __global__ void __launch_bounds__(256) coin_change_b(
    const unsigned *__restrict__ due, uint2 *__restrict__ given, int n)
{
    give(due, given, n, [](unsigned left, int k) { return __umulhi(left, coin_share[k]); });
}

// Highest level of each reservoir, as bits, and for how many readings its dam was overtopped. A row of blocks a dam;
// the share of a block is a multiple of 4096.
extern "C" __global__ void __launch_bounds__(1024) dam_levels(
    const float4 *__restrict__ level, unsigned *__restrict__ highest, int *__restrict__ over, float crest, int quads)
{
    const int share = quads / gridDim.x, dam = blockIdx.y;
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
    const unsigned top = __reduce_max_sync(~0u, __float_as_uint(most));
    const int all = __reduce_add_sync(~0u, count);
    if (threadIdx.x % 32 == 0) {
        atomicMax(&highest[dam], top);
        atomicAdd(&over[dam], all);
    }
}

// Temperature that thermostats show: a polynomial of what the thermistor senses, less what it is warmed by itself.
constexpr int TERMS = 16;
__constant__ float thermistor[TERMS];
template <class F>
__device__ __forceinline__ void follow(
    const float *__restrict__ room, const float *__restrict__ gain, float *__restrict__ shown,
    float *__restrict__ mean, float lag, int steps, int n, F polynomial)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float g = gain[i];
    float y = 0.0f, sum = 0.0f;
#pragma unroll 4
    for (int k = 0; k < steps; k++) {
        y = polynomial(fmaf(-lag, y, g * room[k]));
        sum += y;
    }
    shown[i] = y;
    mean[i] = sum / steps;
}
extern "C" __global__ void __launch_bounds__(128) thermistor_lags(
    const float *__restrict__ room, const float *__restrict__ gain, float *__restrict__ shown,
    float *__restrict__ mean, float lag, int steps, int n)
{
    follow(room, gain, shown, mean, lag, steps, n, [](float x) {
        float y = thermistor[TERMS - 1];
#pragma unroll
        for (int j = TERMS - 2; j >= 0; j--) y = fmaf(y, x, thermistor[j]);
        return y;
    });
}
// Neighbouring terms are joined first, so that most products wait for few others.
extern "C" __global__ void __launch_bounds__(128) thermistor_lags_b(
    const float *__restrict__ room, const float *__restrict__ gain, float *__restrict__ shown,
    float *__restrict__ mean, float lag, int steps, int n)
{
    follow(room, gain, shown, mean, lag, steps, n, [](float x) {
        const float x2 = x * x, x4 = x2 * x2, x8 = x4 * x4;
        float pair[8], four[4];
#pragma unroll
        for (int j = 0; j < 8; j++) pair[j] = fmaf(thermistor[2 * j + 1], x, thermistor[2 * j]);
#pragma unroll
        for (int j = 0; j < 4; j++) four[j] = fmaf(pair[2 * j + 1], x2, pair[2 * j]);
        return fmaf(fmaf(four[3], x4, four[2]), x8, fmaf(four[1], x4, four[0]));
    });
}

// Warmth of candles as they cool on a belt, each tile of 32 by 32 points smoothed to and fro along rows and columns.
constexpr int TILE = 32, TILES = 4;
__device__ __forceinline__ void sweep(float *first, int step, float keep)
{
    float v = first[0];
#pragma unroll 8
    for (int k = 1; k < TILE; k++) {
        v = fmaf(keep, v - first[k * step], first[k * step]);
        first[k * step] = v;
    }
#pragma unroll 8
    for (int k = TILE - 2; k >= 0; k--) {
        v = fmaf(keep, v - first[k * step], first[k * step]);
        first[k * step] = v;
    }
}
template <int PITCH>
__device__ __forceinline__ void cool(const float *__restrict__ warm, float *__restrict__ cold, float keep, int width)
{
    __shared__ float tiles[TILES][TILE * PITCH];
    const int lane = threadIdx.x % 32;
    float *tile = tiles[threadIdx.x / 32];
    const int column = (blockIdx.x * TILES + threadIdx.x / 32) * TILE + lane, row = blockIdx.y * TILE;
#pragma unroll 8
    for (int k = 0; k < TILE; k++) tile[k * PITCH + lane] = warm[(row + k) * width + column];
    __syncwarp();
    sweep(tile + lane * PITCH, 1, keep);
    __syncwarp();
    sweep(tile + lane, PITCH, keep);
    __syncwarp();
#pragma unroll 8
    for (int k = 0; k < TILE; k++) cold[(row + k) * width + column] = tile[k * PITCH + lane];
}
extern "C" __global__ void __launch_bounds__(TILES * 32) wax_cooling(
    const float *__restrict__ warm, float *__restrict__ cold, float keep, int width)
{
    cool<TILE>(warm, cold, keep, width);
}
extern "C" __global__ void __launch_bounds__(TILES * 32) wax_cooling_b(
    const float *__restrict__ warm, float *__restrict__ cold, float keep, int width)
{
    cool<TILE + 1>(warm, cold, keep, width);
}

// Grade of each point of a leather hide: how far its grey is from that of good grain, and whether it shines.
__device__ __forceinline__ unsigned hide_grade(unsigned grey, unsigned good, unsigned gain, unsigned shine)
{
    const unsigned far = grey > good ? grey - good : good - grey;
    return min(far * gain >> 4, 15u) | (grey > shine ? 16u : 0u);
}
extern "C" __global__ void __launch_bounds__(256) hide_grades(
    const unsigned char *__restrict__ hide, unsigned char *__restrict__ grade, unsigned good, unsigned gain,
    unsigned shine, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        grade[i] = static_cast<unsigned char>(hide_grade(hide[i], good, gain, shine));
}
// 16 points at a time; n is a multiple of 16.
extern "C" __global__ void __launch_bounds__(256) hide_grades_b(
    const uint4 *__restrict__ hide, uint4 *__restrict__ grade, unsigned good, unsigned gain, unsigned shine, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 16; i += gridDim.x * blockDim.x) {
        const uint4 h = hide[i];
        unsigned word[4] = {h.x, h.y, h.z, h.w};
#pragma unroll
        for (int w = 0; w < 4; w++) {
            unsigned all = 0;
#pragma unroll
            for (int b = 0; b < 32; b += 8) all |= hide_grade(word[w] >> b & 255, good, gain, shine) << b;
            word[w] = all;
        }
        grade[i] = make_uint4(word[0], word[1], word[2], word[3]);
    }
}

// Colour of recipes: how much light is taken by their dyes at each wavelength.
extern "C" __global__ void __launch_bounds__(256) dye_mixes(
    const float *__restrict__ recipe, const float *__restrict__ spectrum, float *__restrict__ colour, int dyes,
    int waves)
{
    const int wave = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < dyes; k++) sum = fmaf(recipe[row * dyes + k], spectrum[k * waves + wave], sum);
    colour[row * waves + wave] = sum;
}
// Tiles of 64 by 64 in a block of 256 threads, four by four a thread; 16 dyes at a time in shared memory.
constexpr int SIDE = 64, DYES = 16;
extern "C" __global__ void __launch_bounds__(256) dye_mixes_b(
    const float *__restrict__ recipe, const float *__restrict__ spectrum, float *__restrict__ colour, int dyes,
    int waves)
{
    __shared__ __align__(16) float part[DYES][SIDE + 4];
    __shared__ __align__(16) float light[DYES][SIDE];
    const int tid = threadIdx.x, x = tid % 16 * 4, y = tid / 16 * 4;
    const int wave = blockIdx.x * SIDE, row = blockIdx.y * SIDE;
    float sum[4][4] = {};
    for (int k = 0; k < dyes; k += DYES) {
        const int r = tid / 4, q = tid % 4 * 4, d = tid / 16;
        const float4 a = *reinterpret_cast<const float4 *>(recipe + (row + r) * dyes + k + q);
        const float4 b = *reinterpret_cast<const float4 *>(spectrum + (k + d) * waves + wave + x);
        __syncthreads();
        part[q][r] = a.x;
        part[q + 1][r] = a.y;
        part[q + 2][r] = a.z;
        part[q + 3][r] = a.w;
        *reinterpret_cast<float4 *>(&light[d][x]) = b;
        __syncthreads();
#pragma unroll
        for (int j = 0; j < DYES; j++) {
            const float4 u = *reinterpret_cast<const float4 *>(&part[j][y]);
            const float4 v = *reinterpret_cast<const float4 *>(&light[j][x]);
            const float us[4] = {u.x, u.y, u.z, u.w}, vs[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int s = 0; s < 4; s++)
#pragma unroll
                for (int w = 0; w < 4; w++) sum[s][w] = fmaf(us[s], vs[w], sum[s][w]);
        }
    }
#pragma unroll
    for (int s = 0; s < 4; s++)
        *reinterpret_cast<float4 *>(colour + (row + y + s) * waves + wave + x) =
            make_float4(sum[s][0], sum[s][1], sum[s][2], sum[s][3]);
}

// Smoke over a town: the plume of each chimney widens as a power of the distance down the wind. stack: place, height
// and what is let out.
template <class F>
__device__ __forceinline__ void plumes(
    const float2 *__restrict__ place, const float4 *__restrict__ stack, float *__restrict__ smoke, int stacks, int n,
    F power)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 p = place[i];
    float sum = 0.0f;
#pragma unroll 2
    for (int k = 0; k < stacks; k++) {
        const float4 c = stack[k];
        const float along = p.x - c.x, across = p.y - c.y, far = fmaxf(along, 1.0f);
        const float wide = 0.22f * power(far, 0.894f), deep = 0.2f * power(far, 0.725f);
        const float u = __fdividef(across, wide), v = __fdividef(c.z, deep);
        const float dense = __fdividef(c.w * __expf(-0.5f * (u * u + v * v)), wide * deep);
        sum += along > 0.0f ? dense : 0.0f;
    }
    smoke[i] = sum;
}
extern "C" __global__ void __launch_bounds__(256) chimney_plumes(
    const float2 *__restrict__ place, const float4 *__restrict__ stack, float *__restrict__ smoke, int stacks, int n)
{
    plumes(place, stack, smoke, stacks, n, [](float x, float p) { return powf(x, p); });
}
extern "C" __global__ void __launch_bounds__(256) chimney_plumes_b(
    const float2 *__restrict__ place, const float4 *__restrict__ stack, float *__restrict__ smoke, int stacks, int n)
{
    plumes(place, stack, smoke, stacks, n, [](float x, float p) { return __powf(x, p); });
}

// Power of the strokes of swimmers: samples of each swim, one swim after the other, scaled by what the swimmer weighs.
// A row of blocks a swim.
extern "C" __global__ void __launch_bounds__(128) swim_strokes(
    const float *__restrict__ pull, const int *__restrict__ start, const float *__restrict__ weight,
    float *__restrict__ power)
{
    const int swim = blockIdx.x, first = start[swim], length = start[swim + 1] - first;
    for (int k = blockIdx.y * blockDim.x + threadIdx.x; k < length; k += gridDim.y * blockDim.x) {
        const float p = pull[first + k];
        power[first + k] = weight[swim] * p * fabsf(p);
    }
}

// Brine of salt pans as it dries: water goes by the hour's sun, the less the saltier, and salt falls out of the brine.
extern "C" __global__ void __launch_bounds__(256) pan_salts(
    float *water, float *salt, const float *sun, int hours, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int h = 0; h < hours; h++) {
        const float dried = sun[h] * water[i];
        water[i] -= dried;
        salt[i] += dried * (0.3f - 0.2f * salt[i]);
    }
}
extern "C" __global__ void __launch_bounds__(256) pan_salts_b(
    float *water, float *salt, const float *sun, int hours, int n)
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
