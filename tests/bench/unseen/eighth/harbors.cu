// Weather fields and columns, clouds, winds; option trees, scenarios; reactions, bonds; bodies, skies, photons, lattices.

// A field smoothed along its columns by 33 weights; 16 rows of room above and below.
__constant__ float bell[33];
extern "C" __global__ void smooth_field(const float *__restrict__ field, float *__restrict__ smooth, int width)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 33; k++) sum += bell[k] * field[(y + k) * width + x];
    smooth[y * width + x] = sum;
}

// Heights of the levels of each column of air from temperatures, humidities and steps in the logarithm of pressure.
extern "C" __global__ void
column_heights(const float *__restrict__ temperature, const float *__restrict__ humidity, const float *__restrict__ step,
               float *__restrict__ height, int columns, int levels, int per_column, int per_level)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    float h = 0.0f;
#pragma unroll 4
    for (int k = 0; k < levels; k++) {
        const int at = column * per_column + k * per_level;
        h += 29.27f * temperature[at] * (1.0f + 0.608f * humidity[at]) * step[at];
        height[at] = h;
    }
}

// American puts by a binomial tree of 63 steps, an option a thread; the row of a thread begins at pitch times its number.
extern "C" __global__ void __launch_bounds__(128)
    tree_prices(const float *__restrict__ spot, const float *__restrict__ strike, float *__restrict__ price, float up,
                float rise, float fall, int pitch)
{
    extern __shared__ float tree[];
    const int i = blockIdx.x * 128 + threadIdx.x;
    float *row = tree + threadIdx.x * pitch;
    const float k = strike[i], up2 = up * up, down = 1.0f / up;
    float lowest = spot[i];
    for (int j = 0; j < 63; j++) lowest *= down;
    float s = lowest;
    for (int j = 0; j < 64; j++) {
        row[j] = fmaxf(k - s, 0.0f);
        s *= up2;
    }
    for (int n = 63; n > 0; n--) {
        lowest *= up;
        s = lowest;
        float low = row[0];
        for (int j = 0; j < n; j++) {
            const float high = row[j + 1];
            row[j] = fmaxf(rise * high + fall * low, k - s);
            low = high;
            s *= up2;
        }
    }
    price[i] = row[0];
}

// Light through the layers of 32 bands by each warp: tiles of layers, few in clear air and many in clouds.
template <bool all> __device__ void light_through(const int *first, const float2 *layer, const float *band, float *light, int tiles)
{
    __shared__ float2 own[32][192];
    const int w = threadIdx.x / 32, lane = threadIdx.x % 32, warp = blockIdx.x * 32 + w;
    const float x = band[warp * 32 + lane];
    float now = 1.0f;
    for (int t = 0; t < tiles; t++) {
        const int from = first[warp * tiles + t], count = first[warp * tiles + t + 1] - from;
        for (int k = lane; k < count; k += 32) own[w][k] = layer[from + k];
        if (all)
            __syncthreads();
        else
            __syncwarp();
        for (int k = 0; k < count; k++) {
            const float2 f = own[w][k];
            now = now * f.x + f.y * x;
            now = now - 0.01f * now * now;
        }
        if (all)
            __syncthreads();
        else
            __syncwarp();
    }
    light[warp * 32 + lane] = now;
}
extern "C" __global__ void __launch_bounds__(1024, 2)
    cloud_light(const int *__restrict__ first, const float2 *__restrict__ layer, const float *__restrict__ band,
                float *__restrict__ light, int tiles)
{
    light_through<true>(first, layer, band, light, tiles);
}
extern "C" __global__ void __launch_bounds__(1024, 2)
    cloud_light_b(const int *__restrict__ first, const float2 *__restrict__ layer, const float *__restrict__ band,
                  float *__restrict__ light, int tiles)
{
    light_through<false>(first, layer, band, light, tiles);
}

