#include "report.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>

#include <nlohmann/json.hpp>

namespace oshen::lammps {
namespace {

using nlohmann::ordered_json;

ordered_json as_json(const counters& r) {
  return {{"plans", r.plans},
          {"plans_refused", r.plans_refused},
          {"carried", r.carried},
          {"forwarded", r.forwarded},
          {"checked", r.checked},
          {"bytes", r.bytes},
          {"bytes_direct", r.bytes_direct},
          {"seconds", r.seconds},
          {"pack_seconds", r.pack_seconds},
          {"wait_seconds", r.wait_seconds},
          {"unpack_seconds", r.unpack_seconds},
          {"awaited_seconds", r.awaited_seconds},
          {"transforms", r.transforms},
          {"transforms_forwarded", r.transforms_forwarded},
          {"transforms_refused", r.transforms_refused},
          {"transforms_checked", r.transforms_checked},
          {"transforms_compared", r.transforms_compared},
          {"transform_error", r.transform_error},
          {"transform_seconds", r.transform_seconds}};
}

[[gnu::format(printf, 2, 3)]] void add(std::string& text, const char* format, ...) {
  char line[400];
  va_list values;
  va_start(values, format);
  std::vsnprintf(line, sizeof line, format, values);
  va_end(values);
  text += line;
}

// The largest value of all ranks. If LAMMPS has one world, counts are the same on every rank.
template <class Value>
Value most(std::span<const counters> ranks, Value counters::* field) {
  Value result{};
  for (const counters& r : ranks) result = std::max(result, r.*field);
  return result;
}

template <class Value>
Value total(std::span<const counters> ranks, Value counters::* field) {
  Value result{};
  for (const counters& r : ranks) result += r.*field;
  return result;
}

void phase_line(std::string& text, const char* phase, std::span<const counters> ranks, double counters::* seconds) {
  const auto less = [seconds](const counters& a, const counters& b) { return a.*seconds < b.*seconds; };
  const auto [least, last] = std::minmax_element(ranks.begin(), ranks.end(), less);
  add(text, "oshen-lammps:   %-6s %8.4f s mean, %8.4f (rank %td) .. %8.4f (rank %td)\n", phase,
      total(ranks, seconds) / static_cast<double>(ranks.size()), (*least).*seconds, least - ranks.begin(),
      (*last).*seconds, last - ranks.begin());
}

void phases(std::string& text, std::span<const counters> ranks) {
  phase_line(text, "pack", ranks, &counters::pack_seconds);
  phase_line(text, "wait", ranks, &counters::wait_seconds);
  phase_line(text, "unpack", ranks, &counters::unpack_seconds);
  const double awaited = most(ranks, &counters::awaited_seconds);
  if (awaited == 0) return;
  const auto late =
      std::find_if(ranks.begin(), ranks.end(), [awaited](const counters& r) { return r.awaited_seconds == awaited; });
  add(text, "oshen-lammps:   late   rank %td: the others waited %.4f s for its data\n", late - ranks.begin(), awaited);
}

void checks(std::string& text, std::span<const counters> ranks) {
  add(text, "oshen-lammps: check: %" PRIu64 " remaps compared with LAMMPS' own, all equal bit for bit\n",
      most(ranks, &counters::checked));
  if (most(ranks, &counters::transforms_checked) == 0) return;
  add(text,
      "oshen-lammps: check: %" PRIu64 " FFTs compared with LAMMPS' own, largest difference %.1e of the largest value\n",
      most(ranks, &counters::transforms_checked), most(ranks, &counters::transform_error));
}

// A simulation whose boxes change has many kinds of plans. The report has all of them.
void choices(std::string& text, const std::vector<std::string>& lines) {
  constexpr std::size_t most_lines = 8;
  for (std::size_t i = 0; i < std::min(lines.size(), most_lines); i++) text += "oshen-lammps: best: " + lines[i] + "\n";
  if (lines.size() > most_lines)
    add(text, "oshen-lammps: best: and %zu more, see --report\n", lines.size() - most_lines);
}

// The loss of a block of runs is planned by estimates and known after it, so that it may exceed the plan.
void trials(std::string& text, const summary& s) {
  const double planned = s.trial_budget * 1e3, lost = s.trial_loss * 1e3;
  add(text, "oshen-lammps: trials of strategies lost %.1f ms", lost);
  if (lost <= planned)
    add(text, " of the %.0f ms planned (OSHEN_EXCHANGE_TRIALS)\n", planned);
  else
    add(text, ", %.1f ms more than planned (OSHEN_EXCHANGE_TRIALS)\n", lost - planned);
}

void left_to_lammps(std::string& text, const summary& s) {
  const auto& ranks = s.ranks;
  if (most(ranks, &counters::plans_refused) > 0) {
    add(text, "oshen-lammps: %" PRIu64 " of %" PRIu64 " plans and %" PRIu64 " remaps were left to MPI\n",
        most(ranks, &counters::plans_refused), most(ranks, &counters::plans), most(ranks, &counters::forwarded));
  }
  if (most(ranks, &counters::transforms_refused) > 0) {
    add(text, "oshen-lammps: %" PRIu64 " FFT plans were left to LAMMPS, except for their remaps\n",
        most(ranks, &counters::transforms_refused));
  }
  if (!s.reasons.empty()) text += "oshen-lammps: left because: " + s.reasons + "\n";
}

std::string banner_when_off(std::span<const counters> ranks) {
  std::string text;
  add(text, "oshen-lammps: off: %" PRIu64 " remaps by LAMMPS and MPI on %zu ranks, %.4f s in remaps (slowest rank)\n",
      most(ranks, &counters::forwarded), ranks.size(), most(ranks, &counters::seconds));
  return text;
}

}  // namespace

bool refusal_reasons::add(const std::string& why) { return ++plans_[why] == 1; }

std::string refusal_reasons::text() const {
  std::string text;
  for (const auto& [why, plans] : plans_) text += (text.empty() ? "" : "; ") + why + " (" + std::to_string(plans) + ")";
  return text;
}

std::string strategy_counts::text() const {
  std::string text;
  for (const auto& [name, sources] : plans_) {
    std::size_t plans = 0;
    std::string from;
    for (const auto& [source, n] : sources) {
      plans += n;
      from += (from.empty() ? "" : ", ") + source + " " + std::to_string(n);
    }
    text += (text.empty() ? "" : ", ") + name + " " + std::to_string(plans);
    if (!sources.contains("requested")) text += " (" + from + ")";
  }
  return text;
}

std::string banner(const summary& s) {
  const auto& ranks = s.ranks;
  if (!s.mode.carries) return banner_when_off(ranks);
  std::string text;
  add(text,
      "oshen-lammps: %" PRIu64
      " remaps carried by one-sided puts on %zu ranks, %.1f MB between ranks, "
      "%.4f s in remaps (slowest rank)\n",
      most(ranks, &counters::carried), ranks.size(), static_cast<double>(total(ranks, &counters::bytes)) * 1e-6,
      most(ranks, &counters::seconds));
  if (s.mode.transforms) {
    add(text, "oshen-lammps: %" PRIu64 " whole FFTs, %.4f s in FFTs and the remaps around them (slowest rank)\n",
        most(ranks, &counters::transforms), most(ranks, &counters::transform_seconds));
  }
  choices(text, s.choices);
  if (!s.strategies.empty()) text += "oshen-lammps: plans by strategy: " + s.strategies + "\n";
  if (s.mode.strategy == "auto" && !s.strategies.empty()) trials(text, s);
  left_to_lammps(text, s);
  if (s.mode.checks) checks(text, ranks);
  if (s.mode.stats) phases(text, ranks);
  return text;
}

std::string advice(const summary& s) {
  if (!s.mode.carries || most(s.ranks, &counters::carried) > 0 || most(s.ranks, &counters::transforms) > 0) return "";
  if (most(s.ranks, &counters::plans) == 0)
    return "oshen-lammps: warning: no remap was carried: this run made no remap plan. Only shared builds of LAMMPS "
           "that use PPPM without KOKKOS can be accelerated\n";
  return "oshen-lammps: warning: no remap was carried: LAMMPS and MPI did all of them\n";
}

std::string json(const summary& s) {
  ordered_json report = {{"mode", name(s.mode)},
                         {"strategies", s.strategies},
                         {"left because", s.reasons},
                         {"best", s.choices},
                         {"trial_budget_seconds", s.trial_budget},
                         {"trial_loss_seconds", s.trial_loss},
                         {"ranks", ordered_json::array()}};
  for (const counters& r : s.ranks) report["ranks"].push_back(as_json(r));
  return report.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace oshen::lammps
