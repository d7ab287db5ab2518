// The same bank with phases in units of 2^-32 turns: an integer of 32 bits overflows after exactly one turn, so nothing has to
// be subtracted, and the difference to float is one instruction of the ALU pipe.
// launch: play<<<ceil(n / 4 / block), 256>>>(phase, turn, sound, n)
#define STEPS 128
#define TURN 4294967296.f  // 2^32

extern "C" __global__ void play(const float4* __restrict__ phase, const float4* __restrict__ turn, float4* __restrict__ sound, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4) return;
  float4 first = phase[i], step = turn[i];
  unsigned p[4] = {(unsigned)(int)(first.x * TURN), (unsigned)(int)(first.y * TURN), (unsigned)(int)(first.z * TURN), (unsigned)(int)(first.w * TURN)};
  unsigned f[4] = {(unsigned)(step.x * TURN), (unsigned)(step.y * TURN), (unsigned)(step.z * TURN), (unsigned)(step.w * TURN)};
  float y[4] = {};
#pragma unroll 4
  for (int k = 0; k < STEPS; ++k) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      p[j] += f[j];
      y[j] += fabsf((float)(int)p[j]);
    }
  }
  sound[i] = make_float4(y[0] / TURN, y[1] / TURN, y[2] / TURN, y[3] / TURN);
}
