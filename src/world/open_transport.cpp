#include "world/open_transport.hpp"

#include <stdio.h>
#include <string.h>

#include "base/log.hpp"
#include "transport/transports.hpp"
#include "world/allgathered.hpp"
#include "world/network.hpp"

namespace oshen {
namespace {

transport::opening describe(const world& w, const char* options) {
  return {.pe = w.pe,
          .n_pes = w.n_pes,
          .window = w.segment.slice(w.near.mine),
          .window_bytes = w.segment.stride(),
          .options = options,
          .chaos_seed = w.config.chaos_seed};
}

// All PEs have opened it, or none keeps it.
bool all_opened(world& w, bool opened, bool& all) {
  allgathered<char> votes;
  if (failed(votes.gather(*w.launcher, opened ? 1 : 0))) return false;
  all = true;
  for (int pe = 0; pe < w.n_pes; ++pe) all = all && votes[pe] != 0;
  return true;
}

transport::outcome connect_to_answer(void* home, int pe) { return connect(*static_cast<world*>(home), pe); }

// Opens `t` on all PEs. False with a reason where one cannot.
bool open_everywhere(world& w, const transport::transport& t, const char* options, char* why, std::size_t room) {
  network& n = *w.beyond;
  bool all = false;
  const bool opened = n.link.open(t, describe(w, options), why, room, connect_to_answer, &w);
  if (!all_opened(w, opened, all)) return false;
  if (opened && !all) {
    n.link.close();
    snprintf(why, room, "another PE cannot open it");
  }
  return all;
}

void list_transports(char* text, std::size_t room) {
  std::size_t length = 0;
  text[0] = '\0';
  for (const transport::transport* const* t = transport::transports; *t != nullptr && length < room; ++t)
    length +=
        static_cast<std::size_t>(snprintf(text + length, room - length, "%s%s", length == 0 ? "" : " ", (*t)->name));
}

bool open_named(world& w, const char* wanted) {
  char why[256] = "";
  const char* options = "";
  const transport::transport* t = transport::find(wanted, options);
  if (t == nullptr) {
    list_transports(why, sizeof why);
    log::error("OSHEN_TRANSPORT = %s: expected auto or one of: %s", wanted, why);
    return false;
  }
  if (open_everywhere(w, *t, options, why, sizeof why)) return true;
  log::error("OSHEN_TRANSPORT = %s: %s", wanted, why);
  return false;
}

bool open_first_that_opens(world& w, bool one_host) {
  char why[256] = "none is built in";
  for (const transport::transport* const* t = transport::transports; *t != nullptr; ++t) {
    if (strcmp((*t)->name, "loop") == 0 && !one_host) continue;  // it ends at the machine
    if (open_everywhere(w, **t, "", why, sizeof why)) return true;
    log::debug("transport %s: %s", (*t)->name, why);
  }
  log::error("the PEs are on several nodes, and no transport reaches all of them (last: %s)", why);
  return false;
}

}  // namespace

bool open_transport(world& w, bool one_host) {
  const bool automatic = strcmp(w.config.transport, "auto") == 0;
  if (!automatic) return open_named(w, w.config.transport);
  return w.config.node_pes != 0 ? open_named(w, "loop") : open_first_that_opens(w, one_host);
}

}  // namespace oshen
