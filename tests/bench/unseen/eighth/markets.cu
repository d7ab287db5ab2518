// Deltas, words, daily takings, breaches, armies, clusters, documents, proteins, chunks, meshes, chains, roads, clouds.

// Values of a column from their differences: chunks of 64, a first value for each.
extern "C" __global__ void unfold_deltas(const int *delta, const int *base, int *value, int chunks)
{
    const int chunk = blockIdx.x * blockDim.x + threadIdx.x;
    if (chunk >= chunks) return;
    int sum = base[chunk];
    for (int k = 0; k < 64; k++) {
        sum += delta[chunk * 64 + k];
        value[chunk * 64 + k] = sum;
    }
}
extern "C" __global__ void unfold_deltas_b(const int *delta, const int *base, int *value, int chunks)
{
    const int chunk = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (chunk >= chunks) return;
    const int2 own = ((const int2 *)delta)[chunk * 32 + lane];
    const int start = base[chunk];
    int sum = own.x + own.y;
    for (int k = 1; k < 32; k *= 2) {
        const int other = __shfl_up_sync(~0u, sum, k);
        if (lane >= k) sum += other;
    }
    ((int2 *)value)[chunk * 32 + lane] = make_int2(start + sum - own.y, start + sum);
}

// Edit distances of words of 24 letters (four to a number) from one word, the row of the table in shared memory.
extern "C" __global__ void __launch_bounds__(128)
    spell_distances(const unsigned *word, const int *asked, int *distance, int letters, int n)
{
    __shared__ int row[128 * 24], query[24];
    const int me = blockIdx.x * 128 + threadIdx.x;
    if (threadIdx.x < 24) query[threadIdx.x] = asked[threadIdx.x];
    int *own = row + threadIdx.x * 24;
    for (int j = 0; j < letters; j++) own[j] = j + 1;
    __syncthreads();
    for (int i = 0; i < letters; i++) {
        const int letter = word[i / 4 * n + me] >> i % 4 * 8 & 255;
        int corner = i, left = i + 1;
#pragma unroll 1
        for (int j = 0; j < letters; j++) {
            const int up = own[j], change = corner + (query[j] != letter);
            left = min(min(up, left) + 1, change);
            corner = up;
            own[j] = left;
        }
    }
    distance[me] = own[letters - 1];
}
extern "C" __global__ void __launch_bounds__(128)
    spell_distances_b(const unsigned *word, const int *asked, int *distance, int letters, int n)
{
    __shared__ int row[24 * 128], query[24];
    const int me = blockIdx.x * 128 + threadIdx.x;
    if (threadIdx.x < 24) query[threadIdx.x] = asked[threadIdx.x];
    int *own = row + threadIdx.x;
    for (int j = 0; j < letters; j++) own[j * 128] = j + 1;
    __syncthreads();
    for (int i = 0; i < letters; i++) {
        const int letter = word[i / 4 * n + me] >> i % 4 * 8 & 255;
        int corner = i, left = i + 1;
#pragma unroll 1
        for (int j = 0; j < letters; j++) {
            const int up = own[j * 128], change = corner + (query[j] != letter);
            left = min(min(up, left) + 1, change);
            corner = up;
            own[j * 128] = left;
        }
    }
    distance[me] = own[(letters - 1) * 128];
}

