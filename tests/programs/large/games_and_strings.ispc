// claim: chess positions, cellular automata, alignments of sequences, patterns, UTF-8 and numbers in text are counted as in Python
// where:
//   import re
//   def lev(a, b):
//       d = list(range(len(b) + 1))
//       for i_, x in enumerate(a):
//           p, d[0] = d[0], i_ + 1
//           for j, y in enumerate(b): p, d[j + 1] = d[j + 1], min(d[j + 1] + 1, d[j] + 1, p + (x != y))
//       return d[-1]
//   def sw(a, b):
//       best = 0; H = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
//       for x in range(1, len(a) + 1):
//           for y in range(1, len(b) + 1):
//               H[x][y] = max(0, H[x-1][y-1] + (3 if a[x-1] == b[y-1] else -3), H[x-1][y] - 2, H[x][y-1] - 2); best = max(best, H[x][y])
//       return best
//   def lcs(a, b):
//       L = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
//       for x in range(len(a)):
//           for y in range(len(b)): L[x+1][y+1] = L[x][y] + 1 if a[x] == b[y] else max(L[x][y+1], L[x+1][y])
//       return L[-1][-1]
//   seqs = [bytes(65 + (j * j * (k + 3) + k * j) % 5 for j in range(k % 13 + 4)) for k in range(32)]
//   ref = bytes(65 + (j * 7 + j * j) % 5 for j in range(14))
//   text = "a1 été 42 naïve −7 ½ 日本語 x99y 0x1F 🙂🙃 3.25e2 end".encode()
//   words = [b"a", b"ab", b"aab", b"abab", b"abbb", b"aaabbb", b"", b"abc", b"aabbc", b"xabx", b"aaaa", b"abcb", b"cab", b"bbbb", b"acb", b"axb"]
//   patterns = [rb"a*b", rb"a.b", rb".*b", rb"a*b*", rb"ab*c?", rb"..*x"]
//   hits = [sum(1 << p for p, pat in enumerate(patterns) if re.fullmatch(pat, w)) for w in words]
//   life = np.zeros((32, 32), int)
//   for r in range(32):
//       for c in range(32): life[r, c] = (r * 7 + c * 13 + r * c) % 5 < 2
//   for _ in range(9):
//       nb = sum(np.roll(np.roll(life, a, 0), b, 1) for a in (-1, 0, 1) for b in (-1, 0, 1)) - life
//       life = ((nb == 3) | ((nb == 2) & (life == 1))).astype(int)
//   numbers = [0, 7, -13, 65535, -2147483648, 2147483647, 99, -1]
//   def paths(steps, way):
//       if steps == 0: return 1
//       x, y = way[-1]
//       ends = [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
//       return sum(paths(steps - 1, way + [e]) for e in ends if e not in way and 0 <= min(e) and max(e) < 8)
//   rule = [0] * 64; rule[32] = 1; marks = []
//   for g in range(16):
//       marks.append(sum(rule)); rule = [30 >> (4 * rule[(x - 1) % 64] + 2 * rule[x] + rule[(x + 1) % 64]) & 1 for x in range(64)]
// expect: [20, 400, 8902, 14, 191, 2812, 11, 12], [lev(s, ref) for s in seqs], [sw(s, ref) for s in seqs], [lcs(s, ref) for s in seqs], [len(text), len(text.decode()), max(map(ord, text.decode())), sum(map(ord, text.decode()))], hits, life.sum(1), numbers, [len(str(v)) for v in numbers], [paths(k, [(1, 0)]) for k in range(8)], marks, [42, 99, 7], [1, 2, 2, 3, 5]
typedef unsigned int64 bits;

// --- chess: positions on 64-bit boards, a varying position for each lane -----------------------------------

enum Piece { PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING, PIECES };
enum Side { WHITE, BLACK };

struct Position {
    bits piece[PIECES];
    bits color[2];
    Side side;
    int8 en_passant;
};

struct Move { int8 from, to; Piece piece, promotion; };

#define BIT(square) (1ull << (square))
#define FILE_A 0x0101010101010101ull
#define FILE_H 0x8080808080808080ull
#define EACH_BIT(set, at) for (bits _##at = (set); _##at != 0; _##at &= _##at - 1)

