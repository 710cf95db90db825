// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import type { CheckWords, Told } from "./check_subject.ts";
import { type Remedy, remedy, reworded } from "./remedy.ts";
import * as asks from "./remedy_kinds.ts";

const KINDS: Readonly<Record<string, asks.RemedyKind | undefined>> = asks;

/** A remedy whose kinds stand before its alternatives: `smaller blocks{{MORE_CORES}}, or more cores`. */
function markedRemedy(text: string): Remedy {
  const [first = "", ...rest] = text.split(/\{\{(\w+)\}\}/);
  if (rest.length === 0) return text;
  const kinds = rest.filter((_, index) => index % 2 === 0).map((name) => {
    const kind = KINDS[name];
    if (kind === undefined) throw new RangeError(`Unknown kind of remedies: ${name}`);
    return kind;
  });
  return remedy([first, ...rest.filter((_, index) => index % 2 === 1)], ...kinds);
}

/** `/WORDS/i` */
export const PATTERN: v.GenericSchema<string, RegExp> = v.pipe(
  v.string(),
  v.regex(/^\/.+\/i?$/),
  v.transform((text) => new RegExp(text.replace(/^\/|\/i?$/g, ""), text.endsWith("i") ? "i" : "")),
);

/** What a row of a table tells: remedies with their kinds. */
export const TOLD: v.GenericSchema<string | string[], Remedy[]> = v.pipe(
  v.union([v.string(), v.array(v.string())]),
  v.transform((told) => [told].flat().map(markedRemedy)),
);

/** What depends on the words of a check, on its ops or on its condition and words; `$1` is what the pattern captures. */
const CHOICE = v.strictObject({
  in: v.exactOptional(v.picklist(["ops", "text"])),
  when: PATTERN,
  say: v.exactOptional(TOLD, []),
  else: v.exactOptional(TOLD, []),
});

type DependentTold = v.InferOutput<typeof CHOICE>;

function chosen(choice: DependentTold, { ops, condition, words }: CheckWords): readonly Remedy[] {
  const texts = { ops: ops?.join(" ") ?? "", text: `${condition ?? ""} ${words}`, words };
  const found = choice.when.exec(texts[choice.in ?? "words"]);
  if (found === null) return choice.else;
  return choice.say.map((one) =>
    reworded(one, (text) => text.replace(/\$(\d)/g, (_, group) => found[group] ?? ""))
  );
}

const SAID = v.union([CHOICE, TOLD]);

/** What a row tells where some of it depends on the check. */
export const TOLD_ON: v.GenericSchema<unknown, Told> = v.pipe(
  v.union([v.pipe(SAID, v.transform((said) => [said])), v.array(SAID)]),
  v.transform((told): Told => (check) => told.flatMap((said) => "when" in said ? chosen(said, check) : said)),
);
