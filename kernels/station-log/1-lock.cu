// Statistics of 1024 weather stations: count, sum and maximum of the readings. A lock per station protects its three numbers.
// launch: collect<<<ceil(n / block), 256>>>(reading, station, lock, count, sum, most, n)
extern "C" __global__ void collect(const float* __restrict__ reading, const int* __restrict__ station, int* lock, int* count,
                                   float* sum, float* most, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = reading[i];
  int s = station[i];
  bool done = false;
  while (!done) {
    if (atomicCAS(&lock[s], 0, 1) == 0) {  // slow: here
      __threadfence();
      __stcg(&count[s], __ldcg(&count[s]) + 1);
      __stcg(&sum[s], __ldcg(&sum[s]) + v);
      __stcg(&most[s], fmaxf(__ldcg(&most[s]), v));
      __threadfence();
      atomicExch(&lock[s], 0);
      done = true;
    }
  }
}
