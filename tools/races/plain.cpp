#include "plain.hpp"

#include <array>

namespace races {
namespace {

// The kind of a load or store. Threads keep those that they used last.
struct remembered_kind {
  const void* caller;
  std::uint32_t routine, bytes, maker, kind;
};
constinit thread_local std::array<remembered_kind, 512> last_used __attribute__((tls_model("initial-exec"))){};

}  // namespace

void first_access(std::size_t offset, std::uint32_t which, std::size_t bytes, bool writes, plain_routine routine,
                  const void* caller) {
  const std::uint32_t maker = access::made_by(0, 0, this_thread().id, this_thread().locks);
  remembered_kind& r = last_used[(reinterpret_cast<std::uintptr_t>(caller) ^ routine) % last_used.size()];
  if (r.caller != caller || r.routine != routine || r.bytes != bytes || r.maker != maker)
    r = {caller, routine, static_cast<std::uint32_t>(bytes), maker,
         of_this_pe.plain_kind(site_of(routine, caller, bytes), writes)};
  of_this_pe.touch_cell(offset, which, r.kind);
}

}  // namespace races