static uniform bits knight_targets[64], king_targets[64];
static const uniform int8 ray_steps[8] = { 9, 7, -7, -9, 8, -8, 1, -1 };

template <typename T> inline T shifted(T b, uniform int by) { return by >= 0 ? b << by : b >> -by; }

static inline bits step_bits(bits b, uniform int step) {
    uniform int file = ((step + 68) & 7) - 4;
    if (file == 1) b &= ~FILE_H;
    else if (file == -1) b &= ~FILE_A;
    return shifted(b, step);
}

static void init_targets() {
    const uniform int jumps[8][2] = { { 1, 2 }, { 2, 1 }, { -1, 2 }, { -2, 1 }, { 1, -2 }, { 2, -1 }, { -1, -2 }, { -2, -1 } };
    foreach_tiled (rank = 0 ... 8, file = 0 ... 8) {
        int square = rank * 8 + file;
        bits knight = 0, king = 0;
        for (uniform int j = 0; j < 8; ++j) {
            int r = rank + jumps[j][0], f = file + jumps[j][1];
            if ((r | f) >= 0 && r < 8 && f < 8) knight |= BIT((int64)(r * 8 + f));
            king |= step_bits(BIT((int64)square), ray_steps[j]);
        }
        knight_targets[square] = knight;
        king_targets[square] = king;
    }
}

static bits rays(int from, bits occupied, uniform int first, uniform int last) {
    bits result = 0;
    for (uniform int d = first; d < last; ++d) {
        bits at = step_bits(BIT((int64)from), ray_steps[d]);
        while (at != 0) {
            result |= at;
            if (at & occupied) break;
            at = step_bits(at, ray_steps[d]);
        }
    }
    return result;
}

static inline bits pawn_attacks(bits pawns, Side side) {
    return side == WHITE ? step_bits(pawns, 9) | step_bits(pawns, 7) : step_bits(pawns, -7) | step_bits(pawns, -9);
}

static inline Side other(Side s) { return s == WHITE ? BLACK : WHITE; }

static bool attacked(const Position &p, int square, Side by) {
    bits theirs = p.color[by], all_pieces = p.color[WHITE] | p.color[BLACK];
    if (pawn_attacks(BIT((int64)square), other(by)) & theirs & p.piece[PAWN]) return true;
    if (knight_targets[square] & theirs & p.piece[KNIGHT]) return true;
    if (king_targets[square] & theirs & p.piece[KING]) return true;
    cif (rays(square, all_pieces, 0, 4) & theirs & (p.piece[BISHOP] | p.piece[QUEEN])) return true;
    return (rays(square, all_pieces, 4, 8) & theirs & (p.piece[ROOK] | p.piece[QUEEN])) != 0;
}

static bits targets_of(const Position &p, Piece piece, int from) {
    bits all_pieces = p.color[WHITE] | p.color[BLACK], mine = p.color[p.side];
    bits result = 0;
    switch (piece) {
    case PAWN: {
        bits at = BIT((int64)from), free = ~all_pieces;
        bits one = (p.side == WHITE ? at << 8 : at >> 8) & free;
        result = one;
        if (p.side == WHITE && (from >> 3) == 1) result |= (one << 8) & free;
        else if (p.side == BLACK && (from >> 3) == 6) result |= (one >> 8) & free;
        bits victims = p.color[other(p.side)];
        if (p.en_passant >= 0) victims |= BIT((int64)p.en_passant);
        return result | (pawn_attacks(at, p.side) & victims);
    }
    case KNIGHT: result = knight_targets[from]; break;
    case QUEEN: result = rays(from, all_pieces, 4, 8);
    case BISHOP: result |= rays(from, all_pieces, 0, 4); break;
    case ROOK: result = rays(from, all_pieces, 4, 8); break;
    default: result = king_targets[from];
    }
    return result & ~mine;
}

