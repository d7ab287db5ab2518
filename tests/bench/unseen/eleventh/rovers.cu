// Robots, scanners and pictures: arms, snakes, laser scans, magnetic resonance, lenses.

// Dexterity of an arm after Yoshikawa: the root of det(J J^T) of its Jacobian at each set of joint angles.
// link: length, offset, cosine and sine of the twist (Denavit and Hartenberg); angle: rows of joints.
extern __shared__ float scratch[];
__device__ void dexterity_of(
    const float4 *__restrict__ link, const float *__restrict__ angle, float *__restrict__ dexterity, int joints, int n,
    int pitch)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float *J = scratch + threadIdx.x * pitch; // 6 rows of joints
    float xx = 1, xy = 0, xz = 0, yx = 0, yy = 1, yz = 0, zx = 0, zy = 0, zz = 1;
    float px = 0, py = 0, pz = 0;
    for (int j = 0; j < joints; j++) {
        J[0 * joints + j] = px;
        J[1 * joints + j] = py;
        J[2 * joints + j] = pz;
        J[3 * joints + j] = zx;
        J[4 * joints + j] = zy;
        J[5 * joints + j] = zz;
        const float4 l = link[j];
        float s, c;
        __sincosf(angle[(size_t)j * n + i], &s, &c);
        const float ax = c * xx + s * yx, ay = c * xy + s * yy, az = c * xz + s * yz;
        const float bx = c * yx - s * xx, by = c * yy - s * xy, bz = c * yz - s * xz;
        px += l.x * ax + l.y * zx;
        py += l.x * ay + l.y * zy;
        pz += l.x * az + l.y * zz;
        xx = ax, xy = ay, xz = az;
        yx = l.z * bx + l.w * zx, yy = l.z * by + l.w * zy, yz = l.z * bz + l.w * zz;
        zx = l.z * zx - l.w * bx, zy = l.z * zy - l.w * by, zz = l.z * zz - l.w * bz;
    }
    for (int j = 0; j < joints; j++) {
        const float rx = px - J[j], ry = py - J[joints + j], rz = pz - J[2 * joints + j];
        const float ux = J[3 * joints + j], uy = J[4 * joints + j], uz = J[5 * joints + j];
        J[0 * joints + j] = uy * rz - uz * ry;
        J[1 * joints + j] = uz * rx - ux * rz;
        J[2 * joints + j] = ux * ry - uy * rx;
    }
    float A[6][6];
#pragma unroll
    for (int r = 0; r < 6; r++)
#pragma unroll
        for (int c = 0; c <= r; c++) {
            float sum = 0.0f;
            for (int j = 0; j < joints; j++) sum += J[r * joints + j] * J[c * joints + j];
            A[r][c] = sum;
        }
    float det = 1.0f;
#pragma unroll
    for (int k = 0; k < 6; k++) {
        const float pivot = fmaxf(A[k][k], 1e-12f), inverse = __fdividef(1.0f, pivot);
        det *= pivot;
#pragma unroll
        for (int r = k + 1; r < 6; r++)
#pragma unroll
            for (int c = k + 1; c <= r; c++) A[r][c] -= A[r][k] * A[c][k] * inverse;
    }
    dexterity[i] = sqrtf(det);
}
extern "C" __global__ void __launch_bounds__(128) arm_dexterity(
    const float4 *__restrict__ link, const float *__restrict__ angle, float *__restrict__ dexterity, int joints, int n)
{
    dexterity_of(link, angle, dexterity, joints, n, 6 * joints);
}
extern "C" __global__ void __launch_bounds__(128) arm_dexterity_b(
    const float4 *__restrict__ link, const float *__restrict__ angle, float *__restrict__ dexterity, int joints, int n)
{
    dexterity_of(link, angle, dexterity, joints, n, 6 * joints + 1);
}

