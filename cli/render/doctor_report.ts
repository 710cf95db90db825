// SPDX-License-Identifier: Apache-2.0
import type { Diagnosis, LiveBuffer, SimulatedShortage } from "../../pipeline/doctor/diagnosis.ts";
import type { TriedRemedy } from "../../pipeline/doctor/remedies.ts";
import type { FailureExplanation } from "../../pipeline/doctor/explain_failure.ts";
import type { NearReport } from "../../pipeline/doctor/known_reports/near_reports.ts";
import type { Suspect } from "../../pipeline/doctor/suspects.ts";
import type { MemoryVerdict } from "../../lib/memory/memory_verdict.ts";
import { type AddressRange, addressRanges, rangeWords } from "./address_map.ts";
import { type FittedColumn, left, renderFittedTable, right } from "./fitted_table.ts";
import { kernelTimeCell } from "./cells.ts";
import { formatBytes, formatCount, formatMicroseconds } from "./format.ts";
import type { Style } from "./style.ts";
import { wrapItem, wrapText } from "./wrap_text.ts";
import { faultLines, paintVerdict, uncheckedLines } from "./verdict.ts";

/** Distance above which a message is probably about another program. */
const FAR_BYTES = 128 * 1024;

/** Findings of `doctor`. */
export interface DoctorReport {
  /** `undefined` when only a log was given. */
  readonly input: string | undefined;
  readonly device: string;
  readonly messages: readonly FailureExplanation[];
  readonly diagnoses: readonly Diagnosis[];
  readonly suspects: readonly Suspect[];
  /** Number of further ops that do not fit and were not examined. */
  readonly moreOps: number;
  /** Verdict on the whole input; `undefined` if only a log was given. */
  readonly verdict: MemoryVerdict | undefined;
  readonly logged: boolean;
}

/** The report of `doctor` as terminal text. `top` limits the remedies per op. */
export function renderDoctor(report: DoctorReport, style: Style, top: number): string {
  const { messages, diagnoses } = report;
  const parts = messages.map((message) => renderMessage(message, report, style));
  parts.push(...diagnoses.map((diagnosis) => renderDiagnosis(diagnosis, style, top)));
  parts.push(...report.suspects.map((suspect) => renderSuspect(suspect, style)));
  if (parts.length === 0 && report.logged) {
    parts.push("The log reports no L1 clash, no full bank and no check that failed.");
  }
  if (report.input !== undefined && report.logged && diagnoses.length + report.suspects.length === 0) {
    parts.push(`No op of ${report.input} matches the message.`);
  }
  if (report.moreOps > 0) {
    parts.push(style.dim(`${formatCount(report.moreOps)} more ops do not fit; --op ID examines one of them`));
  }
  if (report.verdict !== undefined) parts.push(renderVerdict(report.verdict, report, style));
  return `${parts.join("\n\n")}\n`;
}

/** Verdict on the whole input, without ops diagnosed above. */
function renderVerdict(
  verdict: MemoryVerdict,
  { input, device, diagnoses, messages }: DoctorReport,
  style: Style,
): string {
  if (verdict.status === "fits") {
    const fits = `verything in ${input} fits into L1 and DRAM of ${device}, by address`;
    const said = messages.length === 0
      ? `E${fits}.`
      : `The simulation does not show the failure: e${fits}. What else lay in memory when it ran, and what another version of ttnn needs, is not in the text.`;
    return wrapText(said, style.width).join("\n");
  }
  const misfits = verdict.misfits.filter((misfit) =>
    !diagnoses.some((diagnosis) => diagnosis.function === misfit.function && diagnosis.op === misfit.op)
  );
  return [
    `${input} on ${device}: ${paintVerdict(verdict, style)}`,
    ...[...faultLines({ refusedOps: verdict.refusedOps, misfits }), ...uncheckedLines(verdict)].flatMap((
      line,
    ) => wrapItem(`  ${line}`, style.width)),
  ].join("\n");
}

