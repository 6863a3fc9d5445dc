#include "oshrun/hosts.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <numeric>
#include <sstream>

#include "oshrun/options.hpp"
#include "oshrun/posix.hpp"

namespace oshrun {
namespace {

constexpr int bad_usage = 2;

// Only such names are passed to ssh and launchers.
bool is_name(const std::string& text) {
  return !text.empty() && text.front() != '-' && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_' || c == '@';
  });
}

int read_slots(const std::string& text, const std::string& entry, const std::string& where) {
  int slots = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, slots);
  if (error != std::errc() || stop != end || slots < 1 || slots > most_pes)
    give_up(bad_usage, "%s: %s: expected a number of PEs from 1 to %d, as in h1:4", where.c_str(), entry.c_str(),
            most_pes);
  return slots;
}

void add(std::vector<host>& all, const std::string& name, int slots, const std::string& where) {
  if (!is_name(name))
    give_up(bad_usage, "%s: \"%s\": expected a host name or address, as in h1:4,h2:4", where.c_str(), name.c_str());
  for (host& one : all) {
    if (one.name != name) continue;
    one.slots = std::max(one.slots, 1) + std::max(slots, 1);
    return;
  }
  all.push_back({name, slots});
}

}  // namespace

std::vector<host> read_hosts(const std::string& text, const char* option) {
  std::vector<host> all;
  const std::string where = std::string(option) + ' ' + text;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    const std::string one = text.substr(start, end - start);
    const std::size_t colon = one.find(':');
    add(all, one.substr(0, colon), colon == one.npos ? 0 : read_slots(one.substr(colon + 1), one, where), where);
    start = end + 1;
  }
  return all;
}

std::vector<host> read_hostfile(const std::string& path) {
  std::ifstream file(path);
  if (!file) give_up(bad_usage, "--hostfile %s: cannot read: %s", path.c_str(), std::strerror(errno));
  std::vector<host> all;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    const std::string where = "--hostfile " + path + ", line " + std::to_string(number);
    std::string name, more;
    if (!(words >> name)) continue;
    int slots = 0;
    if (const std::size_t colon = name.find(':'); colon != name.npos) {
      slots = read_slots(name.substr(colon + 1), name, where);
      name.resize(colon);
    }
    while (words >> more) {
      if (!more.starts_with("slots="))
        give_up(bad_usage, "%s: \"%s\": expected a host, optionally with slots=N", where.c_str(), more.c_str());
      slots = read_slots(more.substr(6), more, where);
    }
    add(all, name, slots, where);
  }
  if (all.empty()) give_up(bad_usage, "--hostfile %s: contains no host", path.c_str());
  return all;
}

int assign_pes(std::vector<host>& hosts, int n_pes) {
  const bool counted = std::ranges::any_of(hosts, [](const host& one) { return one.slots > 0; });
  const auto n_hosts = static_cast<int>(hosts.size());
  if (!counted && n_pes > 0)
    for (int i = 0; i < n_hosts; ++i)
      hosts[static_cast<std::size_t>(i)].slots = n_pes / n_hosts + (i < n_pes % n_hosts ? 1 : 0);
  else
    for (host& one : hosts) one.slots = std::max(one.slots, 1);
  const int slots =
      std::accumulate(hosts.begin(), hosts.end(), 0, [](int sum, const host& one) { return sum + one.slots; });
  if (n_pes == 0) n_pes = slots;
  if (n_pes > slots)
    give_up(bad_usage, "-n %d: the hosts have %d slots; set the slots of each host, as in --hosts h1:4,h2:4", n_pes,
            slots);
  for (int left = n_pes; host & one : hosts) {
    one.n_pes = std::min(one.slots, left);
    left -= one.n_pes;
  }
  std::erase_if(hosts, [](const host& one) { return one.n_pes == 0; });
  return n_pes;
}

bool is_here(const std::string& name) {
  char own[256] = "";
  gethostname(own, sizeof own - 1);
  return name == "localhost" || name == "127.0.0.1" || name == own;
}

std::string bare_name(const std::string& name) { return name.substr(name.find('@') + 1); }

}  // namespace oshrun
