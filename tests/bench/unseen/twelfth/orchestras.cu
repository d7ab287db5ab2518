// Questionnaires, microscopes, machines, brains, leaves, hearts, stores, circuits, food, votes, trains, storms, films, wines.

// Scores of a questionnaire, and the longest row of the same answer, which tells who did not read it. answer: 1 to 5,
// the items of a person side by side; key: 1, or -1 for items put the other way round.
constexpr int ITEMS = 120;
extern "C" __global__ void scale_scores(const signed char *__restrict__ answer, const signed char *__restrict__ key,
                                        int *__restrict__ score, int *__restrict__ longest, int people)
{
    const int person = blockIdx.x * blockDim.x + threadIdx.x;
    if (person >= people) return;
    const signed char *mine = answer + (long long)person * ITEMS;
    int total = 0, run = 0, most = 0, before = 0;
    for (int q = 0; q < ITEMS; q++) {
        const int a = mine[q];
        total += key[q] * a;
        run = a == before ? run + 1 : 1;
        most = max(most, run);
        before = a;
    }
    score[person] = total;
    longest[person] = most;
}
extern "C" __global__ void scale_scores_b(const signed char *__restrict__ answer, const signed char *__restrict__ key,
                                          int *__restrict__ score, int *__restrict__ longest, int people)
{
    constexpr int WORDS = ITEMS / 4, PEOPLE = 128;
    __shared__ int sheet[PEOPLE * WORDS];
    __shared__ int keys[WORDS];
    const int first = blockIdx.x * PEOPLE, count = min(PEOPLE, people - first);
    const int *from = (const int *)(answer + (long long)first * ITEMS);
    for (int i = threadIdx.x; i < count * WORDS; i += PEOPLE) sheet[i] = from[i];
    if (threadIdx.x < WORDS) keys[threadIdx.x] = ((const int *)key)[threadIdx.x];
    __syncthreads();
    if (threadIdx.x >= count) return;
    int total = 0, run = 0, most = 0, before = 0;
#pragma unroll 2
    for (int w = 0; w < WORDS; w++) {
        const int four = sheet[threadIdx.x * WORDS + w];
        total = __dp4a(four, keys[w], total);
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const int a = four >> 8 * k & 255;
            run = a == before ? run + 1 : 1;
            most = max(most, run);
            before = a;
        }
    }
    score[first + threadIdx.x] = total;
    longest[first + threadIdx.x] = most;
}

// Brightness, centre and saturated pixels of each well of a plate under the microscope. sums: four of each well.
__device__ __forceinline__ void add_pixels(const unsigned short *__restrict__ picture, unsigned long long *__restrict__ sums,
                                           int width, int height, int background, int begin, int step)
{
    __shared__ unsigned long long part[4][8];
    const unsigned short *mine = picture + (long long)blockIdx.x * width * height;
    unsigned long long light = 0, across = 0, down = 0;
    unsigned int full = 0;
    for (int y = begin; y < height; y += step)
        for (int x = threadIdx.x; x < width; x += blockDim.x) {
            const int p = mine[y * width + x];
            const unsigned int above = max(p - background, 0);
            light += above;
            across += above * x;
            down += above * y;
            full += p == 65535;
        }
    unsigned long long all[4] = {light, across, down, full};
#pragma unroll
    for (int k = 0; k < 4; k++) {
        for (int far = 16; far > 0; far /= 2) all[k] += __shfl_down_sync(~0u, all[k], far);
        if (threadIdx.x % 32 == 0) part[k][threadIdx.x / 32] = all[k];
    }
    __syncthreads();
    if (threadIdx.x < 4) {
        unsigned long long total = 0;
        for (int w = 0; w < blockDim.x / 32; w++) total += part[threadIdx.x][w];
        atomicAdd(&sums[4 * blockIdx.x + threadIdx.x], total);
    }
}
extern "C" __global__ void __launch_bounds__(256) well_light(
    const unsigned short *__restrict__ picture, unsigned long long *__restrict__ sums, int width, int height, int background)
{
    add_pixels(picture, sums, width, height, background, 0, 1);
}
extern "C" __global__ void __launch_bounds__(256) well_light_b(
    const unsigned short *__restrict__ picture, unsigned long long *__restrict__ sums, int width, int height, int background)
{
    add_pixels(picture, sums, width, height, background, blockIdx.y, gridDim.y);
}

