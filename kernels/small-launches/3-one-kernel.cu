// All time steps in one launch: a warp keeps a rod in its registers, four cells per lane; only ends pass between lanes.
// launch: heat<<<ceil(cells / (4 * block)), 256>>>(start, out, k, cells, steps)
extern "C" __global__ void heat(const float4* __restrict__ start, float4* __restrict__ out, float k, int cells, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  if (i >= cells / 4) return;
  float4 v = start[i];
  for (int t = 0; t < steps; ++t) {
    float left = __shfl_up_sync(~0u, v.w, 1), right = __shfl_down_sync(~0u, v.x, 1);
    if (lane == 0) left = v.x;
    if (lane == 31) right = v.w;
    float4 u = v;
    v.x = fmaf(k, left - u.x - u.x + u.y, u.x);
    v.y = fmaf(k, u.x - u.y - u.y + u.z, u.y);
    v.z = fmaf(k, u.y - u.z - u.z + u.w, u.z);
    v.w = fmaf(k, u.z - u.w - u.w + right, u.w);
  }
  out[i] = v;
}
