// The same counts in shared memory: each thread owns a column, and its bank is its lane whatever the codon.
// launch: codon_usage<<<ceil(reads / 128), 128>>>(words, usage, reads, length)
extern "C" __global__ void __launch_bounds__(128) codon_usage(const uint4* __restrict__ words, unsigned* __restrict__ usage, int reads, int length) {
  __shared__ unsigned count[64][128];
  int read = blockIdx.x * 128 + threadIdx.x;
  if (read >= reads) return;  // no barrier follows: a thread accesses only its own column
  unsigned* mine = &count[0][threadIdx.x];
#pragma unroll
  for (int c = 0; c < 64; ++c) mine[c * 128] = 0;
#pragma unroll 3
  for (int w = 0; w < length; ++w) {
    uint4 four = words[(size_t)w * reads + read];
    unsigned word[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
    for (int c = 0; c < 16; ++c) ++mine[(word[c / 4] >> c % 4 * 8 & 63) * 128];
  }
  unsigned sum = 0;
#pragma unroll
  for (int c = 0; c < 64; ++c) sum += mine[c * 128] * mine[c * 128];
  usage[read] = sum;
}