// When the vibration of each machine first stays over its limit for `hold` samples. level: a row a sample.
extern "C" __global__ void alarm_onset(const float *__restrict__ level, const float *__restrict__ limit, int *__restrict__ onset,
                                       int hold, int samples, int machines)
{
    const int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= machines) return;
    const float most = limit[m];
    int over = 0, at = -1;
    for (int t = 0; t < samples; t++) {
        over = level[(long long)t * machines + m] > most ? over + 1 : 0;
        if (over == hold) {
            at = t - hold + 1;
            break;
        }
    }
    onset[m] = at;
}
extern "C" __global__ void alarm_onset_b(const float *__restrict__ level, const float *__restrict__ limit,
                                         int *__restrict__ onset, int hold, int samples, int machines)
{
    constexpr int AHEAD = 16;
    const int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= machines) return;
    const float most = limit[m];
    int over = 0, at = -1;
    for (int t = 0; t < samples && at < 0; t += AHEAD) {
        float next[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) next[k] = t + k < samples ? level[(long long)(t + k) * machines + m] : 0.0f;
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            over = next[k] > most ? over + 1 : 0;
            if (over == hold && at < 0) at = t + k - hold + 1;
        }
    }
    onset[m] = at;
}

// How alike the activity of regions of the brain is: products of their series, which have mean 0 and length 1.
__device__ __forceinline__ float warp_sum(float x)
{
    for (int far = 16; far > 0; far /= 2) x += __shfl_xor_sync(~0u, x, far);
    return x;
}
extern "C" __global__ void __launch_bounds__(256) region_links(
    const float *__restrict__ series, float *__restrict__ link, int samples, int regions)
{
    __shared__ float part[8];
    const int i = blockIdx.y, j = blockIdx.x;
    if (j > i) return;
    const float *a = series + (long long)i * samples, *b = series + (long long)j * samples;
    float sum = 0.0f;
    for (int t = threadIdx.x; t < samples; t += 256) sum += a[t] * b[t];
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = 0.0f;
        for (int w = 0; w < 8; w++) sum += part[w];
        link[i * regions + j] = link[j * regions + i] = sum;
    }
}
extern "C" __global__ void __launch_bounds__(256) region_links_b(
    const float *__restrict__ series, float *__restrict__ link, int samples, int regions)
{
    constexpr int SIDE = 8;
    __shared__ float part[8][SIDE * SIDE];
    const int i0 = blockIdx.y * SIDE, j0 = blockIdx.x * SIDE;
    if (j0 > i0) return;
    float sum[SIDE][SIDE] = {};
    for (int t = threadIdx.x; t < samples; t += 256) {
        float a[SIDE], b[SIDE];
#pragma unroll
        for (int k = 0; k < SIDE; k++) {
            a[k] = series[(i0 + k) * samples + t];
            b[k] = series[(j0 + k) * samples + t];
        }
#pragma unroll
        for (int y = 0; y < SIDE; y++)
#pragma unroll
            for (int x = 0; x < SIDE; x++) sum[y][x] += a[y] * b[x];
    }
#pragma unroll
    for (int y = 0; y < SIDE; y++)
#pragma unroll
        for (int x = 0; x < SIDE; x++) {
            const float all = warp_sum(sum[y][x]);
            if (threadIdx.x % 32 == 0) part[threadIdx.x / 32][y * SIDE + x] = all;
        }
    __syncthreads();
    if (threadIdx.x < SIDE * SIDE) {
        float all = 0.0f;
        for (int w = 0; w < 8; w++) all += part[w][threadIdx.x];
        const int i = i0 + threadIdx.x / SIDE, j = j0 + threadIdx.x % SIDE;
        link[i * regions + j] = link[j * regions + i] = all;
    }
}

