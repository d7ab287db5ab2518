// Each query sums the eight features of 32 records of a table. Eight lanes process a query, one per feature.
// launch: add_features<<<ceil(8 * queries / block), 256>>>(file, index, result, queries)
struct Record {
  float other[24];
  float feature[8];
};

extern "C" __global__ void add_features(const float* __restrict__ file, const int* __restrict__ index,
                                        float* __restrict__ result, int queries) {
  const Record* table = reinterpret_cast<const Record*>(file + 4);  // after the header
  int i = blockIdx.x * blockDim.x + threadIdx.x, query = i / 8, feature = i % 8;
  if (query >= queries) return;
  float sum = 0.f;
  for (int k = 0; k < 32; k += 8) {
    int mine = index[query * 32 + k + feature];
#pragma unroll
    for (int j = 0; j < 8; ++j) sum += table[__shfl_sync(~0u, mine, j, 8)].feature[feature];  // slow: here
  }
  result[i] = sum;
}
