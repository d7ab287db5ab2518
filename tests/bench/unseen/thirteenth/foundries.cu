// Works, markets and clinics: x-ray spectra, engines, protons, calorimeters, steam, order books, designs, survival,
// metals, composites, vibrations, Heston's model, detectors of two energies, catastrophes.
#include <cstdint>

// Net counts of elements from x-ray fluorescence spectra, the background from both sides of each window.
// count: a row of channels a pixel; net: a plane an element.
extern "C" __global__ void xrf_windows(
    const uint16_t *__restrict__ count, const int *__restrict__ low, const int *__restrict__ high,
    float *__restrict__ net, int channels, int elements, int flank, int pixels)
{
    const int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    if (pixel >= pixels) return;
    const uint16_t *spectrum = count + (size_t)pixel * channels;
    for (int e = 0; e < elements; e++) {
        const int first = low[e], last = high[e];
        int under = 0, sum = 0;
        for (int c = first - flank; c < first; c++) under += spectrum[c];
        for (int c = first; c <= last; c++) sum += spectrum[c];
        for (int c = last + 1; c <= last + flank; c++) under += spectrum[c];
        net[(size_t)e * pixels + pixel] = sum - under * ((last - first + 1) / (2.0f * flank));
    }
}
extern "C" __global__ void xrf_windows_b(
    const uint16_t *__restrict__ count, const int *__restrict__ low, const int *__restrict__ high,
    float *__restrict__ net, int channels, int elements, int flank, int pixels)
{
    const int pixel = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (pixel >= pixels) return;
    const uint16_t *spectrum = count + (size_t)pixel * channels;
    float mine = 0.0f;
#pragma unroll 4
    for (int e = 0; e < elements; e++) {
        const int first = low[e], last = high[e];
        int under = 0, sum = 0;
        for (int c = first - flank + lane; c <= last + flank; c += 32) {
            const int n = spectrum[c];
            if (c < first || c > last)
                under += n;
            else
                sum += n;
        }
        under = __reduce_add_sync(~0u, under), sum = __reduce_add_sync(~0u, sum);
        const float value = sum - under * ((last - first + 1) / (2.0f * flank));
        if (lane == e) mine = value;
    }
    if (lane < elements) net[(size_t)lane * pixels + pixel] = mine;
}

// Work and peak pressure of the cylinders of an engine. pressure: of each cylinder rows of 1024 marks a cycle, as many
// as threads of a block; change: of the volume from mark to mark.
__device__ __forceinline__ void
add_cylinder(float work, float peak, float *__restrict__ to_work, int *__restrict__ to_peak)
{
    __shared__ float works[32], peaks[32];
    for (int d = 16; d; d /= 2) {
        work += __shfl_down_sync(~0u, work, d);
        peak = fmaxf(peak, __shfl_down_sync(~0u, peak, d));
    }
    if (threadIdx.x % 32 == 0) works[threadIdx.x / 32] = work, peaks[threadIdx.x / 32] = peak;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    const int warps = blockDim.x / 32;
    work = threadIdx.x < warps ? works[threadIdx.x] : 0.0f;
    peak = threadIdx.x < warps ? peaks[threadIdx.x] : 0.0f;
    for (int d = 16; d; d /= 2) {
        work += __shfl_down_sync(~0u, work, d);
        peak = fmaxf(peak, __shfl_down_sync(~0u, peak, d));
    }
    if (threadIdx.x == 0) {
        atomicAdd(to_work, work);
        atomicMax(to_peak, __float_as_int(peak)); // pressures are positive
    }
}
__device__ __forceinline__ void measure_cylinder(
    const float *__restrict__ pressure, const float *__restrict__ change, float *__restrict__ work,
    float *__restrict__ peak, int cylinder, int begin, int end, int cycles)
{
    const float dv = change[threadIdx.x];
    const float *p = pressure + (size_t)cylinder * cycles * blockDim.x + threadIdx.x;
    float done = 0.0f, most = 0.0f;
    for (int cycle = begin; cycle < end; cycle++) {
        const float now = p[(size_t)cycle * blockDim.x];
        done += now * dv;
        most = fmaxf(most, now);
    }
    add_cylinder(done, most, work + cylinder, (int *)peak + cylinder);
}
extern "C" __global__ void __launch_bounds__(1024) indicated_work(
    const float *__restrict__ pressure, const float *__restrict__ change, float *__restrict__ work,
    float *__restrict__ peak, int cycles)
{
    measure_cylinder(pressure, change, work, peak, blockIdx.x, 0, cycles, cycles);
}
extern "C" __global__ void __launch_bounds__(1024) indicated_work_b(
    const float *__restrict__ pressure, const float *__restrict__ change, float *__restrict__ work,
    float *__restrict__ peak, int cycles)
{
    const int each = (cycles + gridDim.x - 1) / gridDim.x, begin = blockIdx.x * each;
    measure_cylinder(pressure, change, work, peak, blockIdx.y, begin, min(cycles, begin + each), cycles);
}

