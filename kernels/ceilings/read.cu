// Reads n float4 and keeps one sum per thread; the writes are negligible.
// launch: read<<<sms * 4, 512>>>(x, sums, n)
extern "C" __global__ void __launch_bounds__(512) read(const float4* __restrict__ x, float* __restrict__ sums, int n) {
  size_t stride = (size_t)gridDim.x * blockDim.x;
  size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  size_t i = t;
  float s = 0.0f, u = 0.0f;
  for (; i + 3 * stride < n; i += 4 * stride) {
    float4 a = x[i], b = x[i + stride], c = x[i + 2 * stride], d = x[i + 3 * stride];
    s += a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w;
    u += c.x + c.y + c.z + c.w + d.x + d.y + d.z + d.w;
  }
  for (; i < n; i += stride) {
    float4 a = x[i];
    s += a.x + a.y + a.z + a.w;
  }
  sums[t] = s + u;
}
