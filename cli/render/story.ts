// SPDX-License-Identifier: Apache-2.0
import type { OpStory, StoryProgram } from "../../pipeline/explain/story.ts";
import { microsecondsCell } from "./cells.ts";
import { type FittedColumn, left, renderFittedTable, right } from "./fitted_table.ts";
import { formatBytes, formatCount } from "./format.ts";
import type { Style } from "./style.ts";
import { wrapItem, wrapText } from "./wrap_text.ts";

const SOURCES: Readonly<Record<OpStory["source"], string>> = {
  tilewright: "decided here",
  "tt-mlir": "from a trace of tt-mlir",
  plan: "from the reasons in the plan; this policy records no candidates",
};

/** Explains the candidates if no search recorded any. */
const ALONE =
  "Other ways to run this op with the rest of the plan unchanged; times include the copies it needs.";

/** One op's story as terminal text. `top` limits candidates and refusals. */
export function renderStory(story: OpStory, style: Style, top: number): string {
  const { layouts, operands } = story;
  const title = `op ${story.op} ${story.name} of @${story.function}`;
  const origin = story.origin === "" ? "" : `, plan '${story.origin}'`;
  const lines = [
    `${style.bold(title)} ${style.dim(story.location.slice(0, Math.max(0, style.width - title.length - 1)))}`
      .trimEnd(),
    `  policy   ${story.policy}${origin} ${style.dim(`(${SOURCES[story.source]})`)}`,
    `  result   ${style.bold(layouts.filter((layout) => layout !== "").join(", ") || "as in the input")}`,
  ];
  if (!story.decided) lines.push("  The policy does not decide its layouts: they stay as in the input.");
  operands.forEach((candidates, operand) => {
    const own = candidates.filter((candidate) => !candidate.isReshard).length;
    if (candidates.length === 0) return;
    lines.push(
      `  operand ${operand}: ${formatCount(own)} from its producer, ${
        formatCount(candidates.length - own)
      } by reshard`,
    );
  });
  if (story.alone) lines.push("", ...wrapText(ALONE, style.width - 2).map((line) => style.dim(`  ${line}`)));
  if (story.candidates.length > 0) lines.push("", renderCandidates(story, style, top));
  for (const { title, sentences } of storySections(story, top, style.dim)) {
    lines.push("", style.bold(title), ...sentences.map((sentence) => `  - ${sentence}`));
  }
  return `${
    lines.flatMap((line) => line.startsWith("  - ") ? wrapItem(line, style.width) : [line]).join("\n")
  }\n`;
}

/** `convolution on 61 cores; circular buffers 96.0 KiB per core: activation 48.0 KiB, …` */
function programLine({ kind, cores, circularBuffers }: StoryProgram): string {
  const total = circularBuffers.reduce((sum, { bytes }) => sum + bytes, 0);
  const parts = circularBuffers.map(({ name, bytes }) => `${name} ${formatBytes(bytes)}`).join(", ");
  return `${kind.replaceAll("_", " ")} on ${formatCount(cores)} ${cores === 1 ? "core" : "cores"}${
    total === 0 ? "" : `; circular buffers ${formatBytes(total)} per core: ${parts}`
  }`;
}

/** A section of the explanation of a decision. */
export interface StorySection {
  readonly title: string;
  readonly sentences: readonly string[];
}

/**
 * All sections except the candidates, without empty ones.
 *
 * @param top most refusals to list
 * @param dim style of less important words
 */
export function storySections(
  story: OpStory,
  top: number,
  dim: (text: string) => string,
): readonly StorySection[] {
  const refused = story.rejections.slice(0, top);
  const more = story.rejections.length - refused.length;
  const sections: readonly StorySection[] = [
    { title: "Runs as", sentences: story.programs.map(programLine) },
    { title: "Why not L1", sentences: story.whyNotL1 },
    { title: "Fork", sentences: forkLines(story) },
    {
      title: "Copies",
      sentences: story.reshards.map(({ direction, operand, other, layout }) =>
        direction === "in"
          ? `operand ${operand} is read from a copy in ${layout}, made of the result of ${other}`
          : `${other} reads its operand ${operand} from a copy in ${layout}`
      ),
    },
    {
      title: "Pass 2",
      sentences: story.spills.map((spill) =>
        `position ${spill.position}, ${spill.opName}: ${spill.action}${
          spill.victim === undefined ? "" : ` of ${spill.victim}`
        }${spill.bytes === undefined ? "" : `, ${formatBytes(spill.bytes)} per core`}${
          spill.description === "" ? "" : `: ${spill.description}`
        }`
      ),
    },
    {
      title: "Refused",
      sentences: [
        ...refused.map(({ reason, count, inputs, output }) =>
          `${count === 1 ? "" : `${formatCount(count)} × `}${reason}${
            dim(` (first: ${inputs.join(", ")}${output === undefined ? "" : ` → ${output}`})`)
          }`
        ),
        ...(more > 0 ? [dim(`… and ${formatCount(more)} more; explain --top 0 lists all`)] : []),
      ],
    },
    { title: "Not tried", sentences: story.notAsked },
    { title: "Reasons", sentences: story.reasons },
  ];
  return sections.filter(({ sentences }) => sentences.length > 0);
}

function forkLines({ fork }: OpStory): readonly string[] {
  if (fork === undefined) return [];
  const costs = fork.slotCosts.map((cost, slot) =>
    `slot ${slot} ${cost === null ? "impossible" : cost.toFixed(2)}`
  );
  return [
    `${formatCount(fork.consumers.length)} readers (ops ${
      fork.consumers.slice(0, 8).join(", ")
    }); slot ${fork.chosenSlot} costs them least${costs.length === 0 ? "" : `: ${costs.join(", ")}`}`,
  ];
}

/** Layouts of a candidate's tensor operands. */
export function operandsText({ inputs }: OpStory["candidates"][number]): string {
  return inputs.filter((layout) => layout !== "" && layout !== "null").join(", ");
}

/** The best candidates, and the chosen one. */
export function listedCandidates({ candidates }: OpStory, top: number): OpStory["candidates"] {
  return candidates.filter((candidate, index) => index < top || candidate.isChosen);
}

function renderCandidates(story: OpStory, style: Style, top: number): string {
  const shown = listedCandidates(story, top);
  const columns: readonly FittedColumn<OpStory["candidates"][number]>[] = [
    right("Rank", ({ rank }) => String(rank)),
    left("Result", ({ output, isChosen }) => isChosen ? { text: output, paint: style.green } : output),
    left("Operands", operandsText, { expendable: 3, shrinkTo: 16, wraps: true }),
    right(
      story.alone ? "Time" : "Path",
      ({ microseconds = Infinity }) => Number.isFinite(microseconds) ? microsecondsCell(microseconds) : "",
      { expendable: 2 },
    ),
    right("Cores", ({ score }) => String(score.cores ?? score.coreCount ?? ""), { expendable: 4 }),
    right("L1", ({ score }) => score.outputL1Bytes === undefined ? "" : formatBytes(score.outputL1Bytes), {
      expendable: 5,
    }),
    left("Compared with chosen", ({ isChosen, against = "" }) => isChosen ? "chosen" : against, {
      shrinkTo: 24,
      wraps: true,
    }),
  ];
  return renderFittedTable(columns, shown, style);
}
