/* SPDX-License-Identifier: MIT */
/*
 * NVIDIA's GPUs, by their management library, which is opened when sources are looked for and never before.
 *
 * What an H100 does (docs/energy.md has the measurements) decides how it is used. The energy counter (since
 * Volta) is right, moves every 100 ms, and costs 4 ms a call: it is read at the ends of windows. The
 * instantaneous power (a field since driver 530) costs a microsecond and moves every 100 ms: it is read
 * between. What is called power usage is a mean over about a second there, which is used only where there is
 * no other. See source.h.
 */
#include "layer/power/nvml.h"
#include "layer/base/options.h"
#include "layer/power/source.h"

#include <ctype.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double milli = 1e-3, step_seconds = 0.1, mean_seconds = 1;

#define CX_NVML_FIELD(field, name, parameters) int(*field) parameters;
static struct {
    CX_NVML_CALLS(CX_NVML_FIELD)
} nvml;
#undef CX_NVML_FIELD

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool usable;
static char problem[CX_POWER_TEXT]; /* "": there is no such library, as on most machines */

static void open_library(void)
{
    const char *file = cx_options_get()->libnvml;
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
#define CX_NVML_LOAD(field, name, parameters)                                                                \
    *(void **)&nvml.field = dlsym(library, #name);                                                           \
    if (!nvml.field) {                                                                                       \
        snprintf(problem, sizeof problem, "%s has no %s", file, #name);                                      \
        return;                                                                                              \
    }
    CX_NVML_CALLS(CX_NVML_LOAD)
#undef CX_NVML_LOAD
    const int code = nvml.init();
    usable = code == 0;
    if (!usable)
        snprintf(problem, sizeof problem, "%s cannot be initialised: error %d", file, code);
}

static bool count(const struct cx_power_source *source, double *joules)
{
    unsigned long long millijoules;
    if (nvml.energy(source->handle, &millijoules) != 0)
        return false;
    *joules = (double)millijoules * milli;
    return true;
}

static bool instant(cx_nvml_device device, double *watts)
{
    struct cx_nvml_field field = {.id = CX_NVML_POWER_INSTANT};
    if (nvml.fields(device, 1, &field) != 0 || field.result != 0 || field.type != CX_NVML_UINT)
        return false;
    *watts = field.value.ui * milli;
    return true;
}

static bool watts(const struct cx_power_source *source, double *now)
{
    unsigned milliwatts;
    if (instant(source->handle, now))
        return true;
    if (nvml.usage(source->handle, &milliwatts) != 0)
        return false;
    *now = milliwatts * milli;
    return true;
}

/* "GPU-xxxxxxxx-xxxx-...": 32 digits. */
static bool read_uuid(const char *text, uint8_t *uuid)
{
    unsigned digits = 0;
    memset(uuid, 0, 16);
    if (strncmp(text, "GPU-", 4) != 0)
        return false;
    for (text += 4; *text && digits < 32; text++) {
        if (!isxdigit((unsigned char)*text))
            continue;
        const char digit[] = {*text, '\0'};
        uuid[digits / 2] = (uint8_t)(uuid[digits / 2] << 4 | strtoul(digit, NULL, 16));
        digits++;
    }
    return digits == 32;
}

static void identify(struct cx_power_source *source)
{
    char text[96] = "";
    struct cx_nvml_pci pci = {.domain = 0};
    if (nvml.name(source->handle, source->name, sizeof source->name) != 0)
        snprintf(source->name, sizeof source->name, "NVIDIA GPU");
    if (nvml.pci(source->handle, &pci) == 0)
        snprintf(source->pci, sizeof source->pci, "%04x:%02x:%02x.0", pci.domain & 0xffff, pci.bus & 0xff,
                 pci.device & 0xff);
    source->has_uuid = nvml.uuid(source->handle, text, sizeof text) == 0 && read_uuid(text, source->uuid);
    snprintf(source->place, sizeof source->place, "%s", cx_options_get()->libnvml);
}

static void take(struct cx_power_sources *all, cx_nvml_device device)
{
    double joules, now;
    struct cx_power_source tried = {.kind = &cx_power_nvml, .part = CX_POWER_DEVICE, .handle = device};
    identify(&tried);
    tried.counts = tried.count_is_costly = count(&tried, &joules);
    tried.gauges = watts(&tried, &now);
    tried.step_seconds = tried.counts || instant(device, &now) ? step_seconds : mean_seconds;
    if (!tried.gauges && !tried.counts) {
        cx_power_note(all, "%s tells neither its power nor its energy", tried.name);
        return;
    }
    struct cx_power_source *source = cx_power_source_add(all, &cx_power_nvml);
    if (source)
        *source = tried;
}

static void find(struct cx_power_sources *all)
{
    unsigned n = 0;
    pthread_once(&once, open_library);
    if (*problem)
        cx_power_note(all, "the energy of NVIDIA's GPUs cannot be read: %s", problem);
    if (!usable || nvml.count(&n) != 0)
        return;
    for (unsigned i = 0; i < n; i++) {
        cx_nvml_device device;
        if (nvml.get(i, &device) == 0)
            take(all, device);
    }
}

const struct cx_power_kind cx_power_nvml = {.name = "NVML", .find = find, .count = count, .watts = watts};
