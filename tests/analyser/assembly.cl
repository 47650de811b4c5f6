/* SPDX-License-Identifier: MIT */
/* Inline assembly of other targets than the analyser's. */

uint lane_of(void)
{
    uint lane;
    __asm__ volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

//! beside on 1024/64 splits 0
//! beside on 1024/64 part 0..3 out writes 0..768 exact
kernel void beside(global float *out)
{
    out[get_global_id(0)] = 2;
}

//! pure on 1024/64 splits 0
//! pure on 1024/64 part 0..3 in reads 0..768
kernel void pure(global float *out, global const float *in)
{
    float r, q;
    size_t i = get_global_id(0);
    __asm__("{ .reg .f32 t;\n\trcp.approx.f32 %0, %2;\n"
            "mov.f32 %1, %0; }"
            : "=f"(r), "=&f"(q)
            : "f"(in[i]));
    out[i] = r + q;
}

//! named on 1024/64 splits 0
kernel void named(global ulong *out, uint n)
{
    ulong i = get_global_id(0), r = i;
    __asm__ volatile("add.u64 %[to], %[to], %1;" : [to] "+l"(r) : "n"(3), "r"(n) : "p1");
    out[i] = r;
}

#define ADD(to, a, b) __asm("add.s32 %0, %1, %2;" : "=r"(to) : "0"(a), "r"(b))
//! in_macro on 1024/64 splits 0
kernel void in_macro(global int *out)
{
    int i = get_global_id(0), r;
    if (i > 3)
        ADD(r, i, i > 5 ? 1 : 2);
    else
        r = 0;
    out[i] = r;
}

//! index on 1024/64 mended write-unknown here
kernel void index(global float *out)
{
    uint i = get_global_id(0), j;
    __asm__("add.u32 %0, %1, 1;" : "=r"(j) : "r"(i));
    out[j] = 1; // here
}

//! dead on 1024/64 splits 0
kernel void dead(global float *out)
{
    if (sizeof(out) == 1)
        __asm__ volatile("trap;");
    out[get_global_id(0)] = 1;
}

//! lane refused inline-asm
kernel void lane(global uint *out)
{
    out[get_global_id(0)] = lane_of();
}

//! clobber refused inline-asm here
kernel void clobber(global float *out)
{
    __asm__ volatile("" ::: "memory"); // here
    out[get_global_id(0)] = 1;
}

//! loads refused inline-asm here
kernel void loads(global float *out, ulong address)
{
    float r;
    __asm__("ld.global.f32 %0, [%1];" : "=f"(r) : "l"(address)); // here
    out[get_global_id(0)] = r;
}

//! pointer refused inline-asm here
kernel void pointer(global float *out, local float *in)
{
    float r;
    __asm__("made.up %0, %1;" : "=f"(r) : "r"((uint)(size_t)(in + get_local_id(0)))); // here
    out[get_global_id(0)] = r;
}

//! operand_in_memory refused inline-asm here
kernel void operand_in_memory(global float *out)
{
    __asm__("made.up %0;" : "=m"(out[0])); // here
    out[get_global_id(0)] = 1;
}

//! waits refused inline-asm here
kernel void waits(global float *out)
{
    __asm__ volatile("bar.sync 0;"); // here
    out[get_global_id(0)] = 1;
}

//! group refused inline-asm here
kernel void group(global float *out)
{
    uint g;
    __asm__("mov.u32 %0, %%ctaid.x;" : "=r"(g)); // here
    out[get_global_id(0)] = g;
}

#define MIX(x) ((((x) ^ 5) * 3 + ((x) >> 2)) ^ 7)
//! long_numbers on 1024/64 splits 0
kernel void long_numbers(global uint *out, global const uint *in)
{
    uint r = 0, x = in[get_global_id(0)];
    for (int i = 0; i < 9; i++) {
        x = MIX(MIX(MIX(MIX(x + r))));
        __asm__ volatile("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(x >> 3), "r"(i));
    }
    out[get_global_id(0)] = r;
}

//! long_address refused inline-asm here
kernel void long_address(global uint *out, local uint *own)
{
    uint r, x = MIX(MIX(MIX(MIX((uint)(size_t)own))));
    __asm__("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(x >> 3), "r"(1)); // here
    out[get_global_id(0)] = r;
}

//! address_beside_number refused inline-asm here
kernel void address_beside_number(global uint *out, local uint *own, uint n)
{
    uint r, q, x = MIX(MIX(n));
    __asm__("prmt.b32 %0, %1, 1, 2;" : "=r"(r) : "r"(x));
    __asm__("prmt.b32 %0, %1, 1, 2;" : "=r"(q) : "r"(MIX(x + (uint)(size_t)own))); // here
    out[get_global_id(0)] = r + q;
}

#define PERMUTE(x) __asm__ volatile("prmt.b32 %0, %1, %2, 1;" : "=r"(x) : "r"(x), "r"((x) >> 3))
#define MIX4(x) x = MIX(x); x = MIX(x + 1); x = MIX(x + 3); x = MIX(x + 7); PERMUTE(x)
#define MIX16(x) MIX4(x); MIX4(x); MIX4(x); MIX4(x)
/* Too long to go inline where nothing of it matters. */
uint mixed(uint *state, uint x)
{
    for (int i = 0; i < 4; i++) {
        MIX16(x);
        MIX16(x);
        state[(i + x) & 3] ^= x;
        MIX16(x);
        MIX16(x);
        state[i] += x;
    }
    return x;
}

#define EIGHT(f, s, x) (f(s, x) + f(s, x + 1) + f(s, x + 2) + f(s, x + 3) + f(s, x + 4) + f(s, x + 5) + f(s, x + 6) + f(s, x))
uint mixed_8(uint *state, uint x) { return EIGHT(mixed, state, x); }
uint mixed_64(uint *state, uint x) { return EIGHT(mixed_8, state, x); }
uint mixed_512(uint *state, uint x) { return EIGHT(mixed_64, state, x); }

/* All of it inline would be a quarter of a million instructions. */
//! in_function on 1024/64 splits 0
//! in_function on 1024/64 part 0..3 out writes 0..768 exact
kernel void in_function(global uint *out, global const uint *in)
{
    uint state[4] = {1, 2, 3, 4};
    out[get_global_id(0)] = mixed_512(state, in[get_global_id(0)]) + mixed(state, 3);
}

//! address_in_function refused inline-asm here
kernel void address_in_function(global uint *out, local uint *own)
{
    uint state[4] = {1, 2, 3, 4}, x = (uint)(size_t)own;
    out[get_global_id(0)] = mixed(state, x); // here
}
