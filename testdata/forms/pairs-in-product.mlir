// Scores of queries and keys that a rotary embedding stacks to pairs, 32 heads of 128.
#dram = #ttnn.buffer_type<dram>
#ttnn_layout_32x1024x128_bf16 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 1024 + d1, d2), <1x1>, memref<1024x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout_32x1024x1024_bf16 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 1024 + d1, d2), <1x1>, memref<1024x32x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout_32x1024x64_bf16 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 1024 + d1, d2), <1x1>, memref<1024x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout_32x1024x64x1_bf16 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 65536 + d1 * 64 + d2, d3), <1x1>, memref<65536x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout_32x1024x64x2_bf16 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 65536 + d1 * 64 + d2, d3), <1x1>, memref<65536x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
module {
  func.func @main(%q: tensor<32x1024x128xbf16, #ttnn_layout_32x1024x128_bf16>, %k: tensor<32x1024x128xbf16, #ttnn_layout_32x1024x128_bf16>) -> (tensor<32x1024x1024xbf16, #ttnn_layout_32x1024x1024_bf16>) {
    %q0s = "ttnn.slice_static"(%q) <{begins = [0 : i32, 0 : i32, 0 : i32], ends = [32 : i32, 1024 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<32x1024x128xbf16, #ttnn_layout_32x1024x128_bf16>) -> tensor<32x1024x64xbf16, #ttnn_layout_32x1024x64_bf16>
    %q0 = "ttnn.reshape"(%q0s) <{shape = [32 : i32, 1024 : i32, 64 : i32, 1 : i32]}> : (tensor<32x1024x64xbf16, #ttnn_layout_32x1024x64_bf16>) -> tensor<32x1024x64x1xbf16, #ttnn_layout_32x1024x64x1_bf16>
    %q1s = "ttnn.slice_static"(%q) <{begins = [0 : i32, 0 : i32, 64 : i32], ends = [32 : i32, 1024 : i32, 128 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<32x1024x128xbf16, #ttnn_layout_32x1024x128_bf16>) -> tensor<32x1024x64xbf16, #ttnn_layout_32x1024x64_bf16>
    %q1 = "ttnn.reshape"(%q1s) <{shape = [32 : i32, 1024 : i32, 64 : i32, 1 : i32]}> : (tensor<32x1024x64xbf16, #ttnn_layout_32x1024x64_bf16>) -> tensor<32x1024x64x1xbf16, #ttnn_layout_32x1024x64x1_bf16>
    %qc = "ttnn.concat"(%q0, %q1) <{dim = 3 : si32}> : (tensor<32x1024x64x1xbf16, #ttnn_layout_32x1024x64x1_bf16>, tensor<32x1024x64x1xbf16, #ttnn_layout_32x1024x64x1_bf16>) -> tensor<32x1024x64x2xbf16, #ttnn_layout_32x1024x64x2_bf16>
    %qp = "ttnn.reshape"(%qc) <{shape = [32 : i32, 1024 : i32, 128 : i32]}> : (tensor<32x1024x64x2xbf16, #ttnn_layout_32x1024x64x2_bf16>) -> tensor<32x1024x128xbf16, #ttnn_layout_32x1024x128_bf16>
    %k0s = "ttnn.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32], ends = [32 : i32, 1024 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<32x1024x128xbf16, #ttnn_layout_32x1024x128_bf16>) -> tensor<32x1024x64xbf16, #ttnn_layout_32x1024x64_bf16>
    %k0 = "ttnn.reshape"(%k0s) <{shape = [32 : i32, 1024 : i32, 64 : i32, 1 : i32]}> : (tensor<32x1024x64xbf16, #ttnn_layout_32x1024x64_bf16>) -> tensor<32x1024x64x1xbf16, #ttnn_layout_32x1024x64x1_bf16>
    %k1s = "ttnn.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 64 : i32], ends = [32 : i32, 1024 : i32, 128 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<32x1024x128xbf16, #ttnn_layout_32x1024x128_bf16>) -> tensor<32x1024x64xbf16, #ttnn_layout_32x1024x64_bf16>
    %k1 = "ttnn.reshape"(%k1s) <{shape = [32 : i32, 1024 : i32, 64 : i32, 1 : i32]}> : (tensor<32x1024x64xbf16, #ttnn_layout_32x1024x64_bf16>) -> tensor<32x1024x64x1xbf16, #ttnn_layout_32x1024x64x1_bf16>
    %kc = "ttnn.concat"(%k0, %k1) <{dim = 3 : si32}> : (tensor<32x1024x64x1xbf16, #ttnn_layout_32x1024x64x1_bf16>, tensor<32x1024x64x1xbf16, #ttnn_layout_32x1024x64x1_bf16>) -> tensor<32x1024x64x2xbf16, #ttnn_layout_32x1024x64x2_bf16>
    %kp = "ttnn.reshape"(%kc) <{shape = [32 : i32, 1024 : i32, 128 : i32]}> : (tensor<32x1024x64x2xbf16, #ttnn_layout_32x1024x64x2_bf16>) -> tensor<32x1024x128xbf16, #ttnn_layout_32x1024x128_bf16>
    %r = "ttnn.matmul"(%qp, %kp) <{transpose_a = false, transpose_b = true}> : (tensor<32x1024x128xbf16, #ttnn_layout_32x1024x128_bf16>, tensor<32x1024x128xbf16, #ttnn_layout_32x1024x128_bf16>) -> tensor<32x1024x1024xbf16, #ttnn_layout_32x1024x1024_bf16>
    return %r : tensor<32x1024x1024xbf16, #ttnn_layout_32x1024x1024_bf16>
  }
}
