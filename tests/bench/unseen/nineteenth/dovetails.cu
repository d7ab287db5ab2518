// Reactor cores, callable bonds, Compton cameras, aerosols, daylight in rooms, loan offers, space probes, web pages,
// drainage of land, protein contacts, spin glasses, permafrost, furnaces, aerial surveys.

// Neutrons born at the collisions of a generation, put together into the bank that the next one starts from.
// neutron: place and energy; born: 4 times the parent's number, and which of its up to three children; n is a multiple
// of 256.
__device__ __forceinline__ int births(unsigned draw, int fuel)
{
    const unsigned by = static_cast<unsigned>(fuel) << 26;
    return (draw > 0x50000000u - by) + (draw > 0x90000000u - by) + (draw > 0xe0000000u - by);
}
__device__ __forceinline__ void give_birth(
    float4 p, unsigned draw, int i, int many, int at, int room, float4 *site, unsigned *born)
{
    for (int k = 0; k < many && at + k < room; k++) {
        draw = draw * 1664525u + 1013904223u;
        site[at + k] = make_float4(p.x, p.y, p.z, 0.1f + 2e-9f * draw);
        born[at + k] = 4u * i + k;
    }
}
extern "C" __global__ void __launch_bounds__(256) fission_bank(
    const float4 *__restrict__ neutron, const unsigned *__restrict__ draw, const int *__restrict__ fuel,
    float4 *__restrict__ site, unsigned *__restrict__ born, int *__restrict__ total, int room, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int many = births(draw[i], fuel[i]);
    if (many == 0) return;
    give_birth(neutron[i], draw[i], i, many, atomicAdd(total, many), room, site, born);
}
extern "C" __global__ void __launch_bounds__(256) fission_bank_b(
    const float4 *__restrict__ neutron, const unsigned *__restrict__ draw, const int *__restrict__ fuel,
    float4 *__restrict__ site, unsigned *__restrict__ born, int *__restrict__ total, int room, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    if (i >= n) return;
    const int many = births(draw[i], fuel[i]);
    int up_to = many;
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
        const int other = __shfl_up_sync(~0u, up_to, by);
        if (lane >= by) up_to += other;
    }
    int from = 0;
    if (lane == 31) from = atomicAdd(total, up_to);
    from = __shfl_sync(~0u, from, 31);
    if (many > 0) give_birth(neutron[i], draw[i], i, many, from + up_to - many, room, site, born);
}

