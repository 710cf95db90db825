// SPDX-License-Identifier: Apache-2.0

/**
 * Installs the command line as `tilewright` for this user: bundles it beside the launcher, so that it survives the
 * checkout, and hands Deno the bundle with V8's flags and the permissions that it needs. Command lines that
 * need more get it from the launcher, except on Windows: there Deno asks. Arguments go to `deno install` as they are, for
 * example `--root FOLDER`.
 *
 * @module
 */

import { join, resolve } from "@std/path";
import { MORE_PERMISSIONS, PERMISSIONS, V8_FLAGS } from "../cli/restart.ts";
import { bundleParts, PARTS_MAIN } from "./bundle.ts";
import { denoThrough } from "./steps.ts";

/** Where `deno install` puts launchers: below the folder of `--root`, of the environment, or of Deno. */
function installRoot(): string {
  const at = Deno.args.findIndex((arg) => arg === "--root" || arg.startsWith("--root="));
  const given = at < 0 ? undefined : Deno.args[at]?.split("=")[1] ?? Deno.args[at + 1];
  const home = Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE") ?? ".";
  return given ?? Deno.env.get("DENO_INSTALL_ROOT") ?? join(home, ".deno");
}

/**
 * A launcher of `deno install` for a POSIX shell that gives further permissions to the command lines that need them,
 * and to no others.
 *
 * @throws {RangeError} if the text is no such launcher
 */
export function withMorePermissions(launcher: string): string {
  const start = "exec deno run ";
  const [before, line, ...others] = launcher.split(new RegExp(`^(?=${start})`, "m"));
  if (before === undefined || line === undefined || others.length > 0) {
    throw new RangeError(`Cannot find one start of Deno in the launcher:\n${launcher}`);
  }
  const cases = MORE_PERMISSIONS.map(({ words, permissions }) => {
    const more = permissions.filter((each) => !PERMISSIONS.includes(each)).map((each) => `'${each}' `).join(
      "",
    );
    const run = line.trimEnd().replace(start, start + more);
    return `if printf '%s' " $* " | grep -Eq -- '${words}'; then\n  ${run}\nfi\n`;
  });
  return [before, ...cases, line].join("");
}

async function install(): Promise<number> {
  const folder = resolve(installRoot(), "share", "tilewright");
  const reason = await bundleParts(folder);
  if (reason !== undefined) {
    console.error(reason);
    return 1;
  }
  const installed = await denoThrough([
    "install",
    "--global",
    "--force",
    "--no-config",
    `--v8-flags=${V8_FLAGS}`,
    ...PERMISSIONS,
    "--name=tilewright",
    ...Deno.args,
    join(folder, PARTS_MAIN),
  ]);
  if (installed === 0 && Deno.build.os !== "windows") {
    const launcher = join(installRoot(), "bin", "tilewright");
    await Deno.writeTextFile(launcher, withMorePermissions(await Deno.readTextFile(launcher)));
  }
  return installed;
}

if (import.meta.main) Deno.exitCode = await install();