static bool make_move(Position &p, const Move m) {
    bits from = BIT((int64)m.from), to = BIT((int64)m.to);
    Side us = p.side, them = other(p.side);
    bits captured = to;
    if (m.piece == PAWN && m.to == p.en_passant) captured = us == WHITE ? to >> 8 : to << 8;
    for (uniform int k = 0; k < PIECES; ++k) p.piece[k] &= ~captured;
    p.color[them] &= ~captured;
    p.color[us] = (p.color[us] & ~from) | to;
    p.piece[m.piece] = (p.piece[m.piece] & ~from) | (m.promotion == PAWN ? to : 0);
    if (m.promotion != PAWN) p.piece[m.promotion] |= to;
    p.en_passant = m.piece == PAWN && abs((int)m.to - m.from) == 16 ? (int8)((m.to + m.from) / 2) : (int8)-1;
    p.side = them;
    int king = (int)count_trailing_zeros((int64)(p.piece[KING] & p.color[us]));
    return !attacked(p, king, them);
}

static int perft(Position p, int depth) {
    if (depth == 0) return 1;
    int count = 0;
    for (uniform int piece = PAWN; piece < PIECES; ++piece)
        EACH_BIT(p.piece[piece] & p.color[p.side], from) {
            int from = (int)count_trailing_zeros((int64)_from);
            EACH_BIT(targets_of(p, (uniform Piece)piece, from), to) {
                Move m;
                m.from = (int8)from;
                m.to = (int8)count_trailing_zeros((int64)_to);
                m.piece = (uniform Piece)piece;
                m.promotion = PAWN;
                if (piece != PAWN) m.promotion = (uniform Piece)piece;
                else if (m.to >= 56 || m.to < 8) {
                    for (uniform int into = KNIGHT; into < KING; ++into) {
                        Position q = p;
                        m.promotion = (uniform Piece)into;
                        if (make_move(q, m)) count += perft(q, depth - 1);
                    }
                    continue;
                }
                Position q = p;
                if (make_move(q, m)) count += perft(q, depth - 1);
            }
        }
    return count;
}

// Squares from a1; white pieces in upper case, the codes of ASCII.
static uniform Position parse(const uniform int8 board[64]) {
    uniform Position p;
    for (uniform int k = 0; k < PIECES; ++k) p.piece[k] = 0;
    p.color[WHITE] = p.color[BLACK] = 0;
    p.side = WHITE;
    p.en_passant = -1;
    for (uniform int square = 0; square < 64; ++square) {
        uniform int c = board[square];
        if (c == 0) continue;
        uniform Side side = c > 96 ? BLACK : WHITE;
        uniform Piece piece;
        switch (c | 32) {
        case 112: piece = PAWN; break;
        case 110: piece = KNIGHT; break;
        case 98: piece = BISHOP; break;
        case 114: piece = ROOK; break;
        case 113: piece = QUEEN; break;
        default: piece = KING; break;
        }
        p.piece[piece] |= BIT(square);
        p.color[side] |= BIT(square);
    }
    return p;
}

// --- alignments: a row of the table for each lane ------------------------------------------------------------

#define LONGEST 20
struct Text { uniform int8 * varying at; int length; };

static inline bool same(const Text &a, uniform int x, const uniform int8 * uniform b, uniform int y) { return a.at[x] == b[y]; }

template <int LIMIT> int distance(const Text &a, const uniform int8 b[], uniform int length) {
    int row[LIMIT];
    for (uniform int y = 0; y <= length; ++y) row[y] = y;
    for (uniform int x = 0; x < a.length; ++x) {
        int diagonal = row[0];
        row[0] = x + 1;
        for (uniform int y = 0; y < length; ++y) {
            int substituted = diagonal + (same(a, x, b, y) ? 0 : 1);
            diagonal = row[y + 1];
            row[y + 1] = min(min(row[y + 1] + 1, row[y] + 1), substituted);
        }
    }
    return row[length];
}

