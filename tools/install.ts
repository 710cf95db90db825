// SPDX-License-Identifier: Apache-2.0

/**
 * Installs the command line as `tilewright` for this user: bundles it, copies the bundle beside the launcher, so that it
 * survives the checkout, and hands Deno the copy with V8's flags and the permissions that it needs. Arguments go to
 * `deno install` as they are, for example `--root FOLDER`.
 *
 * @module
 */

import { join } from "@std/path";
import { PERMISSIONS, V8_FLAGS } from "../cli/restart.ts";
import { denoThrough, ROOT } from "./steps.ts";

/** Where `deno install` puts launchers: below the folder of `--root`, of the environment, or of Deno. */
function installRoot(): string {
  const at = Deno.args.findIndex((arg) => arg === "--root" || arg.startsWith("--root="));
  const given = at < 0 ? undefined : Deno.args[at]?.split("=")[1] ?? Deno.args[at + 1];
  const home = Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE") ?? ".";
  return given ?? Deno.env.get("DENO_INSTALL_ROOT") ?? join(home, ".deno");
}

async function install(): Promise<number> {
  const bundled = await denoThrough(["run", "-A", "tools/bundle.ts"]);
  if (bundled !== 0) return bundled;
  const folder = join(installRoot(), "share", "tilewright");
  await Deno.mkdir(folder, { recursive: true });
  const program = join(folder, "tilewright.js");
  await Deno.copyFile(join(ROOT, "dist", "tilewright.js"), program);
  return await denoThrough([
    "install",
    "--global",
    "--force",
    "--no-config",
    `--v8-flags=${V8_FLAGS}`,
    ...PERMISSIONS,
    "--name=tilewright",
    ...Deno.args,
    program,
  ]);
}

Deno.exitCode = await install();
