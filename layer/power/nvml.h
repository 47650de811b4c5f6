/* SPDX-License-Identifier: MIT */
/*
 * The functions of NVIDIA's management library that power sources need, by its binary interface: building
 * needs nothing of it. Used by nvml.c, and by the made-up library of the tests.
 */
#ifndef CX_LAYER_POWER_NVML_H
#define CX_LAYER_POWER_NVML_H

typedef struct cx_nvml_device_st *cx_nvml_device;

enum {
    CX_NVML_NOT_SUPPORTED = 3,
    CX_NVML_POWER_INSTANT = 186, /* a field: milliwatts, an unsigned int */
    CX_NVML_UINT = 1,            /* a type of a field's value */
};

struct cx_nvml_pci {
    char legacy[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char text[32];
};

struct cx_nvml_field {
    unsigned id, scope;
    long long timestamp, latency;
    int type, result;
    union {
        unsigned ui;
        unsigned long long ull;
        double d;
    } value;
};

/* X(field, name in the library, (parameters)); each gives 0 or an error. */
#define CX_NVML_CALLS(X)                                                                                     \
    X(init, nvmlInit_v2, (void))                                                                             \
    X(count, nvmlDeviceGetCount_v2, (unsigned *))                                                            \
    X(get, nvmlDeviceGetHandleByIndex_v2, (unsigned, cx_nvml_device *))                                      \
    X(name, nvmlDeviceGetName, (cx_nvml_device, char *, unsigned))                                           \
    X(pci, nvmlDeviceGetPciInfo_v3, (cx_nvml_device, struct cx_nvml_pci *))                                  \
    X(uuid, nvmlDeviceGetUUID, (cx_nvml_device, char *, unsigned))                                           \
    X(energy, nvmlDeviceGetTotalEnergyConsumption, (cx_nvml_device, unsigned long long *))                   \
    X(usage, nvmlDeviceGetPowerUsage, (cx_nvml_device, unsigned *))                                          \
    X(fields, nvmlDeviceGetFieldValues, (cx_nvml_device, int, struct cx_nvml_field *))

#endif
