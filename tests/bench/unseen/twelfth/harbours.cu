// Machines, plants, music, races, pictures and codes: turbines, forests, batteries, watermarks, leaves, melodies, mosaics.

// Crest factor (peak over root mean square) and changes of sign of windows of 128 samples of a turbine's vibration.
constexpr int WINDOW = 128;
extern "C" __global__ void turbine_crests(const float *__restrict__ sample, float *__restrict__ crest, int windows)
{
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= windows) return;
    const float *x = sample + (size_t)w * WINDOW;
    float peak = 0.0f, power = 0.0f, before = x[0];
    int turns = 0;
    for (int s = 0; s < WINDOW; s++) {
        float v = x[s];
        peak = fmaxf(peak, fabsf(v));
        power += v * v;
        turns += (v < 0.0f) != (before < 0.0f);
        before = v;
    }
    crest[w] = peak * rsqrtf(power / WINDOW);
    crest[windows + w] = turns;
}
extern "C" __global__ void turbine_crests_b(const float *__restrict__ sample, float *__restrict__ crest, int windows)
{
    const int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (w >= windows) return;
    const float4 v = reinterpret_cast<const float4 *>(sample)[(size_t)w * (WINDOW / 4) + lane];
    float peak = fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w)));
    float power = v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    float before = __shfl_up_sync(~0u, v.w, 1);
    if (lane == 0) before = v.x;
    int turns = ((v.x < 0.0f) != (before < 0.0f)) + ((v.y < 0.0f) != (v.x < 0.0f)) + ((v.z < 0.0f) != (v.y < 0.0f)) +
                ((v.w < 0.0f) != (v.z < 0.0f));
    for (int d = 16; d > 0; d /= 2) {
        peak = fmaxf(peak, __shfl_xor_sync(~0u, peak, d));
        power += __shfl_xor_sync(~0u, power, d);
    }
    turns = __reduce_add_sync(~0u, turns);
    if (lane == 0) {
        crest[w] = peak * rsqrtf(power / WINDOW);
        crest[windows + w] = turns;
    }
}

// Diameters of trees after some years: each species has its own law of growth. climate: warmth and rain of each year.
enum Species { PINE, OAK, BIRCH, SPRUCE };
__device__ float grow_pine(float d, float site, const float2 *climate, int years)
{
    for (int y = 0; y < years; y++) {
        const float2 c = climate[y];
        d += 0.05f * site * d * (4.5f - __logf(d)) * fminf(1.0f, 0.4f + c.y) * (0.8f + 0.4f * c.x);
    }
    return d;
}
__device__ float grow_oak(float d, float site, const float2 *climate, int years)
{
    float store = 0.5f;
    for (int y = 0; y < years; y++) {
        const float2 c = climate[y];
        store = 0.7f * store + 0.3f * c.x * c.y;
        d += 0.06f * site * store * d * (1.0f - d * (1.0f / 140.0f));
    }
    return d;
}
__device__ float grow_birch(float d, float site, const float2 *climate, int years)
{
    for (int y = 0; y < years; y++) {
        const float2 c = climate[y];
        const float root = d * rsqrtf(d);
        d += site * root * (0.3f + 0.2f * c.x) - 0.0009f * d * d * (1.2f - 0.3f * c.y);
    }
    return d;
}
__device__ float grow_spruce(float d, float site, const float2 *climate, int years)
{
    for (int y = 0; y < years; y++) {
        const float2 c = climate[y];
        const float off = c.x - 0.4f, dry = fmaxf(0.0f, 0.5f - c.y);
        d += site * (1.4f * __expf(-3.0f * off * off) - 0.8f * dry) * __expf(-0.02f * d);
    }
    return d;
}
__device__ float grown(int species, float d, float site, const float2 *climate, int years)
{
    switch (species) {
    case PINE: return grow_pine(d, site, climate, years);
    case OAK: return grow_oak(d, site, climate, years);
    case BIRCH: return grow_birch(d, site, climate, years);
    default: return grow_spruce(d, site, climate, years);
    }
}
extern "C" __global__ void grow_stands(
    const unsigned char *__restrict__ species, const float *__restrict__ site, const float2 *__restrict__ climate,
    const float *__restrict__ young, float *__restrict__ old, int years, int trees)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= trees) return;
    old[i] = grown(species[i], young[i], site[i], climate, years);
}
// order: the trees sorted by species
extern "C" __global__ void grow_stands_b(
    const int *__restrict__ order, const unsigned char *__restrict__ species, const float *__restrict__ site,
    const float2 *__restrict__ climate, const float *__restrict__ young, float *__restrict__ old, int years, int trees)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= trees) return;
    const int i = order[k];
    old[i] = grown(species[i], young[i], site[i], climate, years);
}

