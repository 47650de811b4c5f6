/* SPDX-License-Identifier: MIT */
/*
 * Profiles: their text, and how what was measured later changes them. See profile.h. Numbers with fractions
 * are written as the bits of doubles: exact, and the same whatever the program's locale.
 */
#include "layer/knowledge/profile.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* How much longer launches with other arguments may be for one's length to tell another's. */
#define SAME_LENGTH 1.5
/* By how much a member's speed in splits may differ from what the length of whole launches says. */
#define CONTRADICTION 3
/* Speeds that are off by more are not averaged with those before, but replace them. */
#define SAME_SPEED 1.25
/* A split's time, of the whole launch's, counts as worse by no more than this than those before it. */
#define WORSE_RATIO 0.1
/* No number of ours is greater. */
#define MOST_SECONDS 1e6
#define MOST_SPEED   1e15
#define MOST_TIMES   1e6
static const uint64_t most_count = UINT64_C(1) << 53;

/* ---- text ---- */

static char *put_word(char *at, const char *word)
{
    *at++ = ' ';
    const size_t length = strlen(word);
    memcpy(at, word, length + 1);
    return at + length;
}

static char *put_hash(char *at, const unsigned char *hash)
{
    char word[2 * CX_PROFILE_HASH + 1];
    for (unsigned i = 0; i < CX_PROFILE_HASH; i++)
        snprintf(word + 2 * i, 3, "%02x", hash[i]);
    return put_word(at, word);
}

static char *put_count(char *at, uint64_t number)
{
    char word[24];
    snprintf(word, sizeof(word), "%" PRIu64, number);
    return put_word(at, word);
}

static char *put_real(char *at, double number)
{
    char word[24];
    uint64_t bits;
    memcpy(&bits, &number, sizeof(bits));
    snprintf(word, sizeof(word), "%" PRIx64, bits);
    return put_word(at, word);
}

static bool is_name_letter(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '$';
}

static char *put_name(char *at, const char *name)
{
    char word[CX_PROFILE_NAME] = "-";
    for (unsigned i = 0; name[i] && i + 1 < CX_PROFILE_NAME; i++) {
        word[i] = is_name_letter(name[i]) ? name[i] : '_';
        word[i + 1] = '\0';
    }
    return put_word(at, word);
}

static char *put_curve(char *at, const struct cx_profile *profile)
{
    char word[4 * CX_PROFILE_CURVE + 1] = "-";
    for (unsigned i = 0; i < CX_PROFILE_CURVE && profile->has_curve; i++)
        snprintf(word + 4 * i, 5, "%04x", (unsigned)profile->curve[i]);
    return put_word(at, word);
}

/* The form of what follows; another one is another word. */
#define TUNING_FORM "tuning1"

static char *put_samples(char *at, const struct cx_profile_samples *samples)
{
    at = put_real(at, samples->unit);
    for (unsigned s = 0; s < CX_PROFILE_SAMPLES && samples->unit > 0; s++) {
        at = put_real(at, samples->groups[s]);
        at = put_real(at, samples->speed[s]);
    }
    return at;
}

static char *put_tuning(char *at, const struct cx_profile *profile)
{
    const struct cx_profile_tuning *tuning = &profile->tuning;
    bool any = tuning->launches > 0;
    for (unsigned i = 0; i < profile->ndevices && i < CX_PROFILE_DEVICES; i++)
        any |= tuning->device[i].unit > 0;
    if (!any)
        return at;
    at = put_word(at, TUNING_FORM);
    at = put_count(at, tuning->launches);
    at = put_real(at, tuning->irregular);
    for (unsigned i = 0; i < profile->ndevices && i < CX_PROFILE_DEVICES; i++)
        at = put_samples(at, &tuning->device[i]);
    return at;
}

