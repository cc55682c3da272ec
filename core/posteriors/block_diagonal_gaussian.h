// N(mean, blockdiag(P_1, …, P_L)), one dense covariance per layer: O(Σ D_ℓ²) memory. Weights of
// different layers are independent, which is what is lost against the full posterior.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/linalg/types.h"
#include "core/models/layer.h"
#include "core/posteriors/carrying.h"
#include "core/posteriors/full_gaussian.h"
#include "core/posteriors/posterior_defaults.h"
#include "core/random/philox.h"

namespace prequel {

class BlockDiagonalDivergence;
class BlockDiagonalSampler;
class LocalBlockDiagonal;

struct BlockDiagonalGaussian : PosteriorDefaults {
  static constexpr std::string_view kName = "block_diagonal";
  static constexpr bool kDiffuses = true;

  using Projector = LocalBlockDiagonal;
  using Sampler = BlockDiagonalSampler;
  using Divergence = BlockDiagonalDivergence;

  struct Block {
    Matrix covariance;  // D_ℓ × D_ℓ; only the lower triangle is ever read

    Index size() const { return covariance.rows(); }

    template <class A, class Self>
    static void Fields(A& a, Self& s) {
      a.LowerTriangle("covariance", s.covariance);
    }
  };

  Vector mean;                // D
  std::vector<Block> blocks;  // of the layers, first to last

  // Configure takes a block per layer.
  absl::Status Configure(Options& options, const Layers& layers);
  absl::Status CheckSize(Index params) const;
  // FromDiagonal is N(mean, diag(variances)) in the blocks of this one.
  BlockDiagonalGaussian FromDiagonal(const Vector& mean, const Vector& variances) const;

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("mean", s.mean);
    a.Value("blocks", s.blocks);
  }

  Index size() const { return mean.size(); }
  Index num_correlated() const { return size(); }
  static double SpreadNumbers(const Layers& layers);  // Σ d², of the layers' d weights
  bool IsFinite() const;
  bool IsSound(Index params) const;
  bool HasShapeOf(const BlockDiagonalGaussian& other) const;

  void Diffuse(const Vector& keep, const Vector& added, Matrix& scratch);
  absl::Status Carry(const Carrying& by, CarryingScratch& w);
};

// BlockDiagonalSampler draws mean + blockdiag(L_1, …) z with L_ℓ L_ℓᵀ = P_ℓ.
class BlockDiagonalSampler {
 public:
  absl::Status Prepare(const BlockDiagonalGaussian& posterior);
  void Draw(const Stream& stream, Vector& theta);

 private:
  Vector mean_, normal_;
  std::vector<Matrix> factors_;
};

// BlockDiagonalDivergence is KL(q ‖ p) in nats, the sum of the blocks'. REQUIRES: q.HasShapeOf(p).
class BlockDiagonalDivergence {
 public:
  double Kl(const BlockDiagonalGaussian& q, const BlockDiagonalGaussian& p);

 private:
  FullDivergence block_;
  Vector moved_;
};

}  // namespace prequel
