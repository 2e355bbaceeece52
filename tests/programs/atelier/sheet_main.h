// Tables of random formulas, computed by both.
#pragma once
#include "sheet_reference.h"

#include "sheet_ispc.h"

#include <map>

typedef float (*RandomFloat)(float low, float high);

struct RandomTable : reference::Table {
    RandomFloat random_float;
    int below(int n) { return std::min(int(random_float(0, float(n))), n - 1); }

    reference::Formula formula(int cell, int depth) {
        static const char *const texts[] = {"ink", "Paper", "12.50", "-7", "gold leaf", "1.", ".", "", "zinc", "3x", "-0", "0099"};
        static const double numbers[] = {0, 1, 2, -3, 0.5, 7, 1e5, 12.25, 3, 60, 1e19, -2};
        static const Operation operations[] = {OP_ADD,   OP_SUBTRACT, OP_MULTIPLY, OP_DIVIDE, OP_POWER, OP_JOIN, OP_EQUAL,
                                               OP_UNEQUAL, OP_LESS,   OP_NOT_LESS, OP_NEGATE, OP_PERCENT};
        reference::Formula f;
        const int choice = depth == 0 ? below(7) : below(16);
        // Cells mostly need those before them.
        auto any_cell = [&] { return below(60) == 0 ? below(int(cells.size())) : below(cell + 1); };
        if (choice < 3) {
            f.op = OP_NUMBER;
            f.number = numbers[below(12)];
        } else if (choice == 3) {
            f.op = OP_TEXT;
            f.text = texts[below(12)];
        } else if (choice < 6 || choice == 8) {
            f.op = OP_CELL;
            f.cell = any_cell();
            if (f.cell == cell && below(20) != 0)
                f = {OP_NUMBER, 4};
        } else if (choice == 6) {
            f.op = below(2) ? OP_TRUE : OP_FALSE;
        } else if (choice == 7) {
            f.op = OP_FOLD;
            f.how = Folding(below(5));
            f.last = any_cell();
            const int up = below(f.last / SHEET_COLUMNS + 1), aside = below(f.last % SHEET_COLUMNS + 1);
            f.cell = f.last - std::min(up, 5) * SHEET_COLUMNS - aside;
        } else if (choice == 9) {
            f.op = OP_JUMP_UNLESS;
            for (int k = 0; k < 3; k++)
                f.parts.push_back(formula(cell, depth - 1));
        } else if (choice < 12) {
            f.op = OP_CALL;
            f.called = Called(below(CALLED_COUNT));
            f.parts.push_back(formula(cell, depth - 1));
        } else {
            f.op = operations[below(12)];
            for (int k = 0; k < (f.op == OP_NEGATE || f.op == OP_PERCENT ? 1 : 2); k++)
                f.parts.push_back(formula(cell, depth - 1));
        }
        return f;
    }

    RandomTable(int count, RandomFloat random) : random_float(random) {
        cells.resize(count);
        for (int k = 0; k < count; k++)
            if (below(12) != 0)
                cells[k] = formula(k, below(4));
    }
};

// What differs, or nothing.
static std::string sheet_differs(RandomFloat random) {
    std::vector<RandomTable> tables;
    for (int count : {1, 203, 64, 397, 8})
        tables.emplace_back(count, random);
    std::vector<void *> made;
    std::vector<reference::Code> codes;
    for (const RandomTable &table : tables)
        codes.emplace_back(table);
    for (const reference::Code &code : codes) {
        const ispc::SheetCode program = {int32(code.starts.size()), int32(code.code.size()), code.starts.data(),
                                         code.code.data(),          code.numbers.data(),     code.texts.data()};
        const int texts = int(code.texts.size());
        made.push_back(ispc::Sheet_new(program, texts, texts + int(code.starts.size()) * 400 + 64));
    }
    std::string differs;
    const int computed = ispc::compute_sheets(made.data(), int(made.size()));
    int wanted_computed = 0;
    for (RandomTable &table : tables)
        wanted_computed += table.compute();
    if (computed != wanted_computed)
        differs += "the number of cells computed differs: " + std::to_string(computed) + " " + std::to_string(wanted_computed) + "\n";
    for (size_t t = 0; t < tables.size(); t++) {
        const std::vector<reference::CellValue> &wanted = tables[t].values;
        std::vector<ispc::CellResult> results(wanted.size());
        std::vector<int8> texts(wanted.size() * LONGEST_TEXT);
        size_t used = size_t(ispc::Sheet_read(made[t], results.data(), texts.data()));
        std::map<std::pair<int, int>, std::vector<int>> kinds;
        for (size_t k = 0; k < wanted.size(); k++) {
            const ispc::CellResult &r = results[k];
            const std::string text((const char *)&texts[size_t(r.text)], size_t(r.length));
            if (!(reference::CellValue{Kind(r.kind), int(r.faults), r.number, text} == wanted[k]) && differs.empty())
                differs += "cell " + std::to_string(k) + " of table " + std::to_string(t) + " differs\n";
            used -= text.size();
            kinds[{wanted[k].kind, wanted[k].faults}].push_back(int(k));
        }
        if (used != 0)
            differs += "the length of texts differs\n";
        fflush(stdout);
        ispc::Sheet_describe(made[t]);
        for (const auto &kind : kinds)
            printf("%d of kind %d/%d, first %d\n", int(kind.second.size()), kind.first.first, kind.first.second, kind.second[0]);
        fflush(stdout);
        ispc::Sheet_delete(made[t]);
    }
    return differs;
}