void cx_profile_print(const struct cx_profile *profile, char line[CX_PROFILE_LINE])
{
    const struct cx_profile_key *key = &profile->key;
    char *at = line + sizeof("profile") - 1;
    memcpy(line, "profile", sizeof("profile"));
    at = put_hash(at, key->kernel);
    at = put_hash(at, key->set);
    at = put_name(at, profile->name);
    at = put_count(at, key->dims);
    for (unsigned d = 0; d < 3; d++)
        at = put_count(at, key->global[d]);
    for (unsigned d = 0; d < 3; d++)
        at = put_count(at, key->local[d]);
    at = put_count(at, profile->groups);
    at = put_count(at, profile->arguments);
    at = put_count(at, profile->lengths);
    at = put_real(at, profile->length);
    at = put_real(at, profile->spread);
    at = put_count(at, profile->splits);
    at = put_real(at, profile->ratio);
    at = put_real(at, profile->saved);
    at = put_real(at, profile->saved_before);
    at = put_count(at, profile->processes);
    at = put_count(at, profile->seen);
    at = put_count(at, profile->ndevices);
    for (unsigned i = 0; i < profile->ndevices && i < CX_PROFILE_DEVICES; i++) {
        at = put_real(at, profile->device[i].speed);
        at = put_count(at, profile->device[i].samples);
    }
    at = put_curve(at, profile);
    put_tuning(at, profile);
}

/* The words of a line, one after another. */
struct words {
    const char *at;
    bool ok;
};

