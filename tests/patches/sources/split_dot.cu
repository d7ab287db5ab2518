// Separate multiplication and addition in a dot product of four.
__global__ void blend(const float4* a, const float4* b, float* c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 p = a[i], q = b[i];
  float s = __fmul_rn(p.x, q.x);
  s = __fadd_rn(s, __fmul_rn(p.y, q.y));
  s = __fadd_rn(__fmul_rn(p.z, q.z), s);
  s = __fsub_rn(__fmul_rn(p.w, q.w), s);
  c[i] = s;
}
