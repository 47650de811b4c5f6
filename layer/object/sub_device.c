/* SPDX-License-Identifier: MIT */
/*
 * Sub-devices of the virtual device: some of its members, or parts of members where their drivers can cut
 * them. Units are compute units, as in OpenCL.
 *
 * Every sub-device of one call is first put together in numbers (struct share); then each member that has to
 * be cut is cut once, so that its parts do not overlap. Previous stage: device.c. Next: context.c opens the
 * members.
 */
#include "layer/object/device.h"
#include "layer/base/entry.h"
#include "layer/driver/sub_devices.h"
#include "layer/base/log.h"

#include <stdlib.h>
#include <string.h>

static const char me[] = "clCreateSubDevices";

/* What a member's driver can do. */
struct cutter {
    bool by_counts, equally;
    cl_uint units, max_parts;
    cl_device_affinity_domain domains;
    /* of one partition */
    bool used;        /* some of it, or all */
    cl_uint left;     /* units not given away */
    cl_uint ncounts;  /* parts to be cut */
    cl_device_id *id; /* the driver's sub-devices, in the order of the shares; NULL once taken over */
};

/* A member, or `units` of it, in one sub-device. */
struct share {
    unsigned sub, member;
    cl_uint units; /* 0: the member as it is */
    cl_uint part;  /* else which of its parts */
};

struct partition {
    struct cx_device *device;
    struct cutter *cutter; /* one a member */
    unsigned nsubs;
    cl_uint *count; /* units of each sub-device wanted */
    unsigned nshares, room;
    struct share *share;
    cl_device_partition_property *type; /* what each sub-device says it is, with the closing 0 */
    size_t ntype;
};

/* ---- what members can do ---- */

static struct cutter ask_cutter(const struct cx_real_device *member)
{
    struct cutter cutter = {.units = member->compute_units ? member->compute_units : 1, .max_parts = 1};
    cl_device_partition_property list[16];
    size_t size = 0;
    cl_uint most = 0;
    const cl_icd_dispatch *cl = member->cl;

    cutter.left = cutter.units;
    if (!cl->clCreateSubDevices || cutter.units < 2 ||
        cl->clGetDeviceInfo(member->id, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof most, &most, NULL) !=
            CL_SUCCESS ||
        most < 2 ||
        cl->clGetDeviceInfo(member->id, CL_DEVICE_PARTITION_PROPERTIES, sizeof list, list, &size) !=
            CL_SUCCESS)
        return cutter;
    cutter.max_parts = most;
    for (size_t i = 0; i < size / sizeof *list; i++) {
        cutter.by_counts |= list[i] == CL_DEVICE_PARTITION_BY_COUNTS;
        cutter.equally |= list[i] == CL_DEVICE_PARTITION_EQUALLY;
        if (list[i] == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN)
            cl->clGetDeviceInfo(member->id, CL_DEVICE_PARTITION_AFFINITY_DOMAIN, sizeof cutter.domains,
                                &cutter.domains, NULL);
    }
    return cutter;
}

unsigned cx_device_partitions(const struct cx_device *device, cl_device_partition_property *list,
                              cl_uint *max_sub_devices, cl_device_affinity_domain *domains)
{
    unsigned count = 0;
    *max_sub_devices = 0;
    *domains = 0;
    for (unsigned m = 0; m < device->nmembers; m++) {
        const struct cutter cutter = ask_cutter(device->members[m]);
        bool cuts = cutter.by_counts || cutter.equally || cutter.domains;
        cl_uint parts = cutter.max_parts < cutter.units ? cutter.max_parts : cutter.units;
        *max_sub_devices += cuts ? parts : 1;
        *domains |= cutter.domains;
    }
    if (*max_sub_devices > device->units)
        *max_sub_devices = device->units;
    if (*max_sub_devices < 2) {
        *max_sub_devices = 0;
        return 0;
    }
    list[count++] = CL_DEVICE_PARTITION_EQUALLY;
    list[count++] = CL_DEVICE_PARTITION_BY_COUNTS;
    if (*domains)
        list[count++] = CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN;
    return count;
}

/* ---- who gets what, in numbers ---- */

