// SPDX-License-Identifier: Apache-2.0

/**
 * Processor time (user and system) and peak memory of whole processes of the command line: models of the zoo, files
 * named on the command line, and one encoder layer repeated 1, 2, 4 … 64 and 600 times (15,000 ops), with the exponent
 * by which time grows with depth; programs whose shape makes a search slow; TTIR beside the TTNN that it is lowered to. Where mlir-opt is installed every figure
 * also stands as a ratio to what mlir-opt needs to read and print the same module, so that figures of different
 * machines can be compared.
 *
 *     deno task bench:process [--quick] [--plot] [FILE...]
 *
 * `--plot` measures only programs whose shape makes a search slow, and draws `docs/search-growth.svg`.
 *
 * @module
 */

import { basename, join } from "@std/path";
import { parseModule, printGeneric } from "../lib/ir/mod.ts";
import { lowerModule } from "../lib/lowering/lower_module.ts";
import { chipDescription } from "../sim/devices/device.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { PROJECT_ROOT, systemTool } from "../testing/corpus.ts";
import { type Growth, growthSvg } from "./growth_svg.ts";
import { dump, SPEED_CASES } from "./speed_cases.ts";
import { MODELS } from "../testdata/zoo/zoo.ts";
import { vitB } from "../testdata/zoo/vit_b.ts";

/** Runs of which the least counts. */
const RUNS = 3;
/** Encoder layers: the exponent is fitted to those from {@linkcode FITTED_FROM} on, where start-up weighs little. */
const LAYERS = [1, 2, 4, 8, 16, 32, 64, 600];
const FITTED_FROM = 16;
/** Policies per model of the zoo. */
const POLICIES = ["dram", "greedy", "beam-cost", "auto"];
const ZOO_MODELS = ["mnist", "resnet50", "llama_3_2_1b_prefill", "bert_base"];

/** What one process took. */
interface Usage {
  readonly seconds: number;
  /** `undefined` where the system has no GNU time to tell it. */
  readonly megabytes: number | undefined;
}

const GNU_TIME = systemTool("time");
const MLIR_OPT = systemTool("mlir-opt-22");
const FOLDER = Deno.makeTempDirSync({ prefix: "tilewright-bench-" });

/** The least processor time of some runs of one command. */
function measure(command: string, args: readonly string[], runs: number = RUNS): Usage {
  const all = Array.from({ length: runs }, () => run(command, args));
  const [least] = all.sort((a, b) => a.seconds - b.seconds);
  if (least === undefined) throw new RangeError(`Cannot measure ${command}: no run`);
  return least;
}

/** @throws {Error} when the command cannot be started or says nothing of its time */
function run(command: string, args: readonly string[]): Usage {
  // `times` of a POSIX shell: the second line is what its children used, user and system.
  const timed = GNU_TIME === undefined
    ? [command]
    : [GNU_TIME, "-o", join(FOLDER, "rss"), "-f", "%M", command];
  const { stdout } = new Deno.Command("sh", {
    args: ["-c", '"$@" >/dev/null 2>&1; times', "sh", ...timed, ...args],
    stdout: "piped",
  }).outputSync();
  const spent = [...new TextDecoder().decode(stdout).matchAll(/(\d+)m([\d.]+)s/g)].slice(-2);
  if (spent.length < 2) throw new Error(`Cannot measure ${command}: the shell told no times`);
  const seconds = spent.reduce((sum, [, minutes, rest]) => sum + 60 * Number(minutes) + Number(rest), 0);
  const kilobytes = GNU_TIME === undefined
    ? undefined
    : Number(Deno.readTextFileSync(join(FOLDER, "rss")).trim().split("\n").at(-1));
  return { seconds, megabytes: kilobytes === undefined ? undefined : kilobytes / 1024 };
}

const MAIN = join(PROJECT_ROOT, "cli", "main.ts");

function optimize(path: string, policy: string, runs?: number): Usage {
  const output = join(FOLDER, "out.mlir");
  return measure(
    Deno.execPath(),
    ["run", "-A", MAIN, "optimize", path, "--policy", policy, "-o", output, "--json"],
    runs,
  );
}

/** mlir-opt on the module in the generic form, which it reads without knowing the dialects. */
function reading(path: string): Usage | undefined {
  if (MLIR_OPT === undefined) return undefined;
  const generic = join(FOLDER, "generic.mlir");
  Deno.writeTextFileSync(generic, printGeneric(parseModule(Deno.readTextFileSync(path), path)));
  return measure(MLIR_OPT, ["--allow-unregistered-dialect", generic, "-o", "/dev/null"]);
}

function row(name: string, usage: Usage, read: Usage | undefined): void {
  const ratio = read === undefined || read.seconds === 0 ? "-" : (usage.seconds / read.seconds).toFixed(0);
  const memory = usage.megabytes === undefined ? "-" : usage.megabytes.toFixed(0);
  console.log(
    `${name.padEnd(52)} ${usage.seconds.toFixed(2).padStart(8)} ${memory.padStart(8)} ${ratio.padStart(8)}`,
  );
}

