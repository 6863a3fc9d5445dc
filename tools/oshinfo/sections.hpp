// What oshinfo knows, by section. Each is gathered once, as JSON; the text is made from that.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace oshinfo {

using json = nlohmann::ordered_json;  // in the order in which people read it

json library();     // {name, version, openshmem, compiler}
json settings();    // [{name, alias, type, default, about, value}]; value: null when not set
json transports();  // [{name, about, atomics}]
json starters();    // [{name, about}]: the ways to start a job
json machine();     // {kernel, cpus{...}, memory{...}, features{...}}
// [{collective, setting, algorithms[{name, design, about, needs}], chosen[{from, to, name}]}]:
// `chosen` says who runs for which message sizes (bytes of one PE) when a team has `n_pes` PEs of
// this machine. Null when OSHEN_COLL_... names an algorithm that does not exist (a line is on
// stderr then).
json collectives(int n_pes);

std::string as_text(const json& all);

}  // namespace oshinfo
