/* SPDX-License-Identifier: MIT */
/*
 * What this process knows of launches, from former ones (folder.h) and its own, and what it adds.
 *
 * A thread of its own reads the files once, when the first context with several devices is made; until it is
 * done nothing is known. Nothing else opens a file while the program runs, but for a thread that writes now
 * and then; the rest is written at the end of the process. What cannot be read or written is as if there were
 * none: the program never notices. Knowledge is an expectation: plan/recall.h says what it may decide.
 * Thread-safe: one lock, held for look-ups. Previous stage: folder.h. Next: plan/recall.h.
 */
#ifndef CX_LAYER_KNOWLEDGE_KNOWLEDGE_H
#define CX_LAYER_KNOWLEDGE_KNOWLEDGE_H

#include "layer/knowledge/profile.h"

/* Starts reading, at the first call. Called by api/context.c. */
void cx_knowledge_begin(void);
/* Whether the files were read, so that there is something to be asked. Cheap. Called by plan/recall.c. */
bool cx_knowledge_ready(void);
/* The salted hash of a list of texts. Only once knowledge is ready. Called by plan/recall.c. */
void cx_knowledge_hash(const char *const *texts, unsigned count, unsigned char hash[CX_PROFILE_HASH]);
/* Tells later processes what a set of devices consists of, and the seconds that openings took, by member
 * (NULL, 0: not known). Called by plan/recall.c. */
void cx_knowledge_tell_set(const unsigned char *hash, const char *text, const double *opening);
/* Seconds that opening that member took a former process; 0: not known. Called by plan/recall.c. */
double cx_knowledge_opening(const unsigned char *hash, unsigned member);

/* Copies what is known of the key. False: nothing. *first: nobody asked for it before in this process; NULL:
 * that is not to count as asking. Called by plan/recall.c. */
bool cx_knowledge_find(const struct cx_profile_key *key, struct cx_profile *profile, bool *first);
/* Copies at most `most` profiles of the same kernel and set that have as many dimensions; gives how many.
 * Called by plan/recall.c. */
unsigned cx_knowledge_alike(const struct cx_profile_key *key, struct cx_profile *profile, unsigned most);
/* Adds what was measured of one launch. Called by plan/recall.c. */
void cx_knowledge_add(const struct cx_profile *event);

#endif
