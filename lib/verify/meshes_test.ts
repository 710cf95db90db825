// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { parseModule } from "../ir/mod.ts";
import { verifyModule } from "./verify_module.ts";

Deno.test("verifyModule() V17: meshes that the module has, one for all tensors of an op", () => {
  const on = (name: string) =>
    `#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, mesh = <"${name}">, ` +
    "memref<1x1x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>";
  const module = (first: string, second: string) => {
    const [a, b] = [`tensor<32x32xbf16, ${on(first)}>`, `tensor<32x32xbf16, ${on(second)}>`];
    const text = `module attributes {ttcore.meshes = #ttcore.meshes<[<"one" = 1x2>, <"two" = 2x1>]>} {
  func.func @f(%x: ${a}) -> ${b} {
    %0 = "ttnn.relu"(%x) : (${a}) -> ${b}
    return %0 : ${b}
  }
}
`;
    return verifyModule(parseModule(text, "v.mlir")).map(({ code }) => code);
  };
  assertEquals(module("one", "one"), []);
  assertEquals(module("one", "two"), ["V17/two-meshes"]);
  assertEquals(new Set(module("other", "other")), new Set(["V17/unknown-mesh"]));
});

Deno.test("verifyModule() V18: parts of tensors that chips of the mesh can hold", () => {
  const codes = (local: string, status: string, result = "", mesh = "2x4") => {
    const shard = (part: string) =>
      part === "" ? "" : ` {ttcore.local_shape = #ttcore<local_shape local_shape = tensor<${part}xbf16>>, ` +
        `ttcore.shard_status = #ttcore.shard_status<${status}>}`;
    const T = "tensor<64x96xbf16>";
    const text = `module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = ${mesh}>]>} {
  func.func @f(%x: ${T}${shard(local)}) -> (${T}${shard(result)}) {
    return %x : ${T}
  }
}
`;
    return verifyModule(parseModule(text, "v.mlir")).map(({ code, location }) => `${code} ${location?.line}`);
  };
  for (const part of ["64x96", "32x96", "64x24", "32x24", "8x96", "16x48"]) {
    assertEquals(codes(part, "presharded"), [], part);
  }
  assertEquals(codes("64x96", "unsharded"), []);
  for (const part of ["64x90", "64", "128x96", "64x32", "4x96"]) {
    assertEquals(codes(part, "presharded"), ["V18/local-shape 2"], part);
    assertEquals(codes("", "presharded", part), ["V18/local-shape 2"], part);
  }
  assertEquals(codes("32x96", "unsharded"), ["V18/local-shape 2"]);
});

Deno.test("verifyModule() V18: what is gathered or scattered has the extents that its axis gives", () => {
  const codes = (op: string, from: string, to: string) => {
    const [T, R] = [`tensor<${from}xbf16>`, `tensor<${to}xbf16>`];
    const text = `module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x4>]>} {
  func.func @f(%x: ${T}) -> ${R} {
    %0 = "ttnn.${op} = 1 : si32, cluster_axis = 1 : ui32}> : (${T}) -> ${R}
    return %0 : ${R}
  }
}
`;
    return verifyModule(parseModule(text, "v.mlir")).map(({ code, severity, message }) =>
      `${code} ${severity}${/; over.*/.exec(message)?.[0] ?? ""}`
    );
  };
  const gather = 'all_gather"(%x) <{all_gather_dim';
  const scatter = 'reduce_scatter"(%x) <{reduce_type = #ttcore.reduce_type<sum>, scatter_dim';
  assertEquals(codes(gather, "64x32", "64x128"), []);
  assertEquals(codes(scatter, "64x128", "64x32"), []);
  assertEquals(codes(gather, "64x32", "64x64"), [
    "V18/exchange warning; over axis 0 of the mesh 2x4 it is",
  ]);
  assertEquals(codes(gather, "64x32", "256x32"), ["V18/exchange warning"]);
  assertEquals(codes(scatter, "64x128", "16x128"), ["V18/exchange warning"]);
  assert(
    !codes(gather, "?x32", "64x128").includes("V18/exchange warning"),
    "what is not known is not judged",
  );
});

Deno.test("verifyModule() V18: a mesh has chips, and exchanges are along its axes", () => {
  const codes = (mesh: string, axis: number) => {
    const T = "tensor<64x64xbf16>";
    const text = `module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = ${mesh}>]>} {
  func.func @f(%x: ${T}) -> ${T} {
    %0 = "ttir.all_reduce"(%x) <{cluster_axis = ${axis} : ui32, reduce_type = #ttcore.reduce_type<sum>}> : (${T}) -> ${T}
    return %0 : ${T}
  }
}
`;
    return verifyModule(parseModule(text, "v.mlir")).map(({ code, location }) => `${code} ${location?.line}`);
  };
  assertEquals([codes("2x4", 0), codes("2x4", 1)], [[], []]);
  assertEquals(codes("2x4", 2), ["V18/cluster-axis 3"]);
  assertEquals([codes("1x8", 0), codes("1x8", 1), codes("1x1", 0)], [["V18/exchange 3"], [], []]);
  assertEquals(codes("0x4", 1), ["V18/mesh 1"]);
});

Deno.test("verifyModule() V18: one mesh for device, meshes and what is taken of it", () => {
  const codes = (device: string, taken: string) => {
    const text = `module attributes {ttcore.meshes = #ttcore.meshes<[<"one" = 1x2>, <"two" = 2x4>]>} {
  ttcore.device @default_device = <workerGrid = #ttcore.grid<8x8>, dramGrid = #ttcore.grid<1x12>, l1Map = (d0, d1, d2)[s0] -> (0, d0, d1, d2 + s0), dramMap = (d0, d1, d2)[s0, s1, s2, s3, s4, s5, s6] -> (0, 0, d0, d1), meshShape = ${device}, chipIds = [0]>
  func.func @f() {
    %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape ${taken}>}> : () -> !ttnn.device
    return
  }
}
`;
    return verifyModule(parseModule(text, "v.mlir")).map(({ code, location }) => `${code} ${location?.line}`);
  };
  assertEquals(codes("1x2", "1x2"), []);
  assertEquals(codes("2x4", "1x2"), []);
  assertEquals(codes("4x2", "1x1"), ["V18/mesh 2"]);
  assertEquals(codes("1x2", "2x4"), ["V18/mesh 4"]);
});
