// The same step: as many blocks as the GPU can hold walk through the particles that are alive.
// launch: move<<<sms * 16, 128>>>(x, v, alive, out)
extern "C" __global__ void move(const float* __restrict__ x, const float* __restrict__ v, const int* __restrict__ alive,
                                float* __restrict__ out) {
  int n = *alive;
#pragma unroll 4
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = fmaf(0.01f, v[i], x[i]);
}
