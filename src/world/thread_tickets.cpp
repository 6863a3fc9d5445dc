#include "world/thread_tickets.hpp"

#include <stdlib.h>

#include <new>

#include "base/log.hpp"
#include "os/process.hpp"

namespace oshen {

thread_tickets::line* thread_tickets::find(const void* what) const {
  line* l = lines_;
  while (l != nullptr && l->what != what) l = l->next;
  return l;
}

thread_tickets::line* thread_tickets::add(const void* what) {
  void* memory = malloc(sizeof(line));
  if (memory == nullptr) {
    log::error("no memory for a lock");
    os::leave_at_once(1);
  }
  return lines_ = new (memory) line{.what = what, .next_number = 0, .serving = 0, .owner = 0, .next = lines_};
}

thread_tickets::ticket thread_tickets::take(const void* what) {
  os::locked hold(lock_);
  line* l = find(what);
  if (l == nullptr) l = add(what);
  return {l, l->next_number++};
}

bool thread_tickets::take_if_free(const void* what) {
  os::locked hold(lock_);
  if (find(what) != nullptr) return false;
  line* l = add(what);
  ticket{l, l->next_number++}.begin();
  return true;
}

bool thread_tickets::is_mine(const void* what) {
  os::locked hold(lock_);
  const line* l = find(what);
  return l != nullptr && l->owner.load(std::memory_order_relaxed) == pthread_self();
}

void thread_tickets::leave(const void* what) {
  os::locked hold(lock_);
  line** link = &lines_;
  while (*link != nullptr && (*link)->what != what) link = &(*link)->next;
  line* l = *link;
  if (l == nullptr) return;  // a lock that is cleared without having been set
  l->owner.store(0, std::memory_order_relaxed);
  if (l->serving.fetch_add(1, std::memory_order_release) + 1 != l->next_number) return;
  *link = l->next;
  free(l);
}

}  // namespace oshen