// Lowest and mean voltage of battery cells under a profile of current. cell: capacity, resistances, charge; planes.
struct Battery {
    float charge, rise, inner, outer, lag;
    __device__ Battery(const float *cell, int i, int n)
        : charge(cell[i]), rise(cell[n + i]), inner(cell[2 * n + i]), outer(cell[3 * n + i]), lag(0.0f)
    {
    }
    __device__ float step(float current)
    {
        charge -= rise * current;
        lag += 0.2f * (outer * current - lag);
        return 3.0f + charge * (1.6f + charge * (0.6f * charge - 1.1f)) - inner * current - lag;
    }
};
extern "C" __global__ void battery_sag(
    const float *__restrict__ cell, const float *__restrict__ current, float *trace, float *__restrict__ sag, int steps,
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Battery battery(cell, i, n);
    for (int s = 0; s < steps; s++) trace[(size_t)s * n + i] = battery.step(current[s]);
    float low = trace[i], sum = 0.0f;
    for (int s = 0; s < steps; s++) {
        const float v = trace[(size_t)s * n + i];
        low = fminf(low, v);
        sum += v;
    }
    sag[i] = low;
    sag[n + i] = sum / steps;
}
extern "C" __global__ void battery_sag_b(
    const float *__restrict__ cell, const float *__restrict__ current, float *__restrict__ sag, int steps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Battery battery(cell, i, n);
    float low = 1e30f, sum = 0.0f;
    for (int s = 0; s < steps; s++) {
        const float v = battery.step(current[s]);
        low = fminf(low, v);
        sum += v;
    }
    sag[i] = low;
    sag[n + i] = sum / steps;
}

// Correlation of each tile of 32 by 32 pixels of a picture with each of 16 watermarks; a warp a tile, a lane a column.
constexpr int MARK = 32, MARKS = 16;
__device__ float warp_sum(float v)
{
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
    return v;
}
extern "C" __global__ void watermark_scores(
    const float *__restrict__ picture, const float *__restrict__ mark, float *__restrict__ score, int width, int tiles)
{
    const int tile = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (tile >= tiles) return;
    const int across = width / MARK;
    const float *pixel = picture + (size_t)(tile / across) * MARK * width + tile % across * MARK + lane;
    const float *m = mark + blockIdx.y * MARK * MARK + lane;
    float sum = 0.0f;
#pragma unroll 16
    for (int row = 0; row < MARK; row++) sum += pixel[(size_t)row * width] * m[row * MARK];
    sum = warp_sum(sum);
    if (lane == 0) score[(size_t)blockIdx.y * tiles + tile] = sum;
}
extern "C" __global__ void __launch_bounds__(256) watermark_scores_b(
    const float *__restrict__ picture, const float *__restrict__ mark, float *__restrict__ score, int width, int tiles)
{
    const int tile = 2 * (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32), lane = threadIdx.x % 32;
    if (tile >= tiles) return;
    const int across = width / MARK;
    const float *pixel = picture + (size_t)(tile / across) * MARK * width + tile % across * MARK + lane;
    float left[MARK], right[MARK];
#pragma unroll
    for (int row = 0; row < MARK; row++) {
        left[row] = pixel[(size_t)row * width];
        right[row] = pixel[(size_t)row * width + MARK];
    }
#pragma unroll 1
    for (int k = 0; k < MARKS; k++) {
        const float *m = mark + k * MARK * MARK + lane;
        float a = 0.0f, b = 0.0f;
#pragma unroll
        for (int row = 0; row < MARK; row++) {
            const float v = m[row * MARK];
            a += left[row] * v;
            b += right[row] * v;
        }
        a = warp_sum(a);
        b = warp_sum(b);
        if (lane < 2) score[(size_t)k * tiles + tile + lane] = lane ? b : a;
    }
}

