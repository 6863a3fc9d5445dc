#include "world/thread_tickets.hpp"

#include <stdlib.h>

#include <new>

#include "base/log.hpp"
#include "os/process.hpp"

namespace oshen {

thread_tickets::line* thread_tickets::find(const void* lock) const {
  line* l = lines_;
  while (l != nullptr && l->lock_object != lock) l = l->next;
  return l;
}

thread_tickets::line* thread_tickets::add(const void* lock) {
  void* memory = malloc(sizeof(line));
  if (memory == nullptr) {
    log::error("no memory for a lock");
    os::leave_at_once(1);
  }
  return lines_ = new (memory) line{
             .lock_object = lock, .next_number = first_number_, .serving = first_number_, .owner = 0, .next = lines_};
}

thread_tickets::ticket thread_tickets::take(const void* lock) {
  os::locked hold(mutex_);
  line* l = find(lock);
  if (l == nullptr) l = add(lock);
  return {l, l->next_number++};
}

bool thread_tickets::take_if_free(const void* lock) {
  os::locked hold(mutex_);
  if (find(lock) != nullptr) return false;
  line* l = add(lock);
  ticket{l, l->next_number++}.begin();
  return true;
}

bool thread_tickets::is_mine(const void* lock) {
  os::locked hold(mutex_);
  const line* l = find(lock);
  return l != nullptr && l->owner.load(std::memory_order_relaxed) == pthread_self();
}

void thread_tickets::leave(const void* lock) {
  os::locked hold(mutex_);
  line** link = &lines_;
  while (*link != nullptr && (*link)->lock_object != lock) link = &(*link)->next;
  line* l = *link;
  if (l == nullptr) return;  // a lock that is cleared without having been set
  l->owner.store(0, std::memory_order_relaxed);
  if (l->serving.fetch_add(1, std::memory_order_release) + 1 != l->next_number) return;
  *link = l->next;
  free(l);
}

}  // namespace oshen
