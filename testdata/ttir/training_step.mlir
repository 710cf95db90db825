// A step of training: a loss, gradients and new parameters of two layers.
module {
  func.func @main(
    %arg0: tensor<16x24xf32> {ttcore.argument_type = #ttcore.argument_type<input>},
    %arg1: tensor<16x8xf32> {ttcore.argument_type = #ttcore.argument_type<input>},
    %arg2: tensor<32x24xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg3: tensor<32xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg4: tensor<8x32xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg5: tensor<8xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>}
  ) -> (tensor<f32>, tensor<32x24xf32>, tensor<32xf32>, tensor<8x32xf32>, tensor<8xf32>) {
    %0 = "ttir.permute"(%arg2) <{permutation = array<i64: 1, 0>}> : (tensor<32x24xf32>) -> tensor<24x32xf32>
    %1 = "ttir.dot_general"(%arg0, %0) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 1>, contract_dims_rhs = array<i64: 0>}> : (tensor<16x24xf32>, tensor<24x32xf32>) -> tensor<16x32xf32>
    %2 = "ttir.reshape"(%1) <{shape = [16 : i32, 32 : i32]}> : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %3 = "ttir.reshape"(%arg3) <{shape = [1 : i32, 32 : i32]}> : (tensor<32xf32>) -> tensor<1x32xf32>
    %4 = "ttir.broadcast"(%3) <{broadcast_dimensions = array<i64: 16, 1>}> : (tensor<1x32xf32>) -> tensor<16x32xf32>
    %5 = "ttir.add"(%2, %4) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %6 = "ttir.relu"(%5) : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %7 = "ttir.permute"(%arg4) <{permutation = array<i64: 1, 0>}> : (tensor<8x32xf32>) -> tensor<32x8xf32>
    %8 = "ttir.dot_general"(%6, %7) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 1>, contract_dims_rhs = array<i64: 0>}> : (tensor<16x32xf32>, tensor<32x8xf32>) -> tensor<16x8xf32>
    %9 = "ttir.reshape"(%8) <{shape = [16 : i32, 8 : i32]}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %10 = "ttir.reshape"(%arg5) <{shape = [1 : i32, 8 : i32]}> : (tensor<8xf32>) -> tensor<1x8xf32>
    %11 = "ttir.broadcast"(%10) <{broadcast_dimensions = array<i64: 16, 1>}> : (tensor<1x8xf32>) -> tensor<16x8xf32>
    %12 = "ttir.add"(%9, %11) : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
    %13 = "ttir.max"(%12) <{dim_arg = [1 : i32], keep_dim = false}> : (tensor<16x8xf32>) -> tensor<16xf32>
    %14 = "ttir.reshape"(%13) <{shape = [16 : i32, 1 : i32]}> : (tensor<16xf32>) -> tensor<16x1xf32>
    %15 = "ttir.broadcast"(%14) <{broadcast_dimensions = array<i64: 1, 8>}> : (tensor<16x1xf32>) -> tensor<16x8xf32>
    %16 = "ttir.subtract"(%12, %15) : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
    %17 = "ttir.exp"(%16) : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %18 = "ttir.sum"(%17) <{dim_arg = [1 : i32], keep_dim = false}> : (tensor<16x8xf32>) -> tensor<16xf32>
    %19 = "ttir.reshape"(%18) <{shape = [16 : i32, 1 : i32]}> : (tensor<16xf32>) -> tensor<16x1xf32>
    %20 = "ttir.broadcast"(%19) <{broadcast_dimensions = array<i64: 1, 8>}> : (tensor<16x1xf32>) -> tensor<16x8xf32>
    %21 = "ttir.div"(%17, %20) : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
    %22 = "ttir.subtract"(%21, %arg1) : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
    %23 = "ttir.constant"() <{value = dense<6.250000e-02> : tensor<16x8xf32>}> : () -> tensor<16x8xf32>
    %24 = "ttir.multiply"(%22, %23) : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
    %25 = "ttir.dot_general"(%24, %6) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 0>, contract_dims_rhs = array<i64: 0>}> : (tensor<16x8xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    %26 = "ttir.sum"(%24) <{dim_arg = [0 : i32], keep_dim = false}> : (tensor<16x8xf32>) -> tensor<8xf32>
    %27 = "ttir.dot_general"(%24, %arg4) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 1>, contract_dims_rhs = array<i64: 0>}> : (tensor<16x8xf32>, tensor<8x32xf32>) -> tensor<16x32xf32>
    %28 = "ttir.constant"() <{value = dense<0.000000e+00> : tensor<16x32xf32>}> : () -> tensor<16x32xf32>
    %29 = "ttir.gt"(%5, %28) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xi1>
    %30 = "ttir.typecast"(%29) <{conservative_folding = false}> : (tensor<16x32xi1>) -> tensor<16x32xf32>
    %31 = "ttir.multiply"(%27, %30) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %32 = "ttir.dot_general"(%31, %arg0) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 0>, contract_dims_rhs = array<i64: 0>}> : (tensor<16x32xf32>, tensor<16x24xf32>) -> tensor<32x24xf32>
    %33 = "ttir.sum"(%31) <{dim_arg = [0 : i32], keep_dim = false}> : (tensor<16x32xf32>) -> tensor<32xf32>
    %34 = "ttir.log"(%21) : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %35 = "ttir.multiply"(%arg1, %34) : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
    %36 = "ttir.sum"(%35) <{dim_arg = [0 : i32, 1 : i32], keep_dim = false}> : (tensor<16x8xf32>) -> tensor<f32>
    %37 = "ttir.neg"(%36) : (tensor<f32>) -> tensor<f32>
    %38 = "ttir.constant"() <{value = dense<1.250000e-01> : tensor<32x24xf32>}> : () -> tensor<32x24xf32>
    %39 = "ttir.multiply"(%32, %38) : (tensor<32x24xf32>, tensor<32x24xf32>) -> tensor<32x24xf32>
    %40 = "ttir.subtract"(%arg2, %39) : (tensor<32x24xf32>, tensor<32x24xf32>) -> tensor<32x24xf32>
    %41 = "ttir.constant"() <{value = dense<1.250000e-01> : tensor<32xf32>}> : () -> tensor<32xf32>
    %42 = "ttir.multiply"(%33, %41) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %43 = "ttir.subtract"(%arg3, %42) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %44 = "ttir.constant"() <{value = dense<1.250000e-01> : tensor<8x32xf32>}> : () -> tensor<8x32xf32>
    %45 = "ttir.multiply"(%25, %44) : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
    %46 = "ttir.subtract"(%arg4, %45) : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
    %47 = "ttir.constant"() <{value = dense<1.250000e-01> : tensor<8xf32>}> : () -> tensor<8xf32>
    %48 = "ttir.multiply"(%26, %47) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %49 = "ttir.subtract"(%arg5, %48) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    return %37, %40, %43, %46, %49 : tensor<f32>, tensor<32x24xf32>, tensor<32xf32>, tensor<8x32xf32>, tensor<8xf32>
  }
}