// Values of callable bonds at 1024 short rates, by implicit steps back in time, each solved by cyclic reduction in
// shared memory; a bond a block. bond: volatility, pull to the mean, mean rate, coupon a step.
constexpr int RATES = 1024;
template <int PAD>
struct Reduction {
    static constexpr int SIZE = RATES + PAD * RATES / 32;
    float a[SIZE], b[SIZE], c[SIZE], d[SIZE], x[SIZE];
    static __device__ __forceinline__ int at(int i) { return PAD ? i + (i >> 5) : i; }
    __device__ __forceinline__ void fill(int i, float v, float4 bond, float dr, float dt)
    {
        const float r = i * dr, drift = bond.y * (bond.z - r), spread = 0.5f * bond.x * bond.x * r / (dr * dr);
        const float low = i == 0 ? 0.0f : -dt * (spread + fmaxf(-drift, 0.0f) / dr);
        const float high = i == RATES - 1 ? 0.0f : -dt * (spread + fmaxf(drift, 0.0f) / dr);
        const int k = at(i);
        a[k] = low;
        b[k] = 1.0f + r * dt - low - high;
        c[k] = high;
        d[k] = v;
    }
    __device__ __forceinline__ void solve()
    {
        const int t = threadIdx.x;
#pragma unroll 1
        for (int s = 1; s <= RATES / 4; s *= 2) {
            if (t < RATES / (2 * s)) {
                const int i = 2 * s * t + 2 * s - 1;
                const int k = at(i), l = at(i - s), r = at(min(i + s, RATES - 1));
                const float left = __fdividef(a[k], b[l]), right = __fdividef(c[k], b[r]);
                b[k] -= c[l] * left + a[r] * right;
                d[k] -= d[l] * left + d[r] * right;
                a[k] = -a[l] * left;
                c[k] = -c[r] * right;
            }
            __syncthreads();
        }
        if (t == 0) {
            const int k = at(RATES / 2 - 1), l = at(RATES - 1);
            const float whole = b[k] * b[l] - c[k] * a[l];
            x[k] = __fdividef(d[k] * b[l] - c[k] * d[l], whole);
            x[l] = __fdividef(b[k] * d[l] - a[l] * d[k], whole);
        }
        __syncthreads();
#pragma unroll 1
        for (int s = RATES / 4; s >= 1; s /= 2) {
            if (t < RATES / (2 * s)) {
                const int i = 2 * s * t + s - 1, k = at(i);
                const float low = t == 0 ? 0.0f : x[at(i - s)];
                x[k] = __fdividef(d[k] - a[k] * low - c[k] * x[at(i + s)], b[k]);
            }
            __syncthreads();
        }
    }
};
template <int PAD>
__device__ __forceinline__ void value_bond(
    const float4 *__restrict__ bond, float *__restrict__ value, float call, float dr, float dt, int steps)
{
    __shared__ Reduction<PAD> line;
    const int t = threadIdx.x;
    const float4 own = bond[blockIdx.x];
    float v = 1.0f, w = 1.0f;
    for (int k = 0; k < steps; k++) {
        line.fill(t, v, own, dr, dt);
        line.fill(t + RATES / 2, w, own, dr, dt);
        __syncthreads();
        line.solve();
        v = fminf(line.x[line.at(t)], call) + own.w;
        w = fminf(line.x[line.at(t + RATES / 2)], call) + own.w;
    }
    value[blockIdx.x * RATES + t] = v;
    value[blockIdx.x * RATES + t + RATES / 2] = w;
}
extern "C" __global__ void __launch_bounds__(RATES / 2, 4) callable_bonds(
    const float4 *__restrict__ bond, float *__restrict__ value, float call, float dr, float dt, int steps)
{
    value_bond<0>(bond, value, call, dr, dt, steps);
}
extern "C" __global__ void __launch_bounds__(RATES / 2, 4) callable_bonds_b(
    const float4 *__restrict__ bond, float *__restrict__ value, float call, float dr, float dt, int steps)
{
    value_bond<1>(bond, value, call, dr, dt, steps);
}

// Energy that gamma rays leave in each pixel of a Compton camera: directions by rejection from the formula of Klein and
// Nishina. alpha: energy over that of an electron at rest.
struct Photon {
    unsigned seed;
    float lost, likely, draw;
    __device__ __forceinline__ float uniform()
    {
        seed = seed * 1664525u + 1013904223u;
        return __fmul_rn(static_cast<float>(seed >> 8), 5.9604645e-8f);
    }
    __device__ __forceinline__ bool attempt(float alpha)
    {
        const float turn = __fmul_rn(2.0f, uniform());
        draw = uniform();
        const float back = __fmaf_rn(alpha, turn, 1.0f), kept = __fdividef(1.0f, back);
        const float sine2 = __fmul_rn(turn, __fsub_rn(2.0f, turn));
        likely = __fmul_rn(__fmul_rn(0.5f, __fmul_rn(kept, kept)), __fsub_rn(__fadd_rn(kept, back), sine2));
        lost = __fsub_rn(1.0f, kept);
        return draw <= likely;
    }
};
extern "C" __global__ void __launch_bounds__(256) compton_angles(
    const unsigned *__restrict__ seed, const float *__restrict__ alpha, float *__restrict__ left, int photons, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Photon one{seed[i]};
    const float a = alpha[i];
    float sum = 0.0f;
    for (int done = 0; done < photons; done++) {
        while (!one.attempt(a)) {
        }
        sum = __fmaf_rn(a, one.lost, sum);
    }
    left[i] = sum;
}
extern "C" __global__ void __launch_bounds__(256) compton_angles_b(
    const unsigned *__restrict__ seed, const float *__restrict__ alpha, float *__restrict__ left, int photons, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Photon one{seed[i]};
    const float a = alpha[i];
    float sum = 0.0f;
    for (int done = 0; done < photons;) {
        if (one.attempt(a)) {
            sum = __fmaf_rn(a, one.lost, sum);
            done++;
        }
    }
    left[i] = sum;
}

