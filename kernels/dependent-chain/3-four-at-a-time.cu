// The same bank with the first version's threads. Each computes its four integrators at the same time: four independent
// chains, and a sample is loaded once for all four.
// launch: integrate<<<sms, 128, 4 * samples>>>(signal, leaks, potential, samples)
extern "C" __global__ void integrate(const float4* __restrict__ signal, const float* __restrict__ leaks,
                                     float* __restrict__ potential, int samples) {
  extern __shared__ float4 input[];
#pragma unroll 8
  for (int s = threadIdx.x; s < samples / 4; s += blockDim.x) input[s] = signal[s];
  __syncthreads();
  int stride = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float a[4], v[4] = {};
#pragma unroll
  for (int k = 0; k < 4; ++k) a[k] = leaks[k * stride + i];
#pragma unroll 8
  for (int s = 0; s < samples / 4; ++s) {
    float4 x = input[s];
#pragma unroll
    for (int k = 0; k < 4; ++k) v[k] = fmaf(a[k], v[k], x.x);
#pragma unroll
    for (int k = 0; k < 4; ++k) v[k] = fmaf(a[k], v[k], x.y);
#pragma unroll
    for (int k = 0; k < 4; ++k) v[k] = fmaf(a[k], v[k], x.z);
#pragma unroll
    for (int k = 0; k < 4; ++k) v[k] = fmaf(a[k], v[k], x.w);
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) potential[k * stride + i] = v[k];
}
