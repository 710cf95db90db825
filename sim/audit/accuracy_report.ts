// SPDX-License-Identifier: Apache-2.0
import type { AuditPoint, CostModelAudit, GroupReport } from "./audit_cost_model.ts";
import type { DecisionAudit, DecisionShares } from "./audit_decisions.ts";
import { BASELINES } from "./baselines.ts";
import type { IntervalCoverage, IntervalReport } from "./interval_coverage.ts";
import { markdownTable, percent } from "./markdown_section.ts";
import limits from "./accuracy_limits.json" with { type: "json" };
import { scatterPlot } from "./scatter_plot.ts";
import { FIDELITY_NAMES } from "../../lib/op_config/math_fidelity.ts";
import type { DataType } from "../../lib/layout/data_type.ts";
import { type ComputeDefaults, defaultComputeConfig } from "../../lib/op_config/default_compute_config.ts";

/** A file of the report, by its path below the documentation folder. */
export interface ReportFile {
  readonly path: string;
  readonly text: string;
}

/** Known reasons for the errors of a group. */
const LIMITS: Readonly<Record<string, string>> = limits;

/**
 * Groups whose rows are patterns of microbenchmarks. What predicts them (`sim/microbenchmarks`) prices no plan: they
 * test our knowledge of the chip, and fit those constants of a device that plans use too.
 */
const MICROBENCHMARK_GROUPS: ReadonlySet<string> = new Set(["dispatch", "dram_bw", "noc_bw", "noc_latency"]);

/** The page itself; plots are in a folder of the same name. */
export const ACCURACY_PAGE = "accuracy.md";

/** Least number of rows for a plot of a group. */
const LEAST_PLOTTED = 10;

/** Origin of the rows of a report. */
export interface ReportOrigin {
  /** Files and folders of measurements, without parent folders. */
  readonly data: readonly string[];
  /** Folds that were held out one by one; 0 for none. */
  readonly folds: number;
}

/** `accuracy.md` and its plots, from audits of the same rows. Pure: the same audits give the same bytes. */
export function accuracyReport(
  audit: CostModelAudit,
  points: readonly AuditPoint[],
  origin: ReportOrigin,
  decisions: DecisionAudit,
): readonly ReportFile[] {
  const plotted = [...Map.groupBy(points, ({ group }) => group)]
    .filter(([, own]) => own.length >= LEAST_PLOTTED)
    .sort(([a], [b]) => a < b ? -1 : 1);
  const plots = plotted.map(([group, own]): ReportFile => ({
    path: `accuracy/${group}.svg`,
    text: scatterPlot(
      group,
      own[0]?.unit ?? "us",
      own.map(({ device, measured, predicted }) => ({ series: device, measured, predicted })),
    ),
  }));
  const groups = plotted.map(([group]) => group);
  return [{ path: ACCURACY_PAGE, text: markdown(audit, groups, origin, decisions) }, ...plots];
}

/** How many measurements lie in the intervals that times are printed with. */
function intervalSection(intervals: readonly IntervalReport[]): readonly string[] {
  const cells = (coverage: IntervalCoverage | null) =>
    coverage === null ? ["–", "–"] : [percent(coverage.narrow), percent(coverage.wide)];
  return [
    "## Intervals",
    "",
    "Shares of measured ops in the 68 % and in the 90 % interval of their predictions: shipped, with each configuration held " +
    "out, and with each published table held out. The intervals are made for ops of new sources, so rows of known ones lie " +
    "in them somewhat more often.",
    "",
    ...markdownTable(
      "operands | rows: | 68 %, shipped: | 90 %: | 68 %, held out: | 90 %: | 68 %, new table: | 90 %:",
      intervals.map(({ name, rows, shipped, configurations, tables }) => [
        name,
        rows,
        ...[shipped, configurations, tables].flatMap(cells),
      ]),
    ),
    "",
  ];
}

