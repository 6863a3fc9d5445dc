#include "report.hpp"

#include <cstdio>

namespace explore {
namespace {

std::string count_text(std::uint64_t n, const char* what) {
  return std::to_string(n) + ' ' + what + (n == 1 ? "" : "s");
}

std::string searched_text(const search_result& found) {
  std::array<char, 32> time;
  std::snprintf(time.data(), time.size(), "%.1f s", found.seconds);
  const std::string pes = " of " + count_text(static_cast<std::uint64_t>(found.n_pes), "PE");
  const std::string in_time = std::string(" (") + time.data() + ")";
  if (found.is_complete) return "all " + count_text(found.orders, "order") + pes + in_time;
  if (found.seed)
    return count_text(found.orders, "random order") + pes + in_time + ", seed " + std::to_string(*found.seed);
  return count_text(found.orders, "tried order") + pes + ", of more than " + std::to_string(found.orders) + " (" +
         time.data() + "; limit: " + found.limit + ")";
}

void print_deepest(const search_result& found) {
  if (!found.deepest_left) return;
  account one;
  one.events.push_back(*found.deepest_left);
  const event& e = one.events.front();
  const std::string name = routine_name(e.said.call);
  std::printf("explore: deepest choice that was not tried: %s (%s%s%s)\n",
              narrator(one).place(e.said.call.place).c_str(), name_of(e.who).c_str(), name.empty() ? "" : ", ",
              name.c_str());
}

void print_loops(const search_result& found) {
  if (found.loops.empty()) return;
  const places where({found.loops.begin(), found.loops.end()});
  std::printf("explore: loops that repeat a read in which nothing changes; the number of repetitions is not varied:");
  for (const void* place : found.loops) std::printf(" %s", where.text(place).c_str());
  std::printf("\n");
}

void print_output(const char* indent, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::printf("%s%s\n", indent, text.substr(at, end - at).c_str());
    at = end + 1;
  }
}

void print_outputs(const char* when, const std::vector<std::string>& of_pes) {
  for (std::size_t pe = 0; pe < of_pes.size(); ++pe) {
    if (of_pes[pe].empty()) continue;
    std::printf("  %sPE %zu prints:\n", when, pe);
    print_output("    ", of_pes[pe]);
  }
}

void print_all_outputs(const search_result& found) {
  for (const auto& [of_pes, where] : found.outputs) {
    std::printf("output of %s, first of order %llu:\n", count_text(where.orders, "order").c_str(),
                static_cast<unsigned long long>(where.first));
    print_outputs("", of_pes);
  }
}

std::string at_text(const narrator& words, const ending& end) {
  const std::string freed = end.freed_at == nullptr ? "" : ", freed at " + words.place(end.freed_at);
  return (end.place == nullptr ? "" : " at " + words.place(end.place)) + freed;
}

// The two accesses of a race.
void print_race(const narrator& words, const account& failed) {
  if (!failed.end.racing) return;
  for (const std::size_t i : {failed.end.racing->first, failed.end.racing->second}) {
    const event& e = failed.events[i];
    const std::string pe = e.who.is_program() ? name_of(e.who) + ' ' : "";
    std::printf("  step %zu: %s%s at %s\n", i + 1, pe.c_str(), words.step(i).c_str(),
                words.place(e.said.call.place).c_str());
  }
}

}  // namespace

void report_success(const search_result& found, bool any_output) {
  if (found.orders == 0) {
    std::printf("explore: no order has ended in %.1f s: use a smaller input, or a higher --timeout\n", found.seconds);
    return;
  }
  const std::string outputs = any_output ? ", " + count_text(found.outputs.size(), "different output") : "";
  std::printf("explore: %s: no error%s\n", searched_text(found).c_str(), outputs.c_str());
  print_deepest(found);
  print_loops(found);
  if (any_output) print_all_outputs(found);
}

void report_failure(const search_result& found, const account& failed, bool any_output, bool is_recorded) {
  const narrator words(failed);
  const std::optional<std::string> lost = words.lost_value();
  std::printf("explore: %s: %s%s\n", lost ? "lost wake-up" : failed.end.kind.c_str(), failed.end.text.c_str(),
              at_text(words, failed.end).c_str());
  if (lost) std::printf("  %s\n", lost->c_str());
  print_race(words, failed);
  std::fputs(words.stopped().c_str(), stdout);
  std::printf("steps of order %llu, the shortest of %llu that fail:\n%s", static_cast<unsigned long long>(failed.order),
              static_cast<unsigned long long>(found.failed), words.steps().c_str());
  if (const std::string late = words.in_flight(); !late.empty()) std::printf("not yet arrived:\n%s", late.c_str());
  print_outputs("", failed.output);
  for (const auto& [of_pes, where] : found.outputs)
    if (where.first == 1 && failed.end.kind == differing) print_outputs("in order 1 ", of_pes);
  std::printf("explore: error in %llu of %s%s\n", static_cast<unsigned long long>(found.failed),
              searched_text(found).c_str(), is_recorded ? "" : "; --record FILE keeps this order for oshrun --replay");
  print_deepest(found);
  if (any_output) print_all_outputs(found);
}

void report_one(const account& order, std::uint64_t seed) {
  const narrator words(order);
  std::printf("explore: one order of %zu steps, --random %llu: %s%s\n", order.events.size(),
              static_cast<unsigned long long>(seed), end_text(order.end).c_str(), at_text(words, order.end).c_str());
  print_race(words, order);
  std::fputs(words.stopped().c_str(), stdout);
}

void report_not_modelled(const account& stopped) {
  const narrator words(stopped);
  std::printf("explore: %s%s\n", stopped.end.text.c_str(), at_text(words, stopped.end).c_str());
}

void report_difference(std::size_t step, const recorded_step& recorded, const account& replayed) {
  const narrator words(replayed);
  std::printf("explore: step %zu is not as it was recorded: %s %s; ", step + 1, name_of(recorded.who).c_str(),
              recorded.text.c_str());
  if (step < replayed.events.size()) {
    const event& now = replayed.events[step];
    std::printf("now: %s %s, %s", name_of(now.who).c_str(), words.step(step).c_str(),
                words.place(now.said.call.place).c_str());
  } else {
    std::printf("now the program cannot take that step");
  }
  std::printf("; expected the same program, arguments and input\n");
}

void report_replay(const account& replayed, const recording& order) {
  const narrator words(replayed);
  const std::string now = end_text(replayed.end);
  // Without the output of the PEs neither an assertion nor a different output is recognised.
  const bool is_same = order.ending == now || order.ending.starts_with(differing) ||
                       (!replayed.end.text.empty() && order.ending.ends_with(": " + replayed.end.text));
  std::printf("explore: %s: %zu steps as recorded; %s%s\n", is_same ? "the same order" : "another end",
              order.steps.size(), is_same ? order.ending.c_str() : now.c_str(), at_text(words, replayed.end).c_str());
  print_race(words, replayed);
  std::fputs(words.stopped().c_str(), stdout);
}

}  // namespace explore
