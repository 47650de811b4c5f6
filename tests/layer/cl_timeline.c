/* SPDX-License-Identifier: MIT */
/* Timelines of the stub driver. See cl_timeline.h. */
#include "cl_timeline.h"

#include <stdio.h>
#include <string.h>

unsigned cl_spans_read(const char *path, struct cl_span *spans, unsigned room)
{
    FILE *file = fopen(path, "r");
    unsigned n = 0;
    while (file && n < room &&
           fscanf(file, "%lu %lu d%u q%u %15s %lu %lu", &spans[n].start, &spans[n].end, &spans[n].device,
                  &spans[n].queue, spans[n].what, &spans[n].first, &spans[n].count) == 7)
        n++;
    if (file)
        fclose(file);
    return n;
}

bool cl_span_is(const struct cl_span *span, const char *what)
{
    return strcmp(span->what, what) == 0;
}

unsigned cl_spans_count(const struct cl_span *spans, unsigned n, const char *what)
{
    unsigned count = 0;
    for (unsigned i = 0; i < n; i++)
        count += cl_span_is(&spans[i], what);
    return count;
}

unsigned cl_spans_beside_kernels(const struct cl_span *spans, unsigned n, const char *what)
{
    unsigned count = 0;
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < n && cl_span_is(&spans[i], what); k++)
            count += cl_span_is(&spans[k], "kernel") && spans[k].device == spans[i].device &&
                     spans[k].queue != spans[i].queue && spans[i].start > spans[k].start &&
                     spans[i].start < spans[k].end;
    return count;
}
