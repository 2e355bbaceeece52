// claim: a bytecode machine for each lane computes the same by a varying switch, by foreach_unique, by function pointers and in Python
// where:
//   def gcd(a, b):
//       while b: a, b = b, a % b
//       return a
//   def collatz(v):
//       c = 0
//       while v != 1: v = v // 2 if v % 2 == 0 else 3 * v + 1; c += 1
//       return c
//   def fib(k): return k if k < 2 else fib(k - 1) + fib(k - 2)
//   def isqrt(v): return math.isqrt(v)
//   def popc(v): return bin(v & 0xffffffff).count("1")
//   def wrap(v): return (v + 2**31) % 2**32 - 2**31
//   def mix(v):
//       h = 2166136261
//       for s in (0, 8, 16, 24): h = ((h ^ ((v >> s) & 255)) * 16777619) & 0xffffffff
//       return wrap(h)
//   K = range(40)
//   A = [gcd(360 + 12 * k, 84 + 7 * k) for k in K]; B = [collatz(k + 1) for k in K]; C = [fib(k % 9) for k in K]
//   D = [isqrt(k * 977) for k in K]; E = [popc(k * 0x9E3779B1) for k in K]; F = [mix(wrap(k * 2654435761)) for k in K]
//   def divide(k):
//       d = k % 5 - 2
//       return -1 if d == 0 else int((k - 20) / d)
//   faults = [1 if k % 5 == 2 else 0 for k in K]
//   where = [A, B, C, D, E, F]
//   mixed = [where[k % 6][k] for k in K]
// expect: A, B, C, D, E, F, mixed, mixed, [divide(k) for k in K], faults, [0 if x else 1 for x in faults], [6, 0, 0, 0]
// prints: halt at -3: stack underflow\nunknown mnemonic 77\n
#define VM_STACK 24
#define VM_MEMORY 16
#define VM_FUEL 20000

enum Op {
    OP_HALT, OP_PUSH, OP_DUP, OP_SWAP, OP_OVER, OP_DROP, OP_ROT,
    OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_AND, OP_OR, OP_XOR, OP_SHL, OP_SHR, OP_NOT,
    OP_LT, OP_EQ, OP_JMP, OP_JZ, OP_CALL, OP_RET, OP_LOAD, OP_STORE, OP_HOST, OP_ARG,
    OP_LABEL, OP_COUNT
};

enum Fault { FAULT_NONE = 0, FAULT_DIVISION = 1, FAULT_STACK = 2, FAULT_FUEL = 4, FAULT_CODE = 8 };

struct Instruction {
    int16 op;
    int16 reserved;
    int32 operand;
};

struct Code {
    Instruction body[64];
    int length;
    int labels[16];
};

struct Cpu {
    int pc;
    int sp, rp;
    int stack[VM_STACK];
    int calls[VM_STACK];
    int memory[VM_MEMORY];
    unsigned int fuel;
    Fault fault;
    bool running;
};

typedef int (*HostFunction)(int a);

// --- the assembler: uniform code with macros ---------------------------------------------------------------

static uniform Code library[8];

#define EMIT1(code, name) emit(code, OP_##name, 0)
#define EMIT2(code, name, x) emit(code, OP_##name, x)
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define PICK(_1, _2, NAME, ...) NAME
#define ASM(code, ...) CAT(EMIT, PICK(__VA_ARGS__, 2, 1))(code, __VA_ARGS__)

static uniform bool emit(uniform Code &code, uniform Op op, uniform int operand) {
    if (op == OP_LABEL) {
        assert(operand >= 0 && operand < 16);
        code.labels[operand] = code.length;
        return true;
    }
    if (op >= OP_COUNT) {
        print("unknown mnemonic %\n", (uniform int)op);
        return false;
    }
    uniform Instruction instruction = { (uniform int16)op, 0, operand };
    code.body[code.length++] = instruction;
    return true;
}

static void resolve(uniform Code &code) {
    for (uniform int k = 0; k < code.length; ++k) {
        uniform Instruction * uniform at = &code.body[k];
        switch (at->op) {
        case OP_JMP:
        case OP_JZ:
        case OP_CALL:
            at->operand = code.labels[at->operand];
            break;
        default:
            break;
        }
    }
}

