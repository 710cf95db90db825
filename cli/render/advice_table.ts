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
 * @param width columns of the terminal
 */
export function renderAdvice<Setting>(
  { file, device, policy, baseUs, baseError, saving, others, faulty, inexact, advice, backendAdvice }:
    Advised<Setting>,
  optionsText: (setting: Setting) => string,
  style: Style,
  width: number,
): string {
  const lines = [`${style.bold(file)} on ${device}, policy ${policy}: ${formatTime(baseUs)}`, ""];
  if (saving.length === 0) lines.push("None of the changes that were tried saves time.");
  else {
    const change = ({ predictedUs }: PricedChange<Setting>) => predictedUs / baseUs - 1;
    const columns: readonly FittedColumn<PricedChange<Setting>>[] = [
      left("Change", ({ what }) => what),
      right("Saves", ({ predictedUs }) => microsecondsCell(baseUs - predictedUs)),
      right(
        "Δ",
        (advice) => ({ text: formatChange(change(advice)), paint: changeColour(change(advice), style) }),
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
    lines.push(renderFittedTable(columns, saving, style, width));
  }
  if (others.length > 0) {
    lines.push("", ...wrapText(`Saves nothing: ${others.map(({ what }) => what).join(", ")}.`, width));
  }
  if (faulty.length > 0) {
    const names = faulty.map(({ what }) => what).join(", ");
    lines.push(
      "",
      ...wrapText(
        `Not possible here (the plan does not run or fit, or the text cannot spell it): ${names}.`,
        width,
      ),
    );
  }
  if (inexact.length > 0) {
    const names = inexact.map(({ what }) => what).join(", ");
    lines.push("", ...wrapText(`Errors larger than allowed: ${names}.`, width));
  }
  const kept = freeAdviceTexts(advice, baseUs);
  if (kept.length > 0) {
    lines.push(
      "",
      ...wrapText(
        "Each row above is a new decision. Without one, as optimize and explain --gap tell it:",
        width,
      ),
      ...kept.flatMap((text) => wrapItem(`  saves ${text}`, width)),
    );
  }
  const unspelled = backendAdviceTexts(backendAdvice, baseUs, true);
  if (unspelled.length > 0) lines.push("", ...unspelled.flatMap((text) => wrapItem(text, width)));
  lines.push(
    "",
    ...wrapText(
      baseError === undefined
        ? "The numeric error as it is cannot be estimated: errors add up to more than a first order can say."
        : `Estimated numeric error as it is: ${errorText(baseError)} of the results (root mean square).`,
      width,
    ),
  );
  return `${lines.join("\n")}\n`;
}

function errorText(error: RelativeError | undefined): string {
  return error === undefined ? "unknown" : formatPercent(relativeL2(error));
}
