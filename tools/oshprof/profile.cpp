#include "profile.hpp"

#include <cstdlib>
#include <ctime>
#include <fstream>

#include <nlohmann/json.hpp>

namespace oshprof {
namespace {

using nlohmann::json;

constexpr const char* kinds[] = {"send", "recv", "both", "wait", "coll", "reduce", "rma", "sync", "other"};

json as_json(const function& f) { return {{"function", f.name}, {"file", f.file}, {"offset", f.offset}}; }

json as_json(const std::map<int, flow>& flows) {
  json rows = json::array();
  for (const auto& [process, f] : flows) rows.push_back({process, f.messages, f.bytes});
  return rows;
}

bool is_wait(const oshprof_call& call) { return call.kind == oshprof_wait || call.kind == oshprof_sync; }

}  // namespace

void rounds::operation(const oshprof_traffic& moved, std::uint64_t waits) {
  if (waits != last_wait) close();
  last_wait = waits;
  open_shape += moved.pattern;  // the order within a round does not matter
  ++open_operations;
  messages += moved.sent_messages +
              (moved.sent_messages == 0 ? moved.got_messages : 0);  // messages sent or put; for gets, those received
  bytes += moved.sent_messages == 0 && moved.sent_bytes == 0 ? moved.got_bytes : moved.sent_bytes;
}

void rounds::close() {
  if (open_operations == 0) return;
  ++count;
  constexpr std::size_t enough = 100000;  // a function with this many shapes is not repetitive
  if (shapes.size() < enough) shapes.insert(open_shape);
  open_shape = open_operations = 0;
}

void profile::start(const char* interface, int process, int processes) {
  const std::lock_guard hold(mutex_);
  ++open_;
  if (began_ != 0) return;
  interface_ = interface;
  process_ = process;
  processes_ = processes;
  const char* const calls = std::getenv("OSHPROF_TIMELINE");
  const unsigned long long most = calls != nullptr ? std::strtoull(calls, nullptr, 10) : 0;
  timeline_.keep(most);
  oshprof_draws_timeline = most != 0;
  began_ = oshprof_now();
}

const function& profile::function_of(const void* caller) {
  const auto [at, fresh] = functions_.try_emplace(caller);
  if (fresh) at->second = symbols_.find(caller);
  return at->second;
}

void profile::add_flow(const oshprof_traffic& moved) {
  if (moved.peer < 0) return;
  flow& one = moved.sent_messages != 0 ? sent_to_[moved.peer] : got_from_[moved.peer];
  one.messages += moved.sent_messages != 0 ? moved.sent_messages : moved.got_messages;
  one.bytes += moved.sent_messages != 0 ? moved.sent_bytes : moved.got_bytes;
}

void profile::add_call(const oshprof_call& call, const oshprof_visit& visit, std::uint64_t ended,
                       const oshprof_traffic& moved) {
  const std::lock_guard hold(mutex_);
  if (stopped_ || began_ == 0) return;
  const void* const caller = visit.caller;
  totals& t = call_sites_[{&call, caller}];
  ++t.calls;
  t.sent_messages += moved.sent_messages;
  t.sent_bytes += moved.sent_bytes;
  t.got_messages += moved.got_messages;
  t.got_bytes += moved.got_bytes;
  t.nanoseconds += ended - visit.began;
  add_flow(moved);
  timeline_.add_call(call, caller, visit.began, ended, moved);
  if (is_wait(call)) ++waits_;
  if (is_wait(call) || call.kind == oshprof_other) return;
  oshprof_traffic shaped = moved;
  shaped.pattern = oshprof_mix(reinterpret_cast<std::uintptr_t>(&call), moved.pattern);
  if (call.kind == oshprof_recv) shaped.got_messages = shaped.got_bytes = 0;  // counted where it is sent
  const void* const function = function_of(caller).start;
  if (call.kind != oshprof_reduce) return exchanges_[function].operation(shaped, waits_);
  reductions_[function].operation(shaped, waits_);
  reductions_[function].close();
}

void profile::request_posted(std::uint64_t request, const oshprof_call& call, const void* caller,
                             const oshprof_traffic& moved, bool persistent) {
  const std::lock_guard hold(mutex_);
  requests_[request] = {{&call, caller}, moved, persistent, moved.sent_messages != 0};
}

// From now on, received data counts for the call that started the request. A message leaves when that call begins: the
// receiver may have it before the call returns.
oshprof_traffic profile::request_started(std::uint64_t request, const oshprof_call& call, const oshprof_visit& visit) {
  const std::lock_guard hold(mutex_);
  const auto at = requests_.find(request);
  if (at == requests_.end()) return {0, 0, 0, 0, 0, -1};
  at->second.at = {&call, visit.caller};
  oshprof_traffic moved = at->second.moved;
  if (began_ != 0 && !stopped_) add_flow(moved);
  if (at->second.to >= 0) timeline_.message_sent(visit.began, at->second.to, at->second.envelope);
  if (at->second.communicator != 0) at->second.order = timeline_.next_order();
  moved.peer = -1;
  return moved;
}

void profile::request_completed(std::uint64_t request, std::int64_t bytes) {
  const std::lock_guard hold(mutex_);
  const auto at = requests_.find(request);
  if (at == requests_.end()) return;
  if (!at->second.sends && bytes >= 0) {
    totals& t = call_sites_[at->second.at];
    ++t.got_messages;
    t.got_bytes += static_cast<std::uint64_t>(bytes);
  }
  if (!at->second.persistent) requests_.erase(at);
}

void profile::request_freed(std::uint64_t request) {
  const std::lock_guard hold(mutex_);
  requests_.erase(request);
}

void profile::message_sent(std::uint64_t time, int process, std::uint64_t envelope) {
  const std::lock_guard hold(mutex_);
  timeline_.message_sent(time, process, envelope);
}

void profile::message_received(int process, std::uint64_t envelope, std::uint64_t order) {
  const std::lock_guard hold(mutex_);
  timeline_.message_received(oshprof_now(), process, envelope, order);
}

void profile::request_sends_to(std::uint64_t request, int process, std::uint64_t envelope) {
  const std::lock_guard hold(mutex_);
  if (const auto at = requests_.find(request); at != requests_.end()) {
    at->second.to = process;
    at->second.envelope = envelope;
  }
}

void profile::request_receives_from(std::uint64_t request, std::uint64_t communicator) {
  const std::lock_guard hold(mutex_);
  if (const auto at = requests_.find(request); at != requests_.end()) {
    at->second.communicator = communicator;
    at->second.order = timeline_.next_order();
  }
}

void profile::communicator_freed(std::uint64_t communicator) {
  const std::lock_guard hold(mutex_);
  for (auto& [request, one] : requests_)
    if (one.communicator == communicator) one.communicator = 0;
}

std::pair<std::uint64_t, std::uint64_t> profile::request_origin(std::uint64_t request) {
  const std::lock_guard hold(mutex_);
  const auto at = requests_.find(request);
  if (at == requests_.end()) return {0, 0};
  return {at->second.communicator, at->second.order};
}

json profile::as_json(std::unordered_map<const void*, rounds>& by_function) {
  json rows = json::array();
  for (auto& [start, r] : by_function) {
    r.close();
    json one = oshprof::as_json(symbols_.find(start));
    one.update({{"rounds", r.count}, {"shapes", r.shapes.size()}, {"messages", r.messages}, {"bytes", r.bytes}});
    rows.push_back(one);
  }
  return rows;
}

json profile::calls_to_json() {
  json calls = json::array();
  for (const auto& [call_site, t] : call_sites_) {
    json one = oshprof::as_json(function_of(call_site.caller));
    one.update({{"call", call_site.call->name},
                {"kind", kinds[call_site.call->kind]},
                {"calls", t.calls},
                {"messages", t.sent_messages},
                {"bytes", t.sent_bytes},
                {"got_messages", t.got_messages},
                {"got_bytes", t.got_bytes},
                {"seconds", 1e-9 * static_cast<double>(t.nanoseconds)}});
    calls.push_back(one);
  }
  return calls;
}

void profile::stop() {
  const std::lock_guard hold(mutex_);
  if (stopped_ || began_ == 0 || --open_ > 0) return;
  stopped_ = true;
  const double seconds = 1e-9 * static_cast<double>(oshprof_now() - began_);
  const char* folder = std::getenv("OSHPROF_DIR");
  if (folder == nullptr) return;
  const json all{{"interface", interface_},
                 {"process", process_},
                 {"processes", processes_},
                 {"seconds", seconds},
                 {"calls", calls_to_json()},
                 {"exchanges", as_json(exchanges_)},
                 {"reductions", as_json(reductions_)},
                 {"sent_to", oshprof::as_json(sent_to_)},
                 {"got_from", oshprof::as_json(got_from_)},
                 {"timeline", timeline_.write(folder, interface_, process_, symbols_)}};
  std::ofstream(std::string(folder) + "/" + interface_ + "-" + std::to_string(process_) + ".json") << all << '\n';
}

namespace {
thread_local const void* caller_instead = nullptr;
thread_local int depth = 0;

// Never destroyed: exit handlers of other libraries may make calls.
profile& the_profile() {
  static profile* one = new profile;
  return *one;
}
}  // namespace

}  // namespace oshprof

