// Lists and tables of databases: offsets, playlists, airports, ballots.

// Running sums of the entries of rows of 4096, where each row begins with its own 0; blocks of 128, a row a block.
template <bool Apart>
__device__ int placed(int i) { return Apart ? i + (i >> 5) : i; }
template <bool Apart>
__device__ void offsets_of_row(const unsigned *count, unsigned *offset, unsigned *cell, unsigned *warps)
{
    const size_t row = (size_t)blockIdx.x * 4096;
    const int t = threadIdx.x, lane = t & 31;
    for (int k = t; k < 4096; k += 128) cell[placed<Apart>(k)] = count[row + k];
    __syncthreads();
    unsigned sum = 0;
    for (int k = 0; k < 32; k++) sum += cell[placed<Apart>(t * 32 + k)];
    unsigned before = sum;
    for (int o = 1; o < 32; o *= 2) {
        const unsigned v = __shfl_up_sync(~0u, before, o);
        if (lane >= o) before += v;
    }
    if (lane == 31) warps[t / 32] = before;
    __syncthreads();
    before -= sum;
    for (int w = 0; w < t / 32; w++) before += warps[w];
    for (int k = 0; k < 32; k++) {
        const unsigned v = cell[placed<Apart>(t * 32 + k)];
        cell[placed<Apart>(t * 32 + k)] = before;
        before += v;
    }
    __syncthreads();
    for (int k = t; k < 4096; k += 128) offset[row + k] = cell[placed<Apart>(k)];
}
extern "C" __global__ void __launch_bounds__(128) list_offsets(const unsigned *count, unsigned *offset)
{
    __shared__ unsigned cell[4096], warps[4];
    offsets_of_row<false>(count, offset, cell, warps);
}
extern "C" __global__ void __launch_bounds__(128) list_offsets_b(const unsigned *count, unsigned *offset)
{
    __shared__ unsigned cell[4096 + 128], warps[4];
    offsets_of_row<true>(count, offset, cell, warps);
}

// Seconds of each playlist, a warp a list: list l has the songs song[first[l]] to song[first[l + 1] - 1].
__device__ unsigned seconds_of(const int *song, const unsigned *seconds, int from, int to)
{
    unsigned sum = 0;
    for (int k = from + (threadIdx.x & 31); k < to; k += 32) sum += seconds[song[k]];
    return __reduce_add_sync(~0u, sum);
}
extern "C" __global__ void playlist_seconds(const int *first, const int *song, const unsigned *seconds, unsigned *total, int lists)
{
    const int l = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (l >= lists) return;
    const unsigned sum = seconds_of(song, seconds, first[l], first[l + 1]);
    if ((threadIdx.x & 31) == 0) total[l] = sum;
}
// The same by pieces of at most 512 songs, of which the table piece holds (list, first song); total is 0 before.
extern "C" __global__ void playlist_seconds_b(const int2 *piece, const int *first, const int *song, const unsigned *seconds, unsigned *total, int pieces)
{
    const int p = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (p >= pieces) return;
    const int l = piece[p].x, from = piece[p].y;
    const unsigned sum = seconds_of(song, seconds, from, min(first[l + 1], from + 512));
    if ((threadIdx.x & 31) == 0) atomicAdd(total + l, sum);
}

// Flights and minutes of delay of each of 2048 airports; both are 0 before.
extern "C" __global__ void count_arrivals(const int *airport, const int *late, unsigned *flights, unsigned *minutes, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(flights + airport[i], 1u);
        atomicAdd(minutes + airport[i], (unsigned)late[i]);
    }
}
extern "C" __global__ void count_arrivals_b(const int *airport, const int *late, unsigned *flights, unsigned *minutes, int n)
{
    __shared__ unsigned count[2048], sum[2048];
    for (int k = threadIdx.x; k < 2048; k += blockDim.x) count[k] = sum[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int a = airport[i];
        atomicAdd(count + a, 1u);
        atomicAdd(sum + a, (unsigned)late[i]);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 2048; k += blockDim.x)
        if (count[k]) {
            atomicAdd(flights + k, count[k]);
            atomicAdd(minutes + k, sum[k]);
        }
}

// Votes of 64 parties: each block counts a box of 4096 ballots and enters it into the tally of (votes, boxes with any
// vote, most votes in a box); boxes are entered in the order in which they were taken. All is 0 before. Blocks of 256.
__device__ unsigned counted(const unsigned char *ballot, unsigned *votes, int box)
{
    if (threadIdx.x < 64) votes[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < 16; k++) atomicAdd(votes + ballot[(size_t)box * 4096 + k * 256 + threadIdx.x], 1u);
    __syncthreads();
    return votes[threadIdx.x & 63];
}
extern "C" __global__ void __launch_bounds__(256) tally_boxes(const unsigned char *ballot, volatile unsigned *tally, int *taken, int *turn)
{
    __shared__ unsigned votes[64];
    __shared__ int box;
    if (threadIdx.x == 0) box = atomicAdd(taken, 1);
    __syncthreads();
    const unsigned mine = counted(ballot, votes, box);
    if (threadIdx.x == 0) {
        while (atomicAdd(turn, 0) != box) {
        }
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x < 64) {
        tally[threadIdx.x] = tally[threadIdx.x] + mine;
        tally[threadIdx.x + 64] = tally[threadIdx.x + 64] + (mine > 0);
        tally[threadIdx.x + 128] = max(tally[threadIdx.x + 128], mine);
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(turn, box + 1);
}
extern "C" __global__ void __launch_bounds__(256) tally_boxes_b(const unsigned char *ballot, unsigned *tally)
{
    __shared__ unsigned votes[64];
    const unsigned mine = counted(ballot, votes, blockIdx.x);
    if (threadIdx.x < 64) {
        atomicAdd(tally + threadIdx.x, mine);
        atomicAdd(tally + threadIdx.x + 64, mine > 0);
        atomicMax(tally + threadIdx.x + 128, mine);
    }
}