// Radiance from the raw counts of a hyperspectral line camera, whose bands are shifted by some columns each.
extern "C" __global__ void calibrate_bands(
    const unsigned short *__restrict__ raw, const float *__restrict__ dark, const float *__restrict__ gain,
    const int *__restrict__ shift, const float *__restrict__ exposure, float *__restrict__ radiance, int columns, int bands,
    int lines)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= (size_t)columns * bands * lines) return;
    size_t column = i % columns;
    size_t band = i / columns % bands;
    size_t line = i / columns / bands;
    size_t from = (column + shift[band]) % columns;
    float counts = raw[(line * bands + band) * columns + from] - dark[band * columns + from];
    radiance[i] = counts * gain[band * columns + from] * exposure[line];
}
extern "C" __global__ void calibrate_bands_b(
    const unsigned short *__restrict__ raw, const float *__restrict__ dark, const float *__restrict__ gain,
    const int *__restrict__ shift, const float *__restrict__ exposure, float *__restrict__ radiance, int columns, int bands,
    int lines)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x, band = blockIdx.y;
    if (column >= columns) return;
    int from = column + shift[band];
    if (from >= columns) from -= columns;
    const float black = dark[band * columns + from], scale = gain[band * columns + from];
#pragma unroll 8
    for (int line = blockIdx.z; line < lines; line += gridDim.z) {
        const int row = (line * bands + band) * columns;
        radiance[row + column] = (raw[row + from] - black) * scale * exposure[line];
    }
}

// Genetic search on islands of 1024 genomes of 32 bits: a wheel of fortune of the squares of fitness picks the parents.
constexpr int ISLAND = 1024;
__device__ unsigned stir(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352dU;
    x ^= x >> 15;
    x *= 0x846ca68bU;
    return x ^ x >> 16;
}
// the first place whose sum is above the ball's
__device__ int pocket(const int *wheel, int ball)
{
    int low = 0;
#pragma unroll
    for (int half = ISLAND / 2; half > 0; half /= 2)
        if (wheel[low + half - 1] <= ball) low += half;
    return low;
}
__device__ unsigned child(const int *wheel, const unsigned *genome, unsigned seed)
{
    const int total = wheel[ISLAND - 1];
    const unsigned a = stir(seed), b = stir(a + 1), mix = stir(b + 2), flip = stir(mix + 3);
    const unsigned mother = genome[pocket(wheel, __umulhi(a, total))], father = genome[pocket(wheel, __umulhi(b, total))];
    const unsigned mutation = flip < 0x40000000U ? 1U << (flip & 31) : 0U;
    return ((mother & mix) | (father & ~mix)) ^ mutation;
}
__device__ int worth(unsigned genome, unsigned target)
{
    const int alike = 32 - __popc(genome ^ target);
    return alike * alike;
}
extern "C" __global__ void __launch_bounds__(ISLAND)
    breed_islands(const unsigned *start, const unsigned *target, unsigned *end, int generations)
{
    __shared__ unsigned genome[ISLAND];
    __shared__ int weight[ISLAND], wheel[ISLAND];
    const int tid = threadIdx.x, i = blockIdx.x * ISLAND + tid;
    const unsigned goal = target[blockIdx.x];
    unsigned mine = start[i];
    for (int g = 0; g < generations; g++) {
        genome[tid] = mine;
        weight[tid] = worth(mine, goal);
        __syncthreads();
        if (tid == 0) {
            int sum = 0;
            for (int k = 0; k < ISLAND; k++) {
                sum += weight[k];
                wheel[k] = sum;
            }
        }
        __syncthreads();
        mine = child(wheel, genome, i * 4096U + g);
        __syncthreads();
    }
    end[i] = mine;
}
extern "C" __global__ void __launch_bounds__(ISLAND)
    breed_islands_b(const unsigned *start, const unsigned *target, unsigned *end, int generations)
{
    __shared__ unsigned genome[ISLAND];
    __shared__ int wheel[ISLAND], part[32];
    const int tid = threadIdx.x, i = blockIdx.x * ISLAND + tid, lane = tid % 32;
    const unsigned goal = target[blockIdx.x];
    unsigned mine = start[i];
    for (int g = 0; g < generations; g++) {
        genome[tid] = mine;
        int sum = worth(mine, goal);
        for (int d = 1; d < 32; d *= 2) {
            const int below = __shfl_up_sync(~0u, sum, d);
            if (lane >= d) sum += below;
        }
        if (lane == 31) part[tid / 32] = sum;
        __syncthreads();
        const int before = __reduce_add_sync(~0u, lane < tid / 32 ? part[lane] : 0);
        wheel[tid] = before + sum;
        __syncthreads();
        mine = child(wheel, genome, i * 4096U + g);
        __syncthreads();
    }
    end[i] = mine;
}

