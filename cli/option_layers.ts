// SPDX-License-Identifier: Apache-2.0
import { inputError, isRecord } from "../lib/diagnostics/diagnostic.ts";
import { didYouMean } from "./closest.ts";
import { type Command, type OptionSpec, type OptionValue, UsageError } from "./command.ts";
import type { Host } from "./host.ts";
import { type OptionLayer, readOptionText } from "./option_values.ts";

const CONFIG_FILE = "tilewright.jsonc";

const COMMAND_LINE_ONLY: ReadonlySet<string> = new Set(["help", "config", "print-config"]);

/** Options whose value is a pipeline string of ttmlir-opt: `key=value key=value …`. */
const PIPELINE_OPTIONS = ["ttir-to-ttnn-runtime-pipeline", "ttir-to-ttnn-backend-pipeline"] as const;

const PERFORMANCE = "predicted times of ops are in --json, and in simulate --emit perf-csv";
const KERNELS = "kernels that D2M generates have no model of time or L1";
const LOWERED = "the lowering from TTIR always writes what kernels take";
const CODE = "--emit ttnn-python writes the program";

/**
 * Options of ttmlir-opt's pipelines from TTIR to TTNN that change nothing here, each with the reason
 * (tt-mlir:options).
 */
export const UNUSED_WORDS: ReadonlyMap<string, string> = new Map([
  ["check-unique-locs", "an override applies to every op of its location name that can take it"],
  ["mesh-topology", "the topology is that of the machine (--device)"],
  ["enable-trace", "times are those of a traced program (simulate --no-trace shows the others)"],
  ["disable-workarounds", LOWERED],
  ["enable-layout-workaround-pass", LOWERED],
  ["enable-decomposition-workaround-pass", LOWERED],
  ["enable-ttnn-decomposition-pass", LOWERED],
  [
    "composite-resolution",
    "composites are lowered as upstream does with its op model, where their op is legal",
  ],
  ["enable-implicit-broadcast-folding-pass", "broadcasts always fold into ops that broadcast by themselves"],
  ["enable-dram-space-saving-optimization-pass", "no pass here saves DRAM; banks that overflow are reported"],
  ["enable-quant-dequant-conversion-pass", "quantized ops are lowered one by one"],
  ["target-bit-width", "quantized types keep the width that they have in the input"],
  ["enable-matmul-program-config", "blocks of matmuls are decided with the plan (--free +configs)"],
  ["enable-permute-slice-after-matmul-fusion", "no pass here moves a slice in front of a matmul"],
  ["enable-create-d2m-subgraphs", KERNELS],
  ["enable-d2m-elementwise-fusion", KERNELS],
  ["enable-d2m-fusing-pass", KERNELS],
  ["enable-remove-dead-values", "graph passes always erase unused ops"],
  ["enable-cpu-hoisted-const-eval", "const-eval is priced on the device; that changes loading only"],
  ["experimental-kv-cache-dtype", "caches keep the format that they have in the input"],
  ["enable-activation-dtype-lowering", "activations keep the format that they have in the input"],
  ["enable-bfp8-conversion", "only weights change their format (--experimental-weight-dtype)"],
  ["max-fallback-attempts", "every layout of a plan was accepted by the op model, so none falls back"],
  ["use-mock-allocator-state", "plans are always placed in L1 by address"],
  ["enable-compile-time-stats", "bench counts the queries of each policy"],
  ["ttnn-perf-metrics-enabled", PERFORMANCE],
  ["ttnn-perf-metrics-output-file", PERFORMANCE],
  ["ttnn-perf-metrics-verbose-output-enabled", PERFORMANCE],
  ["enable-optimization-passes", "functions for the host are not compiled here"],
  ...("target-dylib target-module tuplify-input-if-empty load-input-tensors-from-disk tensor-load-directory " +
    "tensor-load-file-prefix try-recover-structure split-files").split(" ").map((name) =>
      [name, CODE] as const
    ),
]);

