#include "transport/ofi/provider.hpp"

#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <stdio.h>
#include <string.h>

#include <utility>

#include "base/settings.hpp"
#include "os/numa.hpp"
#include "os/socket.hpp"
#include "transport/card_share.hpp"
#include "transport/ofi/ofi.hpp"
#include "transport/ofi/providers.hpp"

namespace oshen::transport::ofi {
namespace {

// Prefers IPv4 to IPv6. InfiniBand's own addresses come last, because RoCE cards offer them but cannot connect by them.
int distance_of_format(std::uint32_t format) {
  if (format == FI_SOCKADDR_IN6) return 1;
  return format == FI_SOCKADDR_IB ? 2 : 0;
}

// OSHEN_INTERFACE, or else the interface of the host's routes.
struct wanted_interface {
  char name[64] = "";
  bool is_set = false;

  wanted_interface() {
    const char* wanted = setting_text("OSHEN_INTERFACE");
    is_set = wanted != nullptr && strcmp(wanted, "auto") != 0;
    if (is_set)
      snprintf(name, sizeof name, "%.63s", wanted);
    else
      os::routed_interface(name, sizeof name);
  }
};

// Prefers the wanted interface to other interfaces, and these to the loopback.
int distance_of(const fi_info& offer, const char* interface) {
  const char* domain = offer.domain_attr->name;
  int distance = distance_of_format(offer.addr_format);
  if (strcmp(domain, interface) != 0) distance += 4;
  if (strcmp(domain, "lo") == 0) distance += 8;
  return distance;
}

fi_info* make_hints(const library& l, const char* options) {
  fi_info* hints = l.dupinfo(nullptr);
  if (hints == nullptr) return nullptr;
  hints->caps = FI_MSG | FI_RMA | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE | FI_SEND | FI_RECV;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->mr_mode = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  hints->domain_attr->threading = FI_THREAD_SAFE;
  hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  hints->domain_attr->av_type = FI_AV_UNSPEC;
  if (*options != '\0') hints->fabric_attr->prov_name = strdup(options);
  return hints;
}

const char* shortcoming(const fi_info& offer) {
  if (const char* why = objection(offer.fabric_attr->prov_name); why != nullptr) return why;
  if (offer.ep_attr->max_msg_size < usual_packet) return "its messages are too short";
  return nullptr;
}

// The NUMA node of the card of an offer; -1: unknown.
int numa_node_of(const fi_info& offer) {
  const fid_nic* nic = offer.nic;
  if (nic == nullptr || nic->bus_attr == nullptr || nic->bus_attr->bus_type != FI_BUS_PCI) return -1;
  const fi_pci_attr& at = nic->bus_attr->attr.pci;
  char address[32];
  snprintf(address, sizeof address, "%04x:%02x:%02x.%x", at.domain_id, at.bus_id, at.device_id, at.function_id);
  return os::numa_node_of_device(address);
}

bool has_internet_address(const fi_info& offer) {
  return offer.addr_format == FI_SOCKADDR_IN || offer.addr_format == FI_SOCKADDR_IN6 ||
         offer.addr_format == FI_SOCKADDR_IB;
}

// Cards of one fabric. Those with Internet addresses may belong to separate networks, so they are not shared.
struct equal_cards {
  static constexpr int most = 16;
  const fi_info* offers[most];
  int n = 0;