// Depth in water of what proton beams pass. path: voxels of each ray, a row a step; ct: Hounsfield units of voxels.
__device__ __forceinline__ float stopping(int hu)
{
    return hu < 0 ? 1.0f + 1e-3f * hu : hu < 150 ? 1.0f + 9e-4f * hu : 1.06f + 5e-4f * hu;
}
extern "C" __global__ void
proton_depths(int *path, short *ct, float *depth, float step, int rays, int steps)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rays) return;
    float sum = 0.0f;
    for (int k = 0; k < steps; k++) {
        int voxel = path[k * rays + r];
        sum += step * stopping(ct[voxel]);
        depth[k * rays + r] = sum;
    }
}
extern "C" __global__ void proton_depths_b(
    const int *__restrict__ path, const short *__restrict__ ct, float *__restrict__ depth, float step, int rays,
    int steps)
{
    constexpr int AHEAD = 16;
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rays) return;
    float sum = 0.0f;
    for (int k = 0; k < steps; k += AHEAD) {
        int voxel[AHEAD], hu[AHEAD];
#pragma unroll
        for (int j = 0; j < AHEAD; j++) voxel[j] = k + j < steps ? path[(k + j) * rays + r] : 0;
#pragma unroll
        for (int j = 0; j < AHEAD; j++) hu[j] = ct[voxel[j]];
#pragma unroll
        for (int j = 0; j < AHEAD; j++) {
            sum += step * stopping(hu[j]);
            if (k + j < steps) depth[(k + j) * rays + r] = sum;
        }
    }
}

// Loss after Huber of the energies of a calorimeter's hits for some gains that are tried.
constexpr int HITS = 4096, GAINS = 16; // hits of a block
__device__ __forceinline__ float huber(float off, float knee)
{
    const float size = fabsf(off);
    return size < knee ? 0.5f * off * off : knee * (size - 0.5f * knee);
}
__device__ __forceinline__ float over_warp(float x)
{
    for (int d = 16; d; d /= 2) x += __shfl_xor_sync(~0u, x, d);
    return x;
}
extern "C" __global__ void huber_scan(
    const float *__restrict__ energy, const float *__restrict__ truth, const float *__restrict__ weight,
    const float *__restrict__ gain, double *__restrict__ loss, float knee, int hits)
{
    __shared__ float sums[8];
    const float g = gain[blockIdx.y];
    const int begin = blockIdx.x * HITS, end = min(hits, begin + HITS);
    float sum = 0.0f;
    for (int i = begin + threadIdx.x; i < end; i += blockDim.x) sum += weight[i] * huber(g * energy[i] - truth[i], knee);
    sum = over_warp(sum);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++) sum += sums[w];
        atomicAdd(loss + blockIdx.y, (double)sum);
    }
}
extern "C" __global__ void __launch_bounds__(256) huber_scan_b(
    const float *__restrict__ energy, const float *__restrict__ truth, const float *__restrict__ weight,
    const float *__restrict__ gain, double *__restrict__ loss, float knee, int hits)
{
    __shared__ float sums[8][GAINS];
    const int begin = blockIdx.x * HITS, end = min(hits, begin + HITS);
    float g[GAINS], sum[GAINS];
#pragma unroll
    for (int k = 0; k < GAINS; k++) g[k] = gain[k], sum[k] = 0.0f;
#pragma unroll 4
    for (int i = begin + threadIdx.x; i < end; i += 256) {
        const float e = energy[i], t = truth[i], w = weight[i];
#pragma unroll
        for (int k = 0; k < GAINS; k++) sum[k] += w * huber(g[k] * e - t, knee);
    }
#pragma unroll
    for (int k = 0; k < GAINS; k++) {
        const float all = over_warp(sum[k]);
        if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32][k] = all;
    }
    __syncthreads();
    if (threadIdx.x < GAINS) {
        float all = 0.0f;
        for (int w = 0; w < 8; w++) all += sums[w][threadIdx.x];
        atomicAdd(loss + threadIdx.x, (double)all);
    }
}

