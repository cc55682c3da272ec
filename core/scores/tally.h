// Sums of scores over examples; additive, so that a minibatch is scored once and added twice.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/scores/score_table.h"
#include "core/scores/scores.h"

namespace prequel {

class Tally {
 public:
  Tally() = default;  // of values
  explicit Tally(TargetKind kind) : kind_(kind) {}

  TargetKind kind() const { return kind_; }
  // weight is the (weighted) count of examples.
  double weight() const { return weight_; }
  bool HasNaN() const;

  // AddExample counts one example of values, `weight` times; its outcomes follow, one per output.
  void AddExample(double weight = 1) { Count(weight, std::nullopt); }
  void Add(const ValueOutcome& outcome);
  // AddExample and Add with `asks` count in the scores that ask no more than that alone.
  void AddExample(Asks asks, double weight = 1) { Count(weight, asks); }
  void Add(const ValueOutcome& outcome, Asks asks);
  void Add(const ClassOutcomes& outcomes);

  void Scale(double factor);
  void Add(const Tally& other);  // of the same kind
  Scores Average() const;

  // Restore is for decoding: the sums of the score `name` over examples of that weight. False when
  // this kind has no such score of as many sums; nothing has changed then.
  bool Restore(std::string_view name, double weight, const double* sums, std::size_t num_sums);
  void RestoreWeight(double weight) { weight_ = weight; }

  // Fields writes the scores by name, each with a weight of its own: one that is new to a build
  // begins at 0, one that it does not know is left out.
  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    bool classes = s.kind_ == TargetKind::kClasses;
    a.Value("classes", classes);
    if constexpr (A::kReading) s = Tally(classes ? TargetKind::kClasses : TargetKind::kValues);
    a.Value("weight", s.weight_);
    std::uint64_t count = ScoresOf(s.kind_).size();
    a.Value("scores", count);
    for (std::uint64_t i = 0; i < count; ++i) {
      std::string name;
      std::vector<double> numbers;  // weight, then sums
      if constexpr (A::kReading) {
        a.Value("name", name);
        a.Value("numbers", numbers);
        if (!a.ok()) return;
        if (numbers.empty()) return a.Fail(name, "has no sums");
        s.Restore(name, numbers[0], numbers.data() + 1, numbers.size() - 1);
      } else {
        name = ScoresOf(s.kind_)[i].name;
        numbers = s.NumbersOf(i);
        a.Value("name", name);
        a.Value("numbers", numbers);
      }
    }
  }

 private:
  void Count(double examples, std::optional<Asks> asks);
  std::vector<double> NumbersOf(std::size_t score) const;

  TargetKind kind_ = TargetKind::kValues;
  double weight_ = 0;
  std::array<double, kMaxNumbers> numbers_{};  // of each score its weight, then its sums
};

}  // namespace prequel
