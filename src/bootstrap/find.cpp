#include "bootstrap/find.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.hpp"
#include "base/settings.hpp"
#include "bootstrap/ancestors.hpp"
#include "bootstrap/hub_client.hpp"
#include "bootstrap/job_page.hpp"
#include "bootstrap/launcher_signs.hpp"
#include "bootstrap/mpi_in_process.hpp"
#include "bootstrap/open_managers.hpp"
#include "bootstrap/oshrun.hpp"
#include "bootstrap/pmi1.hpp"
#include "bootstrap/pmix.hpp"
#include "bootstrap/single.hpp"
#include "bootstrap/text.hpp"
#include "bootstrap/variables.hpp"

namespace oshen::bootstrap {
namespace {

// Launchers and managers outlive an initialisation, so one object of each kind serves all of them.
constinit single single_launcher;
constinit oshrun oshrun_launcher;
constinit hub_client hub_launcher;
constinit pmi1 pmi1_manager;
constinit pmix pmix_manager;
constinit variables variables_manager;

// The value of OSHEN_BOOT; null if the library chooses.
const char* requested_method() {
  const char* text = setting_text("OSHEN_BOOT");
  return text == nullptr || *text == '\0' || strcmp(text, "auto") == 0 ? nullptr : text;
}

// srun allows one PMI session for each process, and an MPI that is initialised later needs it.
bool mpi_needs_the_session(char (&reason)[reason_bytes]) {
  if (!mpi_is_loaded() || mpi_is_initialised() || getenv("SLURM_STEP_ID") == nullptr) return false;
  snprintf(reason, sizeof reason,
           "srun has one session for each process, and the MPI of this program needs it; call MPI_Init before "
           "shmem_init, or shmemx_init_mpi() of oshen/mpi.h, or set OSHEN_JOB_SECRET");
  return true;
}

// The libpmix of Open MPI 5 frees memory twice if it is opened again after its end, and MPI_Init fails while a session
// of ours is open.
bool open_mpi_must_be_first(char (&reason)[reason_bytes]) {
  if (mpi_is_initialised() || open_mpi_version() < 5 || requested_method() != nullptr) return false;
  snprintf(reason, sizeof reason,
           "Open MPI 5 must be initialised first; call MPI_Init before shmem_init, or shmemx_init_mpi() of "
           "oshen/mpi.h; if the program never initialises it, set OSHEN_BOOT=pmix");
  return true;
}

bool try_oshrun(launch_method& m) {
  int fd = -1;
  if (getenv(job_fd_variable) == nullptr) {
    snprintf(m.reason, sizeof m.reason, "%s is not set", job_fd_variable);
    return false;
  }
  m.detected = true;
  if (!whole_number(getenv(job_fd_variable), fd) || fcntl(fd, F_GETFD) < 0) {
    snprintf(m.reason, sizeof m.reason, "%s = %s is not open here", job_fd_variable, getenv(job_fd_variable));
    return false;
  }
  m.rank.n_pes = pes_of_page(fd);  // join() checks the page, and reports what is wrong
  whole_number(getenv(pe_variable), m.rank.pe);
  return true;
}

bool try_pmi1(launch_method& m) {
  if (getenv("PMI_FD") == nullptr && getenv("PMI_PORT") == nullptr) {
    snprintf(m.reason, sizeof m.reason, "neither PMI_FD nor PMI_PORT is set");
    return false;
  }
  m.detected = true;
  return !mpi_needs_the_session(m.reason) && pmi1_manager.open(m.rank, m.reason);
}

bool try_pmix(launch_method& m) {
  if (getenv("PMIX_NAMESPACE") == nullptr || getenv("PMIX_RANK") == nullptr) {
    snprintf(m.reason, sizeof m.reason, "PMIX_NAMESPACE and PMIX_RANK are not set");
    return false;
  }
  m.detected = true;
  return !mpi_needs_the_session(m.reason) && !open_mpi_must_be_first(m.reason) && pmix_manager.open(m.rank, m.reason);
}

bool try_variables(launch_method& m) {
  m.detected = rendezvous_sign() != nullptr;
  return variables_manager.open(m.rank, m.reason);
}

// A process with no sign of a launcher runs as a single-PE job; decide() looks for signs.
bool try_single(launch_method& m) {
  m.rank = {0, 1, 0};
  return true;
}

struct method_entry {
  const char* name;
  const char* about;
  bool (*attempt)(launch_method&);
  process_manager* manager;  // null: none
};

constexpr method_entry table[n_methods] = {
    {"oshrun", "the job page that oshrun shares with the PEs that it forks", try_oshrun, nullptr},
    {"pmi1", "PMI-1: mpiexec of MPICH and Intel MPI, srun --mpi=pmi2, flux run", try_pmi1, &pmi1_manager},
    {"pmix", "PMIx: mpirun of Open MPI, prterun, srun --mpi=pmix, jsrun", try_pmix, &pmix_manager},
    {"variables", "variables: oshrun --hosts, srun --mpi=none, torchrun", try_variables, &variables_manager},
    {"single", "a program started without a launcher: one PE", try_single, nullptr},
};
constexpr int oshrun_method = 0, last_launcher_method = 3, single_method = 4;

// A launcher was detected, but no method can join its job.
void refuse(detection& all, const launcher_sign& sign) {
  char size[32] = "several";
  if (sign.n_pes() > 0) snprintf(size, sizeof size, "%d", sign.n_pes());
  std::size_t used = static_cast<std::size_t>(snprintf(
      all.refusal, sizeof all.refusal, "started by %s (%s is set) as one of %s processes, but cannot join them",
      sign.launcher_name, sign.variable, size));
  for (const launch_method& m : all.methods)
    if (m.detected && !m.usable && used < sizeof all.refusal)
      used += static_cast<std::size_t>(
          snprintf(all.refusal + used, sizeof all.refusal - used, "; %s: %.200s", m.name, m.reason));
  if (used < sizeof all.refusal)
    snprintf(
        all.refusal + used, sizeof all.refusal - used,
        "; use \"oshrun -n N program\" or, after MPI_Init, shmemx_init_mpi() of oshen/mpi.h; oshinfo --boot shows all "
        "methods");
}

// A job page is open, but the variables that name it are missing.
bool lost_variables(detection& all) {
  if (getenv(job_fd_variable) != nullptr || !inherited_job_page()) return false;
  snprintf(all.refusal, sizeof all.refusal,
           "started by oshrun, but its variables OSHEN_PE and OSHEN_JOB_FD are missing (env -i, su -, sudo?); pass "
           "them on, as in env -i OSHEN_PE=$OSHEN_PE OSHEN_JOB_FD=$OSHEN_JOB_FD program");
  return true;
}

// There is no sign of a launcher, but an ancestor of the process is one: the environment was cleaned.
bool was_cleaned(detection& all) {
  const ancestor above = launcher_above();
  if (above.pid == 0) return false;
  snprintf(all.refusal, sizeof all.refusal,
           "started by %s (pid %d), but the variables by which its processes find each other are missing (env -i, "
           "su -, sudo?); keep the environment, or set OSHEN_BOOT=single for one PE",
           above.name, above.pid);
  return true;
}

// Launchers are nested, so a session of one process does not end the search: a method that leads to several PEs has
// priority.
void decide(detection& all) {
  const char* requested = requested_method();
  bool session_of_one = false;
  for (int i = 0; i <= last_launcher_method && all.chosen_method < 0; ++i) {
    if (!all.methods[i].usable) continue;
    if (all.methods[i].rank.n_pes != 1)
      all.chosen_method = i;
    else
      session_of_one = true;
  }
  if (all.chosen_method < 0 && all.methods[oshrun_method].usable) all.chosen_method = oshrun_method;
  if (all.chosen_method >= 0) return;
  if (requested != nullptr && strcmp(requested, "single") != 0 && !session_of_one) {
    for (int i = 0; i < n_methods; ++i)
      if (strcmp(table[i].name, requested) == 0)
        snprintf(all.refusal, sizeof all.refusal, "OSHEN_BOOT = %s: %.255s", requested, all.methods[i].reason);
    return;
  }
  if (requested == nullptr && lost_variables(all)) return;
  const launcher_sign* sign = requested != nullptr ? nullptr : largest_sign();
  const bool several_pes = sign != nullptr && (sign->n_pes() > 1 || (sign->n_pes() == 0 && !session_of_one));
  if (several_pes)
    refuse(all, *sign);
  else if (sign != nullptr || session_of_one || requested != nullptr || !was_cleaned(all))
    all.chosen_method = single_method;
}

}  // namespace

void detect(detection& all, bool every) {
  all = {};
  all.chosen_method = -1;
  const char* requested = requested_method();
  bool done = false;
  for (int i = 0; i < n_methods; ++i) {
    launch_method& m = all.methods[i];
    m.name = table[i].name;
    m.about = table[i].about;
    if (requested != nullptr && strcmp(requested, m.name) != 0)
      snprintf(m.reason, sizeof m.reason, "OSHEN_BOOT = %.100s", requested);
    else if (!every && done)
      snprintf(m.reason, sizeof m.reason, "not needed");
    else
      m.usable = table[i].attempt(m);
    done = done || (m.usable && m.rank.n_pes != 1);
    if (m.usable && table[i].manager != nullptr) register_manager(*table[i].manager);
  }
  decide(all);
}

status find_launcher(launcher*& found, const patience& limits) {
  static constinit launcher* known = nullptr;  // from an earlier initialisation
  if (known != nullptr) {
    found = known;
    return found == &oshrun_launcher ? oshrun_launcher.join() : status::ok;
  }
  static constinit detection all{};
  detect(all, false);
  // join() of oshrun reports what is wrong with its variables.
  if (all.chosen_method < 0 && getenv(job_fd_variable) != nullptr && requested_method() == nullptr)
    all.chosen_method = oshrun_method;
  if (all.chosen_method < 0) {
    log::error("%s", all.refusal);
    return status::no_launcher;
  }
  log::debug("launcher: %s", table[all.chosen_method].name);
  if (all.chosen_method == oshrun_method) {
    known = found = &oshrun_launcher;
    return oshrun_launcher.join();
  }
  if (all.chosen_method == single_method) {
    finish_managers();
    known = found = &single_launcher;
    return status::ok;
  }
  const job_rank& mine = all.methods[all.chosen_method].rank;
  log::speak_as(mine.pe);
  hub_launcher.warn_seconds = limits.warn;
  hub_launcher.abort_seconds = limits.abort;
  hub_launcher.start_seconds = limits.start;
  const status s = hub_launcher.join(*table[all.chosen_method].manager, mine);
  if (!failed(s)) known = found = &hub_launcher;
  return s;
}

}  // namespace oshen::bootstrap
