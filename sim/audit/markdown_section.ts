// SPDX-License-Identifier: Apache-2.0

/** A share in per cent with one digit, a dash for none and for an infinite one. */
export function percent(ratio: number | null | undefined): string {
  return ratio === null || ratio === undefined || !Number.isFinite(ratio)
    ? "–"
    : `${(ratio * 100).toFixed(1)} %`;
}

/** A Markdown table, as lines; columns whose heads end with `:` are aligned to the right. */
export function markdownTable(
  head: string,
  rows: readonly (readonly (string | number)[])[],
): readonly string[] {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;
  const heads = head.split(" | ");
  return [
    line(heads.map((cell) => cell.replace(/:$/, ""))),
    line(heads.map((cell) => cell.endsWith(":") ? "---:" : "---")),
    ...rows.map(line),
  ];
}

/**
 * A Markdown page with one section replaced, from its heading to the next of the same level; at the end where the page
 * has none.
 */
export function replaceSection(page: string, heading: string, section: readonly string[]): string {
  const text = `${section.join("\n").trimEnd()}\n`;
  const start = page.indexOf(`${heading}\n`);
  if (start < 0) return `${page.trimEnd()}\n\n${text}`;
  const level = `\n${heading.replace(/[^#].*$/, "")} `;
  const next = page.indexOf(level, start + heading.length);
  return `${page.slice(0, start)}${text}${next < 0 ? "" : page.slice(next)}`;
}

/** The section of a page with this heading, as lines; `undefined` where the page has none. */
export function sectionOf(page: string, heading: string): readonly string[] | undefined {
  const start = page.indexOf(`${heading}\n`);
  if (start < 0) return undefined;
  const next = page.indexOf(`\n${heading.replace(/[^#].*$/, "")} `, start + heading.length);
  return page.slice(start, next < 0 ? undefined : next).split("\n");
}