// Carbon that leaves take up, by the three ways plants have; the carbon inside the leaf is found by turns.
// kind: 0 bare, 1 wheat and trees (C3), 2 maize (C4), 3 succulents (CAM). order: the cells sorted by kind.
__device__ __forceinline__ float uptake(int kind, float light, float warm, float dry, int turns)
{
    float inside = 28.0f, gain = 0.0f;
    if (kind == 1) {
        const float most = 60.0f * __expf(0.06f * (warm - 25.0f)), electrons = __fdividef(150.0f * light, light + 400.0f);
        const float comp = 4.2f * __expf(0.04f * (warm - 25.0f)), half = 55.0f + 0.9f * warm;
        for (int k = 0; k < turns; k++) {
            const float enzyme = __fdividef(most * (inside - comp), inside + half);
            const float photon = __fdividef(electrons * (inside - comp), 4.0f * inside + 8.0f * comp);
            gain = fminf(enzyme, photon) - 0.015f * most;
            const float open = 0.05f + __fdividef(0.09f * fmaxf(gain, 0.0f), 10.0f + 9.0f * dry);
            inside = 0.5f * inside + 0.5f * fmaxf(40.0f - __fdividef(0.1f * gain, open), 6.0f);
        }
    } else if (kind == 2) {
        const float most = 40.0f * __expf(0.05f * (warm - 25.0f)), photons = 0.06f * light, pump = 0.7f * most;
        for (int k = 0; k < turns; k++) {
            const float pumped = __fdividef(pump * inside, inside + 8.0f);
            const float sum = most + photons, both = __fsqrt_rn(fmaxf(sum * sum - 3.4f * most * photons, 0.0f));
            const float limit = (sum - both) * 0.6f, other = limit + pumped + 0.01f * inside;
            gain = __fdividef(limit * pumped, other) * 1.6f - 0.02f * most;
            const float open = 0.03f + __fdividef(0.04f * fmaxf(gain, 0.0f), 10.0f + 5.0f * dry);
            inside = 0.4f * inside + 0.6f * fmaxf(38.0f - __fdividef(0.12f * gain, open), 2.0f);
        }
    } else if (kind == 3) {
        float acid = 60.0f;
        const float leak = 0.02f * __expf(0.03f * warm);
        for (int k = 0; k < turns; k++) {
            const float free_ = __fdividef(light * 0.05f, 1.0f + 0.002f * light) * __fdividef(acid, acid + 30.0f);
            const float fixed = __fdividef(9.0f * inside, inside + 15.0f) * (1.0f - acid * 0.004f);
            acid = fminf(fmaxf(acid + 0.5f * (fixed - free_) - leak * acid, 1.0f), 200.0f);
            const float open = 0.01f + __fdividef(0.2f, 4.0f + dry * (1.0f + 0.01f * acid));
            gain = 0.3f * free_ + 0.7f * fixed;
            inside = 0.6f * inside + 0.4f * fmaxf(40.0f - __fdividef(0.05f * gain, open), 3.0f);
        }
    }
    return gain;
}
extern "C" __global__ void leaf_uptake(const unsigned char *__restrict__ kind, const int *__restrict__ order,
                                       const float *__restrict__ light, const float *__restrict__ warm,
                                       const float *__restrict__ dry, float *__restrict__ gain, int turns, int cells)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cells) return;
    gain[c] = uptake(kind[c], light[c], warm[c], dry[c], turns);
}
extern "C" __global__ void leaf_uptake_b(const unsigned char *__restrict__ kind, const int *__restrict__ order,
                                         const float *__restrict__ light, const float *__restrict__ warm,
                                         const float *__restrict__ dry, float *__restrict__ gain, int turns, int cells)
{
    const int place = blockIdx.x * blockDim.x + threadIdx.x;
    if (place >= cells) return;
    const int c = order[place];
    gain[c] = uptake(kind[c], light[c], warm[c], dry[c], turns);
}

