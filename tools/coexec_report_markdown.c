/* SPDX-License-Identifier: MIT */
/*
 * The tables of a bench's JSON as Markdown. See coexec_report_markdown.h.
 */
#include "tools/coexec_report_markdown.h"
#include "tools/coexec_bench.h"
#include "tools/coexec_json.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { MAX_NAMES = 32 };
static const double loses = 0.98; /* a speedup below this is listed as a loss */

/* Different texts, in the order they came. */
struct names {
    const char *text[MAX_NAMES];
    unsigned n;
};

static void note(struct names *names, const char *text)
{
    unsigned i = 0;
    while (i < names->n && strcmp(names->text[i], text) != 0)
        i++;
    if (i == names->n && i < MAX_NAMES)
        names->text[names->n++] = text;
}

double cx_report_mean(struct json_object *row, const char *key, const char *per)
{
    struct json_object *runs = cx_json_get(row, "runs");
    double sum = 0;
    unsigned n = 0;
    for (size_t i = 0; i < cx_json_length(runs); i++) {
        struct json_object *run = json_object_array_get_idx(runs, i);
        double value = cx_json_number(run, key) / (per ? cx_json_number(run, per) : 1);
        if (isfinite(value)) {
            sum += value;
            n++;
        }
    }
    return n ? sum / n : NAN;
}

uint64_t cx_report_too_slow(struct json_object *row)
{
    struct json_object *runs = cx_json_get(row, "runs");
    return cx_json_length(runs) ? cx_json_count(json_object_array_get_idx(runs, 0), "too_slow_s", 0) : 0;
}

/* ---- finding ---- */

static struct json_object *program_at(struct json_object *bench, size_t p)
{
    return json_object_array_get_idx(cx_json_get(bench, "programs"), p);
}

static size_t programs_of(struct json_object *bench)
{
    return cx_json_length(cx_json_get(bench, "programs"));
}

/* Whether it names what coexec had nothing to do with. */
static bool is_baseline(const char *algo)
{
    return strcmp(algo, CX_BENCH_NATIVE) == 0 || strcmp(algo, CX_BENCH_TOGETHER) == 0;
}

/* Through coexec or a baseline; NULL: there is none. */
static struct json_object *row_of(struct json_object *program, const char *set, const char *algo)
{
    struct json_object *rows = cx_json_get(program, "rows");
    for (size_t i = 0; i < cx_json_length(rows); i++) {
        struct json_object *row = json_object_array_get_idx(rows, i);
        if (strcmp(cx_json_text(row, "set"), set) == 0 && strcmp(cx_json_text(row, "algo"), algo) == 0)
            return row;
    }
    return NULL;
}

/* The row of the device on which the program is fastest alone; NULL: there is none. */
static struct json_object *alone_row(struct json_object *program)
{
    struct json_object *rows = cx_json_get(program, "rows"), *best = NULL;
    for (size_t i = 0; i < cx_json_length(rows); i++) {
        struct json_object *row = json_object_array_get_idx(rows, i);
        const double ms = cx_json_number(row, "ms");
        if (!*cx_json_text(row, "algo") && ms > 0 && !(ms >= cx_json_number(best, "ms")))
            best = row;
    }
    return best;
}

/* The least time on one device alone. */
static double alone_ms(struct json_object *program)
{
    return cx_json_number(alone_row(program), "ms");
}

static void find_names(struct json_object *bench, struct names *sets, struct names *algos)
{
    for (size_t p = 0; p < programs_of(bench); p++) {
        struct json_object *rows = cx_json_get(program_at(bench, p), "rows");
        for (size_t i = 0; i < cx_json_length(rows); i++) {
            struct json_object *row = json_object_array_get_idx(rows, i);
            if (!*cx_json_text(row, "algo"))
                continue;
            note(sets, cx_json_text(row, "set"));
            note(algos, cx_json_text(row, "algo"));
        }
    }
}

/* ---- writing ---- */

/* On one line, so that it stays in its cell. */
static void put_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("|<*_`", *text))
            fputc('\\', out);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
    }
}

/* "1.234 | ", or "- | ". */
static void put_cell(FILE *out, double value, int digits)
{
    if (isfinite(value))
        fprintf(out, " %.*f |", digits, value);
    else
        fputs(" - |", out);
}

static void put_rule(FILE *out, unsigned texts, unsigned numbers)
{
    fputs("|", out);
    for (unsigned i = 0; i < texts + numbers; i++)
        fputs(i < texts ? "---|" : "--:|", out);
    fputs("\n", out);
}