/* The next word and its length; none: length 0. */
static const char *next_word(struct words *words, size_t *length)
{
    words->at += strspn(words->at, " ");
    const char *word = words->at;
    *length = strcspn(word, " \r\n");
    words->at += *length;
    words->ok &= *length > 0;
    return word;
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

/* A number in that base. */
static uint64_t get_number(struct words *words, unsigned base)
{
    size_t length;
    const char *word = next_word(words, &length);
    uint64_t number = 0;
    for (size_t i = 0; i < length; i++) {
        const unsigned digit = (unsigned)digit_of(word[i]);
        words->ok &= digit < base && number <= (UINT64_MAX - digit) / base;
        number = number * base + digit;
    }
    return number;
}

static uint64_t get_count(struct words *words)
{
    const uint64_t number = get_number(words, 10);
    words->ok &= number <= most_count;
    return number;
}

/* From 0 to `most`. */
static double get_real(struct words *words, double most)
{
    const uint64_t bits = get_number(words, 16);
    double number;
    memcpy(&number, &bits, sizeof(number));
    words->ok &= isfinite(number) && number >= 0 && number <= most;
    return number;
}

static void get_hash(struct words *words, unsigned char *hash)
{
    size_t length;
    const char *word = next_word(words, &length);
    words->ok &= length == 2 * (size_t)CX_PROFILE_HASH;
    for (unsigned i = 0; i < CX_PROFILE_HASH && words->ok; i++) {
        const int high = digit_of(word[2 * i]), low = digit_of(word[2 * i + 1]);
        words->ok &= high < 16 && low < 16;
        hash[i] = (unsigned char)(high * 16 + low);
    }
}

static void get_name(struct words *words, char name[CX_PROFILE_NAME])
{
    size_t length;
    const char *word = next_word(words, &length);
    words->ok &= length < CX_PROFILE_NAME;
    for (size_t i = 0; i < length && words->ok; i++) {
        words->ok &= is_name_letter(word[i]) || (length == 1 && *word == '-');
        name[i] = word[i];
    }
}

/* Never falls. */
static void get_curve(struct words *words, struct cx_profile *profile)
{
    size_t length;
    const char *word = next_word(words, &length);
    unsigned before = 0;
    if (length == 1 && *word == '-')
        return;
    words->ok &= length == 4 * (size_t)CX_PROFILE_CURVE;
    for (unsigned i = 0; i < CX_PROFILE_CURVE && words->ok; i++) {
        unsigned value = 0;
        for (unsigned k = 0; k < 4; k++) {
            words->ok &= digit_of(word[4 * i + k]) < 16;
            value = value * 16 + (unsigned)digit_of(word[4 * i + k]) % 16;
        }
        words->ok &= value >= before;
        profile->curve[i] = (uint16_t)value;
        before = value;
    }
    words->ok &= before == UINT16_MAX;
    profile->has_curve = true;
}

static void get_key(struct words *words, struct cx_profile *profile)
{
    struct cx_profile_key *key = &profile->key;
    get_hash(words, key->kernel);
    get_hash(words, key->set);
    get_name(words, profile->name);
    key->dims = get_count(words);
    for (unsigned d = 0; d < 3; d++)
        key->global[d] = get_count(words);
    for (unsigned d = 0; d < 3; d++)
        key->local[d] = get_count(words);
    words->ok &= key->dims >= 1 && key->dims <= 3;
}

static void get_devices(struct words *words, struct cx_profile *profile)
{
    profile->ndevices = get_count(words);
    words->ok &= profile->ndevices >= 1 && profile->ndevices <= CX_PROFILE_DEVICES;
    for (unsigned i = 0; words->ok && i < profile->ndevices; i++) {
        profile->device[i].speed = get_real(words, MOST_SPEED);
        profile->device[i].samples = get_count(words);
    }
}

static void get_samples(struct words *words, struct cx_profile_samples *samples)
{
    samples->unit = (float)get_real(words, MOST_SPEED);
    for (unsigned s = 0; s < CX_PROFILE_SAMPLES && samples->unit > 0; s++) {
        samples->groups[s] = (float)get_real(words, MOST_SPEED);
        samples->speed[s] = (float)get_real(words, MOST_SPEED);
        words->ok &= samples->groups[s] > 0 && samples->speed[s] > 0;
    }
}

/* Nothing, what policies start from, or that in a form that is not ours, which is passed over. */
static void get_tuning(struct words *words, struct cx_profile *profile)
{
    size_t length;
    words->at += strspn(words->at, " \r\n");
    if (!*words->at)
        return;
    const char *form = next_word(words, &length);
    if (length != sizeof(TUNING_FORM) - 1 || memcmp(form, TUNING_FORM, length) != 0) {
        words->ok &= length > 0 && *form >= 'a' && *form <= 'z';
        words->at += strlen(words->at);
        return;
    }
    profile->tuning.launches = get_count(words);
    profile->tuning.irregular = get_real(words, 1);
    for (unsigned i = 0; words->ok && i < profile->ndevices; i++)
        get_samples(words, &profile->tuning.device[i]);
}

bool cx_profile_parse(const char *line, struct cx_profile *profile)
{
    struct words words = {line + sizeof("profile") - 1, true};
    memset(profile, 0, sizeof(*profile));
    if (strncmp(line, "profile ", sizeof("profile")) != 0)
        return false;
    get_key(&words, profile);
    profile->groups = get_count(&words);
    profile->arguments = get_number(&words, 10);
    profile->lengths = get_count(&words);
    profile->length = get_real(&words, MOST_SECONDS);
    profile->spread = get_real(&words, MOST_TIMES);
    profile->splits = get_count(&words);
    profile->ratio = get_real(&words, MOST_TIMES);
    profile->saved = get_real(&words, MOST_SECONDS);
    profile->saved_before = get_real(&words, MOST_SECONDS);
    profile->processes = get_count(&words);
    profile->seen = get_count(&words);
    get_devices(&words, profile);
    get_curve(&words, profile);
    if (words.ok)
        get_tuning(&words, profile);
    words.at += strspn(words.at, " \r\n");
    return words.ok && !*words.at;
}

void cx_profile_print_set(const unsigned char *hash, const double *opening, char line[CX_PROFILE_LINE])
{
    char *at = line + sizeof("set") - 1;
    memcpy(line, "set", sizeof("set"));
    at = put_hash(at, hash);
    for (unsigned i = 0; i < CX_PROFILE_DEVICES; i++)
        at = put_real(at, opening[i]);
}

const char *cx_profile_parse_set(const char *line, unsigned char hash[CX_PROFILE_HASH],
                                 double opening[CX_PROFILE_DEVICES])
{
    struct words words = {line + sizeof("set") - 1, true};
    if (strncmp(line, "set ", sizeof("set")) != 0)
        return NULL;
    get_hash(&words, hash);
    for (unsigned i = 0; i < CX_PROFILE_DEVICES && words.ok; i++)
        opening[i] = get_real(&words, MOST_SECONDS);
    return words.ok && *words.at == ' ' ? words.at + 1 : NULL;
}

/* ---- learning ---- */

static double middle(double before, double now)
{
    return before > 0 && now > 0 ? (before + now) / 2 : now > 0 ? now : before;
}

/* Averages what is alike, and believes the newer one else. */
static double follow(double before, double now)
{
    const double ratio = before > 0 && now > 0 ? now / before : 0;
    return ratio > 1 / SAME_SPEED && ratio < SAME_SPEED ? (before + now) / 2 : now > 0 ? now : before;
}

/* A split that something disturbed may take many times as long: it counts as little worse than those before.
 */
static double follow_ratio(double before, double now)
{
    return before > 0 ? middle(before, fmin(now, before + WORSE_RATIO)) : now;
}

/* A length of launches with other arguments, perhaps. */
static void learn_length(struct cx_profile *profile, const struct cx_profile *later)
{
    if (later->lengths == 0 || !(later->length > 0))
        return;
    if (profile->lengths > 0 && profile->length > 0 && profile->arguments != later->arguments) {
        const double times = fmax(profile->length / later->length, later->length / profile->length);
        profile->spread = fmin(fmax(profile->spread, times), MOST_TIMES);
        profile->length = later->length;
    } else {
        profile->length = follow(profile->length, later->length);
    }
    profile->spread = fmax(profile->spread, later->spread);
    profile->arguments = later->arguments;
    profile->lengths += later->lengths;
}

/* Later ones begin with what is known before, so that theirs replaces it. */
static void learn_tuning(struct cx_profile *profile, const struct cx_profile *later)
{
    if (profile->ndevices != later->ndevices)
        memset(profile->tuning.device, 0, sizeof(profile->tuning.device));
    if (later->tuning.launches > 0) {
        profile->tuning.launches = later->tuning.launches;
        profile->tuning.irregular = later->tuning.irregular;
    }
    for (unsigned i = 0; i < later->ndevices && i < CX_PROFILE_DEVICES; i++)
        if (later->tuning.device[i].unit > 0)
            profile->tuning.device[i] = later->tuning.device[i];
}

static void learn_rest(struct cx_profile *profile, const struct cx_profile *later)
{
    learn_tuning(profile, later);
    if (profile->ndevices != later->ndevices)
        memset(profile->device, 0, sizeof(profile->device));
    profile->ndevices = later->ndevices;
    for (unsigned i = 0; i < later->ndevices && i < CX_PROFILE_DEVICES; i++) {
        if (!(later->device[i].speed > 0))
            continue;
        profile->device[i].speed = follow(profile->device[i].speed, later->device[i].speed);
        profile->device[i].samples += later->device[i].samples;
    }
    profile->groups = later->groups ? later->groups : profile->groups;
    profile->ratio = later->splits ? follow_ratio(profile->ratio, later->ratio) : profile->ratio;
    profile->splits += later->splits;
    profile->seen = later->seen > profile->seen ? later->seen : profile->seen;
    if (*later->name)
        memcpy(profile->name, later->name, sizeof(profile->name));
    if (later->has_curve)
        memcpy(profile->curve, later->curve, sizeof(profile->curve));
    profile->has_curve |= later->has_curve;
}

void cx_profile_add(struct cx_profile *profile, const struct cx_profile *event)
{
    learn_length(profile, event);
    learn_rest(profile, event);
    profile->saved += event->saved;
}

void cx_profile_merge(struct cx_profile *profile, const struct cx_profile *later)
{
    learn_length(profile, later);
    learn_rest(profile, later);
    if (later->processes == 0) { /* more of the same one */
        profile->saved = fmin(profile->saved + later->saved, MOST_SECONDS);
        return;
    }
    profile->saved_before = later->processes > 1 ? later->saved_before : profile->saved;
    profile->saved = later->saved;
    profile->processes += later->processes;
}

bool cx_profile_tells_length(const struct cx_profile *profile, uint64_t arguments)
{
    return profile->lengths > 0 && profile->length > 0 &&
           (profile->arguments == arguments || (profile->spread > 0 && profile->spread < SAME_LENGTH));
}

double cx_profile_speed(const struct cx_profile *profile, unsigned member, unsigned first)
{
    const double speed = profile->device[member].speed, of_first = profile->device[first].speed;
    const double alone = profile->length > 0 ? (double)profile->groups / profile->length : 0;
    const bool contradicts = alone > CONTRADICTION * of_first || of_first > CONTRADICTION * alone;
    return alone > 0 && of_first > 0 && contradicts ? speed * alone / of_first : speed;
}

double cx_profile_saves(const struct cx_profile *profile)
{
    return profile->processes > 1 ? fmin(profile->saved, profile->saved_before) : profile->saved;
}
