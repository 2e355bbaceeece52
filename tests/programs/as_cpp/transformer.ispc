// call: forward: D(8*50), I(8,0,50), I(4096*4,-127,128,np.int8), F(2048,0.001,0.02), F(400,0.5,1.5), 8, 1
// call: forward: D(5*50), I(5,0,50), I(4096*4,-127,128,np.int8), F(2048,0.001,0.02), F(400,0.5,1.5), 5, 0
// call: quantise_rows: Z(13*64,np.int8), Z(13*2,np.float32), F(13*64,-4,4), 13
// call: unpack4: Z(40*32,np.float32), I(40*16,0,256,np.uint8), F(40*2,-1,1), 40
// call: merge_pairs: Z(60), Z(1), I(60,0,6), I(20*3,0,10), 60, 20
// call: beams: Z(4*10), D(4), F(10*12,-3,3), 10, 12
// call: halves: Z(300,np.uint16), Z(300,np.float32), F(300,-70000,70000), 300
// call: layer_norm_grad: D(7*24), D(24*2), F(7*24,-2,2), F(7*24,-1,1), F(24,0.5,1.5), 7
// tolerance: 1e-5
static const uniform int DIM = 32;
static const uniform int HEADS = 4;
static const uniform int HEAD = DIM / HEADS;
static const uniform int HIDDEN = 64;
static const uniform int VOCABULARY = 50;
static const uniform int LONGEST = 8;
static const uniform int BLOCKSIZE = 16;
struct Matrix { uniform int8 * q; uniform float * scale; int rows, columns; };
struct Layer { Matrix wq, wk, wv, wo, up, gate, down; uniform float * norm1; uniform float * norm2; };
struct Model { Matrix embed; Layer layers[2]; uniform float * last; int count; };
struct State { double x[DIM]; double h[DIM], q[DIM], k[DIM], v[DIM], o[DIM], a[HIDDEN], b[HIDDEN]; };
struct Cache { double k[2][LONGEST][DIM], v[2][LONGEST][DIM]; };

typedef uniform int8 * uniform Bytes;
typedef uniform float * uniform Scales;
static uniform Matrix take(Bytes &q, Scales &s, uniform int rows, uniform int columns) {
    uniform Matrix m;
    m.q = q;
    m.scale = s;
    m.rows = rows;
    m.columns = columns;
    q = q + rows * columns;
    s += rows * (columns / BLOCKSIZE);
    return m;
}

static inline double weight(const uniform Matrix &m, int row, int column) {
    int at = row * m.columns + column;
    return (double)(m.q[at] * m.scale[at / BLOCKSIZE]);
}

static void multiply(uniform double out[], const uniform Matrix &m, uniform double in_[]) {
    foreach (r = 0 ... m.rows) {
        double sum = 0;
        for (uniform int b = 0; b < m.columns; b += BLOCKSIZE) {
            double part = 0;
            for (uniform int c = 0; c < BLOCKSIZE; c++) part += in_[b + c] * (int)m.q[r * m.columns + b + c];
            sum += part * m.scale[(r * m.columns + b) / BLOCKSIZE];
        }
        out[r] = sum;
    }
}

static void rms_norm(uniform double out[], uniform double x[], uniform float g[], uniform int n) {
    uniform double squares = 0;
    for (uniform int k = 0; k < n; k++) squares += x[k] * x[k];
    uniform double scale = 1 / sqrt(squares / n + 0.00001);
    foreach (k = 0 ... n) out[k] = x[k] * scale * g[k];
}

// Angles by a recurrence of rotations, so that nothing but products is rounded.
static void rope(uniform double v[], uniform int position) {
    foreach (p = 0 ... DIM / 2) {
        int pair = p % (HEAD / 2);
        double c = 0.8, s = 0.6;
        for (int k = 0; k < pair; k++) { double r = sqrt((1 + c) * 0.5); s = s / (2 * r); c = r; }
        double x = 1, y = 0;
        for (uniform int k = 0; k < position; k++) { double t = x * c - y * s; y = x * s + y * c; x = t; }
        double a = v[2 * p], b = v[2 * p + 1];
        v[2 * p] = a * x - b * y;
        v[2 * p + 1] = a * y + b * x;
    }
}