function markdown(
  audit: CostModelAudit,
  plotted: readonly string[],
  origin: ReportOrigin,
  decisions: DecisionAudit,
): string {
  const totals = audit.groups.filter((report) => isTotal(audit, report));
  const lines = [
    ...preamble(origin),
    "## Code that prices plans",
    "",
    "The kernel models and the clock that the optimizer uses. In addition, `_wall` groups include the clock drop and the gap that only " +
    "a host's clock sees, `reshard` the cost of tracing, and `e2e` the host's part of sampling.",
    "",
    ...groupTable(totals.filter(({ group }) => !MICROBENCHMARK_GROUPS.has(group))),
    "",
    "## Patterns of microbenchmarks",
    "",
    "Predicted by `sim/microbenchmarks`, with constants that price no plan. They test our knowledge of the chip, and fit the " +
    "constants of `noc` that plans use too.",
    "",
    ...groupTable(totals.filter(({ group }) => MICROBENCHMARK_GROUPS.has(group))),
    "",
    ...deviceSection(audit.groups),
    ...baselineSection(totals),
    ...intervalSection(audit.intervals),
    ...decisionSection(decisions),
    ...defaultsSection(),
    "## What limits the accuracy",
    "",
    ...totals.flatMap((report) => {
      const limit = LIMITS[report.group];
      return limit === undefined ? [] : [`- **${report.group}**: ${limit}`];
    }),
    "",
    "## Rows left out",
    "",
    ...markdownTable(
      "group | rows: | reason",
      totals.flatMap(({ group, excluded }) => excluded.map(({ reason, rows }) => [group, rows, reason])),
    ),
    "",
    "## Measured and predicted",
    "",
    ...plotted.map((group) => `![${group}](accuracy/${group}.svg)`),
    "",
  ];
  return lines.join("\n");
}

/** How the page was generated, and what its columns mean. */
function preamble({ data, folds }: ReportOrigin): readonly string[] {
  const files = data.map((name) => `--data ${name} `).join("");
  return [
    "# Accuracy of the simulator",
    "",
    `Generated by \`tilewright audit cost-model ${files}--folds ${folds} ` +
    "--report docs`; do not edit. Errors are relative to the measurement.",
    "",
    "- **shipped**: with the constants of `sim/devices` and `sim/microbenchmarks`, which `calibrate` fitted to these rows;",
    `- **held out**: each of ${folds} folds of configurations, predicted with constants fitted to the others;`,
    "- **new table**: the same, with whole published tables (a grid, a data type, a test) held out;",
    "- **coverage**: share of rows that are predicted, of those that the file does not flag and whose chip and shapes are known.",
    "",
  ];
}

function deviceSection(groups: readonly GroupReport[]): readonly string[] {
  return [
    "## By device",
    "",
    ...markdownTable(
      "group | device | rows: | covered: | shipped: | held out: | new table: | p90: | bias:",
      groups.filter(({ device, covered }) => device !== "all" && covered > 0)
        .map(({ group, device, rows, covered, mape, heldOut, p90, bias }) => [
          ...[group, device, rows, covered],
          ...[mape, heldOut?.configurations?.mape, heldOut?.tables?.mape, p90, bias].map(percent),
        ]),
    ),
    "",
  ];
}

/** @param totals reports of whole groups */
function baselineSection(totals: readonly GroupReport[]): readonly string[] {
  const names = BASELINES.map(({ name }) => name);
  return [
    "## Compared with the public models",
    "",
    "Mean absolute errors on the same rows, where a model covers them:",
    "",
    ...BASELINES.map(({ name, summary }) => `- *${name}*: ${summary};`),
    "",
    ...markdownTable(
      `group | rows: | tilewright: | ${names.map((name) => `${name}:`).join(" | ")}`,
      totals.filter(({ baselines }) => Object.keys(baselines).length > 0)
        .map(({ group, baselines, heldOut, mape }) => [
          group,
          baselines[names[0] ?? ""]?.rows ?? 0,
          percent(heldOut?.configurations?.mape ?? mape),
          ...names.map((name) => percent(baselines[name]?.mape)),
        ]),
    ),
    "",
  ];
}

/** The report of a whole group: over all devices, or of the only one. */
function isTotal(audit: CostModelAudit, report: GroupReport): boolean {
  return report.device === "all" ||
    audit.groups.filter((other) => other.group === report.group).length === 1;
}

function groupTable(reports: readonly GroupReport[]): readonly string[] {
  return markdownTable(
    "group | rows: | coverage: | target: | shipped: | held out: | new table: | median: | p90: | bias:",
    reports.map(({ group, rows, coverage, target, mape, heldOut, medianApe, p90, bias }) => {
      const { configurations, tables } = heldOut ?? {};
      const shares = [coverage, target, mape, configurations?.mape, tables?.mape, medianApe, p90, bias];
      return [group, rows, ...shares.map(percent)];
    }),
  );
}

