// From a schedule to its rows. A schedule says who moves what to whom in which step; the protocol how it travels
// (coll/protocol/README.md). So it is written once, as a template over the protocol:
//
//   template <class Protocol>
//   struct ring {
//     static constexpr schedule_words words{.name = "ring", ...};
//     static double cost(const setting& s);                      // nanoseconds, or `impossible`
//     static void run(const task& job, Protocol& protocol);      // up to the last message: the row settles
//   };
#pragma once

#include <array>
#include <string_view>

#include "coll/algorithms/papers.hpp"
#include "coll/choosing/algorithms.hpp"
#include "coll/protocol/protocols.hpp"

namespace oshen::coll {

// What a row says about itself (struct algorithm), but for the design.
struct schedule_words {
  const char* name = "";  // the rows add the protocol's
  const char* about;
  const char* needs = "a workspace";
  const char* steps;
  const char* traffic;
  const char* paper = "";

  constexpr schedule_words with(const char* other_steps, const char* other_traffic) const {
    schedule_words other = *this;
    other.steps = other_steps;
    other.traffic = other_traffic;
    return other;
  }
};

// Linear: everybody serves all others itself, all at once; sources that are read cost a sync.
template <class Protocol>
consteval schedule_words linear_words(const char* about, const char* traffic_when_read, const char* traffic) {
  constexpr bool read = Protocol::how == design::single_copy;
  return {.name = "linear",
          .about = about,
          .steps = read ? "1 + sync" : "1",
          .traffic = read ? traffic_when_read : traffic,
          .paper = paper::thakur};
}

// "ring-put".
template <class Schedule, class Protocol>
inline constexpr auto row_name = [] {
  constexpr std::string_view schedule = Schedule::words.name, protocol = Protocol::name;
  std::array<char, schedule.size() + 1 + protocol.size() + 1> text{};
  std::size_t end = 0;
  for (const char c : schedule) text[end++] = c;
  text[end++] = '-';
  for (const char c : protocol) text[end++] = c;
  return text;
}();

// Schedules that pass on what has come cut it: into so much between nodes, where a message costs more than its copies.
inline constexpr std::size_t far_piece = 128 * 1024;

// Many schedules work in dest.
inline void source_to_dest(const task& job) {
  if (job.dest != job.source) memmove(job.dest, job.source, job.bytes());
}

template <class Schedule, class Protocol>
void run_schedule(const task& job) {
  Protocol protocol(job);
  Schedule::run(job, protocol);
  protocol.settle();
}

// A row over one protocol. `words` say about, needs, steps, traffic and paper.
template <class Protocol, class Words>
consteval algorithm row_over(kind collective, const Words& words, const char* name, double (*cost)(const setting&),
                             void (*run)(const task&)) {
  return {.collective = collective,
          .name = name,
          .how = Protocol::how,
          .where = Protocol::where,
          .about = words.about,
          .needs = words.needs,
          .steps = words.steps,
          .traffic = words.traffic,
          .paper = words.paper,
          .cost = cost,
          .run = run};
}

// That of a schedule. What is emitted has the schedule as a type among its arguments: GCC makes such functions local to
// a file where the type is, but not where a template is an argument.
template <class Schedule, class Protocol>
consteval algorithm row_of(kind collective) {
  return row_over<Protocol>(collective, Schedule::words, row_name<Schedule, Protocol>.data(), Schedule::cost,
                            run_schedule<Schedule, Protocol>);
}

template <template <class> class Schedule, class Protocol>
consteval algorithm row_of(kind collective) {
  return row_of<Schedule<Protocol>, Protocol>(collective);
}

// Its rows over all three.
template <template <class> class Schedule>
consteval protocol_rows rows_of(kind collective) {
  return {row_of<Schedule, put_protocol>(collective), row_of<Schedule, message_protocol>(collective),
          row_of<Schedule, pull_protocol>(collective)};
}

}  // namespace oshen::coll
