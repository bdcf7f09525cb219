/* child_env - what of our environment do the children that run tools get?
 * PATH and HOME and nothing else: keys of providers are in it. Each is one entry of child_spec.env. */
#pragma once
#include "base/arena.h"

const char *child_env_path(struct arena *a);
const char *child_env_home(struct arena *a);
