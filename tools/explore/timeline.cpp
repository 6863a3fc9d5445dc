// A replayed order as a timeline for ui.perfetto.dev, in the form of oshrun --trace. A step takes one microsecond.
#include "timeline.hpp"

#include <cstdio>
#include <map>

namespace explore {
namespace {

constexpr int arrivals = 0;  // the track of each PE for operations that arrive; threads are 1, 2, ...

std::string quoted(const std::string& text) {
  std::string all = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') all += '\\';
    all += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return all + '"';
}

class writer {
 public:
  explicit writer(std::FILE* out) : out_(out) { std::fputs("{\"traceEvents\": [\n", out_); }
  void finish() { std::fputs("\n]}\n", out_); }

  void name_track(int pe, int track, const std::string& name) {
    const std::string named = "_name\", \"args\": {\"name\": ";
    line("\"ph\": \"M\", \"name\": \"process" + named + quoted("PE " + std::to_string(pe)) + '}', pe, track);
    line("\"ph\": \"M\", \"name\": \"thread" + named + quoted(name) + '}', pe, track);
  }
  void bar(int pe, int track, std::size_t begin, std::size_t end, const std::string& name, const std::string& place) {
    line("\"ph\": \"X\", \"ts\": " + std::to_string(begin) + ", \"dur\": " + std::to_string(end - begin) +
             ", \"name\": " + quoted(name) + ", \"args\": {\"place\": " + quoted(place) + '}',
         pe, track);
  }
  // `phase`: s where it begins, f where it ends.
  void arrow(char phase, std::size_t number, int pe, int track, std::size_t at) {
    line("\"ph\": \"" + std::string(1, phase) + "\", \"bp\": \"e\", \"cat\": \"arrival\", \"name\": \"arrival\"" +
             ", \"id\": " + std::to_string(number) + ", \"ts\": " + std::to_string(at),
         pe, track);
  }

 private:
  void line(const std::string& fields, int pe, int track) {
    std::fprintf(out_, "%s{\"pid\": %d, \"tid\": %d, %s}", is_first_ ? "" : ",\n", pe, track, fields.c_str());
    is_first_ = false;
  }
  std::FILE* out_;
  bool is_first_ = true;
};

int track_of(const actor& who) { return who.is_program() ? who.thread + 1 : arrivals; }

void write(writer& to, const account& order) {
  const narrator words(order);
  const std::vector<bool> shown = words.shown();
  std::map<actor, std::size_t> free;  // when the last step of each thread ended
  for (std::size_t i = 0; i < order.events.size(); ++i) {
    const event& e = order.events[i];
    const bool arrives = e.operation != event::none;
    const int pe = arrives ? order.operations[e.operation].pe : e.who.pe, track = track_of(e.who);
    // A step for which the scheduler waited begins with the wait.
    const std::size_t begin = arrives || !is_blocking(e.said.what) ? i : free[e.who];
    if (shown[i]) to.bar(pe, track, begin, i + 1, words.step(i), words.place(e.said.call.place));
    if (!arrives) free[e.who] = i + 1;
    if (!arrives) continue;
    to.arrow('s', e.operation, e.who.pe, e.who.thread + 1, order.operations[e.operation].started);
    to.arrow('f', e.operation, pe, track, i);
  }
  for (const stopped_program& one : order.stopped)
    if (one.call.place != nullptr)
      to.bar(one.who.pe, track_of(one.who), free[one.who], order.events.size() + 1, words.stop(one),
             words.place(one.call.place));
  for (const auto& [who, end] : free)
    to.name_track(who.pe, track_of(who), who.thread == 0 ? "program" : "thread " + std::to_string(who.thread));
  for (int pe = 0; pe < static_cast<int>(order.output.size()); ++pe) to.name_track(pe, arrivals, "arrivals");
}

}  // namespace

bool write_timeline(const std::string& file, const account& order) {
  std::FILE* const out = std::fopen(file.c_str(), "w");
  if (out == nullptr) return false;
  writer to(out);
  write(to, order);
  to.finish();
  const bool is_written = std::ferror(out) == 0;
  return std::fclose(out) == 0 && is_written;
}

}  // namespace explore
