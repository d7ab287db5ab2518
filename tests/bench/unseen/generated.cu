// One long series twice: written out by templates with every coefficient in the code, and as a loop over a table.
#include <utility>

// Coefficients from a little generator, known when compiling: every term an instruction with its own constant.
__host__ __device__ constexpr float drawn(unsigned k) {
  unsigned h = k * 747796405u + 2891336453u;
  h = ((h >> ((h >> 28) + 4u)) ^ h) * 277803737u;
  return static_cast<float>(static_cast<int>((h >> 22) ^ h) >> 8) * 1.1920929e-7f;
}
template <unsigned K>
__device__ __forceinline__ void add_term(const float4& v, float4& s) {
  constexpr float c = drawn(K);
  s.x = fmaf(s.x, v.x, c);
  s.y = fmaf(s.y, v.y, c);
  s.z = fmaf(s.z, v.z, c);
  s.w = fmaf(s.w, v.w, c);
}
template <unsigned First, unsigned... K>
__device__ __forceinline__ void add_terms(const float4& v, float4& s, std::integer_sequence<unsigned, K...>) {
  (add_term<First + K>(v, s), ...);
}
template <unsigned... Part>
__device__ __forceinline__ void add_parts(const float4& v, float4& s, std::integer_sequence<unsigned, Part...>) {
  (add_terms<Part * 64>(v, s, std::make_integer_sequence<unsigned, 64>()), ...);
}
template <int Terms>
__global__ void generated_series(const float4* __restrict__ x, float4* __restrict__ y, int n4) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
    const float4 v = x[i];
    float4 s = {};
    add_parts(v, s, std::make_integer_sequence<unsigned, Terms / 64>());
    y[i] = s;
  }
}
template __global__ void generated_series<4096>(const float4*, float4*, int);

__constant__ float table_of_terms[4096];
template <int Terms>
__global__ void tabled_series(const float4* __restrict__ x, float4* __restrict__ y, int n4) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
    const float4 v = x[i];
    float4 s = {};
#pragma unroll 16
    for (int k = 0; k < Terms; ++k) {
      const float c = table_of_terms[k];
      s.x = fmaf(s.x, v.x, c);
      s.y = fmaf(s.y, v.y, c);
      s.z = fmaf(s.z, v.z, c);
      s.w = fmaf(s.w, v.w, c);
    }
    y[i] = s;
  }
}
template __global__ void tabled_series<4096>(const float4*, float4*, int);

