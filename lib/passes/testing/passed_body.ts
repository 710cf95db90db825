// SPDX-License-Identifier: Apache-2.0

/** Helpers for tests of graph passes. */

import { TEST_WORMHOLE } from "../../../testing/chips.ts";
import { parseModule } from "../../ir/mod.ts";
import { verifyModule } from "../../verify/verify_module.ts";
import type { GraphPass } from "../graph_pass.ts";
import { DEFAULT_PASS_OPTIONS, type PassOptions } from "../pass_options.ts";
import { patternPass, type RewritePattern } from "../rewrite_pattern.ts";
import { type PassedModule, type PassTools, runPasses } from "../run_passes.ts";

/**
 * A module of one function. Tests write `T<2x32>` for a bf16 tensor in tiles in interleaved DRAM, `T<2x32, f32>` for
 * another element, `H<2x32>` for a bf16 tensor on the host, `R<2x32>` for one in rows in DRAM, `L<2x32>` for one in tiles
 * in L1, each also with another element.
 */
export function ttnnModule(signature: string, lines: readonly string[]): string {
  const aliases = new Map<string, string>();
  const expand = (text: string): string =>
    text.replaceAll(/T<([\dx]+)(?:, (\w+))?>/g, (_, extents: string, element: string = "bf16") => {
      const shape = extents.split("x").map(Number);
      const key = `${extents}_${element}`;
      if (!aliases.has(key)) aliases.set(key, layoutText(shape, element));
      return `tensor<${extents}x${element}, #ttnn_layout_${key}>`;
    }).replaceAll(
      /([HRL])<([\dx]+)(?:, (\w+))?>/g,
      (_, letter: string, extents: string, element = "bf16") => {
        const place = letter === "H" ? "host" : letter === "R" ? "rows" : "l1";
        const key = `${extents}_${element}_${place}`;
        const shape = extents.split("x").map(Number);
        if (!aliases.has(key)) aliases.set(key, layoutText(shape, element, place));
        return `tensor<${extents}x${element}, #ttnn_layout_${key}>`;
      },
    );
  const body = `func.func @main${expand(signature)} {\n${
    lines.map((line) => `    ${expand(line)}\n`).join("")
  }  }\n`;
  const definitions = [...aliases].map(([key, text]) => `#ttnn_layout_${key} = ${text}\n`).join("");
  return `#dram = #ttnn.buffer_type<dram>\n${definitions}module {\n  ${body}}\n`;
}

function layoutText(
  shape: readonly number[],
  element: string,
  place: "tiles" | "l1" | "rows" | "host" = "tiles",
): string {
  const names = shape.map((_, dim) => `d${dim}`);
  const padded = shape.map((extent, dim) =>
    dim === shape.length - 2 && (place === "tiles" || place === "l1") ? Math.ceil(extent / 32) * 32 : extent
  );
  let scale = 1;
  const terms: string[] = [];
  for (let dim = shape.length - 2; dim >= 0; dim--) {
    terms.unshift(scale === 1 ? `d${dim}` : `d${dim} * ${scale}`);
    scale *= padded[dim] ?? 1;
  }
  const map = `(${names.join(", ")}) -> (${terms.length === 0 ? "0" : terms.join(" + ")}, ${names.at(-1)})`;
  if (place === "rows" || place === "host") {
    const buffer = place === "host" ? "#ttnn.buffer_type<system_memory>>" : "#dram>, <interleaved>";
    const memref = `memref<${shape.length < 2 ? 1 : scale}x${shape.at(-1)}x${element}, ${buffer}`;
    return `#ttnn.ttnn_layout<${map}, <1x1>, ${memref}>`;
  }
  const rows = shape.length < 2 ? 1 : Math.ceil(scale / 32);
  const width = Math.ceil((shape.at(-1) ?? 1) / 32);
  const tile = element === "ui32" ? "u32" : element;
  const buffer = place === "l1" ? "#ttnn.buffer_type<l1>" : "#dram";
  return `#ttnn.ttnn_layout<${map}, <1x1>, memref<${rows}x${width}x!ttcore.tile<32x32, ${tile}>, ${buffer}>, <interleaved>>`;
}

/**
 * Runs a pattern or a pass on a module of one function; returns the ops of all functions without deallocations, layouts
 * taken out. Fails if the written text is unsound.
 */
export function passedBody(
  text: string,
  pass: RewritePattern | GraphPass,
  options: PassOptions = DEFAULT_PASS_OPTIONS,
  tools: PassTools = {},
): readonly string[] {
  return bodyLines(passed(text, pass, options, tools).text);
}

/** Runs a pattern or a pass. @throws {Error} if the written text is unsound, or patterns do not terminate */
export function passed(
  text: string,
  pass: RewritePattern | GraphPass,
  options: PassOptions = DEFAULT_PASS_OPTIONS,
  tools: PassTools = {},
): PassedModule {
  const passes = [("run" in pass) ? pass : testedPass([pass])];
  const result = runPasses(parseModule(text, "test.mlir"), TEST_WORMHOLE, options, { ...tools, passes });
  const [unfinished] = result.unfinished;
  if (unfinished !== undefined) {
    throw new Error(`${unfinished.patterns.join(", ")} still match after ${unfinished.sweeps} sweeps`);
  }
  const [fault] = verifyModule(parseModule(result.text, "test.mlir")).filter(({ severity }) =>
    severity === "error"
  );
  if (fault !== undefined) throw new Error(`${fault.code}: ${fault.message}\n${result.text}`);
  return result;
}

/** A pass of patterns that run for every selection. */
export function testedPass(patterns: readonly RewritePattern[]): GraphPass {
  return patternPass("test", undefined, patterns.map((pattern) => ({ ...pattern, upstream: "level-0" })));
}

/** Statements of all functions, layouts taken out. */
export function bodyLines(text: string): readonly string[] {
  return text.split("\n")
    .filter((line) => /^ {4,}\S/.test(line) && !line.includes("ttnn.deallocate"))
    .map((line) => line.trim().replaceAll(/, #ttnn_layout\w*/g, ""));
}
