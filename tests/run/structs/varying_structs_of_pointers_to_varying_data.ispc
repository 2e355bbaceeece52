// claim: varying structs hold uniform pointers to varying data, alone and in arrays; functions set and follow them by reference
// where:
//   a = i.astype(int) % 50
//   top = 1 + 100 * (i > 0)
// expect: (top * 2 + 2 * a) * 2 + a, 2 * a
struct Layer { float weight; };
struct Stack {
    varying Layer * uniform top;
    varying Layer * uniform below[4];
    uniform int count;
    varying float scale;
};
static void push(varying Stack &stack, varying Layer &layer) {
    stack.below[stack.count++] = stack.top;
    stack.top = &layer;
}
static noinline float total(const varying Stack &stack) {
    float sum = stack.top->weight;
    uniform int at = stack.count - 1;
    while (at > 0) {
        const varying Layer * uniform layer = stack.below[at--];
        sum = sum * stack.scale + layer->weight;
    }
    return sum;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int small = ((i[k] % 50) + 50) % 50;
        Layer first = { small }, second = { small * 2 }, third = { 1 };
        Stack stack;
        memset(stack.below, 0, 4 * sizeof(varying Layer * uniform));
        stack.count = 0;
        stack.top = NULL;
        stack.scale = 2;
        push(stack, first);
        push(stack, second);
        push(stack, third);
        if (i[k] > 0)
            stack.top->weight += 100;
        out[k] = total(stack);
        out[64 + k] = stack.below[0] == NULL ? stack.below[2]->weight : -1;
    }
}
