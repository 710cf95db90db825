// SPDX-License-Identifier: Apache-2.0
import type { CostClass } from "../../lib/ops/cost_class.ts";
import { definitionOf } from "../../lib/ops/op_book.ts";
import type { Style } from "./style.ts";

/** Colours by kind of work, as tt-perf-report gives them; all others stay as they are. */
const COLOURS: Readonly<Partial<Record<CostClass, "magenta" | "yellow" | "cyan" | "blue">>> = {
  matmul: "magenta",
  conv2d: "yellow",
  conv3d: "yellow",
  pool: "yellow",
  norm: "cyan",
  ccl: "cyan",
  sdpa: "blue",
  sdpa_decode: "blue",
  rotary: "blue",
  cache_update: "blue",
  heads: "blue",
};

/** How the name of an op is painted. */
export function familyColour(name: string, style: Style): (text: string) => string {
  const colour = COLOURS[definitionOf(name).costClass];
  return colour === undefined ? (text) => text : style[colour];
}
