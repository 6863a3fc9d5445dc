#include "world/network_tables.hpp"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "world/allgathered.hpp"

namespace oshen {
namespace {

// The launcher's rounds are short: addresses travel in pieces of one length. One PE of each node writes them down for
// all; the others look only after the last barrier of the start-up.
status gather_addresses(world& w) {
  network& n = *w.beyond;
  char mine[transport::address_bytes] = {};
  const std::size_t own_bytes = n.link.local_address(mine);
  allgathered<std::uint32_t> lengths;
  if (const status s = lengths.gather(*w.launcher, static_cast<std::uint32_t>(own_bytes)); failed(s)) return s;
  for (int pe = 0; pe < w.n_pes; ++pe)
    if (lengths[pe] > n.address_bytes) n.address_bytes = lengths[pe];
  const auto pes = static_cast<std::size_t>(w.n_pes);
  n.addresses = w.annex_of(0).address_table();
  n.connected = static_cast<std::atomic<bool>*>(calloc(pes, sizeof(std::atomic<bool>)));
  if (n.connected == nullptr) return status::no_memory;
  struct piece {
    char bytes[128];
  };
  for (std::size_t done = 0; done < n.address_bytes; done += sizeof(piece)) {
    piece p{};
    const std::size_t part = n.address_bytes - done < sizeof p ? n.address_bytes - done : sizeof p;
    memcpy(&p, mine + done, part);
    allgathered<piece> all;
    if (const status s = all.gather(*w.launcher, p); failed(s)) return s;
    for (std::size_t pe = 0; w.near.mine == 0 && pe < pes; ++pe)
      memcpy(n.addresses + pe * n.address_bytes + done, &all[static_cast<int>(pe)], part);
  }
  return status::ok;
}

// Who is told of a slow PE wants to know where it is. Most jobs have one row for each host.
status gather_hosts(world& w) {
  network& n = *w.beyond;
  host_name mine{};
  gethostname(mine.text, sizeof mine.text - 1);
  allgathered<host_name> all;
  if (const status s = all.gather(*w.launcher, mine); failed(s)) return s;
  const auto begins_row = [&](int pe) { return pe == 0 || strcmp(all[pe].text, all[pe - 1].text) != 0; };
  int rows = 0;
  for (int pe = 0; pe < w.n_pes; ++pe) rows += begins_row(pe) ? 1 : 0;
  n.hosts = static_cast<host_name*>(calloc(static_cast<std::size_t>(rows), sizeof(host_name)));
  if (n.hosts == nullptr) return status::no_memory;
  for (int pe = 0; pe < w.n_pes; ++pe) {
    if (!begins_row(pe)) continue;
    n.hosts[n.n_hosts] = all[pe];
    n.hosts[n.n_hosts++].first_pe = pe;
  }
  return status::ok;
}

// Collectives go from node to node first (coll/choosing/domain.hpp): all must know the nodes of all.
status gather_nodes(world& w) {
  network& n = *w.beyond;
  allgathered<int> all;
  if (const status s = all.gather(*w.launcher, w.near.leader()); failed(s)) return s;
  n.leaders = static_cast<int*>(calloc(static_cast<std::size_t>(w.n_pes), sizeof(int)));
  if (n.leaders == nullptr) return status::no_memory;
  for (int pe = 0; pe < w.n_pes; ++pe) n.leaders[pe] = all[pe];
  return status::ok;
}

}  // namespace

status gather_tables(world& w) {
  if (const status s = gather_addresses(w); failed(s)) return s;
  if (const status s = gather_hosts(w); failed(s)) return s;
  return gather_nodes(w);
}

void free_tables(network& n) {
  free(n.hosts);
  free(n.leaders);
  free(n.connected);
}

const char* host_of(const world& w, int pe) {
  const char* found = nullptr;
  for (int i = 0; w.beyond != nullptr && i < w.beyond->n_hosts && w.beyond->hosts[i].first_pe <= pe; ++i)
    found = w.beyond->hosts[i].text;
  return found != nullptr && *found != '\0' ? found : "another node";
}

int node_leader_of(const world& w, int pe) { return w.beyond != nullptr ? w.beyond->leaders[pe] : w.near.leader(); }

}  // namespace oshen
