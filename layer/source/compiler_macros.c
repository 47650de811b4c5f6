/* SPDX-License-Identifier: MIT */
/*
 * Asking a compiler for its macros. The program asked with is one constant string, put together by the
 * compiler from a line for each name: "-NAME", or "+NAME" and the expansion as # spells it. A kernel of one
 * work-item copies it out.
 *
 * Only what means the same to every compiler counts as an answer: no macro, one of numbers, strings and
 * operators, or a built-in function's name. A function-like macro spells as its own name. Operators with
 * their arguments (__has_builtin(x)) are asked by #if, and answer as "+NAME 0" or 1.
 */
#include "layer/source/compiler_macros.h"
#include "layer/source/analyser.h"
#include "layer/base/exit_guard.h"
#include "layer/base/disk_cache.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/driver/device.h"
#include "layer/base/lock.h"

#include <ctype.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_NAMES = 500, MOST_BYTES = 64 << 10, NAME_SIZE = 128 };

/* A text that grows; bad once memory ran out. */
struct text {
    char *data;
    size_t size;
    FILE *file;
};

static bool text_open(struct text *text)
{
    *text = (struct text){0};
    text->file = open_memstream(&text->data, &text->size);
    return text->file;
}

/* The text (free() it), or NULL. */
static char *text_close(struct text *text)
{
    if (fclose(text->file)) {
        free(text->data);
        text->data = NULL;
    }
    return text->data;
}

/* ---- questions ---- */

struct question {
    char *copy; /* holds all the others */
    const char *options;
    unsigned count;
    const char *name[MOST_NAMES];
};

static bool parse_question(const char *text, struct question *question)
{
    char *rest = NULL, *line;

    question->count = 0;
    question->options = "";
    question->copy = strdup(text);
    if (!question->copy)
        return false;
    line = question->copy;
    for (unsigned number = 0; line; number++, line = rest) {
        rest = strchr(line, '\n');
        if (rest)
            *rest++ = 0;
        if (number == 2)
            question->options = line;
        if (number > 2 && *line && (question->count == MOST_NAMES || strlen(line) >= NAME_SIZE))
            return false;
        if (number > 2 && *line)
            question->name[question->count++] = line;
    }
    return true;
}

static char *info_text(const struct cx_real_device *device, cl_device_info what)
{
    char text[256] = "";

    if (!device->cl->clGetDeviceInfo ||
        device->cl->clGetDeviceInfo(device->id, what, sizeof(text) - 1, text, NULL))
        *text = 0;
    return strdup(text);
}

/* Everything that the answers depend on. False: no memory. */
static bool key_of(const struct cx_real_device *device, const struct question *question,
                   char key[CX_DISK_CACHE_KEY_SIZE])
{
    const struct cx_real_platform *platform = device->platform;
    const char **texts =
        malloc((10 + MOST_NAMES) * sizeof(*texts)); /* large: threads may have small stacks */
    char *driver_version = info_text(device, CL_DRIVER_VERSION), bits[16];
    unsigned count = 0;

    snprintf(bits, sizeof(bits), "%u", device->limits.address_bits);
    const char *of_device[] = {"macros 1",
                               platform->driver,
                               platform->name,
                               platform->vendor,
                               platform->version,
                               device->name,
                               device->opencl_c_version,
                               driver_version,
                               bits,
                               question->options};
    for (size_t i = 0; texts && i < sizeof(of_device) / sizeof(of_device[0]); i++)
        texts[count++] = of_device[i] ? of_device[i] : "";
    for (unsigned i = 0; texts && i < question->count; i++)
        texts[count++] = question->name[i];
    *key = 0;
    if (texts)
        cx_disk_cache_key(key, count, texts);
    free(driver_version);
    free(texts);
    return texts != NULL;
}

/* ---- what was told before ---- */

struct known {
    struct known *next;
    char key[CX_DISK_CACHE_KEY_SIZE];
    char *replies; /* NULL: the device cannot tell */
    char why[160];
};
static struct cx_lock lock = CX_LOCK_INIT(CX_RANK_MACROS);
static struct known *known; /* kept for the process's life */

