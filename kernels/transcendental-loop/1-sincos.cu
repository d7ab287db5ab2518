// A Fourier series of 64 harmonics at many points, y(t) = sum of a_k cos(k pi t) + b_k sin(k pi t). Four per thread.
// launch: series<<<ceil(n / 4 / block), 256>>>(angle, coefficient, value, n)
#define K 64
#define PI 3.14159265f
extern "C" __global__ void series(const float4* __restrict__ angle, const float2* __restrict__ coefficient,
                                  float4* __restrict__ value, int n) {
  __shared__ float2 ab[K];
  if (threadIdx.x < K) ab[threadIdx.x] = coefficient[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4) return;
  float4 four = angle[i];
  float x[4] = {PI * four.x, PI * four.y, PI * four.z, PI * four.w}, y[4] = {};
#pragma unroll 4
  for (int k = 1; k <= K; ++k) {
    float2 c = ab[k - 1];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      float sine, cosine;
      __sincosf(k * x[j], &sine, &cosine);  // slow: here
      y[j] = fmaf(c.x, cosine, fmaf(c.y, sine, y[j]));
    }
  }
  value[i] = make_float4(y[0], y[1], y[2], y[3]);
}