/**
 * All sources of options besides flags, strongest first: pipeline strings, environment variables
 * (`--beam-width` is `TILEWRIGHT_BEAM_WIDTH`), the nearest `tilewright.jsonc` at or above the working folder.
 *
 * @param commands all commands; a key of the file with a command's name holds options for it alone
 * @throws {UsageError} for values that an option does not take
 * @throws {DiagnosticError} if the file is not JSON with comments
 */
export async function lowerLayers(
  host: Host,
  specs: readonly OptionSpec[],
  command: Command,
  commands: readonly Command[],
  commandLine: OptionLayer,
): Promise<{ readonly layers: readonly OptionLayer[]; readonly warnings: readonly string[] }> {
  const warnings: string[] = [];
  const settable = specs.filter((spec) => !COMMAND_LINE_ONLY.has(spec.name));
  const layers: OptionLayer[] = [];
  for (const name of PIPELINE_OPTIONS) {
    const text = commandLine.values.get(name);
    if (typeof text !== "string") continue;
    if (name.includes("backend")) {
      warnings.push(`--${name} is the deprecated name of --${PIPELINE_OPTIONS[0]}`);
    }
    const layer = pipelineLayer(text, name, settable, warnings);
    layers.push(layer);
    for (const [option, value] of layer.values) {
      const given = commandLine.values.get(option);
      if (given === undefined || String(given) === String(value)) continue;
      warnings.push(
        `--${name}: what it says about ${option} (${value}) has no effect here: --${option} ${given} decides`,
      );
    }
  }
  layers.push(...environmentLayers(host, settable));
  const config = await readConfig(host, commandLine.values.get("config"));
  if (config !== undefined) {
    layers.push(...configLayers(config.path, config.config, settable, command, commands, warnings));
  }
  return { layers, warnings };
}

/**
 * `optimization-level=2 override-output-layout=add_1=l1:interleaved`; keys without an effect here cause a
 * warning that says why.
 */