  bool has(const fi_info& offer) const {
    for (int i = 0; i < n; ++i)
      if (offers[i] == &offer) return true;
    return false;
  }
  bool has_name(const char* domain) const {
    for (int i = 0; i < n; ++i)
      if (strcmp(offers[i]->domain_attr->name, domain) == 0) return true;
    return false;
  }
  // The first offer is the best one; the others must be like it.
  void add(const fi_info& offer) {
    if (n == most || has_internet_address(offer) || has_name(offer.domain_attr->name)) return;
    if (n > 0 && (strcmp(offer.fabric_attr->prov_name, offers[0]->fabric_attr->prov_name) != 0 ||
                  strcmp(offer.fabric_attr->name, offers[0]->fabric_attr->name) != 0))
      return;
    offers[n++] = &offer;
  }
  const fi_info* of_pe(int near_index) const {
    int numa_nodes[most];
    for (int i = 0; i < n; ++i) numa_nodes[i] = numa_node_of(*offers[i]);
    return offers[share_of(numa_nodes, n, os::own_numa_node(), near_index)];
  }
};

const char* objection_or(const fi_info& offer, const char* other) {
  const char* why = shortcoming(offer);
  return why != nullptr ? why : other;
}

// Whether the best offer is on the interface that the user has set. A card has another name than its interface of the
// kernel, whose address PE 0 uses during start-up.
bool is_as_wanted(const fi_info& best, const wanted_interface& interface) {
  if (!interface.is_set || strcmp(best.domain_attr->name, interface.name) == 0) return true;
  return !is_of_the_kernel(best) && os::has_interface(interface.name);
}

void list_interfaces(const fi_info* offers, char* text, std::size_t room) {
  std::size_t length = 0;
  for (const fi_info* i = offers; i != nullptr && length < room; i = i->next) {
    bool is_new = shortcoming(*i) == nullptr;
    for (const fi_info* before = offers; is_new && before != i; before = before->next)
      is_new = shortcoming(*before) != nullptr || strcmp(before->domain_attr->name, i->domain_attr->name) != 0;
    if (is_new)
      length += static_cast<std::size_t>(
          snprintf(text + length, room - length, "%s%.40s", length == 0 ? "" : " ", i->domain_attr->name));
  }
}

// The offer of the lowest cost is the best one.
int cost_of(const fi_info& offer, const wanted_interface& interface) {
  return distance_of(offer, interface.name) - 100 * rank_of_offer(offer).score;
}

// The best of a list of offers, or null with the reason in `why`.
const fi_info* best_of(const fi_info* offers, const wanted_interface& interface, char* why, std::size_t room) {
  const fi_info* best = nullptr;
  for (const fi_info* i = offers; i != nullptr; i = i->next)
    if (shortcoming(*i) == nullptr && (best == nullptr || cost_of(*i, interface) < cost_of(*best, interface))) best = i;
  if (best == nullptr) {
    snprintf(why, room, "libfabric offers only %.60s, which is not taken: %.150s", offers->fabric_attr->prov_name,
             shortcoming(*offers));
    return nullptr;
  }
  if (is_as_wanted(*best, interface)) return best;
  char names[128] = "";
  list_interfaces(offers, names, sizeof names);
  snprintf(why, room, "OSHEN_INTERFACE = %.63s: libfabric has no such network: expected auto or one of: %s",
           interface.name, names);
  return nullptr;
}

}  // namespace

fi_info* with_atomics(const library& l, fi_info* offer) {
  fi_info *hints = l.dupinfo(offer), *found = nullptr;
  if (hints == nullptr) return offer;
  hints->caps |= FI_ATOMIC;
  if (l.getinfo(FI_VERSION(1, 14), nullptr, nullptr, 0, hints, &found) == 0 && found != nullptr) {
    fi_info* const taken = l.dupinfo(found);
    l.freeinfo(found);
    if (taken != nullptr) l.freeinfo(std::exchange(offer, taken));
  }
  l.freeinfo(hints);
  return offer;
}

network_rank rank_of_offer(const fi_info& offer) {
  return rank_of(offer.fabric_attr->prov_name, offer.domain_attr->name);
}

fi_info* choose(const library& l, const offer_wish& wish, char* why, std::size_t room) {
  fi_info *hints = make_hints(l, wish.options), *offers = nullptr;
  if (hints == nullptr) return nullptr;
  const int code = l.getinfo(FI_VERSION(1, 14), nullptr, nullptr, 0, hints, &offers);
  l.freeinfo(hints);
  if (code != 0) {
    snprintf(why, room, "libfabric has no provider %s%sthat moves memory: %s", wish.options,
             *wish.options != '\0' ? " " : "", l.strerror(-code));
    return nullptr;
  }
  const wanted_interface interface;
  const fi_info* best = best_of(offers, interface, why, room);
  equal_cards cards;
  for (const fi_info* i = best; i != nullptr; i = i->next)
    if (shortcoming(*i) == nullptr && cost_of(*i, interface) == cost_of(*best, interface)) cards.add(*i);
  if (cards.n > 1) best = cards.of_pe(wish.near_index);
  const char* other = best != nullptr ? "another offer is better" : "OSHEN_INTERFACE names another network";
  if (wish.report != nullptr && best != nullptr) wish.report(wish.with, *best, nullptr);
  for (const fi_info* i = offers; wish.report != nullptr && i != nullptr; i = i->next)
    if (i != best)
      wish.report(wish.with, *i, cards.has(*i) ? "the PEs of a node share its cards" : objection_or(*i, other));
  fi_info* chosen = best != nullptr ? l.dupinfo(best) : nullptr;
  l.freeinfo(offers);
  return chosen;
}

}  // namespace oshen::transport::ofi
