// Ivy and pickles, abacuses and whistles, darts and cranes, gears and pebbles, drums and parachutes, pianos and hay
// bales, fishing nets and kites.

// A week of ivy on a wall: it thickens where it grows and spreads to the four places next to it.
__device__ __forceinline__ void spread_ivy(
    const float *__restrict__ cover, float *__restrict__ later, float rate, float spread, int row, int column,
    int width)
{
    if (row >= width || column >= width) return;
    const int up = max(row - 1, 0), down = min(row + 1, width - 1);
    const int left = max(column - 1, 0), right = min(column + 1, width - 1);
    const float c = cover[row * width + column];
    const float beside = cover[up * width + column] + cover[down * width + column] + cover[row * width + left] +
                         cover[row * width + right];
    later[row * width + column] = c + rate * c * (1.0f - c) + spread * (beside - 4.0f * c);
}
extern "C" __global__ void __launch_bounds__(256) ivy_spread(
    const float *__restrict__ cover, float *__restrict__ later, float rate, float spread, int width)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    spread_ivy(cover, later, rate, spread, row, column, width);
}
extern "C" __global__ void __launch_bounds__(256) ivy_spread_b(
    const float *__restrict__ cover, float *__restrict__ later, float rate, float spread, int width)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    spread_ivy(cover, later, rate, spread, row, column, width);
}

// How sour jars of eight sorts of pickles are after some days; each sort has a law of its own.
constexpr int SORTS = 8, JARS = 256;
__device__ __forceinline__ float sourness(int sort, float salt, float warm, int days)
{
    float acid = 0.02f, sugar = 1.0f;
    const float k = 0.3f * warm;
    switch (sort) {
    case 0:
#pragma unroll 4
        for (int d = 0; d < days; d++) {
            const float made = k * sugar * acid;
            acid += made;
            sugar -= made * (1.0f + salt);
        }
        break;
    case 1:
#pragma unroll 4
        for (int d = 0; d < days; d++) {
            acid = fmaf(k * (1.0f - acid), sugar, acid);
            sugar *= 1.0f - k * salt * acid;
        }
        break;
    case 2:
#pragma unroll 4
        for (int d = 0; d < days; d++) {
            const float live = fmaxf(0.5f - acid * salt, 0.01f);
            acid += k * live * sugar;
            sugar -= 0.5f * k * live * sugar;
        }
        break;
    case 3:
#pragma unroll 4
        for (int d = 0; d < days; d++) {
            const float left = sugar * sugar;
            acid += k * left * (1.2f - acid);
            sugar -= 0.2f * left * salt;
        }
        break;
    case 4:
#pragma unroll 4
        for (int d = 0; d < days; d++) {
            const float slow = fminf(acid, salt);
            sugar -= 0.1f * k * (1.0f + slow) * sugar;
            acid += 0.1f * (1.0f - sugar) * k;
        }
        break;
    case 5:
#pragma unroll 4
        for (int d = 0; d < days; d++) {
            const float free = 1.0f - acid;
            acid += k * free * free * salt;
            sugar = sugar - 0.3f * acid * sugar;
            acid += 0.01f * sugar;
        }
        break;
    case 6:
#pragma unroll 4
        for (int d = 0; d < days; d++) {
            const float film = fmaxf(acid - 0.3f, 0.0f);
            acid += k * sugar * 0.3f - film * film * salt;
            sugar -= 0.15f * k * sugar;
        }
        break;
    default:
#pragma unroll 4
        for (int d = 0; d < days; d++) {
            const float drawn = salt * (1.0f - sugar);
            sugar -= k * 0.2f * (sugar - drawn);
            acid += 0.05f * (1.0f - acid) * sugar;
        }
    }
    return acid;
}
extern "C" __global__ void __launch_bounds__(JARS) pickle_sourness(
    const unsigned char *__restrict__ sort, const float *__restrict__ salt, const float *__restrict__ warm,
    float *__restrict__ sour, int days, int n)
{
    const int i = blockIdx.x * JARS + threadIdx.x;
    if (i >= n) return;
    sour[i] = sourness(sort[i], salt[i], warm[i], days);
}
// The jars of a block are put in order by sort first; n is a multiple of JARS.
extern "C" __global__ void __launch_bounds__(JARS) pickle_sourness_b(
    const unsigned char *__restrict__ sort, const float *__restrict__ salt, const float *__restrict__ warm,
    float *__restrict__ sour, int days, int n)
{
    __shared__ int many[SORTS], jar[JARS];
    __shared__ float salts[JARS], warmth[JARS];
    const int tid = threadIdx.x, i = blockIdx.x * JARS + tid;
    if (tid < SORTS) many[tid] = 0;
    __syncthreads();
    const int s = sort[i];
    int place = atomicAdd(&many[s], 1);
    __syncthreads();
#pragma unroll
    for (int j = 0; j < SORTS - 1; j++) place += j < s ? many[j] : 0;
    jar[place] = tid | s << 16;
    salts[place] = salt[i];
    warmth[place] = warm[i];
    __syncthreads();
    const int own = jar[tid];
    sour[blockIdx.x * JARS + (own & 0xffff)] = sourness(own >> 16, salts[tid], warmth[tid], days);
}