// Torques in the joints of a snake robot in a plane by Newton and Euler, from angles, speeds and accelerations of its
// joints; all in rows of n. Links are alike.
constexpr int MAX_LINKS = 16;
constexpr float LENGTH = 0.2f, HALF = 0.1f, MASS = 0.5f, INERTIA = 0.0017f, GRAVITY = 9.81f;
extern "C" __global__ void __launch_bounds__(256) snake_torques(
    const float *__restrict__ angle, const float *__restrict__ speed, const float *__restrict__ accel,
    float *__restrict__ torque, int links, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sine[MAX_LINKS], cosine[MAX_LINKS], ax[MAX_LINKS], ay[MAX_LINKS], turn[MAX_LINKS];
    float phi = 0, omega = 0, alpha = 0, jx = 0, jy = 0;
    for (int k = 0; k < links; k++) {
        phi += angle[(size_t)k * n + i];
        omega += speed[(size_t)k * n + i];
        alpha += accel[(size_t)k * n + i];
        __sincosf(phi, &sine[k], &cosine[k]);
        float gx = -alpha * sine[k] - omega * omega * cosine[k];
        float gy = alpha * cosine[k] - omega * omega * sine[k];
        ax[k] = jx + HALF * gx;
        ay[k] = jy + HALF * gy;
        turn[k] = alpha;
        jx += LENGTH * gx;
        jy += LENGTH * gy;
    }
    float fx = 0, fy = 0, sum = 0;
    for (int k = links - 1; k >= 0; k--) {
        float mx = MASS * ax[k], my = MASS * (ay[k] + GRAVITY);
        sum += INERTIA * turn[k] + HALF * (cosine[k] * my - sine[k] * mx);
        sum += LENGTH * (cosine[k] * fy - sine[k] * fx);
        fx += mx;
        fy += my;
        torque[(size_t)k * n + i] = sum;
    }
}
template <int LINKS>
__device__ __forceinline__ void torques(
    const float *__restrict__ angle, const float *__restrict__ speed, const float *__restrict__ accel,
    float *__restrict__ torque, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sine[LINKS], cosine[LINKS], ax[LINKS], ay[LINKS], turn[LINKS];
    float phi = 0, omega = 0, alpha = 0, jx = 0, jy = 0;
#pragma unroll
    for (int k = 0; k < LINKS; k++) {
        phi += angle[(size_t)k * n + i];
        omega += speed[(size_t)k * n + i];
        alpha += accel[(size_t)k * n + i];
        __sincosf(phi, &sine[k], &cosine[k]);
        float gx = -alpha * sine[k] - omega * omega * cosine[k];
        float gy = alpha * cosine[k] - omega * omega * sine[k];
        ax[k] = jx + HALF * gx;
        ay[k] = jy + HALF * gy;
        turn[k] = alpha;
        jx += LENGTH * gx;
        jy += LENGTH * gy;
    }
    float fx = 0, fy = 0, sum = 0;
#pragma unroll
    for (int k = LINKS - 1; k >= 0; k--) {
        float mx = MASS * ax[k], my = MASS * (ay[k] + GRAVITY);
        sum += INERTIA * turn[k] + HALF * (cosine[k] * my - sine[k] * mx);
        sum += LENGTH * (cosine[k] * fy - sine[k] * fx);
        fx += mx;
        fy += my;
        torque[(size_t)k * n + i] = sum;
    }
}
extern "C" __global__ void __launch_bounds__(256) snake_torques_b(
    const float *__restrict__ angle, const float *__restrict__ speed, const float *__restrict__ accel,
    float *__restrict__ torque, int n)
{
    torques<12>(angle, speed, accel, torque, n);
}

