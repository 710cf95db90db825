// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { parseModule } from "../ir/mod.ts";
import { meshOffset, readMeshShape } from "./module_mesh.ts";

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

Deno.test("meshOffset() is where the mesh is said", () => {
  const lineOf = (input: ReturnType<typeof module>) =>
    input.fileText.slice(0, meshOffset(input)).split("\n").length;
  assertEquals(lineOf(module({ device: "1x8", meshes: '<"a" = 1x8>' })), 2);
  assertEquals(lineOf(module({ meshes: '<"a" = 1x8>' })), 1);
  assertEquals(lineOf(module({ taken: "1x2" })), 3);
});