// Beads to move on an abacus for each amount, one for five and one for each one, and the rod with the most of them.
constexpr int RODS = 18;
template <class F>
__device__ __forceinline__ void set_beads(
    const unsigned long long *__restrict__ amount, int *__restrict__ beads, unsigned base, int n, F whole)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long left = amount[i];
    int all = 0, most = 0, busiest = 0;
#pragma unroll 1
    for (int rod = 0; rod < RODS; rod++) {
        const unsigned long long rest = whole(left);
        const int digit = static_cast<unsigned>(left) - static_cast<unsigned>(rest) * base;
        const int moved = digit >= 5 ? digit - 4 : digit;
        all += moved;
        if (moved > most) {
            most = moved;
            busiest = rod;
        }
        left = rest;
    }
    beads[i] = all | busiest << 8;
}
extern "C" __global__ void __launch_bounds__(256) abacus_beads(
    const unsigned long long *__restrict__ amount, int *__restrict__ beads, unsigned base, int n)
{
    set_beads(amount, beads, base, n, [=](unsigned long long left) { return left / base; });
}
// For base ten.
extern "C" __global__ void __launch_bounds__(256) abacus_beads_b(
    const unsigned long long *__restrict__ amount, int *__restrict__ beads, int n)
{
    set_beads(amount, beads, 10, n, [](unsigned long long left) { return left / 10; });
}

// Products of the sounds of MICS microphones about a whistle with one another, summed over samples. A tile of 16 by 16
// products a block; blocks of a column of the grid share the samples, SLICE times a whole number each.
constexpr int MICS = 64, PATCH = 16, SLICE = 32;
extern "C" __global__ void __launch_bounds__(PATCH *PATCH) whistle_modes(
    const float *__restrict__ sound, float *__restrict__ product, int samples)
{
    __shared__ float a[SLICE][PATCH], b[SLICE][PATCH];
    const int tx = threadIdx.x, ty = threadIdx.y, tid = ty * PATCH + tx;
    const int share = samples / gridDim.z, first = blockIdx.z * share;
    float sum = 0.0f;
    for (int s = first; s < first + share; s += SLICE) {
#pragma unroll
        for (int j = 0; j < SLICE / PATCH; j++) {
            const float *row = sound + (s + j * PATCH + tid / PATCH) * MICS + tid % PATCH;
            a[j * PATCH + tid / PATCH][tid % PATCH] = row[blockIdx.y * PATCH];
            b[j * PATCH + tid / PATCH][tid % PATCH] = row[blockIdx.x * PATCH];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < SLICE; k++) sum = fmaf(a[k][ty], b[k][tx], sum);
        __syncthreads();
    }
    atomicAdd(&product[(blockIdx.y * PATCH + ty) * MICS + blockIdx.x * PATCH + tx], sum);
}

