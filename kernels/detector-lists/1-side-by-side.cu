// Events above a threshold go to the list of their detector. A block reads a stretch of one detector's events; its warps reserve
// places with an atomic on the length of the list. The lengths of the lists are side by side in one array.
// launch: keep<<<n / 8192, 256>>>(energy, lengths, lists, room)
#define DETECTORS 32
#define STRETCH 8192
#define PITCH 1  // between lengths

extern "C" __global__ void keep(const float* __restrict__ energy, int* __restrict__ lengths, float* __restrict__ lists, int room) {
  int detector = blockIdx.x % DETECTORS, lane = threadIdx.x % 32;
  const float* mine = energy + (size_t)blockIdx.x * STRETCH;
  float* list = lists + (size_t)detector * room;
  for (int i = threadIdx.x; i < STRETCH; i += blockDim.x) {
    float e = mine[i];
    unsigned kept = __ballot_sync(~0u, e > 0.7f);
    if (kept == 0) continue;
    int at = 0;
    if (lane == 0) at = atomicAdd(lengths + detector * PITCH, __popc(kept));  // slow: here
    at = __shfl_sync(~0u, at, 0);
    if (e > 0.7f) list[at + __popc(kept & ((1u << lane) - 1))] = e;
  }
}
