// The same bank with four times the threads and one integrator each: a scheduler can choose from four warps.
// launch: integrate<<<sms, 512, 4 * samples>>>(signal, leaks, potential, samples)
extern "C" __global__ void integrate(const float4* __restrict__ signal, const float* __restrict__ leaks,
                                     float* __restrict__ potential, int samples) {
  extern __shared__ float4 input[];
#pragma unroll 8
  for (int s = threadIdx.x; s < samples / 4; s += blockDim.x) input[s] = signal[s];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = leaks[i], v = 0.f;
#pragma unroll 8
  for (int s = 0; s < samples / 4; ++s) {
    float4 x = input[s];
    v = fmaf(a, v, x.x);
    v = fmaf(a, v, x.y);
    v = fmaf(a, v, x.z);
    v = fmaf(a, v, x.w);
  }
  potential[i] = v;
}
