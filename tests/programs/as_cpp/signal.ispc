// call: filters: Z(30*64,np.float32), F(30*64), F(30*5,-0.4,0.4), 30, 64
// call: transform: Z(16*32,np.int32), I(16*32,-4096,4096,np.int16), 16
// call: resample: Z(300,np.int16), I(400,-20000,20000,np.int16), 300, 400, 87000
// call: adpcm: Z(24*50,np.uint8), Z(24), I(24*50,-30000,30000,np.int16), 24, 50
// call: peaks: Z(500,np.uint8), Z(1), F(500), 500
// call: viterbi: Z(20*24,np.uint8), Z(20), I(20*24,0,4,np.uint8), 20, 24
// call: goertzel: Z(10*12,np.float32), F(10*60), F(12,-2,2), 10, 60, 12
// call: wavelet: I(256,-1000,1000), 16, 3
struct Biquad { float b0, b1, b2, a1, a2; float z1, z2; };
static inline float filtered(Biquad &q, float x) {
    float y = q.b0 * x + q.z1;
    q.z1 = q.b1 * x - q.a1 * y + q.z2;
    q.z2 = q.b2 * x - q.a2 * y;
    return y;
}
export void filters(uniform float out[], uniform float in_[], uniform float c[], uniform int channels, uniform int n) {
    foreach (k = 0 ... channels) {
        Biquad chain[3];
        for (uniform int s = 0; s < 3; s++) {
            chain[s].b0 = c[k * 5]; chain[s].b1 = c[k * 5 + 1]; chain[s].b2 = c[k * 5 + 2]; chain[s].a1 = c[k * 5 + 3] * (s + 1) * 0.5f; chain[s].a2 = c[k * 5 + 4];
            chain[s].z1 = 0; chain[s].z2 = 0;
        }
        int stages = k % 3 + 1;
        for (uniform int i = 0; i < n; i++) {
            float v = in_[k * n + i];
            for (uniform int s = 0; s < 3; s++) if (s < stages) v = filtered(chain[s], v);
            out[k * n + i] = v;
        }
    }
}
// Integer butterflies, one row of 32 a lane.
export void transform(uniform int out[], uniform int16 given[], uniform int rows) {
    foreach (r = 0 ... rows) {
        int v[32];
        for (uniform int k = 0; k < 32; k++) {
            uniform int reversed = ((k & 1) << 4) | ((k & 2) << 2) | (k & 4) | ((k & 8) >> 2) | ((k & 16) >> 4);
            v[reversed] = given[r * 32 + k];
        }
        for (uniform int size = 1; size < 32; size *= 2)
            for (uniform int base = 0; base < 32; base += 2 * size)
                for (uniform int k = 0; k < size; k++) {
                    int a = v[base + k], b = v[base + k + size];
                    uniform int twist = (k * 16 / size) & 15;
                    b = (b * (64 - twist * 3)) >> 6;
                    v[base + k] = a + b;
                    v[base + k + size] = a - b;
                }
        for (uniform int k = 0; k < 32; k++) out[r * 32 + k] = v[k];
    }
}
export void resample(uniform int16 out[], uniform int16 given[], uniform int n, uniform int m, uniform int step) {
    foreach (i = 0 ... n) {
        int64 position = (int64)i * step;
        int at = (int)(position >> 16), part = (int)(position & 0xFFFF);
        if (at + 1 >= m) { out[i] = given[m - 1]; continue; }
        int a = given[at], b = given[at + 1];
        out[i] = (int16)(a + (int)(((int64)(b - a) * part) >> 16));
    }
}
static const uniform int steps_of[16] = { 7, 9, 12, 16, 21, 28, 37, 50, 66, 88, 118, 157, 209, 279, 371, 494 };
static const uniform int8 change[8] = { -1, -1, -1, -1, 2, 4, 6, 8 };
export void adpcm(uniform uint8 codes[], uniform int last[], uniform int16 samples[], uniform int rows, uniform int n) {
    foreach (r = 0 ... rows) {
        int predicted = 0, index = 0;
        for (uniform int k = 0; k < n; k++) {
            int d = samples[r * n + k] - predicted;
            uint8 code = 0;
            if (d < 0) { code = 8; d = -d; }
            int s = steps_of[index]; int delta = s >> 3;
            for (uniform int bit = 4; bit > 0; bit >>= 1) {
                if (d >= s) { code |= bit; d -= s; delta += s; }
                s >>= 1;
            }
            predicted += (code & 8) ? -delta : delta;
            predicted = clamp(predicted, -(int)32768, (int)32767);
            index = clamp(index + change[code & 7], 0, 15);
            codes[r * n + k] = code;
        }
        last[r] = predicted * 16 + index;
    }
}
export void peaks(uniform uint8 marks[], uniform int count[], uniform float x[], uniform int n) {
    uniform int total = 0;
    foreach (i = 2 ... n - 2) {
        bool peak = true;
        for (uniform int k = -2; k <= 2; k++) {
            if (k == 0) continue;
            peak &= x[i] > x[i + k];
        }
        if (peak) { marks[i] = 1; atomic_add_global(&count[0], i); }
        else if (!(x[i] > x[i - 1]) && !(x[i] > x[i + 1])) marks[i] = 2;
    }
}
export void viterbi(uniform uint8 bits[], uniform int costs[], uniform uint8 symbols[], uniform int rows, uniform int n) {
    foreach (r = 0 ... rows) {
        int cost[4] = { 0, 100, 100, 100 };
        uint8 from[24][4];
        for (uniform int t = 0; t < n; t++) {
            int next[4];
            int seen = symbols[r * n + t];
            for (uniform int s = 0; s < 4; s++) {
                next[s] = (int)1 << 20;
                for (uniform int b = 0; b < 2; b++) {
                    uniform int before = ((s << 1) & 3) | b;
                    uniform int sent = ((s >> 1) ^ b ^ (before >> 1)) | ((s ^ b) & 1) << 1;
                    int c = cost[before] + popcnt(seen ^ sent);
                    if (c < next[s]) { next[s] = c; from[t][s] = before; }
                }
            }
            for (uniform int s = 0; s < 4; s++) cost[s] = next[s];
        }
        int state = 0;
        for (uniform int s = 1; s < 4; s++) if (cost[s] < cost[state]) state = s;
        costs[r] = cost[state];
        for (uniform int t = n - 1; t >= 0; t--) {
            bits[r * n + t] = state >> 1;
            state = from[t][state];
        }
    }
}
export void goertzel(uniform float power[], uniform float x[], uniform float coefficients[], uniform int rows, uniform int n, uniform int bands) {
    foreach (r = 0 ... rows, b = 0 ... bands) {
        float s1 = 0, s2 = 0, c = coefficients[b] * 0.5f;
        for (uniform int k = 0; k < n; k++) { float s = x[r * n + k] + c * s1 - s2; s2 = s1; s1 = s; }
        power[r * bands + b] = s1 * s1 + s2 * s2 - c * s1 * s2;
    }
}
export void wavelet(uniform int image[], uniform int size, uniform int levels) {
    for (uniform int level = 0, length = size; level < levels; level++, length /= 2) {
        uniform int half = length / 2;
        foreach (y = 0 ... length) {
            int row[16];
            for (uniform int x = 0; x < half; x++) {
                int a = image[y * size + 2 * x], b = image[y * size + 2 * x + 1];
                int d = b - a; int s = a + (d >> 1);
                row[x] = s; row[half + x] = d;
            }
            for (uniform int x = 0; x < length; x++) image[y * size + x] = row[x];
        }
        foreach (x = 0 ... length) {
            int column[16];
            for (uniform int y = 0; y < half; y++) {
                int a = image[2 * y * size + x], b = image[(2 * y + 1) * size + x];
                int d = b - a; int s = a + (d >> 1);
                column[y] = s; column[half + y] = d;
            }
            for (uniform int y = 0; y < length; y++) image[y * size + x] = column[y];
        }
    }
}
