/* The ways in which neighbours tell each other that data has come. */
#ifndef HALO_SYNC_H
#define HALO_SYNC_H

typedef enum sync {
  SYNC_BARRIER,    /* everybody meets */
  SYNC_QUIET_SYNC, /* complete what I wrote, then everybody meets */
  SYNC_FENCE_FLAG, /* data, fence, a word that the target waits for */
  SYNC_SIGNAL,     /* data with its signal */
  SYNC_PSCW,       /* as fence+flag, and the target grants each message first */
  SYNC_COUNTER,    /* each thread writes its piece and counts it; the target waits for the sum */
  SYNC_GET_PULL,   /* a word says that data is ready; the target reads it */
  SYNC_COLL,       /* one alltoall of all */
  SYNC_TWO_SIDED,  /* send and receive */
  SYNCS            /* from here on: ways of an app's own */
} sync_how_t;

const char* sync_name(sync_how_t how);

/* Another way, by this name, which lives for ever; they are numbered from SYNCS. */
void sync_add(const char* name);
/* Bit `how` for each way that was added. */
unsigned sync_added(void);

/* A comma-separated list, or `all`, into a set with bit `how` for each. 0: a word is unknown, and
 * `*bad` points to it. */
unsigned sync_parse(const char* list, unsigned offered, const char** bad);

/* The names in a set, with commas, into `to`. */
void sync_names(unsigned set, char* to, unsigned long size);

#endif
