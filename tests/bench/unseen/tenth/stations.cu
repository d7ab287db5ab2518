// Weather, the sea, the earth's shape, networks, books of account, sports, robots, chemistry and sound.

// Currents at the surface of the sea from its height and the Coriolis parameter of each row.
__device__ void geostrophic(
    const float *height, const float *coriolis, float *east, float *north, float scale, int nx, int ny, int col, int row)
{
    if (col >= nx || row >= ny) return;
    const int w = max(col - 1, 0), e = min(col + 1, nx - 1), s = max(row - 1, 0), n = min(row + 1, ny - 1);
    const float factor = scale / coriolis[row];
    const float slope_x = (height[row * nx + e] - height[row * nx + w]) / (float)(e - w);
    const float slope_y = (height[n * nx + col] - height[s * nx + col]) / (float)(n - s);
    east[row * nx + col] = -factor * slope_y;
    north[row * nx + col] = factor * slope_x;
}
extern "C" __global__ void surface_currents(
    const float *height, const float *coriolis, float *east, float *north, float scale, int nx, int ny)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int col = blockIdx.y * blockDim.y + threadIdx.y;
    geostrophic(height, coriolis, east, north, scale, nx, ny, col, row);
}
extern "C" __global__ void surface_currents_b(
    const float *height, const float *coriolis, float *east, float *north, float scale, int nx, int ny)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    geostrophic(height, coriolis, east, north, scale, nx, ny, col, row);
}

// Loudspeaker signals from ambisonic channels, frames interleaved; 128 frames a block.
__constant__ float decoder[16 * 16];
extern __shared__ float frame_here[];
__device__ void decode(const float *ambisonic, float *speaker, int channels, int pitch)
{
    float *in = frame_here, *out = frame_here + 128 * pitch;
    const int me = threadIdx.x;
    const size_t first = (size_t)blockIdx.x * 128 * channels;
    const int column = me % channels, line = me / channels, lines = 128 / channels;
    for (int f = line; f < 128; f += lines) in[f * pitch + column] = ambisonic[first + f * channels + column];
    __syncthreads();
    for (int o = 0; o < channels; o++) {
        float sum = 0.0f;
#pragma unroll 4
        for (int c = 0; c < channels; c++) sum += decoder[o * channels + c] * in[me * pitch + c];
        out[me * pitch + o] = sum;
    }
    __syncthreads();
    for (int f = line; f < 128; f += lines) speaker[first + f * channels + column] = out[f * pitch + column];
}
extern "C" __global__ void __launch_bounds__(128) decode_speakers(const float *ambisonic, float *speaker, int channels)
{
    decode(ambisonic, speaker, channels, channels);
}
extern "C" __global__ void __launch_bounds__(128) decode_speakers_b(const float *ambisonic, float *speaker, int channels)
{
    decode(ambisonic, speaker, channels, channels + 1);
}

// Wet-bulb temperature in degrees Celsius after Stull (2011), humidity in percent.
extern "C" __global__ void wet_bulb(const float *temperature, const float *humidity, float *wet, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float t = temperature[i], rh = humidity[i];
    wet[i] = t * atan(0.151977 * sqrt(rh + 8.313659)) + atan(t + rh) - atan(rh - 1.676331)
             + 0.00391838 * pow(rh, 1.5) * atan(0.023101 * rh) - 4.686035;
}
extern "C" __global__ void wet_bulb_b(const float *temperature, const float *humidity, float *wet, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float t = temperature[i], rh = humidity[i];
    wet[i] = t * atanf(0.151977f * sqrtf(rh + 8.313659f)) + atanf(t + rh) - atanf(rh - 1.676331f)
             + 0.00391838f * powf(rh, 1.5f) * atanf(0.023101f * rh) - 4.686035f;
}