// Numbers of aerosol particles in 16 bins, each of twice the volume of the one before, as they stick together; those
// too large fall out into bin 16. A cell of air a thread.
constexpr int BINS = 16, MEETINGS = BINS * (BINS + 1) / 2;
__constant__ float meet_rate[MEETINGS], meet_share[MEETINGS];
__constant__ int meet_bin[MEETINGS];
extern "C" __global__ void __launch_bounds__(256) coagulate_bins(
    const float *__restrict__ number, float *__restrict__ after, int steps, int n)
{
    const int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= n) return;
    float now[BINS + 1], next[BINS + 1];
    for (int k = 0; k <= BINS; k++) next[k] = k < BINS ? number[static_cast<size_t>(k) * n + cell] : 0.0f;
    for (int step = 0; step < steps; step++) {
        for (int k = 0; k <= BINS; k++) now[k] = next[k];
        int pair = 0;
        for (int i = 0; i < BINS; i++) {
            for (int j = 0; j <= i; j++, pair++) {
                const float met = meet_rate[pair] * now[i] * now[j];
                const int to = meet_bin[pair];
                next[i] -= met;
                next[j] -= met;
                next[to] += met * (1.0f - meet_share[pair]);
                next[to + 1] += met * meet_share[pair];
            }
        }
    }
    for (int k = 0; k <= BINS; k++) after[static_cast<size_t>(k) * n + cell] = next[k];
}
extern "C" __global__ void __launch_bounds__(256) coagulate_bins_b(
    const float *__restrict__ number, float *__restrict__ after, int steps, int n)
{
    const int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= n) return;
    float now[BINS + 1], next[BINS + 1];
#pragma unroll
    for (int k = 0; k <= BINS; k++) next[k] = k < BINS ? number[static_cast<size_t>(k) * n + cell] : 0.0f;
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
#pragma unroll
        for (int k = 0; k <= BINS; k++) now[k] = next[k];
#pragma unroll
        for (int i = 0; i < BINS; i++) {
#pragma unroll
            for (int j = 0; j <= i; j++) {
                const int pair = i * (i + 1) / 2 + j;
                const float met = meet_rate[pair] * now[i] * now[j];
                next[i] -= met;
                next[j] -= met;
                next[i] += met * (1.0f - meet_share[pair]);
                next[i + 1] += met * meet_share[pair];
            }
        }
    }
#pragma unroll
    for (int k = 0; k <= BINS; k++) after[static_cast<size_t>(k) * n + cell] = next[k];
}

// Running sums of the light along each row of a map of the sky, over the whole row's, from which rays into a room are
// drawn; a row of 1024 a block.
extern "C" __global__ void __launch_bounds__(1024) sky_draws(
    const float *__restrict__ light, const float *__restrict__ height, float *__restrict__ chance, int rows)
{
    __shared__ float sum[1024];
    const int t = threadIdx.x, row = blockIdx.x;
    if (row >= rows) return;
    sum[t] = light[row * 1024 + t] * height[row];
    __syncthreads();
    for (int by = 1; by < 1024; by *= 2) {
        const float other = t >= by ? sum[t - by] : 0.0f;
        __syncthreads();
        sum[t] += other;
        __syncthreads();
    }
    chance[row * 1024 + t] = __fdividef(sum[t], sum[1023]);
}
extern "C" __global__ void __launch_bounds__(1024) sky_draws_b(
    const float *__restrict__ light, const float *__restrict__ height, float *__restrict__ chance, int rows)
{
    __shared__ float sum[32];
    const int t = threadIdx.x, row = blockIdx.x, lane = t % 32;
    if (row >= rows) return;
    float mine = light[row * 1024 + t] * height[row];
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
        const float other = __shfl_up_sync(~0u, mine, by);
        if (lane >= by) mine += other;
    }
    if (lane == 31) sum[t / 32] = mine;
    __syncthreads();
    float ends = sum[lane];
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
        const float other = __shfl_up_sync(~0u, ends, by);
        if (lane >= by) ends += other;
    }
    const float before = __shfl_sync(~0u, ends, max(t / 32 - 1, 0)), whole = __shfl_sync(~0u, ends, 31);
    chance[row * 1024 + t] = __fdividef(t < 32 ? mine : mine + before, whole);
}