// Waves in the muscle of the heart: a cell at rest (0) is excited (1) by an excited neighbour, then tired until `states`.
constexpr int TISSUE_ROWS = 4;
extern "C" __global__ void tissue_step(const int *__restrict__ now, int *__restrict__ next, int states, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int left = x == 0 ? width - 1 : x - 1, right = x == width - 1 ? 0 : x + 1;
    if (x >= width) return;
    for (int k = 0; k < TISSUE_ROWS; k++) {
        const int y = (blockIdx.y * TISSUE_ROWS + k) * blockDim.y + threadIdx.y;
        if (y >= height) return;
        const int up = y == 0 ? height - 1 : y - 1, down = y == height - 1 ? 0 : y + 1;
        const int *row = now + y * width;
        const int s = row[x];
        const bool near = (row[left] == 1) | (row[right] == 1) | (now[up * width + x] == 1) | (now[down * width + x] == 1);
        const int older = s + 1 == states ? 0 : s + 1;
        next[y * width + x] = s > 0 ? older : near;
    }
}
extern "C" __global__ void tissue_step_b(const unsigned int *__restrict__ now, unsigned int *__restrict__ next, int states,
                                         int words, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int left = x == 0 ? words - 1 : x - 1, right = x == words - 1 ? 0 : x + 1;
    if (x >= words) return;
    const unsigned int ones = 0x01010101u, last = ones * (unsigned int)(states - 1);
    for (int k = 0; k < TISSUE_ROWS; k++) {
        const int y = (blockIdx.y * TISSUE_ROWS + k) * blockDim.y + threadIdx.y;
        if (y >= height) return;
        const int up = y == 0 ? height - 1 : y - 1, down = y == height - 1 ? 0 : y + 1;
        const unsigned int *row = now + y * words;
        const unsigned int s = row[x];
        const unsigned int west = __funnelshift_l(row[left], s, 8), east = __funnelshift_r(s, row[right], 8);
        const unsigned int near = __vcmpeq4(west, ones) | __vcmpeq4(east, ones) | __vcmpeq4(now[up * words + x], ones)
                                  | __vcmpeq4(now[down * words + x], ones);
        const unsigned int rest = __vcmpeq4(s, 0), end = __vcmpeq4(s, last);
        next[y * words + x] = (rest & near & ones) | (~rest & ~end & (s + ones));
    }
}

// One step of value iteration for a store of five goods: what a state costs, by how many of each good are left.
extern "C" __global__ void restock_values(const float *__restrict__ value, float *__restrict__ better,
                                          const long long *__restrict__ size, const float *__restrict__ demand,
                                          const float *__restrict__ holding, float missed, float later, long long states)
{
    const long long s = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= states) return;
    const float stay = value[s] + missed;
    float cost = 0.0f, next = 0.0f;
    long long rest = s, stride = 1;
#pragma unroll
    for (int k = 0; k < 5; k++) {
        const long long left = rest % size[k];
        cost += holding[k] * (float)left;
        next += demand[k] * (left > 0 ? value[s - stride] : stay);
        rest /= size[k];
        stride *= size[k];
    }
    better[s] = cost + later * next;
}
extern "C" __global__ void restock_values_b(const float *__restrict__ value, float *__restrict__ better,
                                            const long long *__restrict__ size, const float *__restrict__ demand,
                                            const float *__restrict__ holding, float missed, float later, long long states)
{
    const int n0 = (int)size[0], n1 = (int)size[1], n2 = gridDim.x, n3 = gridDim.y;
    const int s2 = n0 * n1, s3 = s2 * n2, s4 = s3 * n3;
    const int c2 = blockIdx.x, c3 = blockIdx.y, c4 = blockIdx.z, c0 = threadIdx.x;
    const float cost = holding[0] * c0 + holding[2] * c2 + holding[3] * c3 + holding[4] * c4;
    for (int c1 = threadIdx.y; c1 < n1; c1 += blockDim.y) {
        const int s = c4 * s4 + c3 * s3 + c2 * s2 + c1 * n0 + c0;
        const float stay = value[s] + missed;
        float next = demand[0] * (c0 > 0 ? value[s - 1] : stay);
        next += demand[1] * (c1 > 0 ? value[s - n0] : stay);
        next += demand[2] * (c2 > 0 ? value[s - s2] : stay);
        next += demand[3] * (c3 > 0 ? value[s - s3] : stay);
        next += demand[4] * (c4 > 0 ? value[s - s4] : stay);
        better[s] = cost + holding[1] * c1 + later * next;
    }
}

