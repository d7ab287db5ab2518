// Moves the particles of a simulation. There is room for `slots` of them; the device knows how many are alive, so the host
// launches a thread for every slot.
// launch: move<<<ceil(slots / block), 128>>>(x, v, alive, out)
extern "C" __global__ void move(const float* __restrict__ x, const float* __restrict__ v, const int* __restrict__ alive,
                                float* __restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= *alive) return;
  out[i] = fmaf(0.01f, v[i], x[i]);
}
