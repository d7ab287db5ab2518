// The loop over the contiguous dimension is the outer one; a thread owns a square of the image.
extern "C" __global__ void fill(float* image, int pitch) {
  for (int dx = 0; dx < 4; ++dx)
    for (int dy = 0; dy < 4; ++dy)
      image[(blockIdx.y * 4 + dy) * pitch + (blockIdx.x * blockDim.x + threadIdx.x) + dx * gridDim.x * blockDim.x] = dx + dy;
}
