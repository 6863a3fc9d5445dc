#include "boot/find.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.hpp"
#include "base/settings.hpp"
#include "boot/ancestors.hpp"
#include "boot/departure.hpp"
#include "boot/job_page.hpp"
#include "boot/launchers.hpp"
#include "boot/mpi_in_process.hpp"
#include "boot/numbers.hpp"
#include "boot/oshrun.hpp"
#include "boot/pmi1.hpp"
#include "boot/pmix.hpp"
#include "boot/single.hpp"
#include "boot/variables.hpp"
#include "boot/wired.hpp"

namespace oshen::boot {
namespace {

// Launchers and sessions outlive initialisations, so one object of each kind serves them all.
constinit single single_pe;
constinit oshrun forked;
constinit wired connected;
constinit pmi1 by_pmi1;
constinit pmix by_pmix;
constinit variables by_variables;

const char* wish() {
  const char* text = setting_text("OSHEN_BOOT");
  return text == nullptr || *text == '\0' || strcmp(text, "auto") == 0 ? nullptr : text;
}

// srun opens one session of a process manager for each process. An MPI that will be initialised needs it.
bool mpi_needs_the_session(char (&reason)[reason_bytes]) {
  if (!mpi_is_loaded() || mpi_is_initialised() || getenv("SLURM_STEP_ID") == nullptr) return false;
  snprintf(reason, sizeof reason,
           "srun has one session for each process, which the MPI of this program needs; call MPI_Init "
           "before shmem_init, or shmemx_init_mpi() of oshen/mpi.h, or set OSHEN_JOB_SECRET");
  return true;
}

// Its libpmix frees memory twice when it is opened again after an end, and MPI_Init fails beside a session of ours.
bool open_mpi_comes_later(char (&reason)[reason_bytes]) {
  if (mpi_is_initialised() || open_mpi_version() < 5 || wish() != nullptr) return false;
  snprintf(reason, sizeof reason,
           "Open MPI 5 must be initialised first; call MPI_Init before shmem_init, or shmemx_init_mpi() of "
           "oshen/mpi.h; a program that never initialises it takes OSHEN_BOOT=pmix");
  return true;
}

bool try_oshrun(way& w) {
  int fd = -1;
  if (getenv(job_fd_variable) == nullptr) {
    snprintf(w.reason, sizeof w.reason, "%s is not set", job_fd_variable);
    return false;
  }
  w.seen = true;
  if (!whole_number(getenv(job_fd_variable), fd) || fcntl(fd, F_GETFD) < 0) {
    snprintf(w.reason, sizeof w.reason, "%s = %s is not open here", job_fd_variable, getenv(job_fd_variable));
    return false;
  }
  w.where.n_pes = pes_of_page(fd);  // the rest is seen, and said, when it is joined
  whole_number(getenv(pe_variable), w.where.pe);
  return true;
}

bool try_pmi1(way& w) {
  if (getenv("PMI_FD") == nullptr && getenv("PMI_PORT") == nullptr) {
    snprintf(w.reason, sizeof w.reason, "neither PMI_FD nor PMI_PORT is set");
    return false;
  }
  w.seen = true;
  return !mpi_needs_the_session(w.reason) && by_pmi1.open(w.where, w.reason);
}

bool try_pmix(way& w) {
  if (getenv("PMIX_NAMESPACE") == nullptr || getenv("PMIX_RANK") == nullptr) {
    snprintf(w.reason, sizeof w.reason, "PMIX_NAMESPACE and PMIX_RANK are not set");
    return false;
  }
  w.seen = true;
  return !mpi_needs_the_session(w.reason) && !open_mpi_comes_later(w.reason) && by_pmix.open(w.where, w.reason);
}

bool try_variables(way& w) {
  w.seen = rendezvous_sign() != nullptr;
  return by_variables.open(w.where, w.reason);
}

// Alone is who has no sign of company.
bool try_single(way& w) {
  w.where = {0, 1, 0};
  return true;
}

struct row {
  const char* name;
  const char* about;
  bool (*attempt)(way&);
  directory* launcher;  // null: none
};

constexpr row table[n_ways] = {
    {"oshrun", "the page that oshrun shares with the PEs it forks", try_oshrun, nullptr},
    {"pmi1", "PMI-1: mpiexec of MPICH and Intel MPI, srun --mpi=pmi2, flux run", try_pmi1, &by_pmi1},
    {"pmix", "PMIx: mpirun of Open MPI, prterun, srun --mpi=pmix, jsrun", try_pmix, &by_pmix},
    {"variables", "variables: oshrun --hosts, srun --mpi=none, torchrun", try_variables, &by_variables},
    {"single", "a program started by itself: one PE", try_single, nullptr},
};
constexpr int forked_row = 0, last_session = 3, single_row = 4;

// A launcher was seen, and no way leads to its job.
void refuse(outlook& all, const sign& seen) {
  char size[32] = "several";
  if (seen.n_pes() > 0) snprintf(size, sizeof size, "%d", seen.n_pes());
  std::size_t used = static_cast<std::size_t>(snprintf(
      all.refusal, sizeof all.refusal, "started by %s (%s is set) as one of %s processes, which cannot be joined",
      seen.launcher, seen.variable, size));
  for (const way& w : all.ways)
    if (w.seen && !w.usable && used < sizeof all.refusal)
      used += static_cast<std::size_t>(
          snprintf(all.refusal + used, sizeof all.refusal - used, "; %s: %.200s", w.name, w.reason));
  if (used < sizeof all.refusal)
    snprintf(
        all.refusal + used, sizeof all.refusal - used,
        "; use \"oshrun -n N program\" or, after MPI_Init, shmemx_init_mpi() of oshen/mpi.h; oshinfo --boot says more");
}

// The page of oshrun is open, whatever the variables say.
bool lost_page(outlook& all) {
  if (getenv(job_fd_variable) != nullptr || !inherited_job_page()) return false;
  snprintf(all.refusal, sizeof all.refusal,
           "started by oshrun, but its variables OSHEN_PE and OSHEN_JOB_FD are gone (env -i, su -, "
           "sudo?); pass them on, as in env -i OSHEN_PE=$OSHEN_PE OSHEN_JOB_FD=$OSHEN_JOB_FD program");
  return true;
}

// No sign at all, but the kernel shows a launcher above: somebody has cleaned the environment.
bool cleaned(outlook& all) {
  const ancestor above = launcher_above();
  if (above.pid == 0) return false;
  snprintf(all.refusal, sizeof all.refusal,
           "started below %s (pid %d), but the variables by which its processes find each other are gone "
           "(env -i, su -, sudo?); keep the environment, or set OSHEN_BOOT=single for one PE",
           above.name, above.pid);
  return true;
}

void decide(outlook& all) {
  const char* wanted = wish();
  bool session_of_one = false;
  for (int i = 0; i <= last_session && all.taken < 0; ++i) {
    if (!all.ways[i].usable) continue;
    if (all.ways[i].where.n_pes != 1) all.taken = i;
    else session_of_one = true;
  }
  if (all.taken < 0 && all.ways[forked_row].usable) all.taken = forked_row;
  if (all.taken >= 0) return;
  if (wanted != nullptr && strcmp(wanted, "single") != 0 && !session_of_one) {
    for (int i = 0; i < n_ways; ++i)
      if (strcmp(table[i].name, wanted) == 0)
        snprintf(all.refusal, sizeof all.refusal, "OSHEN_BOOT = %s: %.255s", wanted, all.ways[i].reason);
    return;
  }
  if (wanted == nullptr && lost_page(all)) return;
  const sign* seen = wanted != nullptr ? nullptr : largest_sign();
  const bool company = seen != nullptr && (seen->n_pes() > 1 || (seen->n_pes() == 0 && !session_of_one));
  if (company) refuse(all, *seen);
  else if (seen != nullptr || session_of_one || wanted != nullptr || !cleaned(all)) all.taken = single_row;
}

}  // namespace

void look_around(outlook& all, bool every) {
  all = {};
  all.taken = -1;
  const char* wanted = wish();
  bool settled = false;
  for (int i = 0; i < n_ways; ++i) {
    way& w = all.ways[i];
    w.name = table[i].name;
    w.about = table[i].about;
    if (wanted != nullptr && strcmp(wanted, w.name) != 0)
      snprintf(w.reason, sizeof w.reason, "OSHEN_BOOT = %.100s", wanted);
    else if (!every && settled) snprintf(w.reason, sizeof w.reason, "not needed");
    else w.usable = table[i].attempt(w);
    settled = settled || (w.usable && w.where.n_pes != 1);
    if (w.usable && table[i].launcher != nullptr) close_at_end(*table[i].launcher);
  }
  decide(all);
}

status find_boot(boot*& found, unsigned warn_seconds, unsigned abort_seconds) {
  static constinit boot* way_of_process = nullptr;  // the same at every initialisation
  if (way_of_process != nullptr) {
    found = way_of_process;
    return found == &forked ? forked.join() : status::ok;
  }
  static constinit outlook all{};
  look_around(all, false);
  // it says what is wrong
  if (all.taken < 0 && getenv(job_fd_variable) != nullptr && wish() == nullptr) all.taken = forked_row;
  if (all.taken < 0) {
    log::error("%s", all.refusal);
    return status::no_launcher;
  }
  log::debug("boot: %s", table[all.taken].name);
  if (all.taken == forked_row) {
    way_of_process = found = &forked;
    return forked.join();
  }
  if (all.taken == single_row) {
    for (const row& r : table)  // a session of one
      if (r.launcher != nullptr) r.launcher->leave();
    announce_departure();
    way_of_process = found = &single_pe;
    return status::ok;
  }
  const job_rank& mine = all.ways[all.taken].where;
  log::speak_as(mine.pe);
  connected.warn_seconds = warn_seconds;
  connected.abort_seconds = abort_seconds;
  const status s = connected.join(*table[all.taken].launcher, mine);
  if (!failed(s)) way_of_process = found = &connected;
  return s;
}

}  // namespace oshen::boot
