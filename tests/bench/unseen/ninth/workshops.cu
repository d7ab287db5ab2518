// Robots, sensor networks, lenses, scans, sound, maps and layers of networks.

// The nearest range of each scan, and the first beam that has it.
extern "C" __global__ void nearest_obstacles(const float *range, float *nearest, int *beam, int beams, int scans)
{
    const int scan = blockIdx.x * blockDim.x + threadIdx.x;
    if (scan >= scans) return;
    const float *own = range + (size_t)scan * beams;
    float best = own[0];
    int at = 0;
    for (int k = 1; k < beams; k++) {
        const float r = own[k];
        if (r < best) best = r, at = k;
    }
    nearest[scan] = best;
    beam[scan] = at;
}
extern "C" __global__ void nearest_obstacles_b(const float *range, float *nearest, int *beam, int beams, int scans)
{
    const int scan = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (scan >= scans) return;
    const float *own = range + (size_t)scan * beams;
    float best = own[lane];
    int at = lane;
    for (int k = lane + 32; k < beams; k += 32) {
        const float r = own[k];
        if (r < best) best = r, at = k;
    }
    for (int d = 16; d > 0; d /= 2) {
        const float r = __shfl_down_sync(~0u, best, d);
        const int k = __shfl_down_sync(~0u, at, d);
        if (r < best || (r == best && k < at)) best = r, at = k;
    }
    if (lane == 0) nearest[scan] = best, beam[scan] = at;
}

// Least squares of each node's readings: a matrix of 8 by 8, positive definite, and a right side, by Cholesky's
// method in the upper half.
template <int ROOM>
__device__ void solve_nodes(const float *system, float *state, int order, float *s)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, me = threadIdx.x;
    const float *from = system + (size_t)blockIdx.x * 64 * 72;
    for (int r = warp; r < 64; r += 2) {
        s[r * ROOM + lane] = from[r * 72 + lane];
        s[r * ROOM + lane + 32] = from[r * 72 + lane + 32];
        if (lane < 8) s[r * ROOM + lane + 64] = from[r * 72 + lane + 64];
    }
    __syncthreads();
    float *a = s + me * ROOM, *b = a + 64;
    for (int j = 0; j < order; j++) {
        float d = a[j * 8 + j];
        for (int k = 0; k < j; k++) d -= a[k * 8 + j] * a[k * 8 + j];
        const float inverse = rsqrtf(d);
        a[j * 8 + j] = inverse;
        for (int i = j + 1; i < order; i++) {
            float sum = a[j * 8 + i];
            for (int k = 0; k < j; k++) sum -= a[k * 8 + i] * a[k * 8 + j];
            a[j * 8 + i] = sum * inverse;
        }
    }
    for (int i = 0; i < order; i++) {
        float sum = b[i];
        for (int k = 0; k < i; k++) sum -= a[k * 8 + i] * b[k];
        b[i] = sum * a[i * 8 + i];
    }
    for (int i = order - 1; i >= 0; i--) {
        float sum = b[i];
        for (int k = i + 1; k < order; k++) sum -= a[i * 8 + k] * b[k];
        b[i] = sum * a[i * 8 + i];
    }
    __syncthreads();
    for (int i = me; i < 512; i += 64) state[(size_t)blockIdx.x * 512 + i] = s[i / 8 * ROOM + 64 + i % 8];
}
extern "C" __global__ void __launch_bounds__(64) fuse_readings(const float *system, float *state, int order)
{
    __shared__ float s[64 * 72];
    solve_nodes<72>(system, state, order, s);
}
extern "C" __global__ void __launch_bounds__(64) fuse_readings_b(const float *system, float *state, int order)
{
    __shared__ float s[64 * 73];
    solve_nodes<73>(system, state, order, s);
}

