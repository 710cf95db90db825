// A mixture of experts: the best of four per token, weighed by its probability.
module {
  func.func @main(
    %arg0: tensor<16x32xf32> {ttcore.argument_type = #ttcore.argument_type<input>},
    %arg1: tensor<4x32xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg2: tensor<4x32x64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg3: tensor<4x32x64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg4: tensor<4x64x32xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>}
  ) -> tensor<16x32xf32> {
    %0 = "ttir.permute"(%arg1) <{permutation = array<i64: 1, 0>}> : (tensor<4x32xf32>) -> tensor<32x4xf32>
    %1 = "ttir.dot_general"(%arg0, %0) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 1>, contract_dims_rhs = array<i64: 0>}> : (tensor<16x32xf32>, tensor<32x4xf32>) -> tensor<16x4xf32>
    %2 = "ttir.reshape"(%1) <{shape = [16 : i32, 4 : i32]}> : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %3 = "ttir.softmax"(%2) <{dimension = 1 : si32, numericStable = true}> : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %4 = "ttir.argmax"(%3) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<16x4xf32>) -> tensor<16x1xi32>
    %5 = "ttir.arange"() <{arange_dimension = 0 : i64, end = 4 : si64, start = 0 : si64, step = 1 : si64}> : () -> tensor<4xi32>
    %6 = "ttir.broadcast"(%4) <{broadcast_dimensions = array<i64: 1, 4>}> : (tensor<16x1xi32>) -> tensor<16x4xi32>
    %7 = "ttir.reshape"(%5) <{shape = [1 : i32, 4 : i32]}> : (tensor<4xi32>) -> tensor<1x4xi32>
    %8 = "ttir.broadcast"(%7) <{broadcast_dimensions = array<i64: 16, 1>}> : (tensor<1x4xi32>) -> tensor<16x4xi32>
    %9 = "ttir.eq"(%6, %8) : (tensor<16x4xi32>, tensor<16x4xi32>) -> tensor<16x4xi1>
    %10 = "ttir.typecast"(%9) <{conservative_folding = false}> : (tensor<16x4xi1>) -> tensor<16x4xf32>
    %11 = "ttir.multiply"(%3, %10) : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    %12 = "ttir.reshape"(%arg0) <{shape = [1 : i32, 16 : i32, 32 : i32]}> : (tensor<16x32xf32>) -> tensor<1x16x32xf32>
    %13 = "ttir.broadcast"(%12) <{broadcast_dimensions = array<i64: 4, 1, 1>}> : (tensor<1x16x32xf32>) -> tensor<4x16x32xf32>
    %14 = "ttir.dot_general"(%13, %arg2) <{batch_dims_lhs = array<i64: 0>, batch_dims_rhs = array<i64: 0>, contract_dims_lhs = array<i64: 2>, contract_dims_rhs = array<i64: 1>}> : (tensor<4x16x32xf32>, tensor<4x32x64xf32>) -> tensor<4x16x64xf32>
    %15 = "ttir.sigmoid"(%14) : (tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
    %16 = "ttir.multiply"(%14, %15) : (tensor<4x16x64xf32>, tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
    %17 = "ttir.dot_general"(%13, %arg3) <{batch_dims_lhs = array<i64: 0>, batch_dims_rhs = array<i64: 0>, contract_dims_lhs = array<i64: 2>, contract_dims_rhs = array<i64: 1>}> : (tensor<4x16x32xf32>, tensor<4x32x64xf32>) -> tensor<4x16x64xf32>
    %18 = "ttir.multiply"(%16, %17) : (tensor<4x16x64xf32>, tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
    %19 = "ttir.dot_general"(%18, %arg4) <{batch_dims_lhs = array<i64: 0>, batch_dims_rhs = array<i64: 0>, contract_dims_lhs = array<i64: 2>, contract_dims_rhs = array<i64: 1>}> : (tensor<4x16x64xf32>, tensor<4x64x32xf32>) -> tensor<4x16x32xf32>
    %20 = "ttir.permute"(%11) <{permutation = array<i64: 1, 0>}> : (tensor<16x4xf32>) -> tensor<4x16xf32>
    %21 = "ttir.reshape"(%20) <{shape = [4 : i32, 16 : i32, 1 : i32]}> : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %22 = "ttir.broadcast"(%21) <{broadcast_dimensions = array<i64: 1, 1, 32>}> : (tensor<4x16x1xf32>) -> tensor<4x16x32xf32>
    %23 = "ttir.multiply"(%19, %22) : (tensor<4x16x32xf32>, tensor<4x16x32xf32>) -> tensor<4x16x32xf32>
    %24 = "ttir.sum"(%23) <{dim_arg = [0 : i32], keep_dim = false}> : (tensor<4x16x32xf32>) -> tensor<16x32xf32>
    return %24 : tensor<16x32xf32>
  }
}
