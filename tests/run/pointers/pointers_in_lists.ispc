// claim: lanes follow linked structures of different length
// expect: [sum(range(k % 5 + 1)) for k in range(n)]
struct Node { int value; Node * next; };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform Node nodes[5];
    for (uniform int j = 0; j < 5; j++) {
        nodes[j].value = j;
        nodes[j].next = j == 0 ? NULL : &nodes[j - 1];
    }
    foreach (k = 0 ... n) {
        uniform Node * varying p = &nodes[k % 5];
        int sum = 0;
        while (p != NULL) {
            sum += p->value;
            p = p->next;
        }
        out[k] = sum;
    }
}
