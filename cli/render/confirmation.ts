// SPDX-License-Identifier: Apache-2.0
import type { Confirmation, ConfirmedOp, OpState } from "../../pipeline/confirm/confirmation.ts";
import type { Difference } from "../../pipeline/confirm/difference.ts";
import { jsonOutput } from "../json_output.ts";
import { type FittedColumn, left, renderFittedTable, right } from "./fitted_table.ts";
import { formatBytes, formatCount, plural } from "./format.ts";
import type { Style } from "./style.ts";
import { wrapItem } from "./wrap_text.ts";

export interface ConfirmationSubject {
  readonly input: string;
  readonly device: string;
  /** `undefined` for a file as written. */
  readonly policy: string | undefined;
}

const COLUMNS: readonly FittedColumn<ConfirmedOp>[] = [
  left("Function", (op) => op.function, { expendable: 4, shrinkTo: 10 }),
  right("ID", ({ op }) => op === undefined ? "" : `${op}`),
  left("OP Code", ({ name }) => name.replace(/^ttnn\./, ""), { shrinkTo: 12 }),
  left("TTNN", ({ state }) => state),
  right("Buffers", ({ fact, prediction }) =>
    bothBytes(
      fact === undefined || "refused" in fact ? undefined : Math.max(0, ...fact.circular_buffers),
      prediction?.circularBuffers,
    ), { expendable: 3 }),
  right(
    "Peak",
    ({ fact, prediction }) =>
      bothBytes(fact === undefined || "refused" in fact ? undefined : fact.peak, prediction?.peak),
    { expendable: 2 },
  ),
  right("Address", ({ fact, prediction }) => addressCell(fact, prediction), { expendable: 1 }),
  left("Words", (op) => wordsOf(op), { shrinkTo: 24, wraps: true }),
];

/** Both if they differ, the backend's first. */
function bothBytes(theirs: number | undefined, ours: number | undefined): string {
  if (theirs === undefined) return "";
  return ours === undefined || ours === theirs ? `${theirs}` : `${theirs} (${ours})`;
}

function addressCell(fact: ConfirmedOp["fact"], prediction: ConfirmedOp["prediction"]): string {
  const [result] = fact === undefined || "refused" in fact ? [] : fact.results;
  if (result?.bufferType !== "l1") return "";
  return bothBytes(result.address, prediction?.addresses.get(0));
}

function wordsOf({ words, differences }: ConfirmedOp): string {
  if (words !== undefined) return words;
  const layout = differences.find(({ about }) => about === "layout" || about === "legality");
  return layout === undefined ? "" : `${layout.theirs}, not ${layout.ours}`;
}

/**
 * The table, our model's differences, and the verdict.
 *
 * @param rows `told`: only ops that do not run or differ; `all`: every op
 */
export function renderConfirmation(
  confirmation: Confirmation,
  { input, device, policy }: ConfirmationSubject,
  rows: "told" | "all",
  style: Style,
): string {
  const { ops, version } = confirmation;
  const shown = ops.filter(({ state, differences }) =>
    rows === "all" || state !== "runs" || differences.length > 0
  );
  const title = `${style.bold(input)} on ttnn ${version}, a mock ${device}${
    policy === undefined ? "" : `, policy ${policy}`
  }`;
  return [
    title,
    "",
    ...(shown.length === 0 ? [] : [renderFittedTable(COLUMNS, shown, style), ""]),
    ...summaryLines(confirmation, style).flatMap((line) => wrapItem(line, style.width)),
    ...issueLines(confirmation, { input, device, policy }),
    "",
  ].join("\n");
}

/** The verdict in words. */
export function verdictWords({ verdict, ops }: Confirmation): string {
  const count = (...states: readonly OpState[]): string =>
    plural(ops.filter(({ state }) => states.includes(state)).length, "op");
  switch (verdict) {
    case "confirmed":
      return `runs to the end: ${plural(ops.length, "op")}, every result as declared`;
    case "refused":
      return `DOES NOT RUN: ${count("refused", "crashed")} refused`;
    case "different":
      return `runs, but results of ${count("different")} are not as declared`;
    case "incomplete":
      return `INCOMPLETE: ${count("unsaid", "not reached")} not asked, none refused`;
  }
}

