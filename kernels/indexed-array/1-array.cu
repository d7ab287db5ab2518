// Codon usage: each thread counts the 64 codons of one DNA read and gives the sum of the squared counts.
// A word holds four codons of a read; word w of all reads lies together, so lanes load side by side.
// launch: codon_usage<<<ceil(reads / block), 256>>>(words, usage, reads, length)
extern "C" __global__ void codon_usage(const unsigned* __restrict__ words, unsigned* __restrict__ usage, int reads, int length) {
  int read = blockIdx.x * blockDim.x + threadIdx.x;
  if (read >= reads) return;
  unsigned count[64];
#pragma unroll
  for (int c = 0; c < 64; ++c) count[c] = 0;
  for (int w = 0; w < length; ++w) {
    unsigned word = words[(size_t)w * reads + read];
#pragma unroll
    for (int shift = 0; shift < 32; shift += 8) ++count[word >> shift & 63];
  }
  unsigned sum = 0;
#pragma unroll
  for (int c = 0; c < 64; ++c) sum += count[c] * count[c];
  usage[read] = sum;
}
