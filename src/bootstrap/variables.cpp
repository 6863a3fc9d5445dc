#include "bootstrap/variables.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.hpp"
#include "bootstrap/launcher_signs.hpp"
#include "bootstrap/text.hpp"

namespace oshen::bootstrap {
namespace {

constexpr sip_key text_key{{0x4f7368656e206a6fu, 0x6220736563726574u}};

// The first name of Slurm's "a[003-7,9],b2".
void first_host(const char* list, char* host, std::size_t capacity) {
  const std::size_t prefix = strcspn(list, "[,");
  std::size_t used = prefix < capacity - 1 ? prefix : capacity - 1;
  memcpy(host, list, used);
  if (list[prefix] == '[')
    for (const char* p = list + prefix + 1; *p >= '0' && *p <= '9' && used + 1 < capacity; ++p) host[used++] = *p;
  host[used] = '\0';
}

// A port derived from the job step: PE 0 cannot tell the others which port is free.
std::uint16_t port_of_step() {
  char text[128];
  const char* job = getenv("SLURM_JOB_ID");
  const char* step = getenv("SLURM_STEP_ID");
  snprintf(text, sizeof text, "%.40s.%.40s", job != nullptr ? job : "", step != nullptr ? step : "");
  return static_cast<std::uint16_t>(20000 + sip(text_key, text, strlen(text)).word[0] % 12000);
}

// torchrun's agent listens on MASTER_PORT itself and says so. PE 0 then takes the next port.
int port_beside_master() {
  int number = 0;
  const char* agent = getenv("TORCHELASTIC_USE_AGENT_STORE");
  if (!whole_number(getenv("MASTER_PORT"), number) || number > 65535) return 0;
  return agent != nullptr && strcmp(agent, "True") == 0 ? number + 1 : number;
}

}  // namespace

bool variables::open(job_rank& mine, char (&reason)[reason_bytes]) {
  const char* secret = getenv("OSHEN_JOB_SECRET");
  const launcher_sign* sign = rendezvous_sign();
  if (sign == nullptr) {
    snprintf(reason, sizeof reason, "no variables of such a launcher are set");
    return false;
  }
  if (secret == nullptr || strlen(secret) < 8) {
    snprintf(reason, sizeof reason,
             "OSHEN_JOB_SECRET is not set, or too short, so foreign processes could connect; set it to 8 or more "
             "random characters, the same on all PEs%s",
             strcmp(sign->variable, "SLURM_PROCID") == 0 ? ", or use srun --mpi=pmi2" : "");
    return false;
  }
  const char* port = getenv("OSHEN_JOB_PORT");
  int number = 0;
  const char* list = getenv("SLURM_STEP_NODELIST");
  if (list != nullptr && strcmp(sign->variable, "SLURM_PROCID") == 0) {
    first_host(list, host_, sizeof host_);
    number = port_of_step();
  } else if (const char* master = getenv("MASTER_ADDR"); master != nullptr) {
    snprintf(host_, sizeof host_, "%.255s", master);
    number = port_beside_master();
  }
  if (port != nullptr && !whole_number(port, number)) number = 0;
  if (*host_ == '\0' || number < 1 || number > 65535) {
    snprintf(reason, sizeof reason,
             "%s is set, but the address of PE 0 is not: expected MASTER_ADDR (a host) and MASTER_PORT (a port)",
             sign->variable);
    return false;
  }
  port_ = static_cast<std::uint16_t>(number);
  secret_ = sip(text_key, secret, strlen(secret));
  mine.pe = sign->pe();
  mine.n_pes = sign->n_pes();
  mine.node = sign->node();
  return true;
}

status variables::prepare(hub_address& mine) {
  mine.secret = secret_;
  mine.port = port_;
  return status::ok;
}

// Every PE knows the host of PE 0, and looks up its addresses.
status variables::share(hub_address& of_pe_0, const job_rank& mine) {
  if (mine.pe == 0) return status::ok;
  of_pe_0.secret = secret_;
  of_pe_0.port = port_;
  of_pe_0.local = sip(secret_, "local", 5).word[0];
  snprintf(of_pe_0.host, sizeof of_pe_0.host, "%.63s", host_);
  of_pe_0.n_addresses = static_cast<std::uint16_t>(os::look_up_host(host_, of_pe_0.addresses));
  if (of_pe_0.n_addresses > 0) return status::ok;
  log::error("cannot find the host of PE 0, %s; set MASTER_ADDR to a name or address that is known here", host_);
  return status::boot_failed;
}

}  // namespace oshen::bootstrap