/* A word of a shell's command. */
static void put_word(FILE *out, const char *word)
{
    const char *equals = strchr(word, '=');
    const int name = equals && strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == (size_t)(equals - word)
                         ? (int)(equals - word) + 1
                         : 0;
    const bool plain = word[name] && !strpbrk(word + name, " ;'\"|&*?$()<>\\!#");
    fprintf(out, plain ? " %.*s%s" : " %.*s'%s'", name, word, word + name);
}

static void put_words(FILE *out, struct json_object *words)
{
    for (size_t i = 0; i < cx_json_length(words); i++) {
        const char *word = json_object_get_string(json_object_array_get_idx(words, i));
        if (word)
            put_word(out, word);
    }
}

static void put_machine(struct json_object *bench, FILE *out)
{
    struct json_object *machine = cx_json_get(bench, "machine"), *devices = cx_json_get(machine, "devices");
    fputs("coexec ", out);
    put_text(out, cx_json_text(bench, "version"));
    fputs(", ", out);
    put_text(out, cx_json_text(bench, "date"));
    fprintf(out, ", %s %s %s, %llu cores.\n\n", cx_json_text(machine, "system"),
            cx_json_text(machine, "release"), cx_json_text(machine, "architecture"),
            (unsigned long long)cx_json_count(machine, "cores", 0));
    fputs("| device | name | platform | version | driver |\n", out);
    put_rule(out, 5, 0);
    for (size_t d = 0; d < cx_json_length(devices); d++) {
        struct json_object *device = json_object_array_get_idx(devices, d);
        static const char *const keys[] = {"index", "name", "platform", "platform_version", "driver_version"};
        if (!json_object_get_boolean(cx_json_get(device, "used")))
            continue;
        for (unsigned k = 0; k < sizeof keys / sizeof *keys; k++) {
            fputs(k ? " | " : "| ", out);
            put_text(out, cx_json_text(device, keys[k]));
        }
        fputs(" |\n", out);
    }
    fputs("\n   ", out);
    put_words(out, cx_json_get(bench, "variables"));
    fputs(" coexec", out);
    put_words(out, cx_json_get(bench, "command"));
    fputs("\n", out);
}

bool cx_report_is_doubtful(struct json_object *row)
{
    return cx_json_number(row, "speedup") > CX_BENCH_DOUBTFUL * cx_json_number(row, "maximum");
}

bool cx_report_is_long(struct json_object *program)
{
    return json_object_get_boolean(cx_json_get(program, "compute")) && alone_ms(program) > CX_BENCH_LONG_MS;
}

/* Geometric mean of a field over programs; kind: 0 irregular, 1 regular, 2 all, 3 long compute-bound ones. */
static double geometric_mean(struct json_object *bench, const char *set, const char *algo, const char *key,
                             unsigned kind, unsigned *count)
{
    double sum = 0;
    *count = 0;
    for (size_t p = 0; p < programs_of(bench); p++) {
        struct json_object *program = program_at(bench, p), *row = row_of(program, set, algo);
        const bool regular = json_object_get_boolean(cx_json_get(program, "regular"));
        const double value =
            strcmp(key, "balance") == 0 ? cx_report_mean(row, key, NULL) : cx_json_number(row, key);
        if ((kind < 2 && kind != regular) || (kind == 3 && !cx_report_is_long(program)) || !(value > 0))
            continue;
        sum += log(value);
        ++*count;
    }
    return *count ? exp(sum / *count) : NAN;
}

static void put_means(struct json_object *bench, const struct names *sets, const struct names *algos,
                      FILE *out)
{
    static const struct {
        const char *key;
        unsigned kind;
    } columns[] = {{"efficiency", 1}, {"efficiency", 0}, {"efficiency", 2}, {"efficiency", 3},
                   {"speedup", 2},    {"balance", 2},    {"over_native", 2}};
    fprintf(
        out,
        "\nGeometric means (how many programs).\n\n"
        "| devices | balancer | efficiency, regular | irregular | all | compute-bound, over %.0f ms alone "
        "| speedup | load balance | over native |\n",
        CX_BENCH_LONG_MS);
    put_rule(out, 2, 7);
    for (unsigned s = 0; s < sets->n; s++)
        for (unsigned a = 0; a < algos->n; a++) {
            unsigned n;
            geometric_mean(bench, sets->text[s], algos->text[a], "speedup", 2, &n);
            if (!n)
                continue;
            fputs("| ", out);
            put_text(out, sets->text[s]);
            fputs(" | ", out);
            put_text(out, algos->text[a]);
            fputs(" |", out);
            for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
                const double mean =
                    geometric_mean(bench, sets->text[s], algos->text[a], columns[c].key, columns[c].kind, &n);
                if (n)
                    fprintf(out, " %.3f (%u) |", mean, n);
                else
                    fputs(" - |", out);
            }
            fputs("\n", out);
        }
}

