#include "picture.h"

/* The colours are equally spaced from cold to hot; values between them get mixed colours. */
static const unsigned char palette[][3] = {
    {0, 0, 20}, {60, 10, 100}, {150, 30, 110}, {220, 60, 60}, {250, 140, 20}, {250, 220, 80}, {255, 255, 240},
};
static const int last_colour = sizeof palette / sizeof *palette - 1;

FILE* picture_open(const char* path, int width, int height) {
  FILE* picture = fopen(path, "wb");
  if (picture != NULL) fprintf(picture, "P6\n%d %d\n255\n", width, height);
  return picture;
}

void picture_row(FILE* picture, const double* values, int width) {
  for (int i = 0; i < width; i++) {
    const double value = values[i] < 0.0 ? 0.0 : values[i] > 1.0 ? 1.0 : values[i];
    const double place = value * last_colour;
    const int below = place >= last_colour ? last_colour - 1 : (int)place;
    const double part = place - below;
    for (int c = 0; c < 3; c++)
      fputc((int)(palette[below][c] * (1.0 - part) + palette[below + 1][c] * part + 0.5), picture);
  }
}

int picture_close(FILE* picture) {
  const int failed = ferror(picture);
  return fclose(picture) != 0 || failed;
}