// Enthalpy of water and steam at a pressure and temperature; each of five regions has a polynomial of its own.
constexpr int TERMS = 12;
__constant__ float steam_term[5][TERMS][TERMS];
template <int R> __device__ __forceinline__ float region_enthalpy(float p, float t)
{
    constexpr float P0[5] = {50.0f, 45.0f, 52.0f, 48.0f, 40.0f}, T0[5] = {700.0f, 720.0f, 760.0f, 800.0f, 820.0f};
    const float x = 0.02f * (p - P0[R]), y = 0.002f * (t - T0[R]);
    float h = 0.0f;
#pragma unroll
    for (int i = TERMS - 1; i >= 0; i--) {
        float row = 0.0f;
#pragma unroll
        for (int j = TERMS - 1; j >= 0; j--) row = row * y + steam_term[R][i][j];
        h = h * x + row;
    }
    return h;
}
__device__ __forceinline__ int region_of(float p, float t)
{
    if (t >= 1073.15f) return 4;
    if (t >= 623.15f) return p > 16.5f + 0.1f * (t - 623.15f) ? 2 : 3;
    const float s = (t - 273.15f) * (1.0f / 350.0f);
    return p > 16.5f * s * s * s * s ? 0 : 1;
}
__device__ __forceinline__ float enthalpy(int region, float p, float t)
{
    switch (region) {
    case 0: return region_enthalpy<0>(p, t);
    case 1: return region_enthalpy<1>(p, t);
    case 2: return region_enthalpy<2>(p, t);
    case 3: return region_enthalpy<3>(p, t);
    default: return region_enthalpy<4>(p, t);
    }
}
extern "C" __global__ void
steam_enthalpy(const float *__restrict__ pressure, const float *__restrict__ heat, float *__restrict__ h, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float p = pressure[i], t = heat[i];
    h[i] = enthalpy(region_of(p, t), p, t);
}
extern "C" __global__ void __launch_bounds__(256)
steam_enthalpy_b(const float *__restrict__ pressure, const float *__restrict__ heat, float *__restrict__ h, int n)
{
    constexpr int EACH = 8;
    __shared__ float2 state[256 * EACH];
    __shared__ uint16_t order[256 * EACH];
    __shared__ int count[5], start[6];
    const int base = blockIdx.x * 256 * EACH, lane = threadIdx.x % 32;
    if (threadIdx.x < 5) count[threadIdx.x] = 0;
    __syncthreads();
    int region[EACH], rank[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const int at = k * 256 + threadIdx.x;
        const bool in = base + at < n;
        const float p = in ? pressure[base + at] : 1.0f, t = in ? heat[base + at] : 300.0f;
        state[at] = make_float2(p, t);
        region[k] = region_of(p, t);
        const unsigned same = __match_any_sync(~0u, region[k]);
        const int leader = __ffs(same) - 1;
        int from = 0;
        if (lane == leader) from = atomicAdd(&count[region[k]], __popc(same));
        rank[k] = __shfl_sync(~0u, from, leader) + __popc(same & ((1u << lane) - 1));
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        start[0] = 0;
        for (int r = 0; r < 5; r++) start[r + 1] = start[r] + count[r];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < EACH; k++) order[start[region[k]] + rank[k]] = k * 256 + threadIdx.x;
    __syncthreads();
#pragma unroll 1
    for (int at = threadIdx.x; at < 256 * EACH; at += 256) {
        const int which = (at >= start[1]) + (at >= start[2]) + (at >= start[3]) + (at >= start[4]), own = order[at];
        const float2 s = state[own];
        state[own].x = enthalpy(which, s.x, s.y);
    }
    __syncthreads();
    for (int at = threadIdx.x; at < 256 * EACH && base + at < n; at += 256) h[base + at] = state[at].x;
}

