// SPDX-License-Identifier: Apache-2.0

/** Colours of what is compared, distinguishable on light and dark; whatever comes after them takes them again. */
export const SERIES_COLOURS: readonly string[] = ["#3b82c4", "#c2410c", "#2f9e6e", "#a855c7", "#b58900"];

/** A picture of its parts, in pixels; `label` describes it for screen readers. */
export function svgPicture(width: number, height: number, label: string, parts: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
${parts.join("\n")}
</svg>`;
}