static const struct known *find_known(const char *key)
{
    const struct known *entry;

    cx_lock(&lock);
    for (entry = known; entry && strcmp(entry->key, key) != 0;)
        entry = entry->next;
    cx_unlock(&lock);
    return entry; /* never changed nor freed */
}

static void keep_known(const char *key, const char *replies, const char *why)
{
    struct known *entry = calloc(1, sizeof(*entry));

    if (!entry || find_known(key) || (replies && !(entry->replies = strdup(replies)))) {
        free(entry);
        return;
    }
    snprintf(entry->key, sizeof(entry->key), "%s", key);
    snprintf(entry->why, sizeof(entry->why), "%s", why);
    cx_lock(&lock);
    entry->next = known;
    known = entry;
    cx_unlock(&lock);
}

/* From memory or disk; *entry tells of a device that is known to know nothing. */
static char *find_replies(const char *key, const struct known **entry)
{
    const char *folder = cx_options_cache_dir();
    size_t size = 0;

    if ((*entry = find_known(key)))
        return (*entry)->replies ? strdup((*entry)->replies) : NULL;
    char *stored = folder ? cx_disk_cache_load(folder, key, &size) : NULL;
    char *replies = stored ? strndup(stored, size) : NULL;
    free(stored);
    if (replies)
        keep_known(key, replies, "");
    return replies;
}

char *cx_compiler_macros_cached(const struct cx_real_device *device, const char *text)
{
    struct question *question = calloc(1, sizeof(*question));
    char key[CX_DISK_CACHE_KEY_SIZE], *replies = NULL;
    const struct known *entry;

    if (question && parse_question(text, question) && key_of(device, question, key))
        replies = find_replies(key, &entry);
    if (question)
        free(question->copy);
    free(question);
    return replies;
}

/* ---- asking ---- */

/* One device asked one question; the asking thread and the one that waits hold a reference each. */
struct inquiry {
    atomic_uint refs;
    const struct cx_real_device *device;
    const cl_icd_dispatch *cl;
    struct question question;
    cl_context context;
    cl_command_queue queue;
    struct text replies;
    struct cx_lock lock;
    pthread_cond_t changed;
    bool done; /* under lock; told and why are final then */
    char *answers;
    char why[160];
};

static void unref(struct inquiry *inquiry)
{
    if (atomic_fetch_sub(&inquiry->refs, 1) != 1)
        return;
    pthread_cond_destroy(&inquiry->changed);
    cx_lock_finish(&inquiry->lock);
    free(inquiry->question.copy);
    free(inquiry->answers);
    free(inquiry);
}

/* How long the operator's name is that `name` begins with; 0: it is a macro's. */
static int operator_length(const char *name)
{
    const char *argument = strchr(name, '(');
    return argument ? (int)(argument - name) : 0;
}

/* A name as part of a string. */
static void put_quoted(FILE *file, const char *name)
{
    for (; *name; name++)
        fprintf(file, *name == '"' || *name == '\\' ? "\\%c" : "%c", *name);
}

/* The lines of the program that tell of the operator. Compilers that lack it could not read the inner #if. */
static void put_operator(FILE *file, const char *name)
{
    const int length = operator_length(name);
    const bool any = name[length + 1] != ')';

    fprintf(file, "#ifdef %.*s\n\"+", length, name);
    put_quoted(file, name);
    fprintf(file, " \"\n#if %s\n\"1\\n\"\n#else\n\"0\\n\"\n#endif\n#else\n\"-", any ? name : "1");
    put_quoted(file, name);
    fputs("\\n\"\n#endif\n", file);
}