// The best of 64 loans for each applicant, by scores that are linear in 16 things known of him.
constexpr int OFFERS = 64, KNOWN = 16;
__constant__ float offer_weight[OFFERS * KNOWN], offer_base[OFFERS];
extern "C" __global__ void __launch_bounds__(256) loan_offers(
    const float *__restrict__ known, const float *__restrict__ weight, const float *__restrict__ base,
    float *__restrict__ score, int *__restrict__ best, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x[KNOWN], top = -1e30f;
    int which = 0;
#pragma unroll
    for (int k = 0; k < KNOWN; k++) x[k] = known[static_cast<size_t>(k) * n + i];
#pragma unroll 2
    for (int o = 0; o < OFFERS; o++) {
        float s = base[o];
#pragma unroll
        for (int k = 0; k < KNOWN; k++) s += weight[o * KNOWN + k] * x[k];
        if (s > top) {
            top = s;
            which = o;
        }
    }
    score[i] = top;
    best[i] = which;
}
extern "C" __global__ void __launch_bounds__(256) loan_offers_b(
    const float *__restrict__ known, float *__restrict__ score, int *__restrict__ best, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x[KNOWN], top = -1e30f;
    int which = 0;
#pragma unroll
    for (int k = 0; k < KNOWN; k++) x[k] = known[static_cast<size_t>(k) * n + i];
#pragma unroll
    for (int o = 0; o < OFFERS; o++) {
        float s = offer_base[o];
#pragma unroll
        for (int k = 0; k < KNOWN; k++) s += offer_weight[o * KNOWN + k] * x[k];
        if (s > top) {
            top = s;
            which = o;
        }
    }
    score[i] = top;
    best[i] = which;
}

// Bits of a frame from a space probe, sent twice by a code of 64 states, found by Viterbi's algorithm; a frame of 512
// bits, of which the last six are 0, a block; a state a thread.
constexpr int FRAME = 512;
struct WayBytes {
    unsigned char way[FRAME * 64];
    __device__ __forceinline__ void keep(int at, int state, bool high) { way[at * 64 + state] = high; }
    __device__ __forceinline__ int from(int at, int state) const { return way[at * 64 + state]; }
};
struct WayBits {
    unsigned way[FRAME * 2];
    __device__ __forceinline__ void keep(int at, int state, bool high)
    {
        const unsigned all = __ballot_sync(~0u, high);
        if (state % 32 == 0) way[at * 2 + state / 32] = all;
    }
    __device__ __forceinline__ int from(int at, int state) const
    {
        return way[at * 2 + state / 32] >> (state % 32) & 1;
    }
};
template <typename Ways>
__device__ __forceinline__ void decode_frame(const float2 *__restrict__ heard, unsigned *__restrict__ bits)
{
    __shared__ Ways ways;
    __shared__ float2 soft[FRAME];
    __shared__ float metric[2][64];
    const int s = threadIdx.x;
    for (int k = s; k < FRAME; k += 64) soft[k] = heard[blockIdx.x * FRAME + k];
    metric[0][s] = s == 0 ? 0.0f : -1e4f;
    const float one = __popc(s & 0171) & 1 ? -1.0f : 1.0f, two = __popc(s & 0133) & 1 ? -1.0f : 1.0f;
    const float high_one = __popc((s | 64) & 0171) & 1 ? -1.0f : 1.0f;
    const float high_two = __popc((s | 64) & 0133) & 1 ? -1.0f : 1.0f;
    __syncthreads();
    for (int k = 0; k < FRAME; k++) {
        const float2 r = soft[k];
        const float low = metric[k & 1][s >> 1] + (one * r.x + two * r.y);
        const float high = metric[k & 1][(s >> 1) + 32] + (high_one * r.x + high_two * r.y);
        ways.keep(k, s, high > low);
        metric[(k + 1) & 1][s] = fmaxf(low, high);
        __syncthreads();
    }
    if (s != 0) return;
    int state = 0;
    unsigned word = 0;
    for (int k = FRAME - 1; k >= 0; k--) {
        word |= static_cast<unsigned>(state & 1) << (k % 32);
        state = state >> 1 | ways.from(k, state) << 5;
        if (k % 32 == 0) {
            bits[blockIdx.x * (FRAME / 32) + k / 32] = word;
            word = 0;
        }
    }
}
extern "C" __global__ void __launch_bounds__(64) probe_frames(
    const float2 *__restrict__ heard, unsigned *__restrict__ bits)
{
    decode_frame<WayBytes>(heard, bits);
}
extern "C" __global__ void __launch_bounds__(64) probe_frames_b(
    const float2 *__restrict__ heard, unsigned *__restrict__ bits)
{
    decode_frame<WayBits>(heard, bits);
}