// Seasons of a league of 24 played at random, one a thread; the champion's points, goal difference, goals and number.
// fixture: home, away, chances of each to score, at most 8, of which a quarter is taken.
constexpr int TEAMS = 24;
__device__ int goals(unsigned random, int chances)
{
    return __popc(random & random >> 8 & (1u << chances) - 1);
}
__device__ unsigned next_random(unsigned &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}
extern "C" __global__ void __launch_bounds__(128)
    season_titles(const uchar4 *fixture, const unsigned *seed, unsigned *champion, int matches, int seasons)
{
    const int season = blockIdx.x * blockDim.x + threadIdx.x;
    if (season >= seasons) return;
    int points[TEAMS], scored[TEAMS], conceded[TEAMS];
    for (int k = 0; k < TEAMS; k++) points[k] = scored[k] = conceded[k] = 0;
    unsigned state = seed[season];
    for (int m = 0; m < matches; m++) {
        const uchar4 f = fixture[m];
        const unsigned r = next_random(state);
        const int h = goals(r, f.z), a = goals(r >> 16, f.w);
        points[f.x] += h > a ? 3 : h == a;
        points[f.y] += a > h ? 3 : h == a;
        scored[f.x] += h;
        scored[f.y] += a;
        conceded[f.x] += a;
        conceded[f.y] += h;
    }
    unsigned best = 0;
    for (int k = 0; k < TEAMS; k++)
        best = max(best, (unsigned)(points[k] << 24 | (scored[k] - conceded[k] + 512) << 14 | scored[k] << 5 | k));
    champion[season] = best;
}
extern "C" __global__ void __launch_bounds__(128)
    season_titles_b(const uchar4 *fixture, const unsigned *seed, unsigned *champion, int matches, int seasons)
{
    const int season = blockIdx.x * blockDim.x + threadIdx.x, me = threadIdx.x;
    if (season >= seasons) return;
    __shared__ short points[TEAMS][128], scored[TEAMS][128], conceded[TEAMS][128];
    for (int k = 0; k < TEAMS; k++) points[k][me] = scored[k][me] = conceded[k][me] = 0;
    unsigned state = seed[season];
    for (int m = 0; m < matches; m++) {
        const uchar4 f = fixture[m];
        const unsigned r = next_random(state);
        const int h = goals(r, f.z), a = goals(r >> 16, f.w);
        points[f.x][me] += h > a ? 3 : h == a;
        points[f.y][me] += a > h ? 3 : h == a;
        scored[f.x][me] += h;
        scored[f.y][me] += a;
        conceded[f.x][me] += a;
        conceded[f.y][me] += h;
    }
    unsigned best = 0;
    for (int k = 0; k < TEAMS; k++) {
        const int goals = scored[k][me], difference = goals - conceded[k][me];
        best = max(best, (unsigned)(points[k][me] << 24 | (difference + 512) << 14 | goals << 5 | k));
    }
    champion[season] = best;
}

// An ensemble of Lorenz' model of 1996: 36 places on a circle of latitude, steps of Runge and Kutta, a member a thread.
constexpr int PLACES = 36;
__device__ __forceinline__ void tendency(const float (&x)[PLACES], float (&slope)[PLACES], float forcing)
{
#pragma unroll
    for (int k = 0; k < PLACES; k++)
        slope[k] = (x[(k + 1) % PLACES] - x[(k + PLACES - 2) % PLACES]) * x[(k + PLACES - 1) % PLACES] - x[k] + forcing;
}
__device__ __forceinline__ void
forecast(const float *start, float *end, const float *forcing, float dt, int steps, int members)
{
    const int member = blockIdx.x * blockDim.x + threadIdx.x;
    if (member >= members) return;
    float x[PLACES], sum[PLACES], at[PLACES], slope[PLACES];
#pragma unroll
    for (int k = 0; k < PLACES; k++) x[k] = start[k * members + member];
    const float force = forcing[member];
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        tendency(x, slope, force);
#pragma unroll
        for (int k = 0; k < PLACES; k++) sum[k] = x[k] + dt / 6 * slope[k], at[k] = x[k] + dt / 2 * slope[k];
        tendency(at, slope, force);
#pragma unroll
        for (int k = 0; k < PLACES; k++) sum[k] += dt / 3 * slope[k], at[k] = x[k] + dt / 2 * slope[k];
        tendency(at, slope, force);
#pragma unroll
        for (int k = 0; k < PLACES; k++) sum[k] += dt / 3 * slope[k], at[k] = x[k] + dt * slope[k];
        tendency(at, slope, force);
#pragma unroll
        for (int k = 0; k < PLACES; k++) x[k] = sum[k] + dt / 6 * slope[k];
    }
#pragma unroll
    for (int k = 0; k < PLACES; k++) end[k * members + member] = x[k];
}
extern "C" __global__ void __launch_bounds__(256, 4)
    lorenz_ensemble(const float *start, float *end, const float *forcing, float dt, int steps, int members)
{
    forecast(start, end, forcing, dt, steps, members);
}
extern "C" __global__ void __launch_bounds__(128, 3)
    lorenz_ensemble_b(const float *start, float *end, const float *forcing, float dt, int steps, int members)
{
    forecast(start, end, forcing, dt, steps, members);
}

