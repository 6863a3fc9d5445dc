// Why plans were left to LAMMPS.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace oshen::lammps {

class reasons {
 public:
  // Counts one plan. True when nobody has given this reason before: then it is worth a line.
  bool add(const std::string& why);
  // "too little memory (3); it scales by 0.125 (1)": for the banner and the report.
  std::string text() const;

 private:
  std::map<std::string, std::size_t> plans_;
};

}  // namespace oshen::lammps
