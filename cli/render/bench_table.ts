// SPDX-License-Identifier: Apache-2.0
import { isFaulty } from "../../lib/memory/memory_verdict.ts";
import type { BenchChange, BenchComparison, PolicyMean, SavedResult } from "../../pipeline/bench.ts";
import { explainCommand } from "./explain_command.ts";
import {
  type FittedColumn,
  left,
  markdownTable,
  type PlainColumn,
  renderFittedTable,
  right,
} from "./fitted_table.ts";
import {
  formatBytes,
  formatChange,
  formatCount,
  formatPercent,
  formatTime,
  plural,
  timeChange,
} from "./format.ts";
import type { Style } from "./style.ts";
import { againstCell, microsecondsCell, verdictCell } from "./cells.ts";
import { wrapText } from "./wrap_text.ts";

/** A model's file without folder and ending. */
function baseOf(model: string): string {
  return model.replace(/^.*\//, "").replace(/\.mlir$/, "");
}

interface BenchRow extends SavedResult {
  /** Whether its model is another than that of the row above. */
  readonly isNew: boolean;
  /** Whether no faultless plan of its model on its device is faster. */
  readonly isBest: boolean;
}

/** The table of `bench`: models by policies, and each policy's geometric mean. */
export function renderBench(
  results: readonly SavedResult[],
  means: readonly PolicyMean[],
  style: Style,
): string {
  if (results.length === 0) return "No results.\n";
  const devices = [...new Set(results.map(({ device }) => device))];
  const isCsv = style.tables !== undefined;
  const rows = results.map((result, index): BenchRow => ({
    ...result,
    isNew: isCsv || result.model !== results[index - 1]?.model,
    isBest: bestOf(results, result) === result,
  }));
  const footer = means.map(({ policy, timeAgainstFirst }, index) => [
    index === 0 ? "geometric mean" : "",
    policy,
    ...(devices.length > 1 ? [""] : []),
    "",
    formatChange(timeAgainstFirst - 1),
  ]);
  const title = `${style.bold("Policies")} on ${devices.join(", ")} ${
    style.dim("(simulated, nothing was measured)")
  }`;
  const [reference] = means;
  const ofWritten = isAnyWritten(results) ? "; dram, the baseline, is the same graph in DRAM" : "";
  const ofMeans = reference === undefined ? "" : `; means are of times over those of ${reference.policy}`;
  const legend = wrapText(
    `* fastest of those that fit; gray changes are too close to call${ofWritten}${ofMeans}`,
    style.width,
  ).map((line) => style.dim(line)).join("\n");
  const table = renderFittedTable(benchColumns(results, devices.length, style), rows, style, footer);
  return `${title}\n\n${table}\n\n${legend}\n`;
}

/** The columns that the results fill; CSV has the fastest policy in a column of its own. */
function benchColumns(
  results: readonly SavedResult[],
  devices: number,
  style: Style,
): readonly FittedColumn<BenchRow>[] {
  const isCsv = style.tables !== undefined;
  const names = new Set(results.map(({ model }) => model));
  const hasOwnNames = names.size === new Set([...names].map(baseOf)).size && !isCsv;
  // Models that share a name are told by their paths, and so are all in CSV.
  const titleOf = (model: string): string => hasOwnNames ? baseOf(model) : model;
  const only = (isShown: boolean, column: FittedColumn<BenchRow>) => isShown ? [column] : [];
  return [
    left("Model", ({ model, isNew }) => isNew ? titleOf(model) : "", { shrinkTo: 12 }),
    left(
      "Policy",
      ({ policy, isBest }) => isBest && !isCsv ? { text: `${policy} *`, paint: style.bold } : policy,
    ),
    ...only(isCsv, left("Fastest", ({ isBest }) => isBest ? "yes" : "no")),
    ...only(devices > 1, left("Device", ({ device }) => device, { expendable: 3 })),
    left("Fits", ({ summary }) => verdictCell(summary.verdict, style)),
    right("Predicted", ({ summary }) => microsecondsCell(summary.predictedUs)),
    ...only(
      isAnyWritten(results),
      right(
        "Versus written",
        ({ summary: { predictedUs, asWritten } }) =>
          asWritten === undefined ? "–" : againstCell(predictedUs, asWritten.us, asWritten.against, style),
      ),
    ),
    right(
      "Versus dram",
      ({ summary: { predictedUs, baselineUs, againstBaseline } }) =>
        againstCell(predictedUs, baselineUs, againstBaseline, style),
      isAnyWritten(results) ? { expendable: 2 } : {},
    ),
    ...only(
      results.some(({ summary }) => summary.gap !== undefined),
      right("Gap", ({ summary: { gap } }) => gap === undefined ? "" : formatPercent(gap), { expendable: 1 }),
    ),
    right("Reshards", ({ summary }) => formatCount(summary.reshards), { expendable: 2 }),
    right("Spills", ({ summary }) => formatCount(summary.spills), { expendable: 2 }),
    right(
      "In L1",
      ({ summary: { ops, l1ResidentOps } }) => ops === 0 ? "" : formatPercent(l1ResidentOps / ops),
      { expendable: 1 },
    ),
    right("Peak L1", ({ summary }) => formatBytes(summary.peakL1Bytes), { expendable: 4 }),
    right("Queries", ({ summary }) => formatCount(summary.opModelQueries), { expendable: 3 }),
  ];
}

/** Whether a result has a time as written; those of TTIR have none. */
function isAnyWritten(results: readonly SavedResult[]): boolean {
  return results.some(({ summary }) => summary.asWritten !== undefined);
}

/**
 * The result of least predicted time of a model on a device, faulty plans excluded.
 */
function bestOf(results: readonly SavedResult[], { model, device }: SavedResult): SavedResult | undefined {
  return results.filter((result) =>
    result.model === model && result.device === device && !isFaulty(result.summary.verdict)
  )
    .toSorted((a, b) => a.summary.predictedUs - b.summary.predictedUs)[0];
}

/** The cells of a change, as plain text. */
const CHANGE_COLUMNS: readonly PlainColumn<BenchChange>[] = [
  left("Model", ({ model }) => model, { shrinkTo: 12 }),
  left("Policy", ({ policy }) => policy),
  left("Found", ({ found }) => found.join(", "), { wraps: true, shrinkTo: 12 }),
  right(
    "Predicted",
    ({ before, after }) =>
      `${formatTime(before.predictedUs)} → ${formatTime(after.predictedUs)} (${
        formatChange(timeChange(after.predictedUs, before.predictedUs))
      })`,
  ),
  right("Sharded", ({ before, after }) => `${before.shardedOps} → ${after.shardedOps}`),
];

/** Section titles of ops that became worse. */
const WORSE_OPS = { lost: "Sharded no more", slower: "Slower" } as const;

/**
 * A line per op that became worse: its name, what changed, and the command that explains its present layout.
 *
 * @param code the style of commands
 */
function worseLines(
  changes: readonly BenchChange[],
  kind: keyof typeof WORSE_OPS,
  code: (command: string) => string = (command) => command,
): readonly string[] {
  return changes.flatMap(({ model, policy, device, [kind]: ops }) => {
    const explainable = { file: model, options: ["--policy", policy, "--device", device] };
    return ops.map(({ before, after }) => {
      const op = after ?? before;
      if (op === undefined) throw new RangeError(`Cannot name an op of ${model} that is on no side`);
      const layouts = `${before?.layout ?? "new"} → ${after?.layout ?? "gone"}`;
      const what = kind === "lost" ? layouts : [
        `${before === undefined ? "new" : formatTime(before.us)} → ${formatTime(op.us)}`,
        ...before?.layout === after?.layout ? [] : [layouts],
      ].join(", ");
      return `${model}, ${policy}: op ${op.id} ${op.name.replace(/^ttnn\./, "")}${
        op.location === "" ? "" : ` ${op.location}`
      }: ${what}${after === undefined ? "" : `: ${code(explainCommand(explainable, after))}`}`;
    });
  });
}

/** Regressions as a table for the terminal. */
export function renderBenchChanges({ changes, compared }: BenchComparison, style: Style): string {
  if (changes.length === 0) return `Nothing became worse: ${plural(compared, "result")} compared.\n`;
  return `${style.bold("Worse than before")}, ${changes.length} of ${plural(compared, "result")}\n\n${
    renderFittedTable(CHANGE_COLUMNS, changes, style)
  }\n${worseSection(changes, "lost", style)}${worseSection(changes, "slower", style)}`;
}

/** A section of unwrapped lines: commands can be copied. */
function worseSection(changes: readonly BenchChange[], kind: keyof typeof WORSE_OPS, style: Style): string {
  const lines = worseLines(changes, kind);
  return lines.length === 0
    ? ""
    : `\n${style.bold(WORSE_OPS[kind])}\n\n${lines.map((line) => `${line}\n`).join("")}`;
}

/** All plans, as plain text. */
const PLAN_COLUMNS: readonly PlainColumn<SavedResult>[] = [
  left("Model", ({ model }) => model),
  left("Policy", ({ policy }) => policy),
  left("Device", ({ device }) => device),
  right("Predicted", ({ summary }) => formatTime(summary.predictedUs)),
  right(
    "Versus written",
    ({ summary: { predictedUs, asWritten } }) =>
      asWritten === undefined ? "–" : formatChange(timeChange(predictedUs, asWritten.us)),
  ),
  right(
    "Versus dram",
    ({ summary: { predictedUs, baselineUs } }) => formatChange(timeChange(predictedUs, baselineUs)),
  ),
  right("Sharded", ({ summary: { shardedOps, ops } }) => `${shardedOps} of ${ops}`),
  left("L1 and DRAM", statusOf),
];

function statusOf({ summary: { verdict } }: SavedResult): string {
  return verdict.status.replaceAll("_", " ");
}

/** Results as Markdown for a CI job summary. */
export function renderBenchMarkdown(
  results: readonly SavedResult[],
  comparison: BenchComparison | undefined,
): string {
  const changes = comparison?.changes ?? [];
  const changed = changes.length > 0
    ? markdownTable(CHANGE_COLUMNS, changes)
    : [comparison === undefined ? "Compared with nothing." : "Nothing became worse."];
  const named = (["lost", "slower"] as const).flatMap((kind) =>
    worseLines(changes, kind, (command) => `\`${command}\``).map((line) =>
      `- ${WORSE_OPS[kind].toLowerCase()}: ${line}`
    )
  );
  const unfit = results.filter(({ summary }) => isFaulty(summary.verdict))
    .map((result) => `- ${result.model} with ${result.policy} ${statusOf(result)}`);
  const compared = comparison === undefined ? "" : `, ${formatCount(comparison.compared)} compared`;
  const paragraphs = [
    ["### Tilewright"],
    [`${plural(results.length, "result")}${compared}`],
    changed,
    named,
    unfit,
    ["<details><summary>All plans</summary>"],
    markdownTable(PLAN_COLUMNS, results),
    ["</details>"],
  ];
  return paragraphs.filter((lines) => lines.length > 0).map((lines) => `${lines.join("\n")}\n`).join("\n");
}

/**
 * Reasons of a failed run as GitHub annotations: regressions; without a comparison, plans that do not fit.
 */
export function renderBenchAnnotations(
  results: readonly SavedResult[],
  comparison: BenchComparison | undefined,
): string {
  const annotation = (model: string, title: string, message: string): string =>
    `::error file=${escapeProperty(model)},title=${escapeProperty(title)}::${escapeData(message)}\n`;
  if (comparison === undefined) {
    return results.filter(({ summary }) => isFaulty(summary.verdict))
      .map(({ model, policy }) => annotation(model, `does not fit with ${policy}`, `${model} does not fit`))
      .join("");
  }
  return comparison.changes.map((change) => {
    const words = CHANGE_COLUMNS.slice(3).map((column) =>
      `${column.title.toLowerCase()} ${column.cell(change)}`
    );
    const title = `${change.found.join(" and ")} with ${change.policy}`;
    return annotation(
      change.model,
      title,
      [
        [change.model, ...words].join(", "),
        ...worseLines([change], "lost"),
        ...worseLines([change], "slower"),
      ].join("\n"),
    );
  }).join("");
}

/** Text after `::` of a workflow command of GitHub. */
function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** Value of a property of a workflow command. */
function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
