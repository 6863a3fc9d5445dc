#include "ledger.hpp"

#include <cstdlib>
#include <ctime>
#include <fstream>

#include <nlohmann/json.hpp>

namespace oshprof {
namespace {

using nlohmann::json;

constexpr const char* kinds[] = {"send", "recv", "both", "wait", "coll", "rma", "sync", "other"};

json described(const function& f) { return {{"function", f.name}, {"file", f.file}, {"offset", f.offset}}; }

}  // namespace

void rounds::operation(std::uint64_t pattern, std::uint64_t size, std::uint64_t waits) {
  if (waits != last_wait) close();
  last_wait = waits;
  open_shape += oshprof_mix(pattern, size);  // the order within a round does not matter
  ++open_messages;
  bytes += size;
}

void rounds::close() {
  if (open_messages == 0) return;
  ++count;
  messages += open_messages;
  constexpr std::size_t enough = 100000;  // a function with that many shapes repeats nothing
  if (shapes.size() < enough) shapes.insert(open_shape);
  open_shape = open_messages = 0;
}

void ledger::start(const char* interface, int process, int processes) {
  const std::lock_guard hold(mutex_);
  ++open_;
  if (began_ != 0) return;
  interface_ = interface;
  process_ = process;
  processes_ = processes;
  began_ = oshprof_now();
}

const function& ledger::function_of(const void* caller) {
  const auto [at, fresh] = functions_.try_emplace(caller);
  if (fresh) at->second = symbols_.find(caller);
  return at->second;
}

void ledger::note(const oshprof_call& call, const void* caller, std::uint64_t nanoseconds, std::uint64_t bytes,
                  std::uint64_t pattern) {
  const std::lock_guard hold(mutex_);
  if (stopped_ || began_ == 0) return;
  totals& t = places_[{&call, caller}];
  ++t.calls;
  t.bytes += bytes;
  t.nanoseconds += nanoseconds;
  const bool moves = call.kind != oshprof_wait && call.kind != oshprof_sync && call.kind != oshprof_other;
  if (moves) ++t.messages;
  if (call.kind == oshprof_wait || call.kind == oshprof_sync) ++waits_;
  if (moves)
    exchanges_[function_of(caller).start].operation(oshprof_mix(reinterpret_cast<std::uintptr_t>(&call), pattern), bytes,
                                              waits_);
}

void ledger::stop() {
  const std::lock_guard hold(mutex_);
  if (stopped_ || began_ == 0 || --open_ > 0) return;
  stopped_ = true;
  const char* folder = std::getenv("OSHPROF_DIR");
  if (folder == nullptr) return;
  json calls = json::array(), again = json::array();
  for (const auto& [place, t] : places_) {
    json one = described(function_of(place.caller));
    one.update({{"call", place.call->name}, {"kind", kinds[place.call->kind]}, {"calls", t.calls},
                {"messages", t.messages}, {"bytes", t.bytes}, {"seconds", 1e-9 * static_cast<double>(t.nanoseconds)}});
    calls.push_back(one);
  }
  for (auto& [start, r] : exchanges_) {
    r.close();
    json one = described(symbols_.find(start));
    one.update({{"rounds", r.count}, {"shapes", r.shapes.size()}, {"messages", r.messages}, {"bytes", r.bytes}});
    again.push_back(one);
  }
  const json all{{"interface", interface_}, {"process", process_}, {"processes", processes_},
                 {"seconds", 1e-9 * static_cast<double>(oshprof_now() - began_)},
                 {"calls", calls}, {"exchanges", again}};
  std::ofstream(std::string(folder) + "/" + interface_ + "-" + std::to_string(process_) + ".json") << all << '\n';
}

namespace {
// Never destroyed: calls may come from other libraries' exit handlers.
ledger& book() {
  static ledger* one = new ledger;
  return *one;
}
}  // namespace

}  // namespace oshprof

extern "C" {

uint64_t oshprof_now(void) {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000000000u + static_cast<uint64_t>(t.tv_nsec);
}

void oshprof_note(const oshprof_call* call, const void* caller, uint64_t began, uint64_t bytes, uint64_t pattern) {
  oshprof::book().note(*call, caller, oshprof_now() - began, bytes, pattern);
}

void oshprof_start(const char* interface, int process, int processes) {
  oshprof::book().start(interface, process, processes);
}

void oshprof_stop(void) { oshprof::book().stop(); }

}
