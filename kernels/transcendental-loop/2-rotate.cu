// The same series: one sine and cosine per point, each further harmonic by rotating the previous one by the angle pi t.
// launch: series<<<ceil(n / 4 / block), 256>>>(angle, coefficient, value, n)
#define K 64
extern "C" __global__ void series(const float4* __restrict__ angle, const float2* __restrict__ coefficient,
                                  float4* __restrict__ value, int n) {
  __shared__ float2 ab[K];
  if (threadIdx.x < K) ab[threadIdx.x] = coefficient[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4) return;
  float4 four = angle[i];
  float t[4] = {four.x, four.y, four.z, four.w}, y[4] = {}, s1[4], c1[4], s[4], c[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    sincospif(t[j], &s1[j], &c1[j]);
    s[j] = s1[j];
    c[j] = c1[j];
  }
#pragma unroll 4
  for (int k = 0; k < K; ++k) {
    float2 w = ab[k];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      y[j] = fmaf(w.x, c[j], fmaf(w.y, s[j], y[j]));
      float turned = fmaf(c[j], c1[j], -s[j] * s1[j]);
      s[j] = fmaf(s[j], c1[j], c[j] * s1[j]);
      c[j] = turned;
    }
  }
  value[i] = make_float4(y[0], y[1], y[2], y[3]);
}
