// Bodies, fields and materials: moons, magnets, lattices, ferroelectrics, craters, roofs, pores, contacts.

// Moons about a planet: five bodies, velocity Verlet. state: rows of x, y, z, vx, vy, vz of each body.
constexpr int BODIES = 5;
__device__ __forceinline__ void
pull(const float (&p)[BODIES][3], float (&a)[BODIES][3], const float *__restrict__ mass, float soft)
{
#pragma unroll
    for (int i = 0; i < BODIES; i++)
#pragma unroll
        for (int k = 0; k < 3; k++) a[i][k] = 0.0f;
#pragma unroll
    for (int i = 0; i < BODIES; i++)
#pragma unroll
        for (int j = i + 1; j < BODIES; j++) {
            const float dx = p[j][0] - p[i][0], dy = p[j][1] - p[i][1], dz = p[j][2] - p[i][2];
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + soft);
            const float cube = inverse * inverse * inverse;
            const float to_i = mass[j] * cube, to_j = mass[i] * cube;
            a[i][0] += to_i * dx, a[i][1] += to_i * dy, a[i][2] += to_i * dz;
            a[j][0] -= to_j * dx, a[j][1] -= to_j * dy, a[j][2] -= to_j * dz;
        }
}
__device__ __forceinline__ void orbit(
    const float *__restrict__ state, float *__restrict__ end, const float *__restrict__ mass, float dt, int steps, int n)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= n) return;
    float p[BODIES][3], v[BODIES][3], a[BODIES][3];
#pragma unroll
    for (int i = 0; i < BODIES; i++)
#pragma unroll
        for (int k = 0; k < 3; k++) {
            p[i][k] = state[(6 * i + k) * n + s];
            v[i][k] = state[(6 * i + 3 + k) * n + s];
        }
    pull(p, a, mass, 1e-4f);
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
#pragma unroll
        for (int i = 0; i < BODIES; i++)
#pragma unroll
            for (int k = 0; k < 3; k++) {
                v[i][k] += 0.5f * dt * a[i][k];
                p[i][k] += dt * v[i][k];
            }
        pull(p, a, mass, 1e-4f);
#pragma unroll
        for (int i = 0; i < BODIES; i++)
#pragma unroll
            for (int k = 0; k < 3; k++) v[i][k] += 0.5f * dt * a[i][k];
    }
#pragma unroll
    for (int i = 0; i < BODIES; i++)
#pragma unroll
        for (int k = 0; k < 3; k++) {
            end[(6 * i + k) * n + s] = p[i][k];
            end[(6 * i + 3 + k) * n + s] = v[i][k];
        }
}
extern "C" __global__ void __launch_bounds__(256, 6) moon_systems(
    const float *__restrict__ state, float *__restrict__ end, const float *__restrict__ mass, float dt, int steps, int n)
{
    orbit(state, end, mass, dt, steps, n);
}
extern "C" __global__ void __launch_bounds__(256) moon_systems_b(
    const float *__restrict__ state, float *__restrict__ end, const float *__restrict__ mass, float dt, int steps, int n)
{
    orbit(state, end, mass, dt, steps, n);
}

