#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""One module of pyopencl against numpy. usage: pyopencl_modules.py array|reduction|algorithm|scan|random|elementwise|image|svm

Prints a line a test: its name, ok or what is wrong, and a checksum of what came out.
"""
import sys
import traceback
import warnings
import zlib

import numpy as np
import pyopencl as cl
import pyopencl.algorithm
import pyopencl.array
import pyopencl.bitonic_sort
import pyopencl.clmath
import pyopencl.clrandom
import pyopencl.elementwise
import pyopencl.reduction
import pyopencl.scan

warnings.simplefilter("ignore")
CONTEXT = cl.create_some_context(interactive=False)
QUEUE = cl.CommandQueue(CONTEXT)
SIZE = 40000
RNG = np.random.default_rng(1)
INTS = RNG.integers(0, 1000, SIZE).astype(np.int32)
REALS = RNG.random(SIZE).astype(np.float32)
TESTS = {}


def test(module):
    def add(function):
        TESTS.setdefault(module, []).append(function)
        return function
    return add


def to_device(array):
    return cl.array.to_device(QUEUE, array)


def close(got, want, tolerance=1e-5):
    return np.allclose(got, want, rtol=tolerance, atol=tolerance), got


def equal(got, want):
    return np.array_equal(got, want), got


@test("array")
def arithmetic():
    a, b = to_device(REALS), to_device(REALS[::-1].copy())
    return close((a * b + 2 * a - b / 3 + a ** 2).get(), REALS * REALS[::-1] + 2 * REALS - REALS[::-1] / 3 + REALS ** 2)


@test("array")
def doubles():
    a = to_device(REALS.astype(np.float64))
    return close((a * a - 1).get(), REALS.astype(np.float64) ** 2 - 1, 1e-12)


@test("array")
def complex_numbers():
    numbers = (REALS + 1j * REALS[::-1]).astype(np.complex64)
    a = to_device(numbers)
    return close((a * a.conj() + a).get(), numbers * numbers.conj() + numbers)


@test("array")
def slices():
    a = to_device(INTS)
    a[100:2000] = 7
    a[5000:9000] = to_device(INTS[1000:5000])
    want = INTS.copy()
    want[100:2000] = 7
    want[5000:9000] = INTS[1000:5000]
    return equal(a.get(), want)


@test("array")
def take_and_put():
    where = RNG.permutation(SIZE)[:3000].astype(np.int32)
    a = to_device(INTS)
    got = cl.array.take(a, to_device(where)).get()
    return equal(got, INTS[where])


@test("array")
def where_and_compare():
    a, b = to_device(REALS), to_device(REALS[::-1].copy())
    got = cl.array.if_positive(a - b, a, b).get()
    return equal(got, np.where(REALS - REALS[::-1] > 0, REALS, REALS[::-1]))


@test("array")
def fill_arange_zeros():
    got = np.concatenate([cl.array.arange(QUEUE, 0, 9000, 3, dtype=np.int32).get(), cl.array.zeros(QUEUE, 500, np.int32).get(),
                          cl.array.empty(QUEUE, 700, np.int32).fill(9).get()])
    return equal(got, np.concatenate([np.arange(0, 9000, 3, dtype=np.int32), np.zeros(500, np.int32), np.full(700, 9, np.int32)]))


@test("array")
def transcendental():
    a = to_device(REALS)
    return close((cl.clmath.sin(a) + cl.clmath.exp(a) * cl.clmath.sqrt(a)).get(), np.sin(REALS) + np.exp(REALS) * np.sqrt(REALS))


@test("array")
def two_dimensional():
    matrix = REALS.reshape(200, 200)
    a = to_device(matrix)
    return close((a * 2 + a.reshape(200, 200)).get()[50:90, ::2], (matrix * 3)[50:90, ::2])


@test("array")
def mapped():
    a = to_device(INTS)
    a += 1
    host = a.map_to_host()
    return equal(host.copy(), INTS + 1)


@test("reduction")
def sums():
    return equal(np.array([int(cl.array.sum(to_device(INTS)).get()), int(cl.array.max(to_device(INTS)).get()),
                           int(cl.array.min(to_device(INTS)).get())]), np.array([INTS.sum(), INTS.max(), INTS.min()]))


@test("reduction")
def dot():
    return close(float(cl.array.dot(to_device(REALS), to_device(REALS)).get()), float(np.dot(REALS, REALS)), 1e-4)


@test("reduction")
def any_all():
    a = to_device((INTS > 998).astype(np.int32))
    return equal(np.array([bool(a.any().get()), bool(a.all().get())]), np.array([True, False]))


@test("reduction")
def subset():
    where = np.arange(0, SIZE, 7, dtype=np.int32)
    return equal(int(cl.array.subset_dot(to_device(where), to_device(INTS), to_device(INTS)).get()),
                 int((INTS[where] * INTS[where]).sum()))


@test("reduction")
def custom():
    kernel = cl.reduction.ReductionKernel(CONTEXT, np.int64, neutral="0", reduce_expr="a+b", map_expr="(long)x[i]*y[i]",
                                          arguments="__global int *x, __global int *y")
    return equal(int(kernel(to_device(INTS), to_device(INTS)).get()), int((INTS.astype(np.int64) ** 2).sum()))


@test("scan")
def inclusive():
    a = to_device(INTS)
    cl.scan.InclusiveScanKernel(CONTEXT, np.int32, "a+b", neutral="0")(a)
    return equal(a.get(), np.cumsum(INTS).astype(np.int32))


@test("scan")
def exclusive():
    a = to_device(INTS)
    cl.scan.ExclusiveScanKernel(CONTEXT, np.int32, "a+b", neutral="0")(a)
    return equal(a.get(), (np.cumsum(INTS) - INTS).astype(np.int32))


@test("scan")
def generic():
    kernel = cl.scan.GenericScanKernel(CONTEXT, np.int32, arguments="__global int *ary, __global int *out",
                                       input_expr="ary[i] > 500", scan_expr="a+b", neutral="0",
                                       output_statement="if (prev_item != item) out[item-1] = ary[i];")
    out = cl.array.zeros(QUEUE, SIZE, np.int32)
    kernel(to_device(INTS), out)
    want = np.zeros(SIZE, np.int32)
    chosen = INTS[INTS > 500]
    want[:len(chosen)] = chosen
    return equal(out.get(), want)


@test("scan")
def maximum():
    a = to_device(INTS)
    cl.scan.InclusiveScanKernel(CONTEXT, np.int32, "max(a, b)", neutral="-1")(a)
    return equal(a.get(), np.maximum.accumulate(INTS))


@test("algorithm")
def copy_if():
    out, count, _ = cl.algorithm.copy_if(to_device(INTS), "ary[i] > 700")
    return equal(out.get()[:int(count.get())], INTS[INTS > 700])


@test("algorithm")
def partition():
    true, false, count, _ = cl.algorithm.partition(to_device(INTS), "ary[i] > 300")
    n = int(count.get())
    return equal(np.concatenate([true.get()[:n], false.get()[:SIZE - n]]), np.concatenate([INTS[INTS > 300], INTS[INTS <= 300]]))


@test("algorithm")
def unique():
    ordered = np.sort(INTS)
    out, count, _ = cl.algorithm.unique(to_device(ordered))
    return equal(out.get()[:int(count.get())], np.unique(ordered))


@test("algorithm")
def radix_sort():
    sort = cl.algorithm.RadixSort(CONTEXT, "int *ary", key_expr="ary[i]", sort_arg_names=["ary"])
    (out,), _ = sort(to_device(INTS), key_bits=16)
    return equal(out.get(), np.sort(INTS))


@test("algorithm")
def bitonic_sort():
    keys = INTS[:16384].copy()
    out, _ = cl.bitonic_sort.BitonicSort(CONTEXT)(to_device(keys))
    return equal(out.get(), np.sort(keys))


@test("algorithm")
def list_of_lists():
    builder = cl.algorithm.ListOfListsBuilder(
        CONTEXT, [("mylist", np.int32)], "void generate(LIST_ARG_DECL USER_ARG_DECL index_type i)"
        "{ int c = i % 4; for (int k = 0; k < c; ++k) APPEND_mylist(k + i); }", arg_decls=[])
    result, _ = builder(QUEUE, 2000)
    got = result["mylist"].lists.get()
    return equal(got, np.array([k + i for i in range(2000) for k in range(i % 4)], np.int32))


@test("random")
def philox():
    got = cl.clrandom.PhiloxGenerator(CONTEXT, seed=5).uniform(QUEUE, SIZE, np.float32).get()
    return bool(0 <= got.min() and got.max() <= 1 and abs(got.mean() - 0.5) < 0.01), got


@test("random")
def threefry():
    got = cl.clrandom.ThreefryGenerator(CONTEXT, seed=5).normal(QUEUE, SIZE, np.float32).get()
    return bool(abs(got.mean()) < 0.03 and abs(got.std() - 1) < 0.03), got


@test("random")
def integers():
    got = cl.clrandom.PhiloxGenerator(CONTEXT, seed=9).uniform(QUEUE, SIZE, np.int32, a=5, b=90).get()
    return bool(got.min() >= 5 and got.max() <= 90), got


@test("elementwise")
def linear():
    kernel = cl.elementwise.ElementwiseKernel(CONTEXT, "float a, float *x, float b, float *y, float *z", "z[i] = a*x[i] + b*y[i]")
    x, y = to_device(REALS), to_device(REALS[::-1].copy())
    z = cl.array.empty_like(x)
    kernel(np.float32(5), x, np.float32(6), y, z)
    return close(z.get(), 5 * REALS + 6 * REALS[::-1])


@test("elementwise")
def neighbours():
    kernel = cl.elementwise.ElementwiseKernel(CONTEXT, "int *x, int *y, int size", "y[i] = x[i] + x[(i + 1) % size]")
    y = cl.array.empty(QUEUE, SIZE, np.int32)
    kernel(to_device(INTS), y, np.int32(SIZE))
    return equal(y.get(), INTS + np.roll(INTS, -1))


@test("elementwise")
def in_place():
    x = to_device(INTS)
    for _ in range(20):
        x *= 3
        x += 1
    want = INTS.copy()
    for _ in range(20):
        want = want * 3 + 1
    return equal(x.get(), want)


IMAGE = """
__constant sampler_t S = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
__kernel void shift(read_only image2d_t from, __global float4 *to, int w)
{ int x = get_global_id(0), y = get_global_id(1); to[y * w + x] = read_imagef(from, S, (int2)(x + 1, y)); }
__kernel void invert(read_only image2d_t from, write_only image2d_t to)
{ int2 at = (int2)(get_global_id(0), get_global_id(1)); write_imagef(to, at, 1 - read_imagef(from, S, at)); }
"""
PIXELS = RNG.random((96, 128, 4)).astype(np.float32)


@test("image")
def read():
    program = cl.Program(CONTEXT, IMAGE).build()
    out = cl.array.empty(QUEUE, PIXELS.shape, np.float32)
    program.shift(QUEUE, (128, 96), (16, 8), cl.image_from_array(CONTEXT, PIXELS, 4), out.data, np.int32(128))
    return equal(out.get(), PIXELS[:, np.minimum(np.arange(128) + 1, 127)])


@test("image")
def write():
    program = cl.Program(CONTEXT, IMAGE).build()
    form = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT)
    to = cl.Image(CONTEXT, cl.mem_flags.READ_WRITE, form, shape=(128, 96))
    program.invert(QUEUE, (128, 96), (16, 8), cl.image_from_array(CONTEXT, PIXELS, 4), to)
    got = np.empty_like(PIXELS)
    cl.enqueue_copy(QUEUE, got, to, origin=(0, 0), region=(128, 96))
    return close(got, 1 - PIXELS)


@test("image")
def copies():
    form = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT)
    image = cl.Image(CONTEXT, cl.mem_flags.READ_WRITE, form, shape=(128, 96))
    cl.enqueue_copy(QUEUE, image, PIXELS, origin=(0, 0), region=(128, 96))
    other = cl.Image(CONTEXT, cl.mem_flags.READ_WRITE, form, shape=(128, 96))
    cl.enqueue_copy(QUEUE, other, image, src_origin=(0, 0), dest_origin=(0, 0), region=(128, 96))
    buffer = cl.Buffer(CONTEXT, cl.mem_flags.READ_WRITE, PIXELS.nbytes)
    cl.enqueue_copy(QUEUE, buffer, other, offset=0, origin=(0, 0), region=(128, 96))
    got = np.empty_like(PIXELS)
    cl.enqueue_copy(QUEUE, got, buffer)
    return equal(got, PIXELS)


@test("image")
def formats():
    listed = cl.get_supported_image_formats(CONTEXT, cl.mem_flags.READ_WRITE, cl.mem_object_type.IMAGE2D)
    return len(listed) > 10, np.array(len(listed))


TWICE = "__kernel void twice(__global float *a) { a[get_global_id(0)] *= 2; }"


@test("svm")
def coarse_grained():
    shared = cl.csvm_empty(CONTEXT, (200, 200), np.float32, alignment=64)
    matrix = REALS.reshape(200, 200)
    with cl.SVM(shared).map_rw(QUEUE) as seen:
        seen[:] = matrix
    cl.Program(CONTEXT, TWICE).build().twice(QUEUE, (SIZE,), (64,), cl.SVM(shared))
    with cl.SVM(shared).map_ro(QUEUE) as seen:
        got = seen.copy()
    return equal(got, matrix * 2)


@test("svm")
def svm_copies():
    one, other = (cl.csvm_empty(CONTEXT, SIZE, np.float32) for _ in range(2))
    cl.enqueue_copy(QUEUE, cl.SVM(one), REALS)
    cl.Program(CONTEXT, TWICE).build().twice(QUEUE, (SIZE,), (64,), cl.SVM(one))
    cl.enqueue_copy(QUEUE, cl.SVM(other), cl.SVM(one))
    got = np.empty_like(REALS)
    cl.enqueue_copy(QUEUE, got, cl.SVM(other))
    return equal(got, REALS * 2)


@test("svm")
def pooled_arrays():
    pool = cl.tools.SVMPool(cl.tools.SVMAllocator(CONTEXT, queue=QUEUE, flags=cl.svm_mem_flags.READ_WRITE))
    a = cl.array.to_device(QUEUE, REALS, allocator=pool)
    b = (a * a + 3)[1000:5000] * 2
    total = cl.array.dot(a, a).get()
    return close(np.append(b.get(), total), np.append((REALS * REALS + 3)[1000:5000] * 2, (REALS.astype(np.float64) ** 2).sum()), 1e-4)


@test("svm")
def fine_grained():
    if not QUEUE.device.svm_capabilities & cl.device_svm_capabilities.FINE_GRAIN_BUFFER:
        return True, np.zeros(1)
    shared = cl.fsvm_empty(CONTEXT, SIZE, np.float32)
    shared[:] = REALS
    cl.Program(CONTEXT, TWICE).build().twice(QUEUE, (SIZE,), (64,), cl.SVM(shared))
    QUEUE.finish()
    return equal(shared, REALS * 2)


def main():
    for function in TESTS[sys.argv[1]]:
        try:
            good, got = function()
            result = "ok" if good else "bad"
            print(f"{function.__name__}: {result} {zlib.crc32(np.ascontiguousarray(got).tobytes()):08x}", flush=True)
        except Exception as error:  # a test's failure is a result, and the next one runs
            print(f"{function.__name__}: error {type(error).__name__}: {str(error).splitlines()[0][:150]}", flush=True)
            traceback.print_exc()


main()
