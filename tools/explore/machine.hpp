// The modelled machine: threads of PEs that are stopped at their calls, and operations in flight. It carries out one
// step at a time.
#pragma once

#include <bitset>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
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
std::string name_of(const actor& who);  // "PE 0", "PE 0 thread 1"
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

// A thread that cannot go on, and what it waits for.
struct stopped_program {
  actor who;
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
  std::vector<stopped_program> stopped_programs();
  void end();  // ends all processes

  const history& events() const { return events_; }
  const ending& end_of_order() const { return end_; }
  const operation& operation_of(const event& e) const { return operations_[e.operation]; }
  const std::vector<operation>& operations() const { return operations_; }
  std::string output(int pe, bool errors) const;
  bool all_ended() const;  // all processes
  bool blocked_since(const actor& who, std::size_t index) const;
  // Whether the operation could have arrived in the place of event `at`.
  bool could_arrive(const operation& o, std::size_t at) const;
  const std::set<const void*>& released() const { return released_; }

  // The steps at which threads are stopped that cannot go on, as events that have not happened.
  std::vector<event> pending() const;

  // Told of each event, with the earlier ones in conflict and what its actor knew.
  std::function<void(std::size_t, const std::vector<std::size_t>&, const known&)> on_event;

 private:
  using read_name = std::tuple<step, const void*, int, std::uint64_t>;  // with its place, PE and address
  struct seen_read {
    memory_use memory;
    std::size_t at;
    int times;
  };
  struct freed_block {
    std::uint64_t begin, end;
    const void* place;  // of the call that freed it
  };
  struct program {  // of a thread
    known knows = std::make_shared<const knowledge>();
    known ordered = knows;  // event::ordered
    std::uint32_t position = 0, operations = 0;
    std::optional<entry> stopped;    // nothing: it has ended
    std::vector<std::byte> payload;  // of `stopped`
    std::size_t stopped_since = 0, last_event = event::none, last_call = event::none;
    std::size_t round = 0;  // of the barrier of threads that it is in
    std::map<read_name, seen_read> reads;
    bool released = false;
    int releases = 0;
  };
  struct pe_state {
    std::map<std::uint64_t, std::uint32_t> epochs;  // by contexts: number of fences
    std::vector<std::size_t> lent;                  // operations that use its buffers until a quiet
    std::vector<std::size_t> open;                  // operations that no quiet has waited for
    std::vector<freed_block> freed;
  };
  struct contribution {
    entry said;
    std::vector<std::byte> data;
    std::size_t arrived_at;
  };
  struct meeting {
    std::uint32_t arrived = 0;
    std::map<int, entry> calls;    // of each PE
    std::map<int, actor> threads;  // of a sync: which of each PE
    std::map<int, contribution> parts;
    std::vector<std::size_t> arrivals, operations;  // events of a sync; data of a collective
  };

  // machine.cpp: control of the processes
  void begin_processes();
  mailbox& box(const actor& who) const { return all_.area->boxes[who.slot()]; }
  mailbox& process(int pe) const { return all_.area->boxes[slot_of(pe, 0)]; }
  program& at(const actor& who) { return programs_[who.slot()]; }
  const program& at(const actor& who) const { return programs_[who.slot()]; }
  pe_state& of(int pe) { return pes_[static_cast<std::size_t>(pe)]; }
  const pe_state& of(int pe) const { return pes_[static_cast<std::size_t>(pe)]; }
  void resume(const actor& who, std::uint64_t budget);
  bool has_ended(int pe) const;
  bool wait_for_stop(const actor& who, std::uint32_t parked);
  void take_stop(const actor& who);
  void note_exit(int pe);
  bool is_watched(const actor& who) const;
  known joined(const known& base, const std::vector<std::size_t>& events, known event::* what) const;
  // `follows`: the events that its call waits for.
  void add_program_event(const actor& who, const entry& said, footprint uses,
                         const std::vector<std::size_t>& follows = {});
  void add_operation_event(std::size_t index, footprint uses);
  bool read(int pe, std::uint64_t address, std::span<std::byte> to);
  bool write(int pe, std::uint64_t address, std::span<const std::byte> from);
  bool copy(int pe, const blocks& memory, std::vector<std::byte>& bytes, bool writes);

  // checks.cpp: what is wrong with a step, whatever comes of it
  void check_lent(const event& e);
  void check_alone(std::size_t index, const knowledge& before);
  void check_freed(const event& e);
  void check_races(std::size_t index, const std::vector<std::size_t>& conflicts);
  std::string missing_between(const event& a, const event& b) const;
  const char* completion_of(const event& late, const event& other) const;
  known learnt(const known& ordered, const footprint& uses) const;
  void tell(std::size_t index);
  void change_heap(int pe, const entry& said);

