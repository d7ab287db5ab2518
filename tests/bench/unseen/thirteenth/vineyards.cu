// Vines and hulls, books and censuses, looms and feed, earthquakes and steam, tiles, glyphs, bills, the geoid, hands.

// Day on which the buds of a parcel of vines burst, and the frost they get after it. low, high: parcels by days.
struct Season {
    float base, frost;
    int days, parcels;
};
struct Buds {
    float heat, harm;
    int burst;
};
__device__ __forceinline__ void one_day(Buds &b, float lo, float hi, float need, int d, const Season &s)
{
    b.heat += fmaxf(0.5f * (lo + hi) - s.base, 0.0f);
    if (b.burst < 0 && b.heat >= need) b.burst = d;
    if (b.burst >= 0 && lo < s.frost) b.harm += s.frost - lo;
}
extern "C" __global__ void budburst_days(
    const float *__restrict__ low, const float *__restrict__ high, const float *__restrict__ need,
    float *__restrict__ day, float *__restrict__ harm, float base, float frost, int days, int parcels)
{
    const Season s = {base, frost, days, parcels};
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= parcels) return;
    Buds b = {0.0f, 0.0f, -1};
    const float wanted = need[p];
    for (int d = 0; d < days; d++) one_day(b, low[p * days + d], high[p * days + d], wanted, d, s);
    day[p] = b.burst;
    harm[p] = b.harm;
}
extern "C" __global__ void __launch_bounds__(128) budburst_days_b(
    const float *__restrict__ low, const float *__restrict__ high, const float *__restrict__ need,
    float *__restrict__ day, float *__restrict__ harm, float base, float frost, int days, int parcels)
{
    const Season s = {base, frost, days, parcels};
    __shared__ float tile[4][2][32][33];
    const int lane = threadIdx.x % 32, first = blockIdx.x * blockDim.x + threadIdx.x - lane, p = first + lane;
    auto &mine = tile[threadIdx.x / 32];
    if (first >= parcels) return;
    Buds b = {0.0f, 0.0f, -1};
    const float wanted = p < parcels ? need[p] : 0.0f;
    for (int start = 0; start < days; start += 32) {
        const int d = min(start + lane, days - 1);
#pragma unroll 16
        for (int r = 0; r < 32; r++) {
            const int at = min(first + r, parcels - 1) * days + d;
            mine[0][r][lane] = low[at];
            mine[1][r][lane] = high[at];
        }
        __syncwarp();
        const int stop = min(32, days - start);
        for (int k = 0; k < stop; k++) one_day(b, mine[0][lane][k], mine[1][lane][k], wanted, start + k, s);
        __syncwarp();
    }
    if (p >= parcels) return;
    day[p] = b.burst;
    harm[p] = b.harm;
}

// Hydrostatics of ships' hulls: volume, its moments and wetted area of the triangles below the water line. mesh: nine
// planes (x, y, z of three corners) of all hulls' triangles, `each` a hull; sums: five a hull.
__device__ __forceinline__ void wet_triangle(const float *__restrict__ mesh, int t, int n, float draft, float (&sum)[5])
{
    float p[3][3];
#pragma unroll
    for (int c = 0; c < 3; c++)
#pragma unroll
        for (int k = 0; k < 3; k++) p[c][k] = mesh[(3 * c + k) * n + t];
    const float mx = p[0][0] + p[1][0] + p[2][0], my = p[0][1] + p[1][1] + p[2][1], mz = p[0][2] + p[1][2] + p[2][2];
    if (mz >= 3.0f * draft) return;
    const float ux = p[1][0] - p[0][0], uy = p[1][1] - p[0][1], uz = p[1][2] - p[0][2];
    const float vx = p[2][0] - p[0][0], vy = p[2][1] - p[0][1], vz = p[2][2] - p[0][2];
    const float nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    const float volume = (p[0][0] * nx + p[0][1] * ny + (p[0][2] - draft) * nz) * (1.0f / 6.0f);
    sum[0] += volume;
    sum[1] += 0.25f * volume * mx;
    sum[2] += 0.25f * volume * my;
    sum[3] += 0.25f * volume * (mz + draft);
    sum[4] += 0.5f * sqrtf(nx * nx + ny * ny + nz * nz);
}
__device__ __forceinline__ void hull_parts(
    const float *__restrict__ mesh, const float *__restrict__ draft, float *sums, int hull, int first, int step, int each,
    int n)
{
    float sum[5] = {};
    const float line = draft[hull];
    for (int t = first; t < each; t += step) wet_triangle(mesh, hull * each + t, n, line, sum);
#pragma unroll
    for (int k = 0; k < 5; k++) {
        for (int d = 16; d > 0; d /= 2) sum[k] += __shfl_xor_sync(~0u, sum[k], d);
        if (threadIdx.x % 32 == 0) atomicAdd(&sums[5 * hull + k], sum[k]);
    }
}
extern "C" __global__ void hull_buoyancy(const float *mesh, const float *draft, float *sums, int each, int n)
{
    hull_parts(mesh, draft, sums, blockIdx.x, threadIdx.x, blockDim.x, each, n);
}
extern "C" __global__ void hull_buoyancy_b(const float *mesh, const float *draft, float *sums, int each, int n)
{
    const int first = blockIdx.x * blockDim.x + threadIdx.x;
    hull_parts(mesh, draft, sums, blockIdx.y, first, gridDim.x * blockDim.x, each, n);
}

