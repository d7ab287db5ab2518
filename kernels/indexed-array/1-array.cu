// Codon usage: each thread counts the 64 codons of one DNA read and returns the sum of the squared counts.
// A load returns 16 codons of a read, one byte each; adjacent lanes load adjacent words.
// launch: codon_usage<<<ceil(reads / block), 256>>>(words, usage, reads, length)
extern "C" __global__ void codon_usage(const uint4* __restrict__ words, unsigned* __restrict__ usage, int reads, int length) {
  int read = blockIdx.x * blockDim.x + threadIdx.x;
  if (read >= reads) return;
  unsigned count[64];
#pragma unroll
  for (int c = 0; c < 64; ++c) count[c] = 0;
  for (int w = 0; w < length; ++w) {
    uint4 four = words[(size_t)w * reads + read];
    unsigned word[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
    for (int c = 0; c < 16; ++c) ++count[word[c / 4] >> c % 4 * 8 & 63];  // slow: here
  }
  unsigned sum = 0;
#pragma unroll
  for (int c = 0; c < 64; ++c) sum += count[c] * count[c];
  usage[read] = sum;
}
