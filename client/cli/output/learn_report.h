// What a learning run has achieved so far, and how it is told.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/cli/output/running_scores.h"
#include "prequel/v1/learning_service.pb.h"
#include "prequel/v1/model_service.pb.h"

namespace prequel::cli {

// A minibatch as the file has it.
struct SentBatch {
  std::int64_t number = 0;  // in the file, or behind --skip, from 1
  std::int64_t rows = 0;
  std::int64_t first_line = 0;
  std::vector<std::int64_t> lines = {};  // where each row begins, if that is known
};

// Collects the answers of one run. Each method that returns text returns it ready to print, or
// "" when there is nothing to say.
class LearnReport {
 public:
  // A line of the prequential table after every `every` minibatches; 0 for no table. `every` is
  // also the length of the table's window.
  LearnReport(std::string model, std::size_t every);

  // The table's next line, with its header before the first.
  std::string Learned(const SentBatch& batch, std::int64_t revision, const v1::Scores& scores,
                      const v1::StepReport& step);
  // Refused: the minibatch was refused as a whole. The first thousand are remembered with what was
  // wrong, and with its line where it was one row.
  void Refused(const SentBatch& batch, const absl::Status& status);
  void Interrupted() { interrupted_ = true; }
  // Resumed: an earlier run of this producer has sent `rows` rows, and this one begins behind them.
  void Resumed(const std::string& producer, std::int64_t rows);
  // Resumable: the same command would go on where this run stops.
  void Resumable() { resumable_ = true; }

  // Evaluated gives the report the model, and its evaluation once the run is over.
  void Evaluated(const v1::Model& model, const v1::GetEvaluationResponse& evaluation);

  // "12,345 rows, 43,210 rows/s, nll 0.1234"
  std::string Progress() const;
  // The final table.
  std::string Totals() const;
  // Everything as one JSON document, `outcome` being how the run ended.
  std::string Json(const absl::Status& outcome) const;

  bool interrupted() const { return interrupted_; }
  std::int64_t refused() const { return refused_; }            // minibatches
  std::int64_t refused_rows() const { return refused_rows_; }  // of those that were learned

 private:
  struct Refusal {
    std::int64_t number, first_line, rows;  // of the minibatch
    std::int64_t line;                      // of the row that was wrong; 0: not known
    std::string message;
    std::string code;
  };
  struct RowRefusal {
    std::int64_t number;  // of the minibatch
    std::int64_t line;    // where the row begins; 0: not known
    std::string label, reason;
  };
  struct Line {
    std::int64_t batches;
    std::int64_t rows;
    v1::Scores total;
    v1::Scores recent;
  };

  void KeepRefusedRows(const SentBatch& batch, const v1::StepReport& step);
  std::string RefusedText() const;
  std::string RefusedRowsText() const;
  double seconds() const;
  std::string Header(const Line& line) const;
  std::string Text(const Line& line) const;

  const std::string model_;
  const std::size_t every_;
  const std::chrono::steady_clock::time_point start_;

  RunningScores scores_;
  std::int64_t batches_ = 0;
  std::int64_t rows_ = 0;  // learned from
  std::int64_t skipped_rows_ = 0;
  std::int64_t unseen_categories_ = 0;
  std::int64_t answered_rows_ = 0;  // learned, skipped or refused: what --skip passes over
  std::int64_t revision_ = 0;
  std::string phase_;  // of the rule after the last minibatch, when it has phases
  std::int64_t refused_ = 0;
  std::vector<Refusal> refusals_;
  std::int64_t refused_rows_ = 0;
  std::vector<RowRefusal> row_refusals_;  // the first thousand of those that the server names
  std::vector<Line> lines_;
  std::string producer_;  // whom the run resumed, if any
  std::int64_t resumed_rows_ = 0;
  bool resumable_ = false;
  bool interrupted_ = false;
  v1::GetEvaluationResponse evaluation_;  // empty: not known
  std::string dataset_note_;              // of the rule's dataset_size, where it is wrong
};

}  // namespace prequel::cli
