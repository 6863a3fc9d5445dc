#include "oshrun/dialects.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>

#include "oshrun/hosts.hpp"
#include "oshrun/posix.hpp"

namespace oshrun {
namespace {

using words_t = std::vector<std::string>;

constexpr int bad_usage = 2;

// An option's values, as they stand; what takes their place.
using translator = words_t (*)(const words_t& values);

struct row {
  std::string_view name;  // without dashes: one and two are the same
  std::size_t n_values;
  translator ours;      // null: refused
  const char* instead;  // for the line
};

words_t nothing(const words_t&) { return {}; }
words_t label(const words_t&) { return {"--label"}; }
words_t verbose(const words_t&) { return {"--verbose"}; }
words_t number(const words_t& v) { return {"--np", v[0]}; }
words_t directory(const words_t& v) { return {"--wdir", v[0]}; }
words_t output(const words_t& v) { return {"--output-filename", v[0]}; }
words_t variable(const words_t& v) { return {"-x", v[0] + '=' + v[1]}; }
words_t variable_of_all(const words_t& v) { return {"--genv", v[0] + '=' + v[1]}; }

words_t bind_to(const words_t& v) {
  if (v[0] == "none" || v[0] == "core") return {"--bind", v[0]};
  give_up(bad_usage, "--bind-to %s: expected none or core; ours is --bind auto, core or none",
          v[0].c_str());
}

words_t map_by(const words_t& v) {
  if (v[0] == "core" || v[0] == "slot") return {};
  give_up(bad_usage, "--map-by %s: PEs go to neighbouring cores in order (core, slot); ours is "
          "--bind auto, core or none", v[0].c_str());
}

words_t hostfile(const words_t& v) { return {"--hostfile", v[0]}; }
words_t per_host(const words_t& v) { return {"--per-host", v[0]}; }

// "localhost:2,localhost" is a wish for three PEs, unless -n says otherwise later.
words_t hosts(const words_t& v) {
  int slots = 0;
  bool counted = false;
  for (std::size_t start = 0; start <= v[0].size();) {
    const std::size_t end = std::min(v[0].find(',', start), v[0].size());
    const std::string one = v[0].substr(start, end - start);
    const std::string host = one.substr(0, one.find(':'));
    if (!is_here(host)) return {"--hosts", v[0]};
    counted = counted || one != host;
    slots += one == host ? 1 : std::atoi(one.c_str() + host.size() + 1);
    start = end + 1;
  }
  if (!counted) return {};
  return {"--slots", std::to_string(slots)};
}

// Open MPI's names, then Hydra's (MPICH, Intel MPI), then srun's.
constexpr row table[] = {
    {"np", 1, number, ""},
    {"c", 1, number, ""},
    {"wd", 1, directory, ""},
    {"wdir", 1, directory, ""},
    {"tag-output", 0, label, ""},
    {"output-filename", 1, output, ""},
    {"report-bindings", 0, verbose, ""},
    {"oversubscribe", 0, nothing, ""},
    {"allow-run-as-root", 0, nothing, ""},
    {"bind-to", 1, bind_to, ""},
    {"map-by", 1, map_by, ""},
    {"host", 1, hosts, ""},
    {"H", 1, hosts, ""},
    {"nooversubscribe", 0, nullptr, "there is no such limit; give -n the PEs that you want"},
    {"hosts", 1, hosts, ""},
    {"hostfile", 1, hostfile, ""},
    {"machinefile", 1, hostfile, ""},
    {"npernode", 1, per_host, ""},
    {"N", 1, per_host, ""},
    {"mca", 2, nullptr, "a setting of Open MPI; ours are environment variables (SHMEM_INFO=1 lists them)"},
    {"genv", 2, variable_of_all, ""},
    {"env", 2, variable, ""},
    {"genvall", 0, nothing, ""},
    {"envall", 0, nothing, ""},
    {"genvnone", 0, nullptr, "PEs have oshrun's own environment; env -i oshrun ... empties it"},
    {"envnone", 0, nullptr, "PEs have oshrun's own environment; env -i oshrun ... empties it"},
    {"genvlist", 1, nullptr, "PEs have all of oshrun's own environment; leave it out"},
    {"envlist", 1, nullptr, "PEs have all of oshrun's own environment; leave it out"},
    {"prepend-rank", 0, label, ""},
    {"ppn", 1, per_host, ""},
    {"perhost", 1, per_host, ""},
    {"f", 1, hostfile, ""},
    {"outfile-pattern", 1, nullptr, "ours is --output-filename PREFIX"},
    {"errfile-pattern", 1, nullptr, "ours is --output-filename PREFIX"},
    {"ntasks", 1, number, ""},
};

const row* find(std::string_view option) {
  option.remove_prefix(option.starts_with("--") ? 2 : 1);
  for (const row& one : table)
    if (one.name == option) return &one;
  return nullptr;
}

// "-np4", "--bind-to=core"; false when the word is not two in one.
bool split(std::string& word, std::string& value) {
  if (word.starts_with("-np") && word.size() > 3 &&
      std::isdigit(static_cast<unsigned char>(word[3])) != 0) {
    value = word.substr(3);
    word = "-np";
    return true;
  }
  const std::size_t equals = word.find('=');
  if (equals == word.npos) return false;
  const row* known = find(word.substr(0, equals));
  if (known == nullptr || known->n_values != 1) return false;
  value = word.substr(equals + 1);
  word.resize(equals);
  return true;
}

}  // namespace

words_t in_our_words(const words_t& words, const std::function<bool(const std::string&)>& takes_value) {
  words_t out;
  std::size_t i = 0;
  while (i < words.size() && words[i].starts_with('-') && words[i] != "--") {
    std::string word = words[i++], value;
    words_t values;
    if (split(word, value)) values.push_back(value);
    const row* known = find(word);
    if (known == nullptr) {
      const bool with_value = takes_value(word) && i < words.size();
      out.push_back(word);
      if (with_value) out.push_back(words[i++]);
      continue;
    }
    if (known->ours == nullptr) give_up(bad_usage, "%s: %s", word.c_str(), known->instead);
    while (values.size() < known->n_values && i < words.size()) values.push_back(words[i++]);
    if (values.size() < known->n_values)
      give_up(bad_usage, "%s: expected %zu more word%s", word.c_str(),
              known->n_values - values.size(), known->n_values - values.size() == 1 ? "" : "s");
    for (std::string& one : known->ours(values)) out.push_back(std::move(one));
  }
  out.insert(out.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
  return out;
}

}  // namespace oshrun
