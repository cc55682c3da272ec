// Reads the options of one named component: each alternative lists its options once, in Configure,
// and gets defaults, ranges, unknown-name errors and the filled-in configuration from it.
#pragma once

#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/config/learner_config.h"
#include "core/config/option_record.h"

namespace prequel {

// Usage, in an alternative's `absl::Status Configure(Options& options, …)`:
//   options.Integer("passes", &passes, 1, 1000);
//   return options.Finish();
// Each reader keeps *value when the option is absent, and records the value in use either way. A
// line for people stands before it:
//   options.Help("most inner passes of a minibatch").Integer("passes", &passes, 1, 1000);
class Options {
 public:
  // `path` prefixes field names, for example "config.rule". `config` must outlive this. `record`,
  // if there is one, is told of all that is read, for ListParts.
  Options(std::string_view path, const ComponentConfig& config, OptionRecord* record = nullptr);

  // What the component is for, in a line, and what it costs; empty: nothing worth saying.
  void Describe(std::string_view help, std::string_view cost = "");
  // Help describes the option that is read next, in a line.
  Options& Help(std::string_view line);

  void Bool(std::string_view name, bool* value);
  void Real(std::string_view name, double* value, double low, double high);  // [low, high]
  void Positive(std::string_view name, double* value, double high = 1e300);  // (0, high]
  void Integer(std::string_view name, Index* value, Index low, Index high);  // [low, high]
  void Choice(std::string_view name, std::string* value,
              std::initializer_list<std::string_view> allowed);
  // Whole numbers in [low, high]; at most max_size of them.
  void Integers(std::string_view name, std::vector<Index>* values, Index low, Index high,
                std::size_t max_size);
  // Numbers in [low, high]; 1 to max_size of them.
  void Reals(std::string_view name, std::vector<double>* values, double low, double high,
             std::size_t max_size);
  // Numbers in (low, high), each greater than the one before; 1 to max_size of them.
  void Increasing(std::string_view name, std::vector<double>* values, double low, double high,
                  std::size_t max_size);
  // List and Table return, in place since there may be very many, a list of `size` numbers or a
  // table of rows × columns numbers by rows, each in [low, high]. Null when the option is absent or
  // wrong.
  const std::vector<double>* List(std::string_view name, Index size, double low, double high);
  const std::vector<double>* Table(std::string_view name, Index rows, Index columns, double low,
                                   double high);
  // A number in (0, high] or one of `words`: exactly one of *value and *word is set (the other
  // becomes 0 or empty).
  void PositiveOrWord(std::string_view name, double* value, std::string* word,
                      std::initializer_list<std::string_view> words, double high = 1e300);

  bool Has(std::string_view name) const;
  // Records a failure of a check the readers cannot express.
  void Fail(std::string_view name, std::string_view description);

  // The first failure, or an error for the first option that no reader asked for.
  absl::Status Finish() const;
  // Every option with the value in use. REQUIRES: Finish() is OK.
  const std::map<std::string, OptionValue>& resolved() const { return resolved_; }

 private:
  const OptionValue* Find(std::string_view name);
  // Tells the record, if there is one.
  void Declare(std::string_view name, OptionKind kind, std::string range,
               std::optional<OptionValue> by_default,
               std::initializer_list<std::string_view> words = {});
  // Records the failure when one of them is outside [low, high], as name[i] or name[i,j].
  bool EachIn(std::string_view name, const std::vector<double>& numbers, Index columns, double low,
              double high);
  // The option as a number; null when absent or (after recording the failure) not a number.
  const double* Number(std::string_view name, std::string_view wanted);

  std::string path_;
  const ComponentConfig& config_;
  std::set<std::string, std::less<>> known_;
  std::map<std::string, OptionValue> resolved_;
  absl::Status status_;
  OptionRecord* const record_;
  std::string help_;  // of the option that is read next
};

}  // namespace prequel
