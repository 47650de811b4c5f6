/* SPDX-License-Identifier: MIT */
/*
 * coexec-analyse: reads an OpenCL C program and writes the access summaries of its kernels.
 *
 * The layer starts it once for each program build; it can be run by hand as well (--explain). LLVM lives in
 * this process alone, so that its crashes, its memory and its symbols stay out of the program that uses
 * OpenCL. Path: macros.c, compile.c, pipeline.c, kernel.c (cfg.c, scan.c, build.c), then
 * layer/access/summary_blob.c.
 */
#include "layer/analyser/compile.h"
#include "layer/analyser/kernel.h"
#include "layer/analyser/macros.h"
#include "layer/analyser/map.h"
#include "layer/analyser/outlast.h"
#include "layer/analyser/pipeline.h"
#include "layer/source/compiler_macros.h"
#include "layer/access/explain.h"
#include "layer/source/include_hash.h"

#include <llvm-c/BitReader.h>

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifndef CX_CLANG
#define CX_CLANG "clang"
#endif

/* Exit statuses. */
enum { DONE = 0, COMPILE_FAILED = 1, USAGE = 2, INTERNAL = 3, NO_CLANG = 4, TOO_SLOW = 5 };

struct request {
    struct cx_compile_request compile;
    const char *output;        /* NULL or "-": standard output */
    const char *text;          /* file for the preprocessed text, or NULL */
    const char *cache_path;    /* its place in the layer's cache, or NULL */
    const char *build_options; /* as one string; NULL: they came as several */
    bool includes;             /* the result is only to be kept if the text's files still have this sum: */
    unsigned char included[CX_INCLUDE_HASH_SIZE];
    unsigned process; /* who wants it; 0: not told */
    unsigned limit_ms;
    bool explain, timing;
    bool idle;
    bool ask; /* doubts about macros are an answer, too */
};

static const char usage[] =
    "usage: coexec-analyse [options] SOURCE.cl [-- OPENCL-BUILD-OPTIONS]\n"
    "  -o FILE            write the summary there (default: standard output)\n"
    "  --explain          write readable text instead\n"
    "  --clang PROGRAM    compiler to run (default: " CX_CLANG ")\n"
    "  --time-limit MS    for the analysis; the compiler has five times as long (default: 2000)\n"
    "  --idle             run while a core has nothing else to do; limits then count processor time\n"
    "  --memory-limit MB  of each of the two (default: 4096)\n"
    "  --extensions LIST  the device's extensions and features (default: all)\n"
    "  --define NAME[=X]  a macro of the device\n"
    "  --told FILE        what the device's compiler defines: lines of #undef NAME and #define NAME X\n"
    "  --ask              where macros are in doubt, write what to ask the device's compiler, or a refusal\n"
    "  --text FILE        write the preprocessed text there, too\n"
    "  --keep FILE        where to write, too, should the program that wants it end; SOURCE's folder goes "
    "then\n"
    "  --for PROCESS      that program's number\n"
    "  --included SUM     of the files that SOURCE includes; if they change meanwhile, nothing is kept\n"
    "  -I DIR             folder to look for headers in\n"
    "  --bits 32|64       the device's pointers (default: 64)\n"
    "  --timing           tell on standard error how long each stage took\n"
    "  --version          tell the summary version\n"
    "SOURCE.cl may be '-' for standard input. Build options are one string as given to clBuildProgram, or "
    "several words.\n";

