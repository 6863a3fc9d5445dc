// The limit of open descriptors of this process.
#pragma once

namespace oshen::os {

// Makes room for `more` open descriptors: raises the soft limit to the hard limit if it could be too low. Returns the
// soft limit.
long allow_descriptors(long more);

// Duplicates `fd` into `count` descriptors, which reserve their numbers. False if the limit is too low; all duplicates
// are then closed.
bool reserve_descriptors(int fd, int* numbers, int count);

// Moves the open descriptor `fd` to the number `to`, and returns it.
int move_descriptor(int fd, int to);

}  // namespace oshen::os