/* One program on one set: the best speedup stands in bold. */
static void put_program(struct json_object *program, const char *set, const struct names *algos, FILE *out)
{
    double best = 0, maximum = NAN;
    for (unsigned a = 0; a < algos->n; a++) {
        struct json_object *row = row_of(program, set, algos->text[a]);
        if (strcmp(algos->text[a], CX_BENCH_TOGETHER) != 0)
            best = fmax(best, cx_json_number(row, "speedup"));
        maximum = fmax(maximum, cx_json_number(row, "maximum"));
    }
    fputs("| ", out);
    put_text(out, cx_json_text(program, "name"));
    fprintf(out, " | %s |",
            json_object_get_boolean(cx_json_get(program, "regular")) ? "regular" : "irregular");
    put_cell(out, alone_ms(program), 2);
    put_cell(out, maximum, 2);
    for (unsigned a = 0; a < algos->n; a++) {
        struct json_object *row = row_of(program, set, algos->text[a]);
        const double speedup = cx_json_number(row, "speedup");
        const char *bold = speedup >= best && strcmp(algos->text[a], CX_BENCH_TOGETHER) != 0 ? "**" : "";
        if (speedup > 0)
            fprintf(out, " %s%.3f%s (%.3f)%s |", bold, speedup, bold, cx_json_number(row, "efficiency"),
                    cx_report_is_doubtful(row) ? " ?" : "");
        else
            fputs(row ? " failed |" : " |", out);
    }
    fputs("\n", out);
}

static void put_details(struct json_object *program, const char *set, const struct names *algos, FILE *out)
{
    fputs("| ", out);
    put_text(out, cx_json_text(program, "name"));
    fputs(" |", out);
    for (unsigned a = 0; a < algos->n; a++) {
        if (is_baseline(algos->text[a]))
            continue;
        struct json_object *row = row_of(program, set, algos->text[a]);
        const double balance = cx_report_mean(row, "balance", NULL);
        const double packages = cx_report_mean(row, "packages", "launches");
        if (isfinite(balance))
            fprintf(out, " %.2f, %.1f, %.1f |", balance, packages, cx_report_mean(row, "moved_mb", NULL));
        else
            fputs(isfinite(packages) ? " whole |" : " |", out);
    }
    fputs("\n", out);
}

static void put_losses(struct json_object *bench, const char *set, const struct names *algos, FILE *out)
{
    unsigned all = 0;
    for (unsigned a = 0; a < algos->n; a++) {
        unsigned n = 0;
        for (size_t p = 0; p < programs_of(bench); p++) {
            struct json_object *program = program_at(bench, p);
            const double speedup = cx_json_number(row_of(program, set, algos->text[a]), "speedup");
            if (!(speedup < loses))
                continue;
            fprintf(out, n ? ", " : "* %s: ", algos->text[a]);
            put_text(out, cx_json_text(program, "name"));
            fprintf(out, " %.3f", speedup);
            n++;
        }
        fputs(n ? "\n" : "", out);
        all += n;
    }
    fputs(all ? "" : "none.\n", out);
}

static void put_set(struct json_object *bench, const char *set, const struct names *algos, FILE *out)
{
    static const char *const heads[] = {"| program | kind | alone, ms | maximum |", "| program |"};
    static const char *const intros[] = {
        "speedup over the fastest device alone (efficiency: of the maximum by the devices' own times; ?: "
        "above 1.15, more than these allow)",
        "load balance, packages a launch, MB moved"};
    void (*const each[])(struct json_object *, const char *, const struct names *, FILE *) = {put_program,
                                                                                              put_details};
    for (unsigned table = 0; table < 2; table++) {
        fputs("\nDevices \"", out);
        put_text(out, set);
        fprintf(out, "\": %s.\n\n%s", intros[table], heads[table]);
        unsigned columns = 0;
        for (unsigned a = 0; a < algos->n; a++) {
            if (table && is_baseline(algos->text[a]))
                continue;
            fputs(" ", out);
            put_text(out, algos->text[a]);
            fputs(" |", out);
            columns++;
        }
        fputs("\n", out);
        put_rule(out, table ? 1 : 2, columns + (table ? 0 : 2));
        for (size_t p = 0; p < programs_of(bench); p++)
            each[table](program_at(bench, p), set, algos, out);
    }
    fprintf(out, "\nSlower than the fastest device alone by more than %.0f %%:\n\n", 100 * (1 - loses));
    put_losses(bench, set, algos, out);
}

/* One program's times as a user meets them, ms; through coexec with how fast that is over the device alone.
 */