// Steps of an oscillating reaction of two species in cells that do not mix.
__device__ void react(float &x, float &y, float dt)
{
    const float r = x * x * y;
    y += dt * (1.7f * x - r);
    x += dt * (1.0f - 2.7f * x + r);
}
__device__ void react4(float4 &x, float4 &y, float dt)
{
    react(x.x, y.x, dt), react(x.y, y.y, dt), react(x.z, y.z, dt), react(x.w, y.w, dt);
}
extern "C" __global__ void react_cells(float4 *__restrict__ a, float4 *__restrict__ b, float dt, int steps, int quads)
{
    for (int step = 0; step < steps; step++)
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
            float4 x = a[i], y = b[i];
            react4(x, y, dt);
            a[i] = x, b[i] = y;
        }
}
extern "C" __global__ void react_cells_b(float4 *__restrict__ a, float4 *__restrict__ b, float dt, int steps, int quads)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        float4 x = a[i], y = b[i];
        for (int step = 0; step < steps; step++) react4(x, y, dt);
        a[i] = x, b[i] = y;
    }
}

// Energies of bonds: stiffness, length at rest and a cubic part from the kind of bond, of 256.
__constant__ float bond_kinds[3][256];
extern "C" __global__ void bond_energies(const int *__restrict__ kind, const float *__restrict__ length, float *__restrict__ energy, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int k = kind[i];
        const float off = length[i] - bond_kinds[1][k];
        energy[i] = off * off * (bond_kinds[0][k] + bond_kinds[2][k] * off);
    }
}
extern "C" __global__ void bond_energies_b(const float *__restrict__ kinds, const int *__restrict__ kind,
                                           const float *__restrict__ length, float *__restrict__ energy, int n)
{
    __shared__ float own[3][256];
    for (int p = 0; p < 3; p++) own[p][threadIdx.x] = kinds[p * 256 + threadIdx.x];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int k = kind[i];
        const float off = length[i] - own[1][k];
        energy[i] = off * off * (own[0][k] + own[2][k] * off);
    }
}

// Stars drift through the potential of Henon and Heiles, each for its own number of steps; x, y and the two speeds.
extern "C" __global__ void drift_stars(const float4 *__restrict__ star, const int *__restrict__ steps, float4 *__restrict__ moved, float dt, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 s = star[i];
    const int count = steps[i];
    for (int k = 0; k < count; k++) {
        s.z -= dt * (s.x + 2.0f * s.x * s.y);
        s.w -= dt * (s.y + s.x * s.x - s.y * s.y);
        s.x += dt * s.z;
        s.y += dt * s.w;
    }
    moved[i] = s;
}

// Oscillators with a stiffening spring under a steady push, four a thread.
extern "C" __global__ void __launch_bounds__(128)
    swing_springs(const float *__restrict__ start, const float *__restrict__ push, float *__restrict__ place, float dt, float damp, int steps)
{
    const int me = blockIdx.x * 128 + threadIdx.x, threads = gridDim.x * 128;
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        float x = start[k * threads + me], v = 0.0f;
        const float p = push[k * threads + me];
#pragma unroll 8
        for (int step = 0; step < steps; step++) {
            v = v * damp + dt * (p - x * (1.0f + x * x));
            x += dt * v;
        }
        place[k * threads + me] = x;
    }
}
extern "C" __global__ void __launch_bounds__(128)
    swing_springs_b(const float *__restrict__ start, const float *__restrict__ push, float *__restrict__ place, float dt, float damp, int steps)
{
    const int me = blockIdx.x * 128 + threadIdx.x, threads = gridDim.x * 128;
    float x[4], v[4], p[4];
#pragma unroll
    for (int k = 0; k < 4; k++) x[k] = start[k * threads + me], v[k] = 0.0f, p[k] = push[k * threads + me];
#pragma unroll 8
    for (int step = 0; step < steps; step++) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            v[k] = v[k] * damp + dt * (p[k] - x[k] * (1.0f + x[k] * x[k]));
            x[k] += dt * v[k];
        }
    }
#pragma unroll
    for (int k = 0; k < 4; k++) place[k * threads + me] = x[k];
}

// Sum of the rates of 32 reactions at the temperature of each cell: factor, exponent, energy.
__constant__ float reaction[3][32];
extern "C" __global__ void rate_sums(const float *__restrict__ temperature, float *__restrict__ rate, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float t = temperature[i];
    float sum = 0.0f;
#pragma unroll 2
    for (int r = 0; r < 32; r++) sum += reaction[0][r] * powf(t / 298.15f, reaction[1][r]) * expf(-reaction[2][r] / (8.314f * t));
    rate[i] = sum;
}
extern "C" __global__ void rate_sums_b(const float *__restrict__ temperature, float *__restrict__ rate, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float t = temperature[i];
    float sum = 0.0f;
#pragma unroll 2
    for (int r = 0; r < 32; r++)
        sum += reaction[0][r] * __powf(__fdividef(t, 298.15f), reaction[1][r]) * __expf(__fdividef(-reaction[2][r], 8.314f * t));
    rate[i] = sum;
}