/** Exponent `e` of the least-squares fit of `time = c × layers^e`: 1 is linear. */
function exponent(points: readonly (readonly [number, number])[]): number {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)] as const);
  const mean = (pick: (point: readonly [number, number]) => number): number =>
    logs.reduce((sum, point) => sum + pick(point), 0) / logs.length;
  const [x, y] = [mean(([a]) => a), mean(([, b]) => b)];
  const covariance = logs.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0);
  return covariance / logs.reduce((sum, [a]) => sum + (a - x) ** 2, 0);
}

/** One encoder layer of ViT, over and over. */
function depth(layers: readonly number[], policy: string): void {
  const points: (readonly [number, number])[] = [];
  for (const count of layers) {
    const path = join(FOLDER, `vit_${count}.mlir`);
    Deno.writeTextFileSync(path, vitB(count));
    const usage = optimize(path, policy, count > 64 ? 1 : RUNS);
    points.push([count, usage.seconds]);
    row(`${count} encoder layers, ${policy}`, usage, reading(path));
  }
  const fitted = points.filter(([count]) => count >= FITTED_FROM);
  if (fitted.length < 2) return;
  const [first, last] = [fitted[0], fitted.at(-1)];
  if (first === undefined || last === undefined) return;
  const perLayer = 1000 * (last[1] - first[1]) / (last[0] - first[0]);
  console.log(
    `${policy}: ${perLayer.toFixed(1)} ms per layer, time grows with layers^${exponent(fitted).toFixed(2)}`,
  );
}

/** Shares of a size, by which growth is seen. */
const SHARES = [1 / 8, 1 / 4, 1 / 2, 1];

/**
 * Programs whose shape makes a search slow ({@linkcode SPEED_CASES}), in several sizes; the largest is to have a bound
 * and to take 3 s and 600 MB at most, a training step 2 s and 5 ms per op.
 */
function speedCases(): readonly Growth[] {
  return SPEED_CASES.map(({ name, size, textOf }) => {
    const points = SHARES.map((share): readonly [number, number] => {
      const count = Math.round(share * size);
      const path = join(FOLDER, "speed_case.mlir");
      Deno.writeTextFileSync(path, textOf(count));
      const usage = optimize(path, "auto", 1);
      row(`${count} ${name}, auto`, usage, undefined);
      return [count, usage.seconds];
    });
    console.log(`${name}: time grows with size^${exponent(points).toFixed(2)}`);
    return { name, points };
  });
}

/** The same graph as TTIR and as the TTNN that it is lowered to. */
function lowering(ops: number): void {
  const ttir = join(FOLDER, "dump_ttir.mlir");
  const ttnn = join(FOLDER, "dump_ttnn.mlir");
  const text = dump(ops);
  Deno.writeTextFileSync(ttir, text);
  Deno.writeTextFileSync(ttnn, lowerModule(parseModule(text, ttir), chipDescription(getDevice("n150"))));
  const [front, read] = [optimize(ttir, "dram", 1), optimize(ttnn, "dram", 1)];
  row(`${ops} ops of TTIR, dram`, front, reading(ttir));
  row(`${ops} ops of the TTNN that it becomes, dram`, read, reading(ttnn));
  console.log(`TTIR takes ${(front.seconds / read.seconds).toFixed(2)} times what its TTNN takes`);
}

if (import.meta.main) {
  const isQuick = Deno.args.includes("--quick");
  const files = Deno.args.filter((arg) => !arg.startsWith("--"));
  if (MLIR_OPT === undefined) console.log("skipped: ratios to mlir-opt-22, which is not installed");
  if (GNU_TIME === undefined) console.log("skipped: peak memory, for want of GNU time");
  console.log(`${"".padEnd(52)} ${"cpu s".padStart(8)} ${"MB".padStart(8)} ${"mlir-opt".padStart(8)}`);
  const isPlot = Deno.args.includes("--plot");
  try {
    if (isPlot) {
      await Deno.writeTextFile(join(PROJECT_ROOT, "docs", "search-growth.svg"), growthSvg(speedCases()));
    }
    const zoo = ZOO_MODELS.map((name) => new URL(`${name}.mlir`, MODELS).pathname);
    for (const path of isPlot ? [] : files.length > 0 ? files : zoo) {
      const read = reading(path);
      for (const policy of POLICIES) row(`${basename(path)}, ${policy}`, optimize(path, policy), read);
    }
    if (files.length === 0 && !isPlot) {
      speedCases();
      depth(isQuick ? LAYERS.filter((count) => count <= 64) : LAYERS, "beam-cost");
      lowering(isQuick ? 1500 : 15_000);
    }
  } finally {
    Deno.removeSync(FOLDER, { recursive: true });
  }
}
