// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { parseModule } from "../ir/mod.ts";
import { meshFaults, meshOffset, meshShapeWith, readMeshShape } from "./module_mesh.ts";

function module({ device = "", meshes = "", taken = "" }) {
  const attributes = meshes === "" ? "" : ` attributes {ttcore.meshes = #ttcore.meshes<[${meshes}]>}`;
  return parseModule(
    `module${attributes} {
${
      device === ""
        ? ""
        : `  ttcore.device @d = <workerGrid = #ttcore.grid<8x8>, dramGrid = #ttcore.grid<1x12>, l1Map = (d0) -> (d0), dramMap = (d0) -> (d0), meshShape = ${device}, chipIds = [0]>\n`
    }  func.func @f() {
    ${
      taken === ""
        ? ""
        : `%0 = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape ${taken}>}> : () -> !ttnn.device`
    }
    return
  }
}
`,
    "m.mlir",
  );
}

Deno.test("readMeshShape() reads the device, else the meshes, else what is taken of it", () => {
  assertEquals(readMeshShape(module({ device: "1x8", meshes: '<"a" = 2x4>', taken: "1x1" })), [1, 8]);
  assertEquals(readMeshShape(module({ meshes: '<"a" = 2x4>, <"b" = 1x8>', taken: "1x1" })), [2, 4]);
  assertEquals(readMeshShape(module({ taken: "1x2" })), [1, 2]);
  // One chip is no mesh.
  assertEquals(readMeshShape(module({ taken: "1x1" })), []);
  assertEquals(readMeshShape(module({})), []);
});

Deno.test("meshFaults() finds shapes that are none, where they are said; what is read of them is no mesh", () => {
  const faultsOf = (input: ReturnType<typeof module>) =>
    meshFaults(input).map(({ span, message }) => [
      input.text.slice(0, span.start).split("\n").length,
      /'([^']*)' is not a mesh shape/.exec(message)?.[1],
    ]);
  for (const wrong of ["1x-1", "-1", "1x", "2xx4", "1x?"]) {
    assertEquals(faultsOf(module({ meshes: `<"a" = ${wrong}>` })), [[1, wrong]]);
    assertEquals(faultsOf(module({ device: wrong })), [[2, wrong]]);
    assertEquals(faultsOf(module({ taken: wrong })), [[3, wrong]]);
    assertEquals(readMeshShape(module({ meshes: `<"a" = ${wrong}>` })), [], wrong);
  }
  for (const right of ["1x1", "8", "2x4"]) {
    assertEquals(meshFaults(module({ device: right, meshes: `<"a" = ${right}>`, taken: right })), [], right);
  }
  // One chip without a mesh.
  assertEquals(meshFaults(module({ device: "" })), []);
});

Deno.test("meshOffset() is where the mesh is said", () => {
  const lineOf = (input: ReturnType<typeof module>) =>
    input.fileText.slice(0, meshOffset(input)).split("\n").length;
  assertEquals(lineOf(module({ device: "1x8", meshes: '<"a" = 1x8>' })), 2);
  assertEquals(lineOf(module({ meshes: '<"a" = 1x8>' })), 1);
  assertEquals(lineOf(module({ taken: "1x2" })), 3);
});

Deno.test("meshShapeWith() takes what the module says, else what is given, else what is sharded over", () => {
  const shard = (dims: string, shards: string): string =>
    `%0 = "ttir.mesh_shard"(%a) <{shard_dims = array<i64: ${dims}>, shard_direction = #ttcore.shard_direction<full_to_shard>, ` +
    `shard_shape = array<i64: ${shards}>, shard_type = #ttcore.shard_type<devices>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>`;
  const meshOf = (lines: readonly string[], given: readonly number[] = [], meshes = "") => {
    const attributes = meshes === ""
      ? ""
      : ` attributes {ttcore.meshes = #ttcore.meshes<[<"a" = ${meshes}>]>}`;
    const text = `module${attributes} {\n  func.func @f(%a: tensor<8x8xf32>) {\n    ${
      lines.map((line, at) => line.replace("%0", `%${at}`)).join("\n    ")
    }\n    return\n  }\n}\n`;
    return meshShapeWith(parseModule(text, "m.mlir"), given);
  };
  assertEquals(meshOf([shard("0, 1", "2, 4")]), [2, 4]);
  assertEquals(meshOf([shard("1, 0", "2, 4")]), [4, 2]);
  assertEquals(meshOf([shard("0, 1", "2, 4")], [1, 8]), [1, 8]);
  assertEquals(meshOf([shard("0, 1", "2, 4")], [1, 8], "4x8"), [4, 8]);
  // Each op may leave axes open that another one shards over.
  assertEquals(meshOf([shard("-1, 0", "4, 1"), shard("1, -1", "1, 2")]), [2, 4]);
  const gather = (axis: number): string =>
    `%0 = "ttir.all_gather"(%a) <{all_gather_dim = 0 : si32, cluster_axis = ${axis} : ui32}> : (tensor<8x8xf32>) -> tensor<16x8xf32>`;
  assertEquals(meshOf([shard("-1, 1", "1, 2"), gather(1)]), [1, 2], "replicas along the first axis");
  assertEquals(meshOf([shard("-1, 1", "1, 2"), gather(0)]), [], "exchanged along an axis of unknown extent");
  assertEquals(meshOf([shard("0, 1", "2, 4"), shard("0, 1", "2, 2")]), [], "a contradiction");
  assertEquals(meshOf([shard("-1, 0", "1, 2")]), [], "shards of a dimension that lies along no axis");
  assertEquals(meshOf([shard("-1", "1")]), [], "one chip");
  assertEquals(meshOf([]), []);
});
