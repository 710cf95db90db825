// SPDX-License-Identifier: Apache-2.0

/**
 * `deno task mutants [WORDS…]`: makes each mutation in a copy of the project and runs the tests that are to notice it.
 * WORDS restrict it to algorithms or files that contain one of them. Exit code 1 when a mutation survives that is not
 * explained as equivalent. The copy has no corpus beside it, so what kills a mutation is a test of the project itself.
 *
 * @module
 */

import { join } from "@std/path";
import { copyInto, ROOT } from "../steps.ts";
import { allMutants, applyEdit, type Mutant, textsOf } from "./mutants.ts";
import { testsOf } from "./tests.ts";

/** What a copy needs to run tests. */
const PARTS = [
  "deno.json",
  "deno.lock",
  "mod.ts",
  "lib",
  "sim",
  "pipeline",
  "cli",
  "testing",
  "testdata",
  "shims",
  "docs",
];
/** Fixes the seed of property tests, as `deno task test` does: a verdict does not depend on luck. */
const PRELOAD = "testing/property_seed.ts";
const JOBS = 2;
/** A mutation may make a loop endless: tests that take so much longer than without it count as failed. */
const TIMEOUT = { factor: 6, leastMs: 90_000 };

type MutationOutcome = "killed" | "equivalent" | "survived";

async function makeCopy(): Promise<string> {
  const directory = join(await Deno.makeTempDir({ prefix: "mutants" }), "project");
  await Deno.mkdir(directory);
  for (const part of PARTS) await copyInto(join(ROOT, part), join(directory, part));
  return directory;
}

async function testsPass(directory: string, tests: readonly string[], timeoutMs?: number): Promise<boolean> {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--no-check", "--quiet", "--fail-fast", `--preload=${PRELOAD}`, ...tests],
    cwd: directory,
    stdout: "null",
    stderr: "null",
    ...(timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) }),
  }).output();
  return success;
}

async function runMutant(
  directory: string,
  { file, edit, equivalent }: Mutant,
  timeoutMs: number,
): Promise<MutationOutcome> {
  const path = join(directory, file);
  const text = await Deno.readTextFile(path);
  await Deno.writeTextFile(path, applyEdit(text, edit, file));
  try {
    if (!await testsPass(directory, testsOf(file), timeoutMs)) return "killed";
    return equivalent === undefined ? "survived" : "equivalent";
  } finally {
    await Deno.writeTextFile(path, text);
  }
}

async function main(words: readonly string[]): Promise<number> {
  const mutants = (await allMutants()).filter(({ algorithm, file }) =>
    words.length === 0 || words.some((word) => algorithm.includes(word) || file.includes(word))
  );
  const counts: Record<MutationOutcome, number> = { killed: 0, equivalent: 0, survived: 0 };
  const queue = mutants.values();
  /** By tests: ms that they may take. */
  const timeouts = new Map<string, number>();
  const work = async (): Promise<void> => {
    const directory = await makeCopy();
    for (const mutant of queue) {
      const tests = testsOf(mutant.file);
      const key = tests.join();
      let timeoutMs = timeouts.get(key);
      if (timeoutMs === undefined) {
        const started = performance.now();
        if (!await testsPass(directory, tests)) {
          throw new Error(`${key} fails without a mutation: its verdicts would say nothing`);
        }
        timeoutMs = Math.max(TIMEOUT.leastMs, TIMEOUT.factor * (performance.now() - started));
        timeouts.set(key, timeoutMs);
      }
      const outcome = await runMutant(directory, mutant, timeoutMs);
      counts[outcome]++;
      if (outcome === "killed") continue;
      const [find, replacement] = textsOf(mutant.edit);
      console.log(`${outcome}: ${mutant.file} (${mutant.algorithm})\n  - ${find}\n  + ${replacement}`);
      if (mutant.equivalent !== undefined) console.log(`  ${mutant.equivalent}`);
    }
    await Deno.remove(directory, { recursive: true });
  };
  await Promise.all(Array.from({ length: JOBS }, work));
  const share = 100 * counts.killed / Math.max(1, mutants.length);
  console.log(
    `${mutants.length} mutations: ${counts.killed} killed (${share.toFixed(1)} %), ` +
      `${counts.survived} survived, ${counts.equivalent} change nothing`,
  );
  return counts.survived > 0 ? 1 : 0;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
