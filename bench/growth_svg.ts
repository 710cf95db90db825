// SPDX-License-Identifier: Apache-2.0
import { SERIES_COLOURS, svgPicture } from "../cli/render/svg.ts";

/** Seconds by size, from the smallest on. */
export interface Growth {
  readonly name: string;
  readonly points: readonly (readonly [size: number, seconds: number])[];
}

const WIDTH = 720;
const HEIGHT = 360;
const LEFT = 48;
const RIGHT = 200;
const MARGIN = 32;

/** Height of a label. */
const LINE = 14;

/** How processor time grows: both axes logarithmic, sizes as a share of the largest; the dashed line is linear growth. */
export function growthSvg(growths: readonly Growth[]): string {
  const all = growths.flatMap(({ points }) => points);
  const [least, most] = [1 / 2, 2].map((beyond, end) =>
    (end === 0 ? Math.min : Math.max)(...all.map(([, seconds]) => seconds)) * beyond
  );
  if (least === undefined || most === undefined) return "";
  const x = (share: number): number => round(LEFT + (1 + Math.log2(share) / 3) * (WIDTH - LEFT - RIGHT));
  const y = (seconds: number): number =>
    round(HEIGHT - MARGIN - Math.log(seconds / least) / Math.log(most / least) * (HEIGHT - 2 * MARGIN));
  let free = 0;
  const lines = growths.toSorted((a, b) => endOf(b, least) - endOf(a, least)).map(
    ({ name, points }, index) => {
      const colour = SERIES_COLOURS[index % SERIES_COLOURS.length];
      const [size = 1, seconds = least] = points.at(-1) ?? [];
      const line = Math.max(y(seconds) + 4, free);
      free = line + LINE;
      const path = points.map(([at, took]) => `${x(at / size)},${y(took)}`).join(" ");
      return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>` +
        `<text x="${x(1) + 8}" y="${line}" fill="${colour}">${size} ${name}</text>`;
    },
  );
  const seconds = [0.5, 1, 2, 4, 8, 16, 32, 64].filter((each) => each > least && each < most);
  return `${
    svgPicture(WIDTH, HEIGHT, "Processor time by size", [
      "<style>svg{font:12px sans-serif}</style>",
      ...seconds.map((each) =>
        `<path d="M${LEFT} ${y(each)}H${x(1)}" stroke="#8a8f98" stroke-opacity="0.3"/>` +
        `<text x="${LEFT - 6}" y="${y(each) + 4}" text-anchor="end" fill="#8a8f98">${each} s</text>`
      ),
      ...["1/8", "1/4", "1/2", "all"].map((label, index) =>
        `<text x="${x(2 ** (index - 3))}" y="${
          HEIGHT - 10
        }" text-anchor="middle" fill="#8a8f98">${label}</text>`
      ),
      `<path d="M${x(1 / 8)} ${y(least * 1.2)}L${x(1)} ${
        y(least * 9.6)
      }" stroke="#8a8f98" stroke-dasharray="4 4"/>`,
      ...lines,
    ])
  }\n`;
}

/** Seconds of the largest size. */
function endOf({ points }: Growth, least: number): number {
  return points.at(-1)?.[1] ?? least;
}

function round(pixels: number): number {
  return Math.round(10 * pixels) / 10;
}