static void put_times_row(const char *name, struct json_object *row, struct json_object *alone, FILE *out)
{
    fputs("| ", out);
    put_text(out, name);
    fputs(" | ", out);
    put_text(out, *cx_json_text(row, "algo") ? cx_json_text(row, "algo") : "alone");
    fputs(" |", out);
    for (enum cx_bench_time t = 0; t < CX_BENCH_TIMES; t++) {
        const double ms = cx_json_number(row, cx_bench_time_keys[t]);
        const double bare = cx_json_number(alone, cx_bench_time_keys[t]);
        if (ms > 0 && bare > 0 && row != alone)
            fprintf(out, " %.2f (%.3f) |", ms, bare / ms);
        else
            put_cell(out, ms, 2);
    }
    fputs("\n", out);
}

static void put_times(struct json_object *bench, const char *set, const struct names *algos, FILE *out)
{
    fputs("\nDevices \"", out);
    put_text(out, set);
    fputs("\", as a user meets them, ms (in parentheses: how fast that is over the fastest device alone).\n\n"
          "| program | balancer |",
          out);
    for (enum cx_bench_time t = 0; t < CX_BENCH_TIMES; t++)
        fprintf(out, " %s |", cx_bench_time_names[t]);
    fputs("\n", out);
    put_rule(out, 2, CX_BENCH_TIMES);
    for (size_t p = 0; p < programs_of(bench); p++) {
        struct json_object *program = program_at(bench, p), *alone = alone_row(program);
        if (alone)
            put_times_row(cx_json_text(program, "name"), alone, alone, out);
        for (unsigned a = 0; a < algos->n; a++) {
            struct json_object *row = row_of(program, set, algos->text[a]);
            if (strcmp(algos->text[a], CX_BENCH_TOGETHER) != 0 && cx_json_number(row, "ms") > 0)
                put_times_row("", row, alone, out);
        }
    }
}

/* Whether it was made by a bench that measured whole processes. */
static bool has_times(struct json_object *bench)
{
    for (size_t p = 0; p < programs_of(bench); p++)
        if (cx_json_number(alone_row(program_at(bench, p)), cx_bench_time_keys[CX_BENCH_PROCESS]) > 0)
            return true;
    return false;
}

/* Programs on devices that were left out of their maximum. */
static void put_too_slow(struct json_object *bench, FILE *out)
{
    unsigned n = 0;
    for (size_t p = 0; p < programs_of(bench); p++) {
        struct json_object *rows = cx_json_get(program_at(bench, p), "rows");
        bool named = false;
        for (size_t i = 0; i < cx_json_length(rows); i++) {
            struct json_object *row = json_object_array_get_idx(rows, i);
            const uint64_t seconds = cx_report_too_slow(row);
            if (!seconds)
                continue;
            if (!n++)
                fputs("\nToo slow alone to be measured, and counted as of no speed:\n", out);
            fputs(named ? ", " : "\n* ", out);
            if (!named)
                put_text(out, cx_json_text(program_at(bench, p), "name"));
            fprintf(out, "%sdevice ", named ? "" : ": ");
            put_text(out, cx_json_text(row, "set"));
            fprintf(out, " over %llu s", (unsigned long long)seconds);
            named = true;
        }
    }
    fputs(n ? "\n" : "", out);
}

static void put_failures(struct json_object *bench, FILE *out)
{
    unsigned n = 0;
    for (size_t p = 0; p < programs_of(bench); p++) {
        struct json_object *program = program_at(bench, p), *rows = cx_json_get(program, "rows");
        for (size_t i = 0; i < cx_json_length(rows); i++) {
            struct json_object *row = json_object_array_get_idx(rows, i), *runs = cx_json_get(row, "runs");
            for (size_t r = 0; r < cx_json_length(runs); r++) {
                const char *problem = cx_json_text(json_object_array_get_idx(runs, r), "problem");
                if (!*problem)
                    continue;
                fputs(n++ ? "* " : "\nFailed runs:\n\n* ", out);
                put_text(out, cx_json_text(program, "name"));
                fprintf(out, ", devices %s, %s: ", cx_json_text(row, "set"),
                        *cx_json_text(row, "algo") ? cx_json_text(row, "algo") : "bare");
                put_text(out, problem);
                fputs("\n", out);
                break;
            }
        }
    }
    if (!n)
        fputs("\nNo run failed.\n", out);
}

void cx_report_markdown(struct json_object *bench, FILE *out)
{
    struct names sets = {.n = 0}, algos = {.n = 0};
    find_names(bench, &sets, &algos);
    put_machine(bench, out);
    put_means(bench, &sets, &algos, out);
    for (unsigned s = 0; s < sets.n; s++) {
        put_set(bench, sets.text[s], &algos, out);
        if (has_times(bench))
            put_times(bench, sets.text[s], &algos, out);
    }
    put_too_slow(bench, out);
    put_failures(bench, out);
}
