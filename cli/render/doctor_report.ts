// SPDX-License-Identifier: Apache-2.0
import type { Diagnosis } from "../../pipeline/doctor/diagnosis.ts";
import type { FailureExplanation } from "../../pipeline/doctor/explain_failure.ts";
import type { MemoryVerdict } from "../../lib/memory/memory_verdict.ts";
import { type FittedCell, type FittedColumn, renderFittedTable } from "./fitted_table.ts";
import { formatBytes, formatCount, formatMicroseconds } from "./format.ts";
import type { Style } from "./style.ts";
import { misfitLines, paintVerdict, uncheckedLines } from "./verdict.ts";

/** Distance from which on a message hardly speaks of the program. */
const FAR_BYTES = 128 * 1024;

/** What `doctor` found. */
export interface DoctorReport {
  /** `undefined` when only a log was given. */
  readonly input: string | undefined;
  readonly device: string;
  readonly messages: readonly FailureExplanation[];
  readonly diagnoses: readonly Diagnosis[];
  /** Further ops that do not fit and were not looked at. */
  readonly moreOps: number;
  /** Of the whole input; `undefined` when only a log was given. */
  readonly verdict: MemoryVerdict | undefined;
  readonly logged: boolean;
}

/** The report of `doctor` as terminal text. `top` limits the remedies per op, 0 lists all. */
export function renderDoctor(report: DoctorReport, style: Style, width: number, top: number): string {
  const { messages, diagnoses } = report;
  const parts = messages.map((message) => renderMessage(message, report, style));
  parts.push(...diagnoses.map((diagnosis) => renderDiagnosis(diagnosis, style, width, top)));
  if (parts.length === 0 && report.logged) parts.push("The log speaks of no L1 clash and no full bank.");
  if (report.input !== undefined && report.logged && diagnoses.length === 0) {
    parts.push(`No op of ${report.input} can be meant.`);
  }
  if (report.moreOps > 0) {
    parts.push(style.dim(`${formatCount(report.moreOps)} more ops do not fit; --op ID looks at one of them`));
  }
  if (report.verdict !== undefined) parts.push(renderVerdict(report.verdict, report, style));
  return `${parts.join("\n\n")}\n`;
}

/** What the whole input comes to; ops whose diagnosis stands above are not named again. */
function renderVerdict(
  verdict: MemoryVerdict,
  { input, device, diagnoses }: DoctorReport,
  style: Style,
): string {
  if (verdict.status === "fits") {
    return `Everything in ${input} fits into L1 and DRAM of ${device}, by address.`;
  }
  const misfits = verdict.misfits.filter((misfit) =>
    !diagnoses.some((diagnosis) => diagnosis.function === misfit.function && diagnosis.op === misfit.op)
  );
  return [
    `${input} on ${device}: ${paintVerdict(verdict, style)}`,
    ...[...misfitLines({ misfits }), ...uncheckedLines(verdict)].map((line) => `  ${line}`),
  ].join("\n");
}

function renderMessage(message: FailureExplanation, { input, device }: DoctorReport, style: Style): string {
  const title = {
    circular_buffer_clash: "Circular buffers clash with a tensor",
    circular_buffers_too_large: "Circular buffers exceed L1",
    bank_full: "A bank is full",
  }[message.failure.kind];
  const lines = [`${style.bold(style.red(title))} ${style.dim(`(addresses as on ${device})`)}`];
  for (const sentence of message.meaning) lines.push(`  ${sentence}.`);
  // With the program at hand its own remedies follow, tried out and priced.
  if (input === undefined) {
    lines.push("", "What helps:", ...message.advice.map((advice, index) => `  ${index + 1}. ${advice}`));
  }
  return lines.join("\n");
}

function renderDiagnosis(diagnosis: Diagnosis, style: Style, width: number, top: number): string {
  const { simulated, remedies } = diagnosis;
  const title = `op ${diagnosis.op} ${diagnosis.name} of @${diagnosis.function}`;
  const verdict = simulated === undefined
    ? "the simulation finds room for it"
    : `${formatBytes(simulated.shortBytes)} per core are missing (${simulated.kind})`;
  const shown = top === 0 ? remedies : remedies.slice(0, top);
  return [
    `${style.bold(title)} ${style.dim(diagnosis.location.slice(0, Math.max(0, width - title.length - 1)))}`
      .trimEnd(),
    `  ${verdict}${foundBy(diagnosis)}`,
    "",
    renderLiveSet(diagnosis, style, width),
    "",
    ...renderRemedies(diagnosis, shown, style, width),
  ].join("\n");
}

