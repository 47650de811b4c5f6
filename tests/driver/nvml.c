/* SPDX-License-Identifier: MIT */
/*
 * A made-up libnvidia-ml whose GPUs tell what an H100 tells of its power (docs/energy.md): the counter and
 * the instantaneous power move every 100 ms, "power usage" is a mean over a second, and a call for the
 * counter takes 4 ms.
 *
 *   FAKE_NVML_DEVICES=1       GPUs; number i is at 0000:0i:00.0, counted from 1, as the stub driver's devices
 * are FAKE_NVML_POWER=s:w,...   watts from that second on since nvmlInit, at most 32; 122 before
 *   FAKE_NVML_BUSY=file       what the stub driver's STUB_BUSY writes: then a GPU's power is
 *   FAKE_NVML_WATTS=s:d,...   s watts, and d more while the stub's device computes; the last one repeats
 *   FAKE_NVML_NO_COUNTER=1, FAKE_NVML_NO_FIELD=1  not supported
 *   FAKE_NVML_LOST=s          from that second on every call fails
 *   FAKE_NVML_INIT=code       what nvmlInit gives
 *   FAKE_NVML_LOG=file        a line for each call of the counter
 */
#include "tests/driver/nvml.h"
#include "layer/power/nvml.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define EXPORT                           __attribute__((visibility("default")))
#define DECLARE(field, name, parameters) EXPORT int name parameters;
CX_NVML_CALLS(DECLARE)
#undef DECLARE

enum { NOT_FOUND = 6, LOST = 15, MOST_STEPS = 32 };
static const double step = 0.1, mean_over = 1, call_seconds = 4e-3, idle_watts = 122;

EXPORT struct fake_nvml fake_nvml;
EXPORT struct fake_nvml fake_nvml = {NULL, NULL, 0, 0};

struct cx_nvml_device_st {
    unsigned index;
};

static struct cx_nvml_device_st devices[16];
static double began;
static unsigned nsteps;
static struct {
    double from, watts;
} steps[MOST_STEPS];

static double host_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double since_begin(void)
{
    return (fake_nvml.clock ? fake_nvml.clock() : host_clock()) - began;
}

static double number(const char *name, double fallback)
{
    const char *text = getenv(name);
    return text && *text ? strtod(text, NULL) : fallback;
}

static int lost(void)
{
    return since_begin() >= number("FAKE_NVML_LOST", INFINITY);
}

static const struct fake_busy *busy; /* by device; NULL: FAKE_NVML_POWER says */
static struct {
    double fixed, dynamic, told_at, told, watts;
} gpu[FAKE_BUSY_DEVICES];

static void open_busy(void)
{
    const char *file = getenv("FAKE_NVML_BUSY"), *text = getenv("FAKE_NVML_WATTS");
    const int descriptor = file && *file ? open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    const size_t size = FAKE_BUSY_DEVICES * sizeof *busy;
    if (descriptor < 0 || ftruncate(descriptor, (off_t)size) != 0)
        return;
    void *mapped = mmap(NULL, size, PROT_READ, MAP_SHARED, descriptor, 0);
    busy = mapped == MAP_FAILED ? NULL : mapped;
    close(descriptor);
    for (unsigned i = 0; i < FAKE_BUSY_DEVICES; i++) {
        gpu[i] = gpu[i ? i - 1 : 0];
        if (!text || !*text)
            continue;
        char *end;
        gpu[i].fixed = strtod(text, &end);
        gpu[i].dynamic = strtod(end + (*end == ':'), &end);
        text = end + (*end == ',');
    }
}

/* Of what the device has computed by now; read anew with each step. */
static double busy_joules(unsigned device, double t)
{
    const struct fake_busy *of = &busy[device];
    if (t <= gpu[device].told_at)
        return gpu[device].told;
    const uint64_t since = atomic_load(&of->since), now = (uint64_t)(host_clock() * 1e9);
    const double computed = 1e-9 * (double)(atomic_load(&of->ns) + (since && now > since ? now - since : 0)),
                 joules = gpu[device].fixed * t + gpu[device].dynamic * computed;
    gpu[device].watts = (joules - gpu[device].told) / (t - gpu[device].told_at);
    gpu[device].told_at = t;
    return gpu[device].told = joules;
}

