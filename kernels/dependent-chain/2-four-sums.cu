// The same bank. Four sums a thread, each over every fourth sample with the leak to the fourth power: four chains that do
// not wait for each other, put together at the end.
// launch: leak<<<sms, 128, 4 * samples>>>(signal, leaks, potential, samples)
extern "C" __global__ void leak(const float4* __restrict__ signal, const float* __restrict__ leaks,
                                float* __restrict__ potential, int samples) {
  extern __shared__ float4 input[];
#pragma unroll 8
  for (int s = threadIdx.x; s < samples / 4; s += blockDim.x) input[s] = signal[s];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = leaks[i], a2 = a * a, a4 = a2 * a2, v0 = 0.f, v1 = 0.f, v2 = 0.f, v3 = 0.f;
#pragma unroll 8
  for (int s = 0; s < samples / 4; ++s) {
    float4 x = input[s];
    v0 = fmaf(a4, v0, x.x);
    v1 = fmaf(a4, v1, x.y);
    v2 = fmaf(a4, v2, x.z);
    v3 = fmaf(a4, v3, x.w);
  }
  potential[i] = fmaf(a, fmaf(a, fmaf(a, v0, v1), v2), v3);
}
