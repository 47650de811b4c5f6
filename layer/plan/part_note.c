/* SPDX-License-Identifier: MIT */
/*
 * The texts of what became of parts. See part_note.h.
 */
#include "layer/plan/part_note.h"

static const char *const note_texts[CX_PART_DECIDED] = {
    [CX_PART_NOTHING] = "",
    [CX_PART_DROPPED] = "dropped: another device was first",
    [CX_PART_OVERTAKEN] = "others did its package first",
    [CX_PART_FAILED] = "failed: others did what it held",
    [CX_PART_LATE] = "straggler: not waited for",
    [CX_PART_REFUSED] = "refused a package: others did it",
    [CX_PART_STANDS_IN] = "did what another device failed to do",
};

const char *cx_part_note_text(enum cx_part_note note)
{
    const unsigned value = (unsigned)note;
    if (value >= CX_PART_ADMITTED)
        return cx_admission_part_text((enum cx_admission_part)(value - CX_PART_ADMITTED));
    if (value >= CX_PART_DECIDED)
        return cx_decision_text((enum cx_decision)(value - CX_PART_DECIDED));
    return note_texts[value];
}