// How many darts hit each field of the board: missed, bull, ring of the bull, and 20 each of single, double and treble.
constexpr int FIELDS = 64;
__device__ __forceinline__ int dart_field(float2 dart)
{
    const float far = sqrtf(dart.x * dart.x + dart.y * dart.y);
    if (far >= 170.0f) return 0;
    if (far < 15.9f) return far < 6.35f ? 1 : 2;
    const int sector = static_cast<int>(atan2f(dart.y, dart.x) * 3.1830989f + 10.5f) % 20;
    const int ring = far >= 162.0f ? 1 : far >= 99.0f && far < 107.0f ? 2 : 0;
    return 3 + ring * 20 + sector;
}
extern "C" __global__ void __launch_bounds__(256) dart_fields(
    const float2 *__restrict__ dart, int *__restrict__ hits, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&hits[dart_field(dart[i])], 1);
    }
}
extern "C" __global__ void __launch_bounds__(256) dart_fields_b(
    const float2 *__restrict__ dart, int *__restrict__ hits, int n)
{
    __shared__ int own[FIELDS];
    if (threadIdx.x < FIELDS) own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&own[dart_field(dart[i])], 1);
    }
    __syncthreads();
    if (threadIdx.x < FIELDS) atomicAdd(&hits[threadIdx.x], own[threadIdx.x]);
}

// How the 16 joints of a crane's truss give way under load: a system of 16 equations each, by elimination. Two systems
// a warp, a row a lane; systems are a multiple of eight.
constexpr int JOINTS = 16, CRANE_WARPS = 4;
template <int PITCH>
__device__ __forceinline__ void solve_truss(
    const float *__restrict__ stiff, const float *__restrict__ load, float *__restrict__ moved)
{
    __shared__ float rows[CRANE_WARPS][2 * JOINTS * PITCH];
    const int lane = threadIdx.x % 32, r = lane % JOINTS;
    const size_t pair = blockIdx.x * CRANE_WARPS + threadIdx.x / 32;
    float *both = rows[threadIdx.x / 32], *own = both + lane * PITCH, *system = both + lane / JOINTS * JOINTS * PITCH;
#pragma unroll
    for (int j = 0; j < JOINTS; j++) {
        both[(2 * j + lane / JOINTS) * PITCH + r] = stiff[pair * 2 * JOINTS * JOINTS + j * 32 + lane];
    }
    float x = load[pair * 2 * JOINTS + lane];
    __syncwarp();
#pragma unroll 1
    for (int k = 0; k < JOINTS; k++) {
        const float *pivot = system + k * PITCH;
        const float share = r == k ? 0.0f : own[k] / pivot[k];
        const float top = __shfl_sync(~0u, x, k, JOINTS);
        x = fmaf(-share, top, x);
        if (r != k) {
#pragma unroll 4
            for (int j = k + 1; j < JOINTS; j++) own[j] = fmaf(-share, pivot[j], own[j]);
        }
        __syncwarp();
    }
    moved[pair * 2 * JOINTS + lane] = x / own[r];
}
extern "C" __global__ void __launch_bounds__(CRANE_WARPS * 32) crane_trusses(
    const float *__restrict__ stiff, const float *__restrict__ load, float *__restrict__ moved)
{
    solve_truss<JOINTS>(stiff, load, moved);
}
extern "C" __global__ void __launch_bounds__(CRANE_WARPS * 32) crane_trusses_b(
    const float *__restrict__ stiff, const float *__restrict__ load, float *__restrict__ moved)
{
    solve_truss<JOINTS + 1>(stiff, load, moved);
}

