#include "coll/protocol/peer_memory.hpp"

#include "op/remote.hpp"

namespace oshen::coll {
namespace {

op::call_site here(const team& t) { return {&t.ctx, t.routine}; }

std::uint64_t offset_in_slice(const team& t, const void* object) {
  return static_cast<std::uint64_t>(static_cast<const char*>(object) - reinterpret_cast<const char*>(t.ctx.control));
}

}  // namespace

void put_remote(const team& t, int pe, const void* to, const void* from, std::size_t bytes) {
  if (bytes != 0) op::remote::put(here(t), t.world_pe(pe), offset_in_slice(t, to), from, bytes, op::pace::blocking);
}

// A word of eight bytes is seen whole, so a put sets it.
void set_remote(const team& t, int pe, const std::atomic<std::uint64_t>& word, std::uint64_t value) {
  op::remote::fence(here(t));
  put_remote(t, pe, &word, &value, sizeof value);
}

void add_remote(const team& t, int pe, const std::atomic<std::uint64_t>& word, std::uint64_t value) {
  op::remote::fence(here(t));
  op::remote::change(here(t), t.world_pe(pe), offset_in_slice(t, &word),
                  {.op = transport::operation::add, .bytes = transport::width::eight, .fetches = false, .value = value,
                   .compare = 0});
}

}  // namespace oshen::coll
