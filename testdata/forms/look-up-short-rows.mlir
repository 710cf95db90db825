// A cache of 32 users, 8 heads and 1,024 positions in the order of beams.
#dram = #ttnn.buffer_type<dram>
#ttnn_layout_32x8x1024x128_bf16 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 8192 + d1 * 1024 + d2, d3), <1x1>, memref<8192x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout_32_ui32_rows = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x32xui32, #dram>, <interleaved>>
#ttnn_layout_32x1048576_bf16 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x32768x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout_32x1048576_bf16_rows = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x1048576xbf16, #dram>, <interleaved>>
module {
  func.func @main(%x: tensor<32x8x1024x128xbf16, #ttnn_layout_32x8x1024x128_bf16>, %i: tensor<32xui32, #ttnn_layout_32_ui32_rows>) -> tensor<32x8x1024x128xbf16, #ttnn_layout_32x8x1024x128_bf16> {
    %m = "ttnn.reshape"(%x) <{shape = [32 : i32, 1048576 : i32]}> : (tensor<32x8x1024x128xbf16, #ttnn_layout_32x8x1024x128_bf16>) -> tensor<32x1048576xbf16, #ttnn_layout_32x1048576_bf16>
    %r = "ttnn.to_layout"(%m) : (tensor<32x1048576xbf16, #ttnn_layout_32x1048576_bf16>) -> tensor<32x1048576xbf16, #ttnn_layout_32x1048576_bf16_rows>
    %e = "ttnn.embedding"(%i, %r) : (tensor<32xui32, #ttnn_layout_32_ui32_rows>, tensor<32x1048576xbf16, #ttnn_layout_32x1048576_bf16_rows>) -> tensor<32x1048576xbf16, #ttnn_layout_32x1048576_bf16>
    %s = "ttnn.reshape"(%e) <{shape = [32 : i32, 8 : i32, 1024 : i32, 128 : i32]}> : (tensor<32x1048576xbf16, #ttnn_layout_32x1048576_bf16>) -> tensor<32x8x1024x128xbf16, #ttnn_layout_32x8x1024x128_bf16>
    return %s : tensor<32x8x1024x128xbf16, #ttnn_layout_32x8x1024x128_bf16>
  }
}
