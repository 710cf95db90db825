// SPDX-License-Identifier: Apache-2.0
import { rangeText } from "./drawing_text.ts";
import { escapeText } from "./escape_text.ts";
import type { ShardBand, ShardDrawing } from "./shard_drawing.ts";

const CELL_WIDTH = 96;
const CELL_HEIGHT = 44;
const LABEL_WIDTH = 150;
const LABEL_HEIGHT = 34;
const TITLE_HEIGHT = 28;
const MARGIN = 12;
/** Upper estimate for the title's font. */
const TITLE_CHARACTER_WIDTH = 8;

/**
 * Draws shards as an SVG document: one box per core with its name, labels with the rows and columns that it holds, and
 * hatched strips where padding lies, right of the elements and below them, to the scale of the shard.
 *
 * @param title text above the drawing, one line
 * @param description longer text for readers that do not see the drawing
 */
export function drawingsSvg(drawings: readonly ShardDrawing[], title: string, description: string): string {
  const width = 2 * MARGIN + Math.max(
    title.length * TITLE_CHARACTER_WIDTH,
    LABEL_WIDTH + CELL_WIDTH * Math.max(1, ...drawings.map(({ columns }) => columns.length)),
  );
  const parts: string[] = [];
  let top = MARGIN + TITLE_HEIGHT;
  for (const drawing of drawings) {
    parts.push(drawOne(drawing, top));
    top += LABEL_HEIGHT + CELL_HEIGHT * drawing.rows.length + MARGIN * 2;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top}" width="${width}" height="${top}" ` +
    `font-family="system-ui, sans-serif" font-size="11" role="img">`,
    `<title>${escapeText(title)}</title>`,
    `<desc>${escapeText(description)}</desc>`,
    `<defs><pattern id="padding" width="6" height="6" patternUnits="userSpaceOnUse" ` +
    `patternTransform="rotate(45)"><rect width="6" height="6" fill="#eceff1"/>` +
    `<line x1="0" y1="0" x2="0" y2="6" stroke="#b0bec5" stroke-width="2"/></pattern></defs>`,
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    `<text x="${MARGIN}" y="${MARGIN + 12}" font-size="13" font-weight="600">${escapeText(title)}</text>`,
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

function drawOne(drawing: ShardDrawing, top: number): string {
  const left = MARGIN + LABEL_WIDTH;
  const below = top + LABEL_HEIGHT;
  const parts: string[] = [];
  if (drawing.outer.length > 0) {
    parts.push(text(MARGIN, top + 14, `grid [${drawing.outer.join(", ")}, …]`, "start"));
  }
  for (const [column, band] of drawing.columns.entries()) {
    parts.push(text(left + (column + 0.5) * CELL_WIDTH, below - 8, rangeText(band), "middle"));
  }
  for (const [row, band] of drawing.rows.entries()) {
    const y = below + row * CELL_HEIGHT;
    parts.push(text(left - 10, y + CELL_HEIGHT / 2 + 4, rangeText(band), "end"));
    for (const [column, columnBand] of drawing.columns.entries()) {
      const x = left + column * CELL_WIDTH;
      parts.push(cell(x, y, band, columnBand, drawing.cores[row]?.[column] ?? ""));
    }
  }
  return parts.join("\n");
}

function cell(x: number, y: number, row: ShardBand, column: ShardBand, name: string): string {
  const width = CELL_WIDTH - 4;
  const height = CELL_HEIGHT - 4;
  const filledWidth = row.start === row.end ? 0 : width * share(column);
  const filledHeight = column.start === column.end ? 0 : height * share(row);
  const box = `x="${x + 2}" y="${y + 2}"`;
  return [
    `<rect ${box} width="${width}" height="${height}" fill="url(#padding)"/>`,
    `<rect ${box} width="${round(filledWidth)}" height="${round(filledHeight)}" fill="#bbdefb"/>`,
    `<rect ${box} width="${width}" height="${height}" fill="none" stroke="#1e88e5"/>`,
    text(x + CELL_WIDTH / 2, y + CELL_HEIGHT / 2 + 4, name, "middle"),
  ].join("");
}

/** Part of a band that holds elements. */
function share(band: ShardBand): number {
  const held = band.end - band.start;
  return held === 0 ? 0 : held / (held + band.padding);
}

function text(x: number, y: number, content: string, anchor: "start" | "middle" | "end"): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="#263238">${escapeText(content)}</text>`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
