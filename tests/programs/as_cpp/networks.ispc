// call: dense8: Z(33*20,np.int8), I(33*48,-128,128,np.int8), I(20*48,-128,128,np.int8), I(20,-5000,5000), 33, 48, 20
// call: convolve: Z(4*14*14), I(3*16*16,0,256,np.uint8), I(4*27,-20,20,np.int8), 16, 3, 4
// call: pools: Z(8*8,np.uint8), Z(8*8,np.int16), I(16*16,0,256,np.uint8), 16
// call: recurrent: Z(40*8,np.float32), F(40*12*4), F(8*12), F(8*8), 40, 12
// call: attention: Z(24*24,np.float32), Z(24*8,np.float32), F(24*8), F(24*8), F(24*8), 24, 8
// call: forest: Z(90), I(90*6,0,100,np.uint8), I(15*31*2,0,100), 90, 15
// call: kmeans: Z(200), Z(5*4,np.int32), I(200*4,-1000,1000,np.int16), 200, 5
// call: quantise: Z(500,np.int8), Z(500,np.uint8), F(500,-3,3), 500
static inline int8 narrowed(int v, uniform int shift) {
    int r = (v + ((int)1 << (shift - 1))) >> shift;
    return (int8)clamp(r, -(int)128, (int)127);
}
export void dense8(uniform int8 out[], uniform int8 x[], uniform int8 weights[], uniform int bias[], uniform int rows, uniform int in_count, uniform int out_count) {
    foreach (r = 0 ... rows, o = 0 ... out_count) {
        int sum = bias[o];
        for (uniform int k = 0; k < in_count; k++) sum += (int)x[r * in_count + k] * weights[o * in_count + k];
        out[r * out_count + o] = narrowed(sum, 7);
    }
}
export void convolve(uniform int out[], uniform uint8 image[], uniform int8 kernels[], uniform int size, uniform int channels, uniform int filters) {
    uniform int inner = size - 2;
    for (uniform int f = 0; f < filters; f++)
        foreach (y = 0 ... inner, x = 0 ... inner) {
            int sum = 0;
            for (uniform int c = 0; c < channels; c++)
                for (uniform int ky = 0; ky < 3; ky++)
                    for (uniform int kx = 0; kx < 3; kx++)
                        sum += image[(c * size + y + ky) * size + x + kx] * (int)kernels[((f * channels + c) * 3 + ky) * 3 + kx];
            out[(f * inner + y) * inner + x] = max(sum, sum >> 4);
        }
}
export void pools(uniform uint8 most[], uniform int16 mean[], uniform uint8 image[], uniform int size) {
    uniform int half = size / 2;
    foreach (y = 0 ... half, x = 0 ... half) {
        uint8 m = 0; int16 sum = 0; bool odd = false;
        for (uniform int dy = 0; dy < 2; dy++)
            for (uniform int dx = 0; dx < 2; dx++) {
                uint8 v = image[(y * 2 + dy) * size + x * 2 + dx];
                m = max(m, v);
                sum += v;
                odd = odd != ((v & 1) == 1);
            }
        most[y * half + x] = odd ? m : (uint8)~m;
        mean[y * half + x] = (int16)((sum + 2) >> 2) * (odd ? (int16)-1 : (int16)1);
    }
}
static inline float squashed(float v) { return v / (1 + abs(v)); }
export void recurrent(uniform float out[], uniform float x[], uniform float w_in[], uniform float w_state[], uniform int n, uniform int steps) {
    foreach (i = 0 ... n) {
        float state[8], next[8];
        for (uniform int k = 0; k < 8; k++) state[k] = 0;
        for (uniform int t = 0; t < steps; t++) {
            float gate = 0;
            for (uniform int k = 0; k < 4; k++) gate += x[(i * steps + t) * 4 + k];
            cif (gate < -1) continue;
            for (uniform int k = 0; k < 8; k++) {
                float sum = 0;
                for (uniform int j = 0; j < 4; j++) sum += x[(i * steps + t) * 4 + j] * w_in[k * 12 + j * 3];
                for (uniform int j = 0; j < 8; j++) sum += state[j] * w_state[k * 8 + j];
                next[k] = squashed(sum);
            }
            for (uniform int k = 0; k < 8; k++) state[k] = gate > 1 ? next[k] : state[k] * 0.5f + next[k] * 0.5f;
        }
        for (uniform int k = 0; k < 8; k++) out[i * 8 + k] = state[k];
    }
}
export void attention(uniform float weights[], uniform float out[], uniform float q[], uniform float key[], uniform float value[], uniform int n, uniform int d) {
    foreach (i = 0 ... n) {
        float most = -1.0e30f;
        for (uniform int j = 0; j < n; j++) {
            float s = 0;
            for (uniform int k = 0; k < d; k++) s += q[i * d + k] * key[j * d + k];
            if (j > i) s = -1.0e30f;
            weights[i * n + j] = s;
            most = max(most, s);
        }
        float total = 0;
        for (uniform int j = 0; j < n; j++) {
            float s = weights[i * n + j] - most;
            float e = s < -4 ? 0.0f : 1 + s * 0.25f;
            e *= e; e *= e;
            weights[i * n + j] = e;
            total += e;
        }
        for (uniform int k = 0; k < d; k++) {
            float sum = 0;
            for (uniform int j = 0; j < n; j++) sum += weights[i * n + j] / total * value[j * d + k];
            out[i * d + k] = sum;
        }
    }
}
struct Split { uniform int feature, threshold; };
export void forest(uniform int out[], uniform uint8 features[], uniform int given[], uniform int n, uniform int trees) {
    uniform Split splits[465];
    for (uniform int k = 0; k < trees * 31; k++) { splits[k].feature = given[k * 2] % 6; splits[k].threshold = given[k * 2 + 1]; }
    foreach (i = 0 ... n) {
        int votes[4] = { 0, 0, 0, 0 };
        for (uniform int t = 0; t < trees; t++) {
            int node = 0;
            while (node < 31) {
                uniform Split * s = &splits[t * 31 + node];
                node = 2 * node + 1 + (features[i * 6 + s->feature] > s->threshold ? 1 : 0);
            }
            votes[(node - 31) & 3] += 1 + (t & 1);
        }
        int best = 0;
        for (uniform int k = 1; k < 4; k++) if (votes[k] > votes[best]) best = k;
        out[i] = best * 100 + votes[best];
    }
}
export void kmeans(uniform int owner[], uniform int centers[], uniform int16 points[], uniform int n, uniform int k) {
    uniform int64 sums[5][4];
    uniform int counts[5];
    for (uniform int c = 0; c < k * 4; c++) centers[c] = points[c * 7];
    for (uniform int round_ = 0; round_ < 4; round_++) {
        for (uniform int c = 0; c < k; c++) { counts[c] = 0; for (uniform int d = 0; d < 4; d++) sums[c][d] = 0; }
        foreach (i = 0 ... n) {
            int best = 0; int64 least = 1ll << 60;
            for (uniform int c = 0; c < k; c++) {
                int64 distance = 0;
                for (uniform int d = 0; d < 4; d++) { int64 e = points[i * 4 + d] - centers[c * 4 + d]; distance += e * e; }
                if (distance < least) { least = distance; best = c; }
            }
            owner[i] = best;
            for (uniform int d = 0; d < 4; d++) atomic_add_global(&sums[best][d], (int64)points[i * 4 + d]);
            atomic_add_global(&counts[best], best - best + 1);
        }
        for (uniform int c = 0; c < k; c++)
            if (counts[c] > 0)
                for (uniform int d = 0; d < 4; d++) centers[c * 4 + d] = (uniform int)(sums[c][d] / counts[c]);
    }
}
export void quantise(uniform int8 out[], uniform uint8 bins[], uniform float x[], uniform int n) {
    foreach (i = 0 ... n) {
        float v = x[i] * 50;
        int r = (int)round(v);
        int8 q = (int8)clamp(r, -127, 127);
        out[i] = saturating_add(q, (int8)20);
        uint8 b = (uint8)(q + 127);
        b = saturating_sub(b, (uint8)100);
        bins[i] = saturating_mul(b, (uint8)3);
    }
}