static bool add_share(struct partition *partition, unsigned sub, unsigned member, cl_uint units)
{
    struct cutter *cutter = &partition->cutter[member];
    if (partition->nshares == partition->room) {
        unsigned room = partition->room ? 2 * partition->room : 8;
        struct share *grown = realloc(partition->share, room * sizeof *grown);
        if (!grown)
            return false;
        partition->share = grown;
        partition->room = room;
    }
    partition->share[partition->nshares++] =
        (struct share){sub, member, units, units ? cutter->ncounts++ : 0};
    cutter->used = true;
    cutter->left -= units ? units : cutter->units;
    return true;
}

/* The largest member nobody uses with at most (or exactly) so many units; nmembers: none. */
static unsigned find_whole(const struct partition *partition, cl_uint units, bool exactly)
{
    unsigned best = partition->device->nmembers;
    for (unsigned m = 0; m < partition->device->nmembers; m++) {
        const struct cutter *cutter = &partition->cutter[m];
        if (!cutter->used && (exactly ? cutter->units == units : cutter->units <= units) &&
            (best == partition->device->nmembers || cutter->units > partition->cutter[best].units))
            best = m;
    }
    return best;
}

/* The member that can be cut and has most units left. */
static unsigned find_cut(const struct partition *partition)
{
    unsigned best = partition->device->nmembers;
    for (unsigned m = 0; m < partition->device->nmembers; m++) {
        const struct cutter *cutter = &partition->cutter[m];
        if ((cutter->by_counts || cutter->equally) && cutter->left && cutter->ncounts < cutter->max_parts &&
            (best == partition->device->nmembers || cutter->left > partition->cutter[best].left))
            best = m;
    }
    return best;
}

/* Whole members as long as they fit, the largest first, then parts; a part of one member where the parent
 * shows the units of one, so that the sub-device shows those asked for. */
static bool fill(struct partition *partition, unsigned sub, cl_uint units)
{
    const unsigned none = partition->device->nmembers;
    unsigned m = find_cut(partition);
    if (!partition->device->sum && m != none && units && partition->cutter[m].left >= units)
        return add_share(partition, sub, m, units);
    while (units && (m = find_whole(partition, units, false)) != none) {
        units -= partition->cutter[m].units;
        if (!add_share(partition, sub, m, 0))
            return false;
    }
    while (units && (m = find_cut(partition)) != none) {
        cl_uint part = partition->cutter[m].left < units ? partition->cutter[m].left : units;
        units -= part;
        if (!add_share(partition, sub, m, part))
            return false;
    }
    return units == 0;
}

/* Whether every member that must be cut can be cut so: some drivers only make equal parts. */
static bool can_cut(const struct partition *partition)
{
    for (unsigned i = 0; i < partition->nshares; i++) {
        const struct share *share = &partition->share[i];
        if (!share->units || partition->cutter[share->member].by_counts)
            continue;
        for (unsigned j = 0; j < i; j++)
            if (partition->share[j].member == share->member && partition->share[j].units != share->units)
                return false;
    }
    return true;
}

/* Shares for nsubs sub-devices of count[] units. Those that are just one member come first. */
static bool assign(struct partition *partition)
{
    const unsigned none = partition->device->nmembers;
    bool *done = calloc(partition->nsubs + 1, sizeof *done), all = done != NULL;
    partition->nshares = 0;
    for (unsigned m = 0; m < none; m++) {
        partition->cutter[m].used = false;
        partition->cutter[m].ncounts = 0;
        partition->cutter[m].left = partition->cutter[m].units;
    }
    for (unsigned s = 0; all && s < partition->nsubs; s++) {
        unsigned m = find_whole(partition, partition->count[s], true);
        done[s] = m != none;
        if (done[s])
            all = add_share(partition, s, m, 0);
    }
    for (unsigned s = 0; all && s < partition->nsubs; s++)
        if (!done[s])
            all = fill(partition, s, partition->count[s]);
    free(done);
    return all && can_cut(partition);
}

/* ---- cutting members ---- */