// Field of small magnets at probes, in units of mu0 / 4 pi. magnet: rows of x, y, z and moment; probe, field: planes.
extern "C" __global__ void dipole_fields(
    const float *__restrict__ magnet, const float *__restrict__ probe, float *__restrict__ field, int magnets, int probes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= probes) return;
    float px = probe[i], py = probe[probes + i], pz = probe[2 * probes + i];
    float bx = 0, by = 0, bz = 0;
    for (int k = 0; k < magnets; k++) {
        const float *m = magnet + 6 * k;
        float dx = px - m[0], dy = py - m[1], dz = pz - m[2];
        float inv = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3);
        float inv3 = inv * inv * inv;
        float dot = (m[3] * dx + m[4] * dy + m[5] * dz) * inv * inv;
        bx += inv3 * (3.0 * dot * dx - m[3]);
        by += inv3 * (3.0 * dot * dy - m[4]);
        bz += inv3 * (3.0 * dot * dz - m[5]);
    }
    field[i] = bx;
    field[probes + i] = by;
    field[2 * probes + i] = bz;
}
extern "C" __global__ void dipole_fields_b(
    const float *__restrict__ magnet, const float *__restrict__ probe, float *__restrict__ field, int magnets, int probes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= probes) return;
    float px = probe[i], py = probe[probes + i], pz = probe[2 * probes + i];
    float bx = 0, by = 0, bz = 0;
    for (int k = 0; k < magnets; k++) {
        const float *m = magnet + 6 * k;
        float dx = px - m[0], dy = py - m[1], dz = pz - m[2];
        float inv = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
        float inv3 = inv * inv * inv;
        float dot = (m[3] * dx + m[4] * dy + m[5] * dz) * inv * inv;
        bx += inv3 * (3.0f * dot * dx - m[3]);
        by += inv3 * (3.0f * dot * dy - m[4]);
        bz += inv3 * (3.0f * dot * dz - m[5]);
    }
    field[i] = bx;
    field[probes + i] = by;
    field[2 * probes + i] = bz;
}

// Force on a scalar field of the phi^4 theory on a periodic lattice of four dimensions.
struct Lattice {
    int nx, ny, nz, nt;
};
__device__ int site(const Lattice &l, int x, int y, int z, int t)
{
    return ((t * l.nz + z) * l.ny + y) * l.nx + x;
}
__device__ float drive(float centre, float around, float mass2, float lambda)
{
    return around - (8.0f + mass2) * centre - lambda * centre * centre * centre;
}
extern "C" __global__ void phi_forces(
    const float *__restrict__ phi, float *__restrict__ force, float mass2, float lambda, int nx, int ny, int nz, int nt)
{
    const Lattice l = {nx, ny, nz, nt};
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nx * ny * nz * nt) return;
    int x = i % nx;
    int y = (i / nx) % ny;
    int z = (i / (nx * ny)) % nz;
    int t = i / (nx * ny * nz);
    float around = 0.0f;
    around += phi[site(l, (x + 1) % nx, y, z, t)];
    around += phi[site(l, (x - 1 + nx) % nx, y, z, t)];
    around += phi[site(l, x, (y + 1) % ny, z, t)];
    around += phi[site(l, x, (y - 1 + ny) % ny, z, t)];
    around += phi[site(l, x, y, (z + 1) % nz, t)];
    around += phi[site(l, x, y, (z - 1 + nz) % nz, t)];
    around += phi[site(l, x, y, z, (t + 1) % nt)];
    around += phi[site(l, x, y, z, (t - 1 + nt) % nt)];
    force[i] = drive(phi[i], around, mass2, lambda);
}
extern "C" __global__ void __launch_bounds__(256) phi_forces_b(
    const float *__restrict__ phi, float *__restrict__ force, float mass2, float lambda, int nx, int ny, int nz, int nt)
{
    const Lattice l = {nx, ny, nz, nt};
    const int x = threadIdx.x, z = blockIdx.x, t = blockIdx.y;
    const int east = x + 1 == nx ? 0 : x + 1, west = x == 0 ? nx - 1 : x - 1;
    const float *row = phi + site(l, 0, 0, z, t);
    const float *up = phi + site(l, 0, 0, z + 1 == nz ? 0 : z + 1, t);
    const float *down = phi + site(l, 0, 0, z == 0 ? nz - 1 : z - 1, t);
    const float *later = phi + site(l, 0, 0, z, t + 1 == nt ? 0 : t + 1);
    const float *sooner = phi + site(l, 0, 0, z, t == 0 ? nt - 1 : t - 1);
#pragma unroll 2
    for (int y = threadIdx.y; y < ny; y += blockDim.y) {
        const int here = y * nx, north = y + 1 == ny ? 0 : here + nx, south = y == 0 ? (ny - 1) * nx : here - nx;
        float around = row[here + east];
        around += row[here + west];
        around += row[north + x];
        around += row[south + x];
        around += up[here + x];
        around += down[here + x];
        around += later[here + x];
        around += sooner[here + x];
        force[site(l, x, y, z, t)] = drive(row[here + x], around, mass2, lambda);
    }
}