// Net uptake of carbon of leaves (Farquhar's model). leaf: of six rates the value at 25 degrees, its factor for ten
// degrees, and the factor's logarithm to base 2.
extern "C" __global__ void stomata_uptake(
    const float *__restrict__ leaf, const float *__restrict__ warmth, const float *__restrict__ light,
    const float *__restrict__ carbon, float *__restrict__ uptake, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float t = (warmth[i] - 25.0f) / 10.0f, ci = carbon[i];
    float vmax = leaf[0] * powf(leaf[6], t);
    float jmax = leaf[1] * powf(leaf[7], t);
    float kc = leaf[2] * powf(leaf[8], t);
    float ko = leaf[3] * powf(leaf[9], t);
    float point = leaf[4] * powf(leaf[10], t);
    float dark = leaf[5] * powf(leaf[11], t);
    float by_enzyme = vmax * (ci - point) / (ci + kc * (1.0f + 210.0f / ko));
    float caught = 0.385f * light[i], sum = caught + jmax;
    float flow = (sum - sqrtf(sum * sum - 2.8f * caught * jmax)) / 1.4f;
    float by_light = flow * (ci - point) / (4.0f * ci + 8.0f * point);
    uptake[i] = fminf(by_enzyme, by_light) - dark;
}
extern "C" __global__ void stomata_uptake_b(
    const float *__restrict__ leaf, const float *__restrict__ warmth, const float *__restrict__ light,
    const float *__restrict__ carbon, float *__restrict__ uptake, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float t = (warmth[i] - 25.0f) * 0.1f, ci = carbon[i];
    float vmax = leaf[0] * exp2f(leaf[12] * t);
    float jmax = leaf[1] * exp2f(leaf[13] * t);
    float kc = leaf[2] * exp2f(leaf[14] * t);
    float ko = leaf[3] * exp2f(leaf[15] * t);
    float point = leaf[4] * exp2f(leaf[16] * t);
    float dark = leaf[5] * exp2f(leaf[17] * t);
    float by_enzyme = __fdividef(vmax * (ci - point), ci + kc * (1.0f + __fdividef(210.0f, ko)));
    float caught = 0.385f * light[i], sum = caught + jmax, rest = sum * sum - 2.8f * caught * jmax;
    float flow = (sum - rest * rsqrtf(rest)) * (1.0f / 1.4f);
    float by_light = __fdividef(flow * (ci - point), 4.0f * ci + 8.0f * point);
    uptake[i] = fminf(by_enzyme, by_light) - dark;
}

// The key of each melody: which of 24 profiles (major and minor on 12 tones) its counts of tones fit best. note: MIDI
// numbers, four of a melody beside each other, the k-th fours of all melodies in a row.
__device__ int best_key(const float (&count)[12])
{
    constexpr float major[12] = {6.35f, 2.23f, 3.48f, 2.33f, 4.38f, 4.09f, 2.52f, 5.19f, 2.39f, 3.66f, 2.29f, 2.88f};
    constexpr float minor[12] = {6.33f, 2.68f, 3.52f, 5.38f, 2.60f, 3.53f, 2.54f, 4.75f, 3.98f, 2.69f, 3.34f, 3.17f};
    float best = -1.0f;
    int key = 0;
#pragma unroll
    for (int tonic = 0; tonic < 12; tonic++) {
        float up = 0.0f, down = 0.0f;
#pragma unroll
        for (int k = 0; k < 12; k++) {
            up += major[k] * count[(tonic + k) % 12];
            down += minor[k] * count[(tonic + k) % 12];
        }
        if (up > best) best = up, key = tonic;
        if (down > best) best = down, key = 12 + tonic;
    }
    return key;
}
extern "C" __global__ void melody_keys(const uchar4 *__restrict__ note, unsigned char *__restrict__ key, int fours, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float count[12] = {0};
    for (int k = 0; k < fours; k++) {
        const uchar4 four = note[(size_t)k * n + i];
        count[four.x % 12] += 1.0f;
        count[four.y % 12] += 1.0f;
        count[four.z % 12] += 1.0f;
        count[four.w % 12] += 1.0f;
    }
    key[i] = best_key(count);
}
// fours: a multiple of 4. Counters of 5 bits for 16 notes, which go to counters of 10 bits.
extern "C" __global__ void melody_keys_b(const uchar4 *__restrict__ note, unsigned char *__restrict__ key, int fours, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    constexpr unsigned long long every_other = 0x07c1f07c1f07c1fULL;  // five bits of each ten
    unsigned long long even = 0, odd = 0;
    for (int k = 0; k < fours; k += 4) {
        unsigned long long few = 0;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const uchar4 four = note[(size_t)(k + j) * n + i];
            few += 1ULL << (5 * (four.x % 12));
            few += 1ULL << (5 * (four.y % 12));
            few += 1ULL << (5 * (four.z % 12));
            few += 1ULL << (5 * (four.w % 12));
        }
        even += few & every_other;
        odd += few >> 5 & every_other;
    }
    float count[12];
