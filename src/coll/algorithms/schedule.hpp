// From a schedule to its entries in the table of algorithms. A schedule determines which PE sends which bytes to which
// PE in each step; a protocol determines how the bytes travel (coll/protocol/README.md). A schedule is written once, as
// a template over the protocol:
//
//   template <class Protocol>
//   struct ring {
//     static constexpr schedule_text text{.name = "ring", ...};
//     static double cost(const team_shape& s);                           // nanoseconds, or `impossible`
//     static void run(const collective_call& call, Protocol& protocol);  // without the last settle()
//   };
#pragma once

#include <array>
#include <string_view>

#include "coll/protocol/protocols.hpp"
#include "coll/select/domain.hpp"
#include "coll/select/registry.hpp"

namespace oshen::coll {

// The publications that describe the algorithms.
namespace paper {

inline constexpr const char* barnett =
    "Barnett, Gupta, Payne, Shuler, van de Geijn, Watts: Interprocessor collective communication library "
    "(InterCom), SHPCC 1994, doi:10.1109/SHPCC.1994.296665";
inline constexpr const char* bayatpour =
    "Bayatpour et al.: Scalable reduction collectives with data partitioning-based multi-leader design, SC 2017, "
    "doi:10.1145/3126908.3126954";
inline constexpr const char* blelloch =
    "Blelloch: Scans as primitive parallel operations, IEEE Trans. Computers 38(11), 1989, doi:10.1109/12.42122";
inline constexpr const char* bruck =
    "Bruck, Ho, Kipnis, Upfal, Weathersby: Efficient algorithms for all-to-all communications in multiport "
    "message-passing systems, IEEE TPDS 8(11), 1997, doi:10.1109/71.642949";
inline constexpr const char* hensgen =
    "Hensgen, Finkel, Manber: Two algorithms for barrier synchronization, IJPP 17(1), 1988, doi:10.1007/BF01379320";
inline constexpr const char* hillis =
    "Hillis, Steele: Data parallel algorithms, CACM 29(12), 1986, doi:10.1145/7902.7903";
inline constexpr const char* karonis =
    "Karonis et al.: Exploiting hierarchy in parallel computer networks to optimize collective operation "
    "performance, IPDPS 2000, doi:10.1109/IPDPS.2000.846009";
inline constexpr const char* mellor_crummey =
    "Mellor-Crummey, Scott: Algorithms for scalable synchronization on shared-memory multiprocessors, TOCS 9(1), "
    "1991, doi:10.1145/103727.103729";
inline constexpr const char* patarasuk =
    "Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms for clusters of workstations, JPDC 69(2), 2009, "
    "doi:10.1016/j.jpdc.2008.09.002";
inline constexpr const char* pjesivac_grbovic =
    "Pjesivac-Grbovic et al.: Performance analysis of MPI collective operations, Cluster Computing 10(2), 2007, "
    "doi:10.1007/s10586-007-0012-0";
inline constexpr const char* rabenseifner =
    "Rabenseifner: Optimization of collective reduction operations, ICCS 2004, doi:10.1007/978-3-540-24685-5_1";
inline constexpr const char* thakur =
    "Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH, IJHPCA 19(1), 2005, "
    "doi:10.1177/1094342005051521";

}  // namespace paper

// The texts of an algorithm (struct algorithm).
struct schedule_text {
  const char* name = "";  // the name of the protocol is appended
  const char* about;
  const char* needs = "";
  const char* steps;
  const char* traffic;
  const char* paper = "";

