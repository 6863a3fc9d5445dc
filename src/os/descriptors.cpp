#include "os/descriptors.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace oshen::os {

// select() works with descriptors below 1024 only, so the limit of a program that needs few descriptors stays
// unchanged.
long allow_descriptors(long more) {
  constexpr long of_program = 64;
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  if (limit.rlim_cur < static_cast<rlim_t>(more + of_program) && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) getrlimit(RLIMIT_NOFILE, &limit);
  }
  return static_cast<long>(limit.rlim_cur);
}

bool reserve_descriptors(int fd, int* numbers, int count) {
  for (int i = 0; i < count; ++i) {
    numbers[i] = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (numbers[i] >= 0) continue;
    while (i-- > 0) close(numbers[i]);
    return false;
  }
  return true;
}

int move_descriptor(int fd, int to) {
  const int moved = dup3(fd, to, O_CLOEXEC);
  if (moved >= 0) close(fd);
  return moved;
}

}  // namespace oshen::os