// What a library's books were lent for: days in all, longest loan, late ones. log: loans in the order of time, each with
// the number of the same book's loan before it (-1: none) and its days; last: the latest loan of a book.
extern "C" __global__ void loan_histories(
    const int2 *__restrict__ log, const int *__restrict__ last, int *__restrict__ history, int limit, int books)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= books) return;
    int total = 0, longest = 0, late = 0;
    for (int k = last[b]; k >= 0;) {
        const int2 loan = log[k];
        total += loan.y;
        longest = max(longest, loan.y);
        late += loan.y > limit;
        k = loan.x;
    }
    history[b] = total;
    history[books + b] = longest;
    history[2 * books + b] = late;
}
// days: those of the loans, book after book; start: where each book's begin. A warp a book.
extern "C" __global__ void loan_histories_b(
    const int *__restrict__ days, const int *__restrict__ start, int *__restrict__ history, int limit, int books)
{
    const int b = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (b >= books) return;
    int total = 0, longest = 0, late = 0;
    const int stop = start[b + 1];
#pragma unroll 8
    for (int k = start[b] + lane; k < stop; k += 32) {
        const int d = days[k];
        total += d;
        longest = max(longest, d);
        late += d > limit;
    }
    total = __reduce_add_sync(~0u, total);
    longest = __reduce_max_sync(~0u, longest);
    late = __reduce_add_sync(~0u, late);
    if (lane == 0) history[b] = total, history[books + b] = longest, history[2 * books + b] = late;
}

// Where in a building a telephone is, by the strengths of its wireless networks: how far each reading is from what was
// measured at each place. seen: readings by access points; survey: access points by places.
extern "C" __global__ void wifi_places(
    const float *__restrict__ seen, const float *__restrict__ survey, float *__restrict__ unlike, float most, int points,
    int readings, int places)
{
    int place = blockIdx.x * blockDim.x + threadIdx.x;
    int reading = blockIdx.y;
    if (place >= places) return;
    float sum = 0.0f;
    for (int k = 0; k < points; k++)
        sum += fminf(fabsf(seen[reading * points + k] - survey[k * places + place]), most);
    unlike[reading * places + place] = sum;
}
constexpr int AT_ONCE = 16, POINTS = 256;
extern "C" __global__ void __launch_bounds__(256) wifi_places_b(
    const float *__restrict__ seen, const float *__restrict__ survey, float *__restrict__ unlike, float most, int points,
    int readings, int places)
{
    __shared__ __align__(16) float near[POINTS][AT_ONCE];
    const int place = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * AT_ONCE;
    for (int k = threadIdx.x; k < points * AT_ONCE; k += blockDim.x) {
        const int r = k / points, point = k - r * points;
        near[point][r] = first + r < readings ? seen[(first + r) * points + point] : 0.0f;
    }
    __syncthreads();
    if (place >= places) return;
    float sum[AT_ONCE] = {};
#pragma unroll 4
    for (int k = 0; k < points; k++) {
        const float there = survey[k * places + place];
#pragma unroll
        for (int r = 0; r < AT_ONCE; r++) sum[r] += fminf(fabsf(near[k][r] - there), most);
    }
#pragma unroll
    for (int r = 0; r < AT_ONCE; r++)
        if (first + r < readings) unlike[(first + r) * places + place] = sum[r];
}