  constexpr schedule_text with(const char* other_steps, const char* other_traffic) const {
    schedule_text other = *this;
    other.steps = other_steps;
    other.traffic = other_traffic;
    return other;
  }
};

// The texts of linear schedules, in which a PE communicates with all others directly and at the same time. If PEs read
// each other's sources, a sync ends the schedule.
template <class Protocol>
consteval schedule_text linear_text(const char* about, const char* traffic_when_read, const char* traffic) {
  constexpr bool read = Protocol::protocol == protocol_kind::single_copy;
  return {.name = "linear",
          .about = about,
          .steps = read ? "1 + sync" : "1",
          .traffic = read ? traffic_when_read : traffic,
          .paper = paper::thakur};
}

// The name of a schedule over a protocol, such as "ring-put".
template <class Schedule, class Protocol>
inline constexpr auto variant_name = [] {
  constexpr std::string_view schedule = Schedule::text.name, protocol = Protocol::name;
  std::array<char, schedule.size() + 1 + protocol.size() + 1> text{};
  std::size_t end = 0;
  for (const char c : schedule) text[end++] = c;
  text[end++] = '-';
  for (const char c : protocol) text[end++] = c;
  return text;
}();

// The chunk in which a schedule forwards data between nodes. It is longer than a chunk on one node, because a message
// costs more than its copies there.
inline constexpr std::size_t far_chunk = 128 * 1024;

// For schedules that work in dest.
inline void source_to_dest(const collective_call& call) {
  if (call.dest != call.source) memmove(call.dest, call.source, call.bytes());
}

template <class Schedule, class Protocol>
void run_schedule(const collective_call& call) {
  Protocol protocol(call);
  Schedule::run(call, protocol);
  protocol.settle();
}

// The entry of an algorithm over one protocol. `text` has the members about, needs, steps, traffic and paper.
template <class Protocol, class Words>
consteval algorithm make_algorithm(kind collective, const Words& text, const char* name,
                                   double (*cost)(const team_shape&), void (*run)(const collective_call&)) {
  return {.collective = collective,
          .name = name,
          .protocol = Protocol::protocol,
          .where = Protocol::where,
          .about = text.about,
          .needs = text.needs,
          .steps = text.steps,
          .traffic = text.traffic,
          .paper = text.paper,
          .cost = cost,
          .run = run};
}

// The entry of a schedule. Its functions are instantiated with the type Schedule<Protocol>, not with the template
// Schedule. For a schedule in an anonymous namespace, GCC makes the functions local to the file only if the argument is
// a type.
template <class Schedule, class Protocol>
consteval algorithm variant_of(kind collective) {
  return make_algorithm<Protocol>(collective, Schedule::text, variant_name<Schedule, Protocol>.data(), Schedule::cost,
                                  run_schedule<Schedule, Protocol>);
}

template <template <class> class Schedule, class Protocol>
consteval algorithm variant_of(kind collective) {
  return variant_of<Schedule<Protocol>, Protocol>(collective);
}

// The entries of a schedule over all three protocols.
template <template <class> class Schedule>
consteval protocol_variants variants_of(kind collective) {
  return {variant_of<Schedule, put_protocol>(collective), variant_of<Schedule, message_protocol>(collective),
          variant_of<Schedule, pull_protocol>(collective)};
}

// ---- over domains -------------------------------------------------------------------------------------------
//
// Algorithms over domains (coll/select/domain.hpp). PEs of a domain communicate through shared memory, and domains by
// puts, so these algorithms exist for the put protocol only. Each has a function `double cost(const team_shape&)`. The
// schedule is a function `void run(const collective_call&, put_protocol&)`, or a class with a member `run()` that is
// constructed from these arguments or from the call alone.

// The texts of such an algorithm.
struct domain_text {
  const char* name = "hierarchical-put";
  const char* about;
  const char* needs = "several domains (nodes, or OSHEN_COLL_DOMAIN)";
  const char* steps;
  const char* traffic;
  const char* paper = paper::karonis;
};

template <auto schedule>
void run_over_domains(const collective_call& call) {
  put_protocol protocol(call);
  schedule(call, protocol);
  protocol.settle();
}

template <class Schedule>
void run_as(const collective_call& call, put_protocol& protocol) {
  if constexpr (requires { Schedule(call, protocol); })
    Schedule(call, protocol).run();
  else
    Schedule(call).run();
}

template <auto schedule, auto schedule_cost>
consteval algorithm domain_algorithm(kind collective, const domain_text& text) {
  return make_algorithm<put_protocol>(collective, text, text.name, schedule_cost, run_over_domains<schedule>);
}

}  // namespace oshen::coll
