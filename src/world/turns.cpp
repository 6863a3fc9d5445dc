#include "world/turns.hpp"

#include <stdlib.h>

#include <new>

#include "base/log.hpp"
#include "os/process.hpp"

namespace oshen {

thread_turns::line* thread_turns::find(const void* what) const {
  line* l = lines_;
  while (l != nullptr && l->what != what) l = l->next;
  return l;
}

thread_turns::line* thread_turns::add(const void* what) {
  void* memory = malloc(sizeof(line));
  if (memory == nullptr) {
    log::error("no memory for a lock");
    os::leave_at_once(1);
  }
  return lines_ = new (memory) line{.what = what, .next_number = 0, .serving = 0, .next = lines_};
}

thread_turns::place thread_turns::stand(const void* what) {
  os::locked hold(lock_);
  line* l = find(what);
  if (l == nullptr) l = add(what);
  return {l, l->next_number++};
}

bool thread_turns::stand_if_free(const void* what) {
  os::locked hold(lock_);
  if (find(what) != nullptr) return false;
  ++add(what)->next_number;
  return true;
}

void thread_turns::leave(const void* what) {
  os::locked hold(lock_);
  line** link = &lines_;
  while (*link != nullptr && (*link)->what != what) link = &(*link)->next;
  line* l = *link;
  if (l == nullptr) return;  // a lock that is cleared without having been set
  if (l->serving.fetch_add(1, std::memory_order_release) + 1 != l->next_number) return;
  *link = l->next;
  free(l);
}

}  // namespace oshen
