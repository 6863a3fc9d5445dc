#include "bootstrap/find.hpp"

#include "oshinfo/sections.hpp"

namespace oshinfo {

json boot_ways() {
  oshen::bootstrap::detection seen;
  oshen::bootstrap::detect(seen, true);
  json rows = json::array();
  for (const auto& method : seen.methods) {
    json row = {{"name", method.name}, {"about", method.about}, {"usable", method.usable}};
    if (method.usable && method.rank.n_pes > 0)
      row.update({{"pe", method.rank.pe}, {"n_pes", method.rank.n_pes}, {"node", method.rank.node}});
    if (!method.usable) row["reason"] = method.reason;
    rows.push_back(std::move(row));
  }
  json all = {{"ways", rows}, {"taken", nullptr}};
  if (seen.chosen_method >= 0)
    all["taken"] = seen.methods[seen.chosen_method].name;
  else
    all["refusal"] = seen.refusal;
  return all;
}

}  // namespace oshinfo
