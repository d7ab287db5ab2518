#include "harness.h"
__global__ void copy_int(int* in, int* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) out[i] = in[i];
}
__global__ void copy_int4(int* in, int* out, int n) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = id; i < n / 4; i += blockDim.x * gridDim.x) reinterpret_cast<int4*>(out)[i] = reinterpret_cast<int4*>(in)[i];
  int r = n % 4; if (id < r) out[n - 1 - id] = in[n - 1 - id];
}
int main(int argc, char** argv) {
  const int n = 1 << 26, T = 128, B = 1024;
  int *a = dalloc<int>(n), *o1 = dalloc<int>(n), *o2 = dalloc<int>(n);
  fill_uint((uint32_t*)a, n, 0, 5);
  return bench(argc, argv, "veccopy", "copy_int", "copy_int4", nothing, [&] { copy_int<<<B, T>>>(a, o1, n); },
               nothing, [&] { copy_int4<<<B, T>>>(a, o2, n); }, [&] { return count_bad_u(o1, o2, n) + !any_nonzero(o1, n); });
}
