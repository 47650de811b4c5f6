/* SPDX-License-Identifier: MIT */
/*
 * The command line of the examples: --name value or --name=value. First stage; device.c comes next.
 */
#include "common.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_flag(const struct option *option)
{
    return option->choices && option->choices[0] == '\0';
}

static void options_init(struct run *run)
{
    const struct example *example = run->example;
    const struct option common[OPT_EXTRA] = {
        [OPT_SIZE] = {"size", "problem size", NULL, 1, example->size_max, example->size},
        [OPT_ITERATIONS] = {"iterations", example->iterations, NULL, 1, 1000000000,
                            example->default_iterations},
        [OPT_REPEAT] = {"repeat", "timed runs; the median counts", NULL, 1, 1000000, 3},
        [OPT_DEVICE_TYPE] = {"device-type", "kind of device wanted", "all|default|cpu|gpu|accelerator", 0, 0,
                             0},
        [OPT_PLATFORM] = {"platform", "use this platform only", NULL, 0, 999, ANY},
        [OPT_DEVICE] = {"device", "use this device of its platform, counting those of the wanted kind", NULL,
                        0, 999, ANY},
        [OPT_CHECK] = {"check", "compare the output with a plain C computation", "", 0, 0, 0},
        [OPT_VERBOSE] = {"verbose",
                         "tell on stderr which device is used, and the times of build, first run and check",
                         "", 0, 0, 0},
        [OPT_HELP] = {"help", "print this text", "", 0, 0, 0},
        [OPT_PRESET] = {"preset", "sizes chosen together; options given besides go before them",
                        "default|tiny|small|paper|large", 0, 0, 0},
        [OPT_NATIVE] = {example->native ? "native" : NULL,
                        "split by hand over as many devices, by their powers, such as 1,1,0.5; or "
                        "NUMBER@PLATFORM:DEVICE, such as 2@NVIDIA CUDA:0",
                        NULL, 0, 0, 0},
    };
    memcpy(run->options, common, sizeof(common));
    memcpy(run->options + OPT_EXTRA, example->extra, sizeof(example->extra));
}

/* The word number i of "a|b|c", not terminated; its length is stored. NULL when there is none. */
static const char *choice_at(const char *choices, size_t i, size_t *length)
{
    while (i > 0 && choices) {
        choices = strchr(choices, '|');
        if (choices)
            choices++;
        i--;
    }
    if (choices)
        *length = strcspn(choices, "|");
    return choices;
}

static _Noreturn void reject(const struct run *run, const struct option *option, const char *value)
{
    const char *name = run->example->name;
    if (option->choices)
        fail(STATUS_USAGE, "%s: --%s %s: accepted are %s", name, option->name, value, option->choices);
    fail(STATUS_USAGE,
         "%s: --%s %s: accepted are whole numbers from %zu to %zu (k, M, G: times 1024, 1024^2, 1024^3)",
         name, option->name, value, option->min, option->max);
}

static bool parse_number(const char *text, size_t *number)
{
    static const char suffixes[] = "kMG";
    if (text[0] < '0' || text[0] > '9')
        return false;
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    unsigned shift = 0;
    if (*end != '\0') {
        const char *suffix = strchr(suffixes, *end);
        if (!suffix || end[1] != '\0')
            return false;
        shift = 10 * (unsigned)(suffix - suffixes + 1);
    }
    if (errno != 0 || n > SIZE_MAX >> shift)
        return false;
    *number = (size_t)n << shift;
    return true;
}

/* PLATFORM:DEVICE up to the next comma. Gives what follows, or NULL. */
static const char *parse_place(struct run *run, const char *at)
{
    const size_t length = strcspn(at, ",");
    const char *colon = memrchr(at, ':', length);
    char *end;
    if (!colon || colon == at || colon[1] < '0' || colon[1] > '9')
        return NULL;
    unsigned long device = strtoul(colon + 1, &end, 10);
    if (end != at + length || device > 999)
        return NULL;
    run->wanted[run->part_count].platform = at;
    run->wanted[run->part_count].length = (size_t)(colon - at);
    run->wanted[run->part_count].device = (unsigned)device;
    return end;
}

/* Numbers above 0, separated by commas, each with its device or none. */
static void parse_powers(struct run *run, const char *text)
{
    const char *at = text;
    run->part_count = 0;
    for (;;) {
        char *number_end;
        double power = strtod(at, &number_end);
        const char *end = number_end;
        bool good = end != at && power > 0 && power <= 1e30 && run->part_count < MAX_PARTS;
        if (good && *end == '@')
            good = (end = parse_place(run, end + 1)) != NULL;
        if (!good || (*end != ',' && *end != '\0'))
            fail(STATUS_USAGE,
                 "%s: --native %s: accepted are up to %d numbers above 0, separated by commas, each alone or "
                 "as NUMBER@PLATFORM:DEVICE",
                 run->example->name, text, MAX_PARTS);
        run->powers[run->part_count++] = power;
        if (!*end)
            return;
        at = end + 1;
    }
}

