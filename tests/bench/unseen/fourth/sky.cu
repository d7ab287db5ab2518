// Orbits, tides, lattices, air, classes of stars.

// Orbits around a flattened planet; each thread has four satellites, of which place and speed lie in [6][satellites].
struct Body {
    float x, y, z, u, v, w;
};
__device__ void orbit_step(Body &b, float dt)
{
    const float r2 = b.x * b.x + b.y * b.y + b.z * b.z, i = rsqrtf(r2), i2 = i * i;
    const float sine = b.z * b.z * i2, j = 1.6e-3f * i2;
    const float in = -dt * i * i2 * (1.0f + j * (1.0f - 5.0f * sine)), up = -2.0f * dt * i * i2 * j;
    b.u = fmaf(in, b.x, b.u);
    b.v = fmaf(in, b.y, b.v);
    b.w = fmaf(in + up, b.z, b.w);
    b.x = fmaf(dt, b.u, b.x);
    b.y = fmaf(dt, b.v, b.y);
    b.z = fmaf(dt, b.w, b.z);
}
__device__ Body loaded(const float *s, int n, int k) { return {s[k], s[n + k], s[2 * n + k], s[3 * n + k], s[4 * n + k], s[5 * n + k]}; }
__device__ void stored(const Body &b, float *s, int n, int k)
{
    s[k] = b.x, s[n + k] = b.y, s[2 * n + k] = b.z, s[3 * n + k] = b.u, s[4 * n + k] = b.v, s[5 * n + k] = b.w;
}
extern "C" __global__ void satellites(const float *start, float *end, int n, int steps, float dt)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    for (int k = t; k < n; k += threads) {
        Body b = loaded(start, n, k);
        for (int step = 0; step < steps; step++) orbit_step(b, dt);
        stored(b, end, n, k);
    }
}
extern "C" __global__ void satellites_b(const float *start, float *end, int n, int steps, float dt)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    Body b[4];
#pragma unroll
    for (int k = 0; k < 4; k++) b[k] = loaded(start, n, t + k * threads);
    for (int step = 0; step < steps; step++) {
#pragma unroll
        for (int k = 0; k < 4; k++) orbit_step(b[k], dt);
    }
#pragma unroll
    for (int k = 0; k < 4; k++) stored(b[k], end, n, t + k * threads);
}

// Height of the tide at stations each hour, of 16 constituents; size and phase are [16][stations], height [hour][station].
extern "C" __global__ void __launch_bounds__(256) tide_heights(const float *size, const float *phase, float *height, int stations, int hours)
{
    constexpr float speed[16] = {0.2339f, 0.2433f, 0.2596f, 0.2625f, 0.2643f, 0.4868f, 0.4964f, 0.5059f,
                                 0.5154f, 0.5236f, 0.5250f, 0.7593f, 0.7699f, 0.9856f, 1.0019f, 1.0137f};
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= stations) return;
    float a[16], p[16];
#pragma unroll
    for (int k = 0; k < 16; k++) a[k] = size[k * stations + s], p[k] = phase[k * stations + s];
#pragma unroll 1
    for (int h = 0; h < hours; h++) {
        float sum = 0;
#pragma unroll
        for (int k = 0; k < 16; k++) sum = fmaf(a[k], __cosf(fmaf(speed[k], (float)h, p[k])), sum);
        height[(size_t)h * stations + s] = sum;
    }
}
extern "C" __global__ void __launch_bounds__(256) tide_heights_b(const float *size, const float *phase, float *height, int stations, int hours)
{
    constexpr float speed[16] = {0.2339f, 0.2433f, 0.2596f, 0.2625f, 0.2643f, 0.4868f, 0.4964f, 0.5059f,
                                 0.5154f, 0.5236f, 0.5250f, 0.7593f, 0.7699f, 0.9856f, 1.0019f, 1.0137f};
    constexpr float twice[16] = {1.945539760f, 1.941096537f, 1.932985466f, 1.931488515f, 1.930551202f, 1.767668683f,
                                 1.758605607f, 1.749477387f, 1.740191277f, 1.732049583f, 1.730647883f, 1.450636156f,
                                 1.435960559f, 1.104726103f, 1.077405073f, 1.057447620f}; // 2 cos(speed)
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= stations) return;
    float now[16], before[16];
#pragma unroll
    for (int k = 0; k < 16; k++) {
        const float a = size[k * stations + s], p = phase[k * stations + s];
        now[k] = a * __cosf(p);
        before[k] = a * __cosf(p - speed[k]);
    }
