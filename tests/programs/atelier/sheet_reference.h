// Tables of formulas, by recursion over formulas as trees; their code is for the machine only.
#pragma once
#include "sheet.ih"
#include <cmath>
#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace reference {

struct CellValue {
    Kind kind = KIND_EMPTY;
    int faults = 0;
    double number = 0;
    std::string text;
    bool operator==(const CellValue &v) const {
        return kind == v.kind && faults == v.faults && !memcmp(&number, &v.number, 8) && text == v.text;
    }
};

struct Formula {
    // OP_JUMP_UNLESS is a choice of three, OP_END nothing.
    Operation op = OP_END;
    double number = 0;
    std::string text;
    int cell = 0, last = 0;
    Folding how = FOLD_SUM;
    Called called = CALL_ABS;
    std::vector<Formula> parts;
};

struct Table {
    std::vector<Formula> cells;
    std::vector<CellValue> values;

    static CellValue fault(int faults) { return {KIND_FAULT, faults}; }
    static CellValue number_of(double x) { return {KIND_NUMBER, 0, x}; }
    static CellValue text_of(const std::string &s) { return {KIND_TEXT, 0, 0, s}; }
    static bool numeric(const CellValue &v, int &faults) {
        faults |= v.kind == KIND_TEXT ? FAULT_VALUE : v.faults;
        return v.kind != KIND_TEXT && v.kind != KIND_FAULT;
    }

    static CellValue called(Called f, const CellValue &v) {
        int faults = 0;
        const bool is_number = numeric(v, faults);
        if (f == CALL_ABS || f == CALL_FLOOR || f == CALL_ROOT || f == CALL_DECIMAL) {
            if (!is_number)
                return fault(faults);
            const double x = v.number;
            if (f == CALL_DECIMAL)
                return std::fabs(x) >= 1e18 ? fault(FAULT_NUMBER) : text_of(std::to_string((long long)x));
            if (f == CALL_ROOT)
                return x < 0 ? fault(FAULT_NUMBER) : number_of(std::sqrt(x));
            return number_of(f == CALL_ABS ? std::fabs(x) : std::floor(x));
        }
        if (v.kind != KIND_TEXT)
            return f == CALL_LENGTH && v.kind != KIND_FAULT ? fault(FAULT_VALUE) : v;
        std::string s = v.text;
        if (f == CALL_LENGTH)
            return number_of(double(s.size()));
        if (f == CALL_UPPER)
            for (char &c : s)
                c = char(toupper(c));
        if (f == CALL_REVERSE)
            s.assign(v.text.rbegin(), v.text.rend());
        if (f != CALL_VALUE)
            return text_of(s);
        const bool negative = s[0] == '-';
        if (negative)
            s.erase(0, 1);
        const size_t point = s.find('.');
        std::string digits = s;
        if (point != s.npos)
            digits.erase(point, 1);
        if (digits.empty() || digits.find_first_not_of("0123456789") != s.npos)
            return fault(FAULT_VALUE);
        double x = 0, scale = 1;
        for (char c : digits)
            x = x * 10 + (c - '0');
        for (size_t k = point; k != s.npos && k + 1 < s.size(); k++)
            scale *= 10;
        x /= scale;
        return number_of(negative ? -x : x);
    }

    static CellValue power(double x, double y) {
        if (std::floor(y) != y || std::fabs(y) > 60)
            return fault(FAULT_NUMBER);
        if (x == 0 && y < 0)
            return fault(FAULT_DIVISION);
        double result = 1, factor = x;
        for (unsigned left = unsigned(std::fabs(y)); left; left /= 2, factor *= factor)
            if (left % 2)
                result *= factor;
        return number_of(y < 0 ? 1 / result : result);
    }

