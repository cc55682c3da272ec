// Images of handwritten digits, and networks that learn them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/config/batch.h"
#include "core/config/learner_config.h"
#include "core/scores/evaluation.h"
#include "tests/accept/data_file.h"
#include "tests/accept/folding.h"

namespace prequel::accept {

inline constexpr Index kDigits = 10;

struct DigitSet {
  std::string name;
  Index side = 0;     // of an image, in pixels
  Batch train, test;  // pixels in [0, 1], column by column of the batch; the digit as target
};

// Nothing when PREQUEL_DATA_DIR has no such file.
std::optional<DigitSet> Usps();       // the usual 7,291 and 2,007
std::optional<DigitSet> Optdigits();  // the usual 3,823 and 1,797
std::optional<DigitSet> Mnist();      // of its 10,000 test images 8,000 and 2,000, the same always

// The images of `rows` turned by a quarter: no digits any more, most of them.
Batch Turned(Batch rows, Index side);

// A network of one hidden layer of relu units for images of `side`², the rest by default.
LearnerConfig DigitNetwork(Index side, double hidden);

struct Answers {
  Scores scores;
  Vector entropy;  // of the predictive, in nats
};
// By 32 draws of the weights.
Answers Ask(Folding& fold, const Batch& rows);

// The probability that one of `high` is above one of `low`, ties counting half: the area under the
// receiver operating characteristic.
double Auroc(const Vector& high, const Vector& low);

}  // namespace prequel::accept
