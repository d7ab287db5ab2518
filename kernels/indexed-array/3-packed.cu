// Four one-byte counts per word, for reads of at most 255 codons: a quarter of the shared memory, four times the warps.
// launch: codon_usage<<<ceil(reads / 256), 256>>>(words, usage, reads, length)
extern "C" __global__ void __launch_bounds__(256) codon_usage(const uint4* __restrict__ words, unsigned* __restrict__ usage, int reads, int length) {
  __shared__ unsigned count[16][256];
  int read = blockIdx.x * 256 + threadIdx.x;
  if (read >= reads) return;  // no barrier follows: a thread accesses only its own column
  unsigned* mine = &count[0][threadIdx.x];
#pragma unroll
  for (int c = 0; c < 16; ++c) mine[c * 256] = 0;
#pragma unroll 3
  for (int w = 0; w < length; ++w) {
    uint4 four = words[(size_t)w * reads + read];
    unsigned word[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
    for (int c = 0; c < 16; ++c) {
      unsigned codon = word[c / 4] >> c % 4 * 8 & 63;
      mine[codon / 4 * 256] += 1u << codon % 4 * 8;
    }
  }
  unsigned sum = 0;
#pragma unroll
  for (int c = 0; c < 16; ++c) {
    unsigned four = mine[c * 256];
#pragma unroll
    for (int shift = 0; shift < 32; shift += 8) sum += (four >> shift & 255) * (four >> shift & 255);
  }
  usage[read] = sum;
}