// Friction in the joints of robot arms by the LuGre model, from rest under a constant torque and a spring.
// joint: rows of torque, spring, Coulomb friction, stiction, 1 / inertia.
__device__ void slide(const float *joint, float *angle, float *lost, float dt, int steps, int joints, int i)
{
    const float torque = joint[i], spring = joint[joints + i], coulomb = joint[2 * joints + i];
    const float stiction = joint[3 * joints + i], inverse = joint[4 * joints + i];
    const float stiffness = 200.0f, damping = 2.0f, viscous = 0.4f, stribeck = 20.0f;
    float x = 0.0f, v = 0.0f, bristle = 0.0f, heat = 0.0f;
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        const float g = coulomb + (stiction - coulomb) * __expf(-v * v * stribeck);
        const float rate = v - __fdividef(stiffness * fabsf(v) * bristle, g);
        bristle += dt * rate;
        const float friction = stiffness * bristle + damping * rate + viscous * v;
        v += dt * (torque - friction - spring * x) * inverse;
        x += dt * v;
        heat += dt * friction * v;
    }
    angle[i] = x;
    lost[i] = heat;
}
extern "C" __global__ void
joint_friction(const float *joint, float *angle, float *lost, float dt, int steps, int joints)
{
    slide(joint, angle, lost, dt, steps, joints, blockIdx.x * blockDim.x + threadIdx.x);
}

// Potential over the places and headings of a robot: drawn to the goal, pushed off by what is nearer than reach.
struct Goal {
    float x, y, z, heading, pull, turn, push, reach;
};
__device__ float potential(const Goal &goal, float clearance, int x, int y, int z, int heading)
{
    const float dx = x - goal.x, dy = y - goal.y, dz = z - goal.z, dh = heading - goal.heading;
    const float off = fmaxf(goal.reach - clearance, 0.0f);
    return goal.pull * (dx * dx + dy * dy + dz * dz) + goal.turn * dh * dh + goal.push * off * off;
}
extern "C" __global__ void potential_field(
    const float *__restrict__ clearance, float *__restrict__ field, const Goal *__restrict__ goal, size_t nx, size_t ny,
    size_t nz, size_t headings)
{
    const Goal g = *goal;
    const size_t states = nx * ny * nz * headings, stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < states; i += stride) {
        const int x = i % nx, y = i / nx % ny, z = i / (nx * ny) % nz, heading = i / (nx * ny * nz);
        field[i] = potential(g, clearance[i], x, y, z, heading);
    }
}
// A plane of x and y a block.
extern "C" __global__ void potential_field_b(
    const float *__restrict__ clearance, float *__restrict__ field, const Goal *__restrict__ goal, size_t nx, size_t ny,
    size_t nz, size_t headings)
{
    const Goal g = *goal;
    const int z = blockIdx.x, heading = blockIdx.y, x = threadIdx.x;
    const size_t plane = (heading * nz + z) * ny * nx;
    if (x >= nx) return;
#pragma unroll 4
    for (int y = threadIdx.y; y < ny; y += blockDim.y) {
        const size_t i = plane + y * nx + x;
        field[i] = potential(g, clearance[i], x, y, z, heading);
    }
}

// Vouchers posted to the accounts of a ledger, in cents.
struct __align__(16) Voucher {
    int account, cents, day, number;
};
extern "C" __global__ void post_vouchers(const Voucher *voucher, unsigned long long *balance, int last_day, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Voucher v = voucher[i];
    if (v.day <= last_day) atomicAdd(&balance[v.account], (unsigned long long)(long long)v.cents);
}
extern "C" __global__ void __launch_bounds__(256)
    post_vouchers_b(const Voucher *voucher, unsigned long long *balance, int last_day, int n)
{
    __shared__ int here[64];
    if (threadIdx.x < 64) here[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll 4
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        const Voucher v = voucher[i];
        if (v.day <= last_day) atomicAdd(&here[v.account], v.cents);
    }
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&balance[threadIdx.x], (unsigned long long)(long long)here[threadIdx.x]);
}

