// A grid-stride loop over bytes, with a variable for the stride.
#define LIMIT(v) ((v) > 255 ? 255 : (v))
extern "C" __global__ void brighten(const unsigned char *__restrict__ in, unsigned char *__restrict__ out, int total, int by) {
  const int stride = blockDim.x * gridDim.x;
  for (int p = threadIdx.x + blockIdx.x * blockDim.x; p < total; p += stride) {
    int level = in[p] + by;  // saturates
    out[p] = (unsigned char)LIMIT(level);
  }
}
