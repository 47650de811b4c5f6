/* SPDX-License-Identifier: MIT */
/*
 * The terminal, by the sequences that all terminals of today know. See coexec_terminal.h.
 */
#include "tools/coexec_terminal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static struct termios before;
static bool keys_are_changed;

bool cx_terminal_is(int file)
{
    const char *kind = getenv("TERM");
    return isatty(file) && kind && *kind && strcmp(kind, "dumb") != 0;
}

bool cx_terminal_bold(void)
{
    const char *none = getenv("NO_COLOR");
    return !none || !*none;
}

void cx_terminal_size(int file, unsigned *rows, unsigned *columns)
{
    struct winsize size = {0};
    const bool known = ioctl(file, TIOCGWINSZ, &size) == 0;
    *rows = known && size.ws_row ? size.ws_row : 24;
    *columns = known && size.ws_col ? size.ws_col : 80;
}

void cx_terminal_write(int file, const char *text, size_t size)
{
    while (size) {
        const ssize_t put = write(file, text, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return;
        text += put;
        size -= (size_t)put;
    }
}

static void write_text(int file, const char *text)
{
    cx_terminal_write(file, text, strlen(text));
}

void cx_terminal_enter(void)
{
    struct termios keys;
    if (isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &before) == 0) {
        keys = before;
        keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        keys.c_cc[VMIN] = 1;
        keys.c_cc[VTIME] = 0;
        keys_are_changed = tcsetattr(STDIN_FILENO, TCSADRAIN, &keys) == 0;
    }
    write_text(STDOUT_FILENO, "\033[?1049h\033[?25l\033[H\033[2J");
}

void cx_terminal_leave(void)
{
    write_text(STDOUT_FILENO, "\033[0m\033[?25h\033[?1049l");
    if (keys_are_changed)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
    keys_are_changed = false;
}

/* The length of what begins there and takes no room: a sequence that changes how letters look. */
static size_t sequence_length(const char *text)
{
    return text[0] == '\033' ? strcspn(text, "m") + 1 : 0;
}

/* Copies one line, as far as it fits; gives what is behind it. */
static const char *put_line(FILE *out, const char *text, unsigned columns)
{
    for (unsigned column = 0; *text && *text != '\n';) {
        const size_t length = sequence_length(text);
        if (length || column++ < columns)
            fwrite(text, 1, length ? length : 1, out);
        text += length ? length : 1;
    }
    return text + (*text == '\n');
}

void cx_terminal_show(const char *text)
{
    unsigned rows, columns;
    char *all = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&all, &size);
    if (!out)
        return;
    cx_terminal_size(STDOUT_FILENO, &rows, &columns);
    fputs("\033[H", out);
    for (unsigned row = 0; row < rows && *text; row++) {
        if (row)
            fputs("\r\n", out);
        text = put_line(out, text, columns);
        fputs("\033[K", out);
    }
    fputs("\033[J", out);
    if (fclose(out) == 0)
        cx_terminal_write(STDOUT_FILENO, all, size);
    free(all);
}

/* Setting the region moves the cursor, and it must not stand on the line that is taken. */
void cx_terminal_keep_line(int file)
{
    unsigned rows, columns;
    char text[64];
    cx_terminal_size(file, &rows, &columns);
    snprintf(text, sizeof text, "\n\033[A\0337\033[1;%ur\0338", rows > 2 ? rows - 1 : rows);
    write_text(file, text);
}

void cx_terminal_give_line(int file)
{
    unsigned rows, columns;
    char text[64];
    cx_terminal_size(file, &rows, &columns);
    snprintf(text, sizeof text, "\0337\033[r\033[%u;1H\033[2K\0338", rows);
    write_text(file, text);
}

void cx_terminal_show_line(int file, const char *text)
{
    unsigned rows, columns;
    char *all = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&all, &size);
    if (!out)
        return;
    cx_terminal_size(file, &rows, &columns);
    if (cx_terminal_bold())
        fprintf(out, "\0337\033[%u;1H\033[7m", rows);
    else
        fprintf(out, "\0337\033[%u;1H", rows);
    put_line(out, text, columns - 1);
    fputs("\033[0m\033[K\0338", out);
    if (fclose(out) == 0)
        cx_terminal_write(file, all, size);
    free(all);
}
