// Twelve bytes: an alignment would change the size of the struct and with it the layout of the array.
typedef struct { float x, y, z; } Triple;
__global__ void norm(const Triple* v, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z;
}