/* The program for names [first, end). */
static char *program_text(const struct question *question, unsigned first, unsigned end)
{
    struct text text;

    if (!text_open(&text))
        return NULL;
    fputs("#define COEXEC__SPELL_(x) #x\n#define COEXEC__SPELL(x) COEXEC__SPELL_(x)\n"
          "__constant char coexec_macros[] =\n",
          text.file);
    for (unsigned i = first; i < end; i++) {
        const char *name = question->name[i];
        if (operator_length(name))
            put_operator(text.file, name);
        else
            fprintf(text.file, "#ifdef %s\n\"+%s \" COEXEC__SPELL(%s) \"\\n\"\n#else\n\"-%s\\n\"\n#endif\n",
                    name, name, name, name);
    }
    fprintf(text.file,
            "\".\";\n"
            "__kernel void coexec_tell(__global char *to)\n{\n"
            "    for (uint i = 0; i < %u && i < (uint)sizeof(coexec_macros); i++)\n"
            "        to[i] = coexec_macros[i];\n}\n",
            MOST_BYTES);
    return text_close(&text);
}

/* Runs the kernel; its buffer's bytes to `to`. */
static cl_int run_kernel(const struct inquiry *inquiry, cl_program program, char to[MOST_BYTES])
{
    const cl_icd_dispatch *cl = inquiry->cl;
    const size_t one = 1;
    cl_int error = CL_SUCCESS;
    cl_kernel kernel = cl->clCreateKernel(program, "coexec_tell", &error);
    if (!kernel)
        return error;
    cl_mem buffer = cl->clCreateBuffer(inquiry->context, CL_MEM_WRITE_ONLY, MOST_BYTES, NULL, &error);
    if (buffer) {
        error = cl->clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffer);
        if (!error)
            error = cl->clEnqueueNDRangeKernel(inquiry->queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL);
        if (!error)
            error =
                cl->clEnqueueReadBuffer(inquiry->queue, buffer, CL_TRUE, 0, MOST_BYTES, to, 0, NULL, NULL);
        cl->clReleaseMemObject(buffer);
    }
    cl->clReleaseKernel(kernel);
    return error;
}

/* What the device answers for names [first, end), free() it; NULL with *error: it does not. */
static char *ask_names(const struct inquiry *inquiry, unsigned first, unsigned end, cl_int *error)
{
    const struct cx_real_device *device = inquiry->device;
    char *text = program_text(&inquiry->question, first, end), *replies = calloc(1, MOST_BYTES + 1);
    cl_program program = NULL;

    *error = CL_OUT_OF_HOST_MEMORY;
    if (text && replies)
        program =
            inquiry->cl->clCreateProgramWithSource(inquiry->context, 1, (const char **)&text, NULL, error);
    if (program) {
        *error = inquiry->cl->clBuildProgram(program, 1, &device->id, inquiry->question.options, NULL, NULL);
        if (!*error)
            *error = run_kernel(inquiry, program, replies);
        inquiry->cl->clReleaseProgram(program);
    }
    free(text);
    if (!*error && strlen(replies) && replies[strlen(replies) - 1] == '.')
        return replies;
    free(replies);
    return NULL;
}