// Volume and heat of water and steam in a power station, by formulas that differ between four regions. p, t: reduced
// pressure and inverse temperature; region: of each state, from the step before.
__constant__ float steam_terms[4][64];
// A polynomial in x and y, its derivative by x and by y.
template <int XS, int YS>
__device__ __forceinline__ float3 surface(const float *c, float x, float y)
{
    float f = 0.0f, fx = 0.0f, fy = 0.0f;
#pragma unroll
    for (int i = XS - 1; i >= 0; i--) {
        float row = 0.0f, slope = 0.0f;
#pragma unroll
        for (int j = YS - 1; j >= 0; j--) {
            slope = slope * y + row;
            row = row * y + c[i * YS + j];
        }
        fx = fx * x + f;
        f = f * x + row;
        fy = fy * x + slope;
    }
    return make_float3(f, fx, fy);
}
__device__ __forceinline__ float2 liquid(float p, float t)
{
    const float3 g = surface<8, 8>(steam_terms[0], 1.0f - p, t - 0.5f);
    return make_float2(-g.y * p, g.z * t);
}
__device__ __forceinline__ float2 vapour(float p, float t)
{
    const float3 g = surface<5, 12>(steam_terms[1], p, t - 0.25f);
    const float ideal = 1.0f + 0.25f * t + 0.125f * t * t;
    return make_float2(1.0f + p * g.y, ideal + t * g.z);
}
__device__ __forceinline__ float2 critical(float p, float t)
{
    float density = 0.5f + 0.5f * p;
    float3 f = surface<4, 4>(steam_terms[2], density, t);
#pragma unroll
    for (int k = 0; k < 6; k++) { // pressure as a function of density, solved by steps of Newton's kind
        density -= 0.5f * (density * (1.0f + density * f.y) - p);
        f = surface<4, 4>(steam_terms[2], density, t);
    }
    return make_float2(2.0f - density, t * f.z + density * f.y);
}
__device__ __forceinline__ float2 hot(float p, float t)
{
    const float3 g = surface<4, 16>(steam_terms[3], p * t, t - 0.75f), h = surface<8, 8>(steam_terms[3], p, 1.0f - t);
    return make_float2(1.0f + p * (g.y + 0.5f * h.y), 2.0f + t * (g.z - h.z));
}
__device__ __forceinline__ float2 properties(int region, float p, float t)
{
    switch (region) {
    case 0: return liquid(p, t);
    case 1: return vapour(p, t);
    case 2: return critical(p, t);
    default: return hot(p, t);
    }
}
extern "C" __global__ void __launch_bounds__(256) steam_states(
    const float *__restrict__ p, const float *__restrict__ t, const unsigned char *__restrict__ region,
    float *__restrict__ volume, float *__restrict__ heat, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 both = properties(region[i], p[i], t[i]);
    volume[i] = both.x;
    heat[i] = both.y;
}
// A block takes 1024 states and orders them by region in shared memory.
extern "C" __global__ void __launch_bounds__(256) steam_states_b(
    const float *__restrict__ p, const float *__restrict__ t, const unsigned char *__restrict__ region,
    float *__restrict__ volume, float *__restrict__ heat, int n)
{
    __shared__ float2 state[1024];
    __shared__ unsigned short order[1024];
    __shared__ int count[4];
    const int tid = threadIdx.x, lane = tid % 32, base = blockIdx.x * 1024, last = min(1024, n - base);
    if (tid < 4) count[tid] = 0;
    __syncthreads();
    int mine[4], found = 0; // found: of region `lane` in this warp
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const int at = tid + 256 * k;
        mine[k] = 4;
        if (at < last) {
            state[at] = make_float2(p[base + at], t[base + at]);
            mine[k] = region[base + at];
        }
#pragma unroll
        for (int q = 0; q < 4; q++) {
            const unsigned who = __ballot_sync(~0u, mine[k] == q);
            if (lane == q) found += __popc(who);
        }
    }
    int next = lane < 4 ? atomicAdd(&count[lane], found) : 0;
    __syncthreads();
    for (int q = 0; q < 3; q++)
        if (lane < 4 && q < lane) next += count[q];
#pragma unroll
    for (int k = 0; k < 4; k++)