// Micro price and imbalance of an order book's snapshots; near levels count more. Sizes: a plane a level.
template <class Size, class Price> __device__ __forceinline__ void weigh_book(
    const Size *__restrict__ bids, const Size *__restrict__ asks, const Price *__restrict__ bid,
    const Price *__restrict__ ask, Price *__restrict__ micro, Price *__restrict__ imbalance, int levels, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Size buy = 0, sell = 0;
#pragma unroll 5
    for (int l = 0; l < levels; l++) {
        buy += bids[(size_t)l * n + i] * (levels - l);
        sell += asks[(size_t)l * n + i] * (levels - l);
    }
    const Price share = Price(buy) / Price(buy + sell);
    micro[i] = bid[i] + share * (ask[i] - bid[i]);
    imbalance[i] = 2 * share - 1;
}
extern "C" __global__ void book_imbalance(
    const long long *__restrict__ bids, const long long *__restrict__ asks, const double *__restrict__ bid,
    const double *__restrict__ ask, double *__restrict__ micro, double *__restrict__ imbalance, int levels, int n)
{
    weigh_book(bids, asks, bid, ask, micro, imbalance, levels, n);
}
extern "C" __global__ void book_imbalance_b(
    const int *__restrict__ bids, const int *__restrict__ asks, const float *__restrict__ bid,
    const float *__restrict__ ask, float *__restrict__ micro, float *__restrict__ imbalance, int levels, int n)
{
    weigh_book(bids, asks, bid, ask, micro, imbalance, levels, n);
}

// Cost of a frame's designs first, first + 1, ... of a full factorial plan. levels: of each factor; part: mass and
// strength of each factor's levels, 16 a factor.
__device__ __forceinline__ float design_cost(float mass, float strength, float need)
{
    return mass + 8.0f * fmaxf(0.0f, need - strength);
}
extern "C" __global__ void factorial_sweep(
    const int *__restrict__ levels, const float2 *__restrict__ part, float *__restrict__ cost, long long first,
    float need, int factors, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long design = first + i;
    float mass = 0.0f, strength = 0.0f;
    for (int f = 0; f < factors; f++) {
        int level = design % levels[f];
        design /= levels[f];
        mass += part[f * 16 + level].x;
        strength += part[f * 16 + level].y;
    }
    cost[i] = design_cost(mass, strength, need);
}
// factor: number of levels, level of the first design, and 2^32 / levels rounded up, exact to 2^28.
extern "C" __global__ void factorial_sweep_b(
    const uint4 *__restrict__ factor, const float2 *__restrict__ part, float *__restrict__ cost, float need,
    int factors, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned left = i;
    float mass = 0.0f, strength = 0.0f;
#pragma unroll 4
    for (int f = 0; f < factors; f++) {
        const uint4 own_factor = factor[f];
        left += own_factor.y;
        const unsigned quotient = __umulhi(left, own_factor.z), level = left - quotient * own_factor.x;
        left = quotient;
        const float2 own = part[f * 16 + level];
        mass += own.x;
        strength += own.y;
    }
    cost[i] = design_cost(mass, strength, need);
}

// Kaplan-Meier curves of bootstrap samples of 1024 patients in order of time. drawn: how often a sample has each one.
constexpr int PATIENTS = 1024;
extern "C" __global__ void __launch_bounds__(PATIENTS) bootstrap_survival(
    const uint8_t *__restrict__ drawn, const uint8_t *__restrict__ died, float *__restrict__ survival)
{
    __shared__ int upto[PATIENTS];
    __shared__ float alive[PATIENTS];
    const int i = threadIdx.x;
    const size_t row = (size_t)blockIdx.x * PATIENTS;
    const int weight = drawn[row + i];
    upto[i] = weight;
    __syncthreads();
    for (int d = 1; d < PATIENTS; d *= 2) {
        const int add = i >= d ? upto[i - d] : 0;
        __syncthreads();
        upto[i] += add;
        __syncthreads();
    }
    const int at_risk = upto[PATIENTS - 1] - upto[i] + weight;
    alive[i] = died[i] && weight > 0 ? 1.0f - __fdividef(weight, at_risk) : 1.0f;
    __syncthreads();
    for (int d = 1; d < PATIENTS; d *= 2) {
        const float times = i >= d ? alive[i - d] : 1.0f;
        __syncthreads();
        alive[i] *= times;
        __syncthreads();
    }
    survival[row + i] = alive[i];
}
extern "C" __global__ void __launch_bounds__(256) bootstrap_survival_b(
    const uint8_t *__restrict__ drawn, const uint8_t *__restrict__ died, float *__restrict__ survival)
{
    __shared__ int sums[8];
    __shared__ float products[8];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const size_t row = (size_t)blockIdx.x * PATIENTS + 4 * threadIdx.x;
    const uchar4 w = *(const uchar4 *)(drawn + row), e = *(const uchar4 *)(died + 4 * threadIdx.x);
    const int weight[4] = {w.x, w.y, w.z, w.w};
    const bool ends[4] = {e.x != 0, e.y != 0, e.z != 0, e.w != 0};
    int sum = weight[0] + weight[1] + weight[2] + weight[3];
    const int own = sum;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const int before = __shfl_up_sync(~0u, sum, d);
        if (lane >= d) sum += before;
    }
    if (lane == 31) sums[warp] = sum;
    __syncthreads();
    int at_risk = own - sum;
