// Query, key and value head by head in the columns of one product, with slopes per head.
module {
  func.func @main(
    %arg0: tensor<2x12x64xf32> {ttcore.argument_type = #ttcore.argument_type<input>},
    %arg1: tensor<64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg2: tensor<64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg3: tensor<192x64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg4: tensor<192xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg5: tensor<1x2x1x12xf32> {ttcore.argument_type = #ttcore.argument_type<constant>},
    %arg6: tensor<2x1x12x12xf32> {ttcore.argument_type = #ttcore.argument_type<input>},
    %arg7: tensor<64x64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg8: tensor<64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>}
  ) -> tensor<2x12x64xf32> {
    %0 = "ttir.layer_norm"(%arg0, %arg1, %arg2) <{epsilon = 1.000000e-05 : f32, normalized_shape = array<i64: 64>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<2x12x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<2x12x64xf32>
    %1 = "ttir.reshape"(%0) <{shape = [24 : i32, 64 : i32]}> : (tensor<2x12x64xf32>) -> tensor<24x64xf32>
    %2 = "ttir.permute"(%arg3) <{permutation = array<i64: 1, 0>}> : (tensor<192x64xf32>) -> tensor<64x192xf32>
    %3 = "ttir.dot_general"(%1, %2) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 1>, contract_dims_rhs = array<i64: 0>}> : (tensor<24x64xf32>, tensor<64x192xf32>) -> tensor<24x192xf32>
    %4 = "ttir.reshape"(%3) <{shape = [2 : i32, 12 : i32, 192 : i32]}> : (tensor<24x192xf32>) -> tensor<2x12x192xf32>
    %5 = "ttir.reshape"(%arg4) <{shape = [1 : i32, 1 : i32, 192 : i32]}> : (tensor<192xf32>) -> tensor<1x1x192xf32>
    %6 = "ttir.broadcast"(%5) <{broadcast_dimensions = array<i64: 2, 12, 1>}> : (tensor<1x1x192xf32>) -> tensor<2x12x192xf32>
    %7 = "ttir.add"(%4, %6) : (tensor<2x12x192xf32>, tensor<2x12x192xf32>) -> tensor<2x12x192xf32>
    %8 = "ttir.reshape"(%7) <{shape = [2 : i32, 12 : i32, 2 : i32, 3 : i32, 32 : i32]}> : (tensor<2x12x192xf32>) -> tensor<2x12x2x3x32xf32>
    %9 = "ttir.slice_static"(%8) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 12 : i32, 2 : i32, 1 : i32, 32 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<2x12x2x3x32xf32>) -> tensor<2x12x2x1x32xf32>
    %10 = "ttir.reshape"(%9) <{shape = [2 : i32, 12 : i32, 2 : i32, 32 : i32]}> : (tensor<2x12x2x1x32xf32>) -> tensor<2x12x2x32xf32>
    %11 = "ttir.permute"(%10) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<2x12x2x32xf32>) -> tensor<2x2x12x32xf32>
    %12 = "ttir.slice_static"(%8) <{begins = [0 : i32, 0 : i32, 0 : i32, 1 : i32, 0 : i32], ends = [2 : i32, 12 : i32, 2 : i32, 2 : i32, 32 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<2x12x2x3x32xf32>) -> tensor<2x12x2x1x32xf32>
    %13 = "ttir.reshape"(%12) <{shape = [2 : i32, 12 : i32, 2 : i32, 32 : i32]}> : (tensor<2x12x2x1x32xf32>) -> tensor<2x12x2x32xf32>
    %14 = "ttir.permute"(%13) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<2x12x2x32xf32>) -> tensor<2x2x12x32xf32>
    %15 = "ttir.slice_static"(%8) <{begins = [0 : i32, 0 : i32, 0 : i32, 2 : i32, 0 : i32], ends = [2 : i32, 12 : i32, 2 : i32, 3 : i32, 32 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<2x12x2x3x32xf32>) -> tensor<2x12x2x1x32xf32>
    %16 = "ttir.reshape"(%15) <{shape = [2 : i32, 12 : i32, 2 : i32, 32 : i32]}> : (tensor<2x12x2x1x32xf32>) -> tensor<2x12x2x32xf32>
    %17 = "ttir.permute"(%16) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<2x12x2x32xf32>) -> tensor<2x2x12x32xf32>
    %18 = "ttir.dot_general"(%11, %14) <{batch_dims_lhs = array<i64: 0, 1>, batch_dims_rhs = array<i64: 0, 1>, contract_dims_lhs = array<i64: 3>, contract_dims_rhs = array<i64: 3>}> : (tensor<2x2x12x32xf32>, tensor<2x2x12x32xf32>) -> tensor<2x2x12x12xf32>
    %19 = "ttir.constant"() <{value = dense<2.500000e-01> : tensor<2x2x12x12xf32>}> : () -> tensor<2x2x12x12xf32>
    %20 = "ttir.multiply"(%18, %19) : (tensor<2x2x12x12xf32>, tensor<2x2x12x12xf32>) -> tensor<2x2x12x12xf32>
    %21 = "ttir.broadcast"(%arg5) <{broadcast_dimensions = array<i64: 2, 1, 12, 1>}> : (tensor<1x2x1x12xf32>) -> tensor<2x2x12x12xf32>
    %22 = "ttir.add"(%20, %21) : (tensor<2x2x12x12xf32>, tensor<2x2x12x12xf32>) -> tensor<2x2x12x12xf32>
    %23 = "ttir.broadcast"(%arg6) <{broadcast_dimensions = array<i64: 1, 2, 1, 1>}> : (tensor<2x1x12x12xf32>) -> tensor<2x2x12x12xf32>
    %24 = "ttir.add"(%22, %23) : (tensor<2x2x12x12xf32>, tensor<2x2x12x12xf32>) -> tensor<2x2x12x12xf32>
    %25 = "ttir.softmax"(%24) <{dimension = 3 : si32, numericStable = true}> : (tensor<2x2x12x12xf32>) -> tensor<2x2x12x12xf32>
    %26 = "ttir.dot_general"(%25, %17) <{batch_dims_lhs = array<i64: 0, 1>, batch_dims_rhs = array<i64: 0, 1>, contract_dims_lhs = array<i64: 3>, contract_dims_rhs = array<i64: 2>}> : (tensor<2x2x12x12xf32>, tensor<2x2x12x32xf32>) -> tensor<2x2x12x32xf32>
    %27 = "ttir.permute"(%26) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<2x2x12x32xf32>) -> tensor<2x12x2x32xf32>
    %28 = "ttir.reshape"(%27) <{shape = [2 : i32, 12 : i32, 64 : i32]}> : (tensor<2x12x2x32xf32>) -> tensor<2x12x64xf32>
    %29 = "ttir.reshape"(%28) <{shape = [24 : i32, 64 : i32]}> : (tensor<2x12x64xf32>) -> tensor<24x64xf32>
    %30 = "ttir.permute"(%arg7) <{permutation = array<i64: 1, 0>}> : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %31 = "ttir.dot_general"(%29, %30) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 1>, contract_dims_rhs = array<i64: 0>}> : (tensor<24x64xf32>, tensor<64x64xf32>) -> tensor<24x64xf32>
    %32 = "ttir.reshape"(%31) <{shape = [2 : i32, 12 : i32, 64 : i32]}> : (tensor<24x64xf32>) -> tensor<2x12x64xf32>
    %33 = "ttir.reshape"(%arg8) <{shape = [1 : i32, 1 : i32, 64 : i32]}> : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %34 = "ttir.broadcast"(%33) <{broadcast_dimensions = array<i64: 2, 12, 1>}> : (tensor<1x1x64xf32>) -> tensor<2x12x64xf32>
    %35 = "ttir.add"(%32, %34) : (tensor<2x12x64xf32>, tensor<2x12x64xf32>) -> tensor<2x12x64xf32>
    %36 = "ttir.add"(%arg0, %35) : (tensor<2x12x64xf32>, tensor<2x12x64xf32>) -> tensor<2x12x64xf32>
    return %36 : tensor<2x12x64xf32>
  }
}
