#include "ledger.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>

namespace oshen::lammps {
namespace {

[[gnu::format(printf, 2, 3)]] void add(std::string& text, const char* format, ...) {
  char line[256];
  va_list values;
  va_start(values, format);
  std::vsnprintf(line, sizeof line, format, values);
  va_end(values);
  text += line;
}

// Numbers that are the same on every rank, when LAMMPS has one world, are given once: their
// largest.
struct totals {
  ledger most;
  std::uint64_t bytes = 0;
  std::uint64_t bytes_direct = 0;
};

totals total_of(std::span<const ledger> ranks) {
  totals t;
  for (const ledger& r : ranks) {
    t.most.plans = std::max(t.most.plans, r.plans);
    t.most.plans_refused = std::max(t.most.plans_refused, r.plans_refused);
    t.most.carried = std::max(t.most.carried, r.carried);
    t.most.forwarded = std::max(t.most.forwarded, r.forwarded);
    t.most.checked = std::max(t.most.checked, r.checked);
    t.most.seconds = std::max(t.most.seconds, r.seconds);
    t.bytes += r.bytes;
    t.bytes_direct += r.bytes_direct;
  }
  return t;
}

void phase_line(std::string& text, const char* phase, std::span<const ledger> ranks,
                double ledger::*seconds) {
  const auto less = [seconds](const ledger& a, const ledger& b) { return a.*seconds < b.*seconds; };
  const auto [least, most] = std::minmax_element(ranks.begin(), ranks.end(), less);
  double sum = 0;
  for (const ledger& r : ranks) sum += r.*seconds;
  add(text, "oshen-lammps:   %-7s %9.4f s mean  %9.4f (rank %td) .. %9.4f (rank %td)\n", phase,
      sum / static_cast<double>(ranks.size()), (*least).*seconds, least - ranks.begin(),
      (*most).*seconds, most - ranks.begin());
}

void warn_if_idle(std::string& text, const ledger& most) {
  if (most.plans == 0) {
    text +=
        "oshen-lammps: warning: no remap was carried: this run made no remap plan. Only shared "
        "builds of LAMMPS that "
        "use PPPM without KOKKOS can be accelerated\n";
  } else if (most.carried == 0) {
    text += "oshen-lammps: warning: no remap was carried: LAMMPS did them all by itself\n";
  }
}

}  // namespace

std::string banner(mode how, std::span<const ledger> ranks) {
  const totals t = total_of(ranks);
  std::string text;
  if (how == mode::off) {
    add(text,
        "oshen-lammps: off: %" PRIu64
        " remaps by LAMMPS and MPI on %zu ranks, %.4f s in them (slowest rank)\n",
        t.most.forwarded, ranks.size(), t.most.seconds);
    return text;
  }
  add(text,
      "oshen-lammps: %" PRIu64
      " remaps carried by one-sided puts on %zu ranks, %.1f MB between ranks, "
      "%.4f s in remaps (slowest rank)\n",
      t.most.carried, ranks.size(), static_cast<double>(t.bytes) * 1e-6, t.most.seconds);
  if (t.most.plans_refused > 0) {
    add(text,
        "oshen-lammps: %" PRIu64 " of %" PRIu64 " plans and %" PRIu64 " remaps were left to MPI\n",
        t.most.plans_refused, t.most.plans, t.most.forwarded);
  }
  if (how == mode::check) {
    add(text,
        "oshen-lammps: check: %" PRIu64
        " remaps compared with LAMMPS' own, all equal bit for bit\n",
        t.most.checked);
  }
  if (how == mode::stats) {
    phase_line(text, "pack", ranks, &ledger::pack_seconds);
    phase_line(text, "wait", ranks, &ledger::wait_seconds);
    phase_line(text, "unpack", ranks, &ledger::unpack_seconds);
  }
  warn_if_idle(text, t.most);
  return text;
}

std::string json(mode how, std::span<const ledger> ranks) {
  std::string text;
  add(text, "{\"mode\": \"%s\", \"ranks\": [", name(how));
  const char* comma = "";
  for (const ledger& r : ranks) {
    add(text,
        "%s\n  {\"plans\": %" PRIu64 ", \"plans_refused\": %" PRIu64 ", \"carried\": %" PRIu64,
        comma, r.plans, r.plans_refused, r.carried);
    add(text, ", \"forwarded\": %" PRIu64 ", \"checked\": %" PRIu64 ", \"bytes\": %" PRIu64,
        r.forwarded, r.checked, r.bytes);
    add(text, ", \"bytes_direct\": %" PRIu64 ", \"seconds\": %.6f, \"pack_seconds\": %.6f",
        r.bytes_direct, r.seconds, r.pack_seconds);
    add(text, ", \"wait_seconds\": %.6f, \"unpack_seconds\": %.6f}", r.wait_seconds,
        r.unpack_seconds);
    comma = ",";
  }
  text += "\n]}\n";
  return text;
}

}  // namespace oshen::lammps