// A picture of the sky from 32 baselines of 64 channels; a pixel a thread.
extern "C" __global__ void __launch_bounds__(256)
    sky_picture(const float2 *__restrict__ baseline, const float2 *__restrict__ visibility, float *__restrict__ picture, int side)
{
    __shared__ float2 own[32 * 64];
    for (int k = threadIdx.x; k < 32 * 64; k += 256) own[k] = visibility[k];
    __syncthreads();
    const int i = blockIdx.x * 256 + threadIdx.x;
    const float l = (float)(i % side) / side - 0.5f, m = (float)(i / side) / side - 0.5f;
    float sum = 0.0f;
    for (int b = 0; b < 32; b++) {
        const float2 uv = baseline[b];
        const float first = uv.x * l + uv.y * m, more = first * 0.01f;
#pragma unroll
        for (int c = 0; c < 64; c++) {
            const float phase = first + c * more;
            const float2 v = own[b * 64 + c];
            sum += v.x * __cosf(phase) - v.y * __sinf(phase);
        }
    }
    picture[i] = sum;
}
extern "C" __global__ void __launch_bounds__(256)
    sky_picture_b(const float2 *__restrict__ baseline, const float2 *__restrict__ visibility, float *__restrict__ picture, int side)
{
    __shared__ float2 own[32 * 64];
    for (int k = threadIdx.x; k < 32 * 64; k += 256) own[k] = visibility[k];
    __syncthreads();
    const int i = blockIdx.x * 256 + threadIdx.x;
    const float l = (float)(i % side) / side - 0.5f, m = (float)(i / side) / side - 0.5f;
    float sum = 0.0f;
    for (int b = 0; b < 32; b++) {
        const float2 uv = baseline[b];
        const float first = uv.x * l + uv.y * m, more = first * 0.01f;
        const float dc = __cosf(more), ds = __sinf(more);
        float c0 = __cosf(first), s0 = __sinf(first);
#pragma unroll
        for (int c = 0; c < 64; c++) {
            const float2 v = own[b * 64 + c];
            sum += v.x * c0 - v.y * s0;
            const float next = c0 * dc - s0 * ds;
            s0 = s0 * dc + c0 * ds;
            c0 = next;
        }
    }
    picture[i] = sum;
}

// Local energy of each site of a lattice that closes on itself.
extern "C" __global__ void site_energies(const float *__restrict__ site, float *__restrict__ energy, long long nx, long long ny, long long nz)
{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nx * ny * nz) return;
    const long long x = i % nx, y = i / nx % ny, z = i / (nx * ny);
    const float sum = site[(z * ny + y) * nx + (x + 1) % nx] + site[(z * ny + y) * nx + (x + nx - 1) % nx] +
                      site[(z * ny + (y + 1) % ny) * nx + x] + site[(z * ny + (y + ny - 1) % ny) * nx + x] +
                      site[((z + 1) % nz * ny + y) * nx + x] + site[((z + nz - 1) % nz * ny + y) * nx + x];
    energy[i] = -site[i] * sum;
}
extern "C" __global__ void site_energies_b(const float *__restrict__ site, float *__restrict__ energy, int nx, int ny, int nz)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
    if (x >= nx) return;
    const int row = (z * ny + y) * nx;
    const int right = x + 1 == nx ? 0 : x + 1, left = x == 0 ? nx - 1 : x - 1;
    const int below = y + 1 == ny ? 0 : y + 1, above = y == 0 ? ny - 1 : y - 1;
    const int behind = z + 1 == nz ? 0 : z + 1, before = z == 0 ? nz - 1 : z - 1;
    const float sum = site[row + right] + site[row + left] + site[(z * ny + below) * nx + x] + site[(z * ny + above) * nx + x] +
                      site[(behind * ny + y) * nx + x] + site[(before * ny + y) * nx + x];
    energy[row + x] = -site[row + x] * sum;
}

