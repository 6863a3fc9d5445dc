// How evenly the processes got their turns of a contended lock.
#pragma once
#include <stdbool.h>

// For `prepare`: batches also report `_evenness`, the fewest turns of a process in percent of the most.
void turns_prepare(void);
// After a batch, by each process: its number of turns.
void turns_tell(long mine);
// For `valid`: whether the turns add up to one of each process per operation.
bool turns_are(long count);
