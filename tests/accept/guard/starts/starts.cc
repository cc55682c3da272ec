#include "tests/accept/guard/starts/starts.h"

namespace prequel::accept {

void BearStarts(Report& report) {
  report.Section("a bystander beside what a server finds when it starts");
  report.Describe(
      "The same bystander, quiet for 4 s. Then the server is killed, what is in its directory is "
      "changed, it is started again, and the bystander goes on for 8 s.");
  ReplayHeavyLogs(report);
  ServeBesideDamage(report);
}

}  // namespace prequel::accept