#pragma unroll
    for (int k = 0; k < 12; k++) count[k] = (unsigned)((k % 2 ? odd : even) >> (k / 2 * 10)) & 1023U;
    key[i] = best_key(count);
}

// Products of polynomials modulo x^256 + 1 and 3329, as lattice cryptography has them; coefficients from -1664 to 1664.
constexpr int DEGREE = 256, MODULUS = 3329;
__device__ short centred(int v)
{
    v %= MODULUS;
    if (v > MODULUS / 2) v -= MODULUS;
    if (v < -MODULUS / 2) v += MODULUS;
    return v;
}
extern "C" __global__ void __launch_bounds__(DEGREE)
    ring_products(const short *__restrict__ left, const short *__restrict__ right, short *__restrict__ product)
{
    __shared__ int a[DEGREE], b[2 * DEGREE];
    const int k = threadIdx.x, i = blockIdx.x * DEGREE + k;
    a[k] = left[i];
    b[DEGREE + k] = right[i];
    b[k] = -right[i];  // x^256 is -1
    __syncthreads();
    int sum = 0;
    for (int j = 0; j < DEGREE; j++) sum += a[j] * b[DEGREE + k - j];
    product[i] = centred(sum);
}
// A warp a product, eight coefficients a lane; nine words for eight, so that the lanes have banks of their own.
extern "C" __global__ void __launch_bounds__(256)
    ring_products_b(const short *__restrict__ left, const short *__restrict__ right, short *__restrict__ product)
{
    __shared__ __align__(16) int a[8][DEGREE];
    __shared__ int b[8][2 * DEGREE / 8 * 9];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, first = (blockIdx.x * 8 + warp) * DEGREE;
#pragma unroll
    for (int k = lane; k < DEGREE; k += 32) {
        const int v = right[first + k];
        a[warp][k] = left[first + k];
        b[warp][k / 8 * 9 + k % 8] = -v;
        b[warp][(DEGREE + k) / 8 * 9 + k % 8] = v;
    }
    __syncwarp();
    int sum[8] = {0}, high[8], low[8];
    const int *at = b[warp] + (DEGREE / 8 + lane) * 9;
#pragma unroll
    for (int u = 0; u < 8; u++) high[u] = at[u];
#pragma unroll 2
    for (int m = 0; m < DEGREE / 8; m++) {
        at -= 9;
        int w[8];
#pragma unroll
        for (int u = 0; u < 8; u += 4) {
            const int4 four = *reinterpret_cast<const int4 *>(&a[warp][8 * m + u]);
            w[u] = four.x, w[u + 1] = four.y, w[u + 2] = four.z, w[u + 3] = four.w;
        }
#pragma unroll
        for (int u = 0; u < 8; u++) low[u] = at[u];
#pragma unroll
        for (int j = 0; j < 8; j++)
#pragma unroll
            for (int u = 0; u < 8; u++) sum[j] += w[u] * (j >= u ? high[(j - u) & 7] : low[(8 + j - u) & 7]);
#pragma unroll
        for (int u = 0; u < 8; u++) high[u] = low[u];
    }
#pragma unroll
    for (int j = 0; j < 8; j++) product[first + 8 * lane + j] = centred(sum[j]);
}

