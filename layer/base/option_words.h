/* SPDX-License-Identifier: MIT */
/*
 * The words of each WORD option of options.def, in the order in which its row accepts them, and the enum that
 * options.h has for it: CX_WORDS_field(WORD) is WORD(enumerator, "word") for each.
 */
#ifndef CX_LAYER_BASE_OPTION_WORDS_H
#define CX_LAYER_BASE_OPTION_WORDS_H

// clang-format off
#define CX_WORDS_device_type(WORD) WORD(DEVICE_TYPE_ALL, "all") WORD(DEVICE_TYPE_CPU, "cpu") WORD(DEVICE_TYPE_GPU, "gpu") WORD(DEVICE_TYPE_ACCELERATOR, "accelerator")
#define CX_WORDS_identity(WORD) WORD(IDENTITY_VIRTUAL, "virtual") WORD(IDENTITY_FASTEST, "fastest")
#define CX_WORDS_limits(WORD) WORD(LIMITS_FASTEST, "fastest") WORD(LIMITS_COMMON, "common")
#define CX_WORDS_units(WORD) WORD(UNITS_FASTEST, "fastest") WORD(UNITS_SUM, "sum")
#define CX_WORDS_peer(WORD) WORD(PEER_AUTO, "auto") WORD(PEER_NEVER, "0") WORD(PEER_WANTED, "1")
#define CX_WORDS_remote_access(WORD) WORD(REMOTE_ACCESS_AUTO, "auto") WORD(REMOTE_ACCESS_NEVER, "0") WORD(REMOTE_ACCESS_ALWAYS, "1")
#define CX_WORDS_queues(WORD) WORD(QUEUES_ONE, "one") WORD(QUEUES_GPUS, "gpus") WORD(QUEUES_ALL, "all")
#define CX_WORDS_device_copy(WORD) WORD(DEVICE_COPY_AUTO, "auto") WORD(DEVICE_COPY_DRIVER, "driver") WORD(DEVICE_COPY_KERNEL, "kernel")
#define CX_WORDS_split(WORD) WORD(SPLIT_AUTO, "auto") WORD(SPLIT_NEVER, "never") WORD(SPLIT_ALWAYS, "always")
#define CX_WORDS_summary(WORD) WORD(SUMMARY_NONE, "0") WORD(SUMMARY_SHORT, "1") WORD(SUMMARY_FULL, "full")
#define CX_WORDS_knowledge(WORD) WORD(KNOWLEDGE_AUTO, "auto") WORD(KNOWLEDGE_NEVER, "0") WORD(KNOWLEDGE_READ, "read")
#define CX_WORDS_objective(WORD) WORD(OBJECTIVE_TIME, "time") WORD(OBJECTIVE_ENERGY, "energy") WORD(OBJECTIVE_EDP, "edp")
#define CX_WORDS_build(WORD) WORD(BUILD_ALL, "all") WORD(BUILD_LAZY, "lazy")

#define CX_WORD_NUMBER(enumerator, word) CX_OPTION_##enumerator,
enum cx_option_device_type { CX_WORDS_device_type(CX_WORD_NUMBER) };
enum cx_option_identity { CX_WORDS_identity(CX_WORD_NUMBER) };
enum cx_option_limits { CX_WORDS_limits(CX_WORD_NUMBER) };
enum cx_option_units { CX_WORDS_units(CX_WORD_NUMBER) };
enum cx_option_peer { CX_WORDS_peer(CX_WORD_NUMBER) };
enum cx_option_remote_access { CX_WORDS_remote_access(CX_WORD_NUMBER) };
enum cx_option_queues { CX_WORDS_queues(CX_WORD_NUMBER) };
enum cx_option_device_copy { CX_WORDS_device_copy(CX_WORD_NUMBER) };
enum cx_option_split { CX_WORDS_split(CX_WORD_NUMBER) };
enum cx_option_summary { CX_WORDS_summary(CX_WORD_NUMBER) };
enum cx_option_knowledge { CX_WORDS_knowledge(CX_WORD_NUMBER) };
enum cx_option_objective { CX_WORDS_objective(CX_WORD_NUMBER) };
enum cx_option_build { CX_WORDS_build(CX_WORD_NUMBER) };
#undef CX_WORD_NUMBER
// clang-format on

#endif
