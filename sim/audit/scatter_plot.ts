// SPDX-License-Identifier: Apache-2.0
import { escapeText } from "../../lib/layout/render/escape_text.ts";

/** One point of a scatter plot. */
export interface ScatterPoint {
  readonly series: string;
  readonly measured: number;
  readonly predicted: number;
}

/** Most points that are drawn; more are thinned out evenly. */
const MOST_POINTS = 500;

const WIDTH = 440;
const HEIGHT = 400;
const MARGIN = { left: 56, right: 12, top: 28, bottom: 44 } as const;

/** Colours of series, distinct also for people who confuse red and green. */
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"] as const;

/**
 * SVG of measured against predicted values on logarithmic axes, with the diagonal and a band of ±10 %. Points that are
 * not positive are left out.
 *
 * @param title plot's heading
 * @param unit unit of both axes
 */
export function scatterPlot(title: string, unit: string, points: readonly ScatterPoint[]): string {
  const usable = points.filter(({ measured, predicted }) => measured > 0 && predicted > 0);
  const series = [...new Set(usable.map((point) => point.series))].sort();
  const values = usable.flatMap(({ measured, predicted }) => [measured, predicted]);
  const low = Math.floor(Math.log10(Math.min(...values, 1e9)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values, 1e-9))));
  const axes: PlotAxes = {
    low,
    high,
    x: (value) => scale(value, low, high, MARGIN.left, WIDTH - MARGIN.right),
    y: (value) => scale(value, low, high, HEIGHT - MARGIN.bottom, MARGIN.top),
  };
  const stride = Math.max(1, Math.ceil(usable.length / MOST_POINTS));
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" ` +
    `font-family="sans-serif" font-size="11">`,
    `<rect width="100%" height="100%" fill="white"/>`,
    `<text x="${MARGIN.left}" y="18" font-size="13" font-weight="bold">${escapeText(title)}</text>`,
    ...gridLines(axes),
    ...diagonal(axes),
    ...usable.filter((_, index) => index % stride === 0).map((point) =>
      `<circle cx="${round(axes.x(point.measured))}" cy="${round(axes.y(point.predicted))}" r="2.2" ` +
      `fill="${colourOf(series.indexOf(point.series))}" fill-opacity="0.55"/>`
    ),
    "</g>",
    ...legend(series),
    `<text x="${(WIDTH + MARGIN.left) / 2}" y="${HEIGHT - 10}" text-anchor="middle">measured, ${
      escapeText(unit)
    }</text>`,
    `<text x="14" y="${HEIGHT / 2}" text-anchor="middle" transform="rotate(-90 14 ${
      HEIGHT / 2
    })">predicted, ${escapeText(unit)}</text>`,
    "</svg>",
  ];
  return `${lines.join("\n")}\n`;
}

/** Both axes have the same range. */
interface PlotAxes {
  /** Powers of ten at their ends. */
  readonly low: number;
  readonly high: number;
  /** Pixel of a value. */
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
}

function gridLines({ low, high, x, y }: PlotAxes): readonly string[] {
  const lines: string[] = [];
  for (let power = low; power <= high; power++) {
    const at = 10 ** power;
    lines.push(
      line(x(at), MARGIN.top, x(at), HEIGHT - MARGIN.bottom, "#ddd"),
      line(MARGIN.left, y(at), WIDTH - MARGIN.right, y(at), "#ddd"),
      `<text x="${round(x(at))}" y="${HEIGHT - MARGIN.bottom + 14}" text-anchor="middle">${
        tick(power)
      }</text>`,
      `<text x="${MARGIN.left - 6}" y="${round(y(at) + 4)}" text-anchor="end">${tick(power)}</text>`,
    );
  }
  return lines;
}

/** The line measured = predicted with its band of ±10 %; opens the group that is clipped to the plot. */
function diagonal({ low, high, x, y }: PlotAxes): readonly string[] {
  const [from, to] = [10 ** low, 10 ** high];
  const band = [[from, from * 0.9], [from, from * 1.1], [to, to * 1.1], [to, to * 0.9]] as const;
  const corners = band.map(([bx, by]) => `${round(x(bx))},${round(y(by))}`).join(" ");
  return [
    `<clipPath id="plot"><rect x="${MARGIN.left}" y="${MARGIN.top}" width="${
      WIDTH - MARGIN.left - MARGIN.right
    }" ` +
    `height="${HEIGHT - MARGIN.top - MARGIN.bottom}"/></clipPath>`,
    `<g clip-path="url(#plot)"><polygon points="${corners}" fill="#bbb" opacity="0.4"/>`,
    line(x(from), y(from), x(to), y(to), "#555"),
  ];
}

function legend(series: readonly string[]): readonly string[] {
  return series.flatMap((name, index) => {
    const top = MARGIN.top + 14 + index * 15;
    return [
      `<circle cx="${MARGIN.left + 12}" cy="${top - 4}" r="4" fill="${colourOf(index)}"/>`,
      `<text x="${MARGIN.left + 20}" y="${top}">${escapeText(name)}</text>`,
    ];
  });
}

function colourOf(series: number): string | undefined {
  return COLOURS[series % COLOURS.length];
}

function scale(value: number, low: number, high: number, from: number, to: number): number {
  return from + (Math.log10(value) - low) / (high - low) * (to - from);
}

function line(x1: number, y1: number, x2: number, y2: number, colour: string): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="${colour}"/>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function tick(power: number): string {
  return power >= 0 && power <= 3 ? `${10 ** power}` : `1e${power}`;
}