#pragma unroll
        for (int q = 0; q < 4; q++) {
            const unsigned who = __ballot_sync(~0u, mine[k] == q);
            const int from = __shfl_sync(~0u, next, q);
            if (mine[k] == q) order[from + __popc(who & ((1u << lane) - 1u))] = tid + 256 * k + (q << 10);
            if (lane == q) next += __popc(who);
        }
    __syncthreads();
#pragma unroll 1
    for (int k = tid; k < last; k += 256) {
        const int one = order[k], at = one & 1023;
        state[at] = properties(one >> 10, state[at].x, state[at].y);
    }
    __syncthreads();
    for (int k = tid; k < last; k += 256) {
        volume[base + k] = state[k].x;
        heat[base + k] = state[k].y;
    }
}

// What each person of a census lacks to the poverty line, weighted by the size of the household; none for children, and
// half of it for those who work. line: ten times the line of a person alone.
template <typename T> __device__ __forceinline__ T lacking(T age, T status, T hours, T size, T income, T line)
{
    const T needed = line + line / 2 * (size - 1);
    T gap = needed - 10 * income;
    if (gap < 0 || age < 16 || status == 3) gap = 0;
    return hours >= 20 ? gap >> 1 : gap;
}
extern "C" __global__ void census_poverty(
    const long long *__restrict__ age, const long long *__restrict__ status, const long long *__restrict__ hours,
    const long long *__restrict__ size, const long long *__restrict__ income, long long *__restrict__ gap, long long line,
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    gap[i] = lacking(age[i], status[i], hours[i], size[i], income[i], line);
}
extern "C" __global__ void census_poverty_b(
    const uchar4 *__restrict__ age, const uchar4 *__restrict__ status, const uchar4 *__restrict__ hours,
    const uchar4 *__restrict__ size, const int4 *__restrict__ income, int4 *__restrict__ gap, int line, int fours)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= fours) return;
    const uchar4 a = age[i], s = status[i], h = hours[i], p = size[i];
    const int4 e = income[i];
    int4 g;
    g.x = lacking<int>(a.x, s.x, h.x, p.x, e.x, line);
    g.y = lacking<int>(a.y, s.y, h.y, p.y, e.y, line);
    g.z = lacking<int>(a.z, s.z, h.z, p.z, e.z, line);
    g.w = lacking<int>(a.w, s.w, h.w, p.w, e.w, line);
    gap[i] = g;
}

// A picture of a cloth from the draft of its weave: threading of the warp, treadling of the weft, tie-up of the treadles.
struct Loom {
    const unsigned char *threading, *treadling;
    const unsigned *tie_up, *warp_colour, *weft_colour;
};
__device__ __forceinline__ unsigned yarn(unsigned colour, bool edge)
{
    return edge ? colour >> 1 & 0x7f7f7fu : colour;
}
extern "C" __global__ void weave_drafts(
    const unsigned char *__restrict__ threading, const unsigned char *__restrict__ treadling,
    const unsigned *__restrict__ tie_up, const unsigned *__restrict__ warp_colour,
    const unsigned *__restrict__ weft_colour, unsigned *__restrict__ cloth, int thick, int high, int ends, int picks,
    int width, int height)
{
    const Loom l = {threading, treadling, tie_up, warp_colour, weft_colour};
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width * height) return;
    int x = i % width, y = i / width;
    int end = x / thick % ends, pick = y / high % picks;
    bool raised = l.tie_up[l.treadling[pick]] >> l.threading[end] & 1;
    cloth[i] = raised ? yarn(l.warp_colour[end], x % thick == 0) : yarn(l.weft_colour[pick], y % high == 0);
}
extern "C" __global__ void __launch_bounds__(256) weave_drafts_b(
    const unsigned char *__restrict__ threading, const unsigned char *__restrict__ treadling,
    const unsigned *__restrict__ tie_up, const unsigned *__restrict__ warp_colour,
    const unsigned *__restrict__ weft_colour, unsigned *__restrict__ cloth, int thick, int high, int ends, int picks,
    int width, int height)
{
    const Loom l = {threading, treadling, tie_up, warp_colour, weft_colour};
    __shared__ uint2 weft[64];
    const int x = blockIdx.x * blockDim.x + threadIdx.x, top = blockIdx.y * 64, rows = min(64, height - top);
    if (threadIdx.x < rows) {
        const int y = top + threadIdx.x, pick = y / high % picks;
        weft[threadIdx.x] = make_uint2(l.tie_up[l.treadling[pick]], yarn(l.weft_colour[pick], y % high == 0));
    }
    __syncthreads();
    if (x >= width) return;
    const int end = x / thick % ends, shaft = l.threading[end];
    const unsigned mine = yarn(l.warp_colour[end], x % thick == 0);
    unsigned *to = cloth + (long long)top * width + x;
#pragma unroll 8
    for (int r = 0; r < rows; r++) to[r * width] = weft[r].x >> shaft & 1 ? mine : weft[r].y;
}

