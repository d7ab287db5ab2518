// The same series by the three-term recurrence cos((k+1)x) = 2 cos(x) cos(kx) - cos((k-1)x), x = pi t; same for sine.
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
  float t[4] = {four.x, four.y, four.z, four.w}, y[4] = {}, two_cos[4], s[4], c[4], s_before[4], c_before[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    sincospif(t[j], &s[j], &c[j]);
    two_cos[j] = 2.f * c[j];
    s_before[j] = 0.f;
    c_before[j] = 1.f;
  }
#pragma unroll 4
  for (int k = 0; k < K; ++k) {
    float2 w = ab[k];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      y[j] = fmaf(w.x, c[j], fmaf(w.y, s[j], y[j]));
      float s_next = fmaf(two_cos[j], s[j], -s_before[j]), c_next = fmaf(two_cos[j], c[j], -c_before[j]);
      s_before[j] = s[j];
      c_before[j] = c[j];
      s[j] = s_next;
      c[j] = c_next;
    }
  }
  value[i] = make_float4(y[0], y[1], y[2], y[3]);
}
