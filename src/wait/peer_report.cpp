#include "wait/peer_report.hpp"

#include <stdio.h>
#include <string.h>

#include "base/log.hpp"
#include "os/clock.hpp"
#include "wait/far_pages.hpp"
#include "wait/liveness.hpp"
#include "world/network.hpp"

namespace oshen {
namespace {

constexpr std::uint64_t second = 1000000000;
constexpr int few = 8;  // in a job of at most this many PEs, each prints its own warning
constexpr std::size_t text_bytes = sizeof(bootstrap::activity::text);

// Consecutive PEs with the same description.
struct pe_range {
  int first = 0;
  int last = -1;
  std::uint64_t since = 0;  // when the first of them began to wait; 0: they do not wait
  char text[text_bytes + 64] = "";
};

int write_pes(char* text, std::size_t room, const pe_range& r) {
  if (r.first == r.last) return snprintf(text, room, "PE %d", r.first);
  return snprintf(text, room, "PEs %d .. %d", r.first, r.last);
}

// Writes " on h1", or " on h1 .. h3" for PEs of several hosts. Writes nothing in a job on one host.
void write_hosts(const world& w, char* text, std::size_t room, const pe_range& r) {
  text[0] = '\0';
  if (w.beyond == nullptr || w.beyond->n_hosts < 2) return;
  const char *first = host_of(w, r.first), *last = host_of(w, r.last);
  if (strcmp(first, last) == 0)
    snprintf(text, room, " on %s", first);
  else
    snprintf(text, room, " on %s .. %s", first, last);
}

// Visits the ranges of all PEs except `left_out`. `describe` writes the description of one PE, and returns when its
// wait began.
template <class Describe, class Visit>
void each_range(const world& w, int left_out, Describe describe, Visit visit) {
  pe_range present;
  char text[sizeof present.text];
  for (int i = 0; i < w.n_pes; ++i) {
    if (i == left_out) continue;
    const std::uint64_t since = describe(i, text);
    if (present.last >= 0 && strcmp(text, present.text) == 0) {
      present.last = i;
      if (since < present.since) present.since = since;
      continue;
    }
    if (present.last >= 0) visit(present);
    present.first = present.last = i;
    present.since = since;
    strcpy(present.text, text);
  }
  if (present.last >= 0) visit(present);
}

// Writes the routine in which PE `pe` is in a long wait. False if it is in no long wait.
bool routine_of(const world& w, int pe, char (&routine)[text_bytes]) {
  if (!w.is_near(pe) || bootstrap::read_activity(w.control(pe).doing, routine) == 0) return false;
  routine[strcspn(routine, ":")] = '\0';
  return true;
}

void describe_briefly(const world& w, int pe, char* text, std::size_t room) {
  char routine[text_bytes];
  if (!w.is_near(pe))
    snprintf(text, room, "on %s", host_of(w, pe));
  else if (is_gone(w, pe))
    snprintf(text, room, "gone");
  else if (is_stopped(w, pe))
    snprintf(text, room, "stopped");
  else if (routine_of(w, pe, routine))
    snprintf(text, room, "waiting too in %s", routine);
  else
    snprintf(text, room, "%s", words_for(w.control(pe).state.load(std::memory_order_relaxed)));
}

// Removes the text between `from` and the next character of `until`: it differs between PEs that do the same.
void take_out(char* text, const char* from, const char* until) {
  char* start = strstr(text, from);
  char* end = start == nullptr ? nullptr : start + strlen(from);
  if (end != nullptr) end += strcspn(end, until);
  if (end != nullptr) memmove(start, end, strlen(end) + 1);
}

// Writes the description of one PE from its control page, or from a copy of that page's beginning.
std::uint64_t describe_page(const world& w, const control_page& page, char (&text)[sizeof(pe_range::text)]) {
  char activity[text_bytes];
  const std::uint64_t since = bootstrap::read_activity(page.doing, activity);
  if (since != 0) take_out(activity, " 0x", " ");  // the same object has a different address on every PE
  if (since != 0 && w.n_pes > few) take_out(activity, " for PE ", " ");
  snprintf(text, sizeof text, "%s", since != 0 ? activity : words_for(page.state.load(std::memory_order_relaxed)));
  return since;
}

// The clocks of hosts differ: a wait has lasted as long as from its beginning to the last look on that host.
std::uint64_t describe_far(far_pages& pages, int pe, std::uint64_t now, char (&text)[sizeof(pe_range::text)]) {
  const control_page* page = pages.fetch(pe);
  if (page == nullptr) {
    snprintf(text, sizeof text, "does not answer");
    return 0;
  }
  const std::uint64_t since = describe_page(pages.home(), *page, text);
  const std::uint64_t looked = page->looked_ns.load(std::memory_order_relaxed);
  return since == 0 || looked < since ? 0 : now - (looked - since);
}

}  // namespace

void list_peers(const world& w, char* text, std::size_t room) {
  std::size_t length = 0;
  text[0] = '\0';
  each_range(
      w, w.pe,
      [&](int pe, char(&words)[sizeof(pe_range::text)]) {
        describe_briefly(w, pe, words, sizeof words);
        return std::uint64_t{0};
      },
      [&](const pe_range& r) {
        if (length + sizeof r.text > room) return;
        if (length != 0) length += static_cast<std::size_t>(snprintf(text + length, room - length, ", "));
        length += static_cast<std::size_t>(write_pes(text + length, room - length, r));
        length += static_cast<std::size_t>(snprintf(text + length, room - length, " %s", r.text));
      });
}

void print_report(world& w) {
  const std::uint64_t now = os::now_ns();
  far_pages pages(w);
  each_range(
      w, -1,
      [&](int pe, char(&words)[sizeof(pe_range::text)]) {
        return w.is_near(pe) ? describe_page(w, w.control(pe), words) : describe_far(pages, pe, now, words);
      },
      [&](const pe_range& r) {
        char pes[48], hosts[2 * sizeof(host_name::text) + 16], since[48] = "";
        write_pes(pes, sizeof pes, r);
        write_hosts(w, hosts, sizeof hosts, r);
        if (r.since != 0)
          snprintf(since, sizeof since, ", for %llu s", static_cast<unsigned long long>((now - r.since) / second));
        log::error("  %s%s: %s%s", pes, hosts, r.text, since);
      });
}

bool another_warns(const world& w, const char* routine) {
  char its[text_bytes];
  if (w.n_pes <= few) return false;
  for (int i = 0; i < w.pe; ++i)
    if (routine_of(w, i, its) && strcmp(its, routine) == 0) return true;
  return false;
}

}  // namespace oshen
