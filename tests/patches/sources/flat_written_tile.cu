// Written with a flat index of the first row, read with two indices: longer rows move what is read.
extern "C" __global__ void turn(const float* src, float* dst) {
  __shared__ float box[32][32];
  int x = threadIdx.x, y = threadIdx.y, at = (blockIdx.x * 32 + y) * 32 + x;
  box[0][y * 32 + x] = src[at];
  __syncthreads();
  dst[at] = box[x & 15][y];
}
