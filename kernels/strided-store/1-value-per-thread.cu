// Eight sensors deliver one plane each; the analysis needs records of eight values. One thread per value.
// launch: interleave<<<(ceil(n / block), 8), 256>>>(planes, records, n)
extern "C" __global__ void interleave(const float* __restrict__ planes, float* __restrict__ records, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, sensor = blockIdx.y;
  if (i < n) records[(size_t)i * 8 + sensor] = planes[(size_t)sensor * n + i];  // slow: here
}
