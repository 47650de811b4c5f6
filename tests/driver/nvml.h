/* SPDX-License-Identifier: MIT */
/*
 * How a test in the same process moves the time of the made-up libnvidia-ml (nvml.c): both NULL, it is the
 * host's.
 */
#ifndef CX_TESTS_DRIVER_NVML_H
#define CX_TESTS_DRIVER_NVML_H

#include <stdatomic.h>
#include <stdint.h>

/* What the stub driver writes into STUB_BUSY, by device, and FAKE_NVML_BUSY reads: how long it has computed,
 * and since when it does (0: it does not), ns of CLOCK_MONOTONIC. */
struct fake_busy {
    _Atomic uint64_t ns, since;
};
enum { FAKE_BUSY_DEVICES = 16 };

/* What dlsym(library, "fake_nvml") finds. */
struct fake_nvml {
    double (*clock)(void);        /* seconds */
    void (*wait)(double seconds); /* in place of sleeping */
    unsigned counter_calls, power_calls;
};

#endif
