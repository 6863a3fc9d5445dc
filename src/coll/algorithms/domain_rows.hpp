// Rows of schedules over domains (coll/choosing/domain.hpp): PEs of a domain speak by memory, domains by puts. So they
// are there over puts alone: functions `double cost(const setting&)` and `void run(const task&, put_protocol&)`, or a
// class with a member `run()`, made from both of these or from the task.
#pragma once

#include "coll/algorithms/rows.hpp"
#include "coll/choosing/domain.hpp"

namespace oshen::coll {

// What such a row says about itself; most have a leader in each domain who speaks for it.
struct domain_words {
  const char* name = "hierarchical-put";
  const char* about;
  const char* needs = "a workspace; domains: nodes, or OSHEN_COLL_DOMAIN";
  const char* steps;
  const char* traffic;
  const char* paper = paper::karonis;
};

template <auto schedule>
void run_over_domains(const task& job) {
  put_protocol protocol(job);
  schedule(job, protocol);
  protocol.settle();
}

template <class Schedule>
void run_as(const task& job, put_protocol& protocol) {
  if constexpr (requires { Schedule(job, protocol); }) Schedule(job, protocol).run();
  else Schedule(job).run();
}

template <auto schedule, auto schedule_cost>
consteval algorithm domain_row(kind collective, const domain_words& words) {
  return row_over<put_protocol>(collective, words, words.name, schedule_cost, run_over_domains<schedule>);
}

}  // namespace oshen::coll