// Torques on the eight shafts of a bicycle's gear hub, from eight equations with the largest pivot of each column: the
// largest torque and the power.
constexpr int SHAFTS = 8;
__constant__ float gear_rigid[SHAFTS][SHAFTS], gear_slip[SHAFTS][SHAFTS], gear_drive[SHAFTS];
struct Swap {
    __device__ static void rows(float (&a)[SHAFTS][SHAFTS + 1], int k, int p)
    {
#pragma unroll
        for (int c = 0; c <= SHAFTS; c++) {
            const float one = a[k][c];
            a[k][c] = a[p][c];
            a[p][c] = one;
        }
    }
};
// All indices are known to the compiler, so that the rows stay in registers.
struct Choose {
    __device__ static void rows(float (&a)[SHAFTS][SHAFTS + 1], int k, int p)
    {
#pragma unroll
        for (int r = 0; r < SHAFTS; r++) {
            if (r <= k) continue;
#pragma unroll
            for (int c = 0; c <= SHAFTS; c++) {
                const float one = a[k][c], other = a[r][c];
                a[k][c] = r == p ? other : one;
                a[r][c] = r == p ? one : other;
            }
        }
    }
};
template <class S>
__device__ __forceinline__ void turn_gears(
    const float *__restrict__ slip, const float *__restrict__ pedal, float *__restrict__ most,
    float *__restrict__ power, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float s = slip[i], turn = pedal[i];
    float a[SHAFTS][SHAFTS + 1], torque[SHAFTS];
#pragma unroll
    for (int r = 0; r < SHAFTS; r++) {
#pragma unroll
        for (int c = 0; c < SHAFTS; c++) a[r][c] = fmaf(s, gear_slip[r][c], gear_rigid[r][c]);
        a[r][SHAFTS] = turn * gear_drive[r];
    }
#pragma unroll
    for (int k = 0; k < SHAFTS; k++) {
        int p = k;
        float top = fabsf(a[k][k]);
#pragma unroll
        for (int r = k + 1; r < SHAFTS; r++) {
            const float here = fabsf(a[r][k]);
            if (here > top) {
                top = here;
                p = r;
            }
        }
        S::rows(a, k, p);
        const float part = 1.0f / a[k][k];
#pragma unroll
        for (int r = k + 1; r < SHAFTS; r++) {
            const float share = a[r][k] * part;
#pragma unroll
            for (int c = k + 1; c <= SHAFTS; c++) a[r][c] = fmaf(-share, a[k][c], a[r][c]);
        }
    }
    float high = 0.0f, sum = 0.0f;
#pragma unroll
    for (int r = SHAFTS - 1; r >= 0; r--) {
        float v = a[r][SHAFTS];
#pragma unroll
        for (int c = r + 1; c < SHAFTS; c++) v = fmaf(-a[r][c], torque[c], v);
        torque[r] = v / a[r][r];
        high = fmaxf(high, fabsf(torque[r]));
        sum = fmaf(torque[r], gear_drive[r], sum);
    }
    most[i] = high;
    power[i] = turn * sum;
}
extern "C" __global__ void __launch_bounds__(128) gear_torques(
    const float *__restrict__ slip, const float *__restrict__ pedal, float *__restrict__ most,
    float *__restrict__ power, int n)
{
    turn_gears<Swap>(slip, pedal, most, power, n);
}
extern "C" __global__ void __launch_bounds__(128) gear_torques_b(
    const float *__restrict__ slip, const float *__restrict__ pedal, float *__restrict__ most,
    float *__restrict__ power, int n)
{
    turn_gears<Choose>(slip, pedal, most, power, n);
}

// Load of pebbles of six sizes that a river carries over each place of its bed; small pebbles hide behind large ones.
constexpr int SIZES = 6;
__constant__ float pebble_part[SIZES], pebble_inverse[SIZES], pebble_amount[SIZES];
template <class F, class G>
__device__ __forceinline__ void carry(
    const float *__restrict__ shear, const float *__restrict__ mean, float *__restrict__ load, int n, F half, G most)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float tau = shear[i], d = mean[i];
    float sum = 0.0f;
