/* The ways in which neighbours tell each other that data has come. */
#ifndef HALO_SYNC_H
#define HALO_SYNC_H

typedef enum sync {
  SYNC_BARRIER,    /* a barrier of all PEs */
  SYNC_QUIET_SYNC, /* quiet completes the puts, then all PEs synchronise */
  SYNC_FENCE_FLAG, /* data, fence, a flag that the target waits for */
  SYNC_SIGNAL,     /* data with its signal */
  SYNC_PSCW,       /* as fence+flag, but the target first grants each message */
  SYNC_COUNTER,    /* each thread writes its part and increments a counter; the target waits for the sum */
  SYNC_GET_PULL,   /* a flag says that data is ready; the target reads it */
  SYNC_COLL,       /* one alltoall of all PEs */
  SYNC_TWO_SIDED,  /* send and receive */
  SYNCS            /* an app's own ways have numbers from here on */
} sync_how_t;

const char* sync_name(sync_how_t how);

/* Adds a way; the next free number from SYNCS on is its own. `name` must stay valid. */
void sync_add(const char* name);
/* Bit `how` for each way that was added. */
unsigned sync_added(void);

/* Turns a comma-separated list, or `all`, into a set with bit `how` for each way. Returns 0 if a word is unknown;
 * `*bad` then points to it. */
unsigned sync_parse(const char* list, unsigned offered, const char** bad);

/* Writes the names in a set into `to`, separated by commas. */
void sync_names(unsigned set, char* to, unsigned long size);

#endif