// Integral images of tiles of 32 by 32 pixels, for the detection of faces; a warp a tile.
template <int PITCH>
__device__ __forceinline__ void integrate(const float *picture, float *integral, int width, float *tile)
{
    const int lane = threadIdx.x;
    const size_t corner = (size_t)blockIdx.y * 32 * width + (blockIdx.x * blockDim.y + threadIdx.y) * 32 + lane;
#pragma unroll 16
    for (int row = 0; row < 32; row++) tile[row * PITCH + lane] = picture[corner + (size_t)row * width];
    __syncwarp();
    float sum = 0.0f;
#pragma unroll 8
    for (int column = 0; column < 32; column++) {  // a lane a row
        sum += tile[lane * PITCH + column];
        tile[lane * PITCH + column] = sum;
    }
    __syncwarp();
    sum = 0.0f;
#pragma unroll 8
    for (int row = 0; row < 32; row++) {  // a lane a column
        sum += tile[row * PITCH + lane];
        integral[corner + (size_t)row * width] = sum;
    }
}
extern "C" __global__ void __launch_bounds__(128)
    integral_tiles(const float *__restrict__ picture, float *__restrict__ integral, int width)
{
    __shared__ float tile[4][32 * 32];
    integrate<32>(picture, integral, width, tile[threadIdx.y]);
}
extern "C" __global__ void __launch_bounds__(128)
    integral_tiles_b(const float *__restrict__ picture, float *__restrict__ integral, int width)
{
    __shared__ float tile[4][32 * 33];
    integrate<33>(picture, integral, width, tile[threadIdx.y]);
}

// The fastest lap of each of 512 drivers; times are above 0, so their bits are in the order of their values.
constexpr int DRIVERS = 512;
extern "C" __global__ void fastest_laps(
    const unsigned short *__restrict__ driver, const float *__restrict__ lap, int *__restrict__ best, int laps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < laps) atomicMin(&best[driver[i]], __float_as_int(lap[i]));
}
extern "C" __global__ void __launch_bounds__(512) fastest_laps_b(
    const unsigned short *__restrict__ driver, const float *__restrict__ lap, int *__restrict__ best, int laps)
{
    __shared__ int mine[DRIVERS];
    for (int d = threadIdx.x; d < DRIVERS; d += blockDim.x) mine[d] = 0x7f800000;
    __syncthreads();
#pragma unroll 4
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < laps; i += gridDim.x * blockDim.x)
        atomicMin(&mine[driver[i]], __float_as_int(lap[i]));
    __syncthreads();
    for (int d = threadIdx.x; d < DRIVERS; d += blockDim.x) atomicMin(&best[d], mine[d]);
}

// Number and summed height of the peaks of each trace of a gas chromatograph: samples above a floor that are larger than
// two at either side. tile: samples that a block has in shared memory at a time.
__device__ __forceinline__ void find_peaks(const float *trace, float *peak, float floor, int samples, int tile)
{
    extern __shared__ float part[];
    __shared__ float counts[4], heights[4];
    const float *mine = trace + (size_t)blockIdx.x * samples;
    float count = 0.0f, height = 0.0f;
    for (int first = 0; first < samples; first += tile) {
        for (int k = threadIdx.x; k < tile + 4; k += blockDim.x) {
            const int s = first + k - 2;
            part[k] = s >= 0 && s < samples ? mine[s] : 0.0f;
        }
        __syncthreads();
        for (int k = threadIdx.x; k < tile; k += blockDim.x) {
            const float v = part[k + 2];
            const float near = fmaxf(fmaxf(part[k], part[k + 1]), fmaxf(part[k + 3], part[k + 4]));
            if (v > floor && v > near) {
                count += 1.0f;
                height += v;
            }
        }
        __syncthreads();
    }
    count = warp_sum(count);
    height = warp_sum(height);
    if (threadIdx.x % 32 == 0) {
        counts[threadIdx.x / 32] = count;
        heights[threadIdx.x / 32] = height;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        peak[2 * blockIdx.x] = counts[0] + counts[1] + counts[2] + counts[3];
        peak[2 * blockIdx.x + 1] = heights[0] + heights[1] + heights[2] + heights[3];
    }
}
extern "C" __global__ void __launch_bounds__(128)
    retention_peaks(const float *__restrict__ trace, float *__restrict__ peak, float floor, int samples)
{
    find_peaks(trace, peak, floor, samples, samples);
}
extern "C" __global__ void __launch_bounds__(128)
    retention_peaks_b(const float *__restrict__ trace, float *__restrict__ peak, float floor, int samples)
{
    find_peaks(trace, peak, floor, samples, 2048);
}

