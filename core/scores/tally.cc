#include "core/scores/tally.h"

#include <algorithm>
#include <cmath>

namespace prequel {

bool Tally::HasNaN() const {
  return std::any_of(numbers_.begin(), numbers_.end(), [](double x) { return std::isnan(x); });
}

void Tally::Count(double examples, std::optional<Asks> asks) {
  weight_ += examples;
  double* numbers = numbers_.data();
  for (const Score& score : ScoresOf(kind_)) {
    if (!asks.has_value() || IsAmong(score.asks, *asks)) numbers[0] += examples;
    numbers += 1 + score.num_sums;
  }
}

void Tally::Add(const ValueOutcome& outcome) {
  double* numbers = numbers_.data();
  for (const Score& score : ScoresOf(kind_)) {
    score.add_value(outcome, numbers + 1);
    numbers += 1 + score.num_sums;
  }
}

void Tally::Add(const ValueOutcome& outcome, Asks asks) {
  double* numbers = numbers_.data();
  for (const Score& score : ScoresOf(kind_)) {
    if (IsAmong(score.asks, asks)) score.add_value(outcome, numbers + 1);
    numbers += 1 + score.num_sums;
  }
}

void Tally::Add(const ClassOutcomes& outcomes) {
  const bool weighed = outcomes.weights != nullptr;
  Count(weighed ? outcomes.weights->sum() : static_cast<double>(outcomes.size()), std::nullopt);
  double* numbers = numbers_.data();
  for (const Score& score : ScoresOf(kind_)) {
    score.add_classes(outcomes, numbers + 1);
    numbers += 1 + score.num_sums;
  }
}

void Tally::Scale(double factor) {
  weight_ *= factor;
  for (double& number : numbers_) number *= factor;
}

void Tally::Add(const Tally& other) {
  weight_ += other.weight_;
  for (std::size_t i = 0; i < kMaxNumbers; ++i) numbers_[i] += other.numbers_[i];
}

Scores Tally::Average() const {
  Scores scores;
  scores.examples = weight_;
  const double* numbers = numbers_.data();
  for (const Score& score : ScoresOf(kind_)) {
    if (numbers[0] > 0) scores.Add(score.name, score.average(numbers + 1, numbers[0]));
    numbers += 1 + score.num_sums;
  }
  return scores;
}

bool Tally::Restore(std::string_view name, double weight, const double* sums,
                    std::size_t num_sums) {
  double* numbers = numbers_.data();
  for (const Score& score : ScoresOf(kind_)) {
    if (score.name == name) {
      if (score.num_sums != num_sums) return false;
      numbers[0] = weight;
      std::copy_n(sums, num_sums, numbers + 1);
      return true;
    }
    numbers += 1 + score.num_sums;
  }
  return false;
}

std::vector<double> Tally::NumbersOf(std::size_t index) const {
  const double* numbers = numbers_.data();
  const std::span<const Score> scores = ScoresOf(kind_);
  for (std::size_t i = 0; i < index; ++i) numbers += 1 + scores[i].num_sums;
  return {numbers, numbers + 1 + scores[index].num_sums};
}

}  // namespace prequel
