// SPDX-License-Identifier: Apache-2.0
import type { Style } from "./style.ts";

/** Colours by op family, as tt-perf-report gives them. */
export function familyColour(name: string, style: Style): (text: string) => string {
  if (/matmul|linear/.test(name)) return style.magenta;
  if (/conv|pool/.test(name)) return style.yellow;
  if (/norm|all_|reduce_scatter/.test(name)) return style.cyan;
  if (/attention|cache|sdpa|heads|rotary/.test(name)) return style.blue;
  return (text) => text;
}