  // steps.cpp: what the steps of a program do
  void take_logged(const actor& who, const entry& said, std::span<const std::byte> payload);
  std::uint64_t carry_out(const actor& who, const entry& said);
  std::uint64_t change_now(const actor& who, const entry& said);
  std::uint64_t ask(const actor& who, const entry& said);
  void get(const actor& who, const entry& said);
  static bool is_quieted(const operation& o, int pe, const entry& said);
  void quiet(const actor& who, const entry& said);
  void meet(const actor& who, const entry& said);
  void leave(const actor& who, const entry& said);
  footprint uses_of(const entry& said, const actor& who) const;
  void remember_read(const actor& who, const entry& said, const footprint& uses);
  bool can_go(const actor& who);
  bool is_repeating(const actor& who, const entry& said);
  std::uint64_t free_loads(const actor& who);
  bool condition_holds(const actor& who, const entry& said, std::uint64_t* result, footprint* learning);
  bool all_met(const group_key& key) const;
  bool is_polling(const actor& who, const entry& said) const;

  // synchronisation.cpp: locks, and threads of a PE
  using place_of_object = std::pair<int, std::uint64_t>;  // a space, and an address
  struct held_lock {
    std::vector<actor> owners;  // several if they only read
    bool shared = false;
  };
  struct signal_of_threads {
    std::set<actor> waiters;  // that it may wake
    bool all = false;
  };
  struct thread_barrier {
    std::vector<std::vector<std::size_t>> arrivals;  // events of each round
    std::set<std::size_t> parted;                    // rounds that a thread has left
  };
  static place_of_object object_of(const actor& who, const entry& said);
  static footprint uses_of_object(const actor& who, const entry& said);
  std::uint64_t lock(const actor& who, const entry& said);
  bool is_free(const actor& who, const entry& said) const;
  void unlock(const actor& who, const entry& said);
  bool release_lock(const actor& who, const entry& said, const place_of_object& object);
  const signal_of_threads* signal_for(const actor& who, const place_of_object& condition) const;
  void set_up(const actor& who, const entry& said);
  bool can_go_of_threads(const actor& who, const entry& said) const;
  std::uint64_t carry_out_of_threads(const actor& who, const entry& said);
  void begin_thread(const actor& creator, const entry& said);
  void sleep(const actor& who, const entry& said);
  std::uint64_t awake(const actor& who, const entry& said);
  void notify(const actor& who, const entry& said);
  void meet_threads(const actor& who, const entry& said);
  std::uint64_t part_threads(const actor& who, const entry& said);
  std::uint64_t count(const actor& who, const entry& said);

  // waits.cpp: the reasons why threads are stopped
  std::string condition_text(const actor& who, const entry& said);
  std::string lock_text(const actor& who, const entry& said) const;
  stopped_program stop_of(const actor& who);

  // operations.cpp: operations in flight
  std::size_t start(const actor& who, operation made);
  void lend(int pe, std::size_t index);
  void take_back(int pe, const entry& said);
  void start_put(const actor& who, const entry& said, std::span<const std::byte> payload);
  void start_get(const actor& who, const entry& said);
  void start_change(const actor& who, const entry& said);
  void arrive(const actor& who, const entry& said, std::span<const std::byte> payload);
  void contribute(const actor& who, const entry& said, std::span<const std::byte> source);
  void fill_results(const group_key& key);
  std::uint32_t contributors(const entry& said, int pe) const;
  bool join_meeting(const actor& who, const entry& said);
  bool deliverable(const operation& o) const;
  bool is_due(const operation& o) const;
  bool comes_before(const operation& first, int pe, int target, std::uint64_t ctx, std::uint32_t epoch) const;
  void deliver(std::size_t index);

  const processes& all_;
  const request_of_user& asked_;
  const double started_ = seconds_now();
  std::deque<program> programs_;  // by slot
  std::vector<actor> threads_;    // that have begun
  std::array<pe_state, most_pes> pes_;
  std::vector<operation> operations_;
  std::vector<std::size_t> in_flight_;  // those that are not done, in the order of their start
  std::map<actor, std::size_t> index_of_;
  std::map<group_key, meeting> meetings_;
  std::map<place_of_object, held_lock> locks_;
  std::map<place_of_object, std::set<actor>> sleepers_;  // by condition variables
  std::map<place_of_object, std::vector<signal_of_threads>> signals_;
  std::map<place_of_object, thread_barrier> barriers_;
  std::map<place_of_object, std::uint32_t> counts_;      // of semaphores
  std::map<std::pair<int, std::uint64_t>, known> told_;  // by flags: PE and granule
  history events_;
  ending end_;
  std::size_t stop_ = 0;
  using programs = std::bitset<most_programs>;  // by slot
  std::vector<programs> disabled_;              // by event: those that could not go at its stop
  programs disabled_now_;
  int releases_ = 0;
  std::set<const void*> released_;
};

}  // namespace explore
