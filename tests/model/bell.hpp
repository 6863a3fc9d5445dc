// The doorbell of src/world/idle.*, as the models that sleep use it.
#pragma once

#include "machine.hpp"

namespace oshen::model {

struct bell {
  int asleep;  // words of memory
  int rings;
};

// ring(): after a store that somebody may wait for.
inline void ring(cpu& c, bell b) {
  if (c.load(b.asleep) == 0) return;
  if (c.exchange(b.asleep, 0) == 0) return;
  c.add(b.rings, 1);
  c.wake(b.rings);
}

// announce_sleep(): returns the value at which the bell may be slept on.
inline int announce_sleep(cpu& c, bell b, bool remote_barrier = true) {
  const int rings = c.load(b.rings);
  c.exchange(b.asleep, 1);
  if (remote_barrier) c.remote_barrier();
  return rings;
}

// wait_long(), without the stages that only cost time.
template <class Ready>
void wait_for(cpu& c, bell b, Ready ready) {
  while (!ready()) {
    const int rings = announce_sleep(c, b);
    if (ready()) return;
    c.sleep(b.rings, rings);
  }
}

}  // namespace oshen::model