static double clock_ms(clockid_t clock)
{
    struct timespec ts;

    clock_gettime(clock, &ts);
    return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static bool parse_number(const char *text, unsigned *number)
{
    char *end;
    unsigned long value;

    errno = 0;
    value = strtoul(text, &end, 10);
    if (errno || end == text || *end || value == 0 || value > 86400000) {
        return false;
    }
    *number = (unsigned)value;
    return true;
}

/* An option with a value; false where it is none of them or its value is no good. */
static bool parse_valued(struct request *r, const char *name, const char *value)
{
    if (strcmp(name, "-o") == 0) {
        r->output = value;
    } else if (strcmp(name, "--clang") == 0) {
        r->compile.clang = value;
    } else if (strcmp(name, "--time-limit") == 0) {
        return parse_number(value, &r->limit_ms);
    } else if (strcmp(name, "--memory-limit") == 0) {
        return parse_number(value, &r->compile.memory_mb);
    } else if (strcmp(name, "--extensions") == 0) {
        r->compile.extensions = value;
    } else if (strcmp(name, "--define") == 0) {
        cx_strings_add(&r->compile.defines, value, strlen(value));
    } else if (strcmp(name, "--told") == 0) {
        r->compile.replies = value;
    } else if (strcmp(name, "--text") == 0) {
        r->text = value;
    } else if (strcmp(name, "--keep") == 0) {
        r->cache_path = value;
    } else if (strcmp(name, "--for") == 0) {
        return parse_number(value, &r->process);
    } else if (strcmp(name, "--included") == 0) {
        r->includes = true;
        return cx_include_hash_parse(value, r->included);
    } else if (strcmp(name, "-I") == 0) {
        cx_strings_add(&r->compile.includes, value, strlen(value));
    } else if (strcmp(name, "--bits") == 0) {
        r->compile.bits32 = strcmp(value, "32") == 0;
        return r->compile.bits32 || strcmp(value, "64") == 0;
    } else {
        return false;
    }
    return true;
}

static bool parse_options(struct request *r, int argc, char **argv, int i)
{
    if (argc - i == 1) {
        cx_strings_split(&r->compile.options, argv[i]);
        r->build_options = argv[i];
        return true;
    }
    for (; i < argc; i++) {
        cx_strings_add(&r->compile.options, argv[i], strlen(argv[i]));
    }
    return true;
}

static bool parse_arguments(struct request *r, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            return parse_options(r, argc, argv, i + 1) && r->compile.source;
        } else if (strcmp(argv[i], "--explain") == 0) {
            r->explain = true;
        } else if (strcmp(argv[i], "--idle") == 0) {
            r->idle = true;
        } else if (strcmp(argv[i], "--ask") == 0) {
            r->ask = true;
        } else if (strcmp(argv[i], "--timing") == 0) {
            r->timing = true;
        } else if (strncmp(argv[i], "-I", 2) == 0 && argv[i][2]) {
            cx_strings_add(&r->compile.includes, argv[i] + 2, strlen(argv[i] + 2));
        } else if (argv[i][0] == '-' && argv[i][1]) {
            if (i + 1 >= argc || !parse_valued(r, argv[i], argv[i + 1])) {
                return false;
            }
            i++;
        } else if (r->compile.source) {
            return false;
        } else {
            r->compile.source = argv[i];
        }
    }
    return r->compile.source != NULL;
}

/* The module and a summary in which every kernel is described and nothing else is known of it. */
struct work {
    double deadline, most_cpu; /* ms: kernels not begun by then, or after so much work, are left out */
    LLVMModuleRef module;
    struct cx_summary summary;
    bool assembly; /* some function has inline assembly */
};

/* What LLVM has to say about its optimisations interests nobody here. */
static void ignore_diagnostic(LLVMDiagnosticInfoRef info, void *context)
{
    (void)info;
    (void)context;
}

static bool load(const struct cx_buffer *bitcode, struct work *work)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMMemoryBufferRef memory =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(bitcode->data, bitcode->size, "program");
    struct cx_summary *s = &work->summary;
    bool ok;

    LLVMContextSetDiagnosticHandler(context, ignore_diagnostic, NULL);
    ok = LLVMParseBitcodeInContext2(context, memory, &work->module) == 0;
    LLVMDisposeMemoryBuffer(memory);
    if (!ok) {
        return false;
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(work->module); f; f = LLVMGetNextFunction(f)) {
        work->assembly |= cx_pipeline_has_assembly(f);
        if (cx_pipeline_is_kernel(f)) {
            s->kernel = cx_realloc(s->kernel, s->nkernel + 1, sizeof(*s->kernel));
            cx_kernel_describe(&s->kernel[s->nkernel++], f, work->module);
        }
    }
    return true;
}

static int emit(const struct cx_summary *summary)
{
    void *blob;
    size_t size;

    if (cx_summary_serialise(summary, &blob, &size) != CX_SUMMARY_OK) {
        return INTERNAL;
    }
    fwrite(blob, 1, size, stdout);
    free(blob);
    return fflush(stdout) ? INTERNAL : DONE;
}

/* Where it is not known which functions the kernel reaches, it may be those with assembly. */
static void suspect_assembly(const struct work *work, struct cx_summary_kernel *k)
{
    bool unknown = k->flags & CX_SUMMARY_OPAQUE;

    for (uint32_t n = 0; n < k->nnote; n++) {
        unknown |= k->note[n].reason == CX_REASON_RECURSION || k->note[n].reason == CX_REASON_INDIRECT_CALL;
    }
    if (unknown && work->assembly) {
        k->flags |= CX_SUMMARY_ONE_MODEL;
    }
}