// Takings of each of 512 days; a row is a day (upper bits) and an amount (lower 20 bits), rows in the order of days.
extern "C" __global__ void __launch_bounds__(256) daily_takings(const uint4 *row, unsigned *total, int fours)
{
    __shared__ unsigned own[512];
    own[threadIdx.x] = own[threadIdx.x + 256] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < fours; i += gridDim.x * 256) {
        const uint4 r = row[i];
        atomicAdd(&own[r.x >> 20], r.x & 0xfffff);
        atomicAdd(&own[r.y >> 20], r.y & 0xfffff);
        atomicAdd(&own[r.z >> 20], r.z & 0xfffff);
        atomicAdd(&own[r.w >> 20], r.w & 0xfffff);
    }
    __syncthreads();
    for (int d = threadIdx.x; d < 512; d += 256)
        if (own[d]) atomicAdd(&total[d], own[d]);
}
__device__ void take_row(unsigned *own, unsigned row)
{
    const unsigned day = row >> 20;
    if (__all_sync(~0u, day == __shfl_sync(~0u, day, 0))) {
        const unsigned sum = __reduce_add_sync(~0u, row & 0xfffff);
        if (threadIdx.x % 32 == 0) atomicAdd(&own[day], sum);
    } else
        atomicAdd(&own[day], row & 0xfffff);
}
extern "C" __global__ void __launch_bounds__(256) daily_takings_b(const uint4 *row, unsigned *total, int fours)
{
    __shared__ unsigned own[512];
    own[threadIdx.x] = own[threadIdx.x + 256] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < fours; i += gridDim.x * 256) { // fours is a multiple of 32
        const uint4 r = row[i];
        take_row(own, r.x);
        take_row(own, r.y);
        take_row(own, r.z);
        take_row(own, r.w);
    }
    __syncthreads();
    for (int d = threadIdx.x; d < 512; d += 256)
        if (own[d]) atomicAdd(&total[d], own[d]);
}

// The first row of each segment above a limit, or the number of rows; a warp a segment.
extern "C" __global__ void __launch_bounds__(256) first_breaches(const float *level, int *first, float limit, int rows)
{
    const int segment = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    const float *own = level + (long long)segment * rows;
    int found = rows;
#pragma unroll 1
    for (int r = 0; r < rows; r += 32) {
        const unsigned hits = __ballot_sync(~0u, own[r + lane] > limit);
        if (hits) {
            found = r + __ffs(hits) - 1;
            break;
        }
    }
    if (lane == 0) first[segment] = found;
}
extern "C" __global__ void __launch_bounds__(256) first_breaches_b(const float *level, int *first, float limit, int rows)
{
    const int segment = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    const float *own = level + (long long)segment * rows;
    int found = rows;
#pragma unroll 1
    for (int r = 0; r < rows && found == rows; r += 256) {
        float v[8];
#pragma unroll
        for (int k = 0; k < 8; k++) v[k] = own[r + k * 32 + lane];
#pragma unroll
        for (int k = 7; k >= 0; k--) {
            const unsigned hits = __ballot_sync(~0u, v[k] > limit);
            if (hits) found = r + k * 32 + __ffs(hits) - 1;
        }
    }
    if (lane == 0) first[segment] = found;
}

// Strength of each unit of an army after some rounds, by the rules of its kind.
extern "C" __global__ void
army_rounds(const int *kind, const float *force, const float *morale, float *strength, int rounds, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = force[i], b = morale[i];
    switch (kind[i]) {
    case 0: // scouts
        for (int k = 0; k < rounds; k++) {
            a = 0.5f * a + 0.3f * b;
            b = 0.8f * b - 0.2f * a + 0.1f;
        }
        break;
    case 1: // archers
        for (int k = 0; k < rounds; k++) {
            a += 0.05f * (b - a * a);
            b = 0.97f * b + 0.01f * a;
        }
        break;
    case 2: // riders
        for (int k = 0; k < rounds; k++) {
            const float both = a * b;
            a = 0.9f * a + 0.08f * both;
            b = 0.9f * b + 0.05f * (1.0f - both);
        }
        break;
    case 3: // healers
        for (int k = 0; k < rounds; k++) {
            b += 0.1f * (1.0f - b) * a;
            a = 0.95f * a + 0.02f * b;
        }
        break;
    case 4: // engines
        for (int k = 0; k < rounds; k++) {
            a = 0.6f * a + 0.4f * b * b;
            b = fmaxf(b - 0.01f, 0.3f * a);
        }
        break;
    default: // guards
        for (int k = 0; k < rounds; k++) {
            const float apart = fabsf(a - b);
            a = 0.9f * a + 0.05f * apart;
            b = 0.92f * b + 0.06f * (1.0f - apart);
        }
    }
    strength[i] = a + b;
}

