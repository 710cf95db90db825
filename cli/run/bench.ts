// SPDX-License-Identifier: Apache-2.0
import { DiagnosticError, inputError } from "../../lib/diagnostics/diagnostic.ts";
import { isFaulty } from "../../lib/memory/memory_verdict.ts";
import type { Policy } from "../../lib/policy/policy.ts";
import {
  type BenchComparison,
  byModel,
  compareBench,
  parseBench,
  policyMeans,
  type SavedResult,
  withoutWallTime,
} from "../../pipeline/bench.ts";
import { findDevice } from "../choose_device.ts";
import { EXIT, type ExitCode, type Invocation, type Options, UsageError } from "../command.ts";
import { findModels } from "../find_models.ts";
import type { Host } from "../host.ts";
import { jsonOutput } from "../json_output.ts";
import { readThreshold } from "../option_values.ts";
import { optionsForPolicies } from "../policy_options.ts";
import { createProgress } from "../progress.ts";
import {
  renderBench,
  renderBenchAnnotations,
  renderBenchChanges,
  renderBenchMarkdown,
} from "../render/bench_table.ts";
import { renderDiagnostic } from "../render/diagnostics.ts";
import { plural } from "../render/format.ts";
import { benchSvg } from "../render/bench_svg.ts";
import { styleOf } from "../render/style.ts";
import { benchModel, choosePolicies } from "./bench_models.ts";
import { benchInThreads, type BenchOutcome, carryOut, threadsFor } from "./bench_threads.ts";

export async function run({ host, positionals, options }: Invocation): Promise<ExitCode> {
  const threshold = readThreshold(options.text("threshold"));
  const against = options.text("against");
  const before = against === undefined ? undefined : parseBench(await host.readText(against), against);
  const { results, isWhole } = options.flag("merge")
    ? { results: await mergedResults(host, positionals), isWhole: true }
    : await decideAll(host, options, positionals);
  if (options.given("save")) await save(host, options, results);
  const comparison = before === undefined ? undefined : compareBench(before, results, threshold);
  if (comparison?.compared === 0) {
    throw inputError(
      "bench/nothing-compared",
      `Cannot compare with ${against}: it holds none of these models with these policies on these devices`,
    );
  }
  host.stdout.write(report(host, options, results, comparison));
  if (!isWhole) return EXIT.badInput;
  const failing = options.texts("fail-on").flatMap((text) => text.split(","));
  const isFailing = before === undefined
    ? results.some(({ summary }) => isFaulty(summary.verdict))
    : comparison?.changes.some(({ found }) =>
      failing.length === 0 || found.some((name) => failing.includes(name))
    );
  return isFailing ? EXIT.finding : EXIT.ok;
}

/** Decides every model with every policy; an unreadable model is reported and skipped. */
async function decideAll(
  host: Host,
  options: Options,
  names: readonly string[],
): Promise<{ readonly results: readonly SavedResult[]; readonly isWhole: boolean }> {
  const policies = await choosePolicies(options);
  const policyOptions = optionsForPolicies(host, options, policies);
  const files = shardOf(host, options, await findModels(host, names));
  const results: SavedResult[] = [...await savedBefore(host, options, files, policies)];
  const done = new Set(results.map(({ model }) => model));
  const progress = createProgress(host);
  const waiting = files.filter((name) => !done.has(name));
  let isWhole = true;
  const take = async (outcome: BenchOutcome): Promise<void> => {
    for (const { text, once } of outcome.remarks) once ? host.stderr.once(text) : host.stderr.write(text);
    if (outcome.kind === "done") results.push(...outcome.results);
    else if (outcome.kind === "usage") throw new UsageError(outcome.message);
    else if (outcome.kind === "failed") throw outcome.error;
    else {
      if (files.length === 1) throw new DiagnosticError(outcome.diagnostics);
      isWhole = false;
      for (const diagnostic of outcome.diagnostics) host.stderr.write(renderDiagnostic(diagnostic));
    }
    if (options.flag("resume")) await save(host, options, results);
  };
  const threads = threadsFor(host, options, waiting.length);
  if (threads > 1) {
    progress.stage(`deciding ${plural(waiting.length, "model")} on ${threads} threads`);
    await benchInThreads(host, options, waiting, threads, take);
  } else {
    for (const file of waiting) {
      await take(
        await carryOut(() => benchModel({ host, options }, file, policies, policyOptions, progress)),
      );
    }
  }
  return { results: byModel(results), isWhole };
}

