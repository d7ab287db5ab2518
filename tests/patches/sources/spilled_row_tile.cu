// Written with two indices, read with a flat one too: with longer rows another element is read.
extern "C" __global__ void turn(const float* src, float* dst, int n) {
  __shared__ float box[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  box[y][x] = src[(blockIdx.y * 32 + y) * n + blockIdx.x * 32 + x];
  __syncthreads();
  dst[(blockIdx.x * 32 + y) * n + blockIdx.y * 32 + x] = box[x][y] + box[0][y * 32 + x];
}
