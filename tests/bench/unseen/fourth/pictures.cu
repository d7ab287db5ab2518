// Pictures and volumes: smoothing, cosine transforms, stamps, blurs, hot pixels.

// Each point of a volume of planes of 2048 by 2048 smoothed over 9 planes; blockIdx is (x, y, z) or (z, x, y).
__device__ void smooth_point(const float *in, float *out, int x, int y, int z, int planes)
{
    const float weight[9] = {0.02f, 0.06f, 0.12f, 0.18f, 0.24f, 0.18f, 0.12f, 0.06f, 0.02f};
    const size_t plane = 2048u * 2048u, at = (size_t)y * 2048 + x;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 9; k++) sum = fmaf(weight[k], in[min(max(z + k - 4, 0), planes - 1) * plane + at], sum);
    out[z * plane + at] = sum;
}
extern "C" __global__ void smooth_depth(const float *in, float *out, int planes)
{
    smooth_point(in, out, blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y, blockIdx.z, planes);
}
extern "C" __global__ void smooth_depth_b(const float *in, float *out, int planes)
{
    smooth_point(in, out, blockIdx.y * blockDim.x + threadIdx.x, blockIdx.z, blockIdx.x, planes);
}

// Blocks of 8 by 8 pixels back from their cosine transforms, a thread a block; in and out are [place in block][block].
__device__ void inverse8(float *v, const int d)
{
    const float a = v[0] + v[4 * d], b = v[0] - v[4 * d];
    const float c = 1.3065630f * v[2 * d] + 0.5411961f * v[6 * d], e = 0.5411961f * v[2 * d] - 1.3065630f * v[6 * d];
    const float m0 = a + c, m3 = a - c, m1 = b + e, m2 = b - e;
    const float p = v[d], q = v[3 * d], r = v[5 * d], s = v[7 * d];
    const float n0 = 1.3870398f * p + 1.1758756f * q + 0.7856950f * r + 0.2758994f * s;
    const float n1 = 1.1758756f * p - 0.2758994f * q - 1.3870398f * r - 0.7856950f * s;
    const float n2 = 0.7856950f * p - 1.3870398f * q + 0.2758994f * r + 1.1758756f * s;
    const float n3 = 0.2758994f * p - 0.7856950f * q + 1.1758756f * r - 1.3870398f * s;
    v[0] = m0 + n0;
    v[d] = m1 + n1;
    v[2 * d] = m2 + n2;
    v[3 * d] = m3 + n3;
    v[4 * d] = m3 - n3;
    v[5 * d] = m2 - n2;
    v[6 * d] = m1 - n1;
    v[7 * d] = m0 - n0;
}
__device__ void inverse64(const float *in, float *out, int blocks)
{
    const int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= blocks) return;
    float v[64];
#pragma unroll
    for (int k = 0; k < 64; k++) v[k] = in[(size_t)k * blocks + b];
#pragma unroll
    for (int k = 0; k < 8; k++) inverse8(v + 8 * k, 1);
#pragma unroll
    for (int k = 0; k < 8; k++) inverse8(v + k, 8);
#pragma unroll
    for (int k = 0; k < 64; k++) out[(size_t)k * blocks + b] = fminf(fmaxf(0.125f * v[k] + 128.0f, 0.0f), 255.0f);
}
extern "C" __global__ void __launch_bounds__(256, 6) picture_blocks(const float *in, float *out, int blocks) { inverse64(in, out, blocks); }
extern "C" __global__ void __launch_bounds__(256, 2) picture_blocks_b(const float *in, float *out, int blocks) { inverse64(in, out, blocks); }

// Correlation of a picture with a stamp of 11 by 11; the picture is 10 rows and 32 columns larger than the result.
__constant__ float stamp[121];
extern "C" __global__ void __launch_bounds__(256) match_stamp(const float *in, float *out, int width, int pitch)
{
    __shared__ float tile[18][42];
    const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8, tx = threadIdx.x, ty = threadIdx.y;
    for (int k = ty * 32 + tx; k < 18 * 42; k += 256) tile[k / 42][k % 42] = in[(size_t)(y0 + k / 42) * pitch + x0 + k % 42];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 11; i++)