// A half sweep over the polarisation of a ferroelectric film, cells of one colour of a chessboard: Newton's method for
// the cell's two components, its neighbours held. n: cells a side, periodic, a power of two.
struct Landau {
    float linear, cubic, mixed, fifth;
};
__device__ void relax_cell(float *px, float *py, const float *field, const Landau &c, int x, int y, int n)
{
    const int m = n - 1, i = y * n + x;
    const int e = y * n + ((x + 1) & m), w = y * n + ((x - 1) & m), s = ((y - 1) & m) * n + x, t = ((y + 1) & m) * n + x;
    const float sx = px[e] + px[w] + px[s] + px[t] + field[i];
    const float sy = py[e] + py[w] + py[s] + py[t];
    const float a = 4.0f + c.linear;
    float u = px[i], v = py[i];
#pragma unroll 2
    for (int k = 0; k < 10; k++) {
        const float u2 = u * u, v2 = v * v;
        const float gu = u * (a + c.mixed * v2 + u2 * (c.cubic + c.fifth * u2)) - sx;
        const float gv = v * (a + c.mixed * u2 + v2 * (c.cubic + c.fifth * v2)) - sy;
        const float uu = a + c.mixed * v2 + u2 * (3.0f * c.cubic + 5.0f * c.fifth * u2);
        const float vv = a + c.mixed * u2 + v2 * (3.0f * c.cubic + 5.0f * c.fifth * v2);
        const float uv = 2.0f * c.mixed * u * v;
        const float inverse = __frcp_rn(uu * vv - uv * uv);
        u -= inverse * (vv * gu - uv * gv);
        v -= inverse * (uu * gv - uv * gu);
    }
    px[i] = u;
    py[i] = v;
}
extern "C" __global__ void relax_domains(
    float *px, float *py, const float *field, float linear, float cubic, float mixed, float fifth, int colour, int n)
{
    const Landau c = {linear, cubic, mixed, fifth};
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    if (((x + y) & 1) == colour) relax_cell(px, py, field, c, x, y, n);
}
extern "C" __global__ void relax_domains_b(
    float *px, float *py, const float *field, float linear, float cubic, float mixed, float fifth, int colour, int n)
{
    const Landau c = {linear, cubic, mixed, fifth};
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + ((y + colour) & 1);
    if (x >= n || y >= n) return;
    relax_cell(px, py, field, c, x, y, n);
}

// Craters added to the heights of a moon: a bowl with a rim that falls off outside. crater: x, y, radius, depth.
__device__ void dig(float4 crater, float *height, int first, int last, int n)
{
    const float reach = 1.5f * crater.z, inverse = 1.0f / (crater.z * crater.z);
    const int left = max(0, (int)ceilf(crater.x - reach)), right = min(n - 1, (int)floorf(crater.x + reach));
    for (int y = first + threadIdx.y; y <= last; y += blockDim.y)
        for (int x = left + threadIdx.x; x <= right; x += blockDim.x) {
            const float dx = x - crater.x, dy = y - crater.y, q = (dx * dx + dy * dy) * inverse;
            if (q >= 2.25f) continue;
            const float fall = 2.25f - q;
            const float rise = q < 1.0f ? 1.25f * q - 1.0f : 0.16f * fall * fall;
            atomicAdd(&height[y * n + x], crater.w * rise);
        }
}
extern "C" __global__ void __launch_bounds__(256) dig_craters(const float4 *crater, float *height, int n)
{
    const float4 c = crater[blockIdx.x];
    const float reach = 1.5f * c.z;
    dig(c, height, max(0, (int)ceilf(c.y - reach)), min(n - 1, (int)floorf(c.y + reach)), n);
}
// strip: a crater, its first and its last row, of at most 32 rows.
extern "C" __global__ void __launch_bounds__(256)
    dig_craters_b(const float4 *crater, const int4 *strip, float *height, int n)
{
    const int4 s = strip[blockIdx.x];
    dig(crater[s.x], height, s.y, s.z, n);
}

