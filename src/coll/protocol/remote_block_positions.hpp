// Block positions (block_positions.hpp) on teams that span nodes, where nobody reads a peer's flag slot: they are put
// where they are needed.
#pragma once

#include "coll/protocol/block_positions.hpp"
#include "coll/protocol/cells.hpp"

namespace oshen::coll {

inline constexpr int max_remote_positions = static_cast<int>(bounce_bytes / sizeof(block_position));

// Tells PE `pe` a position, in the cell of step 0, and hears one there.
inline void tell_position(const cells& c, int pe, const block_position& p) {
  c.send(pe, 0, 1, &p, nullptr, sizeof p);
}
inline block_position hear_position(const cells& c, int pe) {
  block_position p;
  c.receive(pe, 0, 1, reinterpret_cast<char*>(&p), sizeof p);
  return p;
}

// The position that PE `pe` has told this one, in the bounce buffer.
inline block_position& position_from(const team& t, int pe) {
  return reinterpret_cast<block_position*>(t.own_workspace().bounce)[pe];
}

}  // namespace oshen::coll