// A hologram: the waves of 64 points of light summed at each pixel; lengths in pixels.
__constant__ float4 emitter[64];
extern "C" __global__ void hologram(float *field, float wave, int width)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < 64; k++) {
        const float dx = x - emitter[k].x, dy = y - emitter[k].y, dz = emitter[k].z;
        const float r = sqrtf(dx * dx + dy * dy + dz * dz);
        sum += emitter[k].w * cosf(wave * r) / r;
    }
    field[y * width + x] = sum;
}
extern "C" __global__ void hologram_b(float *field, float wave, int width)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < 64; k++) {
        const float dx = x - emitter[k].x, dy = y - emitter[k].y, dz = emitter[k].z;
        const float square = dx * dx + dy * dy + dz * dz, inverse = rsqrtf(square);
        sum += emitter[k].w * __cosf(wave * (square * inverse)) * inverse;
    }
    field[y * width + x] = sum;
}

// Readings of sensors through their calibration curve, a piece of the stream a block.
extern __shared__ float curve_here[];
extern "C" __global__ void __launch_bounds__(256)
    calibrate_nodes(const int *reading, const float *curve, float *value, int entries, int piece)
{
    for (int k = threadIdx.x; k < entries; k += 256) curve_here[k] = curve[k];
    __syncthreads();
    const int first = blockIdx.x * piece;
    for (int i = first + threadIdx.x; i < first + piece; i += 256) value[i] = curve_here[reading[i]];
}

// Flights of quadrotors to their targets under winds and gains; the cost of each. Rows of start: x y z, target x y z,
// wind x y, gain, damping, gain and damping of turns, drag.
extern "C" __global__ void __launch_bounds__(1024) fly_quadrotors(const float *start, float *cost, float dt, int steps, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = start[i], y = start[n + i], z = start[2 * n + i];
    const float tx = start[3 * n + i], ty = start[4 * n + i], tz = start[5 * n + i];
    const float wx = start[6 * n + i], wy = start[7 * n + i], gain = start[8 * n + i], damp = start[9 * n + i];
    const float turn = start[10 * n + i], calm = start[11 * n + i], drag = start[12 * n + i];
    float vx = 0.0f, vy = 0.0f, vz = 0.0f, roll = 0.0f, pitch = 0.0f, p = 0.0f, q = 0.0f, paid = 0.0f;
    float ex = 0.0f, ey = 0.0f, ez = 0.0f;
    for (int step = 0; step < steps; step++) {
        const float dx = tx - x, dy = ty - y, dz = tz - z;
        ex += dt * dx, ey += dt * dy, ez += dt * dz;
        const float thrust = 9.81f + gain * dz - damp * vz + 0.05f * ez;
        const float want_pitch = fminf(fmaxf(0.1f * (gain * dx - damp * vx) + 0.01f * ex, -0.5f), 0.5f);
        const float want_roll = fminf(fmaxf(0.1f * (damp * vy - gain * dy) - 0.01f * ey, -0.5f), 0.5f);
        p += dt * (turn * (want_roll - roll) - calm * p);
        q += dt * (turn * (want_pitch - pitch) - calm * q);
        roll += dt * p;
        pitch += dt * q;
        const float sr = __sinf(roll), cr = __cosf(roll), sp = __sinf(pitch), cp = __cosf(pitch);
        vx += dt * (thrust * sp * cr - drag * (vx - wx));
        vy += dt * (drag * (wy - vy) - thrust * sr);
        vz += dt * (thrust * cr * cp - 9.81f - drag * vz);
        x += dt * vx;
        y += dt * vy;
        z += dt * vz;
        paid += dt * (dx * dx + dy * dy + dz * dz + 0.1f * (p * p + q * q));
    }
    cost[i] = paid;
}

