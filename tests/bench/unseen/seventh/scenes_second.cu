// Protein scores, heart beats, reads of DNA, probes, materials, lights, summed areas.

// Scores of a protein of 64 residues at each place of a sequence; a matrix of 24 by 24 residues.
__constant__ int substitution[576];
__constant__ int query[64];
extern "C" __global__ void __launch_bounds__(256) protein_scores(const unsigned char *sequence, int *score)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    int sum = 0, best = 0;
    for (int k = 0; k < 64; k++) {
        sum = max(sum + substitution[query[k] * 24 + sequence[i + k]], 0);
        best = max(best, sum);
    }
    score[i] = best;
}
extern "C" __global__ void __launch_bounds__(256) protein_scores_b(const unsigned char *sequence, int *score)
{
    __shared__ int matrix[576];
    for (int k = threadIdx.x; k < 576; k += 256) matrix[k] = substitution[k];
    __syncthreads();
    const int i = blockIdx.x * 256 + threadIdx.x;
    int sum = 0, best = 0;
    for (int k = 0; k < 64; k++) {
        sum = max(sum + matrix[query[k] * 24 + sequence[i + k]], 0);
        best = max(best, sum);
    }
    score[i] = best;
}

// A recursive filter over each heart beat of 32 samples, a thread a beat; beats go in and out through shared memory.
template <int PITCH> __device__ void smooth(const float *beat, float *smoothed, float keep)
{
    __shared__ float tile[128][PITCH];
    const long long base = (long long)blockIdx.x * 128 * 32;
    for (int k = threadIdx.x; k < 128 * 32; k += 128) tile[k / 32][k % 32] = beat[base + k];
    __syncthreads();
    float level = tile[threadIdx.x][0];
    for (int k = 0; k < 32; k++) {
        level = keep * level + (1 - keep) * tile[threadIdx.x][k];
        tile[threadIdx.x][k] = level;
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 128 * 32; k += 128) smoothed[base + k] = tile[k / 32][k % 32];
}
extern "C" __global__ void __launch_bounds__(128) smooth_beats(const float *beat, float *smoothed, float keep)
{
    smooth<32>(beat, smoothed, keep);
}
extern "C" __global__ void __launch_bounds__(128) smooth_beats_b(const float *beat, float *smoothed, float keep)
{
    smooth<33>(beat, smoothed, keep);
}

// The most frequent codon of each read of 128 bases, 2 bits a base: count * 65536 + (63 - codon) * 256 + count.
__device__ unsigned base_at(const uint4 *read, int reads, int i, int part)
{
    const uint4 four = read[(part / 4) * reads + i];
    return part % 4 == 0 ? four.x : part % 4 == 1 ? four.y : part % 4 == 2 ? four.z : four.w;
}
extern "C" __global__ void __launch_bounds__(128) frequent_codons(const uint4 *read, int *frequent, int reads)
{
    const int i = blockIdx.x * 128 + threadIdx.x;
    int count[64];
    for (int w = 0; w < 64; w++) count[w] = 0;
    unsigned codon = 0;
    for (int part = 0; part < 8; part++) {
        const unsigned bases = base_at(read, reads, i, part);
        for (int b = 0; b < 16; b++) {
            codon = (codon << 2 | (bases >> 2 * b & 3)) & 63;
            count[codon]++;
        }
    }
    int best = 0;
    for (int w = 0; w < 64; w++) best = max(best, count[w] + 256 * (63 - w) + 65536 * count[w]);
    frequent[i] = best;
}
extern "C" __global__ void __launch_bounds__(128) frequent_codons_b(const uint4 *read, int *frequent, int reads)
{
    __shared__ int count[64][128];
    const int i = blockIdx.x * 128 + threadIdx.x, me = threadIdx.x;
    for (int w = 0; w < 64; w++) count[w][me] = 0;
    unsigned codon = 0;
    for (int part = 0; part < 8; part++) {
        const unsigned bases = base_at(read, reads, i, part);
        for (int b = 0; b < 16; b++) {
            codon = (codon << 2 | (bases >> 2 * b & 3)) & 63;
            count[codon][me]++;
        }
    }
    int best = 0;
    for (int w = 0; w < 64; w++) best = max(best, count[w][me] + 256 * (63 - w) + 65536 * count[w][me]);
    frequent[i] = best;
}

