// SPDX-License-Identifier: Apache-2.0

/**
 * Compiles the command line into one executable per platform, under `dist/bin/`. What is compiled is the bundle, 5 MB:
 * from the sources Deno embeds every package of the lock file, those of tests included, another 43 MB.
 *
 * A build counts as done only if the file was started and answered `--version` with our version. A runtime of the wrong
 * kind makes files that look right and are not our program, so nothing is believed unseen: what cannot be started on
 * this machine is kept under `dist/unverified/` and reported as not done. Run it on each platform with `--target=host`.
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import { dirname, join } from "@std/path";
import { PERMISSIONS, V8_FLAGS } from "../cli/restart.ts";
import { bundleParts, PARTS_MAIN } from "./bundle.ts";
import { deno, type Finished, outputOf, ROOT, run, VERSION_LINE, withTempDir } from "./steps.ts";

/** The platforms that `deno compile` knows. */
const TARGETS: readonly string[] = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
  "x86_64-pc-windows-msvc",
];

/** What became of one target: `undefined` when done, else the reason. */
type Failure = string | undefined;

/** @param main of the bundle */
async function build(target: string, main: string): Promise<Failure> {
  const name = `tilewright-${target}${target.includes("windows") ? ".exe" : ""}`;
  const raw = join(ROOT, "dist", "unverified", name);
  await Deno.mkdir(dirname(raw), { recursive: true });
  console.error(
    `${target}: waiting for its runtime from dl.deno.land, unless DENORT_BIN names it`,
  );
  const made = await deno([
    "compile",
    "--quiet",
    "--no-config",
    `--v8-flags=${V8_FLAGS}`,
    ...PERMISSIONS,
    `--target=${target}`,
    `--output=${raw}`,
    main,
  ]);
  if (made.code !== 0) {
    await removed(raw);
    const offline = /dl\.deno\.land|error sending request|connect|dns/i.test(made.stderr);
    return (offline ? "the runtime of this platform cannot be downloaded\n" : "compiling failed\n") +
      outputOf(made);
  }
  const ran = await run(raw, ["--version"]).catch((error: Error): Finished => {
    return { code: -1, stdout: "", stderr: error.message };
  });
  if (ran.code === 0 && ran.stdout.trim() === VERSION_LINE) {
    const done = join(ROOT, "dist", "bin", name);
    await Deno.mkdir(dirname(done), { recursive: true });
    await Deno.rename(raw, done);
    return undefined;
  }
  if (target === Deno.build.target) {
    await removed(raw);
    return `the file does not answer "${VERSION_LINE}" to --version, so it is not our program; removed\n${
      outputOf(ran)
    }`;
  }
  return `built, but cannot be started on ${Deno.build.target}; kept in dist/unverified/ until proven there`;
}

async function removed(path: string): Promise<void> {
  await Deno.remove(path).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
}

async function buildAll(wanted: readonly string[], main: string): Promise<void> {
  for (const name of wanted) {
    const failure = TARGETS.includes(name)
      ? await build(name, main)
      : `unknown target, known are ${TARGETS.join(", ")}`;
    if (failure === undefined) console.log(`done      ${name}`);
    else {
      console.error(`NOT done  ${name}: ${failure.replaceAll("\n", "\n          ")}`);
      Deno.exitCode = 1;
    }
  }
  // Not empty where it keeps what another platform has to prove.
  await Deno.remove(join(ROOT, "dist", "unverified")).catch(() => {});
}

if (import.meta.main) {
  const { target } = parseArgs(Deno.args, { string: ["target"], collect: ["target"] });
  const wanted = target.length === 0 ? TARGETS : target.map((t) => t === "host" ? Deno.build.target : t);
  await withTempDir(async (folder) => {
    const parts = join(folder, "bundle");
    const reason = await bundleParts(parts);
    if (reason === undefined) return await buildAll(wanted, join(parts, PARTS_MAIN));
    console.error(reason);
    Deno.exitCode = 1;
  });
}
