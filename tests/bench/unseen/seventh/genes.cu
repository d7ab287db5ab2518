// Evolved programs, places in a genome, masked bases, card numbers, spanning trees, covariances, sites of a protein.

// Evolved programs of some steps on one accumulator, each on all samples of eight inputs; [step][program], [input][sample].
__device__ float run_program(const unsigned *code, const float *input, int program, int sample, int steps, int programs, int samples)
{
    float a = 0.5f;
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        const unsigned word = code[k * programs + program];
        const float x = input[(word >> 3 & 7) * samples + sample];
        switch (word & 7) {
        case 0: a = a + x; break;
        case 1: a = a * x; break;
        case 2: a = x / (1.0f + fabsf(a)); break;
        case 3: a = sqrtf(fabsf(a) + x); break;
        case 4: a = expf(-fabsf(a - x)); break;
        case 5: a = fabsf(a) > x ? 2.0f * x - fabsf(a) : fabsf(a); break;
        case 6: a = tanhf(a + x); break;
        default: a = log1pf(fabsf(a)) - x; break;
        }
    }
    return a;
}
extern "C" __global__ void __launch_bounds__(256) score_programs(const unsigned *code, const float *input, float *score, int steps, int programs, int samples)
{
    const int program = blockIdx.x * 256 + threadIdx.x, sample = blockIdx.y;
    score[(size_t)sample * programs + program] = run_program(code, input, program, sample, steps, programs, samples);
}
extern "C" __global__ void __launch_bounds__(256) score_programs_b(const unsigned *code, const float *input, float *score, int steps, int programs, int samples)
{
    const int sample = blockIdx.x * 256 + threadIdx.x, program = blockIdx.y;
    score[(size_t)program * samples + sample] = run_program(code, input, program, sample, steps, programs, samples);
}

// Places of hits in a genome: each steps back through a compressed index of 64 bases and four counts a record.
struct Rank {
    uint4 count;
    unsigned long long low, high;
};
__device__ unsigned step_back(const Rank *rank, unsigned at)
{
    const Rank r = rank[at / 64];
    const unsigned off = at & 63, base = (unsigned)(r.low >> off & 1) | (unsigned)(r.high >> off & 1) << 1;
    const unsigned long long same = (base & 1 ? r.low : ~r.low) & (base & 2 ? r.high : ~r.high);
    const unsigned before = base & 2 ? (base & 1 ? r.count.w : r.count.z) : (base & 1 ? r.count.y : r.count.x);
    return before + __popcll(same & ((1ull << off) - 1));
}
extern "C" __global__ void __launch_bounds__(128) locate_hits(const Rank *rank, const unsigned *hit, unsigned *place, int steps, int hits)
{
    for (int i = blockIdx.x * 128 + threadIdx.x; i < hits; i += gridDim.x * 128) {
        unsigned at = hit[i];
        for (int k = 0; k < steps; k++) at = step_back(rank, at);
        place[i] = at;
    }
}

// Bases of low quality are written in small letters.
extern "C" __global__ void __launch_bounds__(256) mask_bases(const unsigned char *base, const unsigned char *quality, unsigned char *masked, int least, size_t n)
{
    for (size_t i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        masked[i] = quality[i] < least ? base[i] | 32 : base[i];
}
extern "C" __global__ void __launch_bounds__(256) mask_bases_b(const uint4 *base, const uint4 *quality, uint4 *masked, int least, size_t n)
{
    const unsigned bound = least * 0x01010101u;
    for (size_t i = blockIdx.x * 256 + threadIdx.x; i < n / 16; i += gridDim.x * 256) {
        const uint4 q = quality[i];
        uint4 b = base[i];
        b.x |= __vcmpltu4(q.x, bound) & 0x20202020u;
        b.y |= __vcmpltu4(q.y, bound) & 0x20202020u;
        b.z |= __vcmpltu4(q.z, bound) & 0x20202020u;
        b.w |= __vcmpltu4(q.w, bound) & 0x20202020u;
        masked[i] = b;
    }
}

// The check digit of card numbers of 16 digits: every second digit counts double, less 9 where that is above 9.
extern "C" __global__ void __launch_bounds__(256) check_cards(const unsigned long long *card, unsigned char *check, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    unsigned long long number = card[i];
    int sum = 0;
    for (int k = 0; k < 16; k++) {
        int digit = number % 10;
        number /= 10;
        if (k & 1) digit = digit > 4 ? 2 * digit - 9 : 2 * digit;
        sum += digit;
    }
    check[i] = sum % 10;
}
__device__ int sum_digits(unsigned number)
{
    int sum = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const unsigned rest = number / 100, pair = number - 100 * rest, tens = pair * 205 >> 11;
        sum += pair - 10 * tens + 2 * tens - (tens > 4 ? 9 : 0);
        number = rest;
    }
    return sum;
}
extern "C" __global__ void __launch_bounds__(256) check_cards_b(const unsigned long long *card, unsigned char *check, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    const unsigned long long number = card[i], upper = number / 100000000;
    check[i] = (sum_digits((unsigned)upper) + sum_digits((unsigned)(number - 100000000 * upper))) % 10;
}

