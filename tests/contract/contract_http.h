/* contract_http - the provider contract for a dialect over HTTP, against a fake model on the same loop. */
#pragma once
#include "fake_model.h"

/* The return value of main. */
int contract_http_run(const char *name, const struct fake_dialect *dialect);
