#include "coll/protocol/peer_memory.hpp"

#include "op/remote.hpp"

namespace oshen::coll {
namespace {

op::call_site here(const team& t) { return {&t.ctx, t.routine}; }

std::uint64_t offset_in_slice(const team& t, const void* object) {
  return static_cast<std::uint64_t>(static_cast<const char*>(object) - reinterpret_cast<const char*>(t.ctx.control));
}

transport::change as_change(transport::operation op, std::uint64_t value) {
  return {.op = op, .bytes = transport::width::eight, .fetches = false, .value = value, .compare = 0};
}

}  // namespace

void put_remote(const team& t, int pe, const void* to, const void* from, std::size_t bytes) {
  if (bytes != 0) op::remote::put(here(t), t.world_pe(pe), offset_in_slice(t, to), from, bytes, op::pace::blocking);
}

void set_remote(const team& t, int pe, const std::atomic<std::uint64_t>& word, std::uint64_t value) {
  put_and_set_remote(t, pe, &word, nullptr, 0, word, value);
}

void put_and_set_remote(const team& t, int pe, const void* to, const void* from, std::size_t bytes,
                        const std::atomic<std::uint64_t>& word, std::uint64_t value, op::pace p) {
  op::remote::put_and_change(here(t), t.world_pe(pe), offset_in_slice(t, to), from, bytes, offset_in_slice(t, &word),
                             as_change(transport::operation::set, value), p);
}

void put_and_add_remote(const team& t, int pe, const void* to, const void* from, std::size_t bytes,
                        const std::atomic<std::uint64_t>& word, std::uint64_t value) {
  op::remote::put_and_change(here(t), t.world_pe(pe), offset_in_slice(t, to), from, bytes, offset_in_slice(t, &word),
                             as_change(transport::operation::add, value));
}

void quiet_remote(const team& t) { op::remote::quiet(here(t)); }

}  // namespace oshen::coll