// Rations of feed that are worth most within the limits of a farm, by the simplex method, a farm a block. tableau: 24
// limits and the objective, 40 feeds, 24 slacks and the right side.
constexpr int LIMITS = 24, FEEDS = 40, WIDE = FEEDS + LIMITS + 1, CELLS = (LIMITS + 1) * WIDE;
struct Simplex {
    float cell[CELLS], row[WIDE], column[LIMITS + 1];
    int leaving, entering;
};
__device__ __forceinline__ void turn_over(Simplex &s)
{
    const int tid = threadIdx.x, out = s.leaving, in = s.entering;
    if (tid <= LIMITS) s.column[tid] = s.cell[tid * WIDE + in];
    if (tid < WIDE) s.row[tid] = s.cell[out * WIDE + tid] / s.cell[out * WIDE + in];
    __syncthreads();
    for (int k = tid; k < CELLS; k += blockDim.x) {
        const int i = k / WIDE, j = k - i * WIDE;
        s.cell[k] = i == out ? s.row[j] : s.cell[k] - s.column[i] * s.row[j];
    }
    __syncthreads();
}
extern "C" __global__ void __launch_bounds__(256) feed_rations(const float *tableau, float *worth, int most)
{
    __shared__ Simplex s;
    const int tid = threadIdx.x;
    for (int k = tid; k < CELLS; k += blockDim.x) s.cell[k] = tableau[blockIdx.x * CELLS + k];
    __syncthreads();
    for (int turn = 0; turn < most; turn++) {
        if (tid == 0) {
            int in = -1, out = -1;
            float best = -1e-5f, least = 1e30f;
            for (int j = 0; j < WIDE - 1; j++) {
                const float cost = s.cell[LIMITS * WIDE + j];
                if (cost < best) best = cost, in = j;
            }
            if (in >= 0)
                for (int i = 0; i < LIMITS; i++) {
                    const float rate = s.cell[i * WIDE + in];
                    if (rate <= 1e-5f) continue;
                    const float ratio = s.cell[i * WIDE + WIDE - 1] / rate;
                    if (ratio < least) least = ratio, out = i;
                }
            s.entering = in;
            s.leaving = out;
        }
        __syncthreads();
        if (s.entering < 0 || s.leaving < 0) break;
        turn_over(s);
    }
    if (tid == 0) worth[blockIdx.x] = s.cell[CELLS - 1];
}
// The place of the smallest value of a warp, the first of equal ones.
__device__ __forceinline__ void smallest(float &value, int &place)
{
    for (int d = 16; d > 0; d /= 2) {
        const float other = __shfl_xor_sync(~0u, value, d);
        const int there = __shfl_xor_sync(~0u, place, d);
        if (other < value || (other == value && there < place)) value = other, place = there;
    }
}
extern "C" __global__ void __launch_bounds__(256) feed_rations_b(const float *tableau, float *worth, int most)
{
    __shared__ Simplex s;
    const int tid = threadIdx.x;
    for (int k = tid; k < CELLS; k += blockDim.x) s.cell[k] = tableau[blockIdx.x * CELLS + k];
    __syncthreads();
    for (int turn = 0; turn < most; turn++) {
        if (tid < 32) {
            float best = s.cell[LIMITS * WIDE + tid], ratio = 1e30f;
            int in = tid, out = tid;
            const float second = s.cell[LIMITS * WIDE + 32 + tid];
            if (second < best) best = second, in = tid + 32;
            smallest(best, in);
            if (tid < LIMITS) {
                const float rate = s.cell[tid * WIDE + in];
                if (rate > 1e-5f) ratio = s.cell[tid * WIDE + WIDE - 1] / rate;
            }
            smallest(ratio, out);
            if (tid == 0) s.entering = best < -1e-5f ? in : -1, s.leaving = ratio < 1e30f ? out : -1;
        }
        __syncthreads();
        if (s.entering < 0 || s.leaving < 0) break;
        turn_over(s);
    }
    if (tid == 0) worth[blockIdx.x] = s.cell[CELLS - 1];
}