#pragma unroll
    for (int k = 0; k < 8; k++)
        if (k >= warp) at_risk += sums[k];
    float keep[4], product = 1.0f;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (ends[k] && weight[k] > 0) product *= 1.0f - __fdividef(weight[k], at_risk);
        keep[k] = product;
        at_risk -= weight[k];
    }
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const float before = __shfl_up_sync(~0u, product, d);
        if (lane >= d) product *= before;
    }
    if (lane == 31) products[warp] = product;
    product = __shfl_up_sync(~0u, product, 1);
    if (lane == 0) product = 1.0f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 7; k++)
        if (k < warp) product *= products[k];
    *(float4 *)(survival + row) =
        make_float4(product * keep[0], product * keep[1], product * keep[2], product * keep[3]);
}

// Return to the yield surface of Johnson and Cook: the plastic strain that a step adds, and the stress after it.
struct Metal {
    float yield, hardening, power, rate, softening, melting, shear;
};
struct Precise {
    static __device__ float pow(float x, float y) { return powf(x, y); }
    static __device__ float log(float x) { return logf(x); }
    static __device__ float over(float x, float y) { return x / y; }
};
struct Quick {
    static __device__ float pow(float x, float y) { return __powf(x, y); }
    static __device__ float log(float x) { return __logf(x); }
    static __device__ float over(float x, float y) { return __fdividef(x, y); }
};
template <class Math> __device__ __forceinline__ void return_stress(
    const float *__restrict__ trial, const float *__restrict__ strain, const float *__restrict__ speed,
    const float *__restrict__ heat, float *__restrict__ added, float *__restrict__ stress, const Metal &m, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float pull = trial[i], old = strain[i];
    const float warm = Math::over(heat[i] - 293.0f, m.melting - 293.0f);
    const float factor = (1.0f + m.rate * Math::log(speed[i])) * (1.0f - Math::pow(warm, m.softening));
    float more = 1e-4f;
    for (int k = 0; k < 6; k++) {
        const float now = old + more;
        const float limit = factor * (m.yield + m.hardening * Math::pow(now, m.power));
        const float slope = factor * m.hardening * m.power * Math::pow(now, m.power - 1.0f);
        const float off = pull - 3.0f * m.shear * more - limit;
        more = fmaxf(0.0f, more + Math::over(off, 3.0f * m.shear + slope));
    }
    added[i] = more;
    stress[i] = pull - 3.0f * m.shear * more;
}
extern "C" __global__ void johnson_cook(
    const float *__restrict__ trial, const float *__restrict__ strain, const float *__restrict__ speed,
    const float *__restrict__ heat, float *__restrict__ added, float *__restrict__ stress, float yield,
    float hardening, float power, float rate, float softening, float melting, float shear, int n)
{
    const Metal m = {yield, hardening, power, rate, softening, melting, shear};
    return_stress<Precise>(trial, strain, speed, heat, added, stress, m, n);
}
extern "C" __global__ void johnson_cook_b(
    const float *__restrict__ trial, const float *__restrict__ strain, const float *__restrict__ speed,
    const float *__restrict__ heat, float *__restrict__ added, float *__restrict__ stress, float yield,
    float hardening, float power, float rate, float softening, float melting, float shear, int n)
{
    const Metal m = {yield, hardening, power, rate, softening, melting, shear};
    return_stress<Quick>(trial, strain, speed, heat, added, stress, m, n);
}

