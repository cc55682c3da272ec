#include "core/config/options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/config/edit_distance.h"
#include "core/config/field_error.h"

namespace prequel {
namespace {

constexpr double kUnbounded = 1e300;       // an upper bound not worth mentioning
constexpr std::size_t kShownNumbers = 20;  // of a list, in an error
constexpr std::size_t kLongestName = 64;   // beyond, a name is like no option's

// The shortest decimal that reads back as `value`.
std::string Shortest(double value) {
  char buffer[32];
  const std::to_chars_result result = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return std::string(buffer, result.ptr);
}

std::string Join(const std::vector<std::string>& parts) { return absl::StrJoin(parts, ", "); }

std::string Describe(const OptionValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const double* number = std::get_if<double>(&value)) return Shortest(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return absl::StrCat("\"", *text, "\"");
  if (const auto* table = std::get_if<NumberTable>(&value)) {
    return absl::StrCat(table->rows, " × ", table->columns, " numbers");
  }
  const auto& numbers = std::get<std::vector<double>>(value);
  if (numbers.size() > kShownNumbers) return absl::StrCat("a list of ", numbers.size(), " numbers");
  std::vector<std::string> parts;
  parts.reserve(numbers.size());
  for (double number : numbers) parts.push_back(Shortest(number));
  return absl::StrCat("[", Join(parts), "]");
}

std::string MustBe(std::string_view wanted, const OptionValue& got) {
  return absl::StrCat("must be ", std::string(wanted), ", got ", Describe(got));
}

std::string NumberIn(double low, double high) {
  return absl::StrCat("a number in [", Shortest(low), ", ", Shortest(high), "]");
}

std::string WholeNumberIn(Index low, Index high) {
  return absl::StrCat("a whole number in [", low, ", ", high, "]");
}

std::string PositiveUpTo(double high) {
  return high >= kUnbounded ? "a number > 0"
                            : absl::StrCat("a number in (0, ", Shortest(high), "]");
}

std::string OneOf(std::initializer_list<std::string_view> words) {
  std::vector<std::string> quoted;
  for (std::string_view word : words) quoted.push_back(Describe(std::string(word)));
  return Join(quoted);
}

// Doubles hold every whole number up to 2⁵³ only.
bool IsWholeNumberIn(double value, Index low, Index high) {
  return std::abs(value) <= 0x1p53 && value == std::floor(value) &&
         static_cast<Index>(value) >= low && static_cast<Index>(value) <= high;
}

}  // namespace

Options::Options(std::string_view path, const ComponentConfig& config, OptionRecord* record)
    : path_(path), config_(config), record_(record) {}

void Options::Describe(std::string_view help, std::string_view cost) {
  if (record_ == nullptr) return;
  record_->help = help;
  record_->cost = cost;
}

Options& Options::Help(std::string_view line) {
  if (record_ != nullptr) help_ = line;
  return *this;
}

void Options::Declare(std::string_view name, OptionKind kind, std::string range,
                      std::optional<OptionValue> by_default,
                      std::initializer_list<std::string_view> words) {
  if (record_ == nullptr) return;
  record_->options.push_back({std::string(name),
                              kind,
                              std::move(range),
                              {words.begin(), words.end()},
                              std::move(by_default),
                              std::exchange(help_, "")});
}

const OptionValue* Options::Find(std::string_view name) {
  known_.emplace(name);
  const auto found = config_.options.find(std::string(name));
  return found == config_.options.end() ? nullptr : &found->second;
}

const double* Options::Number(std::string_view name, std::string_view wanted) {
  const OptionValue* option = Find(name);
  if (option == nullptr) return nullptr;
  const double* number = std::get_if<double>(option);
  if (number == nullptr) Fail(name, MustBe(wanted, *option));
  return number;
}

void Options::Bool(std::string_view name, bool* value) {
  Declare(name, OptionKind::kFlag, "true or false", *value);
  if (const OptionValue* option = Find(name)) {
    const bool* flag = std::get_if<bool>(option);
    if (flag == nullptr) return Fail(name, MustBe("true or false", *option));
    *value = *flag;
  }
  resolved_[std::string(name)] = *value;
}

void Options::Real(std::string_view name, double* value, double low, double high) {
  const std::string wanted = NumberIn(low, high);
  Declare(name, OptionKind::kNumber, wanted, *value);
  if (const double* number = Number(name, wanted)) {
    if (!(low <= *number && *number <= high)) return Fail(name, MustBe(wanted, *number));
    *value = *number;
  }
  resolved_[std::string(name)] = *value;
}

void Options::Positive(std::string_view name, double* value, double high) {
  const std::string wanted = PositiveUpTo(high);
  Declare(name, OptionKind::kNumber, wanted, *value);
  if (const double* number = Number(name, wanted)) {
    if (!(0 < *number && *number <= high)) return Fail(name, MustBe(wanted, *number));
    *value = *number;
  }
  resolved_[std::string(name)] = *value;
}

void Options::Integer(std::string_view name, Index* value, Index low, Index high) {
  const std::string wanted = WholeNumberIn(low, high);
  Declare(name, OptionKind::kWhole, wanted, static_cast<double>(*value));
  if (const double* number = Number(name, wanted)) {
    if (!IsWholeNumberIn(*number, low, high)) return Fail(name, MustBe(wanted, *number));
    *value = static_cast<Index>(*number);
  }
  resolved_[std::string(name)] = static_cast<double>(*value);
}

void Options::Choice(std::string_view name, std::string* value,
                     std::initializer_list<std::string_view> allowed) {
  Declare(name, OptionKind::kWord, absl::StrCat("one of ", OneOf(allowed)), *value, allowed);
  if (const OptionValue* option = Find(name)) {
    const std::string* word = std::get_if<std::string>(option);
    if (word == nullptr || std::find(allowed.begin(), allowed.end(), *word) == allowed.end()) {
      return Fail(name, MustBe(absl::StrCat("one of ", OneOf(allowed)), *option));
    }
    *value = *word;
  }
  resolved_[std::string(name)] = *value;
}

void Options::Integers(std::string_view name, std::vector<Index>* values, Index low, Index high,
                       std::size_t max_size) {
  const std::string wanted =
      absl::StrCat("a list of at most ", max_size, " numbers, each ", WholeNumberIn(low, high));
  Declare(name, OptionKind::kNumbers, wanted, std::vector<double>(values->begin(), values->end()));
  if (const OptionValue* option = Find(name)) {
    const std::vector<double>* list = std::get_if<std::vector<double>>(option);
    const bool fits = list != nullptr && list->size() <= max_size &&
                      std::all_of(list->begin(), list->end(),
                                  [&](double v) { return IsWholeNumberIn(v, low, high); });
    if (!fits) return Fail(name, MustBe(wanted, *option));
    values->assign(list->begin(), list->end());
  }
  resolved_[std::string(name)] = std::vector<double>(values->begin(), values->end());
}

void Options::Reals(std::string_view name, std::vector<double>* values, double low, double high,
                    std::size_t max_size) {
  Declare(name, OptionKind::kNumbers,
          absl::StrCat("1 to ", max_size, " numbers, each ", NumberIn(low, high)), *values);
  if (const OptionValue* option = Find(name)) {
    const auto* list = std::get_if<std::vector<double>>(option);
    if (list == nullptr || list->empty() || list->size() > max_size) {
      return Fail(name, MustBe(absl::StrCat("a list of 1 to ", max_size, " numbers"), *option));
    }
    if (!EachIn(name, *list, 0, low, high)) return;
    *values = *list;
  }
  resolved_[std::string(name)] = *values;
}

void Options::Increasing(std::string_view name, std::vector<double>* values, double low,
                         double high, std::size_t max_size) {
  Declare(name, OptionKind::kNumbers,
          absl::StrCat("1 to ", max_size, " numbers in (", Shortest(low), ", ", Shortest(high),
                       "), increasing"),
          *values);
  if (const OptionValue* option = Find(name)) {
    const auto* list = std::get_if<std::vector<double>>(option);
    if (list == nullptr || list->empty() || list->size() > max_size) {
      return Fail(name, MustBe(absl::StrCat("a list of 1 to ", max_size, " numbers"), *option));
    }
    double previous = low;
    for (std::size_t i = 0; i < list->size(); ++i) {
      const double value = (*list)[i];
      if (!(value > previous && value < high)) {
        return Fail(absl::StrCat(std::string(name), "[", i, "]"),
                    absl::StrCat("is ", Shortest(value), "; they must increase and lie in (",
                                 Shortest(low), ", ", Shortest(high), ")"));
      }
      previous = value;
    }
    *values = *list;
  }
  resolved_[std::string(name)] = *values;
}

const std::vector<double>* Options::List(std::string_view name, Index size, double low,
                                         double high) {
  Declare(name, OptionKind::kNumbers, absl::StrCat("a list of numbers, each ", NumberIn(low, high)),
          std::nullopt);
  const OptionValue* option = Find(name);
  if (option == nullptr) return nullptr;
  const auto* list = std::get_if<std::vector<double>>(option);
  if (list == nullptr || static_cast<Index>(list->size()) != size) {
    Fail(name, MustBe(absl::StrCat("a list of ", size, " numbers"), *option));
    return nullptr;
  }
  if (!EachIn(name, *list, 0, low, high)) return nullptr;
  resolved_[std::string(name)] = *list;
  return list;
}

const std::vector<double>* Options::Table(std::string_view name, Index rows, Index columns,
                                          double low, double high) {
  Declare(name, OptionKind::kTable,
          absl::StrCat("rows × columns of numbers, each ", NumberIn(low, high)), std::nullopt);
  const OptionValue* option = Find(name);
  if (option == nullptr) return nullptr;
  const auto* table = std::get_if<NumberTable>(option);
  if (table == nullptr || table->rows != rows || table->columns != columns ||
      static_cast<Index>(table->numbers.size()) != rows * columns) {
    Fail(name, MustBe(absl::StrCat(rows, " × ", columns, " numbers"), *option));
    return nullptr;
  }
  if (!EachIn(name, table->numbers, columns, low, high)) return nullptr;
  resolved_[std::string(name)] = *table;
  return &table->numbers;
}

bool Options::EachIn(std::string_view name, const std::vector<double>& numbers, Index columns,
                     double low, double high) {
  const auto wrong = std::find_if(numbers.begin(), numbers.end(),
                                  [&](double v) { return !(low <= v && v <= high); });
  if (wrong == numbers.end()) return true;
  const Index at = wrong - numbers.begin();
  const std::string place =
      columns > 0 ? absl::StrCat(at / columns, ",", at % columns) : absl::StrCat(at);
  Fail(absl::StrCat(std::string(name), "[", place, "]"), MustBe(NumberIn(low, high), *wrong));
  return false;
}

void Options::PositiveOrWord(std::string_view name, double* value, std::string* word,
                             std::initializer_list<std::string_view> words, double high) {
  const std::string wanted = absl::StrCat(PositiveUpTo(high), " or one of ", OneOf(words));
  Declare(name, OptionKind::kNumberOrWord, wanted,
          word->empty() ? OptionValue(*value) : OptionValue(*word), words);
  if (const OptionValue* option = Find(name)) {
    const double* number = std::get_if<double>(option);
    const std::string* text = std::get_if<std::string>(option);
    const bool is_number = number != nullptr && 0 < *number && *number <= high;
    const bool is_word =
        text != nullptr && std::find(words.begin(), words.end(), *text) != words.end();
    if (!is_number && !is_word) {
      return Fail(name, MustBe(wanted, *option));
    }
    *value = is_number ? *number : 0;
    *word = is_word ? *text : "";
  }
  std::string key(name);
  if (word->empty()) {
    resolved_[key] = *value;
  } else {
    resolved_[key] = *word;
  }
}

bool Options::Has(std::string_view name) const {
  if (record_ != nullptr) record_->asked.emplace_back(name);
  return config_.options.count(std::string(name)) > 0;
}

void Options::Fail(std::string_view name, std::string_view description) {
  if (record_ != nullptr) record_->failed.emplace_back(name);
  if (!status_.ok()) return;
  status_ = FieldError(absl::StrCat(path_, ".options.", std::string(name)), description);
}

absl::Status Options::Finish() const {
  if (!status_.ok()) return status_;
  for (const auto& option : config_.options) {
    const std::string& name = option.first;
    if (known_.contains(name)) continue;
    const std::string field = absl::StrCat(path_, ".options.", name);
    std::string description = absl::StrCat("is not an option of ", config_.name);
    if (known_.empty()) return FieldError(field, absl::StrCat(description, ", which has none"));
    const std::string_view start = std::string_view(name).substr(0, kLongestName);
    const auto nearest =
        std::min_element(known_.begin(), known_.end(), [&start](const auto& a, const auto& b) {
          return EditDistance(start, a) < EditDistance(start, b);
        });
    const bool near =
        IsNear(EditDistance(start, *nearest), std::max(start.size(), nearest->size()));
    const std::string guess = near ? absl::StrCat("; did you mean \"", *nearest, "\"?") : ".";
    return FieldError(field,
                      absl::StrCat(description, guess, " It has: ", absl::StrJoin(known_, ", ")));
  }
  return absl::OkStatus();
}

}  // namespace prequel