function pipelineLayer(
  text: string,
  option: string,
  specs: readonly OptionSpec[],
  warnings: string[],
): OptionLayer {
  const words = new Map<string, string>();
  for (const word of text.trim().split(/\s+/).filter((part) => part !== "")) {
    const equals = word.indexOf("=");
    const key = equals === -1 ? word : word.slice(0, equals);
    if (words.has(key)) warnings.push(`--${option}: '${key}' is given again; the last value counts`);
    words.set(key, equals === -1 ? "" : word.slice(equals + 1).replace(/^(["'])(.*)\1$/, "$2"));
    const isKnown = specs.some(({ name, pipeline = [] }) =>
      name === key || pipeline.some((alias) => alias.name === key)
    );
    if (isKnown) continue;
    const reason = UNUSED_WORDS.get(key);
    warnings.push(
      reason === undefined
        ? `--${option}: '${key}' is not known here and has no effect${
          didYouMean(key, specs.map((candidate) => candidate.name))
        }`
        : `--${option}: '${key}' has no effect here: ${reason}`,
    );
  }
  const values = new Map<string, OptionValue>();
  for (const spec of specs) {
    const value = words.get(spec.name) ?? pipelineValue(spec, words, option, warnings);
    if (value !== undefined) values.set(spec.name, readOptionText(spec, [value], ` in --${option}`));
  }
  return { origin: `--${option}`, values };
}

/**
 * Value of an option in ttmlir-opt's pipeline syntax; of several, the one with the highest precedence.
 *
 * @throws {UsageError} for an invalid value
 */
function pipelineValue(
  { pipeline = [] }: OptionSpec,
  words: ReadonlyMap<string, string>,
  option: string,
  warnings: string[],
): string | undefined {
  let found: string | undefined;
  let weaker: string | undefined;
  for (const { name, values, takesOurs, yieldsTo = "" } of pipeline) {
    const word = words.get(name);
    if (word === undefined) continue;
    if (words.has(yieldsTo)) {
      warnings.push(`--${option}: '${name}' has no effect here: '${yieldsTo}' decides`);
      continue;
    }
    const value = values[word] ?? (takesOurs ? word : undefined);
    if (value !== undefined && weaker !== undefined) {
      warnings.push(`--${option}: '${weaker}' has no effect here: '${name}' decides`);
    }
    found = value ?? found;
    if (value !== undefined && takesOurs) weaker = name;
    const known = pipeline.filter((alias) => alias.name === name);
    if (known.some((alias) => alias.takesOurs || alias.values[word] !== undefined)) continue;
    const allowed = known.flatMap((alias) => Object.keys(alias.values)).filter((value) => value !== "");
    throw new UsageError(`Option ${name} in --${option} is one of ${allowed.join(", ")}, not '${word}'`);
  }
  return found;
}

function environmentLayers(host: Host, specs: readonly OptionSpec[]): OptionLayer[] {
  return specs.flatMap((spec) => {
    const variable = `TILEWRIGHT_${spec.name.toUpperCase().replaceAll("-", "_")}`;
    const text = host.environment(variable);
    if (text === undefined) return [];
    const value = readOptionText(spec, [text], ` from ${variable}`);
    return [{ origin: variable, values: new Map([[spec.name, value]]) }];
  });
}

async function readConfig(host: Host, given: OptionValue | undefined) {
  if (given === "none") return undefined;
  const path = typeof given === "string" ? given : await host.findUpwards(CONFIG_FILE);
  if (path === undefined) return undefined;
  // Not literal: most runs have no such file.
  const { parseJsonc }: typeof import("./jsonc.ts") = await import("./jsonc.ts" satisfies string);
  return { path, config: parseJsonc(await host.readText(path), path) };
}

/** The section of this command first, then the values for every command. */
function configLayers(
  path: string,
  config: unknown,
  settable: readonly OptionSpec[],
  command: Command,
  commands: readonly Command[],
  warnings: string[],
): OptionLayer[] {
  if (!isRecord(config)) {
    throw inputError("config/invalid", `Cannot read ${path}: it must be a JSON object of options`);
  }
  const sections = commands.map(({ name }) => name);
  const elsewhere = new Set(commands.flatMap(({ options }) => options.map(({ name }) => name)));
  const shared = new Map<string, OptionValue>();
  const own = new Map<string, OptionValue>();
  const read = (values: Map<string, OptionValue>, name: string, entry: unknown): boolean => {
    const spec = settable.find((candidate) => candidate.name === name);
    if (spec !== undefined) values.set(name, readConfigValue(spec, entry, path));
    return spec !== undefined;
  };
  for (const [key, value] of Object.entries(config)) {
    if (key === "$schema") continue;
    if (!isRecord(value)) {
      const isKnown = read(shared, key, value) || elsewhere.has(key);
      if (!isKnown) warnings.push(unknownKey(path, key, [...elsewhere]));
    } else if (!sections.includes(key)) {
      warnings.push(unknownKey(path, key, sections));
    } else if (key === command.name) {
      for (const [name, entry] of Object.entries(value)) {
        if (read(own, name, entry)) continue;
        warnings.push(unknownKey(path, `${key}.${name}`, settable.map((candidate) => candidate.name)));
      }
    }
  }
  return [{ origin: `${path} (${command.name})`, values: own }, { origin: path, values: shared }];
}

function unknownKey(path: string, key: string, known: readonly string[]): string {
  return `${path}: '${key}' is not an option and has no effect${didYouMean(key, known)}`;
}

function readConfigValue(spec: OptionSpec, value: unknown, path: string): OptionValue {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (entries.length !== 1 && spec.repeatable !== true) {
    throw new UsageError(`Option --${spec.name} in ${path} takes one value, not a list`);
  }
  const texts = entries.map((entry) => {
    if (typeof entry === "string" || typeof entry === "number" || typeof entry === "boolean") {
      return String(entry);
    }
    throw new UsageError(`Option --${spec.name} in ${path} cannot be ${JSON.stringify(entry)}`);
  });
  return readOptionText(spec, texts, ` in ${path}`);
}
