// A thousand threads wait at a barrier in every step while one warp does the serial part.
extern "C" __global__ void __launch_bounds__(1024) serial_step(const float* __restrict__ in, float* __restrict__ out, int steps, int serial) {
  __shared__ float shared_state;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[i];
  if (threadIdx.x == 0) shared_state = 0.f;
  __syncthreads();
  for (int t = 0; t < steps; ++t) {
    v = fmaf(v, 0.99f, shared_state);
    __syncthreads();
    if (threadIdx.x < 32) {
      float w = v;
      for (int k = 0; k < serial; ++k) w = fmaf(w, 0.9f, 0.01f);
      if (threadIdx.x == 0) shared_state = w;
    }
    __syncthreads();
  }
  out[i] = v;
}
