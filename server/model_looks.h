// How the models do that were used last.
#pragma once

#include <vector>

#include "server/engine/engine.h"
#include "server/observe/model_look.h"
#include "server/observe/recent_models.h"

namespace prequel {

// One look for each of `recent` that serves, the one that was used last first. Those that have been
// deleted are forgotten.
std::vector<ModelLook> LooksAt(RecentModels& recent, const Engine& engine);

}  // namespace prequel
