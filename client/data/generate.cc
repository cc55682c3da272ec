#include "client/data/generate.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/data/nearest_name.h"
#include "client/random.h"

namespace prequel::client {
namespace {

using std::numbers::pi;
using Row = std::vector<double>;

// Parameters are drawn from a row that no example has.
constexpr std::uint64_t kParameters = ~std::uint64_t{0};

// x ~ N(0, I), η = w·x + b with w ~ N(0, scale²), b ~ N(0, scale²/4).
class LinearPredictor {
 public:
  LinearPredictor(std::uint64_t seed, int inputs, double scale) {
    RowStream stream(seed, kParameters);
    for (int i = 0; i < inputs; ++i) weights_.push_back(scale * stream.Normal());
    bias_ = 0.5 * scale * stream.Normal();
  }

  // Appends x to `row` and returns η.
  double Draw(RowStream& stream, Row& row) const {
    double eta = bias_;
    for (double weight : weights_) {
      row.push_back(stream.Normal());
      eta += weight * row.back();
    }
    return eta;
  }

 private:
  std::vector<double> weights_;
  double bias_;
};

// (cos a, sin a) and (1 − cos a, ½ − sin a), a ~ U(0, π); the classes alternate.
Row Moons(RowStream stream, std::int64_t r, double noise) {
  const bool lower = r % 2 != 0;
  const double a = stream.Uniform(0, pi);
  const double x = lower ? 1 - std::cos(a) : std::cos(a);
  const double y = lower ? 0.5 - std::sin(a) : std::sin(a);
  const double noisy_x = x + noise * stream.Normal();
  return {noisy_x, y + noise * stream.Normal(), lower ? 1.0 : 0.0};
}

Row Linear(RowStream stream, const LinearPredictor& predictor, double noise) {
  Row row;
  const double eta = predictor.Draw(stream, row);
  row.push_back(eta + noise * stream.Normal());
  return row;
}

Row Logistic(RowStream stream, const LinearPredictor& predictor, double flip) {
  Row row;
  const double eta = predictor.Draw(stream, row);
  const bool label = stream.Uniform() < 1 / (1 + std::exp(-eta));
  row.push_back(label != (stream.Uniform() < flip) ? 1.0 : 0.0);
  return row;
}

// Counts by inversion: multiply uniforms until they fall below exp(−rate) (Knuth).
Row Poisson(RowStream stream, const LinearPredictor& predictor, double noise) {
  Row row;
  const double eta = predictor.Draw(stream, row) + noise * stream.Normal();
  const double floor = std::exp(-std::min(std::exp(eta), 500.0));
  double product = stream.Uniform();
  int count = 0;
  for (; product > floor; ++count) product *= stream.Uniform();
  row.push_back(count);
  return row;
}

// One Gaussian blob per class; the centres, U(−4, 4) in each coordinate, follow from the seed.
Row Blobs(RowStream stream, const std::vector<Row>& centres, double noise) {
  const double classes = static_cast<double>(centres.size());
  const auto label = static_cast<std::size_t>(stream.Uniform(0, classes));
  Row row;
  for (double centre : centres[label]) row.push_back(centre + noise * stream.Normal());
  row.push_back(static_cast<double>(label));
  return row;
}

std::vector<Row> BlobCentres(std::uint64_t seed, int inputs, int classes) {
  RowStream stream(seed, kParameters);
  std::vector<Row> centres(static_cast<std::size_t>(classes));
  for (Row& centre : centres) {
    for (int i = 0; i < inputs; ++i) centre.push_back(stream.Uniform(-4, 4));
  }
  return centres;
}

Row Sine(RowStream stream, double noise) {
  const double x = stream.Uniform(-3, 3);
  return {x, std::sin(2 * x) + noise * stream.Normal()};
}

// The side of a line through the origin that turns once in `period` rows.
Row Drift(RowStream stream, std::int64_t r, std::int64_t period, double flip) {
  const double angle = 2 * pi * static_cast<double>(r % period) / static_cast<double>(period);
  const double x1 = stream.Normal();
  const double x2 = stream.Normal();
  const bool label = std::cos(angle) * x1 + std::sin(angle) * x2 > 0;
  return {x1, x2, label != (stream.Uniform() < flip) ? 1.0 : 0.0};
}

std::vector<std::string> Columns(int inputs) {
  std::vector<std::string> columns;
  for (int i = 1; i <= inputs; ++i) columns.push_back(absl::StrCat("x", i));
  columns.push_back("y");
  return columns;
}

absl::Status Validate(const StreamKind& kind, const GenerateOptions& options, double noise) {
  const bool flips = kind.name == "logistic" || kind.name == "drift";
  if (!(noise >= 0) || std::isinf(noise) || (flips && noise > 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("noise ", noise, flips ? " is not a probability" : " is not a scale ≥ 0"));
  }
  if (options.inputs < 0 || options.inputs > 100'000) {
    return absl::InvalidArgumentError("inputs must be between 1 and 100000");
  }
  if (options.classes < 2 || options.classes > 10'000) {
    return absl::InvalidArgumentError("classes must be between 2 and 10000");
  }
  if (options.period < 1) return absl::InvalidArgumentError("the period must be at least one row");
  return absl::OkStatus();
}

using RowFunction = std::function<Row(RowStream, std::int64_t)>;

RowFunction MakeRow(const std::string& kind, const GenerateOptions& options, double noise,
                    int inputs) {
  const std::uint64_t seed = options.seed;
  if (kind == "moons") {
    return [=](RowStream stream, std::int64_t r) { return Moons(stream, r, noise); };
  }
  if (kind == "sine") return [=](RowStream stream, std::int64_t) { return Sine(stream, noise); };
  if (kind == "drift") {
    const std::int64_t period = options.period;
    return [=](RowStream stream, std::int64_t r) { return Drift(stream, r, period, noise); };
  }
  if (kind == "blobs") {
    return [=, centres = BlobCentres(seed, inputs, options.classes)](
               RowStream stream, std::int64_t) { return Blobs(stream, centres, noise); };
  }
  if (kind == "poisson") {
    const double scale = 1 / std::sqrt(inputs);
    return [=, predictor = LinearPredictor(seed, inputs, scale)](RowStream stream, std::int64_t) {
      return Poisson(stream, predictor, noise);
    };
  }
  const bool linear = kind == "linear";
  return [=, predictor = LinearPredictor(seed, inputs, linear ? 1 : 2)](RowStream stream,
                                                                        std::int64_t) {
    return linear ? Linear(stream, predictor, noise) : Logistic(stream, predictor, noise);
  };
}

}  // namespace

const std::vector<StreamKind>& StreamKinds() {
  static const auto& kinds = *new std::vector<StreamKind>{
      {"moons", "two interleaved half circles, classes 0 and 1; noise: sd of each input", 0.2},
      {"linear", "regression, y = w.x + b; noise: sd of y", 0.5},
      {"logistic", "classes 0 and 1, p = sigmoid(w.x + b); noise: share of labels flipped", 0.0},
      {"blobs", "Gaussian blobs, classes 0 to C-1; noise: sd of each input", 1.0},
      {"poisson", "counts, rate = exp(w.x + b); noise: sd of the log rate", 0.0},
      {"sine", "regression, y = sin(2x) on (-3, 3); noise: sd of y", 0.1},
      {"drift", "classes 0 and 1 beside a turning line; noise: share of labels flipped", 0.05},
  };
  return kinds;
}

absl::StatusOr<ExampleStream> MakeStream(const std::string& kind, const GenerateOptions& options) {
  std::vector<std::string> names;
  for (const StreamKind& known : StreamKinds()) {
    names.push_back(known.name);
    if (known.name != kind) continue;
    const double noise = options.noise.value_or(known.default_noise);
    if (absl::Status status = Validate(known, options, noise); !status.ok()) return status;
    const bool fixed = kind == "moons" || kind == "sine" || kind == "drift";
    int inputs = kind == "sine" ? 1 : 2;
    if (!fixed && kind != "blobs") inputs = 4;
    if (!fixed && options.inputs > 0) inputs = options.inputs;
    RowFunction function = MakeRow(kind, options, noise, inputs);
    const std::uint64_t seed = options.seed;
    return ExampleStream{Columns(inputs), [function = std::move(function), seed](std::int64_t r) {
                           return function(RowStream(seed, static_cast<std::uint64_t>(r)), r);
                         }};
  }
  const std::string nearest = NearestName(kind, names);
  return absl::InvalidArgumentError(
      absl::StrCat("no stream '", kind, "'",
                   nearest.empty() ? absl::StrCat("; there are ", absl::StrJoin(names, ", "))
                                   : absl::StrCat("; did you mean '", nearest, "'?")));
}

}  // namespace prequel::client