static void assemble() {
    {   // greatest common divisor: a b -- gcd
        uniform Code &c = library[0];
        ASM(c, ARG, 0); ASM(c, ARG, 1);
        ASM(c, LABEL, 0);
        ASM(c, DUP); ASM(c, JZ, 1);
        ASM(c, SWAP); ASM(c, OVER); ASM(c, MOD);
        ASM(c, JMP, 0);
        ASM(c, LABEL, 1);
        ASM(c, DROP); ASM(c, HALT);
    }
    {   // Collatz steps, counted in memory 0
        uniform Code &c = library[1];
        ASM(c, PUSH, 0); ASM(c, STORE, 0); ASM(c, ARG, 0);
        ASM(c, LABEL, 0);
        ASM(c, DUP); ASM(c, PUSH, 1); ASM(c, EQ); ASM(c, NOT); ASM(c, JZ, 3);
        ASM(c, LOAD, 0); ASM(c, PUSH, 1); ASM(c, ADD); ASM(c, STORE, 0);
        ASM(c, DUP); ASM(c, PUSH, 1); ASM(c, AND); ASM(c, JZ, 2);
        ASM(c, PUSH, 3); ASM(c, MUL); ASM(c, PUSH, 1); ASM(c, ADD); ASM(c, JMP, 0);
        ASM(c, LABEL, 2); ASM(c, PUSH, 1); ASM(c, SHR); ASM(c, JMP, 0);
        ASM(c, LABEL, 3); ASM(c, DROP); ASM(c, LOAD, 0); ASM(c, HALT);
    }
    {   // Fibonacci numbers by recursion
        uniform Code &c = library[2];
        ASM(c, ARG, 0); ASM(c, CALL, 0); ASM(c, HALT);
        ASM(c, LABEL, 0);
        ASM(c, DUP); ASM(c, PUSH, 2); ASM(c, LT); ASM(c, JZ, 1); ASM(c, RET);
        ASM(c, LABEL, 1);
        ASM(c, DUP); ASM(c, PUSH, 1); ASM(c, SUB); ASM(c, CALL, 0);
        ASM(c, SWAP); ASM(c, PUSH, 2); ASM(c, SUB); ASM(c, CALL, 0);
        ASM(c, ADD); ASM(c, RET);
    }
    for (uniform int host = 0; host < 3; ++host) {
        uniform Code &c = library[3 + host];
        ASM(c, ARG, 0); ASM(c, HOST, host); ASM(c, HALT);
    }
    {   // (a / b), which may trap
        uniform Code &c = library[6];
        ASM(c, ARG, 0); ASM(c, ARG, 1); ASM(c, DIV); ASM(c, HALT);
    }
    for (uniform int k = 0; k < 7; ++k) resolve(library[k]);
}

// --- what programs call ----------------------------------------------------------------------------------------

static int host_sqrt(int a) {
    int low = 0, high = 46341;
    while (high - low > 1) {
        int middle = (low + high) >> 1;
        if (middle * middle <= a) low = middle; else high = middle;
    }
    return low;
}

static int host_popcnt(int a) { return popcnt(a); }

static int host_hash(int a) {
    unsigned int h = 2166136261;
    for (uniform int shift = 0; shift < 32; shift += 8)
        h = (h ^ ((a >> shift) & 0xff)) * 16777619;
    return (int)h;
}

static inline HostFunction host_function(int which) {
    HostFunction f = host_sqrt;
    if (which == 1) f = host_popcnt;
    else if (which == 2) f = host_hash;
    return f;
}

// --- the machine ---------------------------------------------------------------------------------------------------

static inline void push(Cpu &cpu, int value) {
    if (cpu.sp >= VM_STACK) { cpu.fault = FAULT_STACK; cpu.running = false; return; }
    cpu.stack[cpu.sp++] = value;
}

static inline int pop(Cpu &cpu) {
    if (cpu.sp <= 0) { cpu.fault = FAULT_STACK; cpu.running = false; return 0; }
    return cpu.stack[--cpu.sp];
}

static void reset(Cpu &cpu) {
    cpu.pc = cpu.sp = cpu.rp = 0;
    cpu.fuel = VM_FUEL;
    cpu.fault = FAULT_NONE;
    cpu.running = true;
    for (uniform int k = 0; k < VM_MEMORY; ++k) cpu.memory[k] = 0;
}