// The least spanning tree of 256 genomes by Prim's way from their distances, a block a set: its length and the order of
// joining.
extern "C" __global__ void __launch_bounds__(256) span_genomes(const unsigned short *distance, unsigned *length, unsigned char *order)
{
    __shared__ unsigned key[256];
    __shared__ unsigned next;
    const int me = threadIdx.x;
    const unsigned short *mine = distance + (size_t)blockIdx.x * 65536 + me;
    unsigned near = mine[0], sum = 0;
    bool joined = me == 0;
    for (int k = 1; k < 256; k++) {
        key[me] = joined ? ~0u : near;
        __syncthreads();
        if (me == 0) {
            unsigned best = 0;
            for (int j = 1; j < 256; j++)
                if (key[j] < key[best]) best = j;
            sum += key[best];
            order[blockIdx.x * 256 + k] = best;
            next = best;
        }
        __syncthreads();
        joined = joined || me == next;
        near = min(near, (unsigned)mine[next * 256]);
    }
    if (me == 0) length[blockIdx.x] = sum;
}
extern "C" __global__ void __launch_bounds__(256) span_genomes_b(const unsigned short *distance, unsigned *length, unsigned char *order)
{
    __shared__ unsigned key[2][8];
    const int me = threadIdx.x;
    const unsigned short *mine = distance + (size_t)blockIdx.x * 65536 + me;
    unsigned near = mine[0], sum = 0;
    bool joined = me == 0;
    for (int k = 1; k < 256; k++) {
        const unsigned least = __reduce_min_sync(~0u, joined ? ~0u : near << 8 | me);
        if ((me & 31) == 0) key[k & 1][me / 32] = least;
        __syncthreads();
        unsigned best = key[k & 1][0];
#pragma unroll
        for (int w = 1; w < 8; w++) best = min(best, key[k & 1][w]);
        const int next = best & 255;
        if (me == 0) {
            sum += best >> 8;
            order[blockIdx.x * 256 + k] = next;
        }
        joined = joined || me == next;
        near = min(near, (unsigned)mine[next * 256]);
    }
    if (me == 0) length[blockIdx.x] = sum;
}

// Products of the levels of genes over all samples, [sample][gene].
extern "C" __global__ void __launch_bounds__(1024) covary_genes(const float *level, float *product, int genes, int samples)
{
    __shared__ float a[32][32], b[32][32];
    const int x = threadIdx.x, y = threadIdx.y, i = blockIdx.y * 32, j = blockIdx.x * 32;
    float sum = 0;
    for (int from = 0; from < samples; from += 32) {
        a[y][x] = level[(size_t)(from + y) * genes + i + x];
        b[y][x] = level[(size_t)(from + y) * genes + j + x];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k++) sum = fmaf(a[k][y], b[k][x], sum);
        __syncthreads();
    }
    product[(size_t)(i + y) * genes + j + x] = sum;
}
extern "C" __global__ void __launch_bounds__(256) covary_genes_b(const float *level, float *product, int genes, int samples)
{
    __shared__ float4 a[16][32], b[16][32];
    const int me = threadIdx.x, x = me & 15, y = me / 16, i = blockIdx.y * 128, j = blockIdx.x * 128;
    float sum[8][8] = {};
    for (int from = 0; from < samples; from += 16) {
#pragma unroll
        for (int k = me / 32; k < 16; k += 8) {
            a[k][me & 31] = *(const float4 *)&level[(size_t)(from + k) * genes + i + (me & 31) * 4];
            b[k][me & 31] = *(const float4 *)&level[(size_t)(from + k) * genes + j + (me & 31) * 4];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            const float4 a0 = a[k][y], a1 = a[k][y + 16], b0 = b[k][x], b1 = b[k][x + 16];
            const float p[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w}, q[8] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
#pragma unroll
            for (int r = 0; r < 8; r++)
#pragma unroll
                for (int s = 0; s < 8; s++) sum[r][s] = fmaf(p[r], q[s], sum[r][s]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 8; r++)
#pragma unroll
        for (int s = 0; s < 8; s++)
            product[(size_t)(i + r / 4 * 64 + y * 4 + r % 4) * genes + j + s / 4 * 64 + x * 4 + s % 4] = sum[r][s];
}

// Shares of the 20 amino acids at sites of a protein after some steps of substitution: a thread an acid, 20 a site.
extern "C" __global__ void __launch_bounds__(160) evolve_sites(const float *rate, const float *before, float *after, int steps)
{
    __shared__ float share[2][160];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, acid = threadIdx.x % 20, first = threadIdx.x - acid;
    float row[20], mine = before[i];
#pragma unroll
    for (int k = 0; k < 20; k++) row[k] = rate[k * 20 + acid];
    for (int s = 0; s < steps; s++) {
        share[s & 1][threadIdx.x] = mine;
        __syncthreads();
        mine = 0;
#pragma unroll
        for (int k = 0; k < 20; k++) mine = fmaf(row[k], share[s & 1][first + k], mine);
    }
    after[i] = mine;
}
