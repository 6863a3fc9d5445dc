#include "transport/ucx/devices.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <initializer_list>

#include "base/settings.hpp"
#include "os/socket.hpp"

namespace oshen::transport::ucx {
namespace {

constexpr int most_offers = 64;

struct offer {
  char way[UCT_TL_NAME_MAX];
  char device[UCT_DEVICE_NAME_MAX];
  uct_device_type_t type;
  const char* objection;
};

struct offers {
  offer all[most_offers];
  int n = 0;
};

void note_devices(const library& l, uct_md_h domain, offers& found) {
  uct_tl_resource_desc_t* devices = nullptr;
  unsigned n = 0;
  if (l.query_devices(domain, &devices, &n) != UCS_OK) return;
  for (unsigned i = 0; i < n && found.n < most_offers; ++i) {
    offer& o = found.all[found.n++];
    o = {};
    memcpy(o.way, devices[i].tl_name, sizeof o.way);
    memcpy(o.device, devices[i].dev_name, sizeof o.device);
    o.type = devices[i].dev_type;
  }
  l.release_devices(devices);
}

void note_domain(const library& l, uct_component_h component, const char* name, offers& found) {
  uct_md_config_t* config = nullptr;
  uct_md_h domain = nullptr;
  if (l.domain_config_read(component, nullptr, nullptr, &config) != UCS_OK) return;
  if (l.domain_open(component, name, config, &domain) == UCS_OK) {
    note_devices(l, domain, found);
    l.domain_close(domain);
  }
  l.domain_config_release(config);
}

void note_component(const library& l, uct_component_h component, offers& found) {
  uct_component_attr_t attributes{};
  attributes.field_mask = UCT_COMPONENT_ATTR_FIELD_MD_RESOURCE_COUNT;
  if (l.component_query(component, &attributes) != UCS_OK || attributes.md_resource_count == 0) return;
  attributes.md_resources =
      static_cast<uct_md_resource_desc_t*>(calloc(attributes.md_resource_count, sizeof(uct_md_resource_desc_t)));
  if (attributes.md_resources == nullptr) return;
  attributes.field_mask = UCT_COMPONENT_ATTR_FIELD_MD_RESOURCES;
  if (l.component_query(component, &attributes) == UCS_OK)
    for (unsigned i = 0; i < attributes.md_resource_count; ++i)
      note_domain(l, component, attributes.md_resources[i].md_name, found);
  free(attributes.md_resources);
}

void note_all(const library& l, offers& found) {
  uct_component_h* components = nullptr;
  unsigned n = 0;
  if (l.query_components(&components, &n) != UCS_OK) return;
  for (unsigned i = 0; i < n; ++i) note_component(l, components[i], found);
  l.release_components(components);
}

// Is `way` one of the list, or of the family that a word of it names (rc: rc_verbs, rc_mlx5)?
bool is_wanted(const char* list, const char* way) {
  if (*list == '\0') return true;
  for (const char* word = list; *word != '\0'; word += strcspn(word, ","), word += *word == ',')
    if (strncmp(way, word, strcspn(word, ",")) == 0) return true;
  return false;
}

struct wishes {
  const char* options;
  char interface[64];   // for tcp
  bool devices_are_set;  // by UCX_NET_DEVICES: then that chooses
};

const char* objection_to(const offer& o, const wishes& w) {
  if (o.type == UCT_DEVICE_TYPE_SHM || o.type == UCT_DEVICE_TYPE_SELF) return "it ends at the machine";
  if (o.type != UCT_DEVICE_TYPE_NET) return "it is no network";
  if (!is_wanted(w.options, o.way)) return "OSHEN_TRANSPORT asks for another";
  if (strcmp(o.way, "tcp") == 0 && !w.devices_are_set && strcmp(o.device, w.interface) != 0)
    return "another interface is better placed";
  return nullptr;
}

wishes wishes_of(const char* options) {
  wishes w{.options = options, .interface = "", .devices_are_set = getenv("UCX_NET_DEVICES") != nullptr};
  if (const char* wanted = setting_text("OSHEN_INTERFACE"); wanted != nullptr && strcmp(wanted, "auto") != 0)
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

// Adds `word` to a list, once, if there is room.
template <std::size_t room>
void add(char (&list)[room], const char* separator, const char* word) {
  const std::size_t length = strlen(list);
  if (contains(list, separator, word) || length + strlen(separator) + strlen(word) >= room) return;
  snprintf(list + length, room - length, "%s%s", length == 0 ? "" : separator, word);
}

void describe(const offer& o, char (&text)[96]) { snprintf(text, sizeof text, "%s on %s", o.way, o.device); }

void take(const offer& o, const wishes& w, choice& made) {
  char text[96];
  describe(o, text);
  add(made.about, ", ", text);
  if (!w.devices_are_set) add(made.devices, ",", o.device);
  if (strcmp(o.way, "tcp") != 0) made.only_tcp = false;
}

void show(const offers& found, offer_seen seen, void* with) {
  for (const bool taken : {true, false})
    for (int i = 0; i < found.n; ++i) {
      if ((found.all[i].objection == nullptr) != taken) continue;
      char text[96];
      describe(found.all[i], text);
      seen(with, text, found.all[i].objection);
    }
}

}  // namespace

bool choose(const library& l, const char* options, offer_seen seen, void* with, choice& made, char* why,
            std::size_t room) {
  const wishes w = wishes_of(options);
  offers found;
  note_all(l, found);
  made = choice{};
  bool any = false;
  for (int i = 0; i < found.n; ++i) {
    offer& o = found.all[i];
    o.objection = objection_to(o, w);
    if (o.objection != nullptr) continue;
    any = true;
    take(o, w, made);
  }
  // Shared memory is ours, and UCX would take hosts for one that are not (containers with one boot identity).
  if (*options != '\0')
    snprintf(made.ways, sizeof made.ways, "%.159s", options);
  else if (getenv("UCX_TLS") == nullptr)
    snprintf(made.ways, sizeof made.ways, "^sm,self");
  if (seen != nullptr) show(found, seen, with);
  if (!any)
    snprintf(why, room, "UCX has no network%s%.80s on interface %.60s (OSHEN_INTERFACE)", *options != '\0' ? " " : "",
             options, w.interface);
  return any;
}

}  // namespace oshen::transport::ucx
