// One thread per record: it moves all eight values.
// launch: interleave<<<ceil(n / block), 256>>>(planes, records, n)
extern "C" __global__ void interleave(const float* __restrict__ planes, float* __restrict__ records, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
#pragma unroll
  for (int sensor = 0; sensor < 8; ++sensor) records[(size_t)i * 8 + sensor] = planes[(size_t)sensor * n + i];  // slow: here
}
