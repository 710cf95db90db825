// Squeeze and excitation behind the last convolutions of EfficientNet, 32 images.
#dram = #ttnn.buffer_type<dram>
#ttnn_layout_1x1x1568x1280_f32 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 1568 + d1 * 1568 + d2, d3), <1x1>, memref<49x40x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout_32x1x1x1280_f32 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<32x40x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout_1280_f32 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x40x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout_1x1x7x1280_f32 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<1x40x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout_32x7x7x1280_f32 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 224 + d1 * 32 + d2, d3), <1x1>, memref<224x40x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
module {
  func.func @main(%x: tensor<1x1x1568x1280xbf16, #ttnn_layout_1x1x1568x1280_f32>, %f: tensor<32x1x1x1280xbf16, #ttnn_layout_32x1x1x1280_f32>, %g: tensor<1280xbf16, #ttnn_layout_1280_f32>, %h: tensor<1x1x7x1280xbf16, #ttnn_layout_1x1x7x1280_f32>, %j: tensor<32x7x7x1280xbf16, #ttnn_layout_32x7x7x1280_f32>) -> (tensor<32x1x1x1280xbf16, #ttnn_layout_32x1x1x1280_f32>, tensor<1x1x1568x1280xbf16, #ttnn_layout_1x1x1568x1280_f32>) {
    %i = "ttnn.reshape"(%x) <{shape = [32 : i32, 7 : i32, 7 : i32, 1280 : i32]}> : (tensor<1x1x1568x1280xbf16, #ttnn_layout_1x1x1568x1280_f32>) -> tensor<32x7x7x1280xbf16, #ttnn_layout_32x7x7x1280_f32>
    %0 = "ttnn.mean"(%i) <{dim_arg = [1 : i32, 2 : i32], keep_dim = true}> : (tensor<32x7x7x1280xbf16, #ttnn_layout_32x7x7x1280_f32>) -> tensor<32x1x1x1280xbf16, #ttnn_layout_32x1x1x1280_f32>
    %1 = "ttnn.multiply"(%i, %f) : (tensor<32x7x7x1280xbf16, #ttnn_layout_32x7x7x1280_f32>, tensor<32x1x1x1280xbf16, #ttnn_layout_32x1x1x1280_f32>) -> tensor<32x7x7x1280xbf16, #ttnn_layout_32x7x7x1280_f32>
    %1f = "ttnn.reshape"(%1) <{shape = [1 : i32, 1 : i32, 1568 : i32, 1280 : i32]}> : (tensor<32x7x7x1280xbf16, #ttnn_layout_32x7x7x1280_f32>) -> tensor<1x1x1568x1280xbf16, #ttnn_layout_1x1x1568x1280_f32>
    return %0, %1f : tensor<32x1x1x1280xbf16, #ttnn_layout_32x1x1x1280_f32>, tensor<1x1x1568x1280xbf16, #ttnn_layout_1x1x1568x1280_f32>
  }
}
