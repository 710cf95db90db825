// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertGreater } from "@std/assert";
import { PROJECT_ROOT } from "../../../testing/corpus.ts";
import { TEST_WORMHOLE } from "../../../testing/chips.ts";
import { DATA_TYPES, type DataType } from "../../layout/data_type.ts";
import type { MatmulProgramConfig } from "../../op_config/op_config.ts";
import { autoMatmulConfig } from "./matmul_auto_config.ts";
import { matmulBuffers } from "./matmul_buffers.ts";
import { matmulProblem } from "./matmul_blocks.ts";
import { tiledTensor } from "../program_tensor.ts";

/**
 * Program configs that ttnn 0.81.1 made for products without one, a line each: operands, memory of the result, free bytes
 * of L1, and what it made, with its buffers in bytes. Extents in tiles.
 */
const RECORDED = Deno.readTextFileSync(`${PROJECT_ROOT}/testdata/backend/default_matmul_configs.tsv`);

const CHIPS = {
  n150: TEST_WORMHOLE,
  p150: {
    ...TEST_WORMHOLE,
    architecture: "blackhole",
    workerGrid: { rows: 10, columns: 13 },
    dramBanks: 8,
  },
} as const;

function tensor(text: string) {
  const [shape = "", dataType = "", memory = ""] = text.split(":");
  return tiledTensor(shape.split("x").map(Number), format(dataType), memoryNamed(memory));
}

function format(name: string): DataType {
  return DATA_TYPES.find((type) => type === name) ?? "bf16";
}

function memoryNamed(name: string): "dram" | "l1" {
  return name === "l1" ? "l1" : "dram";
}

function printed(config: MatmulProgramConfig | undefined): readonly string[] {
  if (config === undefined || !("outBlockH" in config)) return ["simple", "-"];
  const { in0BlockW, outSubblockH, outSubblockW, outBlockH, outBlockW, perCoreM, perCoreN } = config;
  const extents = [in0BlockW, outSubblockH, outSubblockW, outBlockH, outBlockW, perCoreM, perCoreN];
  const kind = !("mcastIn0" in config) ? "2d" : config.mcastIn0 ? "in0" : "in1";
  return [kind, extents.join(" ")];
}

Deno.test("autoMatmulConfig() equals the backend's recorded configs, with its buffers", () => {
  const lines = RECORDED.trimEnd().split("\n").slice(1);
  assertGreater(lines.length, 200);
  const made = lines.map((line) => {
    const columns = line.split("\t");
    const [, chipName = "", a = "", b = "", bias = "", result = "", room = ""] = columns;
    const chip = chipName === "p150" ? CHIPS.p150 : CHIPS.n150;
    const [in0, in1] = [tensor(a), tensor(b)];
    const width = in1.shape.at(-1) ?? 1;
    const longer = in1.shape.length > in0.shape.length ? in1 : in0;
    const shape = in0.shape.length < 2
      ? [width]
      : longer.shape.with(-2, in0.shape.at(-2) ?? 1).with(-1, width);
    const problem = matmulProblem({
      name: "ttnn.linear",
      attributes: new Map(),
      inputs: [in0, in1, bias === "bias" ? tiledTensor([1, width], in0.dataType, "dram") : undefined],
      outputs: [tiledTensor(shape, in0.dataType, memoryNamed(result))],
      config: undefined,
    }, chip);
    if (problem === undefined) return line;
    const { config } = autoMatmulConfig(problem, Number(room), chip);
    const buffers = matmulBuffers(problem, config, chip).map(({ bytes }) => bytes);
    return [...columns.slice(0, 7), ...printed(config), buffers.join(" ")].join("\t");
  });
  assertEquals(made, lines);
});