function renderMessage(
  message: FailureExplanation,
  { device, diagnoses }: DoctorReport,
  style: Style,
): string {
  const board = message.failure.kind === "failed_check" || message.isOfUnknownChip
    ? ""
    : ` ${style.dim(`(addresses as on ${device})`)}`;
  const lines = [`${style.bold(style.red(message.title))}${board}`];
  for (const sentence of message.meaning) lines.push(...wrapItem(`  ${sentence}.`, style.width));
  if (message.reports !== undefined && message.reports.length > 0) {
    lines.push(
      "",
      "Reported before:",
      ...message.reports.flatMap((report) => reportLines(report, message, style)),
    );
  }
  // Where the simulation shows it, the remedies of the op follow, tried out and priced.
  if (!diagnoses.some((diagnosis) => diagnosis.logged === message.failure && showsFailure(diagnosis))) {
    lines.push(
      "",
      "What helps:",
      ...message.advice.flatMap((advice, index) => wrapItem(`  ${index + 1}. ${advice}`, style.width)),
    );
  }
  return lines.join("\n");
}

/** A report, with what helped where the remedies of the message do not say it. */
function reportLines(report: NearReport, { advice }: FailureExplanation, style: Style): readonly string[] {
  const { thread, date, ops, nearness, state, fix, cause, remedies, others } = report;
  const became = state === "mended" && fix !== undefined ? `mended by ${fix}` : state;
  const about = [date, ...ops.slice(0, 2), ...(state === "unknown" ? [] : [became])];
  const untold = advice.some((one) => one.endsWith(`(${thread})`)) ? [] : remedies;
  return [
    ...wrapItem(`  - ${style.bold(thread)} (${about.join(", ")}): ${nearness}`, style.width),
    ...wrapItem(`    ${cause}`, style.width),
    ...untold.flatMap((remedy) => wrapItem(`    helped there: ${remedy}`, style.width)),
    ...(others.length === 0 ? [] : wrapItem(`    also ${others.join(", ")}`, style.width)),
  ];
}

/** Whether the simulation shows the failure of the message, or remedies change what it shows. */
function showsFailure({ simulated, remedies, confidence }: Diagnosis): boolean {
  return simulated !== undefined || confidence !== "guess" && remedies.some(({ fixes }) => fixes);
}

function renderDiagnosis(diagnosis: Diagnosis, style: Style, top: number): string {
  const { simulated, remedies } = diagnosis;
  const title = `op ${diagnosis.op} ${diagnosis.name} of @${diagnosis.function}`;
  const verdict = simulated === undefined ? "fits in the simulation" : shortageText(simulated);
  const shown = remedies.slice(0, top);
  return [
    `${style.bold(title)} ${
      style.dim(diagnosis.location.slice(0, Math.max(0, style.width - title.length - 1)))
    }`
      .trimEnd(),
    ...wrapItem(`  ${verdict}${foundBy(diagnosis)}`, style.width),
    "",
    renderLiveSet(diagnosis, style),
    "",
    ...renderRemedies(diagnosis, shown, style),
  ].join("\n");
}

function renderSuspect({ op, name, function: fn, facts, advice, foundBy }: Suspect, style: Style): string {
  const certainty = {
    bytes: "makes just these bytes",
    rule: "breaks a rule",
    numbers: "has these numbers",
    room: "finds no room",
    taken: "is taken by our rules",
  }[foundBy];
  return [
    `${style.bold(`op ${op} ${name} of @${fn}`)} ${style.dim(certainty)}`,
    ...facts.flatMap((fact) => wrapItem(`  ${fact}`, style.width)),
    ...advice.flatMap((each, index) => wrapItem(`  ${index + 1}. ${each}`, style.width)),
  ].join("\n");
}

/** Needed, available and missing bytes per core. */
function shortageText({ kind, askedBytes, availableBytes, shortBytes }: SimulatedShortage): string {
  const [asked, available] = ((): readonly [string, string] => {
    switch (kind) {
      case "too_large":
        return ["for its circular buffers, intermediates and results alone", "usable"];
      case "no_space":
        return ["for buffers that no hole can hold", "free in one piece"];
      case "circular_buffer_clash":
        return ["from the lowest tensor up and for circular buffers", "usable"];
      case "no_program":
        return ["for a program that the backend does not find", "usable"];
      case "over_budget":
        return ["from the lowest tensor up and for circular buffers", "allowed by the cap"];
    }
  })();
  return `needs ${formatBytes(askedBytes)} per core ${asked}; ${
    formatBytes(availableBytes)
  } are ${available}, ${formatBytes(shortBytes)} missing (${kind})`;
}

