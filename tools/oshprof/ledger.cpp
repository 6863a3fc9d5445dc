#include "ledger.hpp"

#include <cstdlib>
#include <ctime>
#include <fstream>

#include <nlohmann/json.hpp>

namespace oshprof {
namespace {

using nlohmann::json;

constexpr const char* kinds[] = {"send", "recv", "both", "wait", "coll", "reduce", "rma", "sync", "other"};

json described(const function& f) { return {{"function", f.name}, {"file", f.file}, {"offset", f.offset}}; }

json described(const std::map<int, flow>& flows) {
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
  messages += moved.sent_messages + (moved.sent_messages == 0 ? moved.got_messages : 0);  // puts, or gets
  bytes += moved.sent_messages == 0 && moved.sent_bytes == 0 ? moved.got_bytes : moved.sent_bytes;
}

void rounds::close() {
  if (open_operations == 0) return;
  ++count;
  constexpr std::size_t enough = 100000;  // a function with that many shapes repeats nothing
  if (shapes.size() < enough) shapes.insert(open_shape);
  open_shape = open_operations = 0;
}

void ledger::start(const char* interface, int process, int processes) {
  const std::lock_guard hold(mutex_);
  ++open_;
  if (began_ != 0) return;
  interface_ = interface;
  process_ = process;
  processes_ = processes;
  const char* const calls = std::getenv("OSHPROF_TIMELINE");
  const unsigned long long most = calls != nullptr ? std::strtoull(calls, nullptr, 10) : 0;
  timeline_.keep(most);
  oshprof_draws = most != 0;
  began_ = oshprof_now();
}

const function& ledger::function_of(const void* caller) {
  const auto [at, fresh] = functions_.try_emplace(caller);
  if (fresh) at->second = symbols_.find(caller);
  return at->second;
}

void ledger::move(const oshprof_traffic& moved) {
  if (moved.peer < 0) return;
  flow& one = moved.sent_messages != 0 ? sent_to_[moved.peer] : got_from_[moved.peer];
  one.messages += moved.sent_messages != 0 ? moved.sent_messages : moved.got_messages;
  one.bytes += moved.sent_messages != 0 ? moved.sent_bytes : moved.got_bytes;
}

void ledger::note(const oshprof_call& call, const oshprof_visit& visit, std::uint64_t ended,
                  const oshprof_traffic& moved) {
  const std::lock_guard hold(mutex_);
  if (stopped_ || began_ == 0) return;
  const void* const caller = visit.caller;
  totals& t = places_[{&call, caller}];
  ++t.calls;
  t.sent_messages += moved.sent_messages;
  t.sent_bytes += moved.sent_bytes;
  t.got_messages += moved.got_messages;
  t.got_bytes += moved.got_bytes;
  t.nanoseconds += ended - visit.began;
  move(moved);
  timeline_.note(call, caller, visit.began, ended, moved);
  if (is_wait(call)) ++waits_;
  if (is_wait(call) || call.kind == oshprof_other) return;
  oshprof_traffic shaped = moved;
  shaped.pattern = oshprof_mix(reinterpret_cast<std::uintptr_t>(&call), moved.pattern);
  if (call.kind == oshprof_recv) shaped.got_messages = shaped.got_bytes = 0;  // its sender moves it
  const void* const function = function_of(caller).start;
  if (call.kind != oshprof_reduce) return exchanges_[function].operation(shaped, waits_);
  reductions_[function].operation(shaped, waits_);
  reductions_[function].close();
}

void ledger::posted(std::uint64_t request, const oshprof_call& call, const void* caller, const oshprof_traffic& moved,
                    bool persistent) {
  const std::lock_guard hold(mutex_);
  requests_[request] = {{&call, caller}, moved, persistent, moved.sent_messages != 0};
}

// From now on what it brings is told to who has started it.
oshprof_traffic ledger::started(std::uint64_t request, const oshprof_call& call, const void* caller) {
  const std::lock_guard hold(mutex_);
  const auto at = requests_.find(request);
  if (at == requests_.end()) return {0, 0, 0, 0, 0, -1};
  at->second.at = {&call, caller};
  oshprof_traffic moved = at->second.moved;
  if (began_ != 0 && !stopped_) move(moved);
  if (at->second.to >= 0) timeline_.left(oshprof_now(), at->second.to, at->second.envelope);
  if (at->second.communicator != 0) at->second.order = timeline_.next_order();
  moved.peer = -1;
  return moved;
}

void ledger::over(std::uint64_t request, std::int64_t bytes) {
  const std::lock_guard hold(mutex_);
  const auto at = requests_.find(request);
  if (at == requests_.end()) return;
  if (!at->second.sends && bytes >= 0) {
    totals& t = places_[at->second.at];
    ++t.got_messages;
    t.got_bytes += static_cast<std::uint64_t>(bytes);
  }
  if (!at->second.persistent) requests_.erase(at);
}

void ledger::forgotten(std::uint64_t request) {
  const std::lock_guard hold(mutex_);
  requests_.erase(request);
}

void ledger::left(std::uint64_t time, int process, std::uint64_t envelope) {
  const std::lock_guard hold(mutex_);
  timeline_.left(time, process, envelope);
}

void ledger::came(int process, std::uint64_t envelope, std::uint64_t order) {
  const std::lock_guard hold(mutex_);
  timeline_.came(oshprof_now(), process, envelope, order);
}

void ledger::carries(std::uint64_t request, int process, std::uint64_t envelope) {
  const std::lock_guard hold(mutex_);
  if (const auto at = requests_.find(request); at != requests_.end()) {
    at->second.to = process;
    at->second.envelope = envelope;
  }
}

void ledger::expects(std::uint64_t request, std::uint64_t communicator) {
  const std::lock_guard hold(mutex_);
  if (const auto at = requests_.find(request); at != requests_.end()) {
    at->second.communicator = communicator;
    at->second.order = timeline_.next_order();
  }
}

void ledger::communicator_over(std::uint64_t communicator) {
  const std::lock_guard hold(mutex_);
  for (auto& [request, one] : requests_)
    if (one.communicator == communicator) one.communicator = 0;
}

std::pair<std::uint64_t, std::uint64_t> ledger::expected(std::uint64_t request) {
  const std::lock_guard hold(mutex_);
  const auto at = requests_.find(request);
  if (at == requests_.end()) return {0, 0};
  return {at->second.communicator, at->second.order};
}

json ledger::described(std::unordered_map<const void*, rounds>& by_function) {
  json rows = json::array();
  for (auto& [start, r] : by_function) {
    r.close();
    json one = oshprof::described(symbols_.find(start));
    one.update({{"rounds", r.count}, {"shapes", r.shapes.size()}, {"messages", r.messages}, {"bytes", r.bytes}});
    rows.push_back(one);
  }
  return rows;
}

json ledger::described_calls() {
  json calls = json::array();
  for (const auto& [place, t] : places_) {
    json one = oshprof::described(function_of(place.caller));
    one.update({{"call", place.call->name}, {"kind", kinds[place.call->kind]}, {"calls", t.calls},
                {"messages", t.sent_messages}, {"bytes", t.sent_bytes}, {"got_messages", t.got_messages},
                {"got_bytes", t.got_bytes}, {"seconds", 1e-9 * static_cast<double>(t.nanoseconds)}});
    calls.push_back(one);
  }
  return calls;
}

void ledger::stop() {
  const std::lock_guard hold(mutex_);
  if (stopped_ || began_ == 0 || --open_ > 0) return;
  stopped_ = true;
  const double seconds = 1e-9 * static_cast<double>(oshprof_now() - began_);
  const char* folder = std::getenv("OSHPROF_DIR");
  if (folder == nullptr) return;
  const json all{{"interface", interface_}, {"process", process_}, {"processes", processes_},
                 {"seconds", seconds}, {"calls", described_calls()},
                 {"exchanges", described(exchanges_)}, {"reductions", described(reductions_)},
                 {"sent_to", oshprof::described(sent_to_)}, {"got_from", oshprof::described(got_from_)},
                 {"timeline", timeline_.write(folder, interface_, process_, symbols_)}};
  std::ofstream(std::string(folder) + "/" + interface_ + "-" + std::to_string(process_) + ".json") << all << '\n';
}

namespace {
thread_local const void* caller_instead = nullptr;
thread_local int depth = 0;

// Never destroyed: calls may come from other libraries' exit handlers.
ledger& book() {
  static ledger* one = new ledger;
  return *one;
}
}  // namespace

}  // namespace oshprof

extern "C" {

int oshprof_draws = 0;

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
  if (visit->outermost) oshprof::book().note(*call, *visit, oshprof_now(), traffic);
}

void oshprof_on_behalf_of(const void* caller) { oshprof::caller_instead = caller; }

void oshprof_posted(uint64_t request, const oshprof_call* call, const void* caller, oshprof_traffic traffic,
                    int persistent) {
  oshprof::book().posted(request, *call, caller, traffic, persistent != 0);
}

oshprof_traffic oshprof_started(uint64_t request, const oshprof_call* call, const void* caller) {
  return oshprof::book().started(request, *call, caller);
}

void oshprof_over(uint64_t request, int64_t bytes) { oshprof::book().over(request, bytes); }

void oshprof_forgotten(uint64_t request) { oshprof::book().forgotten(request); }

void oshprof_left(uint64_t time, int process, uint64_t envelope) { oshprof::book().left(time, process, envelope); }

void oshprof_came(int process, uint64_t envelope, uint64_t order) { oshprof::book().came(process, envelope, order); }

void oshprof_carries(uint64_t request, int process, uint64_t envelope) {
  oshprof::book().carries(request, process, envelope);
}

void oshprof_expects(uint64_t request, uint64_t communicator) { oshprof::book().expects(request, communicator); }

void oshprof_communicator_over(uint64_t communicator) { oshprof::book().communicator_over(communicator); }

uint64_t oshprof_expected(uint64_t request, uint64_t* order) {
  const auto [communicator, posted] = oshprof::book().expected(request);
  *order = posted;
  return communicator;
}

void oshprof_start(const char* interface, int process, int processes) {
  oshprof::book().start(interface, process, processes);
}

void oshprof_stop(void) { oshprof::book().stop(); }

}
