// Denormal numbers cost a hundred cycles an operation, and a saturated network is full of them.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace prequel {

// While a FlushDenormals lives, this thread's floating-point unit takes and gives 0 for magnitudes
// below 2.3e-308. Updates and predictions run under it without exception, so that replay computes
// what learning did.
class FlushDenormals {
 public:
#if defined(__SSE2__)
  FlushDenormals() : saved_(_mm_getcsr()) { _mm_setcsr(saved_ | kFlushToZero | kDenormalsAreZero); }
  ~FlushDenormals() { _mm_setcsr(saved_); }
#else
  FlushDenormals() = default;
#endif
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

#if defined(__SSE2__)
 private:
  static constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;
  const unsigned saved_;
#endif
};

}  // namespace prequel
