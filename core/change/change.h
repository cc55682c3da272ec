// What tells that the world has changed: the inputs, the noise, or which hypotheses predict best.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/change/alarm.h"
#include "core/change/block_watch.h"
#include "core/dynamics/hypotheses.h"
#include "core/dynamics/restarts.h"

namespace prequel {

struct ChangeState {
  BlockWatchState watch;   // of the inputs
  BlockWatchState errors;  // of what the targets were less what was predicted
  AlarmState inputs;       // their moments (change/block_watch.h)
  AlarmState unusual;      // errors are; not shown, but no alarm of noise without it
  AlarmState noise;        // it is what late rows tell, rather than what all do
  AlarmState weights;      // beliefs that move, or a restart, are what predicts

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("watch", s.watch);
    a.Value("errors", s.errors);
    a.Value("inputs", s.inputs);
    a.Value("unusual", s.unusual);
    a.Value("noise", s.noise);
    a.Value("weights", s.weights);
  }
};

// BelievedChange says how much is believed of a change, in [0, 1] each.
struct BelievedChange {
  // A belief whose rates are at most this stands still, as far as anybody can tell: in 10,000 rows
  // it adds one prior's variance.
  static constexpr double kStill = 1e-4;

  double moving = 0;      // of beliefs that move
  double late_noise = 0;  // of tracks of the noise with ρ > 0
  double restarted = 0;   // of a restart within the window
};

// ChangeBelievedBy sums up what the hypotheses say. `weights` are as PredictionWeights has them of
// no rows, or as they are believed after rows that were learned: of hypotheses, and of a restart
// where there are any. `window` is in rows.
BelievedChange ChangeBelievedBy(const Hypotheses& of, const Vector& weights,
                                const RestartState& restarts, double window);

// WatchedError is an error in units of the noise, r, as it is watched: z² = log(1 + r²), so that
// heavy tails count little, and the spread of a block of them tells the level of the noise.
double WatchedError(double r);
// ErrorWatch watches the errors of `outputs` outputs. No z is larger than that of an error of seven
// deviations.
BlockWatch ErrorWatch(Index outputs);

// UpdateAlarms raises and clears the alarms of noise and weights, after `rows` more rows: row by
// row beliefs come and go, so the alarms go by averages of some hundred rows. Late rows may tell
// the noise best only because its tails are heavy: so the errors must be unusual, and where the
// weights do not move that is enough. `noise` is what would be found of it.
void UpdateAlarms(const BelievedChange& believed, double rows, std::int64_t revision,
                  const Finding& noise, ChangeState& state);

// How fast a model thinks that its world moves, to be shown.
struct DriftView {
  struct Belief {
    DriftRates rates;
    bool since_restart = false;  // what was learned since the latest restart
    double weight = 0;
  };
  struct Track {
    double rate = 0;  // ρ
    double weight = 0;
  };

  DriftRates rates;                // Σ_k w_k r_k
  std::vector<Belief> beliefs;     // those of the model; with persistence their weights sum to 1
  std::vector<Track> tracks;       // of the noise; their weights sum to 1
  bool restarts = false;           // whether such are thought of; else the rest is 0
  double restart_probability = 0;  // of one within the last `window` rows
  double run_length = 0;           // rows of the run that is believed the most
};

// ViewDrift makes the view of a model that has learned `rows` rows; the other arguments are as
// above.
DriftView ViewDrift(const Hypotheses& of, const Vector& weights, const RestartState& restarts,
                    double window, double rows);

// An alarm, to be shown.
struct AlarmView {
  std::string_view cause;  // "inputs", "noise" or "weights"
  AlarmState state;
  std::string column;  // the name of what moved, of inputs
};

struct ChangeView {
  bool moves = false;  // whether there is a drift to be seen
  DriftView drift;
  std::vector<AlarmView> alarms;  // those that a model like this one has
};

}  // namespace prequel
