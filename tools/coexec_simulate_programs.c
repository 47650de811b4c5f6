/* SPDX-License-Identifier: MIT */
/*
 * `coexec simulate --programs`: whole programs, from a file or made up, against the decisions whether to open
 * a second device and to split launches (scheduler/play.h). A program is text, a command a line; the made-up
 * ones are the same text (coexec_simulate_shapes.c).
 */
#include "scheduler/play.h"
#include "tools/coexec.h"
#include "tools/coexec_simulate.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char me[] = "simulate";

enum { NAME = 40, MAX_LINES = 4096, MAX_DEPTH = 8, MAX_STEPS = 20000000 };

/* A line of the program: a step, or the head of a repeated part. */
struct line {
    bool repeats;
    struct cx_play_step step;
    unsigned long times; /* repeats */
    double shrink;       /* by which launches are shorter each time */
    unsigned end;        /* the line behind it */
};

struct program {
    char name[NAME];
    char kernel[CX_PLAY_KERNELS][NAME], buffer[CX_PLAY_BUFFERS][NAME];
    double seconds[CX_PLAY_KERNELS], speed[CX_PLAY_KERNELS], bytes[CX_PLAY_BUFFERS];
    bool merges[CX_PLAY_KERNELS];
    unsigned nkernels, nbuffers, nlines, depth;
    unsigned open[MAX_DEPTH]; /* repeated parts not yet ended */
    unsigned long steps;      /* played */
    struct line line[MAX_LINES];
};

/* ---- reading ---- */

static bool read_number(const char *text, double *value)
{
    char *end;
    if (!text)
        return false;
    errno = 0;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && errno == 0 && isfinite(*value) && *value >= 0;
}

