// SPDX-License-Identifier: Apache-2.0
import { join } from "@std/path";
import { ROOT } from "../steps.ts";

/** One mutation of `deno task mutants`: an edit of the source that makes an algorithm wrong, so that a test fails. */
export interface Mutant {
  readonly file: string;
  /** Its name and section, as docs/seeds.md has them, where a design document names it. */
  readonly algorithm: string;
  /** Source text with one replacement in marks: `x «<→<=» y` makes `x <= y` of `x < y`, which stands once in the file. */
  readonly edit: string;
  /** Why tests cannot notice it, of an edit that changes nothing. */
  equivalent?: string;
}

/**
 * The mutations of a text: under a line `## FILE: ALGORITHM` an edit per line, with `⏎` for a line break, and under an
 * edit that changes nothing `= WHY`. Lines before the first `##` say what the text is about.
 */
function readMutants(text: string): readonly Mutant[] {
  return text.split(/^## /m).slice(1).flatMap((section) => {
    const [heading = "", ...lines] = section.split("\n");
    const [file = "", algorithm = ""] = heading.split(/: (.*)/);
    const mutants: Mutant[] = [];
    for (const line of lines) {
      const last = mutants.at(-1);
      if (last !== undefined && line.startsWith("= ")) last.equivalent = line.slice(2);
      else if (line !== "") mutants.push({ file, algorithm, edit: line.replaceAll("⏎", "\n") });
    }
    return mutants;
  });
}

/** Every mutation of `deno task mutants`: those of the texts in `edits`, one by topic. */
export async function allMutants(): Promise<readonly Mutant[]> {
  const folder = join(ROOT, "tools", "mutants", "edits");
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name).toSorted();
  const texts = await Promise.all(names.map((name) => Deno.readTextFile(join(folder, name))));
  return texts.flatMap(readMutants);
}

/** What an edit finds, and what stands there afterwards. @throws {RangeError} without exactly one replacement */
export function textsOf(edit: string): readonly [find: string, replacement: string] {
  const [before, old, replacement, after, ...more] = edit.split(/[«→»]/);
  if (old === undefined || replacement === undefined || after === undefined || more.length > 0) {
    throw new RangeError(`Cannot read ${JSON.stringify(edit)}: expected before«old→new»after`);
  }
  return [`${before}${old}${after}`, `${before}${replacement}${after}`];
}

/** The text with an edit. @throws {RangeError} unless the text to replace stands in it exactly once */
export function applyEdit(text: string, edit: string, file: string): string {
  const [find, replacement] = textsOf(edit);
  const [before, after, ...more] = text.split(find);
  if (after === undefined) {
    throw new RangeError(`Cannot mutate ${file}: ${JSON.stringify(find)} is not in it`);
  }
  if (more.length > 0) {
    throw new RangeError(`Cannot mutate ${file}: ${JSON.stringify(find)} is in it more than once`);
  }
  if (find === replacement) {
    throw new RangeError(`Cannot mutate ${file}: ${JSON.stringify(find)} stays as it is`);
  }
  return before + replacement + after;
}
