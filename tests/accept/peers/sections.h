// What is compared, a file for each: made data, and what we make of them.
#pragma once

#include "tests/accept/peers/json.h"

namespace prequel::peers {

void WriteKalman(Json& json);         // filterpy
void WriteNoise(Json& json);          // scipy.stats: learned noise
void WriteDistributions(Json& json);  // scipy.stats, scipy.integrate
void WriteLaplace(Json& json);        // laplace-torch
void WriteIvon(Json& json);           // ivon-opt

}  // namespace prequel::peers
