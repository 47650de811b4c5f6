/* SPDX-License-Identifier: MIT */
/* The cases, by the files that have them. Each gives the status that the process ends with. */
#ifndef CX_TESTS_PROCESS_CASES_H
#define CX_TESTS_PROCESS_CASES_H

#define CASES(X)                                                                                             \
    X(fork_before)                                                                                           \
    X(fork_child_only)                                                                                       \
    X(fork_after_query)                                                                                      \
    X(fork_after_use)                                                                                        \
    X(fork_and_exec)                                                                                         \
    X(return_in_flight)                                                                                      \
    X(exit_in_flight)                                                                                        \
    X(exit_at_once)                                                                                          \
    X(quick_exit_in_flight)                                                                                  \
    X(exit_behind_event)                                                                                     \
    X(exit_released)                                                                                         \
    X(exit_while_building)                                                                                   \
    X(exit_while_compiling)                                                                                  \
    X(exit_beside_thread)                                                                                    \
    X(exit_from_callback)                                                                                    \
    X(exit_from_thread)                                                                                      \
    X(exit_begins_nothing)                                                                                   \
    X(exit_handler_finishes)                                                                                 \
    X(exit_handler_first)                                                                                    \
    X(exit_handler_held)                                                                                     \
    X(exit_handler_unflushed)                                                                                \
    X(exit_handler_begins)                                                                                   \
    X(exit_handler_releases)                                                                                 \
    X(exit_handler_called_back)                                                                              \
    X(exit_handler_compiles)                                                                                 \
    X(exit_handler_awaits_new)                                                                               \
    X(exit_handler_awaits_late)                                                                              \
    X(exit_handler_joins)                                                                                    \
    X(exit_handler_lingers)                                                                                  \
    X(exit_from_build)                                                                                       \
    X(exit_at_any_moment)                                                                                    \
    X(signal_at_any_moment)                                                                                  \
    X(signal_handled)                                                                                        \
    X(reload)                                                                                                \
    X(close_in_flight)                                                                                       \
    X(many_threads)                                                                                          \
    X(threads_at_first)                                                                                      \
    X(thread_ends)                                                                                           \
    X(from_callbacks)                                                                                        \
    X(released_in_callback)                                                                                  \
    X(signals)
#define CASE_DECLARE(name) int case_##name(void);
CASES(CASE_DECLARE)

#endif
