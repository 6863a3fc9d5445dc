/* A tool as a parallel debugger: by the interface of PMIx it attaches to a launcher, prints the table of the processes
 * of its job, and releases them.
 *
 *   pmix_tool PID [release]     PID: the launcher, such as prterun
 *
 * A line of the table: rank, host, pid, executable. */
#include <pmix_tool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require(pmix_status_t status, const char* call) {
  if (status == PMIX_SUCCESS) return;
  fprintf(stderr, "pmix_tool: %s: %s\n", call, PMIx_Error_string(status));
  exit(1);
}

/* The result of a query with one key, and a qualifier or NULL. */
static const pmix_value_t* ask(char* key, pmix_info_t* qualifier) {
  char* keys[] = {key, NULL};
  pmix_query_t query = {keys, qualifier, qualifier != NULL};
  pmix_info_t* results = NULL;
  size_t n = 0;
  require(PMIx_Query_info(&query, 1, &results, &n), key);
  if (n == 0) require(PMIX_ERR_NOT_FOUND, key);
  return &results[0].value;
}

/* The launcher's first job; later ones are tools. */
static void find_job(char* job, size_t bytes) {
  char key[] = PMIX_QUERY_NAMESPACES;
  const pmix_value_t* all = ask(key, NULL);
  snprintf(job, bytes, "%.*s", (int)strcspn(all->data.string, ","), all->data.string);
}

static void print_table(char* job) {
  char key[] = PMIX_QUERY_PROC_TABLE;
  pmix_info_t of_job = {.key = PMIX_NSPACE, .value = {.type = PMIX_STRING, .data.string = job}};
  const pmix_data_array_t* table = ask(key, &of_job)->data.darray;
  const pmix_proc_info_t* process = table->array;
  for (size_t i = 0; i < table->size; i++, process++)
    printf("%u %s %d %s\n", process->proc.rank, process->hostname, (int)process->pid, process->executable_name);
}

static void release(const pmix_proc_t* me, const char* job) {
  pmix_proc_t all = {.rank = PMIX_RANK_WILDCARD};
  snprintf(all.nspace, sizeof all.nspace, "%s", job);
  pmix_data_array_t range = {.type = PMIX_PROC, .size = 1, .array = &all};
  pmix_info_t directives[] = {
      {.key = PMIX_EVENT_CUSTOM_RANGE, .value = {.type = PMIX_DATA_ARRAY, .data.darray = &range}},
      {.key = PMIX_EVENT_NON_DEFAULT, .value = {.type = PMIX_BOOL, .data.flag = true}}};
  require(PMIx_Notify_event(PMIX_DEBUGGER_RELEASE, me, PMIX_RANGE_CUSTOM, directives, 2, NULL, NULL),
          "PMIx_Notify_event");
}

int main(int argc, char** argv) {
  pmix_proc_t me;
  pmix_info_t launcher = {.key = PMIX_SERVER_PIDINFO, .value = {.type = PMIX_PID, .data.pid = atoi(argv[1])}};
  require(PMIx_tool_init(&me, &launcher, 1), "PMIx_tool_init");
  char job[PMIX_MAX_NSLEN + 1];
  find_job(job, sizeof job);
  print_table(job);
  if (argc > 2 && strcmp(argv[2], "release") == 0) release(&me, job);
  return PMIx_tool_finalize() != PMIX_SUCCESS;
}
