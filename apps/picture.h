/* A colour picture of values between 0 (cold, dark) and 1 (hot, white), written row by row as
 * binary PPM. */
#ifndef PICTURE_H
#define PICTURE_H

#include <stdio.h>

/* Returns NULL, with errno set, if the file cannot be made. */
FILE* picture_open(const char* path, int width, int height);
void picture_row(FILE* picture, const double* values, int width);
/* Returns non-zero if anything could not be written. */
int picture_close(FILE* picture);

#endif
