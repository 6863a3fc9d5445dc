/* Small records to any PE, collected and sent in bulk: the aggregated style.
 *
 *     do {
 *       while (next < n && mail_push(m, pe, a, b)) next++;
 *       more = mail_go(m, next == n);
 *       while (mail_pop(m, &pe, &a, &b)) ...;
 *     } while (more);
 */
#ifndef HALO_MAIL_H
#define HALO_MAIL_H

#include "halo.h"

enum { mail_most = 512 }; /* records for one PE in one turn */

typedef struct mail mail_t;

/* Collective. NULL: not enough memory. */
mail_t* mail_create(sync_how_t how);
/* Collective. Ignores NULL. */
void mail_destroy(mail_t* mail);
/* Returns 0 if the bag for this PE is full: call mail_go first. */
int mail_push(mail_t* mail, int pe, uint64_t a, uint64_t b);
/* Collective: sends all bags and receives those for this PE. `done` says that this PE pushes no more records in this
 * round. Returns 0 on all PEs when all are done; a new round may begin after the last records are taken out. */
int mail_go(mail_t* mail, int done);
/* Takes the next record, in the order of the senders. Returns 0 if there is none. */
int mail_pop(mail_t* mail, int* from, uint64_t* a, uint64_t* b);

#endif
