// Four values per thread, so that a coefficient fetched from constant memory serves four multiply-adds.
// launch: respond<<<ceil(n / (4 * block)), 256>>>(signal, response, n)
// constant: constant_coefficient = coefficient
constexpr int kOrder = 256;
__constant__ float constant_coefficient[kOrder];

extern "C" __global__ void respond(const float4* __restrict__ signal, float4* __restrict__ response, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4) return;
  float4 x = signal[i], sum = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll
  for (int k = kOrder - 1; k >= 0; --k) {
    float c = constant_coefficient[k];
    sum = make_float4(fmaf(sum.x, x.x, c), fmaf(sum.y, x.y, c), fmaf(sum.z, x.z, c), fmaf(sum.w, x.w, c));
  }
  response[i] = sum;
}
