// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { parseModule } from "../ir/mod.ts";
import { meshFaults, meshOffset, readMeshShape } from "./module_mesh.ts";

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