// Power and Teager's energy (of clicks) of the records of a few hydrophones.
extern "C" __global__ void __launch_bounds__(512)
    click_energy(const float *__restrict__ record, float *__restrict__ energy, int samples)
{
    __shared__ float powers[16], teagers[16];
    const float *x = record + (size_t)blockIdx.x * samples;
    float power = 0.0f, teager = 0.0f;
    const int first = 1 + blockIdx.y * blockDim.x + threadIdx.x, stride = gridDim.y * blockDim.x;
    const int turns = (samples - 2 - first + stride) / stride;
#pragma unroll 4
    for (int k = 0; k < turns; k++) {
        const int s = first + k * stride;
        const float v = x[s];
        power += v * v;
        teager += fabsf(v * v - x[s - 1] * x[s + 1]);
    }
    power = warp_sum(power);
    teager = warp_sum(teager);
    if (threadIdx.x % 32 == 0) {
        powers[threadIdx.x / 32] = power;
        teagers[threadIdx.x / 32] = teager;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        power = teager = 0.0f;
        for (int w = 0; w < 16; w++) {
            power += powers[w];
            teager += teagers[w];
        }
        atomicAdd(&energy[2 * blockIdx.x], power / samples);
        atomicAdd(&energy[2 * blockIdx.x + 1], teager / samples);
    }
}

// For each cell of 16 by 16 grey pixels (-128 to 127) of a picture the most alike of 256 small pictures. tiles: the k-th words of all
// 256 in a row. A block a cell, a thread a small picture; best: distance and number.
constexpr int WORDS = 64, TILES = 256;
__device__ void choose(unsigned distance, unsigned *best, unsigned *least)
{
    const unsigned mine = __reduce_min_sync(~0u, distance << 8 | threadIdx.x);
    if (threadIdx.x % 32 == 0) atomicMin(least, mine);
    __syncthreads();
    if (threadIdx.x == 0) best[blockIdx.y * gridDim.x + blockIdx.x] = *least;
}
extern "C" __global__ void __launch_bounds__(TILES) mosaic_tiles(
    const char4 *__restrict__ picture, const char4 *__restrict__ tiles, unsigned *__restrict__ best, int width)
{
    __shared__ char4 cell[WORDS];
    __shared__ unsigned least;
    const int tid = threadIdx.x;
    if (tid == 0) least = ~0u;
    if (tid < WORDS) cell[tid] = picture[(blockIdx.y * 16 + tid / 4) * (width / 4) + blockIdx.x * 4 + tid % 4];
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < WORDS; k++) {
        const char4 p = cell[k], q = tiles[k * TILES + tid];
        const float dx = (float)p.x - (float)q.x, dy = (float)p.y - (float)q.y;
        const float dz = (float)p.z - (float)q.z, dw = (float)p.w - (float)q.w;
        sum += dx * dx + dy * dy + dz * dz + dw * dw;
    }
    choose((unsigned)sum, best, &least);
}
extern "C" __global__ void __launch_bounds__(TILES) mosaic_tiles_b(
    const int *__restrict__ picture, const int *__restrict__ tiles, unsigned *__restrict__ best, int width)
{
    __shared__ __align__(16) int cell[WORDS];
    __shared__ int own;
    __shared__ unsigned least;
    const int tid = threadIdx.x;
    if (tid == 0) least = ~0u, own = 0;
    __syncthreads();
    if (tid < WORDS) {
        const int p = picture[(blockIdx.y * 16 + tid / 4) * (width / 4) + blockIdx.x * 4 + tid % 4];
        cell[tid] = p;
        atomicAdd(&own, __dp4a(p, p, 0));
    }
    __syncthreads();
    int both = 0, theirs = 0;
#pragma unroll 16
    for (int k = 0; k < WORDS; k++) {
        const int q = tiles[k * TILES + tid];
        both = __dp4a(cell[k], q, both);
        theirs = __dp4a(q, q, theirs);
    }
    choose(own + theirs - 2 * both, best, &least);
}