// Normal equations of a step of point-to-plane alignment for pairs of laser scans of m points each: 21 products and 6
// right sides a pair. points: rows of source, target and normal, x, y and z each, over all points.
constexpr int SUMS = 27;
__device__ void align_part(const float *__restrict__ points, float *sums, int pair, int first, int last, int m, int all)
{
    float sum[SUMS];
#pragma unroll
    for (int k = 0; k < SUMS; k++) sum[k] = 0.0f;
    for (int j = first + threadIdx.x; j < last; j += blockDim.x) {
        const int i = pair * m + j;
        const float sx = points[i], sy = points[all + i], sz = points[2 * all + i];
        const float tx = points[3 * all + i], ty = points[4 * all + i], tz = points[5 * all + i];
        const float nx = points[6 * all + i], ny = points[7 * all + i], nz = points[8 * all + i];
        const float row[6] = {sy * nz - sz * ny, sz * nx - sx * nz, sx * ny - sy * nx, nx, ny, nz};
        const float off = (tx - sx) * nx + (ty - sy) * ny + (tz - sz) * nz;
        int at = 0;
#pragma unroll
        for (int r = 0; r < 6; r++)
#pragma unroll
            for (int c = 0; c <= r; c++) sum[at++] += row[r] * row[c];
#pragma unroll
        for (int r = 0; r < 6; r++) sum[at++] += row[r] * off;
    }
    __shared__ float total[SUMS];
    if (threadIdx.x < SUMS) total[threadIdx.x] = 0.0f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < SUMS; k++) {
#pragma unroll
        for (int d = 16; d > 0; d /= 2) sum[k] += __shfl_down_sync(~0u, sum[k], d);
        if (threadIdx.x % 32 == 0) atomicAdd(&total[k], sum[k]);
    }
    __syncthreads();
    if (threadIdx.x < SUMS) atomicAdd(&sums[pair * SUMS + threadIdx.x], total[threadIdx.x]);
}
extern "C" __global__ void __launch_bounds__(256)
    align_scans(const float *__restrict__ points, float *sums, int m, int all)
{
    align_part(points, sums, blockIdx.x, 0, m, m, all);
}
extern "C" __global__ void __launch_bounds__(256)
    align_scans_b(const float *__restrict__ points, float *sums, int m, int all)
{
    const int share = (m + gridDim.x - 1) / gridDim.x, first = blockIdx.x * share;
    align_part(points, sums, blockIdx.y, first, min(first + share, m), m, all);
}

// Points of a turning laser scanner in the frame of the world: 128 rings, 1024 columns a turn, columns one after
// another. pose: place and quaternion at the beginning of each turn, 8 floats; cloud: planes of x, y, z.
constexpr int RINGS = 128, COLUMNS = 1024;
constexpr float LOWEST = -0.4f, RING_STEP = 0.006f, COLUMN_STEP = 6.2831853f / COLUMNS;
struct Frame {
    float r[9], x, y, z;
};
__device__ Frame frame_at(const float *__restrict__ pose, int column)
{
    const float *a = pose + 8 * (column / COLUMNS), *b = a + 8;
    const float u = (column % COLUMNS) / (float)COLUMNS;
    float dot = a[4] * b[4] + a[5] * b[5] + a[6] * b[6] + a[7] * b[7];
    const float sign = dot < 0 ? -1.0f : 1.0f;
    const float angle = acosf(fminf(fabsf(dot), 0.999999f)), over = 1.0f / sinf(angle);
    const float wa = sinf((1.0f - u) * angle) * over, wb = sign * sinf(u * angle) * over;
    const float w = wa * a[4] + wb * b[4], i = wa * a[5] + wb * b[5];
    const float j = wa * a[6] + wb * b[6], k = wa * a[7] + wb * b[7];
    Frame f;
    f.r[0] = 1 - 2 * (j * j + k * k), f.r[1] = 2 * (i * j - k * w), f.r[2] = 2 * (i * k + j * w);
    f.r[3] = 2 * (i * j + k * w), f.r[4] = 1 - 2 * (i * i + k * k), f.r[5] = 2 * (j * k - i * w);
    f.r[6] = 2 * (i * k - j * w), f.r[7] = 2 * (j * k + i * w), f.r[8] = 1 - 2 * (i * i + j * j);
    f.x = a[0] + u * (b[0] - a[0]);
    f.y = a[1] + u * (b[1] - a[1]);
    f.z = a[2] + u * (b[2] - a[2]);
    return f;
}
extern "C" __global__ void __launch_bounds__(256)
    deskew_scan(const float *__restrict__ range, const float *__restrict__ pose, float *__restrict__ cloud, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int column = i / RINGS, ring = i % RINGS;
    Frame f = frame_at(pose, column);
    float azimuth = (column % COLUMNS) * COLUMN_STEP;
    float elevation = LOWEST + ring * RING_STEP;
    float x = range[i] * cosf(elevation) * cosf(azimuth);
    float y = range[i] * cosf(elevation) * sinf(azimuth);
    float z = range[i] * sinf(elevation);
    cloud[i] = f.r[0] * x + f.r[1] * y + f.r[2] * z + f.x;
    cloud[n + i] = f.r[3] * x + f.r[4] * y + f.r[5] * z + f.y;
    cloud[2 * n + i] = f.r[6] * x + f.r[7] * y + f.r[8] * z + f.z;
}
// 32 columns a block of 128 threads, a ring a thread.
extern "C" __global__ void __launch_bounds__(128)
    deskew_scan_b(const float *__restrict__ range, const float *__restrict__ pose, float *__restrict__ cloud, int n)
{
    __shared__ float4 row[32][3]; // of each column: out along the beam's azimuth, up, and the place
    const int first = blockIdx.x * 32, ring = threadIdx.x;
    if (threadIdx.x < 32) {
        const int column = first + threadIdx.x;
        const Frame f = frame_at(pose, column);
        float s, c;
        sincosf((column % COLUMNS) * COLUMN_STEP, &s, &c);
        row[threadIdx.x][0] = make_float4(f.r[0] * c + f.r[1] * s, f.r[2], f.x, 0.0f);
        row[threadIdx.x][1] = make_float4(f.r[3] * c + f.r[4] * s, f.r[5], f.y, 0.0f);
        row[threadIdx.x][2] = make_float4(f.r[6] * c + f.r[7] * s, f.r[8], f.z, 0.0f);
    }
    float up, out;
    sincosf(LOWEST + ring * RING_STEP, &up, &out);
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < 32; k++) {
        const int i = (first + k) * RINGS + ring;
        const float d = range[i], flat = d * out, z = d * up;
        const float4 a = row[k][0], b = row[k][1], c = row[k][2];
        cloud[i] = a.x * flat + a.y * z + a.z;
        cloud[n + i] = b.x * flat + b.y * z + b.z;
        cloud[2 * n + i] = c.x * flat + c.y * z + c.z;
    }
}

