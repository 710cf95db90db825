// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { DATA_TYPES, type DataType } from "../layout/data_type.ts";
import { PROJECT_ROOT } from "../../testing/corpus.ts";
import { computeConfigInUse, type ComputeDefaults } from "./default_compute_config.ts";
import type { ComputeKernelConfig } from "./op_config.ts";

/**
 * Answers of ttnn 0.81.1, a line each: op, formats of operands and result, what was given, what it ran with on either
 * architecture. The fidelity that Python fills into an explicit config says nothing and is left out.
 */
const RECORDED = Deno.readTextFileSync(`${PROJECT_ROOT}/testdata/backend/default_compute_configs.tsv`);

function format(name: string): DataType {
  const found = DATA_TYPES.find((type) => type === name);
  if (found === undefined) throw new RangeError(`Cannot read format ${name}`);
  return found;
}

function explicitConfig(given: string): ComputeKernelConfig | undefined {
  if (!given.startsWith("explicit")) return undefined;
  return given.includes("fp32") ? { fp32DestAccEn: true } : {};
}

function printed(config: ComputeDefaults | undefined, showsFidelity: boolean): string {
  if (config === undefined) return "none";
  return [
    showsFidelity ? config.mathFidelity : "",
    config.fp32DestAccEn ? "fp32" : "",
    config.packerL1Acc ? "packer" : "",
    config.mathApproxMode ? "approx" : "",
  ].filter((word) => word !== "").join(" ");
}

Deno.test("compute configs in use are those that the backend was seen to run with", () => {
  const lines = RECORDED.trimEnd().split("\n").slice(1);
  const answers = lines.map((line) => {
    const [op = "", operands = "", result = "", given = ""] = line.split("\t");
    const explicit = explicitConfig(given);
    const used = (["wormhole_b0", "blackhole"] as const).map((architecture) =>
      printed(
        computeConfigInUse(explicit, {
          op,
          operands: operands.split(",").map(format),
          result: format(result),
          isPlanned: given === "planned",
          isOverAll: given === "over_all",
          architecture,
        }),
        explicit === undefined,
      )
    );
    return [op, operands, result, given, ...used].join("\t");
  });
  assertEquals(answers, lines);
});

Deno.test("a compute config replaces the default as a whole", () => {
  const used = computeConfigInUse({ mathFidelity: "hifi3" }, {
    op: "ttnn.matmul",
    operands: ["bf16", "bf16"],
    result: "bf16",
    architecture: "wormhole_b0",
  });
  assertEquals(used?.packerL1Acc, false);
});