// How often the ground at a site shakes more than a level, from ruptures all around. rupture: x, y, strength, spreading.
extern "C" __global__ void shaking_rates(
    const float4 *__restrict__ rupture, const float *__restrict__ rate, const float *__restrict__ site,
    float *__restrict__ often, float depth, float level, float sigma, int ruptures, int sites)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= sites) return;
    float x = site[i], y = site[sites + i], loss = site[2 * sites + i];
    float sum = 0.0f;
    for (int k = 0; k < ruptures; k++) {
        float4 from = rupture[k];
        float dx = x - from.x, dy = y - from.y;
        float r = sqrtf(dx * dx + dy * dy + depth * depth);
        float median = from.z * powf(r, -from.w) * expf(-loss * r);
        float z = logf(level / median) / sigma;
        sum += rate[k] / (1.0f + expf(1.702f * z));
    }
    often[i] = sum;
}
extern "C" __global__ void shaking_rates_b(
    const float4 *__restrict__ rupture, const float *__restrict__ rate, const float *__restrict__ site,
    float *__restrict__ often, float depth, float level, float sigma, int ruptures, int sites)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= sites) return;
    float x = site[i], y = site[sites + i], loss = site[2 * sites + i];
    float sum = 0.0f, steep = 1.702f / sigma;
    for (int k = 0; k < ruptures; k++) {
        float4 from = rupture[k];
        float dx = x - from.x, dy = y - from.y, square = dx * dx + dy * dy + depth * depth;
        float r = square * rsqrtf(square);
        float median = from.z * __powf(r, -from.w) * __expf(-loss * r);
        float z = __logf(__fdividef(level, median));
        sum += __fdividef(rate[k], 1.0f + __expf(steep * z));
    }
    often[i] = sum;
}

// Melds in hands of mahjong: 14 tiles of 34 kinds, 0 to 26 in three suits, then honours. Triplets, pairs, runs, kinds.
__device__ __forceinline__ unsigned tile_of(const uint4 &hand, int k)
{
    const unsigned word = k < 4 ? hand.x : k < 8 ? hand.y : k < 12 ? hand.z : hand.w;
    return word >> 8 * (k % 4) & 255u;
}
extern "C" __global__ void mahjong_hands(const uint4 *__restrict__ hands, int *__restrict__ melds, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const uint4 hand = hands[i];
    int count[34] = {};
    for (int k = 0; k < 14; k++) count[tile_of(hand, k)]++;
    int triplets = 0, pairs = 0, runs = 0, kinds = 0;
    for (int t = 0; t < 34; t++) {
        triplets += count[t] >= 3;
        pairs += count[t] == 2;
        kinds += count[t] > 0;
    }
    for (int suit = 0; suit < 3; suit++)
        for (int r = 0; r < 7; r++) {
            const int *c = count + 9 * suit + r;
            runs += min(c[0], min(c[1], c[2]));
        }
    melds[i] = triplets | pairs << 8 | runs << 16 | kinds << 24;
}
// Three bits a kind, a word a suit.
extern "C" __global__ void mahjong_hands_b(const uint4 *__restrict__ hands, int *__restrict__ melds, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const uint4 hand = hands[i];
    unsigned word[4] = {};
#pragma unroll
    for (int k = 0; k < 14; k++) {
        const unsigned tile = tile_of(hand, k), suit = tile / 9, one = 1u << 3 * (tile - 9 * suit);
#pragma unroll
        for (int s = 0; s < 4; s++) word[s] += suit == s ? one : 0u;
    }
    // of each kind a bit: at least one, two, three of it
    int triplets = 0, pairs = 0, runs = 0, kinds = 0;
    constexpr unsigned LOW = 0x1249249u; // the lowest bit of nine kinds
#pragma unroll
    for (int s = 0; s < 4; s++) {
        const unsigned a = word[s] & LOW, b = word[s] >> 1 & LOW, c = word[s] >> 2 & LOW;
        const unsigned any = a | b | c, two = b | c, three = (a & b) | c;
        triplets += __popc(three);
        pairs += __popc(two & ~three);
        kinds += __popc(any);
        if (s < 3) {
            runs += __popc(any & any >> 3 & any >> 6) + __popc(two & two >> 3 & two >> 6);
            runs += __popc(three & three >> 3 & three >> 6) + __popc(c & c >> 3 & c >> 6);
        }
    }
    melds[i] = triplets | pairs << 8 | runs << 16 | kinds << 24;
}

