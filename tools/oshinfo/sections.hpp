// The sections of oshinfo's output. Each is gathered once, as JSON, from which the text is made.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

namespace oshinfo {

using json = nlohmann::ordered_json;  // keeps the order of the members

// {name, version, openshmem, compiler}
json library();

// [{name, alias, type, default, about, value}]. `value` is null if the setting is not set.
json settings();

// [{name, about, atomics, usable, reason, taken, offers[{what, reason}]}]
//
// The transports, that of this node first. `taken` marks the one that a job over several hosts would use if it started
// here. `offers` are the alternatives within a transport, the chosen one first.
json transports();

// [{name, about}]: the ways to start a job.
json starters();

// {ways[{name, about, usable, reason, pe, n_pes, node}], taken, refusal}
//
// The ways in which this process could become a PE. Every way is tried, so that under a launcher its session is opened.
json boot_ways();

// {kernel, cpus{...}, memory{...}, features{...}}
json machine();

// {n_pes, cpu_for_each, tuning_file, cost_parameters{}, collectives[{collective, setting,
//   algorithms[{name, design, about, needs, steps, traffic, paper, sizes{from, to}}],
//   chosen[{from, to, name, why, source}]}]}
//
// `chosen` has the algorithm for each range of message sizes (bytes of one PE) in a team of `n_pes` PEs of this
// machine. `why` and `source` give the origin of the choice: a setting, a line of the tuning file, or the model. The
// result is null if a setting or the tuning file cannot be used; a line on stderr then says so.
json selection(int n_pes);

std::string as_text(const json& all, bool with_algorithms, bool with_choices);
// The teams and sizes for which the cost model takes a row; "" if there are none.
std::string taken_by_model(const std::string& collective, const std::string& name);
// The page docs/algorithms.md, and the page of one collective in docs/algorithms; "" if there is no such collective.
std::string overview_page(const json& collectives);
std::string collective_page(const json& collectives, const std::string& name);

// Divides lines that are longer than a terminal between words. The rest is indented by four columns more.
std::string wrapped(const std::string& text, std::size_t columns);
// The width of the terminal that stdout is; 0 if it is none.
std::size_t terminal_columns();

// The parts of the text that collectives_text.cpp makes.
void print_choices(std::ostream& out, const json& all);
void print_algorithms(std::ostream& out, const json& collectives);
std::string bytes_text(std::uint64_t bytes);

}  // namespace oshinfo