static int align_locally(const Text &a, const uniform int8 b[], uniform int length, uniform int match = 3, uniform int gap = 2) {
    int16 table[2][LONGEST];
    int best = 0;
    for (uniform int y = 0; y <= length; ++y) table[0][y] = table[1][y] = 0;
    for (uniform int x = 0; x < a.length; ++x) {
        varying int16 * uniform now = table[0], * uniform before = table[1];
        for (uniform int y = 0; y <= length; ++y) before[y] = now[y];
        for (uniform int y = 0; y < length; ++y) {
            int16 score = saturating_add(before[y], (int16)(same(a, x, b, y) ? match : -match));
            score = max(score, max((int16)(before[y + 1] - gap), (int16)(now[y] - gap)));
            now[y + 1] = max(score, (varying int16)0);
            best = max(best, (int)now[y + 1]);
        }
    }
    return best;
}

// Longest common subsequence by bits: a column of the table in one number.
static int common_subsequence(const Text &a, const uniform int8 b[], uniform int length) {
    unsigned int column = ~0u;
    for (uniform int x = 0; x < a.length; ++x) {
        unsigned int matches = 0;
        for (uniform int y = 0; y < length; ++y) if (same(a, x, b, y)) matches |= 1u << y;
        unsigned int u = column & matches;
        column = (column + u) | (column - u);
    }
    return popcnt((int)(~column & ((1u << length) - 1)));
}

// --- patterns with '.', '*' and '?', matched by recursion ----------------------------------------------------------

static bool matches(const uniform int8 * uniform pattern, uniform int8 * varying text) {
    if (pattern[0] == 0) return *text == 0;
    uniform bool any_letter = pattern[0] == 46;
    if (pattern[1] == 42) {
        if (matches(pattern + 2, text)) return true;
        while (*text != 0 && (any_letter || *text == pattern[0])) {
            ++text;
            if (matches(pattern + 2, text)) return true;
        }
        return false;
    }
    if (pattern[1] == 63) {
        if (matches(pattern + 2, text)) return true;
        return *text == pattern[0] && matches(pattern + 2, text + 1);
    }
    return *text != 0 && (any_letter || *text == pattern[0]) && matches(pattern + 1, text + 1);
}

// --- UTF-8 -------------------------------------------------------------------------------------------------------

struct Utf8 { int characters, highest, sum; };

static uniform Utf8 decode(const uniform uint8 text[], uniform int length) {
    uniform int starts[100];
    uniform Utf8 result = { 0, 0, 0 };
    foreach (k = 0 ... length)
        if ((text[k] & 0xc0) != 0x80)
            result.characters += packed_store_active(&starts[result.characters], k);
    foreach (c = 0 ... result.characters) {
        int at = starts[c];
        unsigned int first = text[at], point;
        int more;
        if (first < 0x80) { point = first; more = 0; }
        else if (first < 0xe0) { point = first & 0x1f; more = 1; }
        else if (first < 0xf0) { point = first & 0xf; more = 2; }
        else { point = first & 7; more = 3; }
        switch (more) {
        case 3: point = point << 6 | (text[++at] & 0x3f);
        case 2: point = point << 6 | (text[++at] & 0x3f);
        case 1: point = point << 6 | (text[++at] & 0x3f);
        }
        result.highest = max(result.highest, reduce_max((int)point));
        result.sum += reduce_add((int)point);
    }
    return result;
}

// Runs of digits, found by comparing with the neighbour; their values by a loop of each lane.
static uniform int find_numbers(const uniform uint8 text[], uniform int length, uniform int values[]) {
    uniform int count = 0;
    foreach (k = 0 ... length) {
        bool digit = text[k] >= 48 && text[k] <= 57;
        bool before = k > 0 && text[k - 1] >= 48 && text[k - 1] <= 57;
        if (digit && !before) {
            int value = 0, at = k;
            do {
                value = value * 10 + text[at] - 48;
                if (++at >= length) break;
            } while (text[at] >= 48 && text[at] <= 57);
            count += packed_store_active(values + count, value);
        }
    }
    return count;
}

static int to_decimal(int v, uniform int8 * varying to) {
    uniform int8 * varying start = to;
    unsigned int u = v < 0 ? -(unsigned int)v : (unsigned int)v;
    int8 digits[10];
    int count = 0;
    do { digits[count++] = (int8)(48 + u % 10); u /= 10; } while (u != 0);
    if (v < 0) *to++ = 45;
    while (count > 0) *to++ = digits[--count];
    *to = 0;
    return (int)(to - start);
}

