// The modelled machine: PEs that are stopped at their calls, and operations in flight. It carries out one step at a
// time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "order.hpp"
#include "start.hpp"

namespace explore {

enum class stage { reads, writes, changes };

// An operation that its call has started, and that is carried out later.
struct operation {
  actor who;
  stage what = stage::writes;
  int pe = 0;     // whose memory it uses
  blocks memory;  // there
  entry said;
  std::uint64_t ctx = 0;
  std::uint32_t epoch = 0;          // number of fences before it
  bool ordered = false;             // by fences
  std::vector<std::byte> data;      // to write
  std::size_t after = event::none;  // the operation that comes first
  std::size_t feeds = event::none;  // gets what this one has read
  std::size_t started = 0;          // index of the event that started it
  std::optional<group_key> meeting;
  std::uint32_t needs = 0;  // of a collective: PEs that have to arrive first
  bool done = false;
  std::size_t done_at = 0;
};

std::string status_text(int status);
double seconds_now();

// Kinds of failures that the search treats by themselves.
inline constexpr const char *deadlock = "deadlock", *differing = "different results", *race = "race";

struct ending {
  enum class result { none, finished, failed, invalid, cut };  // cut: the time of the search is over
  result how = result::none;
  std::string kind, text;  // of a failure, or why the search cannot go on
  int status = 0;
  const void* place = nullptr;                                  // of the failure in the program, if one is known
  const void* freed_at = nullptr;                               // of an access to freed memory
  std::optional<std::pair<std::size_t, std::size_t>> racing{};  // events
};

// A PE that cannot go on, and what it waits for.
struct stopped_pe {
  int pe = 0;
  step what = step::end;
  explore_call call{};
  std::optional<memory_use> memory;
  std::string why;
};

class machine {
 public:
  machine(const processes& all, const request_of_user& asked) : all_(all), asked_(asked) {}

  void begin();
  // The actors that can go next; it is a place at which the search may choose.
  std::vector<actor> enabled();
  // `steps`: the most steps that a program takes before it stops.
  void go(actor next, std::uint64_t steps);
  bool is_enabled(actor who);
  // Lets a PE go on that repeats the same reads. False: there is none, or it has done so too often.
  bool release();
  // Ends the order if a PE has called shmem_global_exit(0). False: none has.
  bool finish();
  // Ends the order if the time of the search is over.
  bool cut_if_late();
  void fail(const char* kind, std::string text, const void* place = nullptr);
  void stop_as_invalid(std::string text, const void* place = nullptr);
  std::vector<stopped_pe> stopped_pes();
  void end();  // ends all processes

  const history& events() const { return events_; }
  const ending& end_of_order() const { return end_; }
  const operation& operation_of(const event& e) const { return operations_[e.operation]; }
  const std::vector<operation>& operations() const { return operations_; }
  std::string output(int pe, bool errors) const;
  const entry* stopped_at(int pe) const;  // nullptr: its process has ended
  bool blocked_since(int pe, std::size_t stop) const;
  // Whether the operation could have arrived in the place of event `at`.
  bool could_arrive(const operation& o, std::size_t at) const;
  const std::set<const void*>& released() const { return released_; }

  // Told of each event, with the earlier ones in conflict and what its actor knew.
  std::function<void(std::size_t, const std::vector<std::size_t>&, const known&)> on_event;

 private:
  struct seen_read {
    step what;
    const void* place;
    memory_use memory;
    std::size_t at;
    int times;
  };
  struct freed_block {
    std::uint64_t begin, end;
    const void* place;  // of the call that freed it
  };
  struct program {
    known knows = std::make_shared<const knowledge>();
    known ordered = knows;  // event::ordered
    std::uint32_t position = 0, operations = 0;
    std::map<std::uint64_t, std::uint32_t> epochs;
    std::optional<entry> stopped;
    std::vector<std::byte> payload;  // of `stopped`
    std::size_t stopped_since = 0, last_event = event::none;
    std::vector<seen_read> reads;
    std::vector<std::size_t> lent;  // operations that use its buffers until a quiet
    std::vector<freed_block> freed;
    bool released = false;
    int releases = 0;
  };
  struct contribution {
    entry said;
    std::vector<std::byte> data;
    std::size_t arrived_at;
  };
  struct meeting {
    std::uint32_t arrived = 0;
    std::map<int, contribution> parts;
    std::vector<std::size_t> arrivals, operations;  // events of a sync; data of a collective
  };