static void set_option(struct run *run, struct option *option, const char *value)
{
    if (option == &run->options[OPT_NATIVE]) {
        parse_powers(run, value);
        return;
    }
    if (!option->choices) {
        size_t number;
        if (!parse_number(value, &number) || number < option->min || number > option->max)
            reject(run, option, value);
        option->value = number;
        return;
    }
    size_t length;
    const char *word;
    for (size_t i = 0; (word = choice_at(option->choices, i, &length)); i++) {
        if (strlen(value) == length && memcmp(value, word, length) == 0) {
            option->value = i;
            return;
        }
    }
    reject(run, option, value);
}

/* The option that the argument names ("--name" or "--name=value"), or NULL. */
static struct option *find_option(struct run *run, const char *argument)
{
    if (strncmp(argument, "--", 2) != 0)
        return NULL;
    size_t length = strcspn(argument + 2, "=");
    for (unsigned i = 0; i < OPT_COUNT; i++) {
        struct option *option = &run->options[i];
        if (option->name && strlen(option->name) == length && memcmp(argument + 2, option->name, length) == 0)
            return option;
    }
    return NULL;
}

static _Noreturn void reject_unknown(const struct run *run, const char *argument)
{
    fprintf(stderr, "%s: unknown option %s: accepted are", run->example->name, argument);
    for (unsigned i = 0; i < OPT_COUNT; i++) {
        if (run->options[i].name)
            fprintf(stderr, " --%s", run->options[i].name);
    }
    fputc('\n', stderr);
    exit(STATUS_USAGE);
}

static void print_option(const struct option *option)
{
    char left[64];
    snprintf(left, sizeof(left), "--%s%s", option->name,
             is_flag(option)    ? ""
             : option->choices  ? " WORD"
             : option->max == 0 ? " LIST"
                                : " N");
    printf("  %-20s %s", left, option->help);
    if (option->choices && !is_flag(option)) {
        size_t length = 0;
        const char *word = choice_at(option->choices, option->value, &length);
        printf(": %s (default %.*s)", option->choices, (int)length, word);
    } else if (!option->choices && option->max == 0) {
        printf(" (default: one device, not split)");
    } else if (!option->choices && option->value == ANY) {
        printf(" (default: the first that fits)");
    } else if (!option->choices) {
        printf(" (%zu to %zu, default %zu)", option->min, option->max, option->value);
    }
    putchar('\n');
}

static void apply(struct run *run, unsigned i, size_t value)
{
    if (value != 0 && !run->given[i])
        run->options[i].value = value;
}

static void apply_preset(struct run *run)
{
    const struct preset *preset = &run->example->presets[run->options[OPT_PRESET].value];
    apply(run, OPT_SIZE, preset->size);
    apply(run, OPT_ITERATIONS, preset->iterations);
    for (unsigned i = 0; i < OPT_COUNT - OPT_EXTRA; i++)
        apply(run, OPT_EXTRA + i, preset->extra[i]);
}

static void print_presets(const struct run *run)
{
    static const char *const names[] = {"default", "tiny", "small", "paper", "large"};
    for (unsigned p = PRESET_TINY; p < PRESET_COUNT; p++) {
        struct run chosen = *run;
        chosen.options[OPT_PRESET].value = p;
        apply_preset(&chosen);
        printf("%s--preset %-5s --size %zu --iterations %zu", p == PRESET_TINY ? "\n" : "", names[p],
               run_size(&chosen), run_iterations(&chosen));
        for (unsigned i = OPT_EXTRA; i < OPT_COUNT; i++) {
            const struct option *option = &chosen.options[i];
            size_t length = 0;
            const char *word = choice_at(option->choices, option->value, &length);
            if (option->name && word)
                printf(" --%s %.*s", option->name, (int)length, word);
            else if (option->name)
                printf(" --%s %zu", option->name, option->value);
        }
        putchar('\n');
    }
}

static _Noreturn void print_help(const struct run *run)
{
    const struct example *example = run->example;
    struct run fresh = {.example = example};
    options_init(&fresh);
    printf("usage: %s [options]\n\n%s\n\n", example->name, example->summary);
    for (unsigned i = 0; i < OPT_COUNT; i++) {
        if (fresh.options[i].name)
            print_option(&fresh.options[i]);
    }
    print_presets(&fresh);
    printf(
        "\nNumbers may end in k, M or G (times 1024, 1024^2, 1024^3).\n"
        "--check: %s\n"
        "The last line tells name, size, median time from the first enqueue to the end of clFinish with the\n"
        "transfers both ways, a checksum of the output's bytes, and the result of the check.\n"
        "Exit status: 0 done, 1 the check failed, 2 bad usage or size too large, 3 an OpenCL error.\n",
        example->check_note);
    exit(STATUS_OK);
}

void options_parse(struct run *run, int argc, char **argv)
{
    options_init(run);
    for (int i = 1; i < argc; i++) {
        struct option *option = find_option(run, argv[i]);
        if (!option)
            reject_unknown(run, argv[i]);
        const char *value = strchr(argv[i], '=');
        if (is_flag(option)) {
            if (value)
                fail(STATUS_USAGE, "%s: --%s takes no value", run->example->name, option->name);
            option->value = 1;
            continue;
        }
        run->given[option - run->options] = true;
        value = value ? value + 1 : argv[++i];
        if (!value)
            reject(run, option, "(no value)");
        set_option(run, option, value);
    }
    if (run->options[OPT_HELP].value)
        print_help(run);
    apply_preset(run);
}
