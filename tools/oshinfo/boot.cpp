#include "boot/find.hpp"

#include "oshinfo/sections.hpp"

namespace oshinfo {

json boot_ways() {
  oshen::boot::outlook seen;
  oshen::boot::look_around(seen, true);
  json rows = json::array();
  for (const auto& way : seen.ways) {
    json row = {{"name", way.name}, {"about", way.about}, {"usable", way.usable}};
    if (way.usable && way.where.n_pes > 0)
      row.update({{"pe", way.where.pe}, {"n_pes", way.where.n_pes}, {"node", way.where.node}});
    if (!way.usable) row["reason"] = way.reason;
    rows.push_back(std::move(row));
  }
  json all = {{"ways", rows}, {"taken", nullptr}};
  if (seen.taken >= 0) all["taken"] = seen.ways[seen.taken].name;
  else all["refusal"] = seen.refusal;
  return all;
}

}  // namespace oshinfo