#pragma unroll
    for (int j = 0; j < SIZES; j++) {
        const float bound = 0.047f * half(d * pebble_inverse[j]);
        const float over = fmaxf(fmaf(tau, pebble_part[j], -bound), 1e-6f);
        sum = fmaf(pebble_amount[j], most(over), sum);
    }
    load[i] = 8.0f * sum;
}
extern "C" __global__ void __launch_bounds__(256) pebble_loads(
    const float *__restrict__ shear, const float *__restrict__ mean, float *__restrict__ load, int n)
{
    carry(
        shear, mean, load, n, [](float x) { return powf(x, 0.5f); }, [](float x) { return powf(x, 1.5f); });
}
extern "C" __global__ void __launch_bounds__(256) pebble_loads_b(
    const float *__restrict__ shear, const float *__restrict__ mean, float *__restrict__ load, int n)
{
    carry(
        shear, mean, load, n, [](float x) { return sqrtf(x); }, [](float x) { return x * sqrtf(x); });
}

// How far the skins of drums, 16 by 16 points each, give way under a push, by conjugate gradients. A drum a block.
constexpr int SKIN = 16;
__device__ __forceinline__ float block_sum(float v, float *part)
{
    const int tid = threadIdx.x;
    part[tid] = v;
    __syncthreads();
    for (int half = SKIN * SKIN / 2; half > 0; half /= 2) {
        if (tid < half) part[tid] += part[tid + half];
        __syncthreads();
    }
    const float all = part[0];
    __syncthreads();
    return all;
}
extern "C" __global__ void __launch_bounds__(SKIN *SKIN) drum_skins(
    const float *__restrict__ push, const float *__restrict__ tension, float *__restrict__ depth, int rounds)
{
    __shared__ float skin[SKIN + 2][SKIN + 2], part[SKIN * SKIN];
    const int tid = threadIdx.x, at = blockIdx.x * SKIN * SKIN + tid, row = tid / SKIN + 1, column = tid % SKIN + 1;
    for (int k = tid; k < (SKIN + 2) * (SKIN + 2); k += SKIN * SKIN) skin[k / (SKIN + 2)][k % (SKIN + 2)] = 0.0f;
    __syncthreads();
    const float middle = 4.0f + tension[blockIdx.x];
    float x = 0.0f, r = push[at], p = r, rr = block_sum(r * r, part);
    for (int round = 0; round < rounds; round++) {
        skin[row][column] = p;
        __syncthreads();
        const float beside = skin[row - 1][column] + skin[row + 1][column] + skin[row][column - 1] +
                             skin[row][column + 1];
        const float ap = fmaf(middle, p, -beside);
        const float step = rr / block_sum(p * ap, part);
        x = fmaf(step, p, x);
        r = fmaf(-step, ap, r);
        const float next = block_sum(r * r, part);
        p = fmaf(next / rr, p, r);
        rr = next;
    }
    depth[at] = x;
}
// A drum a warp: two lanes a row of the skin, eight points each. Drums are a multiple of eight.
__device__ __forceinline__ float warp_sum(float v)
{
#pragma unroll
    for (int half = 16; half > 0; half /= 2) v += __shfl_xor_sync(~0u, v, half);
    return v;
}
extern "C" __global__ void __launch_bounds__(256) drum_skins_b(
    const float *__restrict__ push, const float *__restrict__ tension, float *__restrict__ depth, int rounds)
{
    constexpr int OWN = 8;
    const int drum = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32, at = drum * SKIN * SKIN + lane * OWN;
    const float middle = 4.0f + tension[drum];
    float x[OWN], r[OWN], p[OWN], ap[OWN], sum = 0.0f;
#pragma unroll
    for (int j = 0; j < OWN; j++) {
        x[j] = 0.0f;
        p[j] = r[j] = push[at + j];
        sum = fmaf(r[j], r[j], sum);
    }
    float rr = warp_sum(sum);
    for (int round = 0; round < rounds; round++) {
        float left = __shfl_up_sync(~0u, p[OWN - 1], 1), right = __shfl_down_sync(~0u, p[0], 1);
        left = lane % 2 ? left : 0.0f;
        right = lane % 2 ? 0.0f : right;
        sum = 0.0f;
#pragma unroll
        for (int j = 0; j < OWN; j++) {
            const float up = __shfl_up_sync(~0u, p[j], 2), down = __shfl_down_sync(~0u, p[j], 2);
            const float beside = (lane < 2 ? 0.0f : up) + (lane >= 30 ? 0.0f : down) + (j > 0 ? p[j - 1] : left) +
                                 (j < OWN - 1 ? p[j + 1] : right);
            ap[j] = fmaf(middle, p[j], -beside);
            sum = fmaf(p[j], ap[j], sum);
        }
        const float step = rr / warp_sum(sum);
        sum = 0.0f;
#pragma unroll
        for (int j = 0; j < OWN; j++) {
            x[j] = fmaf(step, p[j], x[j]);
            r[j] = fmaf(-step, ap[j], r[j]);
            sum = fmaf(r[j], r[j], sum);
        }
        const float next = warp_sum(sum), more = next / rr;
#pragma unroll
        for (int j = 0; j < OWN; j++) p[j] = fmaf(more, p[j], r[j]);
        rr = next;
    }
#pragma unroll
    for (int j = 0; j < OWN; j++) depth[at + j] = x[j];
}