// e to the x by a series, for both languages alike.
static double power_of_e(double x) {
    if (x < -30) return 0;
    int halvings = 0;
    while (abs(x) > 0.5) { x = x * 0.5; halvings++; }
    double sum = 1, term = 1;
    for (uniform int k = 1; k < 14; k++) {
        term = term * x / k;
        sum += term;
    }
    for (int k = 0; k < halvings; k++) sum = sum * sum;
    return sum;
}

static void attend(uniform State &s, uniform Cache &c, uniform int layer, uniform int position, uniform bool causal, uniform int length) {
    foreach (h = 0 ... HEADS) {
        double scores[LONGEST];
        double most = -1e30, sum = 0;
        int upto = causal ? position + 1 : length;
        for (int t = 0; t < upto; t++) {
            double dot = 0;
            for (uniform int d = 0; d < HEAD; d++) dot += s.q[h * HEAD + d] * c.k[layer][t][h * HEAD + d];
            scores[t] = dot * 0.25;
            most = max(most, scores[t]);
        }
        for (int t = 0; t < upto; t++) { scores[t] = power_of_e(scores[t] - most); sum += scores[t]; }
        for (uniform int d = 0; d < HEAD; d++) {
            double mixed = 0;
            for (int t = 0; t < upto; t++) {
                if (scores[t] == 0) continue;
                mixed += scores[t] / sum * c.v[layer][t][h * HEAD + d];
            }
            s.o[h * HEAD + d] = mixed;
        }
    }
}

static inline double swish(double x) { return x / (1 + power_of_e(-x)); }

static void add(uniform double x[], uniform double y[], uniform int n) { foreach (k = 0 ... n) x[k] += y[k]; }

export void forward(uniform double logits[], uniform int tokens[], uniform int8 weights[], uniform float scales[], uniform float norms[], uniform int length, uniform int causal) {
    uniform Model m;
    uniform int8 * uniform q = weights;
    uniform float * uniform s = scales;
    m.count = 1;
    m.embed = take(q, s, VOCABULARY, DIM);
    for (uniform int l = 0; l < m.count; l++) {
        uniform Layer * uniform layer = &m.layers[l];
        layer->wq = take(q, s, DIM, DIM);
        layer->wk = take(q, s, DIM, DIM);
        layer->wv = take(q, s, DIM, DIM);
        layer->wo = take(q, s, DIM, DIM);
        layer->up = take(q, s, HIDDEN, DIM);
        layer->gate = take(q, s, HIDDEN, DIM);
        layer->down = take(q, s, DIM, HIDDEN);
        layer->norm1 = norms + l * DIM;
        layer->norm2 = norms + 4 * DIM + l * DIM;
    }
    m.last = &norms[8 * DIM];
    uniform Cache cache;
    uniform State states[LONGEST];
    for (uniform int t = 0; t < length; t++) {
        uniform int token = tokens[t];
        foreach (k = 0 ... DIM) states[t].x[k] = weight(m.embed, token, k);
    }
    for (uniform int l = 0; l < m.count; l++) {
        for (uniform int t = 0; t < length; t++) {
            uniform State &st = states[t];
            rms_norm(st.h, st.x, m.layers[l].norm1, DIM);
            multiply(st.q, m.layers[l].wq, st.h);
            multiply(cache.k[l][t], m.layers[l].wk, st.h);
            multiply(cache.v[l][t], m.layers[l].wv, st.h);
            rope(st.q, t);
            rope(cache.k[l][t], t);
        }
        for (uniform int t = 0; t < length; t++) {
            uniform State &st = states[t];
            attend(st, cache, l, t, causal != 0, length);
            multiply(st.h, m.layers[l].wo, st.o);
            add(st.x, st.h, DIM);
            rms_norm(st.h, st.x, m.layers[l].norm2, DIM);
            multiply(st.a, m.layers[l].up, st.h);
            multiply(st.b, m.layers[l].gate, st.h);
            foreach (k = 0 ... HIDDEN) st.a[k] = st.a[k] * swish(st.b[k]);
            multiply(st.h, m.layers[l].down, st.a);
            add(st.x, st.h, DIM);
        }
    }
    for (uniform int t = 0; t < length; t++) {
        rms_norm(states[t].h, states[t].x, m.last, DIM);
        multiply(logits + t * VOCABULARY, m.embed, states[t].h);
    }
}