// A logic circuit, level by level, for 32 sets of inputs in the bits of a word; a block has one word of all signals.
// gate: inputs in bits 0 to 11 and 12 to 23, what it does above them; level: where each level's gates begin.
constexpr int CIRCUIT_IN = 64, CIRCUIT_SIGNALS = 1600, CIRCUIT_OUT = 8;
__device__ __forceinline__ unsigned int gate_value(unsigned int gate, const unsigned int *signal)
{
    const unsigned int a = signal[gate & 4095], b = signal[gate >> 12 & 4095], what = gate >> 24;
    const unsigned int bits = what & 1 ? (what & 2 ? a ^ b : a | b) : a & b;
    return what & 4 ? ~bits : bits;
}
extern "C" __global__ void __launch_bounds__(256) circuit_levels(
    const unsigned int *__restrict__ gate, const int *__restrict__ level, const unsigned int *__restrict__ in,
    unsigned int *__restrict__ out, int levels, int words)
{
    __shared__ unsigned int signal[CIRCUIT_SIGNALS];
    if (threadIdx.x < CIRCUIT_IN) signal[threadIdx.x] = in[threadIdx.x * words + blockIdx.x];
    __syncthreads();
    for (int l = 0; l < levels; l++) {
        const int g = level[l] + threadIdx.x;
        if (g < level[l + 1]) signal[CIRCUIT_IN + g] = gate_value(gate[g], signal);
        __syncthreads();
    }
    if (threadIdx.x < CIRCUIT_OUT)
        out[threadIdx.x * words + blockIdx.x] = signal[CIRCUIT_IN + level[levels] - 1 - threadIdx.x];
}
extern "C" __global__ void __launch_bounds__(32) circuit_levels_b(
    const unsigned int *__restrict__ gate, const int *__restrict__ level, const unsigned int *__restrict__ in,
    unsigned int *__restrict__ out, int levels, int words)
{
    __shared__ unsigned int signal[CIRCUIT_SIGNALS];
    for (int k = threadIdx.x; k < CIRCUIT_IN; k += 32) signal[k] = in[k * words + blockIdx.x];
    __syncwarp();
    for (int l = 0; l < levels; l++) {
        const int end = level[l + 1];
        for (int g = level[l] + threadIdx.x; g < end; g += 32) signal[CIRCUIT_IN + g] = gate_value(gate[g], signal);
        __syncwarp();
    }
    if (threadIdx.x < CIRCUIT_OUT)
        out[threadIdx.x * words + blockIdx.x] = signal[CIRCUIT_IN + level[levels] - 1 - threadIdx.x];
}

// How far cartons of milk have gone off: two kinds of germs that grow `ten` times faster for each ten degrees.
extern "C" __global__ void carton_growth(const float *__restrict__ celsius, float2 *__restrict__ grown, float ten_a,
                                         float ten_b, float from_a, float from_b, int hours, int cartons)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cartons) return;
    float a = 0.0f, b = 0.0f;
    for (int h = 0; h < hours; h++) {
        const float t = celsius[(long long)h * cartons + c];
        a += powf(ten_a, (t - from_a) / 10.0f);
        b += powf(ten_b, (t - from_b) / 10.0f);
    }
    grown[c] = make_float2(a, b);
}
extern "C" __global__ void carton_growth_b(const float *__restrict__ celsius, float2 *__restrict__ grown, float ten_a,
                                           float ten_b, float from_a, float from_b, int hours, int cartons)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cartons) return;
    const float steep_a = 0.1f * log2f(ten_a), steep_b = 0.1f * log2f(ten_b);
    float a = 0.0f, b = 0.0f;
    for (int h = 0; h < hours; h++) {
        const float t = celsius[(long long)h * cartons + c];
        a += exp2f(steep_a * (t - from_a));
        b += exp2f(steep_b * (t - from_b));
    }
    grown[c] = make_float2(a, b);
}

