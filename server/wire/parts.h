// What ListParts answers.
#pragma once

#include "prequel/v1/part_service.pb.h"

namespace prequel::wire {

// All that core says of its parts (core/parts/part_list.h).
void PartsToProto(v1::ListPartsResponse* proto);

}  // namespace prequel::wire