// Sag of roofs of 32 by 32 nodes on elastic ground, held at the edges, by conjugate gradients; a roof a block.
constexpr int SIDE = 32, NODES = SIDE * SIDE;
__device__ float stretch(const float *p, float mine, float stiff, int node)
{
    const int x = node % SIDE, y = node / SIDE;
    float sum = (4.0f + stiff) * mine;
    if (x > 0) sum -= p[node - 1];
    if (x < SIDE - 1) sum -= p[node + 1];
    if (y > 0) sum -= p[node - SIDE];
    if (y < SIDE - 1) sum -= p[node + SIDE];
    return sum;
}
__device__ float block_dot(float a, float b, float *part)
{
    const int tid = threadIdx.x;
    part[tid] = a * b;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) part[tid] += part[tid + s];
        __syncthreads();
    }
    const float sum = part[0];
    __syncthreads();
    return sum;
}
extern "C" __global__ void __launch_bounds__(1024)
    roof_sag(const float *load, const float *ground, float *sag, int iterations)
{
    __shared__ float dir[NODES], part[NODES];
    const int tid = threadIdx.x, i = blockIdx.x * NODES + tid;
    const float stiff = ground[i];
    float x = 0.0f, r = load[i], p = r;
    float rr = block_dot(r, r, part);
    for (int it = 0; it < iterations; it++) {
        dir[tid] = p;
        __syncthreads();
        const float ap = stretch(dir, p, stiff, tid);
        const float alpha = rr / block_dot(p, ap, part);
        x += alpha * p;
        r -= alpha * ap;
        const float next = block_dot(r, r, part);
        p = r + next / rr * p;
        rr = next;
    }
    sag[i] = x;
}
// 256 threads, four nodes a thread; turn: which of two rows of sums is used.
__device__ float warps_dot(const float (&a)[4], const float (&b)[4], float *part)
{
    float sum = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0.0f;
#pragma unroll
    for (int w = 0; w < 8; w++) sum += part[w];
    return sum;
}
extern "C" __global__ void __launch_bounds__(256)
    roof_sag_b(const float *load, const float *ground, float *sag, int iterations)
{
    __shared__ float dir[NODES], part[2][8];
    const int tid = threadIdx.x, first = blockIdx.x * NODES + tid;
    float stiff[4], x[4], r[4], p[4], ap[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        stiff[k] = ground[first + 256 * k];
        x[k] = 0.0f, p[k] = r[k] = load[first + 256 * k];
    }
    float rr = warps_dot(r, r, part[1]);
    for (int it = 0; it < iterations; it++) {
#pragma unroll
        for (int k = 0; k < 4; k++) dir[tid + 256 * k] = p[k];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 4; k++) ap[k] = stretch(dir, p[k], stiff[k], tid + 256 * k);
        const float alpha = rr / warps_dot(p, ap, part[0]);
#pragma unroll
        for (int k = 0; k < 4; k++) x[k] += alpha * p[k], r[k] -= alpha * ap[k];
        const float next = warps_dot(r, r, part[1]), beta = next / rr;
#pragma unroll
        for (int k = 0; k < 4; k++) p[k] = r[k] + beta * p[k];
        rr = next;
    }
#pragma unroll
    for (int k = 0; k < 4; k++) sag[first + 256 * k] = x[k];
}

