/* SPDX-License-Identifier: MIT */
/* Pointers in structs that are chosen by the item. */
// expect: whole (pointer-unresolved)
// kernel: pointers_in_structs
// arg: buffer int X*3
// arg: buffer int X*3
// note: pointer-unresolved
struct pointers_in_structs_pair {
    __global int *p;
    __global int *q;
    int n;
};
void pointers_in_structs_put(struct pointers_in_structs_pair *s, int i)
{
    for (int k = 0; k < s->n; k++) {
        s->p[i * 3 + k] = s->q[i * 3 + s->n - 1 - k];
    }
}
__kernel void pointers_in_structs(__global int *a, __global int *b)
{
    struct pointers_in_structs_pair s[2];
    int i = get_global_id(0);
    s[0].p = a;
    s[0].q = b;
    s[0].n = 3;
    s[1].p = b;
    s[1].q = a;
    s[1].n = 2;
    pointers_in_structs_put(&s[i & 1], i);
}
