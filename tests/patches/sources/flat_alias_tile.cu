// The tile is also read through a flat pointer: padding its rows would break that index.
extern "C" __global__ void turn(const float* src, float* dst, int n) {
  __shared__ float box[32][32];
  box[threadIdx.y][threadIdx.x] = src[(blockIdx.y * 32 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  const float *line = &box[0][0];
  dst[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = line[threadIdx.x * 32 + threadIdx.y];
}
