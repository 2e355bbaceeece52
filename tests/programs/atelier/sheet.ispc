// Tables of formulas: a machine with a stack in each lane, and tasks that run it over cells whose needs are known.
#include "sheet.ih"
#include "values.ih"

static inline Value value_of(Sheet *uniform sheet, int at) {
    const soa<8> Cell *varying cell = &sheet->cells[at];
    Value v;
    v.kind = (Kind)cell->kind;
    v.faults = (Fault)cell->faults;
    v.number = cell->number;
    v.text = sheet->heap + cell->text.start;
    v.length = cell->text.length;
    return v;
}

// Cells of a rectangle, whose first and last are given.
static Value folded(Sheet *uniform sheet, Folding how, int first, int last) {
    Value best = nothing();
    double sum = 0;
    int count = 0;
    const int left = first % SHEET_COLUMNS, right = last % SHEET_COLUMNS;
    for (int row = first / SHEET_COLUMNS; row <= last / SHEET_COLUMNS; row++)
        for (int column = left; column <= right; column++) {
            const Value v = value_of(sheet, row * SHEET_COLUMNS + column);
            if (v.kind == KIND_FAULT && how != FOLD_COUNT)
                return v;
            if (v.kind == KIND_TEXT && how == FOLD_ANY_TEXT)
                return v;
            if (v.kind != KIND_NUMBER)
                continue;
            count++;
            switch (how) {
            case FOLD_LEAST:
                if (best.kind == KIND_EMPTY || v.number < best.number)
                    best = v;
                break;
            case FOLD_GREATEST:
                if (best.kind == KIND_EMPTY || v.number > best.number)
                    best = v;
                break;
            default:
                sum += v.number;
            }
        }
    if (how == FOLD_LEAST || how == FOLD_GREATEST || how == FOLD_ANY_TEXT)
        return best;
    return number_value(how == FOLD_COUNT ? (double)count : sum);
}

static inline int word(const uniform uint8 *p) { return p[0] | (int)p[1] << 8; }

// The machine: each lane has its place in its code and its stack.
static Value computed(Sheet *uniform sheet, int cell) {
    Value stack[MACHINE_STACK];
    stack[0] = nothing();
    int height = 0;
    const uniform uint8 *const code = sheet->program.code;
    const uniform uint8 *at = code + sheet->program.starts[cell];
#define PUSH(...)                      \
    {                                  \
        stack[height++] = __VA_ARGS__; \
        break;                         \
    }
    while (*at != OP_END) {
        const Operation op = (Operation)*at++;
        const uniform uint8 *const operands = at;
        at += OPERANDS[op];
        Fault faults = FAULT_NONE;
        Value top, under;
        if (height > 0)
            top = stack[height - 1];
        if (height > 1)
            under = stack[height - 2];
        switch (op) {
        case OP_NUMBER: PUSH(number_value(sheet->program.numbers[word(operands)]))
        case OP_TEXT: PUSH(text_value(&sheet->heap[word(operands)], operands[2]))
        case OP_CELL: PUSH(value_of(sheet, word(operands)))
        case OP_TRUE:
        case OP_FALSE: PUSH(truth_value(op == OP_TRUE))
        case OP_FOLD: PUSH(folded(sheet, (Folding)operands[0], word(operands + 1), word(&operands[3])))
        case OP_PERCENT:
        case OP_NEGATE: {
            const double x = as_number(top, faults);
            stack[height - 1] = faults != FAULT_NONE ? fault_value(faults) : number_value(op == OP_NEGATE ? -x : x / 100);
            break;
        }
        case OP_JUMP_UNLESS:
            height--;
            if (as_truth(top, faults))
                break;
            if (faults != FAULT_NONE)
                return fault_value(faults);
        case OP_JUMP:
            at += word(operands);
            break;
        case OP_CALL: {
            Function f = FUNCTIONS[operands[0]];
            stack[height - 1] = f(sheet, top);
        } break;
        default: {
            Value result;
            switch (op) {
            case OP_JOIN:
                result = joined(sheet, under, top);
                break;
            case OP_EQUAL: case OP_UNEQUAL: case OP_LESS: case OP_NOT_LESS: {
                const int8 order = compared(under, top);
                const bool holds = op == OP_EQUAL ? order == 0 : op == OP_UNEQUAL ? order != 0 : (order < 0) == (op == OP_LESS);
                const Fault both = under | top;
                result = both != FAULT_NONE ? fault_value(both) : truth_value(holds);
                break;
            }
            default:
                result = operated(under, top, op);
            }
            *(stack + (--height - 1)) = result;
        }
        }
    }
    return stack[0];
}
#undef PUSH