function summaryLines(confirmation: Confirmation, style: Style): readonly string[] {
  const { verdict, ops, peakBytes: { theirs, ours }, refusedArguments } = confirmation;
  const paint = verdict === "confirmed" ? style.green : verdict === "incomplete" ? style.yellow : style.red;
  const differing = ops.filter(({ differences }) => differences.length > 0).length;
  return [
    `Verdict    ${paint(verdictWords(confirmation))}`,
    `L1         peak ${formatBytes(theirs)} per core${
      theirs === ours ? ", as our model says" : `, ${formatBytes(ours)} by our model`
    }`,
    `Model      ${
      differing === 0
        ? "says the same of every op"
        : `says otherwise of ${formatCount(differing)} of ${plural(ops.length, "op")}`
    }`,
    ...refusedArguments.map(({ argument, refused }) => `Argument   ${argument}: ${refused}`),
  ];
}

/** A line per kind of difference, to paste into an issue. */
function issueLines(
  { ops, version }: Confirmation,
  { input, device, policy }: ConfirmationSubject,
): readonly string[] {
  const kinds = Map.groupBy(
    ops.flatMap((op) => op.differences.map((difference) => ({ op, difference }))),
    ({ op, difference }) => `${op.name} ${difference.about}`,
  );
  if (kinds.size === 0) return [];
  const command = `tilewright confirm ${input} --device ${device}${
    policy === undefined ? "" : ` --policy ${policy}`
  }`;
  return [
    "",
    `To report (${command}, ttnn ${version}):`,
    ...[...kinds.values()].flatMap(([first, ...more]) =>
      first === undefined ? [] : [issueLine(first.op, first.difference, more.length)]
    ),
  ];
}

function issueLine(
  { name, op, function: fn }: ConfirmedOp,
  { about, ours, theirs }: Difference,
  more: number,
): string {
  const others = more === 0 ? "" : `, ${formatCount(more)} more`;
  return `- ${name} (op ${op ?? "?"} of @${fn}${others}), ${about}: ttnn ${theirs}, tilewright ${ours}`;
}

/** The confirmation as `tilewright.confirmation/1`. */
export function confirmationJson(
  { verdict, version, ops, refusedArguments, peakBytes }: Confirmation,
  { input, device, policy }: ConfirmationSubject,
): string {
  return jsonOutput({
    schema: "tilewright.confirmation/1",
    input,
    device,
    summary: {
      verdict,
      ttnn: version,
      policy,
      ops: ops.length,
      ran: ops.filter(({ state }) => state === "runs" || state === "different").length,
      refused: ops.filter(({ state }) => state === "refused" || state === "crashed").length,
      differingOps: ops.filter(({ differences }) => differences.length > 0).length,
      peakL1Bytes: peakBytes.theirs,
      predictedPeakL1Bytes: peakBytes.ours,
    },
    refusedArguments,
    ops: ops.map(opJson),
  });
}

function opJson(
  { function: fn, op, name, line, state, words, fact, prediction, differences }: ConfirmedOp,
): object {
  const ran = fact === undefined || "refused" in fact ? undefined : fact;
  return {
    function: fn,
    op,
    name,
    programLine: line,
    state,
    words,
    programs: fact?.programs ?? [],
    ttnn: {
      circularBufferBytes: ran === undefined ? undefined : Math.max(0, ...ran.circular_buffers),
      peakL1Bytes: ran?.peak,
      results: ran?.results ?? [],
    },
    tilewright: {
      fault: prediction?.fault,
      unchecked: prediction?.unchecked,
      circularBufferBytes: prediction?.circularBuffers,
      peakL1Bytes: prediction?.peak,
      addresses: [...prediction?.addresses.values() ?? []],
    },
    differences,
  };
}
