// SPDX-License-Identifier: Apache-2.0
import { type RelativeError, relativeL2 } from "../../lib/precision/product_error.ts";
import type { AdviceList, PricedChange } from "../../pipeline/advice.ts";
import { backendAdviceTexts, changeColour, freeAdviceTexts, microsecondsCell } from "./cells.ts";
import { type FittedColumn, left, renderFittedTable, right } from "./fitted_table.ts";
import { formatChange, formatPercent, formatTime } from "./format.ts";
import type { Style } from "./style.ts";
import { wrapItem, wrapText } from "./wrap_text.ts";

/** A list of advice with the input, device and policy that it is for. */
interface Advised<Setting> extends AdviceList<Setting> {
  readonly file: string;
  readonly device: string;
  readonly policy: string;
}

/**
 * A row per change that saves time, greatest saving first. Below: one list each of the changes that save nothing,
 * of those that do not run or fit or have no spelling, and of those with too large an error; the savings without
 * a new decision; and the estimated numeric error without a change.
 *
 * @param optionsText a setting as options that can be pasted
 */
export function renderAdvice<Setting>(
  advised: Advised<Setting>,
  optionsText: (setting: Setting) => string,
  style: Style,
): string {
  const { file, device, policy, baseUs, baseError, saving, others, faulty, inexact } = advised;
  const paragraphs = [
    saving.length === 0
      ? ["None of the changes that were tried saves time."]
      : [renderFittedTable(columnsOf(baseUs, optionsText, style), saving, style)],
    namesOf("Saves nothing", others, style.width),
    namesOf(
      "Not possible here (the plan does not run or fit, or the text cannot spell it)",
      faulty,
      style.width,
    ),
    namesOf("Errors larger than allowed", inexact, style.width),
    savingsAsDecided(advised, style.width),
    backendAdviceTexts(advised.backendAdvice, baseUs, "all").flatMap((text) => wrapItem(text, style.width)),
    wrapText(
      baseError === undefined
        ? "The numeric error as it is cannot be estimated: errors add up to more than a first order can say."
        : `Estimated numeric error as it is: ${errorText(baseError)} of the results (root mean square).`,
      style.width,
    ),
  ];
  const told = paragraphs.filter((lines) => lines.length > 0).flatMap((lines) => ["", ...lines]);
  const title = `${style.bold(file)} on ${device}, policy ${policy}: ${formatTime(baseUs)}`;
  return `${[title, ...told].join("\n")}\n`;
}

function columnsOf<Setting>(
  baseUs: number,
  optionsText: (setting: Setting) => string,
  style: Style,
): readonly FittedColumn<PricedChange<Setting>>[] {
  const change = ({ predictedUs }: PricedChange<Setting>) => predictedUs / baseUs - 1;
  return [
    left("Change", ({ what }) => what),
    right("Saves", ({ predictedUs }) => microsecondsCell(baseUs - predictedUs)),
    right(
      "Δ",
      (priced) => ({ text: formatChange(change(priced)), paint: changeColour(change(priced), style) }),
    ),
    right(
      "Sure",
      ({ comparison: { verdict, confidence } }) =>
        verdict === "too_close_to_call" ? "no" : formatPercent(confidence),
    ),
    left(
      "Error",
      ({ numbers, error }) =>
        numbers === "same" ? "the same" : errorText(numbers === "unknown" ? undefined : error),
    ),
    left("Options", ({ setting }) => optionsText(setting), { shrinkTo: 20, wraps: true }),
  ];
}

/** The changes under one heading; nothing without any. */
function namesOf(
  heading: string,
  changes: readonly { readonly what: string }[],
  width: number,
): readonly string[] {
  if (changes.length === 0) return [];
  return wrapText(`${heading}: ${changes.map(({ what }) => what).join(", ")}.`, width);
}

/** Savings of further freedoms with the rest of the plan unchanged. */
function savingsAsDecided({ advice, baseUs }: Advised<unknown>, width: number): readonly string[] {
  const kept = freeAdviceTexts(advice, baseUs);
  if (kept.length === 0) return [];
  const heading = "Each row above is a new decision. Without one, as optimize and explain --gap tell it:";
  return [...wrapText(heading, width), ...kept.flatMap((text) => wrapItem(`  saves ${text}`, width))];
}

function errorText(error: RelativeError | undefined): string {
  return error === undefined ? "unknown" : formatPercent(relativeL2(error));
}