// Strains of composite plies from their stresses: Gauss with pivots for a small system a thread.
// system: planes of the matrix and right side, row by row; x: planes.
constexpr int LARGEST = 8;
extern "C" __global__ void
ply_strains(const float *__restrict__ system, float *__restrict__ x, int m, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a[LARGEST][LARGEST + 1];
    for (int r = 0; r < m; r++)
        for (int c = 0; c <= m; c++) a[r][c] = system[(size_t)(r * (m + 1) + c) * n + i];
    for (int k = 0; k < m; k++) {
        int pivot = k;
        for (int r = k + 1; r < m; r++)
            if (fabsf(a[r][k]) > fabsf(a[pivot][k])) pivot = r;
        for (int c = k; c <= m; c++) {
            const float swap = a[k][c];
            a[k][c] = a[pivot][c];
            a[pivot][c] = swap;
        }
        const float inverse = 1.0f / a[k][k];
        for (int r = k + 1; r < m; r++) {
            const float times = a[r][k] * inverse;
            for (int c = k + 1; c <= m; c++) a[r][c] -= times * a[k][c];
        }
    }
    for (int r = m - 1; r >= 0; r--) {
        float sum = a[r][m];
        for (int c = r + 1; c < m; c++) sum -= a[r][c] * a[c][m];
        a[r][m] = sum / a[r][r];
        x[(size_t)r * n + i] = a[r][m];
    }
}
template <int M> __device__ __forceinline__ void
solve_ply(const float *__restrict__ system, float *__restrict__ x, int i, int n)
{
    float a[M][M + 1];
#pragma unroll
    for (int r = 0; r < M; r++)
#pragma unroll
        for (int c = 0; c <= M; c++) a[r][c] = system[(size_t)(r * (M + 1) + c) * n + i];
#pragma unroll
    for (int k = 0; k < M; k++) {
#pragma unroll
        for (int r = k + 1; r < M; r++) { // after the last row the largest is in row k
            const bool larger = fabsf(a[r][k]) > fabsf(a[k][k]);
#pragma unroll
            for (int c = k; c <= M; c++) {
                const float upper = a[k][c], lower = a[r][c];
                a[k][c] = larger ? lower : upper;
                a[r][c] = larger ? upper : lower;
            }
        }
        const float inverse = 1.0f / a[k][k];
#pragma unroll
        for (int r = k + 1; r < M; r++) {
            const float times = a[r][k] * inverse;
#pragma unroll
            for (int c = k + 1; c <= M; c++) a[r][c] -= times * a[k][c];
        }
    }
#pragma unroll
    for (int r = M - 1; r >= 0; r--) {
        float sum = a[r][M];
#pragma unroll
        for (int c = r + 1; c < M; c++) sum -= a[r][c] * a[c][M];
        a[r][M] = sum / a[r][r];
        x[(size_t)r * n + i] = a[r][M];
    }
}
extern "C" __global__ void __launch_bounds__(256)
ply_strains_b(const float *__restrict__ system, float *__restrict__ x, int m, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (m == 6)
        solve_ply<6>(system, x, i, n);
    else if (m == 3)
        solve_ply<3>(system, x, i, n);
}

