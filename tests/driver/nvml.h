/* SPDX-License-Identifier: MIT */
/*
 * How a test in the same process moves the time of the made-up libnvidia-ml (nvml.c): both NULL, it is the
 * host's.
 */
#ifndef CX_TESTS_DRIVER_NVML_H
#define CX_TESTS_DRIVER_NVML_H

/* What dlsym(library, "fake_nvml") finds. */
struct fake_nvml {
    double (*clock)(void);        /* seconds */
    void (*wait)(double seconds); /* in place of sleeping */
    unsigned counter_calls, power_calls;
};

#endif
