// Converts raw samples to physical values with a response curve. Each block first copies the curve into shared memory.
// launch: linearise<<<4 * sms, 256, 4 * codes>>>(raw, curve, out, n, codes)
extern "C" __global__ void linearise(const ushort4* __restrict__ raw, const float* __restrict__ curve, float4* __restrict__ out, int n, int codes) {
  extern __shared__ float table[];
  for (int i = threadIdx.x; i < codes; i += blockDim.x) table[i] = curve[i];
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    ushort4 r = raw[i];
    out[i] = make_float4(table[r.x], table[r.y], table[r.z], table[r.w]);
  }
}
