// How the results of a pass get to where the next pass reads them, when that is another array.
//
// A move is one such step of a route. The moves of a forward and a backward route belong to one
// transit, numbered one after the other.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "oshen/exchange.h"
#include "pass.hpp"

namespace oshen::fft {

struct move {
  layout from, to;
  std::size_t element;        // bytes
  std::size_t from_distance;  // between fields on this PE, in bytes
};

class transit {
 public:
  virtual ~transit() = default;

  // The boxes into which the pass before a move writes.
  virtual layout targets(int move) const = 0;
  // Where these are for the next run of the move, for the receivers of the pass.
  virtual void find_places(int move, std::span<const int> receivers, std::vector<place>& to) = 0;
  // A pass that only copies is left out: the move reads from where the pass would have.
  virtual bool copies() const = 0;

  // After the pass; `from` is its source, read only if copies() and the pass copies only.
  virtual void send(int move, bool copied_only, source_place from) = 0;
  // What this PE is to receive is there. Once true, or once waited for, received() may be read.
  virtual bool test(int move) = 0;
  virtual void wait(int move) = 0;
  virtual source_place received(int move) const = 0;

  virtual std::size_t symmetric_bytes() const = 0;
  virtual std::size_t ordinary_bytes() const = 0;
  virtual const char* name() const = 0;
};

// Straight into the receivers' work arrays. Collective; null if some PE cannot reach a partner, or,
// then with OSHEN_NO_SPACE, if the arena is too full.
std::unique_ptr<transit> make_shared(oshen_group_t* group, std::vector<move> moves, int fields,
                                     oshen_status_t* status);

// By exchange plans of a strategy (null: the first). Collective; null with a status.
std::unique_ptr<transit> make_planned(oshen_group_t* group, std::vector<move> moves, int fields,
                                      const char* strategy, oshen_status_t* status);

}  // namespace oshen::fft
