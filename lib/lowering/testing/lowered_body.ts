// SPDX-License-Identifier: Apache-2.0

/** Helpers for tests of lowerings. */

import { TEST_WORMHOLE } from "../../../testing/chips.ts";
import { parseModule } from "../../ir/mod.ts";
import { lowerModule } from "../lower_module.ts";

/**
 * A TTIR module of one function.
 *
 * @param signature arguments and results as they stand behind the name
 * @param lines ops and `return`
 */
export function ttirFunction(signature: string, lines: readonly string[]): string {
  return `module {\n  func.func @f${signature} {\n    ${lines.join("\n    ")}\n  }\n}\n`;
}

/**
 * Lowers a TTIR module and returns the bodies of its functions, one op per line, without deallocations and `get_device`.
 * Layouts are replaced by what is special about them: nothing for tiles in interleaved DRAM, `rm` for row-major, `host`,
 * or memory and grid.
 */
export function loweredBody(text: string): readonly string[] {
  const lowered = lowerModule(parseModule(text, "test.mlir"), TEST_WORMHOLE);
  const tags = new Map<string, string>();
  for (const [, name = "", body = ""] of lowered.matchAll(/^(#ttnn_layout\d*) = (.*)$/gm)) {
    tags.set(name, layoutTag(body));
  }
  return lowered.split("\n")
    .filter((line) => /^ {8}/.test(line) && !/ttnn\.(deallocate|get_device)"/.test(line))
    .map((line) =>
      line.trim()
        .replaceAll(
          "#ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>",
          "HIFI4",
        )
        .replaceAll(/, (#ttnn_layout\d*)/g, (_, name: string) => tags.get(name) ?? "")
    );
}

function layoutTag(body: string): string {
  const host = body.includes("#system_memory");
  const rowMajor = !body.includes("!ttcore.tile");
  if (host) return rowMajor ? ", host" : ", host tile";
  if (body.includes("#l1")) {
    const [, grid = "", kind = ""] = /<(\d+x\d+)>, memref.*#l1>, <(\w+)>/.exec(body) ?? [];
    return `, l1 ${kind} ${grid}`;
  }
  return rowMajor ? ", rm" : "";
}
