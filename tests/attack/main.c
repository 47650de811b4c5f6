/* SPDX-License-Identifier: MIT */
/*
 * Attacks an OpenCL driver with random calls: usage: attack SEED STEPS [--spare]. Writes a log of all codes
 * and contents; two drivers, asked with the same numbers, must write the same. Ends with 3 where something
 * can be told wrong from one log alone. --spare: for PoCL 3.1, which cannot fail what waits for a failed user
 * event.
 */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: attack SEED STEPS [--spare]\n");
        return 2;
    }
    w.state = strtoull(argv[1], NULL, 10) * 2 + 1;
    w.spare = argc > 3 && strcmp(argv[3], "--spare") == 0;
    for (unsigned i = 0; i < 8; i++)
        roll(2);
    open_world();
    const unsigned steps = (unsigned)strtoul(argv[2], NULL, 10);
    for (w.step = 1; w.step <= steps; w.step++) {
        const unsigned what = roll(20);
        if (what < 6)
            step_object();
        else if (what < 11)
            step_command();
        else if (what < 17)
            step_launch();
        else if (what < 19)
            step_wrong();
        if (w.nevents > EVENTS - 50 || w.nareas > EVENTS - 50 || w.nroots > ROOTS - 10 || roll(40) == 0)
            meet();
        if (w.nroots > ROOTS - 10)
            break;
    }
    close_world();
    printf("end\n");
    return 0;
}
