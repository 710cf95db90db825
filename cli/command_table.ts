// SPDX-License-Identifier: Apache-2.0
import type { Command } from "./command.ts";
import { advise } from "./commands/advise.ts";
import { audit } from "./commands/audit.ts";
import { bench } from "./commands/bench.ts";
import { calibrate } from "./commands/calibrate.ts";
import { completions } from "./commands/completions.ts";
import { confirm } from "./commands/confirm.ts";
import { devices } from "./commands/devices.ts";
import { diff } from "./commands/diff.ts";
import { doctor } from "./commands/doctor.ts";
import { explain } from "./commands/explain.ts";
import { layout } from "./commands/layout.ts";
import { lint } from "./commands/lint.ts";
import { mcp } from "./commands/mcp.ts";
import { minimise } from "./commands/minimise.ts";
import { ops } from "./commands/ops.ts";
import { optimize } from "./commands/optimize.ts";
import { price } from "./commands/price.ts";
import { print } from "./commands/print.ts";
import { report } from "./commands/report.ts";
import { serve } from "./commands/serve.ts";
import { simulate } from "./commands/simulate.ts";

/**
 * Every command, in the order of help. Help, docs/cli.md and completions are generated from this table.
 *
 * To add one: describe it in `cli/commands/NAME.ts` (data only, so that `--help` stays quick), put its code
 * into `cli/run/NAME.ts` as `run`, and list it here.
 */
export const COMMANDS: readonly Command[] = [
  optimize,
  simulate,
  confirm,
  diff,
  explain,
  advise,
  report,
  doctor,
  minimise,
  lint,
  print,
  layout,
  ops,
  price,
  serve,
  mcp,
  audit,
  calibrate,
  devices,
  bench,
  completions,
];