    static int compared(const CellValue &a, const CellValue &b) {
        auto order = [](Kind k) { return k == KIND_NUMBER ? 1 : k == KIND_TEXT ? 2 : 3; };
        const Kind kinds[2] = {a.kind == KIND_EMPTY ? b.kind == KIND_EMPTY ? KIND_NUMBER : b.kind : a.kind,
                               b.kind == KIND_EMPTY ? a.kind == KIND_EMPTY ? KIND_NUMBER : a.kind : b.kind};
        if (kinds[0] != kinds[1])
            return order(kinds[0]) - order(kinds[1]);
        return kinds[0] == KIND_TEXT ? a.text.compare(b.text) : a.number < b.number ? -1 : a.number > b.number;
    }

    static CellValue operated(Operation op, const CellValue &a, const CellValue &b) {
        int faults = 0;
        if (op == OP_JOIN) {
            if (a.kind == KIND_FAULT || b.kind == KIND_FAULT)
                return fault(a.faults | b.faults);
            auto joins = [](Kind k) { return k == KIND_TEXT || k == KIND_EMPTY; };
            if (!joins(a.kind) || !joins(b.kind))
                return fault(FAULT_VALUE);
            const std::string s = a.text + b.text;
            return s.size() > LONGEST_TEXT ? fault(FAULT_NUMBER) : text_of(s);
        }
        if (op == OP_EQUAL || op == OP_UNEQUAL || op == OP_LESS || op == OP_NOT_LESS) {
            if (a.kind == KIND_FAULT || b.kind == KIND_FAULT)
                return fault(a.faults | b.faults);
            const int order = compared(a, b);
            const bool holds = op == OP_EQUAL ? !order : op == OP_UNEQUAL ? order : op == OP_LESS ? order < 0 : order >= 0;
            return {KIND_TRUTH, 0, double(holds)};
        }
        const bool first = numeric(a, faults), second = numeric(b, faults);
        if (!first || !second)
            return fault(faults);
        const double x = a.number, y = b.number;
        if (op == OP_DIVIDE && y == 0)
            return fault(FAULT_DIVISION);
        const CellValue result = op == OP_POWER ? power(x, y)
                                                : number_of(op == OP_ADD        ? x + y
                                                            : op == OP_SUBTRACT ? x - y
                                                            : op == OP_MULTIPLY ? x * y
                                                                                : x / y);
        return std::isfinite(result.number) ? result : fault(FAULT_NUMBER);
    }

    template <typename F> static void each_cell(int first, int last, F f) {
        for (int row = first / SHEET_COLUMNS; row <= last / SHEET_COLUMNS; row++)
            for (int column = first % SHEET_COLUMNS; column <= last % SHEET_COLUMNS; column++)
                f(row * SHEET_COLUMNS + column);
    }

    CellValue folded(const Formula &f) const {
        std::vector<CellValue> numbers;
        CellValue found;
        bool ends = false;
        each_cell(f.cell, f.last, [&](int at) {
            const CellValue &v = values[at];
            if (!ends && (v.kind == KIND_FAULT ? f.how != FOLD_COUNT : v.kind == KIND_TEXT && f.how == FOLD_ANY_TEXT)) {
                found = v;
                ends = true;
            }
            if (v.kind == KIND_NUMBER)
                numbers.push_back(v);
        });
        if (ends || f.how == FOLD_ANY_TEXT)
            return found;
        if (f.how == FOLD_COUNT)
            return number_of(double(numbers.size()));
        double sum = 0;
        for (const CellValue &v : numbers) {
            sum += v.number;
            if (found.kind == KIND_EMPTY || (f.how == FOLD_LEAST ? v.number < found.number : v.number > found.number))
                found = v;
        }
        return f.how == FOLD_SUM ? number_of(sum) : found;
    }