// Speed and height of jumpers after some steps of their fall through air that gets denser on the way down.
extern "C" __global__ void __launch_bounds__(256) parachute_falls(
    const float *__restrict__ drag, const float *__restrict__ start, float *__restrict__ speed,
    float *__restrict__ height, float dt, int steps, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float k = drag[i];
    float v = 0.0f, h = start[i];
    for (int step = 0; step < steps; step++) {
        const float density = 1.225 * exp(-1.18e-4 * h);
        v += dt * (9.81 - 0.5 * density * k * v * v);
        h -= dt * v;
    }
    speed[i] = v;
    height[i] = h;
}
extern "C" __global__ void __launch_bounds__(256) parachute_falls_b(
    const float *__restrict__ drag, const float *__restrict__ start, float *__restrict__ speed,
    float *__restrict__ height, float dt, int steps, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float k = drag[i];
    float v = 0.0f, h = start[i];
    for (int step = 0; step < steps; step++) {
        const float density = 1.225f * expf(-1.18e-4f * h);
        v += dt * (9.81f - 0.5f * density * k * v * v);
        h -= dt * v;
    }
    speed[i] = v;
    height[i] = h;
}

// Loudness of strings of pianos after a blow of the hammer: 24 modes each, which drive one another by the bridge.
constexpr int MODES = 24;
__constant__ float mode_stiff[MODES], mode_keep[MODES], mode_share[MODES];
__device__ __forceinline__ void ring_string(
    const float *__restrict__ blow, const float *__restrict__ tune, float *__restrict__ loud, int steps, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float tuned = -tune[i];
    float force = blow[i], sum = 0.0f, x[MODES], v[MODES];
#pragma unroll
    for (int m = 0; m < MODES; m++) x[m] = v[m] = 0.0f;
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        float bridge = 0.0f;
        const float drive = force;
#pragma unroll
        for (int m = 0; m < MODES; m++) {
            v[m] = fmaf(tuned * mode_stiff[m], x[m], fmaf(mode_keep[m], v[m], drive));
            x[m] += v[m];
            bridge = fmaf(mode_share[m], x[m], bridge);
        }
        sum = fmaf(bridge, bridge, sum);
        force = fmaf(-0.001f, bridge, 0.5f * force);
    }
    loud[i] = sum;
}
extern "C" __global__ void __launch_bounds__(256, 8) piano_strings(
    const float *__restrict__ blow, const float *__restrict__ tune, float *__restrict__ loud, int steps, int n)
{
    ring_string(blow, tune, loud, steps, n);
}
extern "C" __global__ void __launch_bounds__(256) piano_strings_b(
    const float *__restrict__ blow, const float *__restrict__ tune, float *__restrict__ loud, int steps, int n)
{
    ring_string(blow, tune, loud, steps, n);
}