export void quantise_rows(uniform int8 out[], uniform float ends[], uniform float in_[], uniform int rows) {
    foreach (r = 0 ... rows) {
        float low = in_[r * 64];
        float high = low;
        for (uniform int k = 1; k < 64; k++) {
            float v = in_[r * 64 + k];
            if (v < low) low = v;
            else if (v > high) high = v;
        }
        float step = (high - low) / 255;
        ends[2 * r] = low;
        ends[2 * r + 1] = step;
        for (uniform int k = 0; k < 64; k++) {
            int q = step > 0 ? (int)((in_[r * 64 + k] - low) / step + 0.5f) : 0;
            out[r * 64 + k] = (int8)(q - 128);
        }
    }
}

export void unpack4(uniform float out[], uniform uint8 nibbles[], uniform float scales[], uniform int blocks) {
    foreach (b = 0 ... blocks, k = 0 ... 16) {
        uint8 both = nibbles[b * 16 + k];
        int low = both & 15, high = both >> 4;
        out[b * 32 + k] = (low - 8) * scales[2 * b] + scales[2 * b + 1];
        out[b * 32 + k + 16] = (high - 8) * scales[2 * b] + scales[2 * b + 1];
    }
}

// Byte pair merges: the rule that comes first, at its leftmost place, until none fits.
export void merge_pairs(uniform int out[], uniform int count[], uniform int text[], uniform int rules[], uniform int n, uniform int nrules) {
    uniform int length = n;
    for (uniform int k = 0; k < n; k++) out[k] = text[k];
    for (;;) {
        uniform int best = nrules, where = -1;
        for (uniform int k = 0; k + 1 < length; k++)
            for (uniform int r = 0; r < best; r++)
                if (out[k] == rules[3 * r] && out[k + 1] == rules[3 * r + 1] && rules[3 * r + 2] >= 6) { best = r; where = k; goto next; }
    next:
        if (where < 0) break;
        out[where] = rules[3 * best + 2] + 1000 * best;
        for (uniform int k = where + 1; k + 1 < length; k++) out[k] = out[k + 1];
        out[--length] = 0;
    }
    count[0] = length;
}

export void beams(uniform int paths[], uniform double scores[], uniform float logits[], uniform int steps, uniform int words) {
    uniform double score[4], next_score[4];
    uniform int from[4], word[4];
    uniform int history[4][16];
    for (uniform int b = 0; b < 4; b++) score[b] = b == 0 ? 0.0 : -1000.0;
    for (uniform int t = 0; t < steps; t++) {
        for (uniform int k = 0; k < 4; k++) next_score[k] = -1e30;
        for (uniform int b = 0; b < 4; b++)
            for (uniform int w = 0; w < words; w++) {
                uniform double total = score[b] + logits[t * words + (w + b * t) % words];
                uniform int slot = 4;
                while (slot > 0 && total > next_score[slot - 1]) slot--;
                if (slot == 4) continue;
                for (uniform int k = 3; k > slot; k--) { next_score[k] = next_score[k - 1]; from[k] = from[k - 1]; word[k] = word[k - 1]; }
                next_score[slot] = total;
                from[slot] = b;
                word[slot] = w;
            }
        uniform int old[4][16];
        for (uniform int b = 0; b < 4; b++)
            for (uniform int k = 0; k < t; k++) old[b][k] = history[b][k];
        for (uniform int b = 0; b < 4; b++) {
            for (uniform int k = 0; k < t; k++) history[b][k] = old[from[b]][k];
            history[b][t] = word[b];
            score[b] = next_score[b];
        }
    }
    foreach (b = 0 ... 4, k = 0 ... 10) paths[b * 10 + k] = history[b][k];
    for (uniform int b = 0; b < 4; b++) scores[b] = score[b];
}