    // A condition that is at fault makes the whole formula so, which is thrown.
    CellValue value_of(const Formula &f) const {
        switch (f.op) {
        case OP_END: return {};
        case OP_NUMBER: return number_of(f.number);
        case OP_TEXT: return text_of(f.text);
        case OP_CELL: return values[f.cell];
        case OP_TRUE: return {KIND_TRUTH, 0, 1};
        case OP_FALSE: return {KIND_TRUTH, 0, 0};
        case OP_FOLD: return folded(f);
        case OP_CALL: return called(f.called, value_of(f.parts[0]));
        case OP_JUMP_UNLESS: {
            int faults = 0;
            const CellValue condition = value_of(f.parts[0]);
            if (!numeric(condition, faults))
                throw fault(faults);
            return value_of(f.parts[condition.number != 0 ? 1 : 2]);
        }
        case OP_NEGATE:
        case OP_PERCENT: {
            int faults = 0;
            const CellValue v = value_of(f.parts[0]);
            if (!numeric(v, faults))
                return fault(faults);
            return number_of(f.op == OP_NEGATE ? -v.number : v.number / 100);
        }
        default: {
            const CellValue a = value_of(f.parts[0]), b = value_of(f.parts[1]);
            return operated(f.op, a, b);
        }
        }
    }

    static void needs(const Formula &f, std::set<int> &found) {
        if (f.op == OP_CELL)
            found.insert(f.cell);
        if (f.op == OP_FOLD)
            each_cell(f.cell, f.last, [&](int at) { found.insert(at); });
        for (const Formula &part : f.parts)
            needs(part, found);
    }

    // How many are computed; the others wait for each other.
    int compute() {
        const size_t n = cells.size();
        values.assign(n, {});
        std::vector<std::set<int>> needed(n);
        for (size_t k = 0; k < n; k++)
            needs(cells[k], needed[k]);
        enum State { UNKNOWN, OPEN, DONE, CYCLIC };
        std::vector<State> states(n, UNKNOWN);
        // Whether all that a cell needs gets done; what meets an open cell does not, nor do those that need it.
        std::function<bool(int)> visit = [&](int k) {
            if (states[k] != UNKNOWN)
                return states[k] == DONE;
            states[k] = OPEN;
            bool done = true;
            for (int other : needed[k])
                done = visit(other) && done;
            states[k] = done ? DONE : CYCLIC;
            if (done)
                try {
                    values[k] = value_of(cells[k]);
                } catch (const CellValue &v) {
                    values[k] = v;
                }
            else
                values[k] = fault(FAULT_CYCLE);
            return done;
        };
        int computed = 0;
        for (size_t k = 0; k < n; k++)
            computed += visit(int(k));
        return computed;
    }
};

// The machine's code of a table.
struct Code {
    std::vector<int32> starts;
    std::vector<uint8> code;
    std::vector<double> numbers;
    std::vector<int8> texts;

    void word(size_t x) {
        code.push_back(uint8(x & 255));
        code.push_back(uint8(x >> 8));
    }
    void write(const Formula &f) {
        if (f.op == OP_JUMP_UNLESS) {
            write(f.parts[0]);
            code.push_back(OP_JUMP_UNLESS);
            const size_t otherwise = hole();
            write(f.parts[1]);
            code.push_back(OP_JUMP);
            const size_t end = hole();
            fill(otherwise);
            write(f.parts[2]);
            fill(end);
            return;
        }
        for (const Formula &part : f.parts)
            write(part);
        if (f.op == OP_END)
            return;
        code.push_back(uint8(f.op));
        if (f.op == OP_NUMBER) {
            word(numbers.size());
            numbers.push_back(f.number);
        } else if (f.op == OP_TEXT) {
            word(texts.size());
            code.push_back(uint8(f.text.size()));
            texts.insert(texts.end(), f.text.begin(), f.text.end());
        } else if (f.op == OP_CELL) {
            word(f.cell);
        } else if (f.op == OP_CALL) {
            code.push_back(uint8(f.called));
        } else if (f.op == OP_FOLD) {
            code.push_back(uint8(f.how));
            word(f.cell);
            word(f.last);
        }
    }
    size_t hole() {
        word(0);
        return code.size();
    }
    void fill(size_t behind) {
        const size_t steps = code.size() - behind;
        code[behind - 2] = uint8(steps & 255);
        code[behind - 1] = uint8(steps >> 8);
    }
    explicit Code(const Table &table) {
        for (const Formula &f : table.cells) {
            starts.push_back(int32(code.size()));
            write(f);
            code.push_back(OP_END);
        }
    }
};

} // namespace reference