static void store(Sheet *uniform sheet, int cell, const Value &v) {
    soa<8> Cell *to = sheet->cells + cell;
    to->kind = v.kind;
    to->faults = v.faults;
    to->number = v.number;
    to->text.start = v.kind == KIND_TEXT ? (int)(v.text - sheet->heap) : 0;
    to->text.length = v.length;
}

// Calls what is given with each cell that a cell's formula reads.
typedef void (*EachNeed)(Sheet *uniform sheet, int cell, int need);
static void each_need(Sheet *uniform sheet, int cell, uniform EachNeed tell) {
    const uniform uint8 *at = &sheet->program.code[sheet->program.starts[cell]];
    for (; *at != OP_END; at += 1 + OPERANDS[*at])
        switch (*at) {
        case OP_CELL:
            tell(sheet, cell, word(at + 1));
            break;
        case OP_FOLD: {
            const int first = word(at + 2), last = word(at + 4);
            for (int row = first / SHEET_COLUMNS; row <= last / SHEET_COLUMNS; ++row)
                for (int column = first % SHEET_COLUMNS; column <= last % SHEET_COLUMNS; ++column)
                    tell(sheet, cell, row * SHEET_COLUMNS + column);
        }
        }
}
static void count_need(Sheet *uniform sheet, int cell, int need) {
    sheet->missing[cell]++;
    atomic_add_local(&sheet->first_user[need], 1);
}
static void note_user(Sheet *uniform sheet, int cell, int need) {
    const int place = atomic_add_local(sheet->first_user + need, 1);
    sheet->users[place] = cell;
}

// Of each entry the sum of those before it; what all are together.
static uniform int sums_before(uniform int counts[], uniform int n) {
    uniform int before = 0;
    foreach (i = 0 ... n) {
        const int mine = counts[i];
        counts[i] = before + exclusive_scan_add(mine);
        before += reduce_add(mine);
    }
    return before;
}

task void compute_some(Sheet *uniform sheet, const uniform int *uniform cells, uniform int count) {
    assert(taskCount == taskCount0 * taskCount1 && taskCount2 == 1);
    const uniform int part = (count + taskCount - 1) / taskCount;
    const uniform int first = part * (taskIndex1 * taskCount0 + taskIndex0);
    foreach (i = first ... min(first + part, count)) {
        const int cell = cells[i];
        store(sheet, cell, computed(sheet, cell));
    }
}

task void compute_sheet(Sheet *uniform *uniform sheets) {
    Sheet *uniform sheet = sheets[taskIndex];
    const uniform int n = sheet->program.cells;
    foreach (cell = 0 ... n) {
        sheet->missing[cell] = 0;
        sheet->first_user[cell] = 0;
    }
    foreach (cell = 0 ... n)
        each_need(sheet, cell, count_need);
    const uniform int needs = sums_before(sheet->first_user, n);
    sheet->users = uniform new uniform int[needs + 1];
    // Noting them moves each start to its end, which is the next one's start.
    foreach (cell = 0 ... n)
        each_need(sheet, cell, note_user);
    uniform int first = 0, last = 0;
    foreach (cell = 0 ... n)
        if (sheet->missing[cell] == 0)
            last += packed_store_active(&sheet->ready[last], cell);
    while (first < last) {
        sheet->rounds++;
        launch[3, 1 + (last - first) / 40] compute_some(sheet, &sheet->ready[first], last - first);
        sync;
        const uniform int end = last;
        for (uniform int k = first; k < end; k++) {
            const uniform int cell = sheet->ready[k];
            const uniform int begin = cell == 0 ? 0 : sheet->first_user[cell - 1];
            foreach (u = begin ... sheet->first_user[cell]) {
                const int user = sheet->users[u];
                // The same cell may be there more than once: that lane has it which takes the last.
                if (atomic_subtract_local(&sheet->missing[user], 1) == 1)
                    last += packed_store_active(sheet->ready + last, user);
            }
        }
        first = end;
    }
    sheet->computed = last;
    foreach (cell = 0 ... n)
        if (sheet->missing[cell] > 0)
            store(sheet, cell, fault_value(FAULT_CYCLE));
    delete[] sheet->users;
    sheet->users = NULL;
}

