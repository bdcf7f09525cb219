/* config_name - names in the configuration that something else must be able to find again. */
#pragma once
#include <stdbool.h>
#include "base/err.h"
#include "base/str.h"

bool config_name_is_segment(struct str name);
bool config_name_is_chat_type(struct str name);
/* For the table. A provider's name stands before the '/' of a model. */
NODISCARD int config_name_check_provider(struct str name, struct err *e);
NODISCARD int config_name_check_model(struct str name, struct err *e);
/* A time zone whose rules are installed. */
NODISCARD int config_name_check_zone(struct str name, struct err *e);
/* The sentence never shows the text: it may be the key itself. */
NODISCARD int config_name_check_env(struct str name, struct err *e);
