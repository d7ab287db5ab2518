// The same statistics: each of the three numbers has an atomic operation of its own, so nothing needs a lock. Readings are
// positive, and positive floats have the order of their bits.
// launch: collect<<<ceil(n / block), 256>>>(reading, station, count, sum, most, n)
extern "C" __global__ void collect(const float* __restrict__ reading, const int* __restrict__ station, int* count, float* sum,
                                   int* most, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = reading[i];
  int s = station[i];
  atomicAdd(&count[s], 1);
  atomicAdd(&sum[s], v);
  atomicMax(&most[s], __float_as_int(v));
}
