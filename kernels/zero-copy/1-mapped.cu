// Corrects a camera frame: the dark frame is subtracted from each pixel, and the result is scaled.
// launch: correct<<<sms * 8, 256>>>(frame, dark_host, corrected, gain, n)
extern "C" __global__ void correct(const float4* __restrict__ frame, const float4* __restrict__ dark,
                                   float4* __restrict__ corrected, float gain, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    float4 f = frame[i], d = dark[i];  // slow: here
    corrected[i] = make_float4((f.x - d.x) * gain, (f.y - d.y) * gain, (f.z - d.z) * gain, (f.w - d.w) * gain);
  }
}