// Rate constants of a mechanism of 128 reactions in the cells of an air parcel model: a reaction a thread, cells in turn.
enum Kind { ARRHENIUS, THIRD_BODY, FALLOFF, PHOTOLYSIS, EQUILIBRIUM };
struct Reaction {
    int kind;
    float a, b, c, d, e, f;
};
__device__ float rate_constant(const Reaction &r, float t, float air, float sun)
{
    switch (r.kind) {
    case ARRHENIUS:
        return r.a * powf(t / 300.0f, r.b) * expf(-r.c / t);
    case THIRD_BODY:
        return r.a * powf(t / 300.0f, -r.b) * air * (1.0f + 0.6f * air);
    case FALLOFF: {
        const float low = r.a * powf(t / 300.0f, -r.b) * air, high = r.c * powf(t / 300.0f, -r.d);
        const float ratio = low / high, width = log10f(ratio) / (0.75f - 1.27f * log10f(r.e));
        return low / (1.0f + ratio) * powf(r.e, 1.0f / (1.0f + width * width));
    }
    case PHOTOLYSIS:
        return sun > 0.01f ? r.a * powf(sun, r.b) * expf(-r.c / sun) * (1.0f + r.d * (t - 298.0f)) : 0.0f;
    default: {
        const float forward = r.a * expf(-r.b / t);
        const float gibbs = r.c + t * (r.d + t * (r.e + t * r.f)) - logf(t);
        return forward / (1.0f + expf(gibbs - 1000.0f / t));
    }
    }
}
extern "C" __global__ void __launch_bounds__(128) mechanism_rates(
    const Reaction *reaction, const float *temperature, const float *air, const float *sun, float *rate, int cells)
{
    const int me = threadIdx.x;
    const Reaction r = reaction[me];
    for (int cell = blockIdx.x; cell < cells; cell += gridDim.x)
        rate[(size_t)cell * 128 + me] = rate_constant(r, temperature[cell], air[cell], sun[cell]);
}
// order: the reactions, those of one kind together.
extern "C" __global__ void __launch_bounds__(128) mechanism_rates_b(
    const Reaction *reaction, const int *order, const float *temperature, const float *air, const float *sun, float *rate,
    int cells)
{
    __shared__ float row[2][128];
    const int me = threadIdx.x, mine = order[me];
    const Reaction r = reaction[mine];
    int turn = 0;
    for (int cell = blockIdx.x; cell < cells; cell += gridDim.x, turn ^= 1) {
        row[turn][mine] = rate_constant(r, temperature[cell], air[cell], sun[cell]);
        __syncthreads();
        rate[(size_t)cell * 128 + me] = row[turn][me];
    }
}

// Spectra of samples against 32 reference spectra of 1024 channels, by scalar products; a sample a block.
extern "C" __global__ void __launch_bounds__(1024)
    match_spectra(const float *spectrum, const float *reference, float *score, int references)
{
    __shared__ float part[1024];
    const int channel = threadIdx.x;
    const float own = spectrum[(size_t)blockIdx.x * 1024 + channel];
    for (int k = 0; k < references; k++) {
        part[channel] = own * reference[k * 1024 + channel];
        __syncthreads();
        for (int half = 512; half > 0; half /= 2) {
            if (channel < half) part[channel] += part[channel + half];
            __syncthreads();
        }
        if (channel == 0) score[blockIdx.x * references + k] = part[0];
        __syncthreads();
    }
}
extern "C" __global__ void __launch_bounds__(1024)
    match_spectra_b(const float *spectrum, const float *reference, float *score, int references)
{
    __shared__ float here[1024];
    here[threadIdx.x] = spectrum[(size_t)blockIdx.x * 1024 + threadIdx.x];
    __syncthreads();
    const int lane = threadIdx.x % 32;
    for (int k = threadIdx.x / 32; k < references; k += 32) {
        float sum = 0.0f;
#pragma unroll 8
        for (int c = lane; c < 1024; c += 32) sum += here[c] * reference[k * 1024 + c];
        for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
        if (lane == 0) score[blockIdx.x * references + k] = sum;
    }
}

// Jitter of network flows: how much the gaps between packets change, summed. Packets of flow f: first[f] to first[f + 1].
__device__ void add_jitter(const unsigned *arrival, int begin, int first, int last, unsigned long long *jitter)
{
    unsigned sum = 0;
    for (int i = max(first, begin + 2) + threadIdx.x; i < last; i += blockDim.x) {
        const int gap = arrival[i] - arrival[i - 1], before = arrival[i - 1] - arrival[i - 2];
        sum += abs(gap - before);
    }
    sum = __reduce_add_sync(~0u, sum);
    if (threadIdx.x % 32 == 0 && sum) atomicAdd(jitter, (unsigned long long)sum);
}
extern "C" __global__ void flow_jitter(const unsigned *arrival, const int *first, unsigned long long *jitter)
{
    const int flow = blockIdx.x;
    add_jitter(arrival, first[flow], first[flow], first[flow + 1], &jitter[flow]);
}
// piece: flow, first and last packet of pieces of a bounded size.
extern "C" __global__ void
flow_jitter_b(const unsigned *arrival, const int *first, const int4 *piece, unsigned long long *jitter)
{
    const int4 p = piece[blockIdx.x];
    add_jitter(arrival, first[p.x], p.y, p.z, &jitter[p.x]);
}

