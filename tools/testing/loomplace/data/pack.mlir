// SPDX-License-Identifier: MIT
#config = #stream.resource_config<{
  max_allocation_size = 1073741824,
  min_buffer_offset_alignment = 64,
  max_buffer_range = 1073741824,
  min_buffer_range_alignment = 64,
  index_bits = 32
}>
util.func public @layers() -> (index, index, index, index, index)
    attributes {stream.resources = #config} {
  %c1000 = arith.constant 1000 : index
  %c4096 = arith.constant 4096 : index
  %slab:5 = stream.resource.pack slices({
    [0, 1] = %c4096,  // the first layer
    [1, 2] = %c1000,
    [2, 3] = %c4096,
    [0, 3] = %c1000
  }) : index
  %total, %only = stream.resource.pack slices({
    [4, 4] = %c1000
  }) : index
  util.return %slab#0, %slab#1, %slab#2, %slab#3, %only : index, index, index, index, index
}