// Largest squared distance between two points of each cluster; a task is a cluster, its first point, its number of points,
// and the points (from, to) that are held against all; the bits of a float that is not below 0 as a number.
extern "C" __global__ void __launch_bounds__(256) cluster_widths(const float2 *point, const int *task, unsigned *width)
{
    __shared__ float2 tile[256];
    const int *t = task + 5 * blockIdx.x;
    const int cluster = t[0], count = t[2], to = t[4];
    const float2 *own = point + t[1];
    float best = 0.0f;
    for (int r = t[3]; r < to; r += 256) {
        const float2 p = own[min(r + (int)threadIdx.x, to - 1)];
        for (int c = 0; c < count; c += 256) {
            __syncthreads();
            tile[threadIdx.x] = own[min(c + (int)threadIdx.x, count - 1)];
            __syncthreads();
            const int many = min(256, count - c);
#pragma unroll 8
            for (int k = 0; k < many; k++) {
                const float dx = p.x - tile[k].x, dy = p.y - tile[k].y;
                best = fmaxf(best, dx * dx + dy * dy);
            }
        }
    }
    const unsigned most = __reduce_max_sync(~0u, __float_as_uint(best));
    if (threadIdx.x % 32 == 0) atomicMax(&width[cluster], most);
}

// MinHash of documents of 256 shingles by 8 functions a * x + b modulo 2^31 - 1; a warp a document.
__constant__ unsigned long long mixers[16];
extern "C" __global__ void __launch_bounds__(256)
    minhash_documents(const unsigned *shingle, unsigned *least, unsigned long long prime)
{
    const int document = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned own[8];
#pragma unroll
    for (int k = 0; k < 8; k++) own[k] = shingle[document * 256 + k * 32 + lane];
#pragma unroll 1
    for (int f = 0; f < 8; f++) {
        unsigned low = ~0u;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            const unsigned long long mixed = mixers[2 * f] * own[k] + mixers[2 * f + 1];
            low = min(low, (unsigned)(mixed % prime));
        }
        const unsigned best = __reduce_min_sync(~0u, low);
        if (lane == f) least[document * 8 + f] = best;
    }
}
extern "C" __global__ void __launch_bounds__(256)
    minhash_documents_b(const unsigned *shingle, unsigned *least, unsigned long long prime)
{
    const int document = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned p = (unsigned)prime; // 2^31 - 1
    unsigned own[8];
#pragma unroll
    for (int k = 0; k < 8; k++) own[k] = shingle[document * 256 + k * 32 + lane];
#pragma unroll 1
    for (int f = 0; f < 8; f++) {
        unsigned low = ~0u;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            const unsigned long long mixed = mixers[2 * f] * own[k] + mixers[2 * f + 1]; // below 2^62
            unsigned r = ((unsigned)mixed & p) + (unsigned)(mixed >> 31);
            r = (r & p) + (r >> 31);
            low = min(low, r >= p ? r - p : r);
        }
        const unsigned best = __reduce_min_sync(~0u, low);
        if (lane == f) least[document * 8 + f] = best;
    }
}