// Magnitude of a picture of magnetic resonance: root of the sum of squares over its coils, each by its noise.
// signal: the complex values of all coils for a voxel, then those for the next.
extern "C" __global__ void coil_magnitudes(
    const float2 *__restrict__ signal, const float *__restrict__ weight, float *__restrict__ magnitude, int coils,
    int voxels)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= voxels) return;
    float sum = 0.0f;
    for (int c = 0; c < coils; c++) {
        float2 s = signal[(size_t)v * coils + c];
        sum += weight[c] * (s.x * s.x + s.y * s.y);
    }
    magnitude[v] = sqrtf(sum);
}
// A coil a lane, 32 coils; eight voxels a warp.
extern "C" __global__ void coil_magnitudes_b(
    const float2 *__restrict__ signal, const float *__restrict__ weight, float *__restrict__ magnitude, int coils,
    int voxels)
{
    const int lane = threadIdx.x % 32, first = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 8;
    const float mine = weight[lane];
    float kept = 0.0f;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        const float2 s = signal[(size_t)(first + k) * 32 + lane];
        float sum = mine * (s.x * s.x + s.y * s.y);
#pragma unroll
        for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
        if (lane == k) kept = sum;
    }
    if (lane < 8) magnitude[first + lane] = sqrtf(kept);
}

// Shading of a lens taken out of a raw picture: black level off, gain by an even polynomial of the distance.
__device__ float brighten(float raw, float black, float4 gain, float cx, float cy, float scale, int x, int y)
{
    const float dx = (x - cx) * scale, dy = (y - cy) * scale, q = dx * dx + dy * dy;
    return fmaxf(raw - black, 0.0f) * (gain.x + q * (gain.y + q * (gain.z + q * gain.w)));
}
extern "C" __global__ void level_shading(
    const float *__restrict__ raw, float *__restrict__ flat, const float4 *__restrict__ gain, float black, float cx,
    float cy, float scale, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        flat[y * width + x] = brighten(raw[y * width + x], black, *gain, cx, cy, scale, x, y);
}
extern "C" __global__ void __launch_bounds__(256) level_shading_b(
    const float *__restrict__ raw, float *__restrict__ flat, const float4 *__restrict__ gain, float black, float cx,
    float cy, float scale, int width, int height)
{
    const int x = blockIdx.x * 32 + threadIdx.x, top = blockIdx.y * 64 + threadIdx.y;
    const float4 g = *gain;
    if (x >= width) return;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        const int y = top + 8 * k;
        if (y < height) flat[y * width + x] = brighten(raw[y * width + x], black, g, cx, cy, scale, x, y);
    }
}
