// A struct of eight floats by its members.
struct Body {
  float px, py, pz, m;
  float qx, qy, qz, e;
};
namespace sim {
__global__ void energy(const Body* bodies, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Body& b = bodies[i];
  out[i] = b.m * (b.qx * b.qx + b.qy * b.qy + b.qz * b.qz) + b.e + b.px + b.py + b.pz;
}
}  // namespace sim