// Score without gaps of pairs of 64 residues (four to a number) by a table of 24 by 24.
__constant__ int exchange[576];
extern "C" __global__ void __launch_bounds__(256)
    peptide_scores(const unsigned *one, const unsigned *other, int *score, int n)
{
    const int me = blockIdx.x * 256 + threadIdx.x;
    int sum = 0;
    for (int k = 0; k < 16; k++) {
        const unsigned a = one[k * n + me], b = other[k * n + me];
#pragma unroll
        for (int r = 0; r < 32; r += 8) sum += exchange[(a >> r & 255) * 24 + (b >> r & 255)];
    }
    score[me] = sum;
}
extern "C" __global__ void __launch_bounds__(256)
    peptide_scores_b(const unsigned *one, const unsigned *other, int *score, int n, const int *table)
{
    __shared__ int own[576];
    const int me = blockIdx.x * 256 + threadIdx.x;
    for (int k = threadIdx.x; k < 576; k += 256) own[k] = table[k];
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 16; k++) {
        const unsigned a = one[k * n + me], b = other[k * n + me];
#pragma unroll
        for (int r = 0; r < 32; r += 8) sum += own[(a >> r & 255) * 24 + (b >> r & 255)];
    }
    score[me] = sum;
}

// Repeats within windows of 64 residues (four to a number): the sum of c * (c - 1) over the counts of the 20 kinds.
extern "C" __global__ void __launch_bounds__(128) window_repeats(const unsigned *residue, int *repeats, int n)
{
    const int me = blockIdx.x * 128 + threadIdx.x;
    int count[20] = {};
    for (int k = 0; k < 16; k++) {
        const unsigned word = residue[k * n + me];
#pragma unroll
        for (int r = 0; r < 32; r += 8) count[word >> r & 255]++;
    }
    int sum = 0;
#pragma unroll
    for (int c = 0; c < 20; c++) sum += count[c] * (count[c] - 1);
    repeats[me] = sum;
}
extern "C" __global__ void __launch_bounds__(128) window_repeats_b(const unsigned *residue, int *repeats, int n)
{
    __shared__ int count[20][128];
    const int me = blockIdx.x * 128 + threadIdx.x, t = threadIdx.x;
#pragma unroll
    for (int c = 0; c < 20; c++) count[c][t] = 0;
    for (int k = 0; k < 16; k++) {
        const unsigned word = residue[k * n + me];
#pragma unroll
        for (int r = 0; r < 32; r += 8) count[word >> r & 255][t]++;
    }
    int sum = 0;
#pragma unroll
    for (int c = 0; c < 20; c++) sum += count[c][t] * (count[c][t] - 1);
    repeats[me] = sum;
}