// Count of ranked votes after a round: a ballot goes to its first choice, or its second where the first is out.
// choice: rows of ballots, a column a polling place; result: who leads there, and by how many.
constexpr int RUNNERS = 24;
extern "C" __global__ void __launch_bounds__(128) count_ballots(
    const unsigned char *__restrict__ first, const unsigned char *__restrict__ second, int2 *__restrict__ result,
    unsigned int out, int ballots, int places)
{
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= places) return;
    int tally[RUNNERS] = {};
    for (int b = 0; b < ballots; b++) {
        const int one = first[b * places + p], two = second[b * places + p];
        tally[out >> one & 1 ? two : one]++;
    }
    int best = -1, then = -1, who = 0;
    for (int k = 0; k < RUNNERS; k++) {
        const int mine = tally[k];
        if (mine > best) then = best, best = mine, who = k;
        else if (mine > then) then = mine;
    }
    result[p] = make_int2(who, best - then);
}
extern "C" __global__ void __launch_bounds__(128) count_ballots_b(
    const unsigned char *__restrict__ first, const unsigned char *__restrict__ second, int2 *__restrict__ result,
    unsigned int out, int ballots, int places)
{
    __shared__ int tally[RUNNERS][128];
    const int p = blockIdx.x * blockDim.x + threadIdx.x, me = threadIdx.x;
    if (p >= places) return;
    for (int k = 0; k < RUNNERS; k++) tally[k][me] = 0;
    for (int b = 0; b < ballots; b++) {
        const int one = first[b * places + p], two = second[b * places + p];
        tally[out >> one & 1 ? two : one][me]++;
    }
    int best = -1, then = -1, who = 0;
    for (int k = 0; k < RUNNERS; k++) {
        const int mine = tally[k][me];
        if (mine > best) then = best, best = mine, who = k;
        else if (mine > then) then = mine;
    }
    result[p] = make_int2(who, best - then);
}

// Times from one stop of an underground to all others in many scenarios of delay, by rounds over all its lines.
// line: from, to, minutes, which delay counts; a thread a scenario.
constexpr int STOPS = 48;
__device__ __forceinline__ void ride(const int4 *__restrict__ line, const float *__restrict__ delay, float *__restrict__ mean,
                                     int start, int lines, int rounds, int scenarios, float *time)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= scenarios) return;
    float slow[4];
    for (int k = 0; k < 4; k++) slow[k] = delay[k * scenarios + s];
    for (int k = 0; k < STOPS; k++) time[k] = k == start ? 0.0f : 1e6f;
    for (int round = 0; round < rounds; round++)
        for (int e = 0; e < lines; e++) {
            const int4 l = line[e];
            const float factor = l.w == 0 ? slow[0] : l.w == 1 ? slow[1] : l.w == 2 ? slow[2] : slow[3];
            time[l.y] = fminf(time[l.y], time[l.x] + factor * (float)l.z);
        }
    float sum = 0.0f;
    for (int k = 0; k < STOPS; k++) sum += time[k];
    mean[s] = sum / STOPS;
}
extern "C" __global__ void __launch_bounds__(128) underground_times(
    const int4 *__restrict__ line, const float *__restrict__ delay, float *__restrict__ mean, int start, int lines, int rounds,
    int scenarios)
{
    __shared__ float time[128][STOPS];
    ride(line, delay, mean, start, lines, rounds, scenarios, time[threadIdx.x]);
}
extern "C" __global__ void __launch_bounds__(128) underground_times_b(
    const int4 *__restrict__ line, const float *__restrict__ delay, float *__restrict__ mean, int start, int lines, int rounds,
    int scenarios)
{
    __shared__ float time[128][STOPS + 1];
    ride(line, delay, mean, start, lines, rounds, scenarios, time[threadIdx.x]);
}