extern "C" {

int oshprof_draws_timeline = 0;

uint64_t oshprof_now(void) {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000000000u + static_cast<uint64_t>(t.tv_nsec);
}

oshprof_visit oshprof_enter(const void* caller) {
  return {oshprof::caller_instead != nullptr ? oshprof::caller_instead : caller, oshprof_now(), ++oshprof::depth == 1};
}

void oshprof_leave(const oshprof_visit* visit, const oshprof_call* call, oshprof_traffic traffic) {
  --oshprof::depth;
  if (visit->outermost) oshprof::the_profile().add_call(*call, *visit, oshprof_now(), traffic);
}

void oshprof_set_caller(const void* caller) { oshprof::caller_instead = caller; }

void oshprof_request_posted(uint64_t request, const oshprof_call* call, const void* caller, oshprof_traffic traffic,
                            int persistent) {
  oshprof::the_profile().request_posted(request, *call, caller, traffic, persistent != 0);
}

oshprof_traffic oshprof_request_started(uint64_t request, const oshprof_call* call, const oshprof_visit* visit) {
  return oshprof::the_profile().request_started(request, *call, *visit);
}

void oshprof_request_completed(uint64_t request, int64_t bytes) {
  oshprof::the_profile().request_completed(request, bytes);
}

void oshprof_request_freed(uint64_t request) { oshprof::the_profile().request_freed(request); }

void oshprof_message_sent(uint64_t time, int process, uint64_t envelope) {
  oshprof::the_profile().message_sent(time, process, envelope);
}

void oshprof_message_received(int process, uint64_t envelope, uint64_t order) {
  oshprof::the_profile().message_received(process, envelope, order);
}

void oshprof_request_sends_to(uint64_t request, int process, uint64_t envelope) {
  oshprof::the_profile().request_sends_to(request, process, envelope);
}

void oshprof_request_receives_from(uint64_t request, uint64_t communicator) {
  oshprof::the_profile().request_receives_from(request, communicator);
}

void oshprof_communicator_freed(uint64_t communicator) { oshprof::the_profile().communicator_freed(communicator); }

uint64_t oshprof_request_origin(uint64_t request, uint64_t* order) {
  const auto [communicator, request_posted] = oshprof::the_profile().request_origin(request);
  *order = request_posted;
  return communicator;
}

void oshprof_start(const char* interface, int process, int processes) {
  oshprof::the_profile().start(interface, process, processes);
}

void oshprof_stop(void) { oshprof::the_profile().stop(); }
}