/* The child: passes and analysis, the blob to standard output. */
static int analyse(void *context)
{
    struct work *work = context;
    bool *too_large = cx_alloc(work->summary.nkernel, sizeof(*too_large));
    char *message = cx_pipeline_run(work->module, too_large);

    if (message) {
        fprintf(stderr, "%s\n", message);
        return INTERNAL;
    }
    for (uint32_t i = 0; i < work->summary.nkernel; i++) {
        struct cx_summary_kernel *k = &work->summary.kernel[i];
        LLVMValueRef f = LLVMGetNamedFunction(work->module, k->name);
        if (clock_ms(CLOCK_MONOTONIC) > work->deadline ||
            clock_ms(CLOCK_PROCESS_CPUTIME_ID) > work->most_cpu) { /* what is done by now is kept */
            cx_kernel_make_opaque(k, CX_REASON_TIME_LIMIT);
        } else if (too_large[i] || !f || LLVMCountBasicBlocks(f) == 0) {
            cx_kernel_make_opaque(k, CX_REASON_TOO_COMPLEX);
        } else {
            cx_kernel_analyse(k, f, work->module);
        }
        suspect_assembly(work, k);
    }
    return emit(&work->summary);
}

/* The blob of the analysis, or of kernels of which nothing is known but why. */
static int analyse_guarded(const struct request *r, struct work *work, struct cx_summary **summary)
{
    struct cx_buffer out, err;
    enum cx_process_status status;
    int result = DONE;

    work->most_cpu = r->limit_ms * 0.8;
    work->deadline = clock_ms(CLOCK_MONOTONIC) + work->most_cpu * cx_process_patience();
    status = cx_process_run(analyse, work, r->limit_ms, r->compile.memory_mb, &out, &err);
    if (status != CX_PROCESS_OK || cx_summary_parse(out.data, out.size, summary) != CX_SUMMARY_OK) {
        void *blob;
        size_t size;
        for (uint32_t i = 0; i < work->summary.nkernel; i++) {
            cx_kernel_make_opaque(&work->summary.kernel[i], status == CX_PROCESS_TIMEOUT
                                                                ? CX_REASON_TIME_LIMIT
                                                                : CX_REASON_ANALYSER_CRASHED);
            suspect_assembly(work, &work->summary.kernel[i]);
        }
        result = cx_summary_serialise(&work->summary, &blob, &size) == CX_SUMMARY_OK &&
                         cx_summary_parse(blob, size, summary) == CX_SUMMARY_OK
                     ? DONE
                     : INTERNAL;
        free(blob);
    }
    free(out.data);
    free(err.data);
    return result;
}

/* A whole file or none: written beside its place first, unless something else than a file is there, such as a
 * device, which a file must not replace. */
static int write_file(const char *path, const void *data, size_t size)
{
    size_t length = strlen(path) + 32;
    char *draft = cx_alloc(length, 1);
    struct stat there;
    FILE *file;
    const bool beside = stat(path, &there) != 0 || S_ISREG(there.st_mode);
    bool ok;

    snprintf(draft, length, beside ? "%s.%ld" : "%s", path, (long)getpid());
    file = fopen(draft, "wb");
    ok = file && fwrite(data, 1, size, file) == size;
    ok = file && fclose(file) == 0 && ok;
    ok = ok && (!beside || rename(draft, path) == 0);
    if (!ok) {
        fprintf(stderr, "coexec-analyse: cannot write %s: %s\n", path, strerror(errno));
        if (file && beside) {
            unlink(draft);
        }
    }
    free(draft);
    return ok ? DONE : INTERNAL;
}

static int deliver(const struct request *r, const struct cx_summary *summary)
{
    void *blob;
    size_t size;
    int result;

    if (r->explain) {
        cx_explain_summary(stdout, summary, strcmp(r->compile.source, "-") ? r->compile.source : NULL);
        return fflush(stdout) ? INTERNAL : DONE;
    }
    if (!r->output || strcmp(r->output, "-") == 0) {
        return emit(summary);
    }
    if (cx_summary_serialise(summary, &blob, &size) != CX_SUMMARY_OK) {
        return INTERNAL;
    }
    result = write_file(r->output, blob, size);
    free(blob);
    return result;
}

/* Lines: CX_MACRO_QUESTION, the doubt, the options, then the names; or CX_MACRO_REFUSAL and the doubt. The
 * device was asked once, so what is still in doubt stays so. */
