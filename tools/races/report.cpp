#include "report.hpp"

#include <fcntl.h>
#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include <nlohmann/json.hpp>

#include "objects.hpp"
#include "settings.hpp"
#include "sites.hpp"
#include "timeline.hpp"

namespace races {
namespace {

using nlohmann::ordered_json;

constexpr std::uint32_t most_reports = 50;

// Counts the pair. Returns it if it is new.
site_pair* new_pair(const region& of, std::uint32_t a, std::uint32_t b) {
  region_header& shared = of.fixed();
  const std::uint64_t key = (static_cast<std::uint64_t>(std::min(a, b)) << 32) | (std::max(a, b) + 1u);
  for (std::uint64_t probe = key * 0x9e3779b97f4a7c15u >> 32, end = probe + region_header::most_pairs; probe < end;
       ++probe) {
    site_pair& pair = shared.pairs[probe % region_header::most_pairs];
    std::uint64_t seen = 0;
    const bool fresh = pair.sites.compare_exchange_strong(seen, key);
    if (!fresh && seen != key) continue;
    ++pair.count;
    return fresh ? &pair : nullptr;
  }
  of.set_full(limits::pairs);
  return nullptr;
}

std::string pe_text(std::uint32_t pe) { return "PE " + std::to_string(pe); }

const site& site_at(const detector& of, std::uint32_t i) { return of.shared().fixed().sites[i]; }

bool in_two_threads(const access& before, const access& now) {
  return before.pe() == now.pe() && before.strand() != now.strand();
}

std::string thread_text(const access& a) {
  if (a.strand() >= most_threads) return "a section or task";
  return a.strand() == 0 ? "main thread" : "thread " + std::to_string(a.strand());
}

std::string access_text(const detector& of, const access& a, bool with_thread) {
  const site& s = site_at(of, a.site());
  std::string text = pe_text(a.pe()) + " " + (with_thread ? "(" + thread_text(a) + ") " : "") + routine_of(s);
  if (const std::uint64_t bytes = s.bytes; bytes != 0) text += " of " + std::to_string(bytes) + " B";
  return text + " at " + place_of(s).text();
}

// What is missing after an access: "a fence", where that is enough.
std::string needed(const access& before, bool fence_is_enough) {
  if (before.is_lent()) return "to complete the collective";
  if (before.how() == channel::context && !before.is_buffer() && fence_is_enough)
    return "a fence or quiet of its context";
  if (before.how() == channel::context) return "a quiet of its context";
  return fence_is_enough ? "a fence" : "a quiet";
}

// Both accesses are of one PE. Those of its threads need synchronisation. In one thread the first is a put or a
// non-blocking operation that may still be in progress.
std::string missing_in_pe(const detector& of, const access& before, const access& now) {
  if (in_two_threads(before, now) && of.own().program(before.pe(), before.strand()) < before.clock)
    return "nothing orders them: the threads need a lock or a barrier, or one must start or join the other";
  const bool both_reach_out = now.target() == before.target() && now.how() != channel::program;
  const bool fence_is_enough = both_reach_out && !before.is_buffer() && !now.is_buffer();
  return pe_text(now.pe()) + " needs " + needed(before, fence_is_enough) + " between them";
}

// The call by which the PE told this one last.
std::string last_release(const detector& of, std::uint32_t pe) {
  const site& s = site_at(of, of.own().release_site(pe));
  return routine_of(s) + " at " + place_of(s).text();
}

// PE `before.pe` has told this PE that it came past the access, but the access may be delivered later.
std::string missing_delivery(const detector& of, const access& before, const access& now) {
  const std::uint32_t target = of.own().release_target(before.pe());
  const bool same_pe = before.stores() || (target == before.target() && !before.is_buffer());
  return pe_text(before.pe()) + " needs " + needed(before, same_pe) + " before the " + last_release(of, before.pe()) +
         ", which tells " + pe_text(now.pe());
}

// Both are atomics, but not exclusive.
std::string missing_atomicity(const access& before, const access& now) {
  const bool one_team = ((before.maker ^ now.maker) & access::shared_team_bit) == 0;
  return std::string("atomics of different types") + (one_team ? "" : ", or on contexts of different teams,") +
         " are not atomic with each other (OpenSHMEM, Memory Model, Atomicity Guarantees)";
}

std::string missing(const detector& of, const access& before, const access& now) {
  if (before.is_atomic() && now.is_atomic()) return missing_atomicity(before, now);
  if (before.pe() == now.pe()) return missing_in_pe(of, before, now);
  if (of.own().program(before.pe(), before.strand()) >= before.clock) return missing_delivery(of, before, now);
  if (of.own().last_release(before.pe()) >= before.clock)
    return pe_text(before.pe()) + " needs to synchronise its threads before the " + last_release(of, before.pe()) +
           ", which tells " + pe_text(now.pe());
  return "nothing orders them: " + pe_text(before.pe()) + " must tell " + pe_text(now.pe()) +
         ", by a flag and a wait or by a barrier" +
         (before.writes() && now.writes() ? ", or both use atomics or a lock" : "");
}

std::string memory(const detector& of, location where, const access& before, const access& now) {
  if (!where) return "the private buffer of a non-blocking operation";
  if (where.is_private) return "private memory of " + pe_text(before.pe());
  const std::uint32_t both = before.bytes() & now.bytes();
  const auto bytes = static_cast<std::size_t>(std::min(std::popcount(before.bytes()), std::popcount(now.bytes())));
  return object_at(of, where.offset / 8 * 8 + static_cast<std::size_t>(std::countr_zero(both)), std::bit_floor(bytes)) +
         " of " + pe_text(static_cast<std::uint32_t>(where.pe));
}

// One write, so that lines of several PEs do not mix.
void print(int file, const std::string& line) {
  if (write(file, line.data(), line.size()) < 0) return;
}

bool is_suppressed(const std::string& object, const std::string& first, const std::string& second) {
  return std::ranges::any_of(chosen().suppressions, [&](const suppression& s) {
    const auto matches = [&](const std::string& text) { return fnmatch(s.pattern.c_str(), text.c_str(), 0) == 0; };
    return s.of == suppression::kind::object ? matches(object) : matches(first) || matches(second);
  });
}

ordered_json access_json(const detector& of, const access& a) {
  const site& s = site_at(of, a.site());
  const source_place place = place_of(s);
  const std::uint64_t pe = a.pe(), thread = a.strand(), bytes = s.bytes;  // of any width, and perhaps atomic
  return {{"pe", pe},           {"thread", thread},          {"access", routine_of(s)},
          {"bytes", bytes},     {"writes", a.writes()},      {"file", place.file},
          {"line", place.line}, {"function", place.function}};
}

// Appends one line to the file OSHEN_RACES_REPORT. Names of files may have bytes that are not UTF-8.
void append(const ordered_json& race) {
  if (chosen().report_file.empty()) return;
  const int file = open(chosen().report_file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) return;
  print(file, race.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n");
  close(file);
}

// What the program has too many of.
std::string beyond_limits(std::uint32_t full) {
  static constexpr std::array<const char*, static_cast<std::size_t>(limits::n)> names{
      "too many kinds of accesses (place, PE and target)", "too many places that access memory", "too many races",
      "more than 16 threads of a PE at a time", "threads touched more than 256 MiB of private memory"};
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    if ((full >> i & 1) != 0) text += (text.empty() ? "" : "; ") + std::string(names[i]);
  return text;
}

}  // namespace

bool begin_report_file() {
  if (chosen().report_file.empty()) return true;
  const int file = open(chosen().report_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file >= 0) close(file);
  return file >= 0;
}

void report_race(const detector& of, const race& found) {
  region_header& shared = of.shared().fixed();
  site_pair* pair = new_pair(of.shared(), found.before.site(), found.now.site());
  if (pair == nullptr) return;
  const std::string object = memory(of, found.where, found.before, found.now);
  const auto place = [&](const access& a) { return place_of(site_at(of, a.site())).text(); };
  if (is_suppressed(object, place(found.before), place(found.now))) {
    pair->suppressed = true;
    return;
  }
  if (++shared.n_reports > most_reports) return;
  const std::string asks = missing(of, found.before, found.now);
  const bool threads = in_two_threads(found.before, found.now);
  const std::string line = "race on " + object + ": " + access_text(of, found.before, threads) + ", and " +
                           access_text(of, found.now, threads) + ": " + asks;
  print(STDERR_FILENO, "oshen: " + line + "\n");
  if (oshtrace_add_race != nullptr)
    oshtrace_add_race(line.c_str(), static_cast<int>(found.before.pe()), site_at(of, found.before.site()).offset);
  append({{"object", object},
          {"first", access_json(of, found.before)},
          {"second", access_json(of, found.now)},
          {"missing", asks}});
}

std::uint32_t reports(const detector& of) { return of.shared().fixed().n_reports; }

void report_end(const detector& of) {
  const region_header& shared = of.shared().fixed();
  if (const std::string what = beyond_limits(shared.full); !what.empty())
    print(STDERR_FILENO, "oshen: oshcc --races: the check is incomplete, races may be unseen: " + what + "\n");
  const std::uint32_t n = shared.n_reports;
  if (n == 0) return;
  std::uint64_t met = 0;
  for (const site_pair& pair : shared.pairs)
    if (!pair.suppressed) met += pair.count;
  std::string line = "oshen: " + std::to_string(n) + (n == 1 ? " race" : " races") + " (pairs of places), met " +
                     std::to_string(met) + (met == 1 ? " time" : " times");
  if (n > most_reports) line += "; the first " + std::to_string(most_reports) + " are shown";
  print(STDERR_FILENO, line + "\n");
}

}  // namespace races
