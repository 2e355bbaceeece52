// call: queues: Z(60*3), I(60,1,10**6), 60, 40
// call: machine: Z(50*4), I(50*32,0,256,np.uint8), 50
// call: json: Z(40*4), np.frombuffer(b"".join((b'{"a":[1,22,{"b":-3}],"c":"x\\\\y","d":true,"e":null,"f":[[],[7]]}' if k%3==0 else b'[1,2,[3,[4,[5]]],"qq",{"k":{"z":10}}]' if k%3==1 else b'{"bad":[1,2}').ljust(80,b' ') for k in range(40)),np.uint8).copy(), 40
// call: rpn: Z(64), I(64*12,0,14,np.int8), I(64*4,-20,20), 64
// call: wildcards: Z(80,np.uint8), I(80*12,97,99,np.uint8), I(6*6,0,4,np.uint8), 80
// call: elevators: Z(30*2), I(30*25,0,16,np.uint8), 30, 25
// call: bankers: Z(100), I(100*4,-200,200), 100
// call: collatz: Z(300), Z(300,np.int64), 300
struct Event { int time; int8 kind; int16 who; };
struct Heap { Event events[16]; int count; };
static void push(Heap &h, Event e) {
    if (h.count >= 16) return;
    int at = h.count++;
    while (at > 0) {
        int up = (at - 1) / 2;
        if (h.events[up].time <= e.time) break;
        h.events[at] = h.events[up];
        at = up;
    }
    h.events[at] = e;
}
static bool pop(Heap &h, Event &e) {
    if (h.count == 0) return false;
    e = h.events[0];
    Event last = h.events[--h.count];
    int at = 0;
    while (true) {
        int child = 2 * at + 1;
        if (child >= h.count) break;
        if (child + 1 < h.count && h.events[child + 1].time < h.events[child].time) child++;
        if (last.time <= h.events[child].time) break;
        h.events[at] = h.events[child];
        at = child;
    }
    h.events[at] = last;
    return true;
}
static inline uint32 next_random(uint32 &state) { state = state * 1664525u + 1013904223u; return state >> 8; }
export void queues(uniform int out[], uniform int seeds[], uniform int n, uniform int steps) {
    foreach (i = 0 ... n) {
        Heap heap;
        heap.count = 0;
        uint32 state = seeds[i];
        int waiting = 0, served = 0, busy_until = 0;
        for (uniform int k = 0; k < 3; k++) {
            Event e;
            e.time = (int)(next_random(state) % 20); e.kind = (int8)k; e.who = (int16)k;
            push(heap, e);
        }
        Event e;
        for (uniform int k = 0; k < steps; k++) {
            if (!pop(heap, e)) break;
            switch (e.kind) {
            case 0: case 1: {
                waiting++;
                Event arrival = e;
                arrival.time += 1 + (int)(next_random(state) % 15);
                arrival.who++;
                push(heap, arrival);
                if (e.time >= busy_until) {
                    Event done;
                    done.time = e.time + 3 + e.kind * 2; done.kind = 2; done.who = e.who;
                    busy_until = done.time;
                    push(heap, done);
                }
                break;
            }
            case 2:
                if (waiting > 0) { waiting--; served += e.who; }
                if (waiting > 2) { e.time += 2; push(heap, e); }
            default:
                served ^= 1;
            }
        }
        out[i * 3] = heap.count > 0 ? heap.events[0].time : -1;
        out[i * 3 + 1] = waiting * 100 + heap.count;
        out[i * 3 + 2] = served;
    }
}
enum Op { NOP, LOAD, ADD, SUB, MUL, JUMP, JZERO, SWAP, DUP, HALT };
export void machine(uniform int out[], uniform uint8 code[], uniform int n) {
    foreach (i = 0 ... n) {
        int stack[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
        int top = 3, pc = 0, steps = 0;
        bool running = true;
        cwhile (running && steps < 60) {
            uint8 word = code[i * 32 + (pc & 31)];
            pc++;
            steps++;
            Op op = (Op)(int)(word % 10);
            int operand = word >> 4;
            switch (op) {
            case LOAD: top = (top + 1) & 7; stack[top] = operand; break;
            case ADD: { int b = stack[top]; top = (top + 7) & 7; stack[top] += b; break; }
            case SUB: { int b = stack[top]; top = (top + 7) & 7; stack[top] -= b; break; }
            case MUL: stack[top] = (stack[top] & 0xFFF) * operand; break;
            case JUMP: pc += operand; break;
            case JZERO: if ((stack[top] & 3) != 0) break; pc -= operand; if (pc < 0) pc += 32; break;
            case SWAP: { int other = (top + 7) & 7; int t = stack[top]; stack[top] = stack[other]; stack[other] = t; } break;
            case DUP: { int v = stack[top]; top = (top + 1) & 7; stack[top] = v; break; }
            case HALT: if (steps > 20) running = false;
            default: stack[(top + 3) & 7] ^= 1;
            }
        }
        out[i * 4] = stack[top]; out[i * 4 + 1] = top * 100 + steps; out[i * 4 + 2] = stack[0] + stack[7]; out[i * 4 + 3] = pc;
    }
}
struct Parser { uniform uint8 * at; int depth, deepest, numbers, sum; bool bad; };
static inline void blanks(Parser &p) { while (*p.at == 32) p.at++; }
static void parse_text(Parser &p) {
    p.at++;
    while (*p.at != 34) {
        if (*p.at == 92) p.at++;
        p.at++;
    }
    p.at++;
}
static void parse_number(Parser &p) {
    int sign = 1, v = 0;
    if (*p.at == 45) { sign = -1; p.at++; }
    if (*p.at < 48 || *p.at > 57) { p.bad = true; return; }
    while (*p.at >= 48 && *p.at <= 57) { v = v * 10 + (*p.at - 48); p.at++; }
    p.numbers++;
    p.sum += sign * v;
}
static void parse_value(Parser &p);
static void parse_list(Parser &p, uint8 close, bool keyed) {
    p.at++;
    p.depth++;
    p.deepest = max(p.deepest, p.depth);
    blanks(p);
    if (*p.at == close) { p.at++; p.depth--; return; }
    while (!p.bad) {
        blanks(p);
        if (keyed) {
            if (*p.at != 34) { p.bad = true; return; }
            parse_text(p);
            if (*p.at != 58) { p.bad = true; return; }
            p.at++;
        }
        parse_value(p);
        blanks(p);
        if (*p.at == 44) { p.at++; continue; }
        if (*p.at == close) { p.at++; p.depth--; return; }
        p.bad = true;
    }
}
static void parse_value(Parser &p) {
    uint8 c = *p.at;
    if (c == 123) parse_list(p, 125, true);
    else if (c == 91) parse_list(p, 93, false);
    else if (c == 34) parse_text(p);
    else if (c == 116 || c == 110) p.at += 4;
    else if (c == 102) p.at += 5;
    else parse_number(p);
}
export void json(uniform int out[], uniform uint8 text[], uniform int n) {
    foreach (i = 0 ... n) {
        Parser p;
        p.at = &text[i * 80]; p.depth = 0; p.deepest = 0; p.numbers = 0; p.sum = 0; p.bad = false;
        parse_value(p);
        out[i * 4] = p.bad ? -1 : (int)(p.at - &text[i * 80]);
        out[i * 4 + 1] = p.deepest; out[i * 4 + 2] = p.numbers; out[i * 4 + 3] = p.sum;
    }
}
typedef int (*Binary)(int, int);
static int add_(int a, int b) { return a + b; }
static int sub_(int a, int b) { return a - b; }
static int mul_(int a, int b) { return (a & 0xFFF) * (b & 0xFFF); }
static int div_(int a, int b) { if (b == 0) return 0; return a / b; }
static int mod_(int a, int b) { return b == 0 ? a : a % (b == 0 ? 1 : b); }
static int most_(int a, int b) { return max(a, b); }
static Binary operator_of(int k) {
    switch (k) { case 0: return add_; case 1: return sub_; case 2: return mul_; case 3: return div_; case 4: return mod_; }
    return most_;
}
export void rpn(uniform int out[], uniform int8 tokens[], uniform int values[], uniform int n) {
    foreach (i = 0 ... n) {
        int stack[13]; int count = 0;
        for (uniform int k = 0; k < 12; k++) {
            int8 t = tokens[i * 12 + k];
            if (t < 8 || count < 2) { stack[count] = values[i * 4 + (t & 3)] + (t >> 2); count++; }
            else { Binary f = operator_of(t - 8); stack[count - 2] = f(stack[count - 2], stack[count - 1]); count--; }
        }
        int result = 0;
        for (int k = 0; k < count; k++) result = result * 31 + stack[k];
        out[i] = result;
    }
}
static bool fits(uniform uint8 pattern[], uniform int at, uniform uint8 * text, int k) {
    if (at == 6) return k == 12;
    if (pattern[at] == 0) {
        for (int j = k; j <= 12; j++) if (fits(pattern, at + 1, text, j)) return true;
        return false;
    }
    if (k >= 12) return false;
    if (pattern[at] == 1) return fits(pattern, at + 1, text, k + 1);
    return text[k] == 95 + pattern[at] && fits(pattern, at + 1, text, k + 1);
}
export void wildcards(uniform uint8 out[], uniform uint8 words[], uniform uint8 patterns[], uniform int n) {
    foreach (i = 0 ... n) {
        uint8 set = 0;
        for (uniform int p = 0; p < 6; p++) if (fits(&patterns[p * 6], 0, &words[i * 12], 0)) set |= (uint8)(1 << p);
        out[i] = set;
    }
}
export void elevators(uniform int out[], uniform uint8 calls[], uniform int n, uniform int count) {
    foreach (i = 0 ... n) {
        bool lit[16] = { false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false };
        int floor_ = 0, way = 1, moved = 0, stops = 0, next = 0;
        do {
            if (next < count && moved % 3 == 0) { lit[calls[i * count + next]] = true; next++; }
            if (lit[floor_]) { lit[floor_] = false; stops++; }
            bool above = false, below = false;
            for (int k = 0; k < 16; k++) { if (!lit[k]) continue; if (k > floor_) above = true; else below = true; }
            if (!above && !below && next >= count) break;
            if (way > 0 && !above) way = below ? -1 : 0;
            else if (way < 0 && !below) way = above ? 1 : 0;
            else if (way == 0) way = above ? 1 : below ? -1 : 0;
            floor_ += way;
            moved++;
        } while (moved < 500);
        out[i * 2] = moved; out[i * 2 + 1] = stops * 100 + floor_;
    }
}
export void bankers(uniform int out[], uniform int amounts[], uniform int n) {
    foreach (i = 0 ... n) {
        int owed[4]; int order = 0, moves = 0;
        for (uniform int k = 0; k < 4; k++) owed[k] = amounts[i * 4 + k];
        owed[3] = -(owed[0] + owed[1] + owed[2]);
        while (true) {
            int most = 0, least = 0;
            for (uniform int k = 1; k < 4; k++) { if (owed[k] > owed[most]) most = k; if (owed[k] < owed[least]) least = k; }
            if (owed[most] == 0 || moves > 10) break;
            int pays = min(owed[most], -owed[least]);
            owed[most] -= pays; owed[least] += pays;
            order = order * 16 + most * 4 + least;
            moves++;
        }
        out[i] = order * 16 + moves;
    }
}
export void collatz(uniform int lengths[], uniform int64 peaks[], uniform int n) {
    foreach (i = 0 ... n) {
        int64 v = i + 1; int64 peak = v;
        int length = 0;
        while (v != 1) {
            if (v & 1) v = v * 3 + 1; else v /= 2;
            if (v > peak) peak = v;
            ++length;
        }
        lengths[i] = length; peaks[i] = peak;
    }
}
