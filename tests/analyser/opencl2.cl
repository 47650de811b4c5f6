/* SPDX-License-Identifier: MIT */
/* What came with OpenCL C 2.0. */
//!! -cl-std=CL2.0

global int counter;
//! program_variable refused program-variable here
kernel void program_variable(global int *a)
{
    counter = a[0]; // here
}

//! reads_program_variable refused program-variable here
kernel void reads_program_variable(global int *a)
{
    a[get_global_id(0)] = counter; // here
}

//! enqueues refused device-enqueue
kernel void enqueues(global int *a)
{
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(16), ^{ a[get_global_id(0)] = 1; });
}

//! pipes refused pipe here
kernel void pipes(read_only pipe int p, global int *a)
{
    int v = 0;
    read_pipe(p, &v); // here
    a[get_global_id(0)] = v;
}

kernel void new_atomics(global atomic_int *a)
{
    atomic_fetch_add_explicit(a, 1, memory_order_relaxed, memory_scope_device); // here
}

/* sequentially consistent by the letter, but there is nothing that it could order */
//! implied_order on 256/64 mended write-overlap
//! implied_order on 256/64 way a private add 4
kernel void implied_order(global atomic_int *a)
{
    atomic_fetch_add(a, 1);
}

//! two_orders refused atomic-order here
kernel void two_orders(global atomic_int *a, global atomic_int *b)
{
    atomic_fetch_add(a, 1); // here
    atomic_fetch_add(b, 1); // here
}

//! given_order refused atomic-order here
kernel void given_order(global atomic_int *a)
{
    atomic_fetch_or_explicit(a, 1, memory_order_acq_rel, memory_scope_device); // here
}

//! group_order on 256/64 way a private umax 4
kernel void group_order(global atomic_uint *a)
{
    atomic_fetch_max_explicit(a, 1, memory_order_acq_rel, memory_scope_work_group);
}

//! loads refused atomic-order here
kernel void loads(global atomic_int *a, global int *b)
{
    b[get_global_id(0)] = atomic_load(a); // here
}

//! fences refused atomic-fence here
kernel void fences(global int *a)
{
    a[get_global_id(0)] = 1;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device); // here
}

//! group_fence on 256/64 splits 0
kernel void group_fence(global int *a)
{
    a[get_global_id(0)] = 1;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_work_group);
}

void through_generic(int *p, int i)
{
    p[i] = i;
}
//! generic_space on 256/64 splits 0
//! generic_space on 256/64 part 1..2 a writes 256..512 exact
kernel void generic_space(global int *a)
{
    through_generic(a, get_global_id(0));
}

//! generic_either on 256/64 f=1 splits 0
//! generic_either on 256/64 f=1 part 1..2 a writes 256..512
kernel void generic_either(global int *a, int f)
{
    local int tmp[64];
    int *p = f ? (int *)(a + get_group_id(0) * 64) : (int *)tmp;
    through_generic(p, get_local_id(0));
}

//! linear_id on 64/8,16/4 splits 1
//! linear_id on 64/8,16/4 part 1..2 a writes 1024..2048 exact
kernel void linear_id(global int *a)
{
    a[get_global_linear_id()] = 1;
}

//! collective on 256/64 splits 0
kernel void collective(global int *a)
{
    a[get_global_id(0)] = work_group_reduce_add((int)get_local_id(0));
}