// What bales of hay are worth as dry feed; a record of a bale has twelve numbers.
struct Bale {
    float x, y, z, length, width, height, mass, moisture, protein, fibre, ash, age;
};
__device__ __forceinline__ float bale_value(float mass, float moisture, float price)
{
    const float dry = mass * (1.0f - moisture);
    return price * dry * (moisture > 0.18f ? 0.6f : 1.0f);
}
extern "C" __global__ void __launch_bounds__(256) bale_values(
    const Bale *__restrict__ bale, float *__restrict__ value, float price, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        value[i] = bale_value(bale[i].mass, bale[i].moisture, price);
    }
}
extern "C" __global__ void __launch_bounds__(256) bale_values_b(
    const float *__restrict__ mass, const float *__restrict__ moisture, float *__restrict__ value, float price, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        value[i] = bale_value(mass[i], moisture[i], price);
    }
}

// Worst stretch of the meshes of fishing nets, as bits, and how many are stretched beyond a limit.
__device__ __forceinline__ void strain(
    const float *__restrict__ length, const float *__restrict__ rest, unsigned *__restrict__ worst,
    int *__restrict__ torn, float limit, int net, int from, int to)
{
    float most = 0.0f;
    int count = 0;
#pragma unroll 4
    for (int k = from + threadIdx.x; k < to; k += blockDim.x) {
        const float l = length[k], r = rest[k];
        most = fmaxf(most, l - r);
        count += l > limit * r;
    }
    const unsigned top = __reduce_max_sync(~0u, __float_as_uint(most));
    const int all = __reduce_add_sync(~0u, count);
    if (threadIdx.x % 32 == 0) {
        atomicMax(&worst[net], top);
        atomicAdd(&torn[net], all);
    }
}
// A net a block.
extern "C" __global__ void __launch_bounds__(256) net_strains(
    const float *__restrict__ length, const float *__restrict__ rest, const int *__restrict__ start,
    unsigned *__restrict__ worst, int *__restrict__ torn, float limit)
{
    const int net = blockIdx.x;
    strain(length, rest, worst, torn, limit, net, start[net], start[net + 1]);
}
// A piece of a net a block; a piece has its net, its first mesh and the end.
extern "C" __global__ void __launch_bounds__(256) net_strains_b(
    const float *__restrict__ length, const float *__restrict__ rest, const int *__restrict__ piece,
    unsigned *__restrict__ worst, int *__restrict__ torn, float limit)
{
    const int *own = piece + 3 * blockIdx.x;
    strain(length, rest, worst, torn, limit, own[0], own[1], own[2]);
}

// Pull of the tails of kites: the drag of their bows, each with less weight than the one before. A bow is the number of
// the next one (-1 at the end) and a float's bits; bows were tied to all of the tails in turn.
extern "C" __global__ void __launch_bounds__(128) kite_tails(
    const int2 *__restrict__ bow, const int *__restrict__ head, float *__restrict__ pull, float fade, int bows,
    int tails)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= tails) return;
    float sum = 0.0f, weight = 1.0f;
    for (int at = head[i]; at >= 0;) {
        const int2 b = bow[at];
        sum = fmaf(weight, __int_as_float(b.y), sum);
        weight *= fade;
        at = b.x;
    }
    pull[i] = sum;
}
// The next bow of a tail is `tails` further on.
extern "C" __global__ void __launch_bounds__(128) kite_tails_b(
    const int2 *__restrict__ bow, const int *__restrict__ head, float *__restrict__ pull, float fade, int bows,
    int tails)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= tails) return;
    float sum = 0.0f, weight = 1.0f;
    const int2 *own = bow + head[i];
#pragma unroll 8
    for (int k = 0; k < bows; k++) {
        sum = fmaf(weight, __int_as_float(own[static_cast<size_t>(k) * tails].y), sum);
        weight *= fade;
    }
    pull[i] = sum;
}