static int from_decimal(const uniform int8 * varying p) {
    bool negative = *p == 45;
    if (negative) ++p;
    int v = 0;
    for (; *p; ++p) v = (int)((unsigned int)v * 10 + *p - 48);
    return negative ? (int)(0 - (unsigned int)v) : v;
}

// --- automata ---------------------------------------------------------------------------------------------------

static void life(uniform unsigned int rows[32], uniform int generations) {
    for (uniform int g = 0; g < generations; ++g) {
        uniform unsigned int next[32];
        foreach (r = 0 ... 32) {
            unsigned int sum[3][2], total1 = 0, total2 = 0, total4 = 0;
            for (uniform int d = 0; d < 3; ++d) {
                unsigned int row = rows[(r + d - 1) & 31];
                unsigned int left = row << 1 | row >> 31, right = row >> 1 | row << 31, middle = d == 1 ? 0 : row;
                sum[d][0] = left ^ right ^ middle;
                sum[d][1] = (left & right) | (middle & (left ^ right));
            }
            for (uniform int d = 0; d < 3; ++d) {
                unsigned int carry = total1 & sum[d][0];
                total1 ^= sum[d][0];
                unsigned int twos = total2 ^ sum[d][1];
                total4 |= (total2 & sum[d][1]) | (twos & carry);
                total2 = twos ^ carry;
            }
            next[r] = total2 & ~total4 & (total1 | rows[r]);
        }
        memcpy(rows, next, sizeof(next));
    }
}

// Ways of that many steps over the squares of a board that come to none of them twice.
static int paths(int steps, bits seen, unsigned int8 at) {
    if (steps == 0) return 1;
    int count = 0;
    unsigned int sides = (at & 7) < 7 ? 1 : 0;
    if ((at & 7) > 0) sides |= 2;
    if (at < 56) sides |= 4;
    if (at > 7) sides |= 8;
    while (sides) {
        unsigned int side = sides & -sides;
        sides ^= side;
        unsigned int8 next = side == 1 ? at + 1 : side == 2 ? at - 1 : side == 4 ? at + 8 : at - 8;
        bits square = (bits)1 << next;
        if (!(seen & square)) count += paths(steps - 1, seen | square, next);
    }
    return count;
}

