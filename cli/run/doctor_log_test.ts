// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../command_table.ts";
import { runCommandLine } from "../dispatch.ts";
import { createProjectHost } from "../testing/project_host.ts";

const dram = (memref: string) =>
  `#ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 307200 + d1 * 307200 + d2, d3), <1x1>, memref<${memref}, #ttnn.buffer_type<dram>>, <interleaved>>`;
const host = (shape: string, memref: string) =>
  `tensor<${shape}xbf16, #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 192 + d1 * 3 + d2, d3), <1x1>, memref<${memref}xbf16, #ttnn.buffer_type<system_memory>>>>`;

/** An op as tt-mlir's runtime prints it, and the failure behind it. */
const LOG =
  `RuntimeTTNN |    DEBUG | Executing operation: %79 = "ttnn.conv2d"(%78, %25, %26, %27) <{batch_size = 1 : i32, ` +
  "conv2d_config = #ttnn.conv2d_config<weights_dtype = bf16>, conv2d_slice_config = #ttnn.conv2d_slice_config<l1_full, 0>, " +
  "dilation = array<i32: 1, 1>, dtype = #ttcore.supportedDataTypes<bf16>, groups = 1 : i32, in_channels = 64 : i32, " +
  "input_height = 480 : i32, input_width = 640 : i32, kernel_size = array<i32: 3, 3>, out_channels = 32 : i32, " +
  "padding = array<i32: 1, 1, 1, 1>, stride = array<i32: 1, 1>}> : " +
  `(tensor<1x1x307200x64xbf16, ${dram("307200x64xbf16")}>, ${host("32x64x3x3", "6144x3")}, ${
    host("1x1x1x32", "1x32")
  }, ` +
  `!ttnn.device) -> tensor<1x1x307200x32xbf16, ${
    dram("9600x1x!ttcore.tile<32x32, bf16>")
  }> loc("convolution.725")\n` +
  "   Always | CRITICAL | TT_FATAL: Out of Memory: Not enough space to allocate 49971200 B L1 buffer across 64 banks, " +
  "where each bank needs to store 780800 B, but bank size is only 1331936 B\n";

Deno.test("doctor --log examines the op that the log itself prints, and says nothing of what helps nothing", async () => {
  const doctor = async (log: string) => {
    const project = createProjectHost({ files: { "a.log": log }, columns: 160 });
    await runCommandLine(["doctor", "--log", "a.log"], project, "0.0.0", COMMANDS);
    return { out: project.out(), err: project.err() };
  };
  const { out } = await doctor(LOG);
  assertStringIncludes(out, "op 1 ttnn.conv2d of @main");
  assertStringIncludes(out, "slice_type = dram_height");
  assertStringIncludes(out, "a.log on n150: DOES NOT FIT");
  // What the simulation does not show is a fact all the same.
  const hidden = await doctor(
    LOG.replace(
      /TT_FATAL: .*/,
      "TT_THROW: Statically allocated circular buffers in program 3 clash with L1 buffers on core range [(x=0,y=0) - (x=7,y=7)]. L1 buffer allocated at 520192 and static circular buffer region ends at 871744",
    )
      .replace("l1_full, 0", "dram_height, 0"),
  );
  assertStringIncludes(hidden.out, "What helps:");
  const other = await doctor(
    LOG.replace(/TT_FATAL: .*/, "TT_FATAL: Divide by 0 error").replace("l1_full, 0", "dram_height, 0"),
  );
  assertStringIncludes(other.out, "What helps:");
  assertEquals(other.err, "");
});

Deno.test("doctor names the board whose banks a message has", async () => {
  const named = async (banks: number, bytes: number) => {
    const message =
      `Out of Memory: Not enough space to allocate 8388608 B L1 buffer across ${banks} banks, where each bank needs to store 262144 B, but bank size is ${bytes} B`;
    const project = createProjectHost({ columns: 160 });
    await runCommandLine(["doctor", "--message", message], project, "0.0.0", COMMANDS);
    return /addresses as on (\S+)\)/.exec(project.out())?.[1];
  };
  assertEquals(
    [await named(64, 1331936), await named(110, 1437056), await named(32, 3881216)],
    ["n150", "p150", "quasar"],
  );
});
