// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { present } from "../../../testing/present.ts";
import type { Attribute } from "../../ir/attribute.ts";
import { matmulPrograms } from "./matmul.ts";
import { emptyRoom, FULL_RUN } from "../op_launch.ts";
import type { ProgramTensor } from "../program_tensor.ts";
import { CHIP, onShards, tensor } from "../testing/launching.ts";

/** What a linear allocates and runs, a word per event, bytes per bank of what is in L1. */
function told(
  inputs: readonly ProgramTensor[],
  output: ProgramTensor,
  attributes: Readonly<Record<string, Attribute>> = {},
): string {
  const launched = matmulPrograms({
    name: "ttnn.linear",
    attributes: new Map(Object.entries(attributes)),
    inputs,
    outputs: [output],
    config: undefined,
  }, {
    chip: CHIP,
    room: () => emptyRoom(CHIP),
    mesh: [],
    assumed: FULL_RUN,
  });
  if (launched.status === "unknown") return launched.reason;
  if (launched.events === undefined) return launched.programs.map(({ kind }) => kind).join(" ");
  return launched.events.map((event) => {
    switch (event.kind) {
      case "allocate":
        return `${event.allocated.result === undefined ? "makes" : "result"} ${event.tensor}`;
      case "run":
        return present(launched.programs[event.program]).kind;
      case "free":
        return `frees ${event.tensor}`;
      case "free_operand":
        return `frees operand ${event.operand}`;
    }
  }).join(", ");
}

const ROW = tensor([1, 512]);

Deno.test("a bias is added by the product's program if everything is in DRAM, else by a second one", () => {
  const [a, b] = [tensor([256, 512]), tensor([512, 512])];
  assertEquals(told([a, b, ROW], tensor([256, 512])), "matmul");
  const inL1 = tensor([256, 512], { bufferType: "l1" });
  assertEquals(told([a, b, ROW], inL1), "makes 0, matmul, result 1, stream, frees 0");
  const matrix = tensor([256, 512]);
  assertEquals(told([a, b, matrix], tensor([256, 512])), "makes 0, matmul, result 1, stream, frees 0");
  const shards = tensor([256, 512], onShards(8));
  assertEquals(told([shards, b, ROW], tensor([256, 512])), "matmul");
  // A bias of one element is broadcast, which the product's program does not do.
  assertEquals(told([a, b, tensor([1])], tensor([256, 512])), "makes 0, matmul, result 1, stream, frees 0");
});

// The device operations of ttnn.matmul in a graph capture of ttnn 0.81.1, with the maps of both reshapes.
Deno.test("a vector is multiplied as a column, and the product becomes a vector", () => {
  const [a, vector] = [tensor([1024, 4096]), tensor([4096])];
  assertEquals(
    told([a, vector], tensor([1024])),
    "makes 0, makes 1, stream, frees 1, makes 2, matmul, result 3, makes 4, stream, frees 4, frees 2, frees 0",
  );
  assertEquals(
    told([tensor([1, 4096]), vector], tensor([1])),
    "makes 0, makes 1, stream, frees 1, result 2, matmul, frees 0",
  );
});

Deno.test("an activation that no program config has runs in a program of its own, behind the bias", () => {
  const gelu: Readonly<Record<string, Attribute>> = { activation: { kind: "string", value: "gelu" } };
  const [a, b] = [tensor([256, 512]), tensor([512, 512])];
  assertEquals(told([a, b, ROW], tensor([256, 512]), gelu), "makes 0, matmul, result 1, stream, frees 0");
  const inL1 = tensor([256, 512], { bufferType: "l1" });
  assertEquals(
    told([a, b, ROW], inL1, gelu),
    "makes 0, matmul, makes 1, stream, frees 0, result 2, stream, frees 1",
  );
});

Deno.test("the program without data reuse gets copies of transposed operands, which live until the end", () => {
  const transposed: Readonly<Record<string, Attribute>> = { transpose_b: { kind: "bool", value: true } };
  const long = tensor([32_768, 64], { bufferType: "l1" });
  const [b, out] = [tensor([2048, 64]), tensor([32_768, 2048])];
  assertEquals(told([long, b], out, transposed), "makes 0, stream, result 1, matmul, frees 0");
  // Multicast programs read operands as they are.
  assertEquals(told([tensor([256, 512]), tensor([512, 512])], tensor([256, 512]), transposed), "matmul");
});
