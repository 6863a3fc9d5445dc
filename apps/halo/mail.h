/* Small records to any PE, collected and sent in bulk: the aggregated style.
 *
 *     do {
 *       threads_run(push, ...); // while (next < n && mail_push(m, thread, pe, a, b)) next++;
 *       more = mail_go(m);
 *       threads_run(pop, ...); // while (mail_pop(m, thread, &pe, &a, &b)) ...;
 *     } while (more);
 */
#ifndef HALO_MAIL_H
#define HALO_MAIL_H

#include "halo.h"

enum { mail_most = 512 }; /* records for one PE in one turn, of all threads together; at least one of each thread */

typedef struct mail mail_t;

/* Collective. NULL: not enough memory. */
mail_t* mail_create(sync_how_t how);
/* Collective. Ignores NULL. */
void mail_destroy(mail_t* mail);
/* Returns 0 if this thread's bag for this PE is full: the record is to be pushed again after mail_go. Several threads
 * may push at once, each with its own number (threads.h). */
int mail_push(mail_t* mail, int thread, int pe, uint64_t a, uint64_t b);
/* Collective, on one thread: sends all bags and receives those for this PE. Returns 0 on all PEs if no bag of any PE
 * was full; a new round may begin after the records are taken out. */
int mail_go(mail_t* mail);
/* The number of records that the last mail_go received. */
long mail_received(const mail_t* mail);
/* Takes the next of the records that this thread shall have: each thread has an equal share of each message. Returns 0
 * if there is none. Several threads may call it at once, each with its own number. As many answers to the senders as
 * records fit into a mail that was emptied. */
int mail_pop(mail_t* mail, int thread, int* from, uint64_t* a, uint64_t* b);

#endif
