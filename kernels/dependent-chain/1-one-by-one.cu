// A bank of leaky integrators, v = leak v + input: each thread computes four integrators, one after the other, over the
// whole signal, which its block keeps in shared memory. The signal fills over half of it, so one block runs per SM.
// launch: integrate<<<sms, 128, 4 * samples>>>(signal, leaks, potential, samples)
extern "C" __global__ void integrate(const float4* __restrict__ signal, const float* __restrict__ leaks,
                                     float* __restrict__ potential, int samples) {
  extern __shared__ float4 input[];
#pragma unroll 8
  for (int s = threadIdx.x; s < samples / 4; s += blockDim.x) input[s] = signal[s];
  __syncthreads();
  int stride = gridDim.x * blockDim.x;
#pragma unroll 1
  for (int k = 0; k < 4; ++k) {
    int i = k * stride + blockIdx.x * blockDim.x + threadIdx.x;
    float a = leaks[i], v = 0.f;
#pragma unroll 8
    for (int s = 0; s < samples / 4; ++s) {
      float4 x = input[s];
      v = fmaf(a, v, x.x);  // slow: here
      v = fmaf(a, v, x.y);  // slow: here
      v = fmaf(a, v, x.z);  // slow: here
      v = fmaf(a, v, x.w);  // slow: here
    }
    potential[i] = v;
  }
}