// Energy of lightning by the day of the year.
constexpr int DAYS = 365;
extern "C" __global__ void strike_days(
    const int *__restrict__ day, const unsigned int *__restrict__ energy, unsigned int *__restrict__ total, int strikes)
{
    const int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < strikes; i += step) atomicAdd(&total[day[i]], energy[i]);
}
extern "C" __global__ void strike_days_b(
    const int *__restrict__ day, const unsigned int *__restrict__ energy, unsigned int *__restrict__ total, int strikes)
{
    __shared__ unsigned int mine[DAYS];
    const int step = gridDim.x * blockDim.x;
    for (int k = threadIdx.x; k < DAYS; k += blockDim.x) mine[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < strikes; i += step) atomicAdd(&mine[day[i]], energy[i]);
    __syncthreads();
    for (int k = threadIdx.x; k < DAYS; k += blockDim.x) atomicAdd(&total[k], mine[k]);
}

// Subtitles laid over the frames of a film.
__device__ __forceinline__ unsigned int blend(unsigned int under, unsigned int over, unsigned int cover)
{
    return (cover * over + (255 - cover) * under + 127) / 255;
}
extern "C" __global__ void lay_subtitles(
    const unsigned char *film, const unsigned char *text, const unsigned char *cover, unsigned char *out, int bytes)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < bytes; i += gridDim.x * blockDim.x)
        out[i] = blend(film[i], text[i], cover[i]);
}
__device__ __forceinline__ unsigned int blend_four(unsigned int under, unsigned int over, unsigned int cover)
{
    unsigned int four = 0;
#pragma unroll
    for (int k = 0; k < 32; k += 8) four |= blend(under >> k & 255, over >> k & 255, cover >> k & 255) << k;
    return four;
}
extern "C" __global__ void lay_subtitles_b(const uint4 *film, const uint4 *text, const uint4 *cover, uint4 *out, int bytes)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < bytes / 16; i += gridDim.x * blockDim.x) {
        const uint4 f = film[i], t = text[i], c = cover[i];
        out[i] = make_uint4(blend_four(f.x, t.x, c.x), blend_four(f.y, t.y, c.y), blend_four(f.z, t.z, c.z),
                            blend_four(f.w, t.w, c.w));
    }
}

// Kendall's tau of two tasters of wine: pairs they put in the same order less pairs they do not.
__device__ __forceinline__ int agree(float2 a, float2 b)
{
    const float both = (a.x - b.x) * (a.y - b.y);
    return (both > 0.0f) - (both < 0.0f);
}
__device__ __forceinline__ void add_all(long long count, unsigned long long *__restrict__ total)
{
    for (int far = 16; far > 0; far /= 2) count += __shfl_down_sync(~0u, count, far);
    if (threadIdx.x % 32 == 0) atomicAdd(total, (unsigned long long)count);
}
extern "C" __global__ void taster_pairs(const float2 *__restrict__ mark, unsigned long long *__restrict__ total, int wines)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int count = 0;
    if (i < wines) {
        const float2 mine = mark[i];
        for (int j = 0; j < i; j++) count += agree(mine, mark[j]);
    }
    add_all(count, total);
}
constexpr int TASTED = 1024;
extern "C" __global__ void taster_pairs_b(const float2 *__restrict__ mark, unsigned long long *__restrict__ total, int wines)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, begin = blockIdx.y * TASTED;
    if (begin >= (blockIdx.x + 1) * blockDim.x) return;
    int count = 0;
    if (i < wines) {
        const float2 mine = mark[i];
        const int end = min(i, begin + TASTED);
        for (int j = begin; j < end; j++) count += agree(mine, mark[j]);
    }
    add_all(count, total);
}
