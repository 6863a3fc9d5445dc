// Which transport a job takes: the one that OSHEN_TRANSPORT names, or the first that opens on all PEs.
#pragma once

#include "world/world.hpp"

namespace oshen {

// Opens it as w.beyond->link. Collective over all PEs of the job; the same answer on all. On failure there has been a
// line. `one_host`: all PEs are on one machine, so that `loop` reaches them.
bool open_transport(world& w, bool one_host);

}  // namespace oshen
