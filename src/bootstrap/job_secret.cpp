#include "bootstrap/job_secret.hpp"

namespace oshen::bootstrap {
namespace {

constinit sip_key secret_of_process{};

}  // namespace

sip_key job_secret() { return secret_of_process; }
void set_job_secret(const sip_key& secret) { secret_of_process = secret; }

}  // namespace oshen::bootstrap
