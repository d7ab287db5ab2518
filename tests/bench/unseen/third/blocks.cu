// Tridiagonal systems, patches of an image, overlaps of reads, sentences.

// A tridiagonal system a thread (the Thomas algorithm), 32 unknowns, in planes.
extern "C" __global__ void solve_lines(const float *rhs, float *x, float diagonal, int systems)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems) return;
    float c[32], d = 0.0f, last = 0.0f;
#pragma unroll
    for (int k = 0; k < 32; k++) {
        const float m = 1.0f / (diagonal + last);
        c[k] = -m;
        d = (rhs[k * systems + s] + d) * m;
        last = c[k];
        x[k * systems + s] = d;
    }
    float above = d;
#pragma unroll
    for (int k = 30; k >= 0; k--) {
        above = x[k * systems + s] - c[k] * above;
        x[k * systems + s] = above;
    }
}

// The response of the eye on patches of 6 by 6 points around each fourth point of an image: blockDim.x / 36 patches a block.
extern "C" __global__ void adapt_patches(const float *image, float *response, int width, int across, int patches)
{
    const int inside = threadIdx.x % 36, p = blockIdx.x * (blockDim.x / 36) + threadIdx.x / 36;
    if (p >= patches) return;
    const int x = p % across * 4 + inside % 6, y = p / across * 4 + inside / 6;
    const float light = image[y * width + x];
    float pigment = 1.0f, signal = 0.0f;
    for (int step = 0; step < 150; step++) {
        const float bleached = light * pigment;
        pigment = fmaf(0.01f, 1.0f - pigment, pigment - 0.02f * bleached);
        signal = fmaf(0.1f, bleached - signal, signal);
    }
    response[p * 36 + inside] = signal;
}

// Which reads of a sorted list overlap: pairs at most `band` apart, a thread a pair.
__device__ int overlap(const int2 a, const int2 b) { return max(0, min(a.x + a.y, b.x + b.y) - max(a.x, b.x)); }

extern "C" __global__ void overlaps(const int2 *read, int *common, int n, int band)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n || j <= i || j > i + band) return;
    common[i * band + j - i - 1] = overlap(read[i], read[j]);
}
extern "C" __global__ void overlaps_b(const int2 *read, int *common, int n, int band)
{
    const int d = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || d >= band || i + d + 1 >= n) return;
    common[i * band + d] = overlap(read[i], read[i + d + 1]);
}

// Greatest feature of the tokens of each sentence of a ragged batch, 8 tokens a block, 128 features.
__device__ void pool(const float *token, int first, int last, unsigned *best)
{
    const int f = threadIdx.x;
    float most = 0.0f;
    for (int t = first; t < last; t++) most = fmaxf(most, token[(long long)t * 128 + f]);
    atomicMax(&best[f], __float_as_uint(most));
}
extern "C" __global__ void pool_sentences(const float *token, const int *start, const int2 *piece, unsigned *best)
{
    const int s = blockIdx.y, first = start[s] + blockIdx.x * 8, last = min(first + 8, start[s + 1]);
    if (first >= last) return;
    pool(token, first, last, best + s * 128);
}
extern "C" __global__ void pool_sentences_b(const float *token, const int *start, const int2 *piece, unsigned *best)
{
    const int s = piece[blockIdx.x].x, first = piece[blockIdx.x].y, last = min(first + 8, start[s + 1]);
    pool(token, first, last, best + s * 128);
}
