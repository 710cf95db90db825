// x[-128:, 512:] of JAX, which indexes with tensors.
func.func @main(%x: tensor<512x1024xbf16>, %i: tensor<i32>) -> tensor<128x512xbf16> {
%p = "ttir.constant"() <{value = dense<-128> : tensor<i32>}> : () -> tensor<i32>
%zero = "ttir.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
%rows = "ttir.constant"() <{value = dense<512> : tensor<i32>}> : () -> tensor<i32>
%column = "ttir.constant"() <{value = dense<512> : tensor<i32>}> : () -> tensor<i32>
%less = "ttir.lt"(%p, %zero) : (tensor<i32>, tensor<i32>) -> tensor<i1>
%sum = "ttir.add"(%p, %rows) : (tensor<i32>, tensor<i32>) -> tensor<i32>
%q = "ttir.where"(%less, %sum, %p) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
%ar = "ttir.reshape"(%q) <{shape = [1 : i32]}> : (tensor<i32>) -> tensor<1xi32>
%a = "ttir.clamp_scalar"(%ar) <{max = 384 : i32, min = 0 : i32}> : (tensor<1xi32>) -> tensor<1xi32>
%br = "ttir.reshape"(%column) <{shape = [1 : i32]}> : (tensor<i32>) -> tensor<1xi32>
%b = "ttir.clamp_scalar"(%br) <{max = 512 : i32, min = 0 : i32}> : (tensor<1xi32>) -> tensor<1xi32>
%begins = "ttir.concat"(%a, %b) <{dim = 0 : si32}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
%sizes = "ttir.constant"() <{value = dense<[128, 512]> : tensor<2xi32>}> : () -> tensor<2xi32>
%ends = "ttir.add"(%begins, %sizes) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
%s = "ttir.slice_dynamic"(%x, %begins, %ends) : (tensor<512x1024xbf16>, tensor<2xi32>, tensor<2xi32>) -> tensor<128x512xbf16>
return %s : tensor<128x512xbf16>
}