// Decay rate of a voxel from its 8 echoes, by Gauss and Newton.
__device__ float fit_decay(const float *echo, float spacing, int voxel, int n)
{
    float seen[8], size, rate = 2.0f;
#pragma unroll
    for (int k = 0; k < 8; k++) seen[k] = echo[(size_t)k * n + voxel];
    size = 1.5f * seen[0];
#pragma unroll 1
    for (int turn = 0; turn < 16; turn++) {
        float aa = 0.0f, ab = 0.0f, bb = 0.0f, ar = 0.0f, br = 0.0f;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            const float time = spacing * (k + 1), a = __expf(-rate * time), b = -size * time * a;
            const float off = seen[k] - size * a;
            aa += a * a, ab += a * b, bb += b * b, ar += a * off, br += b * off;
        }
        const float scale = __fdividef(1.0f, aa * bb - ab * ab + 1e-12f);
        size += scale * (bb * ar - ab * br);
        rate = fminf(fmaxf(rate + scale * (aa * br - ab * ar), 0.1f), 20.0f);
    }
    return rate;
}
extern "C" __global__ void fit_vessels(const float *echo, const unsigned char *inside, float *rate, float spacing, int n)
{
    const int voxel = blockIdx.x * blockDim.x + threadIdx.x;
    if (voxel < n && inside[voxel]) rate[voxel] = fit_decay(echo, spacing, voxel, n);
}
// list: the voxels inside, count of them.
extern "C" __global__ void
fit_vessels_b(const float *echo, const int *list, float *rate, float spacing, int n, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) rate[list[i]] = fit_decay(echo, spacing, list[i], n);
}

// Telephone calls from codes of 8 bits (mu-law) to samples of 16, four at a time.
__constant__ int mulaw[256];
extern "C" __global__ void __launch_bounds__(256) expand_calls(const unsigned *code, short4 *sample, int words)
{
    for (int i = blockIdx.x * 256 + threadIdx.x; i < words; i += gridDim.x * 256) {
        const unsigned c = code[i];
        sample[i] = make_short4(mulaw[c & 255], mulaw[c >> 8 & 255], mulaw[c >> 16 & 255], mulaw[c >> 24]);
    }
}
extern "C" __global__ void __launch_bounds__(256)
    expand_calls_b(const unsigned *code, const int *level, short4 *sample, int words)
{
    __shared__ int here[256];
    here[threadIdx.x] = level[threadIdx.x];
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < words; i += gridDim.x * 256) {
        const unsigned c = code[i];
        sample[i] = make_short4(here[c & 255], here[c >> 8 & 255], here[c >> 16 & 255], here[c >> 24]);
    }
}

// Closed contour lines of a map, smoothed by 16 weights around each ring; a contour a row.
__constant__ float ring_weight[16];
extern "C" __global__ void smooth_contours(const float *line, float *smooth, long long length)
{
    const long long point = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (point >= length) return;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 16; k++) sum += ring_weight[k] * line[row * length + (point + k) % length];
    smooth[row * length + point] = sum;
}
extern "C" __global__ void smooth_contours_b(const float *line, float *smooth, long long length)
{
    const int point = blockIdx.x * blockDim.x + threadIdx.x, points = length;
    if (point >= points) return;
    const float *own = line + blockIdx.y * length;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 16; k++) {
        const int at = point + k;
        sum += ring_weight[k] * own[at < points ? at : at - points];
    }
    smooth[blockIdx.y * length + point] = sum;
}

// Reverberation: 256 taps over the samples that follow, both in shared memory.
extern "C" __global__ void __launch_bounds__(256) room_reverb(const float *sample, const float *tap, float *sound)
{
    __shared__ float s[512], h[256];
    const int me = threadIdx.x;
    const float *from = sample + blockIdx.x * 256;
    s[me] = from[me], s[me + 256] = from[me + 256], h[me] = tap[me];
    __syncthreads();
    float sum = 0.0f;
#pragma unroll 16
    for (int k = 0; k < 256; k++) sum += h[k] * s[me + k];
    sound[blockIdx.x * 256 + me] = sum;
}
extern "C" __global__ void __launch_bounds__(128) room_reverb_b(const float *sample, const float *tap, float *sound)
{
    __shared__ __align__(16) float s[1280], h[256];
    const int me = threadIdx.x;
    const float *from = sample + blockIdx.x * 1024;
    for (int k = me; k < 1280; k += 128) s[k] = from[k];
    h[me] = tap[me], h[me + 128] = tap[me + 128];
    __syncthreads();
    float sum[8] = {}, w[16];
    const float4 *own = reinterpret_cast<const float4 *>(s + 8 * me), *coefficient = reinterpret_cast<const float4 *>(h);
    *reinterpret_cast<float4 *>(w) = own[0], *reinterpret_cast<float4 *>(w + 4) = own[1];
#pragma unroll 2
    for (int k = 0; k < 32; k++) {
        *reinterpret_cast<float4 *>(w + 8) = own[2 * k + 2], *reinterpret_cast<float4 *>(w + 12) = own[2 * k + 3];
        const float4 c0 = coefficient[2 * k], c1 = coefficient[2 * k + 1];
        const float c[8] = {c0.x, c0.y, c0.z, c0.w, c1.x, c1.y, c1.z, c1.w};
#pragma unroll
        for (int t = 0; t < 8; t++)
#pragma unroll
            for (int j = 0; j < 8; j++) sum[j] += c[t] * w[t + j];
#pragma unroll
        for (int j = 0; j < 8; j++) w[j] = w[j + 8];
    }
    float4 *to = reinterpret_cast<float4 *>(sound + blockIdx.x * 1024 + 8 * me);
    to[0] = make_float4(sum[0], sum[1], sum[2], sum[3]), to[1] = make_float4(sum[4], sum[5], sum[6], sum[7]);
}

