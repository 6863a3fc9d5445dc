#include "transport/ucx/devices.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <initializer_list>

#include "base/settings.hpp"
#include "os/socket.hpp"

namespace oshen::transport::ucx {
namespace {

constexpr int max_offers = 64;

struct offer {
  char transport[UCT_TL_NAME_MAX];
  char device[UCT_DEVICE_NAME_MAX];
  uct_device_type_t type;
  const char* objection;
  bool has_atomics;
};

struct offers {
  offer all[max_offers];
  int n = 0;
  bool asks_atomics = false;
};

// True if the interface executes every atomic operation of OpenSHMEM by itself. UCX emulates them on others.
bool has_all_atomics(const uct_iface_attr_t& a) {
  constexpr std::uint64_t without_result =
      UCS_BIT(UCT_ATOMIC_OP_ADD) | UCS_BIT(UCT_ATOMIC_OP_AND) | UCS_BIT(UCT_ATOMIC_OP_OR) | UCS_BIT(UCT_ATOMIC_OP_XOR);
  constexpr std::uint64_t with_result = without_result | UCS_BIT(UCT_ATOMIC_OP_SWAP) | UCS_BIT(UCT_ATOMIC_OP_CSWAP);
  const auto covers = [](std::uint64_t ops, std::uint64_t fetches) {
    return (ops & without_result) == without_result && (fetches & with_result) == with_result;
  };
  return (a.cap.flags & UCT_IFACE_FLAG_ATOMIC_DEVICE) != 0 &&
         covers(a.cap.atomic32.op_flags, a.cap.atomic32.fop_flags) &&
         covers(a.cap.atomic64.op_flags, a.cap.atomic64.fop_flags);
}

bool open_and_ask(const library& l, uct_md_h domain, uct_worker_h worker, const offer& o) {
  uct_iface_config_t* config = nullptr;
  if (l.interface_config_read(domain, o.transport, nullptr, nullptr, &config) != UCS_OK) return false;
  uct_iface_params_t what{};
  what.field_mask = UCT_IFACE_PARAM_FIELD_OPEN_MODE | UCT_IFACE_PARAM_FIELD_DEVICE;
  what.open_mode = UCT_IFACE_OPEN_MODE_DEVICE;
  what.mode.device.tl_name = o.transport;
  what.mode.device.dev_name = o.device;
  uct_iface_h interface = nullptr;
  uct_iface_attr_t its{};
  bool has_them = false;
  if (l.interface_open(domain, worker, &what, config, &interface) == UCS_OK) {
    has_them = l.interface_query(interface, &its) == UCS_OK && has_all_atomics(its);
    l.interface_close(interface);
  }
  l.domain_config_release(config);
  return has_them;
}

bool executes_atomics(const library& l, uct_md_h domain, const offer& o) {
  ucs_async_context_t* async = nullptr;
  uct_worker_h worker = nullptr;
  if (l.async_create(UCS_ASYNC_MODE_THREAD_MUTEX, &async) != UCS_OK) return false;
  bool has_them = false;
  if (l.device_worker_create(async, UCS_THREAD_MODE_SINGLE, &worker) == UCS_OK) {
    has_them = open_and_ask(l, domain, worker, o);
    l.device_worker_destroy(worker);
  }
  l.async_destroy(async);
  return has_them;
}

void list_devices(const library& l, uct_md_h domain, offers& found) {
  uct_tl_resource_desc_t* devices = nullptr;
  unsigned n = 0;
  if (l.query_devices(domain, &devices, &n) != UCS_OK) return;
  for (unsigned i = 0; i < n && found.n < max_offers; ++i) {
    offer& o = found.all[found.n++];
    o = {};
    memcpy(o.transport, devices[i].tl_name, sizeof o.transport);
    memcpy(o.device, devices[i].dev_name, sizeof o.device);
    o.type = devices[i].dev_type;
    // Only cards have atomic operations; an interface of TCP would listen.
    const bool may_have_atomics = o.type == UCT_DEVICE_TYPE_NET && strcmp(o.transport, "tcp") != 0;
    o.has_atomics = found.asks_atomics && may_have_atomics && executes_atomics(l, domain, o);
  }
  l.release_devices(devices);
}

void list_domain(const library& l, uct_component_h component, const char* name, offers& found) {
  uct_md_config_t* config = nullptr;
  uct_md_h domain = nullptr;
  if (l.domain_config_read(component, nullptr, nullptr, &config) != UCS_OK) return;
  if (l.domain_open(component, name, config, &domain) == UCS_OK) {
    list_devices(l, domain, found);
    l.domain_close(domain);
  }
  l.domain_config_release(config);
}

void list_component(const library& l, uct_component_h component, offers& found) {
  uct_component_attr_t attributes{};
  attributes.field_mask = UCT_COMPONENT_ATTR_FIELD_MD_RESOURCE_COUNT;
  if (l.component_query(component, &attributes) != UCS_OK || attributes.md_resource_count == 0) return;
  attributes.md_resources =
      static_cast<uct_md_resource_desc_t*>(calloc(attributes.md_resource_count, sizeof(uct_md_resource_desc_t)));
  if (attributes.md_resources == nullptr) return;
  attributes.field_mask = UCT_COMPONENT_ATTR_FIELD_MD_RESOURCES;
  if (l.component_query(component, &attributes) == UCS_OK)
    for (unsigned i = 0; i < attributes.md_resource_count; ++i)
      list_domain(l, component, attributes.md_resources[i].md_name, found);
  free(attributes.md_resources);
}

void list_all(const library& l, offers& found) {
  uct_component_h* components = nullptr;
  unsigned n = 0;
  if (l.query_components(&components, &n) != UCS_OK) return;
  for (unsigned i = 0; i < n; ++i) list_component(l, components[i], found);
  l.release_components(components);
}

// True if a list is empty, or names `transport` or its family (rc: rc_verbs, rc_mlx5).
bool is_wanted(const char* list, const char* transport) {
  if (*list == '\0') return true;
  for (const char* word = list; *word != '\0'; word += strcspn(word, ","), word += *word == ',')
    if (strncmp(transport, word, strcspn(word, ",")) == 0) return true;
  return false;
}

struct preferences {
  const char* options;
  char interface[64];      // for tcp
  bool interface_is_told;  // by OSHEN_INTERFACE, not found by the host's routes
  bool devices_are_set;    // by UCX_NET_DEVICES, which then decides
};

bool is_elsewhere(const offer& o, const preferences& w) {
  return strcmp(o.transport, "tcp") == 0 && !w.devices_are_set && strcmp(o.device, w.interface) != 0;
}

const char* objection_to(const offer& o, const preferences& w) {
  if (o.type == UCT_DEVICE_TYPE_SHM || o.type == UCT_DEVICE_TYPE_SELF) return "it reaches this machine only";
  if (o.type != UCT_DEVICE_TYPE_NET) return "it is not a network";
  if (!is_wanted(w.options, o.transport)) return "OSHEN_TRANSPORT names another transport";
  if (is_elsewhere(o, w))
    return w.interface_is_told ? "OSHEN_INTERFACE names another interface" : "the host's routes use another interface";
  return nullptr;
}

preferences preferences_of(const char* options) {
  preferences w{.options = options,
                .interface = "",
                .interface_is_told = false,
                .devices_are_set = getenv("UCX_NET_DEVICES") != nullptr};
  const char* wanted = setting_text("OSHEN_INTERFACE");
  w.interface_is_told = wanted != nullptr && strcmp(wanted, "auto") != 0;
  if (w.interface_is_told)
    snprintf(w.interface, sizeof w.interface, "%.63s", wanted);
  else
    os::routed_interface(w.interface, sizeof w.interface);
  return w;
}

bool contains(const char* list, const char* separator, const char* word) {
  const std::size_t length = strlen(word);
  for (const char* rest = list; rest != nullptr; rest = strstr(rest, separator)) {
    if (rest != list) rest += strlen(separator);
    if (strncmp(rest, word, length) == 0 && (rest[length] == '\0' || rest[length] == *separator)) return true;
  }
  return false;
}

// Adds `word` to a list unless it is there or the list is full.
template <std::size_t room>
void add(char (&list)[room], const char* separator, const char* word) {
  const std::size_t length = strlen(list);
  if (contains(list, separator, word) || length + strlen(separator) + strlen(word) >= room) return;
  snprintf(list + length, room - length, "%s%s", length == 0 ? "" : separator, word);
}

template <std::size_t room>
void describe(const offer& o, char (&text)[room]) {
  snprintf(text, sizeof text, "%s on %s", o.transport, o.device);
}

void take(const offer& o, const preferences& w, choice& made) {
  char text[96];
  describe(o, text);
  add(made.about, ", ", text);
  if (!w.devices_are_set) add(made.devices, ",", o.device);
  if (strcmp(o.transport, "tcp") != 0) made.only_tcp = false;
  if (o.has_atomics) made.has_atomics = true;
  if (const network_rank rank = rank_of(o.transport, o.device); rank.score > made.rank.score) made.rank = rank;
}

// Why no offer was taken. Names the interfaces on which there is one, or else the transports of which there is one.
void explain(const offers& found, const preferences& w, char* why, std::size_t room) {
  char interfaces[128] = "", transports[128] = "";
  for (int i = 0; i < found.n; ++i) {
    const offer& o = found.all[i];
    if (o.type != UCT_DEVICE_TYPE_NET) continue;
    if (is_wanted(w.options, o.transport) && is_elsewhere(o, w)) add(interfaces, " ", o.device);
    add(transports, " ", o.transport);
  }
  if (interfaces[0] != '\0' && w.interface_is_told)
    snprintf(why, room, "OSHEN_INTERFACE = %.63s: UCX has no such network: expected auto or one of: %s", w.interface,
             interfaces);
  else if (interfaces[0] != '\0')
    snprintf(why, room, "the host's routes use %.63s, where UCX has no network: set OSHEN_INTERFACE to one of: %s",
             w.interface[0] == '\0' ? "no interface" : w.interface, interfaces);
  else if (transports[0] != '\0')
    snprintf(why, room, "UCX has no network %.80s: expected one of: %s", w.options, transports);
  else
    snprintf(why, room, "UCX has no network on this host");
}

void show(const offers& found, const device_wish& wish) {
  for (const bool taken : {true, false})
    for (int i = 0; i < found.n; ++i) {
      if ((found.all[i].objection == nullptr) != taken) continue;
      char text[160];
      describe(found.all[i], text);
      const network_rank rank = rank_of(found.all[i].transport, found.all[i].device);
      if (taken)
        snprintf(text + strlen(text), sizeof text - strlen(text), ", score %d (%.48s)", rank.score, rank.reason);
      wish.report(wish.with, text, found.all[i].objection);
    }
}

}  // namespace

bool choose(const library& l, const device_wish& wish, choice& made, char* why, std::size_t room) {
  const preferences w = preferences_of(wish.options);
  offers found;
  found.asks_atomics = wish.asks_atomics;
  list_all(l, found);
  made = choice{};
  if (!w.devices_are_set) memcpy(made.interface, w.interface, sizeof made.interface);
  bool any = false;
  for (int i = 0; i < found.n; ++i) {
    offer& o = found.all[i];
    o.objection = objection_to(o, w);
    if (o.objection != nullptr) continue;
    any = true;
    take(o, w, made);
  }
  // Oshen has its own shared memory, and UCX would take containers with one boot identity for one host.
  if (*wish.options != '\0')
    snprintf(made.transports, sizeof made.transports, "%.159s", wish.options);
  else if (getenv("UCX_TLS") == nullptr)
    snprintf(made.transports, sizeof made.transports, "^sm,self");
  if (wish.report != nullptr) show(found, wish);
  if (!any) explain(found, w, why, room);
  return any;
}

}  // namespace oshen::transport::ucx