// Movement of a structure's nodes from its modes: shape (nodes by modes) times course (modes by times).
extern "C" __global__ void __launch_bounds__(1024) modal_response(
    const float *__restrict__ shape, const float *__restrict__ course, float *__restrict__ moved, int nodes, int modes,
    int times)
{
    __shared__ float s[32][32], q[32][32];
    const int x = threadIdx.x, y = threadIdx.y, node = blockIdx.y * 32 + y, time = blockIdx.x * 32 + x;
    float sum = 0.0f;
    for (int m = 0; m < modes; m += 32) {
        s[y][x] = node < nodes && m + x < modes ? shape[(size_t)node * modes + m + x] : 0.0f;
        q[y][x] = m + y < modes && time < times ? course[(size_t)(m + y) * times + time] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 32; k++) sum += s[y][k] * q[k][x];
        __syncthreads();
    }
    if (node < nodes && time < times) moved[(size_t)node * times + time] = sum;
}
// Sizes: multiples of 128, of 16 and of 128.
extern "C" __global__ void __launch_bounds__(256, 2) modal_response_b(
    const float *__restrict__ shape, const float *__restrict__ course, float *__restrict__ moved, int nodes, int modes,
    int times)
{
    __shared__ __align__(16) float s[16][132], q[16][128];
    const int tid = threadIdx.y * 32 + threadIdx.x, tx = tid % 16, ty = tid / 16;
    const size_t node = blockIdx.y * 128, time = blockIdx.x * 128;
    float sum[8][8] = {};
    for (int m = 0; m < modes; m += 16) {
#pragma unroll
        for (int j = 0; j < 2; j++) {
            const int row = tid / 4 + 64 * j, column = tid % 4 * 4;
            const float4 v = *(const float4 *)(shape + (node + row) * modes + m + column);
            s[column][row] = v.x, s[column + 1][row] = v.y, s[column + 2][row] = v.z, s[column + 3][row] = v.w;
            const int k = tid / 32 + 8 * j, t = tid % 32 * 4;
            *(float4 *)&q[k][t] = *(const float4 *)(course + (size_t)(m + k) * times + time + t);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            const float4 a0 = *(float4 *)&s[k][ty * 4], a1 = *(float4 *)&s[k][64 + ty * 4];
            const float4 b0 = *(float4 *)&q[k][tx * 4], b1 = *(float4 *)&q[k][64 + tx * 4];
            const float a[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
            const float b[8] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
#pragma unroll
            for (int r = 0; r < 8; r++)
#pragma unroll
                for (int c = 0; c < 8; c++) sum[r][c] += a[r] * b[c];
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 8; r++) {
        float *row = moved + (node + ty * 4 + r % 4 + r / 4 * 64) * times + time + tx * 4;
        *(float4 *)row = make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
        *(float4 *)(row + 64) = make_float4(sum[r][4], sum[r][5], sum[r][6], sum[r][7]);
    }
}

// An implicit step along the price for option values of Heston's model: a block an option, a thread a line of one
// variance, all lines in shared memory. value, next: of each option blockDim.x lines of points.
__device__ __forceinline__ void sweep_lines(
    const float *__restrict__ value, float *__restrict__ next, float dt, float rate, float dv, int points, int pitch)
{
    extern __shared__ float line[];
    const int lines = blockDim.x;
    float *d = line, *c = line + lines * pitch;
    const size_t base = (size_t)blockIdx.x * lines * points;
    const int column = threadIdx.x % points, first = threadIdx.x / points, step = lines / points;
#pragma unroll 8
    for (int l = first; l < lines; l += step) d[l * pitch + column] = value[base + l * points + column];
    __syncthreads();
    {
        float *own = d + threadIdx.x * pitch, *upper = c + threadIdx.x * pitch;
        const float v = dv * (threadIdx.x + 1);
        float above = 0.0f, before = 0.0f;
        for (int i = 0; i < points; i++) {
            const float fi = i, spread = v * fi * fi, drift = rate * fi;
            const float left = 0.5f * dt * (spread - drift), right = 0.5f * dt * (spread + drift);
            const float inverse = __frcp_rn(1.0f + dt * (spread + rate) - left * above);
            above = right * inverse;
            before = (own[i] + left * before) * inverse;
            upper[i] = above;
            own[i] = before;
        }
        for (int i = points - 2; i >= 0; i--) {
            before = own[i] + upper[i] * before;
            own[i] = before;
        }
    }
    __syncthreads();
    for (int l = first; l < lines; l += step) next[base + l * points + column] = d[l * pitch + column];
}
extern "C" __global__ void __launch_bounds__(128) heston_sweep(
    const float *__restrict__ value, float *__restrict__ next, float dt, float rate, float dv, int points)
{
    sweep_lines(value, next, dt, rate, dv, points, points);
}
extern "C" __global__ void __launch_bounds__(128) heston_sweep_b(
    const float *__restrict__ value, float *__restrict__ next, float dt, float rate, float dv, int points)
{
    sweep_lines(value, next, dt, rate, dv, points, points + 1);
}

// Thickness of water and bone from two spectra of x-rays, by Newton's method. bin: of each energy the weights in both
// spectra and the attenuations of both materials.
constexpr int BINS = 5;
__device__ __forceinline__ void part_materials(
    float low, float high, const float4 (&bin)[BINS], float &water, float &bone)
{
    float a = 10.0f, b = 1.0f;
#pragma unroll 1
    for (int k = 0; k < 8; k++) {
        float i0 = 0.0f, i1 = 0.0f, a0 = 0.0f, a1 = 0.0f, b0 = 0.0f, b1 = 0.0f;
#pragma unroll
        for (int e = 0; e < BINS; e++) {
            const float through = __expf(-(bin[e].z * a + bin[e].w * b));
            const float x = bin[e].x * through, y = bin[e].y * through;
            i0 += x, i1 += y;
            a0 += bin[e].z * x, a1 += bin[e].z * y;
            b0 += bin[e].w * x, b1 += bin[e].w * y;
        }
        const float f0 = -__logf(i0) - low, f1 = -__logf(i1) - high;
        const float r0 = __frcp_rn(i0), r1 = __frcp_rn(i1);
        a0 *= r0, b0 *= r0, a1 *= r1, b1 *= r1;
        const float inverse = __frcp_rn(a0 * b1 - a1 * b0);
        a -= inverse * (f0 * b1 - f1 * b0);
        b -= inverse * (a0 * f1 - a1 * f0);
    }
    water = a, bone = b;
}
// A block a module of the detector.
extern "C" __global__ void __launch_bounds__(1024) material_modules(
    const float *__restrict__ low, const float *__restrict__ high, const float4 *__restrict__ table,
    float *__restrict__ water, float *__restrict__ bone, int pixels)
{
    float4 bin[BINS];
#pragma unroll
    for (int e = 0; e < BINS; e++) bin[e] = table[e];
    const int base = blockIdx.x * pixels;
    for (int i = base + threadIdx.x; i < base + pixels; i += blockDim.x)
        part_materials(low[i], high[i], bin, water[i], bone[i]);
}
extern "C" __global__ void __launch_bounds__(256) material_modules_b(
    const float *__restrict__ low, const float *__restrict__ high, const float4 *__restrict__ table,
    float *__restrict__ water, float *__restrict__ bone, int pixels)
{
    float4 bin[BINS];
#pragma unroll
    for (int e = 0; e < BINS; e++) bin[e] = table[e];
    const int at = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * pixels + at;
    if (at < pixels) part_materials(low[i], high[i], bin, water[i], bone[i]);
}

// Insured losses of catastrophes: each event has a list of the sites that it hits. ratio: of damage to value.
__device__ __forceinline__ float insured(float value, float ratio, float deductible, float limit)
{
    return fminf(fmaxf(value * ratio - deductible, 0.0f), limit);
}
__device__ __forceinline__ void add_losses(
    const float *__restrict__ value, const float *__restrict__ ratio, const float *__restrict__ deductible,
    const float *__restrict__ limit, double *__restrict__ to, int begin, int end)
{
    __shared__ float sums[8];
    float sum = 0.0f;
    for (int i = begin + threadIdx.x; i < end; i += blockDim.x)
        sum += insured(value[i], ratio[i], deductible[i], limit[i]);
    sum = over_warp(sum);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < blockDim.x / 32; w++) sum += sums[w];
        atomicAdd(to, (double)sum);
    }
}
extern "C" __global__ void __launch_bounds__(256) event_losses(
    const float *__restrict__ value, const float *__restrict__ ratio, const float *__restrict__ deductible,
    const float *__restrict__ limit, const int *__restrict__ first, double *__restrict__ loss)
{
    const int event = blockIdx.x;
    add_losses(value, ratio, deductible, limit, loss + event, first[event], first[event + 1]);
}
// piece: event, begin and end of at most 8192 sites.
extern "C" __global__ void __launch_bounds__(256) event_losses_b(
    const float *__restrict__ value, const float *__restrict__ ratio, const float *__restrict__ deductible,
    const float *__restrict__ limit, const int *__restrict__ piece, double *__restrict__ loss)
{
    const int *own = piece + 3 * blockIdx.x;
    add_losses(value, ratio, deductible, limit, loss + own[0], own[1], own[2]);
}