// Faces, bends and holes of the solid of a porous sample of voxels of 0 and 1, from all neighbourhoods of 2 by 2 by 2;
// sums for each slab of 64 planes.
__constant__ int face_of[256], bend_of[256], hole_of[256];
constexpr int SLAB = 64;
__device__ unsigned corners(const unsigned char *v, int nx)
{
    return v[0] | v[1] << 1 | v[nx] << 2 | v[nx + 1] << 3;
}
__device__ void measure_pores(
    const int *faces, const int *bends, const int *holes, const unsigned char *voxel, int *total, int nx, int ny, int nz)
{
    __shared__ int here[3];
    if (threadIdx.x < 3) here[threadIdx.x] = 0;
    __syncthreads();
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z * SLAB;
    int face = 0, bend = 0, hole = 0;
    if (x < nx - 1 && y < ny - 1) {
        const unsigned char *v = voxel + ((size_t)z * ny + y) * nx + x;
        unsigned low = corners(v, nx);
        const int last = min(z + SLAB, nz - 1);
        for (int k = z; k < last; k++) {
            v += (size_t)nx * ny;
            const unsigned high = corners(v, nx), code = low | high << 4;
            face += faces[code];
            bend += bends[code];
            hole += holes[code];
            low = high;
        }
    }
    face = __reduce_add_sync(~0u, face);
    bend = __reduce_add_sync(~0u, bend);
    hole = __reduce_add_sync(~0u, hole);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&here[0], face);
        atomicAdd(&here[1], bend);
        atomicAdd(&here[2], hole);
    }
    __syncthreads();
    if (threadIdx.x < 3) atomicAdd(&total[3 * blockIdx.z + threadIdx.x], here[threadIdx.x]);
}
extern "C" __global__ void __launch_bounds__(256)
    pore_shapes(const unsigned char *voxel, int *total, int nx, int ny, int nz)
{
    measure_pores(face_of, bend_of, hole_of, voxel, total, nx, ny, nz);
}
extern "C" __global__ void __launch_bounds__(256)
    pore_shapes_b(const unsigned char *voxel, int *total, int nx, int ny, int nz)
{
    __shared__ int faces[256], bends[256], holes[256];
    faces[threadIdx.x] = face_of[threadIdx.x];
    bends[threadIdx.x] = bend_of[threadIdx.x];
    holes[threadIdx.x] = hole_of[threadIdx.x];
    measure_pores(faces, bends, holes, voxel, total, nx, ny, nz);
}

// Force and torque on each rigid body from its contact points, which lie body after body.
// contact: planes of x, y, z and the force's components; wrench: force and torque of each body.
extern "C" __global__ void net_wrenches(
    const float *__restrict__ contact, const int *__restrict__ body, const float *__restrict__ centre, float *wrench, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int b = body[i];
    float rx = contact[i] - centre[3 * b];
    float ry = contact[n + i] - centre[3 * b + 1];
    float rz = contact[2 * n + i] - centre[3 * b + 2];
    float fx = contact[3 * n + i], fy = contact[4 * n + i], fz = contact[5 * n + i];
    atomicAdd(&wrench[6 * b + 0], fx);
    atomicAdd(&wrench[6 * b + 1], fy);
    atomicAdd(&wrench[6 * b + 2], fz);
    atomicAdd(&wrench[6 * b + 3], ry * fz - rz * fy);
    atomicAdd(&wrench[6 * b + 4], rz * fx - rx * fz);
    atomicAdd(&wrench[6 * b + 5], rx * fy - ry * fx);
}
extern "C" __global__ void net_wrenches_b(
    const float *__restrict__ contact, const int *__restrict__ body, const float *__restrict__ centre, float *wrench, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; // n is a multiple of 32
    if (i >= n) return;
    int b = body[i];
    float rx = contact[i] - centre[3 * b];
    float ry = contact[n + i] - centre[3 * b + 1];
    float rz = contact[2 * n + i] - centre[3 * b + 2];
    float fx = contact[3 * n + i], fy = contact[4 * n + i], fz = contact[5 * n + i];
    float w[6] = {fx, fy, fz, ry * fz - rz * fy, rz * fx - rx * fz, rx * fy - ry * fx};
    if (__all_sync(~0u, b == __shfl_sync(~0u, b, 0))) {
#pragma unroll
        for (int k = 0; k < 6; k++) {
#pragma unroll
            for (int d = 16; d > 0; d /= 2) w[k] += __shfl_down_sync(~0u, w[k], d);
            if (threadIdx.x % 32 == 0) atomicAdd(&wrench[6 * b + k], w[k]);
        }
    } else {
#pragma unroll
        for (int k = 0; k < 6; k++) atomicAdd(&wrench[6 * b + k], w[k]);
    }
}