/** Heading of the section of `accuracy.md`. */
export const DECISIONS_HEADING = "## Which of two is faster";

/** The section of `accuracy.md` on pairs of measured runs, as lines. */
export function decisionSection(audit: DecisionAudit): readonly string[] {
  const row = (
    name: string,
    { pairs, right, tooClose, confidentlyWrong, medianRatioError }: DecisionShares,
  ) => [
    ...[name, pairs],
    ...[right, tooClose, confidentlyWrong, medianRatioError].map(percent),
  ];
  return [
    DECISIONS_HEADING,
    "",
    "Pairs of measured runs that differ in a single parameter that a plan decides (`audit decisions`), and by more than " +
    "10 % in time. *Right*: the faster one is predicted to be faster; equal predictions do not count as right. *Too close*: " +
    '`diff` would say "too close to call". *Confidently wrong*: the slower one is claimed to be faster.',
    "",
    ...markdownTable(
      "family | pairs: | right: | too close: | confidently wrong: | median error of the ratio:",
      [
        ...audit.families.filter(({ pairs }) => pairs > 0).map((family) => row(family.name, family)),
        row("**all**", audit.summary),
      ],
    ),
    "",
    "The confidence of a claim, and the share of pairs for which it is right, including pairs less than 10 % apart. " +
    "*Equal families*: every family has the same weight, so that one sweep of nearly equal runs does not dominate.",
    "",
    ...markdownTable(
      "claimed | pairs: | mean claim: | right: | mean claim, equal families: | right, equal families:",
      audit.calibration.map(({ from, to, pairs, claimed, right, familiesAlike }) => [
        ...[`${percent(from)} to ${percent(to)}`, pairs],
        ...[claimed, right, familiesAlike?.claimed, familiesAlike?.right].map(percent),
      ]),
    ),
    "",
  ];
}

/** Ops of the table, one of each family with defaults of its own; `!` for products with a program config. */
const OPS: readonly string[] = [
  ...["matmul", "matmul!", "conv2d", "conv3d", "max_pool2d", "global_avg_pool2d", "softmax", "layer_norm"],
  ...["rms_norm", "batch_norm_inference", "add", "relu", "where", "typecast", "sum", "prod", "cumsum"],
  ...["topk", "sort", "scaled_dot_product_attention", "scaled_dot_product_attention_decode"],
  ...["rotary_embedding", "embedding", "transpose", "to_layout", "update_cache"],
];

const FORMATS: readonly DataType[] = ["bf16", "bfp_bf8", "f32"];

/**
 * The section of `accuracy.md` on what ops run with that have no compute config: the table by which everything here is priced,
 * as lines.
 */
export function defaultsSection(): readonly string[] {
  return [
    "## Defaults",
    "",
    "What an op is priced with that has no compute config, by the format of its operands (`ttnn:backend-0-81-1`): fidelity, " +
    "*fp32* where the destination register accumulates in f32, *l1acc* where the packer adds partial sums in L1, *approx* for " +
    "approximate functions. Two values are those of Wormhole and Blackhole. A config that leaves fields out takes LoFi, " +
    "approx and no others (`lib/op_config/default_compute_config.ts`).",
    "",
    ...markdownTable(
      "op | bf16 | bfp8 | f32",
      OPS.map((op) => {
        const isPlanned = op.endsWith("!");
        const name = op.replace("!", "");
        const cells = FORMATS.map((format) => cellOf(`ttnn.${name}`, format, isPlanned));
        return [`${name}${isPlanned ? " with a program config" : ""}`, ...cells];
      }),
    ),
    "",
  ];
}

function cellOf(op: string, format: DataType, isPlanned: boolean): string {
  const [wormhole = "–", blackhole = wormhole] = (["wormhole_b0", "blackhole"] as const).map((architecture) =>
    textOf(defaultComputeConfig({ op, operands: [format, format], result: format, isPlanned, architecture }))
  );
  return wormhole === blackhole ? wormhole : `${wormhole} / ${blackhole}`;
}

function textOf(config: ComputeDefaults | undefined): string {
  if (config === undefined) return "–";
  const { mathFidelity, fp32DestAccEn, packerL1Acc, mathApproxMode } = config;
  return [
    FIDELITY_NAMES[mathFidelity],
    ...(fp32DestAccEn ? ["fp32"] : []),
    ...(packerL1Acc ? ["l1acc"] : []),
    ...(mathApproxMode ? ["approx"] : []),
  ].join(" ");
}
