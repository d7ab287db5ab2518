// Words and sequences.

// A key of the letters of words of 12 small letters, the same for anagrams; word is [3][words], 4 letters a number.
extern "C" __global__ void anagram_keys(const unsigned *word, unsigned *key, int words)
{
    const int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= words) return;
    int count[26];
#pragma unroll
    for (int k = 0; k < 26; k++) count[k] = 0;
#pragma unroll
    for (int part = 0; part < 3; part++) {
        const unsigned four = word[(size_t)part * words + w];
#pragma unroll
        for (int k = 0; k < 4; k++) count[(four >> 8 * k & 255) - 'a']++;
    }
    unsigned hash = 17;
#pragma unroll
    for (int k = 0; k < 26; k++) hash = hash * 31 + count[k];
    key[w] = hash;
}
extern "C" __global__ void anagram_keys_b(const unsigned *word, unsigned *key, int words)
{
    const int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= words) return;
    unsigned long long low = 0, high = 0;
#pragma unroll
    for (int part = 0; part < 3; part++) {
        const unsigned four = word[(size_t)part * words + w];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const int letter = (four >> 8 * k & 255) - 'a';
            const unsigned long long one = 1ull << 4 * (letter < 13 ? letter : letter - 13);
            low += letter < 13 ? one : 0;
            high += letter < 13 ? 0 : one;
        }
    }
    unsigned hash = 17;
#pragma unroll
    for (int k = 0; k < 13; k++) hash = hash * 31 + (unsigned)(low >> 4 * k & 15);
#pragma unroll
    for (int k = 0; k < 13; k++) hash = hash * 31 + (unsigned)(high >> 4 * k & 15);
    key[w] = hash;
}

// Length of the longest common subsequence of pairs of reads of 240 bases, a thread a pair; a and b are [15][pairs], 16
// bases a number. Blocks of 128.
template <typename Cell>
__device__ void common(const unsigned *a, const unsigned *b, int *length, int pairs, Cell (*row)[128])
{
    const int p = blockIdx.x * 128 + threadIdx.x, t = threadIdx.x;
    if (p >= pairs) return;
    for (int j = 0; j < 240; j++) row[j][t] = 0;
#pragma unroll 1
    for (int i = 0; i < 240; i++) {
        const unsigned base = a[(size_t)(i / 16) * pairs + p] >> 2 * (i % 16) & 3;
        int left = 0, corner = 0;
#pragma unroll 1
        for (int j = 0; j < 15; j++) {
            unsigned bases = b[(size_t)j * pairs + p];
#pragma unroll
            for (int k = 0; k < 16; k++) {
                const int up = row[j * 16 + k][t];
                left = (bases & 3) == base ? corner + 1 : max(up, left);
                row[j * 16 + k][t] = (Cell)left;
                corner = up;
                bases >>= 2;
            }
        }
    }
    length[p] = row[239][t];
}
extern "C" __global__ void __launch_bounds__(128) common_bases(const unsigned *a, const unsigned *b, int *length, int pairs)
{
    extern __shared__ int cells[];
    common(a, b, length, pairs, (int(*)[128])cells);
}
extern "C" __global__ void __launch_bounds__(128) common_bases_b(const unsigned *a, const unsigned *b, int *length, int pairs)
{
    extern __shared__ int cells[];
    common(a, b, length, pairs, (unsigned char(*)[128])cells);
}

// Commas in each line of 64 characters: a block of 64 a line, or warps that take four lines a turn.
extern "C" __global__ void __launch_bounds__(64) count_commas(const unsigned char *text, int *commas)
{
    const int n = __syncthreads_count(text[(size_t)blockIdx.x * 64 + threadIdx.x] == ',');
    if (threadIdx.x == 0) commas[blockIdx.x] = n;
}
extern "C" __global__ void __launch_bounds__(256) count_commas_b(const unsigned short *text, int *commas, int lines)
{
    const int lane = threadIdx.x & 31, warps = gridDim.x * 8;
    for (int l = (blockIdx.x * 8 + threadIdx.x / 32) * 4; l < lines; l += warps * 4) { // lines is a multiple of 4
        int two[4];
#pragma unroll
        for (int k = 0; k < 4; k++) two[k] = text[(size_t)(l + k) * 32 + lane];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const int n = __reduce_add_sync(~0u, ((two[k] & 255) == ',') + (two[k] >> 8 == ','));
            if (lane == 0) commas[l + k] = n;
        }
    }
}