// Payload of a WebSocket, unmasked with the four bytes of its key.
extern "C" __global__ void unmask_payload(const unsigned char *masked, unsigned char *plain, unsigned key, int bytes)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < bytes; i += gridDim.x * blockDim.x)
        plain[i] = masked[i] ^ (key >> 8 * (i % 4) & 0xff);
}
extern "C" __global__ void unmask_payload_b(const unsigned char *masked, unsigned char *plain, unsigned key, int bytes)
{
    const uint4 *from = reinterpret_cast<const uint4 *>(masked);
    uint4 *to = reinterpret_cast<uint4 *>(plain);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < bytes / 16; i += gridDim.x * blockDim.x) {
        const uint4 w = from[i];
        to[i] = make_uint4(w.x ^ key, w.y ^ key, w.z ^ key, w.w ^ key);
    }
}

// Latitude, longitude and height over the ellipsoid from positions in metres / 6378137, after Bowring; planes of n.
constexpr float FLAT = 1.0f / 298.257223563f, SECOND = FLAT * (2.0f - FLAT), POLAR = 1.0f - FLAT;
extern "C" __global__ void geodetic_positions(const float *position, float *geodetic, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float x = position[i], y = position[n + i], z = position[2 * n + i];
    const float p = sqrtf(powf(x, 2.0f) + powf(y, 2.0f));
    const float u = atan2f(z, p * POLAR);
    const float latitude = atan2f(
        z + SECOND / POLAR * powf(sinf(u), 3.0f), p - SECOND * powf(cosf(u), 3.0f));
    const float normal = 1.0f / powf(1.0f - SECOND * powf(sinf(latitude), 2.0f), 0.5f);
    geodetic[i] = latitude;
    geodetic[n + i] = atan2f(y, x);
    geodetic[2 * n + i] = p * cosf(latitude) + z * sinf(latitude) - normal * (1.0f - SECOND * powf(sinf(latitude), 2.0f));
}
extern "C" __global__ void geodetic_positions_b(const float *position, float *geodetic, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float x = position[i], y = position[n + i], z = position[2 * n + i];
    const float square = x * x + y * y, p = square * rsqrtf(square);
    const float a = POLAR * p, inverse = rsqrtf(z * z + a * a), su = z * inverse, cu = a * inverse;
    const float rise = z + SECOND / POLAR * su * su * su, run = p - SECOND * cu * cu * cu;
    const float length = rsqrtf(rise * rise + run * run), s = rise * length, c = run * length;
    geodetic[i] = atan2f(rise, run);
    geodetic[n + i] = atan2f(y, x);
    const float left = 1.0f - SECOND * s * s;
    geodetic[2 * n + i] = p * c + z * s - left * rsqrtf(left);
}

// How alike players are: products of their 64 measures; measures in rows of players.
extern "C" __global__ void player_likeness(const float *measure, float *alike, int measures, int players)
{
    const int b = blockIdx.x * blockDim.x + threadIdx.x, a = blockIdx.y * blockDim.y + threadIdx.y;
    if (a >= players || b >= players) return;
    float sum = 0.0f;
    for (int m = 0; m < measures; m++) sum += measure[m * players + a] * measure[m * players + b];
    alike[(size_t)a * players + b] = sum;
}
// Tiles of 64 by 64 players, 4 by 4 a thread.
extern "C" __global__ void __launch_bounds__(256)
    player_likeness_b(const float *measure, float *alike, int measures, int players)
{
    __shared__ float4 left[16][16], right[16][16];
    const int x = threadIdx.x, y = threadIdx.y, a = blockIdx.y * 64, b = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int m = 0; m < measures; m += 16) {
        const float *row = measure + (size_t)(m + y) * players;
        left[y][x] = *reinterpret_cast<const float4 *>(row + a + 4 * x);
        right[y][x] = *reinterpret_cast<const float4 *>(row + b + 4 * x);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            const float4 l = left[k][y], r = right[k][x];
            const float p[4] = {l.x, l.y, l.z, l.w}, q[4] = {r.x, r.y, r.z, r.w};
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) sum[i][j] += p[i] * q[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        *reinterpret_cast<float4 *>(alike + (size_t)(a + 4 * y + i) * players + b + 4 * x) =
            make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}
