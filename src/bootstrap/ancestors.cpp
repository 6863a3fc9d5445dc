#include "bootstrap/ancestors.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace oshen::bootstrap {
namespace {

constexpr int most_generations = 16;

// Processes that start the processes of a job. slurmstepd also runs batch scripts: see runs_a_step().
constexpr const char* launchers[] = {"oshrun", "hydra_pmi_proxy", "hydra_bstrap_pr", "prted",  "prterun",
                                     "orted",  "orterun",         "mpirun",          "mpiexec"};

// The file has "PID (name) state parent ...". The name may contain parentheses, so the last one ends it.
int parent_of(int pid, char (&name)[32]) {
  char path[32], text[512];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  FILE* file = fopen(path, "re");
  if (file == nullptr) return 0;
  const std::size_t read = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[read] = '\0';
  const char* open = strchr(text, '(');
  char* close = strrchr(text, ')');
  int parent = 0;
  if (open == nullptr || close == nullptr || sscanf(close + 1, " %*c %d", &parent) != 1) return 0;
  *close = '\0';
  snprintf(name, sizeof name, "%.31s", open + 1);
  return parent;
}

// True if the process is a slurmstepd that runs a step of srun: its title is "slurmstepd: [job.step]". In place of a
// number a batch script has "batch", and salloc's shell has "interactive".
bool runs_a_step(const ancestor& a) {
  char path[32], title[128] = "";
  snprintf(path, sizeof path, "/proc/%d/cmdline", a.pid);
  FILE* file = fopen(path, "re");
  if (file == nullptr) return false;
  const std::size_t read = fread(title, 1, sizeof title - 1, file);
  fclose(file);
  title[read] = '\0';
  unsigned job = 0, step = 0;
  return sscanf(title, "slurmstepd: [%u.%u", &job, &step) == 2;
}

bool starts_pes(const ancestor& a) {
  for (const char* name : launchers)
    if (strncmp(a.name, name, strlen(name)) == 0) return true;  // mpirun.openmpi too
  return strcmp(a.name, "slurmstepd") == 0 && runs_a_step(a);
}

bool find_in_maps(int pid, const char* part, char* path, std::size_t capacity) {
  char name[32], line[4600];
  snprintf(name, sizeof name, "/proc/%d/maps", pid);
  FILE* file = fopen(name, "re");
  if (file == nullptr) return false;
  bool found = false;
  while (!found && fgets(line, sizeof line, file) != nullptr) {
    const char* begin = strchr(line, '/');
    line[strcspn(line, "\n")] = '\0';
    found = begin != nullptr && strstr(begin, part) != nullptr && strlen(begin) < capacity;
    if (found) memcpy(path, begin, strlen(begin) + 1);
  }
  fclose(file);
  return found;
}

}  // namespace

ancestor launcher_above() {
  char own[32];
  int pid = parent_of(static_cast<int>(getpid()), own);
  for (int i = 0; i < most_generations && pid > 1; ++i) {
    ancestor a;
    a.pid = pid;
    pid = parent_of(pid, a.name);
    if (starts_pes(a)) return a;
  }
  return {};
}

bool library_of_ancestor(const char* part, char* path, std::size_t capacity) {
  char name[32];
  int pid = parent_of(static_cast<int>(getpid()), name);
  for (int i = 0; i < most_generations && pid > 1; ++i) {
    if (find_in_maps(pid, part, path, capacity)) return true;
    pid = parent_of(pid, name);
  }
  return false;
}

}  // namespace oshen::bootstrap