/* Whether the spelling is made of numbers, strings and operators alone. */
static bool is_plain(const char *at)
{
    while (*at) {
        if (isdigit((unsigned char)*at)) {
            at += strspn(at, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.");
        } else if (*at == '"' || *at == '\'') {
            const char quote = *at++;
            while (*at && *at != quote)
                at += at[0] == '\\' && at[1] ? 2 : 1;
            if (*at++ != quote)
                return false;
        } else if (*at == ' ' || (ispunct((unsigned char)*at) && !strchr("_#\\@`$?", *at))) {
            at++;
        } else {
            return false;
        }
    }
    return true;
}

/* Whether a name in lower case stands for another: how drivers make built-in functions, in their own header.
 * It then is a macro that means what the function's name means. */
static bool is_function(const char *name, const char *spelled)
{
    return islower((unsigned char)*name) && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] &&
           (isalpha((unsigned char)*spelled) || *spelled == '_') &&
           !spelled[strspn(spelled, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")];
}

/* How clang learns of an operator that is there. What it says of files is its own: these are compared. */
static void tell_operator(FILE *file, const char *name, char is)
{
    const int length = operator_length(name);
    const int room = (int)strlen(name) - length - 2; /* the argument's */

    if (strncmp(name, "__has_include", (size_t)length) == 0) {
        if (room)
            fprintf(file, "#if %s != %c\n#error %s may be another macro to a device's compiler\n#endif\n",
                    name, is, name);
        return;
    }
    fprintf(file, "#undef %.*s\n#define %.*s(x) " CX_MACRO_OPERATOR "%.*s" CX_MACRO_OF "##x()\n", length,
            name, length, name, length, name);
    if (room)
        fprintf(file, "#define " CX_MACRO_OPERATOR "%.*s" CX_MACRO_OF "%.*s() %c\n", length, name, room,
                name + length + 1, is);
}

/* One line about an operator, "-NAME" or "+NAME 1". false: it is none. */
static bool take_operator(FILE *file, const char *line, const char *name)
{
    const char *is = line + 1 + strlen(name);

    if (*line == '-' && !*is)
        fprintf(file, "#undef %.*s\n", operator_length(name), name);
    else if (*line == '+' && (!strcmp(is, " 0") || !strcmp(is, " 1")))
        tell_operator(file, name, is[1]);
    else
        return false;
    fprintf(file, CX_MACRO_TOLD "%.*s\n" CX_MACRO_TOLD "%s\n", operator_length(name), name, name);
    return true;
}

/* Takes the device's lines into the answers; each must be about the next name. */
static bool take_lines(struct inquiry *inquiry, char *lines, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++) {
        const char *name = inquiry->question.name[i];
        size_t length = strlen(name);
        char *stop = strchr(lines, '\n');
        if (!stop || strncmp(lines + 1, name, length) != 0)
            return false;
        *stop = 0;
        const char *spelled = lines + 1 + length;
        if (operator_length(name)) {
            if (!take_operator(inquiry->replies.file, lines, name))
                return false;
            lines = stop + 1;
            continue;
        }
        if (*lines == '-' && !*spelled)
            fprintf(inquiry->replies.file, "#undef %s\n", name);
        else if (*lines == '+' && *spelled == ' ' && is_plain(spelled + 1))
            fprintf(inquiry->replies.file, "#undef %s\n#define %s%s\n", name, name, spelled);
        else if (*lines == '+' && *spelled == ' ' && is_function(name, spelled + 1))
            fprintf(inquiry->replies.file, "#undef %s\n#define %s %s\n", name, name, name);
        else if (*lines != '+' || *spelled != ' ')
            return false;
        lines = stop + 1;
    }
    return strcmp(lines, ".") == 0;
}

/* Some spellings cannot be compiled: halves them until they stand alone. Those get no answer. */
static bool ask_range(struct inquiry *inquiry, unsigned first, unsigned end)
{
    cl_int error = CL_SUCCESS;

    if (cx_exit_guard_ending())
        return false;
    char *lines = ask_names(inquiry, first, end, &error);
    bool ok = lines && take_lines(inquiry, lines, first, end);
    free(lines);
    if (ok || error != CL_BUILD_PROGRAM_FAILURE)
        return ok;
    if (first == 0 && end == inquiry->question.count) { /* can it be asked at all? */
        lines = ask_names(inquiry, 0, 0, &error);
        if (!lines)
            return false;
        free(lines);
    }
    unsigned middle = first + (end - first) / 2;
    return end - first <= 1 || (ask_range(inquiry, first, middle) && ask_range(inquiry, middle, end));
}

static bool is_complete(const cl_icd_dispatch *cl)
{
    return cl->clCreateContext && cl->clCreateCommandQueue && cl->clCreateProgramWithSource &&
           cl->clBuildProgram && cl->clCreateKernel && cl->clCreateBuffer && cl->clSetKernelArg &&
           cl->clEnqueueNDRangeKernel && cl->clEnqueueReadBuffer && cl->clReleaseMemObject &&
           cl->clReleaseKernel && cl->clReleaseProgram && cl->clReleaseCommandQueue && cl->clReleaseContext;
}

static bool ask_device(struct inquiry *inquiry)
{
    const struct cx_real_device *device = inquiry->device;
    const cl_icd_dispatch *cl = inquiry->cl;
    cl_int error = CL_SUCCESS;
    bool ok = false;

    if (!is_complete(cl) || !text_open(&inquiry->replies))
        return false;
    fputs("/* told by the device */\n", inquiry->replies.file);
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)device->platform->id, 0};
    inquiry->context = cl->clCreateContext(properties, 1, &device->id, NULL, NULL, &error);
    if (inquiry->context) {
        inquiry->queue = cl->clCreateCommandQueue(inquiry->context, device->id, 0, &error);
        if (inquiry->queue) {
            ok = ask_range(inquiry, 0, inquiry->question.count);
            cl->clReleaseCommandQueue(inquiry->queue);
        }
        cl->clReleaseContext(inquiry->context);
    }
    inquiry->answers = text_close(&inquiry->replies);
    return ok && inquiry->answers;
}