// Rank of each page of a web from those that link to it; share: rank over number of links.
extern "C" __global__ void __launch_bounds__(256) page_ranks(
    const int *__restrict__ start, const int *__restrict__ from, const float *__restrict__ share,
    float *__restrict__ rank, float stay, int pages)
{
    const int page = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (page >= pages) return;
    const int end = start[page + 1];
    float sum = 0.0f;
    for (int k = start[page] + lane; k < end; k += 32) sum += share[from[k]];
#pragma unroll
    for (int half = 16; half > 0; half /= 2) sum += __shfl_xor_sync(~0u, sum, half);
    if (lane == 0) rank[page] = 1.0f - stay + stay * sum;
}
// piece: page, first and last link, and whether it is all (0), the first (1) or another part (2) of the page's.
extern "C" __global__ void __launch_bounds__(256) page_ranks_b(
    const int4 *__restrict__ piece, const int *__restrict__ from, const float *__restrict__ share,
    float *__restrict__ rank, float stay, int pieces)
{
    const int own = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (own >= pieces) return;
    const int4 p = piece[own];
    float sum = 0.0f;
    for (int k = p.y + lane; k < p.z; k += 32) sum += share[from[k]];
#pragma unroll
    for (int half = 16; half > 0; half /= 2) sum += __shfl_xor_sync(~0u, sum, half);
    if (lane != 0) return;
    const float part = stay * sum + (p.w < 2 ? 1.0f - stay : 0.0f);
    if (p.w == 0)
        rank[p.x] = part;
    else
        atomicAdd(&rank[p.x], part);
}

// A step of filling the hollows of a land so that water drains: no place lower than the lowest way out among the 24
// about it, nor than the ground.
template <typename Level>
__device__ __forceinline__ void drain_step(
    const float *__restrict__ ground, Level *level, float *__restrict__ next, float slope, int width, int height)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= width || y >= height) return;
    const int at = y * width + x;
    float low = 1e30f;
    if (x < 2 || y < 2 || x >= width - 2 || y >= height - 2) {
        next[at] = ground[at];
        return;
    }
#pragma unroll
    for (int dy = -2; dy <= 2; dy++) {
#pragma unroll
        for (int dx = -2; dx <= 2; dx++) {
            const int far = dx * dx + dy * dy;
            const float away = far == 1 ? 1.0f : far == 2 ? 1.41421f : far == 4 ? 2.0f : far == 5 ? 2.23607f : 2.82843f;
            if (far > 0) low = fminf(low, level[at + dy * width + dx] + slope * away);
        }
    }
    next[at] = fmaxf(ground[at], low);
}
extern "C" __global__ void __launch_bounds__(256) drain_terrain(
    const float *__restrict__ ground, const volatile float *level, float *__restrict__ next, float slope, int width,
    int height)
{
    drain_step(ground, level, next, slope, width, height);
}
extern "C" __global__ void __launch_bounds__(256) drain_terrain_b(
    const float *__restrict__ ground, const float *__restrict__ level, float *__restrict__ next, float slope, int width,
    int height)
{
    drain_step(ground, level, next, slope, width, height);
}