function foundBy({ confidence, distanceBytes, logged }: Diagnosis): string {
  if (logged === undefined || confidence === "simulated") return "";
  if (confidence === "exact") return "; its addresses match the message";
  const words = confidence === "close"
    ? "its addresses are close to those of the message"
    : distanceBytes > FAR_BYTES
    ? "the nearest op, but far off: the message may be about another program"
    : "the nearest op; this is a guess";
  return `; ${words} (${formatBytes(distanceBytes)} apart)`;
}

/** L1 of one core from the top down, with holes and circular buffers. */
function renderLiveSet({ live, region, circularBufferEnd }: Diagnosis, style: Style): string {
  const columns: readonly FittedColumn<AddressRange<LiveBuffer>>[] = [
    right("From", ({ from }) => formatCount(from)),
    right("To", ({ to }) => formatCount(to), { expendable: 2 }),
    right("Bytes", ({ from, to }) => formatBytes(to - from)),
    left("What", (range) => rangeWords(range, bufferWords, style), { shrinkTo: 12 }),
    left("Layout", ({ buffer }) => buffer?.layout ?? "", { expendable: 3, shrinkTo: 12 }),
    left("Made by", ({ buffer }) => buffer?.madeBy ?? "", { expendable: 4, shrinkTo: 12 }),
    left("Next reader", ({ buffer }) => buffer === undefined ? "" : buffer.nextReader ?? "–", {
      expendable: 1,
      shrinkTo: 12,
    }),
  ];
  return renderFittedTable(columns, addressRanges(region, live, circularBufferEnd), style);
}

function bufferWords({ tensor, role }: LiveBuffer): string {
  return `${tensor ?? "intermediate"}${role === "intermediate" ? "" : ` (${role})`}`;
}

/** Advice if no single change helps. */
function withoutRemedy({ neededBytes, simulated }: Diagnosis): string {
  if (neededBytes === 0) return "Nothing needs to be freed here.";
  if (simulated === undefined) {
    return "The simulation finds room for it as it is written: see what helps in general.";
  }
  return simulated.kind === "too_large"
    ? "No config of this op fits with these layouts, even with nothing else in L1; 'tilewright optimize' tries others.\n" +
      "If its plan does not fit either, try a smaller batch or, if it runs on all cores, a chip with more cores."
    : "No single change frees anything here; 'tilewright optimize' plans the whole program anew.";
}

function renderRemedies(diagnosis: Diagnosis, shown: Diagnosis["remedies"], style: Style): string[] {
  if (shown.length === 0) return [withoutRemedy(diagnosis)];
  const columns: readonly FittedColumn<TriedRemedy>[] = [
    right("#", (remedy) => String(shown.indexOf(remedy) + 1)),
    left(
      "Fits",
      ({ fixes }) => fixes ? { text: "yes", paint: style.green } : { text: "no", paint: style.yellow },
    ),
    right("Frees", ({ freedBytes }) => freedBytes > 0 ? formatBytes(freedBytes) : "", { expendable: 1 }),
    right(
      "Δ time",
      ({ deltaUs }) =>
        deltaUs === undefined
          ? "unknown"
          : { ...kernelTimeCell(deltaUs), text: `${deltaUs > 0 ? "+" : ""}${formatMicroseconds(deltaUs)}` },
    ),
    left("Remedy", ({ description }) => description, { shrinkTo: 30, wraps: true }),
  ];
  const more = diagnosis.remedies.length - shown.length;
  return [
    renderFittedTable(columns, shown, style),
    ...(more > 0 ? [style.dim(`… and ${formatCount(more)} more; --top 0 lists all`)] : []),
  ];
}