static const uniform int8 start_board[64] = {
    82, 78, 66, 81, 75, 66, 78, 82, 80, 80, 80, 80, 80, 80, 80, 80,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    112, 112, 112, 112, 112, 112, 112, 112, 114, 110, 98, 113, 107, 98, 110, 114,
};

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform double * uniform o = out;
    init_targets();
    uniform int8 endgame[64] = { 0 };
    endgame[12] = endgame[14] = endgame[33] = 80;     // e2 g2 b5
    endgame[25] = 82; endgame[32] = 75;               // b4 a5
    endgame[29] = endgame[43] = endgame[50] = 112;    // f4 d6 c7
    endgame[31] = 107; endgame[39] = 114;             // h4 h5
    uniform int8 promotions[64] = { 0 };
    promotions[48] = 80; promotions[12] = 75; promotions[14] = 112; promotions[59] = 107;   // a7 Ke2 g2 kd8
    uniform Position positions[3];
    positions[0] = parse(start_board);
    positions[1] = parse(endgame);
    positions[2] = parse(promotions);
    foreach (k = 0 ... 6) o[k] = perft(positions[k / 3], k % 3 + 1);
    // The king has 8 moves, or 7 beside the pawn on g2; the pawn on a7 becomes one of 4 pieces.
    o[6] = reduce_max(perft(positions[2], 1));
    uniform Position alone = positions[2];
    alone.color[BLACK] ^= BIT(14);
    alone.piece[PAWN] ^= BIT(14);
    o[7] = reduce_min(perft(alone, 1));
    o += 8;

    uniform int8 letters[32][LONGEST], reference[14];
    foreach (k = 0 ... 32, j = 0 ... LONGEST) letters[k][j] = j < k % 13 + 4 ? (int8)(65 + (j * j * (k + 3) + k * j) % 5) : (int8)0;
    foreach (j = 0 ... 14) reference[j] = 65 + (j * 7 + j * j) % 5;
    foreach (k = 0 ... 32) {
        Text t = { &letters[k][0], k % 13 + 4 };
        o[k] = distance<LONGEST>(t, reference, 14);
        o[32 + k] = align_locally(t, reference, 14);
        o[64 + k] = common_subsequence(t, reference, 14);
    }
    o += 96;

    const uniform uint8 text[] = {
        97, 49, 32, 195, 169, 116, 195, 169, 32, 52, 50, 32, 110, 97, 195, 175, 118, 101, 32, 226, 136, 146, 55, 32, 194, 189, 32,
        230, 151, 165, 230, 156, 172, 232, 170, 158, 32, 120, 57, 57, 121, 32, 48, 120, 49, 70, 32, 240, 159, 153, 130, 240, 159,
        153, 131, 32, 51, 46, 50, 53, 101, 50, 32, 101, 110, 100,
    };
    uniform Utf8 decoded = decode(text, sizeof(text));
    o[0] = sizeof(text); o[1] = decoded.characters; o[2] = decoded.highest; o[3] = decoded.sum;
    o += 4;

    const uniform int8 words[16][8] = {
        { 97 }, { 97, 98 }, { 97, 97, 98 }, { 97, 98, 97, 98 }, { 97, 98, 98, 98 }, { 97, 97, 97, 98, 98, 98 }, { 0 }, { 97, 98, 99 },
        { 97, 97, 98, 98, 99 }, { 120, 97, 98, 120 }, { 97, 97, 97, 97 }, { 97, 98, 99, 98 }, { 99, 97, 98 }, { 98, 98, 98, 98 },
        { 97, 99, 98 }, { 97, 120, 98 },
    };
    const uniform int8 patterns[6][8] = {
        { 97, 42, 98 }, { 97, 46, 98 }, { 46, 42, 98 }, { 97, 42, 98, 42 }, { 97, 98, 42, 99, 63 }, { 46, 46, 42, 120 },
    };
    foreach (k = 0 ... 16) {
        int found = 0;
        for (uniform int p = 0; p < 6; ++p)
            if (matches(patterns[p], (uniform int8 * varying)&words[k][0])) found |= 1 << p;
        o[k] = found;
    }
    o += 16;

    uniform unsigned int world[32];
    for (uniform int r = 0; r < 32; ++r) {
        world[r] = 0;
        foreach (c = 0 ... 32) world[r] |= reduce_add((r * 7 + c * 13 + r * c) % 5 < 2 ? 1u << c : 0u);
    }
    life(world, 9);
    foreach (r = 0 ... 32) o[r] = popcnt((int)world[r]);
    o += 32;

    const uniform int numbers[8] = { 0, 7, -13, 65535, INT32_MIN, INT32_MAX, 99, -1 };
    foreach (k = 0 ... 8) {
        uniform int8 * varying buffer = new uniform int8[12];
        int length = to_decimal(numbers[k], buffer);
        o[k] = from_decimal(buffer);
        o[8 + k] = length;
        delete[] buffer;
    }
    o += 16;
    foreach (k = 0 ... 8) o[k] = paths(k, 2, 1);
    o += 8;

    uniform bool cells[2][64];
    foreach (x = 0 ... 64) cells[0][x] = x == 32;
    for (uniform int g = 0; g < 16; ++g) {
        uniform bool * uniform now = cells[g & 1], * uniform next = cells[1 - (g & 1)];
        int marks = 0;
        foreach (x = 0 ... 64) {
            marks += now[x];
            int neighbours = (now[(x - 1) & 63] ? 4 : 0) | (now[x] ? 2 : 0) | (now[(x + 1) & 63] ? 1 : 0);
            next[x] = (30 >> neighbours) & 1;
        }
        o[g] = reduce_add(marks);
    }
    o += 16;
    uniform int found[20];
    uniform int count = find_numbers(text, sizeof(text), found);
    o[0] = found[1]; o[1] = found[3]; o[2] = found[2];
    o += 3;
    o[0] = found[0]; o[1] = found[count - 1]; o[2] = 2; o[3] = found[6]; o[4] = found[count - 1] + 3;
}
