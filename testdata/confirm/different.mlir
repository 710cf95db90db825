// A pool that is declared in tiles; tt-mlir's runtime asks for rows, whatever the type says.
#dram = #ttnn.buffer_type<dram>
#image = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 1024 + d1 * 1024 + d2, d3), <1x1>, memref<32x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#pooled = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 256 + d1 * 256 + d2, d3), <1x1>, memref<8x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
func.func @main(%image: tensor<1x1x1024x32xbf16, #image>) -> tensor<1x1x256x32xbf16, #pooled> {
  %pooled = "ttnn.max_pool2d"(%image) <{batch_size = 1 : si32, ceil_mode = false, channels = 32 : si32, dilation = array<i32: 1, 1>, input_height = 32 : si32, input_width = 32 : si32, kernel_size = array<i32: 2, 2>, padding = array<i32: 0, 0>, stride = array<i32: 2, 2>}> : (tensor<1x1x1024x32xbf16, #image>) -> tensor<1x1x256x32xbf16, #pooled>
  return %pooled : tensor<1x1x256x32xbf16, #pooled>
}
