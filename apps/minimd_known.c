#include "minimd_known.h"

#include <stddef.h>

/* 10, 20 and 32: those of the field; 6: tests/apps/md_by_pairs.py, which has neither cells nor
 * ghosts. */
static const struct {
  long cells;
  int step;
  state_t state;
} known[] = {
    {6, 0, {1.44, -6.773368, -5.021076}},
    {6, 20, {0.7279416, -5.713917, 0.6947937}},
    {6, 40, {0.7682416, -5.780629, 0.4558870}},
    {6, 60, {0.7310144, -5.721731, 0.4636142}},
    {10, 0, {1.44, -6.773368, -5.019973}},
    {10, 100, {0.7208599, -5.701261, 0.5236926}},
    {10, 200, {0.7127749, -5.690223, 0.6106253}},
    {10, 1000, {0.6980069, -5.668184, 0.7374521}},
    {20, 0, {1.44, -6.773368, -5.019707}},
    {20, 100, {0.7522746, -5.750134, 0.2187181}},
    {20, 200, {0.7571498, -5.758905, 0.1900173}},
    {20, 1000, {0.7016939, -5.67319, 0.7132916}},
    {32, 0, {1.44, -6.773368, -5.019679}},
    {32, 100, {0.8200911, -5.852702, -0.1873921}},
};

const state_t* minimd_known(long cells, int step) {
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (known[i].cells == cells && known[i].step == step) return &known[i].state;
  return NULL;
}