/* As many parts as there are shares of the member; a driver that makes equal parts may make more. */
static cl_int cut_member(struct partition *partition, unsigned member)
{
    struct cutter *cutter = &partition->cutter[member];
    const struct cx_real_device *real = partition->device->members[member];
    cl_device_partition_property *list = calloc(cutter->ncounts + 3, sizeof *list);
    cl_uint made = cutter->ncounts, room = cutter->by_counts ? made : cutter->units;
    cutter->id = calloc(room + 1, sizeof *cutter->id);
    cl_int code = CL_OUT_OF_HOST_MEMORY;
    if (list && cutter->id) {
        list[0] = cutter->by_counts ? CL_DEVICE_PARTITION_BY_COUNTS : CL_DEVICE_PARTITION_EQUALLY;
        for (unsigned i = 0; i < partition->nshares; i++)
            if (partition->share[i].member == member)
                list[1 + partition->share[i].part] = partition->share[i].units;
        if (!cutter->by_counts)
            list[2] = 0;
        code = cx_sub_devices_make(real, list, room, cutter->id, &made);
    }
    for (cl_uint i = cutter->ncounts; code == CL_SUCCESS && i < made && i < room; i++) {
        cx_sub_device_give_back(real->platform, cutter->id[i]);
        cutter->id[i] = NULL;
    }
    free(list);
    return code == CL_SUCCESS && made < cutter->ncounts ? CL_DEVICE_PARTITION_FAILED : code;
}

static cl_int cut_members(struct partition *partition)
{
    for (unsigned m = 0; m < partition->device->nmembers; m++) {
        cl_int code = partition->cutter[m].ncounts ? cut_member(partition, m) : CL_SUCCESS;
        if (code != CL_SUCCESS) {
            cx_warn(CX_TOPIC_DRIVER, "%s cannot be cut as asked: %s", partition->device->members[m]->name,
                    cx_cl_name(code));
            return code == CL_OUT_OF_HOST_MEMORY ? code : CL_DEVICE_PARTITION_FAILED;
        }
    }
    return CL_SUCCESS;
}

/* ---- making the sub-devices ---- */

static struct cx_device *make_sub(struct partition *partition, unsigned sub)
{
    struct cx_device *device = NULL, *parent = partition->device;
    struct cx_real_device **members = calloc(parent->nmembers + 1, sizeof *members);
    struct cx_real_device **parts = calloc(parent->nmembers + 1, sizeof *parts);
    cl_device_partition_property *type = malloc(partition->ntype * sizeof *type);
    unsigned nmembers = 0, nparts = 0;
    bool good = members && parts && type;

    for (unsigned i = 0; good && i < partition->nshares; i++) {
        const struct share *share = &partition->share[i];
        if (share->sub != sub)
            continue;
        members[nmembers] = parent->members[share->member];
        if (share->units) {
            cl_device_id *id = &partition->cutter[share->member].id[share->part];
            members[nmembers] = parts[nparts] = cx_real_device_new_part(members[nmembers], *id);
            if (!(good = parts[nparts] != NULL))
                break;
            *id = NULL;
            parts[nparts++]->part = share->part + 1;
        }
        nmembers++;
    }
    if (good)
        device = cx_device_new(members, nmembers, parent);
    else
        free(members);
    if (!device) {
        for (unsigned p = 0; parts && p < nparts; p++)
            cx_real_device_free_part(parts[p]);
        free(parts);
        free(type);
        return NULL;
    }
    device->parts = parts;
    device->nparts = nparts;
    device->partition = memcpy(type, partition->type, partition->ntype * sizeof *type);
    device->npartition = partition->ntype;
    return device;
}

static cl_int make_subs(struct partition *partition, cl_device_id *out)
{
    for (unsigned s = 0; s < partition->nsubs; s++) {
        struct cx_device *made = make_sub(partition, s);
        if (!made) {
            while (s--)
                cx_object_release_app(&((struct cx_device *)out[s])->base);
            return CL_OUT_OF_HOST_MEMORY;
        }
        out[s] = (cl_device_id)made;
    }
    return CL_SUCCESS;
}

/* ---- the three ways of asking ---- */

/* Copies the program's list, with `n` entries and the closing 0. */
static bool keep_type(struct partition *partition, const cl_device_partition_property *list, size_t n)
{
    partition->type = calloc(n + 1, sizeof *list);
    partition->ntype = n + 1;
    if (partition->type)
        memcpy(partition->type, list, n * sizeof *list);
    return partition->type != NULL;
}

