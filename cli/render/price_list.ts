// SPDX-License-Identifier: Apache-2.0
import { describeLayout } from "../../lib/layout/describe.ts";
import type { TtnnLayout } from "../../lib/layout/ttnn_layout.ts";
import type { OpSpecificAttributes } from "../../lib/op_config/op_config.ts";
import type { OpSignature } from "../../lib/ops/op_signature.ts";
import type { PricedImpl, PriceList, RefusedImpls } from "../../pipeline/price/price_op.ts";
import { tensorWords } from "../../pipeline/price/read_op.ts";
import { microsecondsCell } from "./cells.ts";
import { type FittedColumn, left, renderFittedTable, right } from "./fitted_table.ts";
import { formatBytes, formatCount, formatMicroseconds, formatPercent, plural } from "./format.ts";
import type { Style } from "./style.ts";
import { wrapText } from "./wrap_text.ts";

/**
 * The cost of one op on one chip: candidates in rows, fastest first, then the reasons of refusals.
 *
 * @param top most candidates and reasons to list
 */
export function renderPriceList(
  op: OpSignature,
  { device, impls, refused, questions, exhaustive }: PriceList,
  style: Style,
  top: number,
): string {
  const tensors = (list: OpSignature["operands"]) =>
    list.map((tensor) => tensor === undefined ? "–" : tensorWords(tensor)).join(", ");
  const title = `${style.bold(`${op.name.replace(/^ttnn\./, "")} ${tensors(op.operands)}`)} → ${
    tensors(op.results) || "nothing"
  } on ${device.name}`;
  const ranked = listedImpls(impls, top).map((impl, index) => ({ ...impl, rank: index + 1 }));
  const lines = [title, ""];
  if (ranked.length > 0) lines.push(renderFittedTable(implColumns(op, ranked), ranked, style), "");
  lines.push(...wrapText(verdict(impls, questions, exhaustive), style.width));
  if (refused.length > 0) {
    lines.push("", "Refused, with the first of each kind:", "");
    for (const reason of refused.slice(0, top)) lines.push(...refusalLines(reason, style));
    if (refused.length > top) lines.push(style.dim(`… and ${plural(refused.length - top, "more reason")}`));
  }
  return `${lines.join("\n")}\n`;
}

/** Every candidate if `top` is infinite, else the fastest of each of the first `top` kinds; fastest first. */
export function listedImpls(impls: readonly PricedImpl[], top: number): readonly ImplKind[] {
  return top === Infinity
    ? impls.map((impl) => ({ ...impl, count: 1 }))
    : bestOfEachKind(impls).slice(0, top);
}

/** The fastest of the candidates that differ only in grids and config, and their number. */
export type ImplKind = PricedImpl & { readonly count: number };

type RankedImpl = ImplKind & { readonly rank: number };

function bestOfEachKind(impls: readonly PricedImpl[]): readonly ImplKind[] {
  const kinds = new Map<string, ImplKind>();
  for (const impl of impls) {
    const memories = [...impl.inputs, ...impl.outputs].map((layout) =>
      layout === undefined ? "" : `${layout.bufferType}/${layout.memoryLayout}/${layout.tile === undefined}`
    );
    const key = `${memories.join(" ")} ${impl.hinted}`;
    const best = kinds.get(key) ?? { ...impl, count: 0 };
    kinds.set(key, { ...best, count: best.count + 1 });
  }
  return [...kinds.values()];
}

