#include "transport/ofi/providers.hpp"

#include <rdma/fi_domain.h>
#include <string.h>

namespace oshen::transport::ofi {
namespace {

// All rows that match a provider apply. A provider without a row is used as its attributes say.
struct provider_facts {
  const char* part;                    // of the provider's name; with a semicolon: two parts that follow one another.
  const char* refusal = nullptr;       // why it is not used.
  bool refuses_remote_data = false;    // although it reports a cq_data_size.
  bool shares_one_endpoint = false;    // it cannot open one for each thread.
  bool has_card_atomics = false;       // others compute atomic operations on the target's CPU, as the library does.
  bool arrives_by_card = false;        // others need calls of the provider on the target's CPU.
  bool delivers_short_calls = false;   // others complete an injected write when its source may be reused.
  bool has_costly_writes = false;      // each is a system call here and an acknowledgement there.
  bool sends_in_segments = false;      // a message that is longer than its buffers, or by a rendezvous.
  bool has_fast_segments = false;      // they are faster than messages of their size
  bool has_kernel_interfaces = false;  // its domains are network interfaces of the kernel
};

// efa accepts remote data only in recent versions. Over verbs, a target of ofi_rxm posts receives for each connection,
// and its queue on the card has room for those of one connection with each PE (ask_for_small_buffers in library.cpp).
constexpr provider_facts all_facts[] = {
    {.part = "sockets", .refusal = "puts take milliseconds under load, and it is no longer maintained"},
    {.part = "ofi_rxd", .refusal = "large gets do not complete"},
    {.part = "net", .refusal = "it claims automatic progress but needs calls to progress"},
    {.part = "shm", .refusal = "it reaches this machine only"},
    {.part = "ofi_hook", .refusal = "it only instruments another provider"},
    {.part = "ofi_mrail", .refusal = "it needs manual configuration"},
    {.part = "cxi",
     .refuses_remote_data = true,
     .has_card_atomics = true,
     .arrives_by_card = true,
     .delivers_short_calls = true},
    {.part = "efa", .refuses_remote_data = true},
    {.part = "verbs;ofi_rxm", .shares_one_endpoint = true},
    {.part = "ofi_rxm", .sends_in_segments = true},
    {.part = "tcp", .has_costly_writes = true, .has_fast_segments = true, .has_kernel_interfaces = true},
    {.part = "null", .arrives_by_card = true, .delivers_short_calls = true},  // a double of the tests
    {.part = "null;card", .has_card_atomics = true},                          // the same with a card
};

bool is_part(const char* provider, const char* part) {
  const std::size_t length = strlen(part);
  for (const char* p = provider; *p != '\0'; p += strcspn(p, ";"), p += *p == ';')
    if (strncmp(p, part, length) == 0 && (p[length] == '\0' || p[length] == ';')) return true;
  return strncmp(part, "ofi_hook", 8) == 0 && strstr(provider, part) != nullptr;
}

bool has(const fi_info& offer, bool provider_facts::* fact) {
  for (const provider_facts& facts : all_facts)
    if (facts.*fact && is_part(offer.fabric_attr->prov_name, facts.part)) return true;
  return false;
}

}  // namespace

const char* objection(const char* provider) {
  for (const provider_facts& facts : all_facts)
    if (facts.refusal != nullptr && is_part(provider, facts.part)) return facts.refusal;
  return nullptr;
}

bool has_remote_data(const fi_info& offer) {
  return offer.domain_attr->cq_data_size >= 4 && !has(offer, &provider_facts::refuses_remote_data);
}

bool gives_separate_endpoints(const fi_info& offer) { return !has(offer, &provider_facts::shares_one_endpoint); }

bool has_card_atomics(const fi_info& offer) { return has(offer, &provider_facts::has_card_atomics); }

bool arrives_by_card(const fi_info& offer) { return has(offer, &provider_facts::arrives_by_card); }

bool completes_short_calls_at_delivery(const fi_info& offer) {
  return has(offer, &provider_facts::delivers_short_calls);
}

bool signals_by_writes(const fi_info& offer) { return !has(offer, &provider_facts::has_costly_writes); }

bool splits_long_messages(const fi_info& offer) {
  return has(offer, &provider_facts::sends_in_segments) && !has(offer, &provider_facts::has_fast_segments);
}

bool is_of_the_kernel(const fi_info& offer) { return has(offer, &provider_facts::has_kernel_interfaces); }

}  // namespace oshen::transport::ofi
