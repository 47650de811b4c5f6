/* SPDX-License-Identifier: MIT */
/*
 * The recording's lines about programs. See record_program.h.
 */
#include "layer/program/record_program.h"
#include "layer/base/options.h"
#include "layer/base/sha256.h"
#include "layer/program/program.h"
#include "layer/report/recording.h"
#include "layer/source/macro_identity.h"
#include "layer/timeline/worker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void write_program(FILE *out, const struct cx_program *program, const char *name)
{
    const struct cx_context *context = program->context;
    struct cx_macro_identity identity;
    cx_macro_identity_make(context->workers[context->fastest].device, &identity);
    fprintf(out,
            "{\"type\":\"program\",\"program\":%" PRIu64 ",\"source\":\"%s\",\"options\":", program->base.id,
            name);
    cx_recording_text(out, program->build.text ? program->build.text_options : program->build.options);
    fputs(",\"extensions\":", out);
    cx_recording_text(out, identity.extensions);
    fputs(",\"defines\":[", out);
    for (unsigned i = 0; i < identity.ndefines; i++) {
        fputs(i ? "," : "", out);
        cx_recording_text(out, identity.define[i]);
    }
    fputs("]}\n", out);
}

void cx_record_program(const struct cx_program *program)
{
    struct cx_sha256 hash;
    unsigned char digest[32];
    const char *text = program->build.text ? program->build.text : program->origin.source;
    char name[72], *line = NULL;
    size_t size = 0;
    if (!*cx_options_get()->record || !text)
        return;
    cx_sha256_init(&hash);
    cx_sha256_add(&hash, text, strlen(text));
    cx_sha256_end(&hash, digest);
    for (unsigned i = 0; i < sizeof(digest); i++)
        snprintf(name + 2 * i, 3, "%02x", digest[i]);
    strcpy(name + 2 * sizeof(digest), ".cl");
    FILE *out = open_memstream(&line, &size);
    if (!out)
        return;
    write_program(out, program, name);
    if (fclose(out) == 0)
        cx_recording_source(name, text, line, size);
    free(line);
}