// Chunks of floats as bytes between their least and largest value, with least, largest and mean of each; a block a chunk.
enum { LEAST, LARGEST, SUM };
template <int WHAT> __device__ float join(float a, float b)
{
    return WHAT == LEAST ? fminf(a, b) : WHAT == LARGEST ? fmaxf(a, b) : a + b;
}
template <int WHAT> __device__ float over_block(float own)
{
    __shared__ float part[32];
    for (int k = 16; k > 0; k /= 2) own = join<WHAT>(own, __shfl_xor_sync(~0u, own, k));
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = own;
    __syncthreads();
    own = part[threadIdx.x % 32];
    for (int k = 16; k > 0; k /= 2) own = join<WHAT>(own, __shfl_xor_sync(~0u, own, k));
    return own;
}
template <int WHAT> __device__ float over_chunk(const float4 *value, int fours)
{
    float own = WHAT == LEAST ? 3e38f : WHAT == LARGEST ? -3e38f : 0.0f;
#pragma unroll 4
    for (int i = threadIdx.x; i < fours; i += 1024) {
        const float4 v = value[i];
        own = join<WHAT>(own, join<WHAT>(join<WHAT>(v.x, v.y), join<WHAT>(v.z, v.w)));
    }
    return over_block<WHAT>(own);
}
__device__ void encode_chunk(const float4 *value, unsigned *code, float low, float high, int fours)
{
    const float scale = 255.0f / (high - low);
#pragma unroll 4
    for (int i = threadIdx.x; i < fours; i += 1024) {
        const float4 v = value[i];
        const unsigned a = fmaf(v.x - low, scale, 0.5f), b = fmaf(v.y - low, scale, 0.5f);
        const unsigned c = fmaf(v.z - low, scale, 0.5f), d = fmaf(v.w - low, scale, 0.5f);
        code[i] = a | b << 8 | c << 16 | d << 24;
    }
}
extern "C" __global__ void __launch_bounds__(1024, 2)
    quantise_chunks(const float4 *__restrict__ value, unsigned *__restrict__ code, float *__restrict__ header, int fours)
{
    value += (long long)blockIdx.x * fours, code += (long long)blockIdx.x * fours;
    const float low = over_chunk<LEAST>(value, fours);
    const float high = over_chunk<LARGEST>(value, fours);
    const float sum = over_chunk<SUM>(value, fours);
    encode_chunk(value, code, low, high, fours);
    if (threadIdx.x == 0) {
        header[3 * blockIdx.x] = low, header[3 * blockIdx.x + 1] = high;
        header[3 * blockIdx.x + 2] = sum / (4 * fours);
    }
}
extern "C" __global__ void __launch_bounds__(1024, 2)
    quantise_chunks_b(const float4 *__restrict__ value, unsigned *__restrict__ code, float *__restrict__ header, int fours)
{
    value += (long long)blockIdx.x * fours, code += (long long)blockIdx.x * fours;
    float low = 3e38f, high = -3e38f, sum = 0.0f;
#pragma unroll 4
    for (int i = threadIdx.x; i < fours; i += 1024) {
        const float4 v = value[i];
        low = fminf(low, fminf(fminf(v.x, v.y), fminf(v.z, v.w)));
        high = fmaxf(high, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
        sum = sum + ((v.x + v.y) + (v.z + v.w));
    }
    low = over_block<LEAST>(low), high = over_block<LARGEST>(high), sum = over_block<SUM>(sum);
    encode_chunk(value, code, low, high, fours);
    if (threadIdx.x == 0) {
        header[3 * blockIdx.x] = low, header[3 * blockIdx.x + 1] = high;
        header[3 * blockIdx.x + 2] = sum / (4 * fours);
    }
}

// Areas of the triangles of a mesh; the three corners of each in three columns.
extern "C" __global__ void facet_areas(const float4 *vertex, const int *corner, float *area, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 a = vertex[corner[i]], b = vertex[corner[n + i]], c = vertex[corner[2 * n + i]];
    const float ux = b.x - a.x, uy = b.y - a.y, uz = b.z - a.z, vx = c.x - a.x, vy = c.y - a.y, vz = c.z - a.z;
    const float x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    area[i] = 0.5f * sqrtf(x * x + y * y + z * z);
}

// Weight of sequences of 64 bases (four to a number) in a chain of 64 states, each with the base that it prefers.
__constant__ unsigned preferred[64];
__device__ float chain_weight(const unsigned *base, int me, int n)
{
    float state[64];
#pragma unroll
    for (int s = 0; s < 64; s++) state[s] = s == 0 ? 1.0f : 0.0f;
#pragma unroll 1
    for (int k = 0; k < 16; k++) {
        unsigned word = base[k * n + me];
#pragma unroll 1
        for (int r = 0; r < 4; r++, word >>= 8) {
            const unsigned letter = word & 255;
#pragma unroll
            for (int s = 63; s > 0; s--)
                state[s] = (state[s] + 0.75f * state[s - 1]) * (letter == preferred[s] ? 0.9f : 0.48f);
            state[0] *= letter == preferred[0] ? 1.5f : 0.8f;
        }
    }
    float sum = 0.0f;
#pragma unroll
    for (int s = 0; s < 64; s++) sum += state[s];
    return sum;
}
extern "C" __global__ void __launch_bounds__(256, 8) chain_weights(const unsigned *base, float *weight, int n)
{
    const int me = blockIdx.x * 256 + threadIdx.x;
    weight[me] = chain_weight(base, me, n);
}
extern "C" __global__ void __launch_bounds__(256, 2) chain_weights_b(const unsigned *base, float *weight, int n)
{
    const int me = blockIdx.x * 256 + threadIdx.x;
    weight[me] = chain_weight(base, me, n);
}

// One round over the roads of a map: the shortest way found to each place, and from where.
extern "C" __global__ void relax_roads(const int *from, const int *to, const unsigned *length, const unsigned *known,
                                       volatile unsigned *way, volatile unsigned *parent, unsigned *lock, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned source = from[i], place = to[i], found = known[source] + length[i];
    bool waits = true;
    while (waits) {
        if (atomicCAS(&lock[place], 0u, 1u) == 0u) {
            __threadfence();
            const unsigned best = way[place];
            if (found < best || (found == best && source < parent[place])) {
                way[place] = found;
                parent[place] = source;
            }
            __threadfence();
            atomicExch(&lock[place], 0u);
            waits = false;
        }
    }
}
extern "C" __global__ void relax_roads_b(const int *from, const int *to, const unsigned *length, const unsigned *known,
                                         unsigned long long *best, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned source = from[i], place = to[i], found = known[source] + length[i];
    atomicMin(&best[place], (unsigned long long)found << 32 | source);
}

// Of each cloud of 1024 points a number of points far from each other: each is the farthest from all those chosen before.
extern "C" __global__ void __launch_bounds__(1024, 2)
    spread_points(const float *x, const float *y, const float *z, int *chosen, int picks)
{
    __shared__ float px[1024], py[1024], pz[1024], far[1024];
    __shared__ int who[1024];
    const int t = threadIdx.x, first = blockIdx.x * 1024;
    const float ox = px[t] = x[first + t], oy = py[t] = y[first + t], oz = pz[t] = z[first + t];
    float near = 1e30f;
    int last = 0;
    __syncthreads();
    for (int k = 0; k < picks; k++) {
        if (t == 0) chosen[blockIdx.x * picks + k] = last;
        const float dx = ox - px[last], dy = oy - py[last], dz = oz - pz[last];
        near = fminf(near, dx * dx + dy * dy + dz * dz);
        far[t] = near, who[t] = t;
        __syncthreads();
        for (int step = 512; step > 0; step /= 2) {
            if (t < step) {
                const float other = far[t + step];
                if (other > far[t] || (other == far[t] && who[t + step] < who[t])) far[t] = other, who[t] = who[t + step];
            }
            __syncthreads();
        }
        last = who[0];
        __syncthreads();
    }
}
extern "C" __global__ void __launch_bounds__(1024, 2)
    spread_points_b(const float *x, const float *y, const float *z, int *chosen, int picks)
{
    __shared__ float px[1024], py[1024], pz[1024];
    __shared__ unsigned far[2][32];
    __shared__ int who[2][32];
    const int t = threadIdx.x, first = blockIdx.x * 1024, lane = t % 32;
    const float ox = px[t] = x[first + t], oy = py[t] = y[first + t], oz = pz[t] = z[first + t];
    float near = 1e30f;
    int last = 0;
    __syncthreads();
    for (int k = 0; k < picks; k++) {
        if (t == 0) chosen[blockIdx.x * picks + k] = last;
        const float dx = ox - px[last], dy = oy - py[last], dz = oz - pz[last];
        near = fminf(near, dx * dx + dy * dy + dz * dz);
        const unsigned own = __float_as_uint(near), most = __reduce_max_sync(~0u, own);
        const unsigned those = __ballot_sync(~0u, own == most);
        if (lane == 0) far[k % 2][t / 32] = most, who[k % 2][t / 32] = t + __ffs(those) - 1;
        __syncthreads();
        const unsigned part = far[k % 2][lane], all = __reduce_max_sync(~0u, part);
        last = who[k % 2][__ffs(__ballot_sync(~0u, part == all)) - 1];
    }
}