// The wind's way at each station: speeds added up by 16 directions; a report has the direction in its lower four bits.
extern "C" __global__ void __launch_bounds__(256)
    wind_roses(const unsigned *__restrict__ report, unsigned *__restrict__ rose, int hours, int stations)
{
    const int station = blockIdx.x * 256 + threadIdx.x;
    unsigned sum[16] = {};
#pragma unroll 4
    for (int h = 0; h < hours; h++) {
        const unsigned r = report[h * stations + station];
        sum[r & 15] += r >> 4;
    }
    for (int d = 0; d < 16; d++) rose[d * stations + station] = sum[d];
}
extern "C" __global__ void __launch_bounds__(256)
    wind_roses_b(const unsigned *__restrict__ report, unsigned *__restrict__ rose, int hours, int stations)
{
    __shared__ unsigned sum[16][256];
    const int station = blockIdx.x * 256 + threadIdx.x, me = threadIdx.x;
    for (int d = 0; d < 16; d++) sum[d][me] = 0;
#pragma unroll 4
    for (int h = 0; h < hours; h++) {
        const unsigned r = report[h * stations + station];
        sum[r & 15][me] += r >> 4;
    }
    for (int d = 0; d < 16; d++) rose[d * stations + station] = sum[d][me];
}

// Value of 256 portfolios of 128 bonds in each scenario, a block a scenario; a bond has a yield and a coupon, 40 times.
__device__ float bond_price(float2 bond, float shift)
{
    const float y = bond.x + shift, v = 1.0f - y * (1.0f - y * (1.0f - y));
    float price = 1.0f;
#pragma unroll
    for (int k = 0; k < 40; k++) price = price * v + bond.y;
    return price;
}
extern "C" __global__ void __launch_bounds__(256) scenario_values(const float2 *__restrict__ bond, const float *__restrict__ shift,
                                                                   const float *__restrict__ holding, float *__restrict__ value)
{
    const float s = shift[blockIdx.x];
    float sum = 0.0f;
#pragma unroll 2
    for (int k = 0; k < 128; k++) sum += holding[k * 256 + threadIdx.x] * bond_price(bond[k], s);
    value[blockIdx.x * 256 + threadIdx.x] = sum;
}
extern "C" __global__ void __launch_bounds__(256) scenario_values_b(const float2 *__restrict__ bond, const float *__restrict__ shift,
                                                                     const float *__restrict__ holding, float *__restrict__ value)
{
    __shared__ float price[128];
    const float s = shift[blockIdx.x];
    if (threadIdx.x < 128) price[threadIdx.x] = bond_price(bond[threadIdx.x], s);
    __syncthreads();
    float sum = 0.0f;
#pragma unroll 8
    for (int k = 0; k < 128; k++) sum += holding[k * 256 + threadIdx.x] * price[k];
    value[blockIdx.x * 256 + threadIdx.x] = sum;
}

// Energy received in each of 16 bands; a photon has its band in the lower four bits.
extern "C" __global__ void __launch_bounds__(256) band_energies(const uint4 *__restrict__ photon, unsigned long long *total, int quads)
{
    __shared__ unsigned own[16];
    if (threadIdx.x < 16) own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < quads; i += gridDim.x * 256) {
        const uint4 p = photon[i];
        atomicAdd(&own[p.x & 15], p.x >> 4);
        atomicAdd(&own[p.y & 15], p.y >> 4);
        atomicAdd(&own[p.z & 15], p.z >> 4);
        atomicAdd(&own[p.w & 15], p.w >> 4);
    }
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&total[threadIdx.x], (unsigned long long)own[threadIdx.x]);
}
extern "C" __global__ void __launch_bounds__(256) band_energies_b(const uint4 *__restrict__ photon, unsigned long long *total, int quads)
{
    __shared__ unsigned own[16][32];
    for (int k = threadIdx.x; k < 512; k += 256) own[k / 32][k % 32] = 0;
    __syncthreads();
    const int lane = threadIdx.x % 32;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < quads; i += gridDim.x * 256) {
        const uint4 p = photon[i];
        atomicAdd(&own[p.x & 15][lane], p.x >> 4);
        atomicAdd(&own[p.y & 15][lane], p.y >> 4);
        atomicAdd(&own[p.z & 15][lane], p.z >> 4);
        atomicAdd(&own[p.w & 15][lane], p.w >> 4);
    }
    __syncthreads();
    if (threadIdx.x < 16) {
        unsigned long long sum = 0;
        for (int k = 0; k < 32; k++) sum += own[threadIdx.x][(k + threadIdx.x) % 32];
        atomicAdd(&total[threadIdx.x], sum);
    }
}