static unsigned find(char (*names)[NAME], unsigned count, const char *name)
{
    for (unsigned i = 0; name && i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return count;
}

static bool add_name(char (*names)[NAME], unsigned *count, unsigned most, const char *name)
{
    if (!name || strlen(name) >= NAME || *count == most || find(names, *count, name) < *count)
        return false;
    memcpy(names[(*count)++], name, strlen(name) + 1);
    return true;
}

/* Names of buffers, separated by commas; one with a star is read whole by every package. */
static bool read_buffers(struct program *program, char *list, uint32_t *some, uint32_t *all)
{
    char *rest = NULL;
    for (char *name = strtok_r(list, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        const size_t length = strlen(name);
        const bool starred = all && length > 1 && name[length - 1] == '*';
        if (starred)
            name[length - 1] = '\0';
        const unsigned buffer = find(program->buffer, program->nbuffers, name);
        if (buffer == program->nbuffers)
            return false;
        *(starred ? all : some) |= UINT32_C(1) << buffer;
    }
    return true;
}

/* The words behind a launch's kernel. */
static bool read_launch(struct program *program, struct cx_play_step *step, char **rest)
{
    for (char *word; (word = strtok_r(NULL, " \t", rest));) {
        bool good = false;
        if (strncmp(word, "reads=", 6) == 0)
            good = read_buffers(program, word + 6, &step->reads, &step->reads_all);
        else if (strncmp(word, "writes=", 7) == 0)
            good = read_buffers(program, word + 7, &step->writes, NULL);
        else if (strncmp(word, "seconds=", 8) == 0)
            good = read_number(word + 8, &step->amount);
        if (!good)
            return false;
    }
    return true;
}

static bool read_kernel(struct program *program, char **rest)
{
    const unsigned k = program->nkernels;
    if (!add_name(program->kernel, &program->nkernels, CX_PLAY_KERNELS, strtok_r(NULL, " \t", rest)) ||
        !read_number(strtok_r(NULL, " \t", rest), &program->seconds[k]))
        return false;
    for (char *word; (word = strtok_r(NULL, " \t", rest));) {
        if (strcmp(word, "merges") == 0)
            program->merges[k] = true;
        else if (strncmp(word, "speed=", 6) != 0 || !read_number(word + 6, &program->speed[k]))
            return false;
    }
    return true;
}

static struct line *add_line(struct program *program)
{
    if (program->nlines == MAX_LINES)
        return NULL;
    struct line *line = &program->line[program->nlines++];
    *line = (struct line){.end = program->nlines, .shrink = 1};
    return line;
}

static bool read_repeat(struct program *program, char **rest)
{
    struct line *line = add_line(program);
    double times;
    if (!line || program->depth == MAX_DEPTH || !read_number(strtok_r(NULL, " \t", rest), &times) ||
        times > MAX_STEPS)
        return false;
    program->open[program->depth++] = program->nlines - 1;
    line->repeats = true;
    line->times = (unsigned long)times;
    const char *word = strtok_r(NULL, " \t", rest);
    return !word || (strncmp(word, "shrink=", 7) == 0 && read_number(word + 7, &line->shrink));
}

static bool read_transfer(struct program *program, enum cx_play_kind kind, char **rest)
{
    struct line *line = add_line(program);
    const unsigned buffer = find(program->buffer, program->nbuffers, strtok_r(NULL, " \t", rest));
    if (!line || buffer == program->nbuffers)
        return false;
    line->step = (struct cx_play_step){.kind = kind, .which = buffer, .amount = program->bytes[buffer]};
    const char *bytes = strtok_r(NULL, " \t", rest);
    return !bytes || read_number(bytes, &line->step.amount);
}

/* One command; false: it is none. */
static bool read_command(struct program *program, char *text)
{
    char *rest = NULL;
    const char *word = strtok_r(text, " \t", &rest);
    if (!word || *word == '#')
        return true;
    if (strcmp(word, "kernel") == 0)
        return read_kernel(program, &rest);
    if (strcmp(word, "repeat") == 0)
        return read_repeat(program, &rest);
    if (strcmp(word, "upload") == 0)
        return read_transfer(program, CX_PLAY_UPLOAD, &rest);
    if (strcmp(word, "read") == 0)
        return read_transfer(program, CX_PLAY_READ, &rest);
    if (strcmp(word, "buffer") == 0) {
        const unsigned b = program->nbuffers;
        return add_name(program->buffer, &program->nbuffers, CX_PLAY_BUFFERS, strtok_r(NULL, " \t", &rest)) &&
               read_number(strtok_r(NULL, " \t", &rest), &program->bytes[b]);
    }
    if (strcmp(word, "end") == 0) {
        if (program->depth == 0)
            return false;
        program->line[program->open[--program->depth]].end = program->nlines;
        return true;
    }
    struct line *line = add_line(program);
    if (!line)
        return false;
    if (strcmp(word, "host") == 0) {
        line->step.kind = CX_PLAY_HOST;
        return read_number(strtok_r(NULL, " \t", &rest), &line->step.amount);
    }
    const unsigned kernel = find(program->kernel, program->nkernels, strtok_r(NULL, " \t", &rest));
    if (strcmp(word, "launch") != 0 || kernel == program->nkernels)
        return false;
    line->step = (struct cx_play_step){CX_PLAY_LAUNCH, kernel, program->seconds[kernel], 0, 0, 0};
    return read_launch(program, &line->step, &rest);
}

/* ---- playing ---- */

static bool play_lines(struct program *program, struct cx_play *play, unsigned from, unsigned to,
                       double scale)
{
    for (unsigned i = from; i < to; i = program->line[i].end) {
        const struct line *line = &program->line[i];
        double part = scale;
        for (unsigned long time = 0; line->repeats && time < line->times; time++, part *= line->shrink)
            if (!play_lines(program, play, i + 1, line->end, part))
                return false;
        if (line->repeats)
            continue;
        if (program->steps++ == MAX_STEPS)
            return false;
        struct cx_play_step step = line->step;
        step.amount *= step.kind == CX_PLAY_LAUNCH ? scale : 1;
        cx_play_step(play, &step);
    }
    return true;
}

static void print_played(const struct program *program, const struct cx_play *play, enum cx_sim_format format,
                         bool first)
{
    const struct cx_play_result *r = &play->result;
    const double over = r->alone > 0 ? r->seconds / r->alone : 1;
    const double part = r->busy > 0 ? r->lost / r->busy : 0;
    if (format == CX_SIM_JSON) {
        printf("%s\n  {\"program\": \"%s\", \"launches\": %u, \"alone\": %.9g, \"seconds\": %.9g, "
               "\"over_alone\": "
               "%.6f, \"lost\": %.9g, \"beyond_bounds\": %.9g, \"gained\": %.9g, \"busy\": %.9g, ",
               first ? "" : ",", program->name, r->launches, r->alone, r->seconds, over, r->lost, r->beyond,
               r->gained, r->busy);
        printf("\"splits\": %u, \"trials\": %u, \"opened\": ", r->splits, r->trials);
        if (r->opened < 0)
            fputs("null}", stdout);
        else
            printf("%.9g}", r->opened);
        return;
    }
    const bool table = format == CX_SIM_TABLE;
    printf(table ? "%-20s %8u %10.4g %10.4g %8.4f %10.3g %7.2f%% %10.3g %8u %7u  "
                 : "%s,%u,%.9g,%.9g,%.6f,%.9g,%.6f,%.9g,%u,%u,",
           program->name, r->launches, r->alone, r->seconds, over, r->lost, 100 * part, r->gained, r->splits,
           r->trials);
    if (r->opened < 0)
        puts(table ? "never" : "");
    else
        printf("%.4g\n", r->opened);
}

static int play(struct program *program, const struct cx_play_costs *costs, enum cx_sim_format format,
                bool first)
{
    struct cx_play *played = malloc(sizeof *played);
    if (!played)
        return cx_tool_error(me, "out of memory");
    cx_play_init(played, costs);
    for (unsigned i = 0; i < program->nkernels; i++) {
        played->kernel[i].speed = program->speed[i];
        played->kernel[i].merges = program->merges[i];
    }
    for (unsigned i = 0; i < program->nbuffers; i++)
        played->buffer[i].bytes = program->bytes[i];
    const bool done = play_lines(program, played, 0, program->nlines, 1);
    if (done)
        print_played(program, played, format, first);
    free(played);
    return done ? CX_EXIT_OK : cx_tool_error(me, "%s: more than %d steps", program->name, MAX_STEPS);
}

/* Reads the text, which is changed, and plays each program in it that is asked for (NULL: all); *count: how
 * many were. */
static int play_text(char *text, const char *where, const char *wanted, const struct cx_play_costs *costs,
                     enum cx_sim_format format, unsigned *count)
{
    struct program *program = calloc(1, sizeof *program);
    int status = program ? CX_EXIT_OK : cx_tool_error(me, "out of memory");
    unsigned number = 0;
    for (char *line = text, *next; status == CX_EXIT_OK && line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        line[strcspn(line, "\r")] = '\0';
        number++;
        const bool heads = strncmp(line, "program ", 8) == 0;
        bool good =
            heads ? strlen(line + 8) < NAME && line[8] && strcspn(line + 8, " \t\"\\,") == strlen(line + 8)
                  : read_command(program, line);
        if (heads || !next)
            good = good && program->depth == 0;
        if (!good) {
            status = cx_tool_error(me, "%s:%u: not a command of a program", where, number);
            break;
        }
        if ((heads || !next) && program->nlines > 0 && (!wanted || strcmp(wanted, program->name) == 0))
            status = play(program, costs, format, (*count)++ == 0);
        if (heads) {
            memset(program, 0, sizeof *program);
            memcpy(program->name, line + 8, strlen(line + 8));
        }
    }
    free(program);
    return status;
}

/* ---- what is asked for ---- */

/* KEY=VALUE,... */
static bool read_costs(const char *text, struct cx_play_costs *costs)
{
    const struct {
        const char *key;
        double *value;
    } fields[] = {{"speed", &costs->speed}, {"open", &costs->open},     {"suffer", &costs->suffer},
                  {"first", &costs->first}, {"launch", &costs->launch}, {"link", &costs->link},
                  {"off", &costs->off},     {"bound", &costs->bound}};
    char *copy = strdup(text), *rest = NULL;
    bool good = copy != NULL;
    for (char *word = good ? strtok_r(copy, ",", &rest) : NULL; good && word;
         word = strtok_r(NULL, ",", &rest)) {
        char *value = strchr(word, '=');
        if (value)
            *value++ = '\0';
        good = false;
        for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++)
            if (strcmp(fields[i].key, word) == 0)
                good = read_number(value, fields[i].value);
    }
    free(copy);
    return good && costs->speed > 0 && costs->link > 0 && costs->off > 0 && costs->bound >= 1;
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    if (!file)
        return NULL;
    if (getdelim(&text, &size, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

int cx_simulate_programs(const char *what, const char *given, enum cx_sim_format format)
{
    struct cx_play_costs costs = cx_play_defaults;
    unsigned count = 0;
    if (given && !read_costs(given, &costs))
        return cx_usage_error(me, "--costs: not good: %s", given);
    const bool all = strcmp(what, "all") == 0, shape = all || cx_simulate_is_shape(what);
    char *text = shape ? strdup(cx_simulate_shapes) : read_file(what);
    if (!text)
        return shape ? cx_tool_error(me, "out of memory")
                     : cx_tool_error(me, "%s: neither a program of ours nor a file that can be read", what);
    if (format == CX_SIM_TABLE)
        printf("%-20s %8s %10s %10s %8s %10s %8s %10s %8s %7s  %s\n", "program", "launches", "alone",
               "seconds", "of alone", "lost", "of busy", "gained", "splits", "trials", "opened");
    else
        puts(format == CX_SIM_CSV
                 ? "program,launches,alone,seconds,over_alone,lost,percent,gained,splits,trials,opened"
                 : "[");
    const int status =
        play_text(text, shape ? "programs" : what, all || !shape ? NULL : what, &costs, format, &count);
    free(text);
    if (format == CX_SIM_JSON)
        puts("\n]");
    if (status == CX_EXIT_OK && count == 0)
        return cx_tool_error(me, "%s: no program in it", what);
    return status;
}
