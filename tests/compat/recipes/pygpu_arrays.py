#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""libgpuarray's arrays from Python: arithmetic, slices and conversions, a checksum of each result."""
import hashlib

import numpy as np
import pygpu
from pygpu import gpuarray

CONTEXT = pygpu.init("opencl0:0")
RANDOM = np.random.default_rng(8)


def on_device(array):
    return gpuarray.array(array, context=CONTEXT, cls=pygpu._array.ndgpuarray)


def tell(name, *results):
    sums = (hashlib.md5(np.ascontiguousarray(np.asarray(r)).tobytes()).hexdigest()[:12] for r in results)
    print(name, *sums)


a, b = (on_device(RANDOM.standard_normal((300, 500)).astype("float32")) for _ in range(2))
i = on_device(RANDOM.integers(0, 1000, (64, 128)).astype("int32"))
tell("arithmetic", a + b, a * b - 2.5, a > b)
tell("slices", a[::2, ::3].copy(), a.T.copy(), a[::-1].copy("F"))
tell("integers", i // 3, i % 7)
tell("doubles", i.astype("float64"))
tell("sums", a.sum(), a.sum(0), a.sum(1))