static cl_int plan_counts(struct partition *partition, const cl_device_partition_property *list,
                          cl_uint max_sub_devices)
{
    size_t n = 0;
    cl_ulong sum = 0;
    const cl_ulong units = partition->device->units;
    for (; list[1 + n] != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END; n++) {
        if (list[1 + n] < 0 || (sum += (cl_ulong)list[1 + n]) > units)
            return cx_fail(me, CL_INVALID_DEVICE_PARTITION_COUNT, "more compute units than the device has");
    }
    if (n == 0)
        return cx_fail(me, CL_INVALID_VALUE, "no sub-device is asked for");
    if (n > max_sub_devices)
        return cx_fail(me, CL_INVALID_DEVICE_PARTITION_COUNT, "over CL_DEVICE_PARTITION_MAX_SUB_DEVICES");
    partition->count = calloc(n, sizeof *partition->count);
    if (!partition->count || !keep_type(partition, list, n + 2))
        return CL_OUT_OF_HOST_MEMORY;
    for (partition->nsubs = 0; partition->nsubs < n; partition->nsubs++)
        partition->count[partition->nsubs] = (cl_uint)list[1 + partition->nsubs];
    return assign(partition) ? CL_SUCCESS
                             : cx_fail(me, CL_DEVICE_PARTITION_FAILED,
                                       "the counts do not fit real devices that cannot be cut");
}

/* As many sub-devices of so many units as the members allow. */
static cl_int plan_equally(struct partition *partition, const cl_device_partition_property *list,
                           cl_uint max_sub_devices)
{
    const cl_ulong units = partition->device->units;
    if (list[1] <= 0)
        return cx_fail(me, CL_INVALID_VALUE, "sub-devices without compute units");
    if ((cl_ulong)list[1] > units)
        return cx_fail(me, CL_INVALID_DEVICE_PARTITION_COUNT, "more compute units than the device has");
    if ((cl_ulong)list[1] == units)
        return cx_fail(me, CL_DEVICE_PARTITION_FAILED, "one part, which would be the device itself");
    cl_ulong n = units / (cl_ulong)list[1];
    if (n > max_sub_devices)
        n = max_sub_devices;
    partition->count = calloc(n + 1, sizeof *partition->count);
    if (!partition->count || !keep_type(partition, list, 2))
        return CL_OUT_OF_HOST_MEMORY;
    for (cl_ulong s = 0; s < n; s++)
        partition->count[s] = (cl_uint)list[1];
    for (partition->nsubs = (unsigned)n; partition->nsubs; partition->nsubs--)
        if (assign(partition))
            return CL_SUCCESS;
    return cx_fail(me, CL_DEVICE_PARTITION_FAILED,
                   "no sub-device of that size can be made of the real devices");
}