// Softmax over 1024 classes, a row a block.
extern "C" __global__ void __launch_bounds__(1024) class_odds(const float *score, float *odds)
{
    __shared__ float s[1024];
    const int me = threadIdx.x;
    const size_t at = (size_t)blockIdx.x * 1024 + me;
    const float x = score[at];
    s[me] = x;
    __syncthreads();
    for (int k = 512; k > 0; k /= 2) {
        if (me < k) s[me] = fmaxf(s[me], s[me + k]);
        __syncthreads();
    }
    const float e = __expf(x - s[0]);
    __syncthreads();
    s[me] = e;
    __syncthreads();
    for (int k = 512; k > 0; k /= 2) {
        if (me < k) s[me] += s[me + k];
        __syncthreads();
    }
    odds[at] = __fdividef(e, s[0]);
}
// A row a warp.
extern "C" __global__ void __launch_bounds__(256) class_odds_b(const float *score, float *odds)
{
    const int lane = threadIdx.x % 32;
    const size_t at = ((size_t)blockIdx.x * 8 + threadIdx.x / 32) * 1024 + lane;
    float e[32], most = -3e38f, sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 32; k++) e[k] = score[at + 32 * k];
#pragma unroll
    for (int k = 0; k < 32; k++) most = fmaxf(most, e[k]);
    for (int k = 16; k > 0; k /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, k));
#pragma unroll
    for (int k = 0; k < 32; k++) e[k] = __expf(e[k] - most), sum += e[k];
    for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(~0u, sum, k);
#pragma unroll
    for (int k = 0; k < 32; k++) odds[at + 32 * k] = __fdividef(e[k], sum);
}

// Voxels of a scan above each of 8 levels.
__constant__ float calcium[8];
__device__ unsigned above(float4 v, float level)
{
    return (v.x > level) + (v.y > level) + (v.z > level) + (v.w > level);
}
__device__ void add_count(unsigned count, unsigned *here)
{
    count = __reduce_add_sync(~0u, count);
    if (threadIdx.x % 32 == 0) atomicAdd(here, count);
}
extern "C" __global__ void __launch_bounds__(256) calcium_levels(const float4 *density, unsigned *count, int quads)
{
    __shared__ unsigned here[8];
    if (threadIdx.x < 8) here[threadIdx.x] = 0;
    __syncthreads();
    for (int m = 0; m < 8; m++) {
        const float level = calcium[m];
        unsigned own = 0;
#pragma unroll 4
        for (int i = blockIdx.x * 256 + threadIdx.x; i < quads; i += gridDim.x * 256) own += above(density[i], level);
        add_count(own, &here[m]);
    }
    __syncthreads();
    if (threadIdx.x < 8) atomicAdd(&count[threadIdx.x], here[threadIdx.x]);
}
extern "C" __global__ void __launch_bounds__(256) calcium_levels_b(const float4 *density, unsigned *count, int quads)
{
    __shared__ unsigned here[8];
    if (threadIdx.x < 8) here[threadIdx.x] = 0;
    __syncthreads();
    unsigned own[8] = {};
#pragma unroll 4
    for (int i = blockIdx.x * 256 + threadIdx.x; i < quads; i += gridDim.x * 256) {
        const float4 v = density[i];
#pragma unroll
        for (int m = 0; m < 8; m++) own[m] += above(v, calcium[m]);
    }
#pragma unroll
    for (int m = 0; m < 8; m++) add_count(own[m], &here[m]);
    __syncthreads();
    if (threadIdx.x < 8) atomicAdd(&count[threadIdx.x], here[threadIdx.x]);
}

