/* SPDX-License-Identifier: MIT */
/*
 * Reasons of decisions: each value has its text, and those of lower rooms and the scheduler keep theirs.
 */
#include "capture.h"
#include "layer/plan/part_note.h"
#include "layer/plan/why.h"

START_TEST(each_reason_has_its_text)
{
    ck_assert_str_eq(cx_why_text(CX_WHY_NONE), "");
    for (unsigned why = CX_WHY_ONE_DEVICE; why < CX_WHY_COUNT; why++) {
        if (why == CX_WHY_SUMMARY + CX_REASON_NONE || why == CX_WHY_SUBRANGE + CX_SUBRANGE_FITS ||
            why == CX_WHY_MOVED + CX_FILES_SAME || why == CX_WHY_NO_SUMMARY + CX_NO_SUMMARY_REPORTED)
            continue;
        ck_assert_ptr_nonnull(cx_why_text((enum cx_why)why));
        ck_assert_uint_gt(strlen(cx_why_text((enum cx_why)why)), 10);
    }
    for (unsigned note = CX_PART_DROPPED; note < CX_PART_NOTES; note++) {
        ck_assert_ptr_nonnull(cx_part_note_text((enum cx_part_note)note));
        ck_assert_uint_gt(strlen(cx_part_note_text((enum cx_part_note)note)), 4);
    }
}
END_TEST

/* The first and the last value of each range. */
START_TEST(ranges_do_not_mix)
{
    ck_assert_str_eq(cx_why_text(cx_why_summary(CX_REASON_NONE)), cx_summary_reason_text(CX_REASON_NONE));
    ck_assert_str_eq(cx_why_text(cx_why_summary((enum cx_summary_reason)(CX_REASON_COUNT - 1))),
                     cx_summary_reason_text((enum cx_summary_reason)(CX_REASON_COUNT - 1)));
    ck_assert_str_eq(cx_why_text(cx_why_subrange(CX_SUBRANGE_NO_DIMENSION)),
                     cx_subrange_limit_text(CX_SUBRANGE_NO_DIMENSION));
    ck_assert_str_eq(cx_why_text(cx_why_subrange(CX_SUBRANGE_OTHER_VARIANT)),
                     cx_subrange_limit_text(CX_SUBRANGE_OTHER_VARIANT));
    ck_assert_str_eq(cx_why_text(cx_why_moved(CX_FILES_UNKNOWN)), cx_analysis_moved_text(CX_FILES_UNKNOWN));
    ck_assert_str_eq(cx_why_text(cx_why_moved(CX_FILES_UNANALYSED)),
                     cx_analysis_moved_text(CX_FILES_UNANALYSED));
    ck_assert_str_eq(cx_why_text(cx_why_admission(CX_ADMISSION_SPLIT)),
                     cx_admission_reason_text(CX_ADMISSION_SPLIT));
    ck_assert_str_eq(cx_why_text(cx_why_admission(CX_ADMISSION_WHOLE_OTHERS_SLOW)),
                     cx_admission_reason_text(CX_ADMISSION_WHOLE_OTHERS_SLOW));
    ck_assert_str_eq(cx_why_text(cx_why_stake(CX_STAKE_UNKNOWN)), cx_stake_verdict_text(CX_STAKE_UNKNOWN));
    ck_assert_str_eq(cx_why_text(cx_why_stake(CX_STAKE_TRIAL)), cx_stake_verdict_text(CX_STAKE_TRIAL));
    ck_assert_str_eq(cx_why_text(cx_why_no_summary(CX_NO_SUMMARY_UNKNOWN)),
                     cx_no_summary_reason_text(CX_NO_SUMMARY_UNKNOWN));
    ck_assert_str_eq(cx_why_text(cx_why_no_summary(CX_NO_SUMMARY_NO_DEVICE)),
                     cx_no_summary_reason_text(CX_NO_SUMMARY_NO_DEVICE));
    ck_assert_str_eq(cx_part_note_text(cx_part_note_decided(CX_DECIDED_REEXECUTE)),
                     cx_decision_text(CX_DECIDED_REEXECUTE));
    ck_assert_str_eq(cx_part_note_text(cx_part_note_admitted(CX_ADMISSION_WORKS)),
                     cx_admission_part_text(CX_ADMISSION_WORKS));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("reasons");
    TCase *tcase = tcase_create("texts");
    tcase_add_test(tcase, each_reason_has_its_text);
    tcase_add_test(tcase, ranges_do_not_mix);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