#pragma unroll 1
    for (int h = 0; h < hours; h += 2) { // hours is even
        float sum = 0, later = 0;
#pragma unroll
        for (int k = 0; k < 16; k++) {
            sum += now[k];
            before[k] = fmaf(twice[k], now[k], -before[k]);
            later += before[k];
            now[k] = fmaf(twice[k], before[k], -now[k]);
        }
        height[(size_t)h * stations + s] = sum;
        height[(size_t)(h + 1) * stations + s] = later;
    }
}

// Energy of the sites of a periodic lattice with 18 neighbours each; blockIdx is (x, y, z).
__constant__ int4 neighbour[18] = {{1, 0, 0, 4},  {-1, 0, 0, 4}, {0, 1, 0, 4},  {0, -1, 0, 4}, {0, 0, 1, 4},   {0, 0, -1, 4},
                                   {1, 1, 0, 1},  {1, -1, 0, 1}, {-1, 1, 0, 1}, {-1, -1, 0, 1}, {1, 0, 1, 1},  {1, 0, -1, 1},
                                   {-1, 0, 1, 1}, {-1, 0, -1, 1}, {0, 1, 1, 1}, {0, 1, -1, 1}, {0, -1, 1, 1}, {0, -1, -1, 1}};
extern "C" __global__ void lattice_energy(const int *spin, int *energy, int nx, int ny, int nz)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
    if (x >= nx) return;
    int sum = 0;
#pragma unroll 2
    for (int k = 0; k < 18; k++) {
        const int4 d = neighbour[k];
        sum += d.w * spin[((z + d.z + nz) % nz * ny + (y + d.y + ny) % ny) * nx + (x + d.x + nx) % nx];
    }
    energy[(z * ny + y) * nx + x] = -sum * spin[(z * ny + y) * nx + x];
}
__device__ int wrapped(int i, int n) { return i < 0 ? i + n : i >= n ? i - n : i; }
extern "C" __global__ void lattice_energy_b(const int *spin, int *energy, int nx, int ny, int nz)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
    if (x >= nx) return;
    int sum = 0;
#pragma unroll 2
    for (int k = 0; k < 18; k++) {
        const int4 d = neighbour[k];
        sum += d.w * spin[(wrapped(z + d.z, nz) * ny + wrapped(y + d.y, ny)) * nx + wrapped(x + d.x, nx)];
    }
    energy[(z * ny + y) * nx + x] = -sum * spin[(z * ny + y) * nx + x];
}

// Light of 12 wavelengths through 32 layers of air, a pixel a thread; a block takes `rows` rows of 1024 pixels.
extern "C" __global__ void __launch_bounds__(1024, 1) through_air(const float *haze, float *light, int rows)
{
    for (int r = blockIdx.x * rows; r < (blockIdx.x + 1) * rows; r++) {
        const float h = haze[r * 1024 + threadIdx.x];
        float passed[12], seen[12];
#pragma unroll
        for (int k = 0; k < 12; k++) passed[k] = 1.0f, seen[k] = 0.0f;
        float dense = h;
#pragma unroll 1
        for (int layer = 0; layer < 32; layer++) {
            dense = fmaf(-0.07f, dense, dense);
#pragma unroll
            for (int k = 0; k < 12; k++) {
                const float lost = passed[k] * dense * (0.05f + 0.01f * k);
                seen[k] = fmaf(0.9f - 0.03f * k, lost, seen[k]);
                passed[k] -= lost;
            }
        }
        float sum = 0;
#pragma unroll
        for (int k = 0; k < 12; k++) sum = fmaf(seen[k] + 0.2f * passed[k], 1.0f + 0.1f * k, sum);
        light[r * 1024 + threadIdx.x] = sum;
    }
}

// The highest likelihood that a star, of three colours, has under 64 classes of (offset, three slopes).
__constant__ float star_class[256];
extern "C" __global__ void star_scores(const float *colour, const float *classes, float *best, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float a = colour[i], b = colour[n + i], c = colour[2 * n + i];
    float high = -1e30f;
#pragma unroll 16
    for (int k = 0; k < 64; k++)
        high = fmaxf(high, fmaf(c, classes[4 * k + 3], fmaf(b, classes[4 * k + 2], fmaf(a, classes[4 * k + 1], classes[4 * k]))));
    best[i] = high;
}
extern "C" __global__ void star_scores_b(const float *colour, float *best, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float a = colour[i], b = colour[n + i], c = colour[2 * n + i];
    float high = -1e30f;
#pragma unroll
    for (int k = 0; k < 64; k++)
        high = fmaxf(high, fmaf(c, star_class[4 * k + 3], fmaf(b, star_class[4 * k + 2], fmaf(a, star_class[4 * k + 1], star_class[4 * k]))));
    best[i] = high;
}