/**
 * Results of models that an earlier run decided with the same policies, for the same device if one is named;
 * other models are decided again.
 */
async function savedBefore(
  host: Host,
  options: Options,
  files: readonly string[],
  policies: readonly Policy[],
): Promise<readonly SavedResult[]> {
  const path = options.text("save");
  if (!options.flag("resume") || path === undefined) {
    if (options.flag("resume")) {
      throw new UsageError("Cannot resume without --save FILE, which holds what is done");
    }
    return [];
  }
  const text = await host.readText(path).catch(() => undefined);
  if (text === undefined) return [];
  const name = options.text("device");
  const device = name === undefined ? undefined : (await findDevice(host, name)).name;
  const wanted = policies.map((policy) => policy.name).join(",");
  return [...Map.groupBy(parseBench(text, path), ({ model }) => model)].flatMap(([model, saved]) => {
    const isSame = saved.map(({ policy }) => policy).join(",") === wanted &&
      saved.every((result) => device === undefined || result.device === device);
    return files.includes(model) && isSame ? saved : [];
  });
}

async function mergedResults(host: Host, files: readonly string[]): Promise<readonly SavedResult[]> {
  const results: SavedResult[] = [];
  for (const file of files) results.push(...parseBench(await host.readText(file), file));
  const keys = results.map(({ model, policy, device }) => [model, policy, device].join(" "));
  const twice = keys.find((key, index) => keys.indexOf(key) !== index);
  if (twice !== undefined) throw new UsageError(`Cannot merge: two files hold ${twice}`);
  return byModel(results);
}

async function save(host: Host, options: Options, results: readonly SavedResult[]): Promise<void> {
  const path = options.text("save");
  if (path !== undefined) {
    await host.writeText(path, documentOf(withoutWallTime(byModel(results)), undefined));
  }
}

function documentOf(results: readonly SavedResult[], comparison: BenchComparison | undefined): string {
  const means = policyMeans(results);
  const devices = [...new Set(results.map(({ device }) => device))];
  const models = [...new Set(results.map(({ model }) => model))];
  const fastest = means.toSorted((a, b) => a.timeAgainstFirst - b.timeAgainstFirst)[0];
  return jsonOutput({
    schema: "tilewright.bench/1",
    input: models,
    device: devices.length === 1 ? devices[0] ?? null : null,
    summary: {
      models: models.length,
      policies: new Set(results.map(({ policy }) => policy)).size,
      fastest: fastest?.policy ?? null,
      ...(comparison === undefined
        ? {}
        : { compared: comparison.compared, worse: comparison.changes.length }),
    },
    results,
    means,
    ...(comparison === undefined ? {} : { changes: comparison.changes }),
  });
}

function report(
  host: Host,
  options: Options,
  results: readonly SavedResult[],
  comparison: BenchComparison | undefined,
): string {
  if (options.flag("json")) return documentOf(results, comparison);
  switch (options.text("format")) {
    case "md":
      return renderBenchMarkdown(results, comparison);
    case "svg":
      return benchSvg(results);
    case "github":
      return renderBenchAnnotations(results, comparison);
    default: {
      const style = styleOf(host, options);
      const table = renderBench(results, policyMeans(results), style);
      return comparison === undefined ? table : `${table}\n${renderBenchChanges(comparison, style)}`;
    }
  }
}

/** `2/8`: every eighth model from the second on. */
function shardOf(host: Host, options: Options, files: readonly string[]): readonly string[] {
  const text = options.text("shard");
  if (text === undefined) return files;
  const [, index, count] = /^(\d+)\/(\d+)$/.exec(text)?.map(Number) ?? [];
  if (index === undefined || count === undefined || index < 1 || index > count) {
    throw new UsageError(`Option --shard needs a part such as 1/8, not '${text}'`);
  }
  const part = files.filter((_, position) => position % count === index - 1);
  if (part.length === 0) {
    host.stderr.write(`remark: part ${text} holds none of the ${plural(files.length, "model")}\n`);
  }
  return part;
}