static int deliver_doubt(const struct request *r, const struct cx_macros *macros)
{
    struct cx_buffer text = {0};
    FILE *memory = open_memstream(&text.data, &text.size);
    bool ask = macros->askable && !r->compile.replies;
    int result;

    if (!memory) {
        return INTERNAL;
    }
    fprintf(memory, "%s\n%s\n", ask ? CX_MACRO_QUESTION : CX_MACRO_REFUSAL, macros->doubt);
    for (size_t i = 0; ask && i < macros->options.count; i++) {
        fprintf(memory, "%s%s", i ? " " : "", macros->options.item[i]);
    }
    for (size_t i = 0; ask && i < macros->names.count; i++) {
        fprintf(memory, "\n%s", macros->names.item[i]);
    }
    fputs("\n", memory);
    fclose(memory);
    result = r->output ? write_file(r->output, text.data, text.size) : USAGE;
    free(text.data);
    return result;
}

/* What the layer compares between devices. None is written where clang fails: then nothing is the same. */
static int deliver_text(const struct request *r)
{
    struct cx_buffer text;
    int result = DONE;

    if (r->text && cx_compile_text(&r->compile, &text) == CX_PROCESS_OK) {
        result = write_file(r->text, text.data, text.size);
        free(text.data);
    }
    return result;
}

static int compile_failure(enum cx_process_status status, const char *message)
{
    fprintf(stderr, "coexec-analyse: %s\n", message);
    if (status == CX_PROCESS_TIMEOUT) {
        return TOO_SLOW;
    }
    return strstr(message, "error: cannot run ") == message ? NO_CLANG : COMPILE_FAILED;
}

/* The doubt's part of run: whether there is one, and with what it ends the program. */
static bool in_doubt(struct request *r, int *result)
{
    struct cx_macros macros;
    bool doubt;

    cx_macros_read(&r->compile, &macros);
    doubt = macros.doubt;
    r->compile.assembly = macros.assembly;
    if (doubt) {
        *result = r->ask ? deliver_doubt(r, &macros) : COMPILE_FAILED;
        if (!r->ask) {
            fprintf(stderr, "coexec-analyse: %s\n", macros.doubt);
        }
    }
    cx_macros_finish(&macros);
    return doubt;
}

static int run(struct request *r)
{
    double start = clock_ms(CLOCK_MONOTONIC), compiled;
    struct cx_buffer bitcode;
    struct cx_summary *summary;
    struct work work = {0};
    char *message;
    enum cx_process_status status;
    int result;

    if (in_doubt(r, &result)) {
        return result;
    }
    status = cx_compile(&r->compile, &bitcode, &message);
    if (status != CX_PROCESS_OK) {
        return compile_failure(status, message);
    }
    compiled = clock_ms(CLOCK_MONOTONIC);
    if (!load(&bitcode, &work)) {
        fputs("coexec-analyse: clang's bitcode cannot be read (another LLVM version?)\n", stderr);
        return INTERNAL;
    }
    free(bitcode.data);
    result = analyse_guarded(r, &work, &summary);
    if (result == DONE) {
        if (r->timing) {
            fprintf(stderr, "clang %.1f ms, analysis %.1f ms, %u kernels\n", compiled - start,
                    clock_ms(CLOCK_MONOTONIC) - compiled, summary->nkernel);
        }
        result = deliver(r, summary);
        if (result == DONE) {
            result = deliver_text(r);
        }
        cx_summary_destroy(&summary);
    }
    return result;
}

/* Whether the files that the text includes say what they said when the program was built. */
static bool is_keepable(const struct request *r)
{
    char *text = r->includes && r->build_options ? cx_source_read(r->compile.source) : NULL;
    const bool same = text && cx_include_hash_are(text, r->build_options, r->included);

    free(text);
    return same || !r->includes;
}

int main(int argc, char **argv)
{
    static struct cx_outlast outlast;
    struct request r = {.compile = {.clang = CX_CLANG, .memory_mb = 4096}, .limit_ms = 2000};
    int result;

    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("coexec-analyse, summary version %d\n", CX_SUMMARY_VERSION);
        return DONE;
    }
    if (!parse_arguments(&r, argc, argv)) {
        fputs(usage, stderr);
        return USAGE;
    }
    if (r.idle) { /* which goes for our children, too */
        sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0});
    }
    r.compile.limit_ms = r.limit_ms * 5;
    outlast = (struct cx_outlast){(long)r.process,   r.cache_path, r.compile.source,
                                  r.compile.replies, r.text,       r.output};
    if (r.cache_path && r.output) {
        cx_outlast_begin(&outlast);
    } else if (r.ask) { /* the layer's, with nothing to keep: it has no use without the program */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    }
    result = run(&r);
    cx_outlast_end(result == DONE && is_keepable(&r));
    cx_strings_finish(&r.compile.includes);
    cx_strings_finish(&r.compile.defines);
    cx_strings_finish(&r.compile.options);
    return result;
}
