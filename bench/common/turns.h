// A lock that all processes want: how evenly they got their turns.
#pragma once
#include <stdbool.h>

// By `prepare`: batches also tell `_evenness`, the fewest turns of a process in hundredths of the most.
void turns_prepare(void);
// After a batch, by each process: how many it had.
void turns_tell(long mine);
// By `valid`: whether there were as many as the batch has operations, a turn of each process in each.
bool turns_are(long count);