function implColumns(op: OpSignature, impls: readonly PricedImpl[]): readonly FittedColumn<RankedImpl>[] {
  return [
    right("#", ({ rank }) => String(rank)),
    right(
      "Time",
      ({ estimate }) => estimate.unknown === undefined ? microsecondsCell(estimate.microseconds) : "unknown",
    ),
    right("±", ({ estimate }) => formatPercent(estimate.relativeError), { expendable: 1 }),
    left("Bound", ({ estimate }) => estimate.bound, { expendable: 4 }),
    ...(impls.every(({ hinted }) => hinted)
      ? []
      : [left<RankedImpl>("Asked", ({ hinted }) => hinted ? "yes" : "no", { expendable: 1 })]),
    right("Ways", ({ count }) => formatCount(count), { expendable: 3 }),
    right("Cores", ({ estimate }) => String(estimate.cores), { expendable: 2 }),
    right("L1", ({ operandL1Bytes, l1PeakBytes }) => formatBytes(operandL1Bytes + l1PeakBytes), {
      expendable: 2,
    }),
    ...op.operands.map((_, operand) =>
      left<RankedImpl>(`In ${operand}`, ({ inputs }) => words(inputs[operand]), { shrinkTo: 14 })
    ),
    ...(op.results.length === 0
      ? []
      : [left<RankedImpl>("Out", ({ outputs }) => words(outputs[0]), { shrinkTo: 14 })]),
    ...(impls.every(({ config }) => configWords(config) === "") ? [] : [
      left<RankedImpl>("Config", ({ config }) => configWords(config), { expendable: 5, shrinkTo: 12 }),
    ]),
  ];
}

/** A layout in the short form of --in0: `l1/width/1x64`, `dram`. */
function words(layout: TtnnLayout | undefined): string {
  return layout === undefined
    ? "–"
    : describeLayout(layout).replace("_sharded", "").replace("/interleaved", "");
}

/** A config in a few words: the program, and the fields with the largest effect on its time. */
function configWords(config: OpSpecificAttributes | undefined): string {
  switch (config?.kind) {
    case "matmul": {
      const program = config.programConfig;
      if (program === undefined) return config.computeConfig?.mathFidelity ?? "";
      const name = program.kind.replace("matmul_multi_core_reuse", "reuse").replace("_multi_cast", "_mcast");
      return `${name} k${program.in0BlockW} ${program.perCoreM}x${program.perCoreN}`;
    }
    case "conv2d": {
      const { actBlockHOverride, enableActDoubleBuffer, enableWeightsDoubleBuffer } = config.conv2dConfig ??
        {};
      return [
        actBlockHOverride ? `act_block_h ${actBlockHOverride}` : "",
        enableActDoubleBuffer === true ? "act double buffer" : "",
        enableWeightsDoubleBuffer === true ? "weights double buffer" : "",
      ].filter((part) => part !== "").join(", ");
    }
    default:
      return config?.computeConfig?.mathFidelity ?? "";
  }
}

/** Legal candidates that no policy queries, if they are faster than the queried ones. */
function beyondHints(impls: readonly PricedImpl[]): string {
  const known = impls.filter(({ estimate }) => estimate.unknown === undefined);
  const asked = known.findIndex(({ hinted }) => hinted);
  if (asked === 0 || known.length === 0) return "";
  const faster = asked === -1 ? known.length : asked;
  const best = known[asked];
  return `. No policy asks for the ${
    faster === 1 ? "fastest" : `${formatCount(faster)} fastest`
  }, which no hint of ` +
    `the op's rule names; ${
      best === undefined
        ? "no policy has a way"
        : `the fastest that policies ask for takes ${formatMicroseconds(best.estimate.microseconds)} µs`
    }`;
}

/** The number of candidates, and the best one compared with everything in DRAM. */
function verdict(impls: readonly PricedImpl[], questions: number, exhaustive: boolean): string {
  const tried = `${plural(questions, "combination")} tried${
    exhaustive ? "" : ", the shardings with the most cores of each kind"
  }`;
  const [best] = impls;
  if (best === undefined) return `No way is legal; ${tried}.`;
  const inDram = impls.find(({ inputs, outputs }) =>
    [...inputs, ...outputs].every((layout) => layout === undefined || layout.bufferType === "dram")
  );
  const against = inDram === undefined || inDram === best
    ? ""
    : `; with everything in DRAM ${formatMicroseconds(inDram.estimate.microseconds)} µs`;
  return `${plural(impls.length, "legal way")}, ${tried}${against}${beyondHints(impls)}.`;
}

function refusalLines({ rule, count, message }: RefusedImpls, style: Style): readonly string[] {
  const head = `${formatCount(count).padStart(6)}  ${rule}`;
  const wrapped = wrapText(message, style.width - 8);
  return [head, ...wrapped.map((line) => style.dim(`        ${line}`))];
}