/* Joules from the begin to second t. */
static double joules_until(double t)
{
    double sum = idle_watts * fmin(t, nsteps ? steps[0].from : t);
    for (unsigned i = 0; i < nsteps && steps[i].from < t; i++)
        sum += steps[i].watts * (fmin(t, i + 1 < nsteps ? steps[i + 1].from : t) - steps[i].from);
    return sum;
}

static double last_step(void)
{
    return floor(since_begin() / step + 1e-9) * step;
}

static double mean_until(double t, double seconds)
{
    const double from = fmax(t - seconds, 0);
    return t > from ? (joules_until(t) - joules_until(from)) / (t - from) : idle_watts;
}

int nvmlInit_v2(void)
{
    const char *text = getenv("FAKE_NVML_POWER");
    for (char *end; text && *text && nsteps < MOST_STEPS; nsteps++) {
        steps[nsteps].from = strtod(text, &end);
        steps[nsteps].watts = strtod(end + (*end == ':'), &end);
        text = end + (*end == ',');
    }
    for (unsigned i = 0; i < sizeof devices / sizeof *devices; i++)
        devices[i].index = i;
    began = since_begin();
    open_busy();
    return (int)number("FAKE_NVML_INIT", 0);
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = (unsigned)number("FAKE_NVML_DEVICES", 1);
    return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, cx_nvml_device *device)
{
    *device = &devices[index];
    return index < sizeof devices / sizeof *devices ? 0 : NOT_FOUND;
}

int nvmlDeviceGetName(cx_nvml_device device, char *name, unsigned size)
{
    snprintf(name, size, "Fake H100 %u", device->index);
    return 0;
}

int nvmlDeviceGetPciInfo_v3(cx_nvml_device device, struct cx_nvml_pci *pci)
{
    memset(pci, 0, sizeof *pci);
    pci->bus = device->index + 1;
    snprintf(pci->text, sizeof pci->text, "00000000:%02X:00.0", pci->bus);
    return 0;
}

int nvmlDeviceGetUUID(cx_nvml_device device, char *uuid, unsigned size)
{
    snprintf(uuid, size, "GPU-00112233-4455-6677-8899-aabbccddee%02x", device->index);
    return 0;
}

int nvmlDeviceGetTotalEnergyConsumption(cx_nvml_device device, unsigned long long *millijoules)
{
    const char *log = getenv("FAKE_NVML_LOG");
    FILE *file = log && *log ? fopen(log, "ae") : NULL;
    if (getenv("FAKE_NVML_NO_COUNTER"))
        return CX_NVML_NOT_SUPPORTED;
    if (file) {
        fprintf(file, "counter %u\n", device->index);
        fclose(file);
    }
    fake_nvml.counter_calls++;
    if (fake_nvml.wait)
        fake_nvml.wait(call_seconds);
    else
        usleep((useconds_t)(call_seconds * 1e6));
    const double joules = busy ? busy_joules(device->index, last_step()) : joules_until(last_step());
    *millijoules = (unsigned long long)(1e9 + 1e3 * joules);
    return lost() ? LOST : 0;
}

int nvmlDeviceGetPowerUsage(cx_nvml_device device, unsigned *milliwatts)
{
    (void)device;
    fake_nvml.power_calls++;
    *milliwatts = (unsigned)(1e3 * mean_until(last_step(), mean_over));
    return lost() ? LOST : 0;
}

int nvmlDeviceGetFieldValues(cx_nvml_device device, int count, struct cx_nvml_field *fields)
{
    fake_nvml.power_calls++;
    if (busy)
        busy_joules(device->index, last_step());
    for (int i = 0; i < count; i++) {
        fields[i].result =
            fields[i].id != CX_NVML_POWER_INSTANT || getenv("FAKE_NVML_NO_FIELD") ? CX_NVML_NOT_SUPPORTED : 0;
        fields[i].type = CX_NVML_UINT;
        fields[i].value.ui =
            (unsigned)(1e3 * (busy ? gpu[device->index].watts : mean_until(last_step(), step)));
    }
    return lost() ? LOST : 0;
}
