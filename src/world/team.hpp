// A team: an ordered set of PEs, its team slot, and the algorithms selected for it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bits.hpp"
#include "world/context.hpp"
#include "world/control.hpp"

namespace oshen {

struct world;
namespace coll {
struct observer;
struct unexpected_message;
struct domains;
}  // namespace coll

inline constexpr int collective_kinds = 16;  // coll/collective.hpp enumerates them
inline constexpr int size_classes = 48;      // by the bit width of the message

struct team {
  world* home = nullptr;
  std::uintptr_t handle = 0;
  int slot = -1;
  team_slot* slot_here = nullptr;  // in this PE's slice
  team_workspace* workspace_here = nullptr;
  operand_buffer* operands_here = nullptr;  // null until a ring of operands has used it
  int n_pes = 0;
  int my_pe = -1;  // this PE's number in the team
  int start = 0;   // PE i of the team is PE start + i * stride of the world, unless there is a list
  int stride = 1;
  const int* list = nullptr;  // owned: PE i of the team is PE list[i] of the world; null if the stride is constant
  bool spans = false;         // some of its PEs are on other nodes
  int num_contexts = 0;
  std::uint64_t active_set_key = 0;   // not 0: the team represents a deprecated active set
  std::uint64_t active_set_sync = 0;  // the pSync of that active set

  // The number of syncs and collectives that this PE has begun. Only one thread at a time calls a collective of a team.
  std::uint64_t syncs = 0;
  std::uint64_t checked_syncs = 0;  // under OSHEN_CHECK
  std::uint64_t collectives = 0;
  std::uint64_t ended_by_all = 0;  // collectives up to this number have ended on all PEs (coll/call/sequence.hpp)
  // The number and the signature of the current collective (coll/call/signature.hpp).
  std::uint64_t flag = 0;
  bool used_workspace = false;     // a peer may have written into this PE's workspace
  std::uint64_t tables = 0;        // uses of the tables in the workspace of the team's PE 0
  std::uint64_t ended_before = 0;  // teams of this slot that were destroyed before this one was created
  std::uint64_t formations = 0;    // teams split from this one
  std::uint64_t n_blocks = 0;      // of this team in the team heap
  std::uint64_t n_ballots = 0;     // rounds in calls of the team heap
  std::uint64_t n_refused_blocks = 0;
  const char* routine = "a collective";  // the latest one, for error messages of the network

  // Owned by coll: the observer of the team (peer_memory.hpp), messages that arrived before their receive was called
  // (message.hpp), private memory that is kept between collectives, and the team's domains (domain.hpp).
  coll::observer* watcher = nullptr;
  coll::unexpected_message* unexpected = nullptr;
  void* scratch = nullptr;
  std::size_t scratch_bytes = 0;
  coll::domains* known_domains = nullptr;

  // The context of the team's collectives.
  context ctx;
  // Index into coll::registry() for each collective and size class (coll/select/selection.hpp).
  std::uint8_t chosen_algorithms[collective_kinds][size_classes] = {};

  int world_pe(int pe) const { return list != nullptr ? list[pe] : start + pe * stride; }
  // True if PE `of_world` of the world is in the team.
  bool has(int of_world) const;
  // True if the memory of the team's PE `pe` is mapped here.
  bool is_near(int pe) const { return !spans || ctx.is_near(static_cast<std::uint32_t>(pe)); }
  // The team's slot in the slice of its PE `pe`, which must be near.
  team_slot& slot_of(int pe) const { return *byte_offset(slot_here, ctx.offset_to(static_cast<std::uint32_t>(pe))); }
  team_slot& own_slot() const { return *slot_here; }
  // The team's workspace in the slice of its PE `pe`, which must be near.
  team_workspace& workspace_of(int pe) const {
    return *byte_offset(workspace_here, ctx.offset_to(static_cast<std::uint32_t>(pe)));
  }
  team_workspace& own_workspace() const { return *workspace_here; }
};

}  // namespace oshen
