#include "timeline.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <initializer_list>
#include <map>
#include <set>
#include <tuple>

#include <nlohmann/json.hpp>

#include "shared/chrome.hpp"

namespace oshprof {
namespace {

using oshtrace::chrome_events;
using oshtrace::lettered;

constexpr int arrivals = 0;  // the track for puts by other processes
constexpr int no_process = -1, many_processes = -2;

// By kind of call: a category to filter for, and a colour of chrome://tracing.
struct style {
  const char *category, *colour;
};
constexpr style styles[] = {
    {"send", "good"},           {"recv", "rail_response"}, {"send", "good"}, {"wait", "thread_state_iowait"},
    {"coll", "rail_animation"}, {"reduce", "startup"},     {"rma", "olive"}, {"sync", "terrible"},
    {"other", "generic_work"}};

thread_local int source = no_process;  // of the messages received during the current call

std::uint16_t own_thread() {
  static std::uint16_t threads = 0;  // counted under the mutex of the profile
  static thread_local const std::uint16_t number = threads++;
  return number;
}

bool is_test(const char* name) {
  constexpr const char* words[] = {"_test", "_Test", "_Iprobe", "_Improbe"};
  return std::ranges::any_of(words, [name](const char* word) { return std::strstr(name, word) != nullptr; });
}

// JSON numbers have 53 bits.
std::uint64_t id_of(std::initializer_list<std::uint64_t> parts) {
  std::uint64_t mixed = 0;
  for (const std::uint64_t part : parts) mixed = oshprof_mix(mixed, part);
  return mixed >> 11;
}

std::int64_t when(std::uint64_t ns) { return static_cast<std::int64_t>(ns); }

// The time of day minus the clock of the timestamps; it aligns hosts.
std::int64_t clock_of_day() {
  timespec day{};
  clock_gettime(CLOCK_REALTIME, &day);
  return static_cast<std::int64_t>(day.tv_sec) * 1000000000 + day.tv_nsec - when(oshprof_now());
}

}  // namespace

void timeline::keep(std::size_t most) { most_ = most; }

int timeline::only_source() {
  const int found = source;
  source = no_process;
  return found;
}

void timeline::add_call(const oshprof_call& call, const void* caller, std::uint64_t began, std::uint64_t ended,
                        const oshprof_traffic& moved) {
  if (most_ == 0) return;
  const int from = only_source();
  const std::uint16_t thread = own_thread();
  if (!records_.empty() && missing_ == 0 && is_test(call.name)) {
    record& last = records_.back();
    if (last.call == &call && last.caller == caller && last.thread == thread && from == no_process) {
      last.ended = ended;
      ++last.calls;
      return;
    }
  }
  if (records_.size() == most_) {
    ++missing_;
    return;
  }
  const bool sends = moved.peer >= 0;
  records_.push_back({.began = began,
                      .ended = ended,
                      .bytes = moved.sent_bytes + moved.got_bytes,
                      .call = &call,
                      .caller = caller,
                      .calls = 1,
                      .peer = sends ? moved.peer : from,
                      .thread = thread,
                      .from = sends ? moved.sent_messages == 0 : from >= 0});
}

void timeline::keep_message(const message& m) {
  if (messages_.size() < most_)
    messages_.push_back(m);
  else if (m.in)
    first_unkept_ = std::min(first_unkept_, m.order);
}

void timeline::message_sent(std::uint64_t time, int process, std::uint64_t envelope) {
  if (process >= 0) keep_message({process, envelope, next_order(), time, own_thread(), false});
}

void timeline::message_received(std::uint64_t time, int process, std::uint64_t envelope, std::uint64_t order) {
  source = source == no_process ? process : many_processes;
  if (process >= 0) keep_message({process, envelope, order != 0 ? order : next_order(), time, own_thread(), true});
}

// Writes the events of one process: bars for its calls, arrows for its messages, marks at the targets of its puts.
class timeline::writer {
 public:
  writer(std::FILE* file, int process, symbols& names) : events_(file), process_(process), names_(names) {}

