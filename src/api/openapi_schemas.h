/* openapi_schemas - the objects of the wire by name, as JSON Schema, for the OpenAPI document. */
#pragma once
#include "base/json_write.h"

/* All of them, as the members of an object that is open. */
void openapi_schemas_write(struct jw *w);
bool openapi_schemas_has(struct str name);
