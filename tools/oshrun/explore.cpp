#include "oshrun/explore.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include "oshrun/options.hpp"
#include "oshrun/posix.hpp"

namespace oshrun {
namespace {

constexpr int bad_usage = 2, cannot_execute = 126, not_found = 127;
constexpr int most_explored = 8;  // most_pes of tools/explore/entry.hpp

std::uint64_t read_number(const char* option, const std::string& text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < least || number > most)
    give_up(bad_usage, "%s %s: expected a number from %llu to %llu", option, text.c_str(),
            static_cast<unsigned long long>(least), static_cast<unsigned long long>(most));
  return number;
}

void set(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

// The program as execvp would find it.
std::filesystem::path find_program(const std::string& name) {
  std::error_code ignored;
  if (name.find('/') != name.npos) return name;
  const char* folders = std::getenv("PATH");
  for (std::string_view left = folders != nullptr ? folders : ""; !left.empty();) {
    const std::size_t end = std::min(left.find(':'), left.size());
    std::filesystem::path candidate = std::filesystem::path(left.substr(0, end)) / name;
    if (std::filesystem::is_regular_file(candidate, ignored)) return candidate;
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return {};
}

// A program that needs liboshen-explore has this name among its strings.
bool is_built_for_it(const std::filesystem::path& program) {
  std::ifstream file(program, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return bytes.starts_with("\177ELF") && bytes.find("liboshen-explore.so") != bytes.npos;
}

std::filesystem::path checked_program(const std::string& name) {
  std::error_code error;
  const std::filesystem::path program = find_program(name);
  if (program.empty()) give_up(not_found, "%s: not found in PATH", name.c_str());
  if (!std::filesystem::exists(program, error)) give_up(not_found, "%s: no such program", name.c_str());
  if (!is_built_for_it(program))
    give_up(bad_usage,
            "%s: not built for --explore, --record and --replay: expected a program compiled and linked by "
            "oshcc --explore",
            name.c_str());
  return program;
}

// A file as the user named it, unless the program runs in another folder.
std::string named(const options& asked, const std::string& file) {
  return asked.programs.front().directory.empty() ? file : std::filesystem::absolute(file).string();
}

void set_variables(const options& asked) {
  const explore_options& given = asked.explored;
  set("OSHEN_TEST_EXPLORE_PES", given.has_n ? std::to_string(asked.n_pes) : "recorded");
  if (given.orders)
    set("OSHEN_TEST_EXPLORE_ORDERS", std::to_string(read_number("--orders", *given.orders, 1, 1ULL << 62)));
  if (given.random)
    set("OSHEN_TEST_EXPLORE_SEED", std::to_string(read_number("--random", *given.random, 0, 1ULL << 62)));
  if (asked.timeout_seconds > 0) set("OSHEN_TEST_EXPLORE_TIME", std::to_string(asked.timeout_seconds));
  if (given.record) set("OSHEN_TEST_EXPLORE_RECORD", named(asked, *given.record));
  if (given.replay) set("OSHEN_TEST_EXPLORE_REPLAY", named(asked, *given.replay));
  if (given.trace) set("OSHEN_TEST_EXPLORE_TRACE", named(asked, *given.trace));
  if (given.pause)
    set("OSHEN_TEST_EXPLORE_PAUSE", std::to_string(read_number("--pause", *given.pause, 0, most_explored - 1)));
  if (given.only_records()) set("OSHEN_TEST_EXPLORE_ONE", "1");
  if (given.any_output) set("OSHEN_TEST_EXPLORE_ANY_OUTPUT", "1");
  if (given.races) set("OSHEN_TEST_EXPLORE_RACES", "1");
}

// Options that go with others only.
void check_companions(const explore_options& given) {
  const char* const needs_search = given.orders ? "--orders" : given.any_output ? "--any-output" : nullptr;
  const char* const needs_model = given.random ? "--random" : given.races ? "--races" : nullptr;
  if (given.explore && given.replay) give_up(bad_usage, "--explore and --replay: expected only one of them");
  if (given.record && given.replay) give_up(bad_usage, "--record and --replay: expected only one of them");
  if (!given.explore && needs_search != nullptr)
    give_up(bad_usage, "%s: expected --explore as well: other runs have no such option", needs_search);
  if (!given.explore && !given.record && needs_model != nullptr)
    give_up(bad_usage, "%s: expected --explore or --record as well: other runs have no such option", needs_model);
  if (!given.replay && given.pause) give_up(bad_usage, "--pause: expected --replay as well");
}

}  // namespace

void check_explore_options(const options& asked) {
  const explore_options& given = asked.explored;
  check_companions(given);
  if (!given.asked()) return;
  const char* const option = given.explore ? "--explore" : given.replay ? "--replay" : "--record";
  const char* other = given.others;
  if (asked.label) other = "--label";
  if (!asked.output_files.empty()) other = "--output-filename";
  if (!asked.hosts.empty()) other = "--hosts";
  if (!given.explore && asked.timeout_seconds > 0) other = "--timeout";
  if (other != nullptr) give_up(bad_usage, "%s: not available with %s", other, option);
  if (asked.programs.size() > 1) give_up(bad_usage, "%s: expected one program, without \":\"", option);
  if (given.explore && given.random && !given.orders && asked.timeout_seconds == 0)
    give_up(bad_usage, "--random: expected a bound as well: --orders or --timeout");
  if (!given.replay && !given.has_n)
    give_up(bad_usage, "%s: expected -n with a number of PEs from 1 to %d", option, most_explored);
  if (given.has_n && asked.n_pes > most_explored)
    give_up(bad_usage, "-n %d: expected a number from 1 to %d with %s", asked.n_pes, most_explored, option);
  if (given.replay && access(given.replay->c_str(), R_OK) != 0)
    give_up(bad_usage, "--replay %s: cannot read: %s", given.replay->c_str(), std::strerror(errno));
}

void run_exploration(const options& asked) {
  const program& prog = asked.programs.front();
  for (const std::string& one : prog.variables) {
    const std::size_t name = one.find('=');
    set(one.substr(0, name).c_str(), one.substr(name + 1));
  }
  set_variables(asked);
  if (!prog.directory.empty() && chdir(prog.directory.c_str()) != 0)
    give_up(bad_usage, "--wdir %s: %s", prog.directory.c_str(), std::strerror(errno));
  const std::string path = checked_program(prog.command.front());
  std::vector<char*> words;
  for (const std::string& word : prog.command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execv(path.c_str(), words.data());
  give_up(cannot_execute, "%s: %s", path.c_str(), std::strerror(errno));
}

}  // namespace oshrun
