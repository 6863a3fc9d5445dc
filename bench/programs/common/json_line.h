/* Writes one JSON object on a line. Strings are escaped; a number that is not finite becomes null.
 *
 * Measuring programs are compiled with every library and its flags, on machines that may have nothing else. So they use
 * no JSON library. A member costs one call of printf, outside of what is measured. C and C++. */
#pragma once
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct {
  FILE* out;
  bool follows; /* a member was written */
} json_line;

static inline json_line json_begin(FILE* out) {
  const json_line line = {out, false};
  fputc('{', out);
  return line;
}

static inline void json_string(FILE* out, const char* text) {
  fputc('"', out);
  for (; *text != '\0'; ++text) {
    const unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\')
      fprintf(out, "\\%c", c);
    else if (c < ' ')
      fprintf(out, "\\u%04x", c);
    else
      fputc(c, out);
  }
  fputc('"', out);
}

static inline void json_key(json_line* line, const char* key) {
  if (line->follows) fputs(", ", line->out);
  line->follows = true;
  json_string(line->out, key);
  fputs(": ", line->out);
}

static inline void json_text(json_line* line, const char* key, const char* value) {
  json_key(line, key);
  json_string(line->out, value);
}

static inline void json_integer(json_line* line, const char* key, long long value) {
  json_key(line, key);
  fprintf(line->out, "%lld", value);
}

static inline void json_bool(json_line* line, const char* key, bool value) {
  json_key(line, key);
  fputs(value ? "true" : "false", line->out);
}

static inline void json_number(json_line* line, const char* key, double value, int decimals) {
  json_key(line, key);
  if (isfinite(value))
    fprintf(line->out, "%.*f", decimals, value);
  else
    fputs("null", line->out);
}

/* Ends the line, and writes it out: a later crash keeps it. */
static inline void json_end(json_line* line) {
  fputs("}\n", line->out);
  fflush(line->out);
}