// Gate weights summed by expert, for each of many threads: the expert in the low 4 bits, the weight in the others.
extern "C" __global__ void __launch_bounds__(256)
    expert_loads(const unsigned *__restrict__ gate, unsigned *__restrict__ load, int rows, int threads)
{
    const int me = blockIdx.x * 256 + threadIdx.x;
    unsigned sum[16];
    for (int e = 0; e < 16; e++) sum[e] = 0;
#pragma unroll 8
    for (int r = 0; r < rows; r++) {
        const unsigned g = gate[(size_t)r * threads + me];
        sum[g & 15] += g >> 4;
    }
    for (int e = 0; e < 16; e++) load[e * threads + me] = sum[e];
}
extern "C" __global__ void __launch_bounds__(256)
    expert_loads_b(const unsigned *__restrict__ gate, unsigned *__restrict__ load, int rows, int threads)
{
    const int me = blockIdx.x * 256 + threadIdx.x;
    __shared__ unsigned sum[16][256];
    for (int e = 0; e < 16; e++) sum[e][threadIdx.x] = 0;
#pragma unroll 8
    for (int r = 0; r < rows; r++) {
        const unsigned g = gate[(size_t)r * threads + me];
        sum[g & 15][threadIdx.x] += g >> 4;
    }
    for (int e = 0; e < 16; e++) load[e * threads + me] = sum[e][threadIdx.x];
}

// Products of the poses of links, matrices of 4 by 4: a thread an element, threads (4, 4, poses of a block).
extern "C" __global__ void pose_products(const float4 *parent, const float *local, float *world)
{
    const size_t pose = (size_t)blockIdx.x * blockDim.z + threadIdx.z;
    const int row = threadIdx.y, column = threadIdx.x;
    const float4 a = parent[pose * 4 + row];
    const float *b = local + pose * 16 + column;
    world[pose * 16 + row * 4 + column] = a.x * b[0] + a.y * b[4] + a.z * b[8] + a.w * b[12];
}

// Rows of a scan enlarged with Lanczos' kernel of three lobes.
__device__ float lanczos(float d)
{
    const float a = 3.14159265f * d;
    return fabsf(a) < 1e-5f ? 1.0f : 3.0f * sinf(a) * sinf(a / 3.0f) / (a * a);
}
extern "C" __global__ void __launch_bounds__(256)
    zoom_slices(const float *slice, float *large, float scale, int width, int out_width)
{
    const int x = blockIdx.x * 256 + threadIdx.x;
    const float *row = slice + (size_t)blockIdx.y * width;
    const float s = (x + 0.5f) * scale - 0.5f;
    const int first = (int)floorf(s) - 2;
    float sum = 0.0f, total = 0.0f;
#pragma unroll
    for (int k = 0; k < 6; k++) {
        const float w = lanczos(s - (first + k));
        sum += w * row[min(max(first + k, 0), width - 1)];
        total += w;
    }
    large[(size_t)blockIdx.y * out_width + x] = sum / total;
}
// weight: 6 rows, a column for each x.
extern "C" __global__ void __launch_bounds__(256)
    zoom_slices_b(const float *slice, const float *weight, float *large, float scale, int width, int out_width)
{
    const int x = blockIdx.x * 256 + threadIdx.x;
    const float *row = slice + (size_t)blockIdx.y * width;
    const float s = (x + 0.5f) * scale - 0.5f;
    const int first = (int)floorf(s) - 2;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 6; k++) sum += weight[k * out_width + x] * row[min(max(first + k, 0), width - 1)];
    large[(size_t)blockIdx.y * out_width + x] = sum;
}
