#include "../../support/freestanding.c"
#include "values.c"

static int run(void) {
  return check();
}
