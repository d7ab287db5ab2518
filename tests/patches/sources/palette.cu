// A palette in constant memory with a different index in each lane.
__constant__ float palette[64] = {1.f, 2.f, 3.f, 5.f, 8.f};
__device__ float colour(int index) { return palette[index & 63]; }
extern "C" __global__ void paint(const int* index, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = colour(index[i]);
}
