// SPDX-License-Identifier: Apache-2.0
import { chipsAlong } from "../device/mesh.ts";
import { readInteger } from "../dialect/attribute_values.ts";
import {
  type CollectiveProgram,
  inOrder,
  type LaunchContext,
  type OpLaunch,
  type OpPrograms,
  unknownPrograms,
} from "./program.ts";
import { isPresent, type ProgramTensor } from "./program_tensor.ts";
import { wholeTensor } from "./stream.ts";

/** Data exchanged between chips along a line or ring. */
export function collectiveProgram(
  work: Pick<CollectiveProgram, "bytes" | "hops" | "links">,
  inputs: readonly ProgramTensor[],
  outputs: readonly ProgramTensor[],
): CollectiveProgram {
  return {
    kind: "collective",
    cores: 1,
    circularBuffers: [],
    reads: inputs.map(wholeTensor),
    writes: outputs.map(wholeTensor),
    flops: 0,
    launches: 1,
    ...work,
  };
}

/**
 * Collectives between chips. Where the mesh does not say how many take part, the bytes of operand and result do: their
 * ratio, and two for a result as large as the operand.
 */
export function collectivePrograms(op: OpLaunch, { meshShape }: LaunchContext): OpPrograms {
  const inputs = op.inputs.filter(isPresent);
  const outputs = op.outputs.filter(isPresent);
  const [input] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  const large = Math.max(input.bytes, output.bytes);
  const told = chipsAlong(meshShape, readInteger(op.attributes, "cluster_axis"));
  const ratio = large / Math.max(1, Math.min(input.bytes, output.bytes));
  const chips = told === "unknown" ? Math.max(2, Math.round(ratio)) : told;
  const work = { bytes: large * (chips - 1) / chips, hops: chips - 1 };
  return inOrder(collectiveProgram(work, inputs, outputs));
}
