#include "base/settings.hpp"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <initializer_list>

#include "base/log.hpp"
#include "base/number.hpp"

namespace oshen {
namespace {

constexpr long most_pes = 1 << 20;
constexpr long most_ctx_endpoints = 1024;

status complain(const char* name, const char* text, const char* expected) {
  log::error("%s = \"%s\": expected %s", name, text, expected);
  return status::bad_setting;
}

// A whole number from 0 to `most`.
template <class Number>
status read_count(const char* name, long most, const char* expected, Number& out) {
  const char* text = setting_text(name);
  if (text == nullptr) return status::ok;
  long value = 0;
  if (!read_whole(text, value) || value < 0 || value > most) return complain(name, text, expected);
  out = static_cast<Number>(value);
  return status::ok;
}

status read_seconds(const char* name, unsigned& out) {
  return read_count(name, 1000000, "a number of seconds, 0 for never", out);
}

// A switch: the text `on` turns it on, each text in `off` leaves it off, all other texts are errors.
status read_switch(const char* name, std::initializer_list<const char*> off, const char* on, const char* expected,
                   bool& out) {
  const char* text = setting_text(name);
  if (text == nullptr) return status::ok;
  for (const char* word : off)
    if (strcmp(text, word) == 0) return status::ok;
  if (strcmp(text, on) != 0) return complain(name, text, expected);
  out = true;
  return status::ok;
}

status read_heap_size(settings& out) {
  const char* text = setting_text("SHMEM_SYMMETRIC_SIZE", "SMA_SYMMETRIC_SIZE");
  if (text == nullptr) return status::ok;
  if (!parse_size(text, out.heap_bytes))
    return complain("SHMEM_SYMMETRIC_SIZE", text, "a size such as 64M, 1.5G or 1048576");
  if (out.heap_bytes == 0) out.heap_bytes = 1;  // 0 would mean "not given"
  return status::ok;
}

status read_spin(settings& out) {
  const char* text = setting_text("OSHEN_SPIN");
  if (text == nullptr || strcmp(text, "auto") == 0) return status::ok;
  if (!read_whole(text, out.spin_microseconds) || out.spin_microseconds < 0)
    return complain("OSHEN_SPIN", text, "auto or a number of microseconds");
  return status::ok;
}

status read_ctx_endpoints(settings& out) {
  const char* text = setting_text("OSHEN_CTX_ENDPOINTS");
  if (text == nullptr || strcmp(text, "auto") == 0) return status::ok;
  return read_count("OSHEN_CTX_ENDPOINTS", most_ctx_endpoints, "auto or a number of contexts, 0 for none",
                    out.ctx_endpoints);
}

status read_atomics(settings& out) {
  const char* text = setting_text("OSHEN_ATOMICS");
  if (text == nullptr || strcmp(text, "auto") == 0) return status::ok;
  if (strcmp(text, "cpu") != 0 && strcmp(text, "card") != 0)
    return complain("OSHEN_ATOMICS", text, "auto, cpu or card");
  out.atomics = strcmp(text, "card") == 0 ? atomics_policy::by_card : atomics_policy::by_cpu;
  return status::ok;
}

// Checks the value only; bootstrap/find.cpp reads it again when it looks for the launcher.
status read_boot() {
  const char* text = setting_text("OSHEN_BOOT");
  if (text == nullptr) return status::ok;
  constexpr const char* words[] = {"auto", "oshrun", "pmi1", "pmix", "variables", "single"};
  for (const char* word : words)
    if (strcmp(text, word) == 0) return status::ok;
  return complain("OSHEN_BOOT", text, "auto, oshrun, pmi1, pmix, variables or single");
}

// "phase@pe"
status read_fault(settings& out) {
  const char* text = setting_text("OSHEN_FAULT");
  if (text == nullptr) return status::ok;
  const char* at = strchr(text, '@');
  long pe = 0;
  if (at == nullptr || at - text >= static_cast<long>(sizeof out.fault_phase) || !read_whole(at + 1, pe))
    return complain("OSHEN_FAULT", text, "phase@pe, for example segment@1");
  memcpy(out.fault_phase, text, static_cast<size_t>(at - text));
  out.fault_phase[at - text] = '\0';
  out.fault_pe = static_cast<int>(pe);
  return status::ok;
}

status read_transport(settings& out) {
  const char* text = setting_text("OSHEN_TRANSPORT");
  if (text == nullptr) return status::ok;
  if (strlen(text) >= sizeof out.transport) return complain("OSHEN_TRANSPORT", text, "auto or the name of a transport");
  memcpy(out.transport, text, strlen(text) + 1);
  return status::ok;
}

bool must_agree(const char* variable) {
  for (const char* name :
       {"OSHEN_ATOMICS=", "OSHEN_CHECK=", "OSHEN_COLL_", "OSHEN_NODE_PES=", "OSHEN_SECURE=", "OSHEN_TRANSPORT="})
    if (strncmp(variable, name, strlen(name)) == 0) return true;
  return false;
}

// True if the variable is set to its default. That counts as not set, because launchers do not pass the same variables
// to all hosts.
bool is_default(const char* variable) {
  const char* value = strchr(variable, '=');
  return value != nullptr && (strcmp(value, "=auto") == 0 || strcmp(value, "=0") == 0);
}

// The factor of a suffix; 0 if the letter is not a suffix.
double scale_of(char suffix) {
  switch (suffix) {
    case '\0': return 1;
    case 'k':
    case 'K': return 0x1p10;
    case 'm':
    case 'M': return 0x1p20;
    case 'g':
    case 'G': return 0x1p30;
    case 't':
    case 'T': return 0x1p40;
    default: return 0;
  }
}

}  // namespace

const char* setting_text(const char* name, const char* alias) {
  const char* text = getenv(name);
  if (text == nullptr && alias != nullptr) text = getenv(alias);
  return text;
}

// The sum of the variables' hashes does not depend on the order of the environment.
std::uint64_t hash_of_agreed_settings() {
  std::uint64_t sum = 0;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!must_agree(*variable) || is_default(*variable)) continue;
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const char* c = *variable; *c != '\0'; ++c) hash = (hash ^ static_cast<unsigned char>(*c)) * 0x100000001b3u;
    sum += hash;
  }
  return sum;
}