// Distances from the ink of letters, 64 by 64 pixels, by a sweep forth and back over rows and then columns; a letter a
// block of 64 threads.
template <int PITCH>
__device__ __forceinline__ void sweep_glyph(
    const unsigned char *__restrict__ glyph, unsigned char *__restrict__ field, int ink, float scale)
{
    __shared__ float far[64 * PITCH];
    const int tid = threadIdx.x;
    glyph += blockIdx.x * 4096;
    field += blockIdx.x * 4096;
#pragma unroll 16
    for (int y = 0; y < 64; y++) far[y * PITCH + tid] = glyph[y * 64 + tid] >= ink ? 0.0f : 255.0f;
    __syncthreads();
    float *row = far + tid * PITCH, *column = far + tid;
    float d = 255.0f;
#pragma unroll 8
    for (int x = 0; x < 64; x++) row[x] = d = fminf(row[x], d + 1.0f);
#pragma unroll 8
    for (int x = 63; x >= 0; x--) row[x] = d = fminf(row[x], d + 1.0f);
    __syncthreads();
    d = 255.0f;
#pragma unroll 8
    for (int y = 0; y < 64; y++) column[y * PITCH] = d = fminf(column[y * PITCH], d + 1.0f);
#pragma unroll 8
    for (int y = 63; y >= 0; y--) {
        d = fminf(column[y * PITCH], d + 1.0f);
        field[y * 64 + tid] = (unsigned char)fminf(scale * d, 255.0f);
    }
}
extern "C" __global__ void __launch_bounds__(64)
    glyph_fields(const unsigned char *glyph, unsigned char *field, int ink, float scale)
{
    sweep_glyph<64>(glyph, field, ink, scale);
}
extern "C" __global__ void __launch_bounds__(64)
    glyph_fields_b(const unsigned char *glyph, unsigned char *field, int ink, float scale)
{
    sweep_glyph<65>(glyph, field, ink, scale);
}

// Emissions of a country by region and sector, from the lines of bills: amount, emission of a unit, share that counts.
struct Bills {
    const int *region, *sector;
    const float *amount, *factor, *share;
};
__device__ __forceinline__ unsigned kilograms(const Bills &b, int i)
{
    return __float2uint_rn(b.amount[i] * b.factor[i] * b.share[i]);
}
extern "C" __global__ void emission_totals(
    const int *__restrict__ region, const int *__restrict__ sector, const float *__restrict__ amount,
    const float *__restrict__ factor, const float *__restrict__ share, unsigned *total, int sectors, int regions, int n)
{
    const Bills b = {region, sector, amount, factor, share};
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd(&total[b.region[i] * sectors + b.sector[i]], kilograms(b, i));
}
extern "C" __global__ void __launch_bounds__(256) emission_totals_b(
    const int *__restrict__ region, const int *__restrict__ sector, const float *__restrict__ amount,
    const float *__restrict__ factor, const float *__restrict__ share, unsigned *total, int sectors, int regions, int n)
{
    extern __shared__ unsigned part[];
    const Bills b = {region, sector, amount, factor, share};
    for (int k = threadIdx.x; k < sectors * regions; k += blockDim.x) part[k] = 0;
    __syncthreads();
#pragma unroll 4
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&part[b.region[i] * sectors + b.sector[i]], kilograms(b, i));
    __syncthreads();
    for (int k = threadIdx.x; k < sectors * regions; k += blockDim.x)
        if (part[k]) atomicAdd(&total[k], part[k]);
}

