#include "transport/transports.hpp"

#include <cstring>
#include <utility>

#include "base/settings.hpp"
#include "oshinfo/sections.hpp"

namespace oshinfo {
namespace {

using namespace oshen::transport;

void add_offer(void* to, const char* what, const char* why_not) {
  json row = {{"what", what}};
  if (why_not != nullptr) row["reason"] = why_not;
  json& all = *static_cast<json*>(to);
  for (const json& one : all)
    if (one["what"] == row["what"]) return;  // libfabric lists a provider once for each set of attributes
  all.push_back(std::move(row));
}

json row_of(const transport& one, const char* options) {
  char why[256] = "";
  json row = {{"name", one.name}, {"about", one.title}, {"usable", one.available(options, why, sizeof why)}};
  if (!row["usable"].get<bool>()) row["reason"] = why;
  if (one.offers != nullptr) {
    row["offers"] = json::array();
    one.offers(options, add_offer, &row["offers"]);
  }
  return row;
}

}  // namespace

json transports() {
  json rows = json::array({{{"name", "shm"},
                            {"about", "PEs of one node: all memory in one memfd, mapped by every PE"},
                            {"atomics", "of the CPU"},
                            {"usable", true}}});
  const char* wish = oshen::setting_text("OSHEN_TRANSPORT");
  const char* options = "";
  const transport* wanted = wish == nullptr || std::strcmp(wish, "auto") == 0 ? nullptr : find(wish, options);
  int best_score = -1;
  std::size_t best = 0;  // rows[0] is shared memory
  for (const transport* const* one = oshen::transport::transports; *one != nullptr; ++one) {
    const bool ends_here = std::strcmp((*one)->name, "loop") == 0;  // reaches PEs of this machine only
    json row = row_of(**one, *one == wanted ? options : "");
    const bool may_be = wanted != nullptr                                   ? *one == wanted
                        : wish == nullptr || std::strcmp(wish, "auto") == 0 ? !ends_here
                                                                            : false;
    row["taken"] = false;
    const int score = one[0]->rank != nullptr ? one[0]->rank(*one == wanted ? options : "", 1).score : 0;
    if (may_be && row["usable"].get<bool>() && score > best_score) {
      best_score = score;
      best = rows.size();
    }
    rows.push_back(std::move(row));
  }
  if (best != 0) rows[best]["taken"] = true;
  return rows;
}

}  // namespace oshinfo
