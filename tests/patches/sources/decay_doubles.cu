// Double literals, a macro and functions of double precision among floats.
#define RATE 0.125
__global__ void decay(float *state, float step, int count) {
  const int who = threadIdx.x + blockDim.x * blockIdx.x;
  if (who >= count) return;
  float s = state[who];
  for (int turn = 0; turn < 8; ++turn) {
    s = s - step * RATE * (s - 0.5);
    s += sin(s * 0.75) * 1.0e-3;
  }
  state[who] = s;
}
