/* SPDX-License-Identifier: MIT */
/*
 * Forms of packages. See launch_form.h.
 */
#include "layer/plan/launch_form.h"
#include "layer/plan/plan.h"
#include "layer/program/compile_record.h"
#include "layer/program/program.h"
#include "layer/timeline/worker.h"

#include <string.h>

static uint64_t form_by(const struct cx_access_geometry *geometry, bool local_given, enum cx_variant variant,
                        bool at_start)
{
    uint64_t hash = 0xcbf29ce484222325u;
    const uint64_t parts[] = {variant,
                              geometry->work_dim,
                              local_given,
                              geometry->local[0],
                              geometry->local[1],
                              geometry->local[2],
                              at_start && !geometry->offset[0] && !geometry->offset[1] &&
                                  !geometry->offset[2]};
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        hash = (hash ^ parts[i]) * 0x100000001b3u;
    return hash;
}

static uint64_t form_of(const struct cx_launch *launch, enum cx_variant variant, bool at_start)
{
    return form_by(&launch->request.geometry, launch->request.local_given, variant, at_start);
}

/* The form's place among those known; count: it is new. */
static unsigned find(const struct cx_launch_forms *forms, uint64_t form)
{
    unsigned i = 0;
    while (i < forms->count && forms->form[i] != form)
        i++;
    return i;
}

/* Likewise, but one that is new is added. CX_LAUNCH_FORMS: there is no room. */
static unsigned find_or_add(struct cx_launch_forms *forms, uint64_t form)
{
    const unsigned i = find(forms, form);
    if (i == forms->count && i < CX_LAUNCH_FORMS) {
        forms->form[i] = form;
        forms->launched[i] = forms->former[i] = forms->asked[i] = forms->ahead[i] = 0;
        forms->count++;
    }
    return i;
}

bool cx_launch_knows(const struct cx_launch *launch, const struct cx_kernel_history *history, unsigned member,
                     enum cx_variant variant, bool at_start)
{
    const struct cx_launch_forms *forms = &history->forms;
    const unsigned i = find(forms, form_of(launch, variant, at_start));
    return i == CX_LAUNCH_FORMS || (i < forms->count && forms->launched[i] >> member & 1);
}

bool cx_launch_kernel_ran(const struct cx_kernel *kernel, const struct cx_access_geometry *geometry,
                          bool local_given, unsigned member, enum cx_variant variant, bool at_start)
{
    const struct cx_kernel_history *history = kernel->function->history;
    if (!history)
        return false;
    const unsigned i = find(&history->forms, form_by(geometry, local_given, variant, at_start));
    return i < history->forms.count && history->forms.launched[i] >> member & 1;
}

bool cx_launch_first(struct cx_launch *launch, unsigned member, enum cx_variant variant, bool at_start)
{
    struct cx_kernel_history *history =
        cx_kernel_history_of(launch->request.kernel->function, launch->base.context->nmembers);
    if (!history)
        return false;
    const unsigned i = find_or_add(&history->forms, form_of(launch, variant, at_start));
    const uint64_t bit = UINT64_C(1) << member;
    if (i == CX_LAUNCH_FORMS)
        return false;
    const bool first = !(history->forms.launched[i] & bit);
    history->forms.launched[i] |= bit;
    return first;
}

/* ---- from process to process ---- */

static bool compiles(const struct cx_launch *launch, unsigned member)
{
    return launch->base.context->workers[member].device->type & CL_DEVICE_TYPE_CPU;
}

bool cx_launch_may_compile_on(const struct cx_launch *launch, unsigned member, enum cx_variant variant,
                              bool at_start)
{
    const struct cx_kernel_history *history = launch->request.kernel->function->history;
    return compiles(launch, member) &&
           !(history && cx_launch_knows(launch, history, member, variant, at_start));
}

bool cx_launch_may_compile(const struct cx_launch *launch, const struct cx_split_plan *plan)
{
    const bool many = !cx_balancer_is_static(plan->balancer); /* packages a member */
    bool may = false;
    for (unsigned p = 0; p < plan->n + plan->probes && !may; p++) {
        const unsigned member = plan->member[p];
        const bool at_start = p == 0 && !plan->done;
        may = (at_start && cx_launch_may_compile_on(launch, member, plan->variant[p], true)) ||
              ((!at_start || many) && cx_launch_may_compile_on(launch, member, plan->variant[p], false));
    }
    return may;
}

bool cx_launch_compiled(const struct cx_launch *launch, struct cx_kernel_history *history, unsigned member,
                        enum cx_variant variant, bool at_start)
{
    const uint64_t form = form_of(launch, variant, at_start), bit = UINT64_C(1) << member;
    const struct cx_function *function = launch->request.kernel->function;
    struct cx_launch_forms *forms = &history->forms;
    const unsigned i = find_or_add(forms, form);
    double seconds;
    if (i == CX_LAUNCH_FORMS)
        return true;
    const unsigned changes = cx_compile_record_changes();
    if (forms->changes != changes) {
        forms->changes = changes;
        memset(forms->asked, 0, sizeof(forms->asked));
    }
    if (!((forms->asked[i] | forms->launched[i]) & bit) && compiles(launch, member) &&
        cx_compile_record_find(launch->request.kernel->program, member, variant, function->name, form,
                               &seconds)) {
        forms->former[i] |= bit;
        if (!(history->compiles > 0))
            history->compiles = seconds;
    }
    forms->asked[i] |= bit;
    return (forms->launched[i] | forms->former[i]) & bit;
}

void cx_launch_compiled_keep(const struct cx_launch *launch, unsigned member, enum cx_variant variant,
                             bool at_start, double seconds)
{
    if (compiles(launch, member))
        cx_compile_record_keep(launch->request.kernel->program, member, variant,
                               launch->request.kernel->function->name, form_of(launch, variant, at_start),
                               seconds);
}

bool cx_launch_compile_key(const struct cx_launch *launch, unsigned member, enum cx_variant variant,
                           bool at_start, char key[CX_DISK_CACHE_KEY_SIZE])
{
    return compiles(launch, member) && cx_compile_record_key(launch->request.kernel->program, member, variant,
                                                             launch->request.kernel->function->name,
                                                             form_of(launch, variant, at_start), key);
}

bool cx_launch_compile_once(const struct cx_launch *launch, struct cx_kernel_history *history,
                            unsigned member, enum cx_variant variant, bool at_start)
{
    const uint64_t bit = UINT64_C(1) << member;
    const unsigned i = find_or_add(&history->forms, form_of(launch, variant, at_start));
    if (i == CX_LAUNCH_FORMS || history->forms.ahead[i] & bit)
        return false;
    history->forms.ahead[i] |= bit;
    return true;
}