  // machine.cpp: control of the processes
  mailbox& box(int pe) const { return all_.area->pes[static_cast<std::size_t>(pe)]; }
  program& at(int pe) { return programs_[static_cast<std::size_t>(pe)]; }
  const program& at(int pe) const { return programs_[static_cast<std::size_t>(pe)]; }
  void resume(int pe, std::uint64_t budget);
  bool has_ended(int pe) const;
  bool wait_for_stop(int pe, std::uint32_t parked);
  void take_stop(int pe);
  void note_exit(int pe);
  known joined(const known& base, const std::vector<std::size_t>& events, known event::* what) const;
  // `follows`: the events that its call waits for.
  void add_program_event(int pe, const entry& said, footprint uses, const std::vector<std::size_t>& follows = {});
  void add_operation_event(std::size_t index, footprint uses);
  bool read(int pe, std::uint64_t address, std::span<std::byte> to);
  bool write(int pe, std::uint64_t address, std::span<const std::byte> from);
  bool copy(int pe, const blocks& memory, std::vector<std::byte>& bytes, bool writes);

  // checks.cpp: what is wrong with a step, whatever comes of it
  void check_lent(int pe, const event& e);
  void check_freed(const event& e);
  void check_races(std::size_t index, const std::vector<std::size_t>& conflicts);
  std::string missing_between(const event& a, const event& b) const;
  const char* completion_of(const event& late, const event& other) const;
  known learnt(const known& ordered, const footprint& uses) const;
  void tell(std::size_t index);
  void change_heap(int pe, const entry& said);

  // steps.cpp: what the steps of a program do
  void take_logged(int pe, const entry& said, std::span<const std::byte> payload);
  std::uint64_t carry_out(int pe, const entry& said);
  std::uint64_t change_now(int pe, const entry& said);
  std::uint64_t ask(int pe, const entry& said);
  void get(int pe, const entry& said);
  static bool is_quieted(const operation& o, int pe, const entry& said);
  void quiet(int pe, const entry& said);
  void meet(int pe, const entry& said);
  void leave(int pe, const entry& said);
  std::uint64_t lock(int pe, const entry& said);
  footprint uses_of(const entry& said, int pe) const;
  void remember_read(int pe, const entry& said, const footprint& uses);
  bool can_go(int pe);
  bool is_repeating(int pe, const entry& said);
  std::uint64_t free_loads(int pe);
  bool condition_holds(int pe, const entry& said, std::uint64_t* result, footprint* learning);
  bool all_met(const group_key& key) const;
  static std::vector<seen_read>::iterator find_read(program& p, const entry& said, const memory_use& use);

  // waits.cpp: the reasons why PEs are stopped
  std::string condition_text(int pe, const entry& said);
  stopped_pe stop_of(int pe);

  // operations.cpp: operations in flight
  std::size_t start(int pe, operation made);
  void lend(int pe, std::size_t index);
  void take_back(int pe, const entry& said);
  void start_put(int pe, const entry& said, std::span<const std::byte> payload);
  void start_get(int pe, const entry& said);
  void start_change(int pe, const entry& said);
  void arrive(int pe, const entry& said, std::span<const std::byte> payload);
  void contribute(int pe, const entry& said, std::span<const std::byte> source);
  void fill_results(const group_key& key);
  std::uint32_t contributors(const entry& said, int pe) const;
  bool same_collective(const entry& said, const entry& other);
  bool deliverable(const operation& o) const;
  bool comes_before(const operation& first, int pe, int target, std::uint64_t ctx, std::uint32_t epoch) const;
  void deliver(std::size_t index);

  const processes& all_;
  const request_of_user& asked_;
  const double started_ = seconds_now();
  std::vector<program> programs_;
  std::vector<operation> operations_;
  std::map<actor, std::size_t> index_of_;
  std::map<group_key, meeting> meetings_;
  std::map<std::uint64_t, int> locks_;
  std::map<std::pair<int, std::uint64_t>, known> told_;  // by flags: PE and granule
  history events_;
  ending end_;
  std::size_t stop_ = 0;
  std::vector<std::uint32_t> disabled_;  // by event: bits of the programs that could not go at its stop
  std::uint32_t disabled_now_ = 0;
  int releases_ = 0;
  std::set<const void*> released_;
};

}  // namespace explore