function foundBy({ confidence, distanceBytes, logged }: Diagnosis): string {
  if (logged === undefined || confidence === "simulated") return "";
  if (confidence === "exact") return "; its addresses are those of the message";
  const words = confidence === "close"
    ? "its addresses are near those of the message"
    : distanceBytes > FAR_BYTES
    ? "the nearest op, but far: the message may be about another program"
    : "the nearest op, a guess";
  return `; ${words} (${formatBytes(distanceBytes)} apart)`;
}

const LIVE_COLUMNS: readonly FittedColumn[] = [
  { title: "From", align: "right", expendable: 0 },
  { title: "To", align: "right", expendable: 2 },
  { title: "Bytes", align: "right", expendable: 0 },
  { title: "What", align: "left", expendable: 0, shrinkTo: 12 },
  { title: "Layout", align: "left", expendable: 3, shrinkTo: 12 },
  { title: "Made by", align: "left", expendable: 4, shrinkTo: 12 },
  { title: "Next reader", align: "left", expendable: 1, shrinkTo: 12 },
];

/** L1 of one core from the top down, with holes and circular buffers. */
function renderLiveSet({ live, region, circularBufferEnd }: Diagnosis, style: Style, width: number): string {
  const row = (from: number, to: number, cells: readonly FittedCell[]): FittedCell[] => [
    { text: formatCount(from) },
    { text: formatCount(to) },
    { text: formatBytes(to - from) },
    ...cells,
  ];
  const free = (from: number, to: number): FittedCell[] =>
    row(from, to, [{ text: "free", paint: style.dim }]);
  const body: FittedCell[][] = [];
  let above = region.top;
  for (const buffer of live) {
    const end = buffer.address + buffer.bytes;
    if (end < above) body.push(free(end, above));
    body.push(row(buffer.address, end, [
      {
        text: `${buffer.tensor ?? "intermediate"}${
          buffer.role === "intermediate" ? "" : ` (${buffer.role})`
        }`,
      },
      { text: buffer.layout ?? "" },
      { text: buffer.madeBy },
      { text: buffer.nextReader ?? "–" },
    ]));
    above = buffer.address;
  }
  if (circularBufferEnd < above) body.push(free(circularBufferEnd, above));
  if (circularBufferEnd > region.base) {
    const clash = circularBufferEnd > above;
    body.push(row(region.base, circularBufferEnd, [
      clash
        ? { text: "circular buffers, reaching a tensor", paint: style.red }
        : { text: "circular buffers", paint: style.cyan },
    ]));
  }
  return renderFittedTable(LIVE_COLUMNS, { body, footer: [] }, style, width);
}

const REMEDY_COLUMNS: readonly FittedColumn[] = [
  { title: "#", align: "right", expendable: 0 },
  { title: "Fits", align: "left", expendable: 0 },
  { title: "Frees", align: "right", expendable: 1 },
  { title: "Δ time", align: "right", expendable: 0 },
  { title: "Remedy", align: "left", expendable: 0, shrinkTo: 30 },
];

function renderRemedies(
  diagnosis: Diagnosis,
  shown: Diagnosis["remedies"],
  style: Style,
  width: number,
): string[] {
  if (shown.length === 0) {
    return [
      diagnosis.neededBytes === 0
        ? "Nothing has to become free here."
        : "No single change frees anything here; 'tilewright optimize' decides the whole program anew.",
    ];
  }
  const body = shown.map((remedy, index): FittedCell[] => [
    { text: String(index + 1) },
    remedy.fixes ? { text: "yes", paint: style.green } : { text: "no", paint: style.yellow },
    { text: remedy.freedBytes > 0 ? formatBytes(remedy.freedBytes) : "" },
    { text: `${remedy.deltaUs > 0 ? "+" : ""}${formatMicroseconds(remedy.deltaUs)}`, unit: "µs" },
    { text: remedy.description },
  ]);
  const more = diagnosis.remedies.length - shown.length;
  return [
    renderFittedTable(REMEDY_COLUMNS, { body, footer: [] }, style, width),
    ...(more > 0 ? [style.dim(`… and ${formatCount(more)} more; --top 0 lists all`)] : []),
  ];
}
