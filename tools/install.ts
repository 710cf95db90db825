// SPDX-License-Identifier: Apache-2.0

/**
 * Installs the command line as `tilewright` for this user: bundles it and hands Deno the bundle with V8's flags and the
 * permissions that it needs. Arguments go to `deno install` as they are, for example `--root FOLDER`.
 *
 * @module
 */

import { PERMISSIONS, V8_FLAGS } from "../cli/restart.ts";
import { denoThrough } from "./steps.ts";

Deno.exitCode = await denoThrough(["run", "-A", "tools/bundle.ts"]) || await denoThrough([
  "install",
  "--global",
  "--force",
  `--v8-flags=${V8_FLAGS}`,
  ...PERMISSIONS,
  "--name=tilewright",
  ...Deno.args,
  "dist/tilewright.js",
]);