  void name_tracks(const std::vector<record>& records, const std::string& host) {
    events_.name_process(process_, "process " + std::to_string(process_) + " on " + host);
    events_.name_track(process_, arrivals, "arrivals");
    std::set<std::uint16_t> seen;
    for (const record& r : records)
      if (seen.insert(r.thread).second)
        events_.name_track(process_, track_of(r.thread),
                           r.thread == 0 ? "calls" : "thread " + std::to_string(r.thread));
  }

  void call(const record& r, std::uint64_t number) {
    const style& as = styles[r.call->kind];
    const oshtrace::slice s{process_, track_of(r.thread), when(r.began), when(r.ended)};
    std::string text = r.call->name;
    if (r.peer >= 0) text += (r.from ? ": from " : ": to ") + lettered("process", r.peer);
    nlohmann::ordered_json more = {{"function", function_of(r.caller)}, {"bytes", r.bytes}};
    if (r.calls > 1) more["calls"] = r.calls;
    if (r.peer >= 0) more[r.from ? "from" : "to"] = r.peer;
    events_.bar(s, as.category, text, as.colour, more);
    if (r.call->kind == oshprof_rma && r.peer >= 0) one_sided(r, s, number);
  }

  // `n` is the number of earlier messages with the same envelope.
  void arrow(const message& m, std::uint64_t n) {
    const auto here = static_cast<std::uint64_t>(process_), there = static_cast<std::uint64_t>(m.process);
    const std::uint64_t id = m.in ? id_of({1, there, here, m.envelope, n}) : id_of({1, here, there, m.envelope, n});
    const oshtrace::arrow_end at{process_, track_of(m.thread), when(m.time)};
    m.in ? events_.arrow_arrives(id, "message", at) : events_.arrow_begins(id, "message", at);
  }

 private:
  static int track_of(std::uint16_t thread) { return 1 + thread; }

  std::string function_of(const void* caller) {
    const function found = names_.find(caller);
    return !found.name.empty() ? found.name : found.file.substr(found.file.rfind('/') + 1);
  }

  void one_sided(const record& r, const oshtrace::slice& s, std::uint64_t number) {
    const std::uint64_t id = id_of({2, static_cast<std::uint64_t>(process_), number});
    const std::int64_t moment = r.from ? s.began : s.ended;
    events_.bar({r.peer, arrivals, moment, moment + 1}, "arrival",
                (r.from ? "to " : "from ") + lettered("process", process_) + ": " + r.call->name, nullptr,
                nlohmann::ordered_json::object({{"bytes", r.bytes}}));
    const oshtrace::arrow_end origin{s.process, s.track, r.from ? oshtrace::within(s) : s.began};
    const oshtrace::arrow_end target{r.peer, arrivals, moment};
    events_.arrow_begins(id, r.from ? "get" : "put", r.from ? target : origin);
    events_.arrow_arrives(id, r.from ? "get" : "put", r.from ? origin : target);
  }

  chrome_events events_;
  int process_;
  symbols& names_;
};

nlohmann::json timeline::write(const std::string& folder, const std::string& interface, int process, symbols& names) {
  if (most_ == 0) return nullptr;
  char host[64] = "";
  gethostname(host, sizeof host - 1);
  const std::string path = folder + "/" + interface + "-" + std::to_string(process) + ".events";
  std::FILE* const file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return nullptr;
  writer events(file, process, names);
  events.name_tracks(records_, host);
  std::uint64_t number = 0;
  for (const record& r : records_) events.call(r, number++);
  std::ranges::sort(messages_, {}, &message::order);
  std::map<std::tuple<int, std::uint64_t, bool>, std::uint64_t> counted;
  for (const message& m : messages_)
    if (!m.in || m.order < first_unkept_) events.arrow(m, counted[{m.process, m.envelope, m.in}]++);
  std::fclose(file);
  return {{"host", host}, {"clock", clock_of_day()}, {"calls", records_.size()}, {"missing", missing_}};
}

}  // namespace oshprof