// Energy of each of 256 residues of a folded protein by its contacts, after a table of 20 by 20 amino acids; a fold a
// block. residue: place and kind.
constexpr int KINDS = 20, CHAIN = 256;
__constant__ float contact[KINDS * KINDS];
template <int ROW>
__device__ __forceinline__ float contacts(const float4 *tile, const float *table, float4 own, float inverse)
{
    const float *row = table + __float_as_int(own.w) * ROW;
    float sum = -row[__float_as_int(own.w)];
#pragma unroll 4
    for (int j = 0; j < CHAIN; j++) {
        const float4 p = tile[j];
        const float dx = p.x - own.x, dy = p.y - own.y, dz = p.z - own.z;
        sum += row[__float_as_int(p.w)] * __saturatef(2.0f - inverse * (dx * dx + dy * dy + dz * dz));
    }
    return sum;
}
extern "C" __global__ void __launch_bounds__(CHAIN) contact_energies(
    const float4 *__restrict__ residue, float *__restrict__ energy, float inverse)
{
    __shared__ float4 tile[CHAIN];
    const int i = blockIdx.x * CHAIN + threadIdx.x;
    const float4 own = residue[i];
    tile[threadIdx.x] = own;
    __syncthreads();
    energy[i] = contacts<KINDS>(tile, contact, own, inverse);
}
extern "C" __global__ void __launch_bounds__(CHAIN) contact_energies_b(
    const float4 *__restrict__ residue, float *__restrict__ energy, float inverse)
{
    __shared__ float4 tile[CHAIN];
    __shared__ float table[KINDS * (KINDS + 1)];
    const int i = blockIdx.x * CHAIN + threadIdx.x;
    const float4 own = residue[i];
    tile[threadIdx.x] = own;
    for (int k = threadIdx.x; k < KINDS * KINDS; k += CHAIN) table[k / KINDS * (KINDS + 1) + k % KINDS] = contact[k];
    __syncthreads();
    energy[i] = contacts<KINDS + 1>(tile, table, own, inverse);
}

// Spins of a glass after a step: those that oppose their six neighbours turn, on a lattice whose ends meet. bond: bits
// 0 to 2 say whether a spin and the next one along x, y and z want to differ.
__device__ __forceinline__ int pull(const signed char *spin, int to, unsigned char bond, int axis)
{
    return bond >> axis & 1 ? -spin[to] : spin[to];
}
__device__ __forceinline__ signed char settle_spin(
    const signed char *spin, const unsigned char *bond, int at, int east, int west, int north, int south, int up,
    int down, int stiff)
{
    const unsigned char own = bond[at];
    const int field = pull(spin, east, own, 0) + pull(spin, west, bond[west], 0) + pull(spin, north, own, 1) +
                      pull(spin, south, bond[south], 1) + pull(spin, up, own, 2) + pull(spin, down, bond[down], 2);
    const int s = spin[at];
    return s * field < stiff ? -s : s;
}
extern "C" __global__ void __launch_bounds__(512) spin_glass(
    const signed char *__restrict__ spin, const unsigned char *__restrict__ bond, signed char *__restrict__ next,
    int stiff, int lx, int ly, int lz)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= lx * ly * lz) return;
    const int x = i % lx, y = i / lx % ly, z = i / (lx * ly);
    const int east = (z * ly + y) * lx + (x + 1) % lx, west = (z * ly + y) * lx + (x - 1 + lx) % lx;
    const int north = (z * ly + (y + 1) % ly) * lx + x, south = (z * ly + (y - 1 + ly) % ly) * lx + x;
    const int up = ((z + 1) % lz * ly + y) * lx + x, down = ((z - 1 + lz) % lz * ly + y) * lx + x;
    next[i] = settle_spin(spin, bond, i, east, west, north, south, up, down, stiff);
}
extern "C" __global__ void __launch_bounds__(512) spin_glass_b(
    const signed char *__restrict__ spin, const unsigned char *__restrict__ bond, signed char *__restrict__ next,
    int stiff, int lx, int ly, int lz)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x >= lx || y >= ly || z >= lz) return;
    const int plane = lx * ly, i = z * plane + y * lx + x;
    const int east = x + 1 < lx ? i + 1 : i + 1 - lx, west = x > 0 ? i - 1 : i - 1 + lx;
    const int north = y + 1 < ly ? i + lx : i + lx - plane, south = y > 0 ? i - lx : i - lx + plane;
    const int up = z + 1 < lz ? i + plane : i - (lz - 1) * plane, down = z > 0 ? i - plane : i + (lz - 1) * plane;
    next[i] = settle_spin(spin, bond, i, east, west, north, south, up, down, stiff);
}

// Warmth of columns of frozen ground after an implicit step, 128 levels each. law: share of the level above, inverse
// pivot, and share of the level below, of each level.
extern "C" __global__ void __launch_bounds__(128) permafrost_sweep(
    const float *__restrict__ warmth, const float4 *__restrict__ law, float *__restrict__ after, int levels,
    int level_step, int column_step, int columns)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    const float *from = warmth + static_cast<size_t>(column) * column_step;
    float *to = after + static_cast<size_t>(column) * column_step;
    float last = 0.0f;