// Square of the distance from each probe of a level to the nearest of many points; a positive float's bits sort as an int.
__device__ void nearest(const float *x, const float *y, const float *z, int from, int to, const float3 *probe, int *square)
{
    const float3 p = probe[blockIdx.x];
    float least = 1e30f;
    for (int k = from + threadIdx.x; k < to; k += 256) {
        const float dx = x[k] - p.x, dy = y[k] - p.y, dz = z[k] - p.z;
        least = fminf(least, fmaf(dx, dx, fmaf(dy, dy, dz * dz)));
    }
    for (int k = 16; k > 0; k /= 2) least = fminf(least, __shfl_xor_sync(~0u, least, k));
    if (threadIdx.x % 32 == 0) atomicMin(&square[blockIdx.x], __float_as_int(least));
}
extern "C" __global__ void __launch_bounds__(256)
    probe_distances(const float *x, const float *y, const float *z, const float3 *probe, int *square, int points)
{
    nearest(x, y, z, 0, points, probe, square);
}
extern "C" __global__ void __launch_bounds__(256)
    probe_distances_b(const float *x, const float *y, const float *z, const float3 *probe, int *square, int points)
{
    const int part = points / gridDim.y;
    nearest(x, y, z, blockIdx.y * part, blockIdx.y * part + part, probe, square);
}

// Brightness of pixels of four materials: wood, marble, cloth, metal.
__device__ float material_at(int material, float x, float y)
{
    float s = 0.0f;
    switch (material) {
    case 0: {
        float r = x * x + y * y;
        for (int k = 0; k < 96; k++) {
            r = 0.97f * r + 0.05f;
            s = 0.9f * s + r * (1.0f - r);
        }
        break;
    }
    case 1: {
        float a = x, b = y;
        for (int k = 0; k < 96; k++) {
            const float next = 0.5f * (a * a - b * b) + 0.3f * x;
            b = 0.9f * a * b + 0.3f * y;
            a = next;
            s += a * b;
        }
        break;
    }
    case 2: {
        unsigned h = (unsigned)(x * 4096.0f) * 4096u + (unsigned)(y * 4096.0f);
        for (int k = 0; k < 96; k++) {
            h = h * 747796405u + 2891336453u;
            h ^= h >> 15;
            s += 0.00390625f * (float)(h & 255u);
        }
        break;
    }
    default:
        for (int k = 0; k < 96; k++) s = __fdividef(s + x, 1.0f + s * s + y);
    }
    return s;
}
extern "C" __global__ void __launch_bounds__(256) shade_materials(const float2 *at, const int *material, float *light)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    light[i] = material_at(material[i], at[i].x, at[i].y);
}
// order: the pixels sorted by material.
extern "C" __global__ void __launch_bounds__(256)
    shade_materials_b(const float2 *at, const int *material, const int *order, float *light)
{
    const int i = order[blockIdx.x * 256 + threadIdx.x];
    light[i] = material_at(material[i], at[i].x, at[i].y);
}

// Highlights of 32 lamps on a surface: direction and shininess of each lamp.
__constant__ float4 lamps[32];
extern "C" __global__ void __launch_bounds__(256) highlights(const float *nx, const float *ny, const float *nz, float *light)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    const float x = nx[i], y = ny[i], z = nz[i];
    float sum = 0.0f;
    for (int k = 0; k < 32; k++) {
        const float4 lamp = lamps[k];
        sum += powf(fmaxf(x * lamp.x + y * lamp.y + z * lamp.z, 0.001f), lamp.w);
    }
    light[i] = sum;
}
extern "C" __global__ void __launch_bounds__(256) highlights_b(const float *nx, const float *ny, const float *nz, float *light)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    const float x = nx[i], y = ny[i], z = nz[i];
    float sum = 0.0f;
    for (int k = 0; k < 32; k++) {
        const float4 lamp = lamps[k];
        sum += __powf(fmaxf(x * lamp.x + y * lamp.y + z * lamp.z, 0.001f), lamp.w);
    }
    light[i] = sum;
}

// Sums along each row of 1024 values, for a summed-area table.
extern "C" __global__ void __launch_bounds__(1024) row_sums(const unsigned *value, unsigned *sum)
{
    __shared__ unsigned part[1024];
    const int me = threadIdx.x, i = blockIdx.x * 1024 + me;
    part[me] = value[i];
    __syncthreads();
    for (int apart = 1; apart < 1024; apart *= 2) {
        const unsigned before = me >= apart ? part[me - apart] : 0;
        __syncthreads();
        part[me] += before;
        __syncthreads();
    }
    sum[i] = part[me];
}
extern "C" __global__ void __launch_bounds__(1024) row_sums_b(const unsigned *value, unsigned *sum)
{
    __shared__ unsigned total[32];
    const int me = threadIdx.x, lane = me % 32, i = blockIdx.x * 1024 + me;
    unsigned mine = value[i];
    for (int apart = 1; apart < 32; apart *= 2) {
        const unsigned before = __shfl_up_sync(~0u, mine, apart);
        if (lane >= apart) mine += before;
    }
    if (lane == 31) total[me / 32] = mine;
    __syncthreads();
    unsigned other = lane < me / 32 ? total[lane] : 0;
    for (int apart = 16; apart > 0; apart /= 2) other += __shfl_xor_sync(~0u, other, apart);
    sum[i] = mine + other;
}
