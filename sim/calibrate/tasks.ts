// SPDX-License-Identifier: Apache-2.0
import type { Architecture } from "../../lib/device/chip_description.ts";
import type { CalibrationTask, FittedConstant } from "./calibrate.ts";

/** `section.name` with its range. */
function range(path: string, min: number, max: number): FittedConstant {
  const [section = "", name = ""] = path.split(".");
  return { section, name, min, max };
}

const MATMUL_CONSTANTS: readonly FittedConstant[] = [
  range("matmul.tileScale", 1, 1.15),
  range("matmul.tileOffset", 0, 8),
  range("matmul.unpackPerKib", 4, 40),
  range("matmul.unpackReuse", 0.01, 3),
  range("matmul.packTile", 1, 100),
  range("matmul.subblock", 1, 200),
  range("matmul.overlap", 1, 12),
  range("matmul.senderLatency", 50, 2000),
  range("matmul.tileIssue", 10, 200),
  range("matmul.multicastLatency", 20, 2000),
  range("matmul.startup", 300, 8000),
  range("matmul.inputReadShare", 0.2, 0.95),
  range("matmul.outputWriteShare", 0.1, 0.95),
];

function matmulTask(architecture: Architecture): CalibrationTask {
  return {
    name: `matmul ${architecture}`,
    architecture,
    groups: { gemm_known_config: 400, gemm_out_of_box: 400, matmul_height_sharded: 300 },
    constants: MATMUL_CONSTANTS,
  };
}

function wallTask(architecture: Architecture): CalibrationTask {
  return {
    name: `wall clock ${architecture}`,
    architecture,
    groups: { gemm_known_config_wall: 400, gemm_out_of_box_wall: 400 },
    constants: [
      range("clock.throttleFrom", 0.3, 0.95),
      range("clock.throttleSlope", 0.001, 1.5),
      range("dispatch.wallGap", 0.5, 6),
    ],
  };
}

/** Every fit, in the order in which they build on each other. */
export const CALIBRATION_TASKS: readonly CalibrationTask[] = (["wormhole_b0", "blackhole"] as const)
  .flatMap((architecture) => [matmulTask(architecture), wallTask(architecture)]);