bool parse_size(const char* text, std::size_t& bytes) {
  const char* end = nullptr;
  double number = 0;
  if (!read_decimal(text, end, number)) return false;
  const double wanted = number * scale_of(*end);
  if (scale_of(*end) == 0) return false;
  if (!(wanted < 0x1p47)) return false;  // more than an address space holds
  bytes = static_cast<std::size_t>(wanted);
  if (static_cast<double>(bytes) < wanted) ++bytes;  // rounds up
  return true;
}

status read_settings(settings& out) {
  out = settings{};
  out.show_version = setting_text("SHMEM_VERSION", "SMA_VERSION") != nullptr;
  out.show_help = setting_text("SHMEM_INFO", "SMA_INFO") != nullptr;
  out.debug = setting_text("SHMEM_DEBUG", "SMA_DEBUG") != nullptr;
  long trials = 0;         // read by exchange plans
  bool is_secure = false;  // read by the transport
  const status steps[] = {
      read_heap_size(out),
      read_seconds("OSHEN_WAIT_WARN", out.wait_warn_seconds),
      read_seconds("OSHEN_WAIT_ABORT", out.wait_abort_seconds),
      read_seconds("OSHEN_START_LIMIT", out.start_limit_seconds),
      read_seconds("OSHEN_DEADLOCK", out.deadlock_seconds),
      read_spin(out),
      read_ctx_endpoints(out),
      read_atomics(out),
      read_switch("OSHEN_SEGMENT_HANDOVER", {"auto", "proc"}, "socket", "auto, proc or socket",
                  out.handover_by_socket_only),
      read_boot(),
      read_fault(out),
      read_count("OSHEN_COLL_DOMAIN", most_pes, "a number of PEs, 0 for all of the node", out.coll_domain),
      read_switch("OSHEN_PROGRESS", {"calls"}, "thread", "calls or thread", out.progress_thread),
      read_count("OSHEN_CHAOS", LONG_MAX, "a seed, 0 for none", out.chaos_seed),
      read_switch("OSHEN_HUGE_PAGES", {"0"}, "1", "0 or 1", out.huge_pages),
      read_switch("OSHEN_ONE_ADDRESS", {"0"}, "1", "0 or 1", out.one_address),
      read_switch("OSHEN_SECURE", {"0"}, "1", "0 or 1", is_secure),
      read_switch("OSHEN_CHECK", {"0"}, "1", "0 or 1", out.check),
      read_count("OSHEN_NODE_PES", most_pes, "a number of PEs for each virtual node, 0 for nodes as they are",
                 out.node_pes),
      read_count("OSHEN_EXCHANGE_TRIALS", LONG_MAX, "a number of milliseconds", trials),
      read_transport(out),
  };
  for (const status s : steps)
    if (failed(s)) return s;
  return status::ok;
}

}  // namespace oshen
