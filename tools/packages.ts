// SPDX-License-Identifier: Apache-2.0

/**
 * Makes the packages of the command line in `dist`: a wheel for pip and a package for npm, each the bundle with a launcher
 * that runs it on the registry's own deno. A package counts as made only if it is installed into an empty folder and
 * answers there; that downloads deno (42 MB) from PyPI and npm.
 *
 * @module
 */

import { join } from "@std/path";
import config from "../deno.json" with { type: "json" };
import { MORE_PERMISSIONS, PERMISSIONS, V8_FLAGS } from "../cli/restart.ts";
import { bundleParts } from "./bundle.ts";
import { copyInto, type Finished, outputOf, ROOT, run, VERSION_LINE, withTempDir } from "./steps.ts";

const PARTS = join(ROOT, "tools", "packages");
const MODEL = join(ROOT, "testdata", "models", "mnist.mlir");

/** What the launchers give deno. */
const LAUNCH = {
  v8Flags: V8_FLAGS,
  permissions: PERMISSIONS,
  more: MORE_PERMISSIONS,
};

class Unmade extends Error {}

async function must(what: string, finished: Promise<Finished>): Promise<string> {
  const { code, ...rest } = await finished;
  if (code !== 0) throw new Unmade(`Cannot ${what}:\n${outputOf({ code, ...rest })}`);
  return rest.stdout;
}

/** An installed command answers with our version, and decides a model. */
async function prove(what: string, program: string, args: readonly string[], folder: string): Promise<void> {
  const said = await must(`ask the version of ${what}`, run(program, [...args, "--version"], folder));
  if (said.trim() !== VERSION_LINE) throw new Unmade(`Cannot use ${what}: it answers ${said}`);
  const plan = await must(
    `optimize with ${what}`,
    run(program, [...args, "optimize", MODEL, "--policy", "greedy", "--json"], folder),
  );
  if (JSON.parse(plan).schema !== "tilewright.plan/1") throw new Unmade(`Cannot use ${what}: no plan`);
}

async function addProgram(bundled: string, folder: string): Promise<void> {
  await copyInto(bundled, folder);
  await Deno.writeTextFile(join(folder, "launch.json"), `${JSON.stringify(LAUNCH, null, 2)}\n`);
}

/** The wheel in `dist`, installed into an empty virtual environment. */
async function makeWheel(bundled: string, work: string): Promise<string> {
  const source = join(work, "python");
  await copyInto(join(PARTS, "python"), source);
  await Deno.writeTextFile(join(source, "VERSION"), config.version);
  await addProgram(bundled, join(source, "tilewright"));
  const dist = join(ROOT, "dist");
  await must(
    "make the wheel",
    run("python3", ["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", dist, source]),
  );
  const wheel = join(dist, `tilewright-${config.version}-py3-none-any.whl`);
  const environment = join(work, "venv");
  await must("make a virtual environment", run("python3", ["-m", "venv", environment]));
  const bin = join(environment, Deno.build.os === "windows" ? "Scripts" : "bin");
  await must("install the wheel", run(join(bin, "python"), ["-m", "pip", "install", "--quiet", wheel], work));
  await prove("the wheel", join(bin, "tilewright"), [], work);
  return wheel;
}

/** The package of npm in `dist`, installed into an empty folder. */
async function makeNpm(bundled: string, work: string): Promise<string> {
  const source = join(work, "npm");
  await copyInto(join(PARTS, "npm"), source);
  await addProgram(bundled, source);
  const manifest = {
    name: "tilewright",
    version: config.version,
    description: "Layouts, L1 and predicted time of TTNN graphs on Tenstorrent chips, without hardware",
    license: config.license,
    type: "module",
    bin: { tilewright: "launch.mjs" },
    files: ["launch.mjs", "launch.json", "*.js"],
    dependencies: { deno: "^2.9.6" },
  };
  await Deno.writeTextFile(join(source, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  const dist = join(ROOT, "dist");
  await must("pack for npm", run("npm", ["pack", "--silent", "--pack-destination", dist], source));
  const packed = join(dist, `tilewright-${config.version}.tgz`);
  const empty = join(work, "empty");
  await Deno.mkdir(empty);
  await must("install from npm", run("npm", ["install", "--silent", "--prefix", empty, packed], empty));
  await prove("npm's package", "npx", ["--no-install", "tilewright"], empty);
  return packed;
}

if (import.meta.main) {
  await Deno.mkdir(join(ROOT, "dist"), { recursive: true });
  try {
    for (const make of [makeWheel, makeNpm]) {
      const path = await withTempDir(async (work) => {
        const bundled = join(work, "bundle");
        const reason = await bundleParts(bundled);
        if (reason !== undefined) throw new Unmade(reason);
        return await make(bundled, work);
      });
      const { size } = await Deno.stat(path);
      console.log(`${path}: ${Math.ceil(size / 1024)} KiB, answers in an empty folder`);
    }
  } catch (error) {
    if (!(error instanceof Unmade)) throw error;
    console.error(error.message);
    Deno.exitCode = 1;
  }
}