static void run_inquiry(void *data)
{
    struct inquiry *inquiry = data;
    char key[CX_DISK_CACHE_KEY_SIZE];
    const char *folder = cx_options_cache_dir();
    bool ok = false;
    if (cx_exit_guard_enter()) {
        ok = ask_device(inquiry);
        cx_exit_guard_leave();
    }

    key_of(inquiry->device, &inquiry->question, key);
    if (ok) {
        keep_known(key, inquiry->answers, "");
        if (folder && !cx_disk_cache_store(folder, key, inquiry->answers, strlen(inquiry->answers)))
            cx_analyser_cannot_keep(folder);
    } else {
        snprintf(inquiry->why, sizeof(inquiry->why), "%s cannot tell", inquiry->device->name);
        if (!cx_exit_guard_ending())
            keep_known(key, NULL, inquiry->why);
    }
    cx_info(CX_TOPIC_ANALYSIS, "%s: %u macros %s", inquiry->device->name, inquiry->question.count,
            ok ? "asked for" : "asked for in vain");
    cx_lock(&inquiry->lock);
    if (!ok) {
        free(inquiry->answers);
        inquiry->answers = NULL;
    }
    inquiry->done = true;
    pthread_cond_broadcast(&inquiry->changed);
    cx_unlock(&inquiry->lock);
    unref(inquiry);
}

static struct inquiry *inquiry_new(const struct cx_real_device *device, const char *text)
{
    struct inquiry *inquiry = calloc(1, sizeof(*inquiry));
    pthread_condattr_t monotonic;

    if (!inquiry)
        return NULL;
    if (!parse_question(text, &inquiry->question)) {
        free(inquiry->question.copy);
        free(inquiry);
        return NULL;
    }
    atomic_init(&inquiry->refs, 2);
    inquiry->device = device;
    inquiry->cl = device->cl;
    cx_lock_init(&inquiry->lock, CX_RANK_INQUIRY);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&inquiry->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return inquiry;
}

/* Waits for the answers, limit_ms at most. */
static char *await(struct inquiry *inquiry, unsigned limit_ms, char *why, size_t room)
{
    struct timespec until;
    char *replies = NULL;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += limit_ms / 1000 + 1;
    cx_lock(&inquiry->lock);
    while (!inquiry->done)
        if (!cx_lock_wait_until(&inquiry->changed, &inquiry->lock, &until))
            break;
    if (inquiry->done) {
        replies = inquiry->answers;
        inquiry->answers = NULL;
        snprintf(why, room, "%s", inquiry->why);
    } else {
        snprintf(why, room, "%s takes too long to tell", inquiry->device->name);
    }
    cx_unlock(&inquiry->lock);
    return replies;
}

char *cx_compiler_macros_ask(const struct cx_real_device *device, const char *text, unsigned limit_ms,
                             char *why, size_t room)
{
    struct inquiry *inquiry = inquiry_new(device, text);
    char key[CX_DISK_CACHE_KEY_SIZE], *replies;
    const struct known *entry;

    if (!inquiry) {
        snprintf(why, room, "too many macros to ask for");
        return NULL;
    }
    key_of(device, &inquiry->question, key);
    replies = find_replies(key, &entry);
    if (replies || entry || !cx_exit_guard_run(run_inquiry, inquiry)) {
        snprintf(why, room, "%s", entry ? entry->why : "no thread to ask the device");
        atomic_store(&inquiry->refs, 1);
        unref(inquiry);
        return replies;
    }
    replies = await(inquiry, limit_ms, why, room);
    unref(inquiry);
    return replies;
}