export void *uniform Sheet_new(const uniform SheetCode &program, uniform int text_bytes, uniform int heap_size) {
    Sheet *uniform sheet = uniform new uniform Sheet;
    memset(sheet, 0, sizeof(uniform Sheet));
    sheet->program = program;
    const uniform int n = program.cells;
    sheet->cells = uniform new soa<8> Cell[(n + 7) / 8];
    uniform int *uniform *uniform const arrays[3] = {&sheet->missing, &sheet->first_user, &sheet->ready};
    for (uniform int k = 0; k < 3; ++k)
        *arrays[k] = uniform new uniform int[n + programCount];
    sheet->heap_size = heap_size;
    sheet->heap = uniform new uniform int8[heap_size];
    memcpy(sheet->heap, program.texts, text_bytes);
    sheet->heap_used = text_bytes;
    return sheet;
}

export void Sheet_delete(void *uniform made) {
    Sheet *uniform sheet = (Sheet * uniform) made;
    delete sheet->cells;
    delete sheet->missing;
    delete sheet->first_user;
    delete sheet->ready;
    delete[] sheet->heap;
    delete sheet;
}

// All sheets at once; how many cells were computed, the others wait for each other.
export uniform int compute_sheets(void *uniform made[], uniform int count) {
    launch[count] compute_sheet((Sheet * uniform * uniform) made);
    sync;
    uniform int done = 0;
    for (uniform int k = 0; k < count; k++)
        done += ((Sheet * uniform) made[k])->computed;
    return done;
}

export uniform int Sheet_read(void *uniform made, uniform CellResult results[], uniform int8 texts[]) {
    Sheet *uniform sheet = (Sheet * uniform) made;
    uniform int used = 0;
    foreach (cell = 0 ... sheet->program.cells) {
        const Value v = value_of(sheet, cell);
        const int start = used + exclusive_scan_add(v.length);
        used += reduce_add(v.length);
        const CellResult r = {v.kind, v.faults, v.number, start, v.length};
        results[cell] = r;
        memmove(&texts[start], (void *)v.text, v.length);
    }
    return used;
}

// How often each kind and each set of faults is there, and the first cell of each.
export void Sheet_describe(void *uniform made) {
    Sheet *uniform sheet = (Sheet * uniform) made;
    uniform int kinds[KIND_FAULT + 1][FAULT_ALL + 1], firsts[KIND_FAULT + 1][FAULT_ALL + 1];
    memset(&kinds[0][0], 0, sizeof(kinds));
    foreach (cell = 0 ... sheet->program.cells) {
        const Value v = value_of(sheet, cell);
        foreach_unique (kind in v.kind) {
            foreach_unique (faults in v.faults) {
                if (kinds[kind][faults] == 0)
                    firsts[kind][faults] = reduce_min(cell);
                kinds[kind][faults] += popcnt(lanemask());
            }
        }
    }
    for (uniform Kind kind = KIND_EMPTY; kind <= KIND_FAULT; kind++)
        for (uniform int faults = 0; faults <= FAULT_ALL; faults++)
            if (kinds[kind][faults] != 0)
                print("% of kind %/%, first %\n", kinds[kind][faults], (uniform int)kind, faults, firsts[kind][faults]);
}
