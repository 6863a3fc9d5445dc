#include "exchange/choice/pattern_key.hpp"

#include <shmem.h>

#include "exchange/copy/box_copy.hpp"
#include "trials/fnv1a.hpp"

namespace oshen::exchange {
namespace {

void add_message(trials::fnv1a& to, const oshen_message_t& m) {
  to.add(static_cast<std::uint64_t>(m.peer));
  to.add(m.bytes);
  to.add(m.box.offset);
  to.add(m.box.element);
  for (int a = 0; a < 3; a++) {
    to.add(m.box.extent[a]);
    to.add(m.box.stride[a]);
  }
}

void add_lists(trials::fnv1a& to, const oshen_message_t* messages, const size_t* const* lists, int n) {
  for (int i = 0; lists != nullptr && i < n; i++) {
    for (std::size_t k = 0; lists[i] != nullptr && k < volume(messages[i].box); k++) to.add(lists[i][k]);
  }
}

}  // namespace

std::uint64_t hash_of(const oshen_group& group, const oshen_plan_attr_t& attr) {
  trials::fnv1a mine;
  mine.add(static_cast<std::uint64_t>(group.me));
  mine.add(static_cast<std::uint64_t>(group.size()));
  mine.add(static_cast<std::uint64_t>(shmem_n_pes()));
  mine.add(static_cast<std::uint64_t>(attr.n_fields));
  mine.add(attr.buffers);
  for (const member& m : group.members) mine.add(m.mapped != nullptr ? 1 : 0);
  for (int i = 0; i < attr.n_sends; i++) add_message(mine, attr.sends[i]);
  for (int i = 0; i < attr.n_receives; i++) add_message(mine, attr.receives[i]);
  add_lists(mine, attr.sends, attr.send_offsets, attr.n_sends);
  add_lists(mine, attr.receives, attr.receive_offsets, attr.n_receives);
  return mine.value();
}

}  // namespace oshen::exchange