#pragma unroll
        for (int j = 0; j < 11; j++) sum = fmaf(stamp[j * 11 + i], tile[ty + j][tx + i], sum);
    out[(size_t)(y0 + ty) * width + x0 + tx] = sum;
}
extern "C" __global__ void __launch_bounds__(256) match_stamp_b(const float *in, float *out, int width, int pitch)
{
    __shared__ float tile[74][42];
    const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 64, tx = threadIdx.x, ty = threadIdx.y;
    for (int k = ty * 32 + tx; k < 74 * 42; k += 256) tile[k / 42][k % 42] = in[(size_t)(y0 + k / 42) * pitch + x0 + k % 42];
    __syncthreads();
    float sum[8] = {};
#pragma unroll
    for (int i = 0; i < 11; i++) {
        float column[18];
#pragma unroll
        for (int k = 0; k < 18; k++) column[k] = tile[ty * 8 + k][tx + i];
#pragma unroll
        for (int j = 0; j < 11; j++)
#pragma unroll
            for (int k = 0; k < 8; k++) sum[k] = fmaf(stamp[j * 11 + i], column[k + j], sum[k]);
    }
#pragma unroll
    for (int k = 0; k < 8; k++) out[(size_t)(y0 + ty * 8 + k) * width + x0 + tx] = sum[k];
}

// Gaussian blur along rows, 15 pixels to each side; rows have 16 pixels more at either end.
__constant__ float blur_weight[31];
extern "C" __global__ void blur_rows(const float *in, float *out, int width, float sigma)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= width) return;
    const float *at = in + (size_t)y * (width + 32) + 16 + x;
    const float scale = -0.5f / (sigma * sigma);
    float sum = 0, weights = 0;
    for (int k = -15; k <= 15; k++) {
        const float w = expf(scale * k * k);
        sum = fmaf(w, at[k], sum);
        weights += w;
    }
    out[(size_t)y * width + x] = sum / weights;
}
extern "C" __global__ void blur_rows_b(const float *in, float *out, int width)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= width) return;
    const float *at = in + (size_t)y * (width + 32) + 16 + x;
    float sum = 0;
#pragma unroll
    for (int k = -15; k <= 15; k++) sum = fmaf(blur_weight[k + 15], at[k], sum);
    out[(size_t)y * width + x] = sum;
}

// Exposures of a detector: (raw - dark) * gain; pixels over the limit, one in thousands, are replaced by the value of a
// surface of second degree that fits the 5 by 5 pixels around, the far-off ones weighed less.
__device__ float fitted(const float *raw, const float *dark, const float *gain, int i, int width, int n)
{
    float m[6][7] = {};
    float v[25], mean = 0;
#pragma unroll
    for (int k = 0; k < 25; k++) {
        const int at = min(max(i + (k / 5 - 2) * width + k % 5 - 2, 0), n - 1);
        v[k] = (raw[at] - dark[at]) * gain[at];
        mean += k == 12 ? 0.0f : v[k] * (1.0f / 24);
    }
#pragma unroll
    for (int k = 0; k < 25; k++) {
        if (k == 12) continue;
        const float x = k % 5 - 2, y = k / 5 - 2, f[7] = {1, x, y, x * x, x * y, y * y, v[k]};
        const float w = 1.0f / (1.0f + fabsf(v[k] - mean));
#pragma unroll
        for (int a = 0; a < 6; a++)
#pragma unroll
            for (int b = a; b < 7; b++) m[a][b] = fmaf(w * f[a], f[b], m[a][b]);
    }
#pragma unroll
    for (int a = 0; a < 6; a++) {
        m[a][a] += 1e-3f;
#pragma unroll
        for (int b = 0; b < a; b++) m[a][b] = m[b][a];
    }
#pragma unroll
    for (int a = 5; a > 0; a--) {
        const float inverse = 1.0f / m[a][a];
#pragma unroll
        for (int r = 0; r < a; r++) {
            const float q = m[r][a] * inverse;
#pragma unroll
            for (int b = 0; b < 7; b++)
                if (b < a || b == 6) m[r][b] = fmaf(-q, m[a][b], m[r][b]);
        }
    }
    return m[0][6] / m[0][0];
}
extern "C" __global__ void __launch_bounds__(256) expose_frame(const float *raw, const float *dark, const float *gain, float *out, int width, int n, float limit)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = (raw[i] - dark[i]) * gain[i];
    if (v > limit) v = fitted(raw, dark, gain, i, width, n);
    out[i] = v;
}
__device__ __noinline__ void fit_apart(const float *raw, const float *dark, const float *gain, float *out, int i, int width, int n)
{
    out[i] = fitted(raw, dark, gain, i, width, n);
}
extern "C" __global__ void __launch_bounds__(256, 8) expose_frame_b(const float *raw, const float *dark, const float *gain, float *out, int width, int n, float limit)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float v = (raw[i] - dark[i]) * gain[i];
    if (v > limit)
        fit_apart(raw, dark, gain, out, i, width, n);
    else
        out[i] = v;
}