// Height of the geoid from spherical harmonics, to degree 36 at most. geoid_terms: of each order m and degree n the two
// factors of the recursion of Legendre's functions and the coefficients of cosine and sine; geoid_first: factors of the
// first function of each order.
__constant__ float4 geoid_terms[704];
__constant__ float geoid_first[37];
struct Order {
    float cosine, sine;
};
__device__ __forceinline__ Order sum_order(int first, int count, float start, float up)
{
    float p = start, before = 0.0f;
    Order o = {geoid_terms[first].z * p, geoid_terms[first].w * p};
    for (int k = 1; k < count; k++) {
        const float4 c = geoid_terms[first + k];
        const float next = c.x * up * p - c.y * before;
        before = p;
        p = next;
        o.cosine += c.z * p;
        o.sine += c.w * p;
    }
    return o;
}
__device__ __forceinline__ void turn(float &c, float &s, float c1, float s1)
{
    const float turned = c * c1 - s * s1;
    s = s * c1 + c * s1;
    c = turned;
}
extern "C" __global__ void geoid_heights(float *__restrict__ height, float step, int degree, int lats, int lons)
{
    int lon = blockIdx.x * blockDim.x + threadIdx.x;
    int lat = blockIdx.y;
    if (lon >= lons) return;
    float up, out, s1, c1;
    sincosf((lat + 0.5f) * step - 1.57079633f, &up, &out);
    sincosf(lon * step, &s1, &c1);
    float start = 1.0f, c = 1.0f, s = 0.0f, sum = 0.0f;
    for (int m = 0, first = 0; m <= degree; m++) {
        if (m > 0) start *= geoid_first[m] * out;
        const Order o = sum_order(first, degree + 1 - m, start, up);
        sum += o.cosine * c + o.sine * s;
        turn(c, s, c1, s1);
        first += degree + 1 - m;
    }
    height[lat * lons + lon] = sum;
}
// A block a parallel: each warp sums some of the orders, then all take the longitudes.
extern "C" __global__ void __launch_bounds__(256)
    geoid_heights_b(float *__restrict__ height, float step, int degree, int lats, int lons)
{
    __shared__ Order order[37];
    const int lat = blockIdx.x;
    float up, out, start = 1.0f;
    sincosf((lat + 0.5f) * step - 1.57079633f, &up, &out);
    for (int m = 0, first = 0; m <= degree; m++) {
        if (m > 0) start *= geoid_first[m] * out;
        if (m % 8 == threadIdx.x / 32) order[m] = sum_order(first, degree + 1 - m, start, up);
        first += degree + 1 - m;
    }
    __syncthreads();
    for (int lon = threadIdx.x; lon < lons; lon += blockDim.x) {
        float c = 1.0f, s = 0.0f, sum = 0.0f, s1, c1;
        sincosf(lon * step, &s1, &c1);
        for (int m = 0; m <= degree; m++) {
            const Order o = order[m];
            sum += o.cosine * c + o.sine * s;
            turn(c, s, c1, s1);
        }
        height[lat * lons + lon] = sum;
    }
}

// Hands seen by a camera, 21 joints each, moved to the wrist and scaled by the length of the palm; a joint a lane.
constexpr int JOINTS = 21, PALM = 9;
__device__ __forceinline__ void
frame_hand(const float *__restrict__ seen, float *__restrict__ framed, int hand, int joint, float reach)
{
    const bool in = joint < JOINTS;
    const long long at = (long long)hand * JOINTS * 3 + 3 * joint;
    float x = 0.0f, y = 0.0f, z = 0.0f;
    if (in) x = seen[at], y = seen[at + 1], z = seen[at + 2];
    x -= __shfl_sync(~0u, x, 0), y -= __shfl_sync(~0u, y, 0), z -= __shfl_sync(~0u, z, 0);
    const float scale = reach * rsqrtf(__shfl_sync(~0u, x * x + y * y + z * z, PALM) + 1e-6f);
    if (in) framed[at] = scale * x, framed[at + 1] = scale * y, framed[at + 2] = scale * z;
}
extern "C" __global__ void hand_frames(const float *__restrict__ seen, float *__restrict__ framed, float reach, int hands)
{
    frame_hand(seen, framed, blockIdx.x, threadIdx.x, reach);
}
extern "C" __global__ void __launch_bounds__(256)
    hand_frames_b(const float *__restrict__ seen, float *__restrict__ framed, float reach, int hands)
{
    const int warps = gridDim.x * blockDim.x / 32, first = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
#pragma unroll 4
    for (int hand = first; hand < hands; hand += warps) frame_hand(seen, framed, hand, threadIdx.x % 32, reach);
}