#pragma unroll 4
    for (int k = 0; k < levels; k++) {
        const float4 l = law[k];
        last = (from[static_cast<size_t>(k) * level_step] - l.x * last) * l.y;
        to[static_cast<size_t>(k) * level_step] = last;
    }
#pragma unroll 4
    for (int k = levels - 2; k >= 0; k--) {
        last = to[static_cast<size_t>(k) * level_step] - law[k].z * last;
        to[static_cast<size_t>(k) * level_step] = last;
    }
}

// Heat that patches of a furnace's walls get from the glowing patches, by the angles at both ends. place: place and
// area, facing: normal and power; glowing patches are a multiple of 256.
template <bool ANGLES>
__device__ __forceinline__ void exchange(
    const float4 *__restrict__ place, const float4 *__restrict__ facing, const float4 *__restrict__ hot_place,
    const float4 *__restrict__ hot_facing, float *__restrict__ heat, int hot, int n)
{
    __shared__ float4 at[256], normal[256];
    const int i = blockIdx.x * 256 + threadIdx.x, own = min(i, n - 1);
    const float4 p = place[own], f = facing[own];
    float sum = 0.0f;
    for (int first = 0; first < hot; first += 256) {
        __syncthreads();
        at[threadIdx.x] = hot_place[first + threadIdx.x];
        normal[threadIdx.x] = hot_facing[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 256; k++) {
            const float4 q = at[k], g = normal[k];
            const float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
            const float far = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f);
            float here = (dx * f.x + dy * f.y + dz * f.z) * far, there = -(dx * g.x + dy * g.y + dz * g.z) * far;
            if (ANGLES) {
                const float angle = acosf(fminf(fmaxf(here, -1.0f), 1.0f));
                const float other = acosf(fminf(fmaxf(there, -1.0f), 1.0f));
                here = cosf(angle);
                there = cosf(other);
            }
            sum += fmaxf(here, 0.0f) * fmaxf(there, 0.0f) * (0.31831f * far * far) * (q.w * g.w);
        }
    }
    if (i < n) heat[i] = p.w * sum;
}
extern "C" __global__ void __launch_bounds__(256) furnace_exchange(
    const float4 *__restrict__ place, const float4 *__restrict__ facing, const float4 *__restrict__ hot_place,
    const float4 *__restrict__ hot_facing, float *__restrict__ heat, int hot, int n)
{
    exchange<true>(place, facing, hot_place, hot_facing, heat, hot, n);
}
extern "C" __global__ void __launch_bounds__(256) furnace_exchange_b(
    const float4 *__restrict__ place, const float4 *__restrict__ facing, const float4 *__restrict__ hot_place,
    const float4 *__restrict__ hot_facing, float *__restrict__ heat, int hot, int n)
{
    exchange<false>(place, facing, hot_place, hot_facing, heat, hot, n);
}

// Where points of pictures from the air would be without the lens: its bending undone by eight fixed-point steps.
extern "C" __global__ void __launch_bounds__(256) survey_lens(
    const float2 *__restrict__ seen, float2 *__restrict__ straight, int steps, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 p = seen[i];
    float x = p.x, y = p.y;
    for (int k = 0; k < steps; k++) {
        const float r = x * x + y * y;
        const float by = 1.0 / (1.0 + 0.12 * r - 0.05 * r * r + 0.02 * r * r * r);
        const float dx = 0.002 * x * y + 0.001 * (r + 2.0 * x * x);
        const float dy = 0.001 * (r + 2.0 * y * y) + 0.002 * x * y;
        x = (p.x - dx) * by;
        y = (p.y - dy) * by;
    }
    straight[i] = make_float2(x, y);
}
extern "C" __global__ void __launch_bounds__(256) survey_lens_b(
    const float2 *__restrict__ seen, float2 *__restrict__ straight, int steps, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 p = seen[i];
    float x = p.x, y = p.y;
    for (int k = 0; k < steps; k++) {
        const float r = x * x + y * y;
        const float by = 1.0f / (1.0f + 0.12f * r - 0.05f * r * r + 0.02f * r * r * r);
        const float dx = 0.002f * x * y + 0.001f * (r + 2.0f * x * x);
        const float dy = 0.001f * (r + 2.0f * y * y) + 0.002f * x * y;
        x = (p.x - dx) * by;
        y = (p.y - dy) * by;
    }
    straight[i] = make_float2(x, y);
}
