// What oshinfo knows, by section. Each is gathered once, as JSON; the text is made from that.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

namespace oshinfo {

using json = nlohmann::ordered_json;  // in the order in which people read it

json library();   // {name, version, openshmem, compiler}
json settings();  // [{name, alias, type, default, about, value}]; value: null when not set
// [{name, about, atomics, usable, reason, taken, offers[{what, reason}]}]: how PEs are reached, those of this node
// first; taken: by a job over several hosts that starts here; offers: what a transport chooses between, the chosen one
// first.
json transports();
json starters();  // [{name, about}]: the ways to start a job
// {ways[{name, about, usable, reason, pe, n_pes, node}], taken, refusal}: how this process would become a PE; every way
// is tried, so under a launcher its session is opened.
json boot_ways();
json machine();  // {kernel, cpus{...}, memory{...}, features{...}}
// {n_pes, cpu_for_each, tuning_file, cost_parameters{}, collectives[{collective, setting,
// algorithms[{name, design, about, needs, steps, traffic, paper, sizes{from, to}}],
// chosen[{from, to, name, why, source}]}]}: who runs for which message sizes (bytes of one PE) when a
// team has `n_pes` PEs of this machine, and who said so: a setting, a line of the tuning file, or the
// model. Null when a setting or the tuning file cannot be used (a line is on stderr then).
json selection(int n_pes);

std::string as_text(const json& all, bool with_algorithms, bool with_choices);
// For which teams and sizes the cost model takes a row; "" for none.
std::string taken_by_model(const std::string& collective, const std::string& name);
std::string as_markdown(const json& collectives);  // the page docs/algorithms.md

// The parts of the text that collectives_text.cpp makes.
void print_choices(std::ostream& out, const json& all);
void print_algorithms(std::ostream& out, const json& collectives);
std::string bytes_text(std::uint64_t bytes);

}  // namespace oshinfo