static void step(Cpu &cpu, Instruction ins, const int args[2]) {
    int a, b;
    cpu.pc++;
    switch (ins.op) {
    case OP_HALT: cpu.running = false; break;
    case OP_ARG: push(cpu, args[ins.operand]); break;
    case OP_PUSH: push(cpu, ins.operand); break;
    case OP_DUP: a = pop(cpu); push(cpu, a); push(cpu, a); break;
    case OP_SWAP: b = pop(cpu); a = pop(cpu); push(cpu, b); push(cpu, a); break;
    case OP_OVER: b = pop(cpu); a = pop(cpu); push(cpu, a); push(cpu, b); push(cpu, a); break;
    case OP_ROT: {
        int c = pop(cpu);
        b = pop(cpu); a = pop(cpu);
        push(cpu, b); push(cpu, c); push(cpu, a);
        break;
    }
    case OP_DROP: pop(cpu); break;
    case OP_NOT: push(cpu, pop(cpu) == 0 ? 1 : 0); break;
    case OP_SUB: cpu.stack[cpu.sp - 1] = -cpu.stack[cpu.sp - 1];    // falls through: a - b is a + -b
    case OP_ADD: b = pop(cpu); a = pop(cpu); push(cpu, a + b); break;
    case OP_MUL: b = pop(cpu); a = pop(cpu); push(cpu, a * b); break;
    case OP_DIV:
    case OP_MOD:
        b = pop(cpu);
        a = pop(cpu);
        if (b == 0) {
            cpu.fault = FAULT_DIVISION;
            cpu.running = false;
            push(cpu, -1);
            break;
        }
        push(cpu, ins.op == OP_DIV ? a / b : a % b);
        break;
    case OP_AND: b = pop(cpu); a = pop(cpu); push(cpu, a & b); break;
    case OP_OR: b = pop(cpu); a = pop(cpu); push(cpu, a | b); break;
    case OP_XOR: b = pop(cpu); a = pop(cpu); push(cpu, a ^ b); break;
    case OP_SHL: b = pop(cpu); a = pop(cpu); push(cpu, a << b); break;
    case OP_SHR: b = pop(cpu); a = pop(cpu); push(cpu, a >> b); break;
    case OP_LT: b = pop(cpu); a = pop(cpu); push(cpu, a < b ? 1 : 0); break;
    case OP_EQ: b = pop(cpu); a = pop(cpu); push(cpu, a == b ? 1 : 0); break;
    case OP_JZ:
        if (pop(cpu) != 0) break;
        // falls through
    case OP_JMP: cpu.pc = ins.operand; break;
    case OP_CALL: cpu.calls[cpu.rp++] = cpu.pc; cpu.pc = ins.operand; break;
    case OP_RET:
        if (cpu.rp == 0) { cpu.fault = FAULT_STACK; cpu.running = false; }
        else cpu.pc = cpu.calls[--cpu.rp];
        break;
    case OP_LOAD: push(cpu, cpu.memory[ins.operand]); break;
    case OP_STORE: a = pop(cpu); cpu.memory[ins.operand] = a; break;
    case OP_HOST: {
        HostFunction f = host_function(ins.operand);
        push(cpu, f(pop(cpu)));
        break;
    }
    default:
        cpu.fault = FAULT_CODE;
        cpu.running = false;
    }
}

static int run_by_switch(const uniform Code * varying code, const int args[2], varying Fault * uniform fault) {
    Cpu cpu;
    reset(cpu);
    while (cpu.running) {
        if (cpu.fuel-- == 0) { cpu.fault = FAULT_FUEL; break; }
        step(cpu, code->body[cpu.pc], args);
    }
    *fault = cpu.fault;
    return cpu.sp > 0 ? cpu.stack[cpu.sp - 1] : -3;
}

// Each distinct instruction among the lanes is fetched as a uniform one.
static int run_by_unique(const uniform Code * varying code, const int args[2], varying Fault * uniform fault) {
    Cpu cpu;
    reset(cpu);
    while (cpu.running) {
        const uniform Instruction * varying at = &code->body[cpu.pc];
        foreach_unique (instruction in at) {
            uniform Instruction ins = *instruction;
            step(cpu, ins, args);
        }
        if (--cpu.fuel == 0) { cpu.fault = FAULT_FUEL; cpu.running = false; }
    }
    *fault = cpu.fault;
    if (cpu.sp > 0) return cpu.stack[cpu.sp - 1];
    return -3;
}

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    assemble();
    foreach (k = 0 ... 40) {
        for (uniform int which = 0; which < 6; ++which) {
            int args[2] = { 0, 84 + 7 * k };
            switch (which) {
            case 0: args[0] = 360 + 12 * k; break;
            case 1: args[0] = k + 1; break;
            case 2: args[0] = k % 9; break;
            case 3: args[0] = k * 977; break;
            case 4: args[0] = (int)(k * 0x9E3779B1u); break;
            case 5: args[0] = (int)(k * 2654435761u); break;
            }
            Fault fault;
            out[which * 40 + k] = run_by_switch(&library[which], args, &fault);
            assert(fault == FAULT_NONE);
        }
        int args[2];
        int which = k % 6;
        args[0] = k * 977;
        args[1] = 84 + 7 * k;
        if (which == 0) args[0] = 360 + 12 * k;
        else if (which == 1) args[0] = k + 1;
        else if (which == 2) args[0] = k % 9;
        else if (which == 4) args[0] = k * 0x9E3779B1;
        else if (which == 5) args[0] = k * (int)2654435761;
        Fault fault = FAULT_NONE, other = FAULT_NONE;
        out[240 + k] = run_by_switch(&library[which], args, &fault);
        out[280 + k] = run_by_unique(&library[which], args, &other);
        assert(fault == other);
        args[0] = k - 20;
        args[1] = k % 5 - 2;
        out[320 + k] = run_by_unique(library + 6, args, &fault);
        out[360 + k] = fault == FAULT_DIVISION;
        out[400 + k] = fault & FAULT_DIVISION ? 0 : 1;
    }
    uniform Code * uniform broken = uniform new uniform Code;
    broken->length = 0;
    ASM(*broken, DROP);
    ASM(*broken, HALT);
    Fault fault;
    int none[2] = { 0, 0 };
    uniform int result = reduce_min(run_by_unique(broken, none, &fault));
    if (all(fault == FAULT_STACK)) print("halt at %: stack underflow\n", result);
    emit(*broken, (uniform Op)77, 1);
    delete broken;
    uniform int used = 0;
    for (uniform int k = 0; k < 6; ++k) used += library[k].length > 0 ? 1 : 0;
    out[440] = used;
}
