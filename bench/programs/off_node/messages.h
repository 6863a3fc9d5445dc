// Messages between pairs of processes on different hosts: each process of the first half with one of the second half,
// all pairs at once. A message goes there and one comes back; the result is the time of one of them.
#pragma once
#include "moves.h"

static const size_t message_sizes[] = {8, 64, 512, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20};

// The pair of this process, and the form of its messages.
static struct {
  const world* w;
  const message_form* form;
  int partner;
} paired;
static long wrong_ends;  // messages whose ends came after their notification

// The number that a message carries differs by sender.
static long content(int sender, long number) { return number * paired.w->size + sender; }

static int ends_are(const char* block, size_t bytes, long wanted) {
  return memcmp(block, &wanted, sizeof wanted) == 0 &&
         memcmp(block + bytes - sizeof wanted, &wanted, sizeof wanted) == 0;
}

static void send_one(size_t bytes, long number) { paired.form->send(bytes, content(paired.w->me, number)); }

static void receive_one(size_t bytes, long number) {
  paired.form->receive(bytes);
  if (!in_full) wrong_ends += !ends_are(paired.w->target, bytes, content(paired.partner, number));
}

static void there_and_back(size_t bytes, long number) {
  if (paired.w->me < paired.partner) {
    send_one(bytes, number);
    receive_one(bytes, number);
  } else {
    receive_one(bytes, number);
    send_one(bytes, number);
  }
}

static void before_messages(size_t bytes, long number) {
  fill(expected, bytes, content(paired.partner, number));
  fill(paired.w->source, bytes, 0);
  spoil(paired.w->target, bytes);
  paired.w->meet();
}

static void after_messages(size_t bytes) {
  paired.w->meet();
  check(paired.w->target, paired.form->name, bytes, bytes);
}

static void messages_in_full(size_t bytes) {
  in_full = 1;
  for (long number = 1; number <= full_operations; ++number) {
    before_messages(bytes, number);
    there_and_back(bytes, number);
    after_messages(bytes);
  }
  in_full = 0;
}

static void measure_message(size_t bytes) {
  wrong_ends = 0;
  before_messages(bytes, timed_operations(bytes));
  const double us = time_batches(there_and_back, bytes) / 2;
  if (paired.w->me == 0) tell(paired.form->name, bytes, us);
  demand(wrong_ends == 0, paired.form->name, bytes);
  after_messages(bytes);
  messages_in_full(bytes);
}

static void measure_messages(const world* w) {
  paired.w = w;
  paired.partner = (w->me + w->size / 2) % w->size;
  for (int f = 0; f < w->n_forms; ++f) {
    paired.form = &w->forms[f];
    for (size_t i = 0; i < COUNT(message_sizes); ++i) measure_message(message_sizes[i]);
  }
}