// Half precision by hand: round to nearest even, denormals, infinity.
static uint16 pack_half(uint32 bits) {
    uint32 sign = (bits >> 16) & 0x8000;
    int exponent = (int)((bits >> 23) & 0xff) - 112;
    uint32 mantissa = bits & 0x7fffff;
    if (exponent >= 31) return (uint16)(sign | 0x7c00);
    if (exponent <= 0) {
        if (exponent < -10) return (uint16)sign;
        mantissa |= 0x800000;
        int shift = 14 - exponent;
        uint32 half = mantissa >> shift, rest = mantissa & (((uint32)1 << shift) - 1), middle = (uint32)1 << (shift - 1);
        if (rest > middle || (rest == middle && (half & 1) != 0)) half++;
        return (uint16)(sign | half);
    }
    uint32 packed = (uint32)exponent << 10 | mantissa >> 13, rest = mantissa & 0x1fff;
    if (rest > 0x1000 || (rest == 0x1000 && (packed & 1) != 0)) packed++;
    return (uint16)(sign | packed);
}
export void halves(uniform uint16 out[], uniform float back[], uniform float in_[], uniform int n) {
    uniform uint32 * uniform bits = (uniform uint32 * uniform)in_;
    foreach (k = 0 ... n) {
        uint16 h = pack_half(k % 5 == 4 ? bits[k] - ((uint32)(k % 28) << 23) : bits[k]);
        out[k] = h;
        int e = (h >> 10) & 31, m = h & 1023;
        float v = m;
        if (e == 0) v = v * (1.0f / 16777216);
        else {
            v = (v + 1024) * (1.0f / 1024);
            int steps = e - 15;
            while (steps > 0) { v = v * 2; steps--; }
            while (steps < 0) { v = v * 0.5f; steps++; }
        }
        back[k] = (h & 0x8000) != 0 ? -v : v;
    }
}

export void layer_norm_grad(uniform double dx[], uniform double dgamma[], uniform float x[], uniform float dy[], uniform float gamma[], uniform int rows) {
    foreach (c = 0 ... 24) { dgamma[2 * c] = 0; dgamma[2 * c + 1] = 0; }
    for (uniform int r = 0; r < rows; r++) {
        uniform double mean = 0, variance = 0;
        for (uniform int c = 0; c < 24; c++) mean += x[r * 24 + c];
        mean = mean / 24;
        for (uniform int c = 0; c < 24; c++) { uniform double d = x[r * 24 + c] - mean; variance += d * d; }
        uniform double inverse = 1 / sqrt(variance / 24 + 0.001);
        uniform double a = 0, b = 0;
        for (uniform int c = 0; c < 24; c++) {
            uniform double g = (uniform double)dy[r * 24 + c] * gamma[c];
            a += g;
            b += g * ((x[r * 24 + c] - mean) * inverse);
        }
        foreach (c = 0 ... 24) {
            double n = (x[r * 24 + c] - mean) * inverse, g = (double)dy[r * 24 + c] * gamma[c];
            dx[r * 24 + c] = inverse * (g - a / 24 - n * (b / 24));
            dgamma[2 * c] += dy[r * 24 + c] * n;
            dgamma[2 * c + 1] += dy[r * 24 + c];
        }
    }
}
