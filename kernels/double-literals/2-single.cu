// Newton's law of cooling, twelve explicit time steps per cell, with the literals in single precision, too.
// launch: cool<<<ceil(n / 4 / block), 256>>>(start, end, n)
__device__ float cooled(float t) {
#pragma unroll
  for (int step = 0; step < 12; ++step) t = t + 0.02f * (293.15f - t);
  return t;
}

extern "C" __global__ void cool(const float4* __restrict__ start, float4* __restrict__ end, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4) return;
  float4 t = start[i];
  end[i] = make_float4(cooled(t.x), cooled(t.y), cooled(t.z), cooled(t.w));
}