/* Each member that knows the domain is cut by its driver; any other is a sub-device as it is. */
static cl_int plan_affinity(struct partition *partition, const cl_device_partition_property *list,
                            cl_device_affinity_domain domains)
{
    const cl_device_affinity_domain wanted = (cl_device_affinity_domain)list[1];
    cl_int code = CL_SUCCESS;
    if (!wanted || (wanted & (wanted - 1)) ||
        !(wanted & (domains | (domains ? CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE : 0))))
        return cx_fail(me, CL_INVALID_VALUE, "an affinity domain that no member has");
    if (!keep_type(partition, list, 2))
        return CL_OUT_OF_HOST_MEMORY;
    for (unsigned m = 0; m < partition->device->nmembers && code == CL_SUCCESS; m++) {
        struct cutter *cutter = &partition->cutter[m];
        const struct cx_real_device *real = partition->device->members[m];
        cl_uint count = 0;
        bool cuts = cutter->domains & wanted ||
                    (cutter->domains && wanted == CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE);
        if (cuts && real->cl->clCreateSubDevices(real->id, partition->type, 0, NULL, &count) == CL_SUCCESS &&
            count && (cutter->id = calloc(count, sizeof *cutter->id)) != NULL &&
            cx_sub_devices_make(real, partition->type, count, cutter->id, &count) != CL_SUCCESS)
            count = 0;
        for (cl_uint i = 0; i < count && code == CL_SUCCESS; i++)
            code = add_share(partition, partition->nsubs++, m, 1) ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
        if (!count)
            code = add_share(partition, partition->nsubs++, m, 0) ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    return code;
}

/* What the parts say of the domain that was the next one. */
static void name_domain(struct partition *partition)
{
    cl_device_partition_property said[4] = {0};
    size_t size = 0;
    for (unsigned i = 0; i < partition->nshares; i++) {
        const struct share *share = &partition->share[i];
        const struct cx_real_device *real = partition->device->members[share->member];
        if (share->units &&
            real->cl->clGetDeviceInfo(partition->cutter[share->member].id[share->part],
                                      CL_DEVICE_PARTITION_TYPE, sizeof said, said, &size) == CL_SUCCESS &&
            size >= 2 * sizeof *said && said[0] == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN) {
            partition->type[1] = said[1];
            return;
        }
    }
}

static void finish(struct partition *partition)
{
    for (unsigned m = 0; partition->cutter && m < partition->device->nmembers; m++) {
        struct cutter *cutter = &partition->cutter[m];
        for (cl_uint i = 0; cutter->id && i < cutter->ncounts; i++)
            if (cutter->id[i])
                cx_sub_device_give_back(partition->device->members[m]->platform, cutter->id[i]);
        free(cutter->id);
    }
    free(partition->cutter);
    free(partition->count);
    free(partition->share);
    free(partition->type);
}

/* Whether a device, or one that it is part of, can be partitioned in that way. */
static bool is_way(const struct cx_device *device, cl_device_partition_property way)
{
    cl_device_partition_property known[3];
    cl_uint max_sub_devices;
    cl_device_affinity_domain domains;

    for (; device; device = device->parent) {
        unsigned n = cx_device_partitions(device, known, &max_sub_devices, &domains);
        while (n--)
            if (known[n] == way)
                return true;
    }
    return false;
}

static cl_int plan(struct partition *partition, const cl_device_partition_property *list)
{
    cl_device_partition_property known[3];
    cl_uint max_sub_devices;
    cl_device_affinity_domain domains;
    unsigned n = cx_device_partitions(partition->device, known, &max_sub_devices, &domains), i = 0;
    while (i < n && known[i] != list[0])
        i++;
    if (i == n && n == 0 && is_way(partition->device->parent, list[0]))
        return cx_fail(me, CL_DEVICE_PARTITION_FAILED, "the sub-device cannot be partitioned further");
    if (i == n)
        return cx_fail(me, CL_INVALID_VALUE, "the device cannot be partitioned in that way");
    if (list[0] == CL_DEVICE_PARTITION_BY_COUNTS)
        return plan_counts(partition, list, max_sub_devices);
    if (list[2])
        return cx_fail(me, CL_INVALID_VALUE,
                       "one way to partition and one value are asked for, then comes 0");
    if (list[0] == CL_DEVICE_PARTITION_EQUALLY)
        return plan_equally(partition, list, max_sub_devices);
    return plan_affinity(partition, list, domains);
}

cl_int cx_clCreateSubDevices(cl_device_id handle, const cl_device_partition_property *list, cl_uint room,
                             cl_device_id *out, cl_uint *count)
{
    struct partition partition = {.device = cx_device_from(handle)};
    if (!partition.device)
        return CX_FAIL(CL_INVALID_DEVICE, "not a device");
    if (!list || !list[0])
        return CX_FAIL(CL_INVALID_VALUE, "no way of partitioning is named");
    partition.cutter = calloc(partition.device->nmembers, sizeof *partition.cutter);
    if (!partition.cutter)
        return CX_FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for sub-devices");
    for (unsigned m = 0; m < partition.device->nmembers; m++)
        partition.cutter[m] = ask_cutter(partition.device->members[m]);

    cl_int code = plan(&partition, list);
    if (code == CL_SUCCESS && out && room < partition.nsubs)
        code = CX_FAIL(CL_INVALID_VALUE, "no room for all sub-devices");
    if (code == CL_SUCCESS && out) {
        if (list[0] != CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN)
            code = cut_members(&partition);
        else if (list[1] == CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE)
            name_domain(&partition);
        if (code == CL_SUCCESS)
            code = make_subs(&partition, out);
    }
    if (code == CL_SUCCESS && count)
        *count = partition.nsubs;
    finish(&partition);
    return code;
}
