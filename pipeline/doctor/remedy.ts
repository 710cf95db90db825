// SPDX-License-Identifier: Apache-2.0
import type { RemedyKind } from "./remedy_kinds.ts";

/** One way out that a remedy names, with what joins it to the one before it: `, or more cores`. */
interface KindedText {
  readonly kinds: readonly RemedyKind[];
  readonly text: string;
}

/** A remedy in words, by its alternatives where something depends on what they ask for. */
export type Remedy = string | { readonly alternatives: readonly KindedText[] };

/** A remedy with a kind, or several, before each alternative that has one: `smaller blocks${MORE_CORES}, or more cores`. */
export function remedy(
  texts: readonly string[],
  ...values: readonly (RemedyKind | string | number)[]
): Remedy {
  const alternatives: KindedText[] = [];
  let open: KindedText = { kinds: [], text: "" };
  for (const part of texts.flatMap((text, index) => [text, values[index] ?? ""])) {
    if (typeof part !== "object") open = { ...open, text: `${open.text}${part}` };
    else {
      if (open.text !== "") alternatives.push(open);
      open = { kinds: open.text === "" ? [...open.kinds, part] : [part], text: "" };
    }
  }
  return { alternatives: open.text === "" ? alternatives : [...alternatives, open] };
}

/** How a remedy pads: where zeros matter, their value is named in its place. */
export const CUT = "(ttnn.pad, and cut the result)";

function alternativesOf(one: Remedy): readonly KindedText[] {
  return typeof one === "string" ? [{ kinds: [], text: one }] : one.alternatives;
}

/** A remedy in words. */
export function textOf(one: Remedy): string {
  return alternativesOf(one).map(({ text }) => text).join("");
}

/** Whether an alternative of a remedy is of a kind. */
export function isOf(one: Remedy, kind: RemedyKind): boolean {
  return alternativesOf(one).some(({ kinds }) => kinds.includes(kind));
}

/** A remedy in other words, alternative by alternative. */
export function reworded(one: Remedy, words: (text: string, index: number) => string): Remedy {
  return typeof one === "string" ? words(one, 0) : {
    alternatives: one.alternatives.map((each, index) => ({ ...each, text: words(each.text, index) })),
  };
}

/** Remedies of which one suffices: all but the first begin with `or`. */
export function anyOf(remedies: readonly Remedy[]): readonly Remedy[] {
  return distinct(remedies).map((one, index) => index === 0 ? one : led("or ", one));
}

/** A remedy behind some words. */
export function led(words: string, one: Remedy): Remedy {
  return reworded(one, (text, at) => at === 0 ? words + text : text);
}

/** A list of remedies whose first does not begin with `or`. */
export function started(remedies: readonly Remedy[]): readonly Remedy[] {
  return remedies.map((one, index) =>
    index > 0 ? one : reworded(one, (text, at) => at > 0 ? text : text.replace(/^or /, ""))
  );
}

/** Remedies of different words. */
export function distinct(remedies: readonly Remedy[]): readonly Remedy[] {
  return [...new Map(remedies.map((one) => [textOf(one), one])).values()];
}

/** Remedies without the alternatives of some kinds; one of which none is left is left out. */
export function withoutKinds(
  remedies: readonly Remedy[],
  isClosed: (kind: RemedyKind) => boolean,
): readonly Remedy[] {
  return started(remedies.flatMap((one) => {
    const all = alternativesOf(one);
    const alternatives = all.filter(({ kinds }) => !kinds.some(isClosed));
    if (alternatives.length === all.length) return [one];
    return alternatives.length === 0 ? [] : [reworded(
      { alternatives },
      (text, at) => text.replace(/^(?:[,;] )?(or )?/, (_, or = "") => at === 0 ? "" : `, ${or}`),
    )];
  }));
}

/** Remedies without the alternatives that a text says are taken already or have failed: the log or report of a message. */
export function helpfulIn(remedies: readonly Remedy[], text: string): readonly Remedy[] {
  return withoutKinds(
    remedies,
    ([said, unless]) => said?.test(text) === true && unless?.test(text) !== true,
  );
}
