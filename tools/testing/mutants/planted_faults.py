# SPDX-License-Identifier: MIT
"""Checks whose removal a fuzzer has to notice, for planted.py."""
from dataclasses import dataclass

CORE = 'drivers/accel/loom/core'


@dataclass
class Fault:
    """One fault: in @path, @old, which is there once, becomes @new; each of @fuzzers must notice.
    @runs: inputs that it may take, 0: as many as others. @quick: `make check-more` tries it, by the
    first of @fuzzers."""
    fuzzers: str
    what: str
    path: str
    old: str
    new: str
    quick: bool = False
    runs: int = 0


def verify(what, file, old, new, **more):
    """A check of the verifier."""
    return Fault(more.pop('fuzzers', 'plan'), what, f'{CORE}/verify/{file}.c', old, new, **more)


def shared(what, file, old, new, **more):
    """One that the few inputs of the fuzzer of programs come to, too."""
    return verify(what, file, old, new, fuzzers='plan program', **more)


def op(what, file, old, new, **more):
    """A check of one operation."""
    return Fault(more.pop('fuzzers', 'plan'), what, f'{CORE}/op/{file}.c', old, new, **more)


def place(what, file, old, new, **more):
    """A check of a placement."""
    return Fault('place', what, f'userlib/place/{file}.c', old, new, **more)


def bank(what, file, old, new, **more):
    """A step of the allocator, which random requests are compared with a map of bytes for."""
    return Fault('bank', what, f'{CORE}/bank/{file}.c', old, new, **more)


def payload(what, old, new='if (0)', **more):
    """A step of the template's check of payloads."""
    return Fault('payload', what, 'drivers/accel/loom/template/tile.c', old, new, **more)


def user(fuzzers, what, file, old, new, **more):
    """A check of a reader."""
    return Fault(fuzzers, what, f'userlib/{file}.c', old, new, **more)


def chip(what, old, **more):
    """A limit of a number in the description of a chip."""
    return Fault('chip', what, f'{CORE}/chip/check.c', old, 'if (0)', **more)


FAULTS = [
    # the device and the tables
    verify('lanes of the plan are the banks', 'plan',
           '!header->lanes || header->lanes != sram->banks', '!header->lanes'),
    verify('scratch ends before the reserved bytes', 'plan',
           'check_add_overflow(header->scratch_bytes, sram->reserved_bytes, &top) ||\n'
           '\t    top > sram->bank_bytes', 'check_add_overflow(header->scratch_bytes, '
           'sram->reserved_bytes, &top)', quick=True),
    shared('a table ends in the plan', 'plan', ' ||\n\t\t    end[i] > size)', ')'),
    verify('tables do not overlap', 'plan', 'if (start[i] < end[j] && start[j] < end[i])', 'if (0)'),
    verify('a slot has no unknown flags', 'plan',
           ' ||\n\t\t    slot->flags & ~(access | kind))', ')'),
    verify('a slot of the ROM is not written', 'plan',
           'slot->flags & (DRM_LOOM_SLOT_WRITE | DRM_LOOM_SLOT_SRAM)',
           'slot->flags & DRM_LOOM_SLOT_SRAM'),
    # images
    verify('a tensor keeps to the width of its image', 'image',
           'return tensor->dtype == image->dtype &&\n'
           '\t       loom_tensor_columns(tensor, image->pitch_bytes, &columns) &&\n'
           '\t       columns.end <= loom_dtype_row_bytes(image->dtype, image->width);',
           'return tensor->dtype == image->dtype &&\n'
           '\t       loom_tensor_columns(tensor, image->pitch_bytes, &columns);', quick=True),
    verify('a tensor has the type of its image', 'image',
           'return tensor->dtype == image->dtype &&\n', 'return\n'),
    verify('a view keeps to the first column of its window', 'image',
           'return first >= columns.first + below && first + above <= columns.end;',
           'return first + above <= columns.end;', quick=True),
    verify('a view keeps to the last column of its window', 'image',
           'return first >= columns.first + below && first + above <= columns.end;',
           'return first >= columns.first + below;', quick=True),
    verify('a view in an image is looked at', 'image',
           'if (!columns.first && columns.end == pitch)\n\t\treturn true;', 'return true;'),
    verify('an image is as large as its slot', 'image',
           ' &&\n\t       slot->size == (u64)image->height * image->pitch_bytes;', ';'),
    verify('a row of an image has room for its width', 'image',
           '\n\t       image->pitch_bytes >= '
           'loom_dtype_row_bytes(image->dtype, image->width) &&', ''),
    verify('the pitch of an image is aligned', 'image', 'return !rest && ', 'return '),
    verify('an image is in DRAM', 'image',
           ' || slot->flags & (DRM_LOOM_SLOT_SRAM | DRM_LOOM_SLOT_ROM))', ')'),
    # tensors
    shared('a tensor ends in its slot or the scratch', 'tensor',
           'return !check_add_overflow(tensor->offset, tensor->size, &end) && end <= room;',
           'return !check_add_overflow(tensor->offset, tensor->size, &end);', quick=True),
    shared('the elements of a tensor are in its size', 'tensor',
           'if (extent > tensor->size)', 'if (0)', quick=True),
    verify('strides of a tensor nest', 'tensor',
           ' || stride < extent || stride < inner_stride)', ')'),
    verify('strides of a tensor are aligned', 'tensor',
           'stride & (elem_bytes - 1) || stride < extent', 'stride < extent'),
    verify('the offset of a tensor is aligned', 'tensor',
           'if (tensor->offset & (elem_bytes - 1))', 'if (0)', quick=True),
    verify('the rank of a tensor has a limit', 'tensor',
           '!tensor->rank || tensor->rank > DRM_LOOM_MAX_RANK', '!tensor->rank'),
    verify('the chip has the type of a tensor', 'tensor',
           ' || !(verify->chip->dtypes >> tensor->dtype & 1))', ')'),
    verify('the lane axis of a tensor is one of its axes', 'tensor',
           'return tensor->lane_axis < tensor->rank;', 'return true;', runs=150000),
    shared('there is the slot of a tensor', 'tensor',
           'return tensor->slot < verify->header->slots.count &&\n', 'return\n'),
    verify('a tensor is of the region of its slot', 'tensor',
           ' &&\n\t       loom_slot_region(loom_tensor_slot(verify, tensor)) == tensor->region;',
           ';'),
    shared('a lifetime ends in the plan', 'tensor',
           ' ||\n\t    tensor->last_step >= verify->header->steps.count)', ')'),
    shared('a lifetime ends after it begins', 'tensor',
           'tensor->first_step > tensor->last_step ||\n\t    ', ''),
    verify('an alias lies in the bytes of its parent', 'tensor',
           'tensor->offset >= parent->offset && tensor->offset + tensor->size <= parent_end &&\n'
           '\t       ', ''),
    verify('an alias does not outlive its parent', 'tensor',
           'tensor->first_step >= parent->first_step && '
           'tensor->last_step <= parent->last_step', 'true'),
    verify('the parent of an alias is none', 'tensor',
           'if (parent->flags & DRM_LOOM_TENSOR_ALIAS || parent->region', 'if (parent->region'),
    verify('tensors alive together do not overlap', 'overlap',
           'return a->space == b->space && max(a->start, b->start) < min(a->end, b->end);',
           'return false;', quick=True),
    verify('a tensor does not overlap the next one above', 'overlap',
           'if (loom_sweep_reaches(sweep, rank) && loom_alive_near(sweep, rank, true, &near) &&',
           'if (0 &&'),
    verify('a tensor does not overlap the next one below', 'overlap',
           'if (loom_alive_near(sweep, rank, false, &near) &&', 'if (0 &&'),
    # views
    shared('an operand is alive', 'view',
           'bool alive = verify->step >= tensor->first_step && verify->step <= tensor->last_step;',
           'bool alive = true;', quick=True),
    shared('an operand ends in its tensor', 'view', ' || *end > extent)', ')', quick=True),
    verify('an operand begins in its tensor', 'view', 'if (first < below || ', 'if ('),
    shared('offset and strides of an operand are aligned', 'view',
           'if (!loom_view_align_ok(raw, loom_dtype_stride(tensor->dtype)))', 'if (0)', quick=True),
    verify('the lanes of an operand are in its tensor', 'view',
           ' ||\n\t    end > tensor->dims[tensor->lane_axis])', ')', quick=True),
    shared('rows of lanes have the stride of the tensor', 'view',
           'return raw->strides[axis] >= 0 &&\n'
           '\t       (u64)raw->strides[axis] == tensor->strides[tensor->lane_axis];',
           'return true;'),
    verify('the lane axis of an operand is one of its axes', 'view',
           'if (raw->lane_axis >= raw->rank)', 'if (0)'),
    verify('only operands in SRAM have lanes', 'view',
           'return !raw->lane_axis && !raw->lane_start;', 'return true;'),
    verify('an operand has the type of its tensor', 'view',
           'raw->dtype != tensor->dtype || !raw->rank', '!raw->rank'),
    shared('the rank of an operand has a limit', 'view',
           '!raw->rank || raw->rank > DRM_LOOM_MAX_RANK', '!raw->rank'),
    verify('an operand has dims', 'view', 'if (!raw->dims[i])', 'if (0)'),
    shared('there is the tensor of an operand', 'view',
           'if (raw->tensor >= verify->header->tensors.count)', 'if (0)'),
    verify('a result has no element twice', 'view', 'if (stride[i] < reach)', 'if (0)'),
    # commands and steps
    shared('steps tile the commands', 'step', 'raw->first_command != end || ', ''),
    verify('there are no commands behind the last step', 'step',
           'if (end != verify->header->commands.count)', 'if (0)'),
    shared('the two streams of a step do not touch the same bytes', 'step',
           'return both ? loom_hazard_end(verify) : 0;', 'return 0;', quick=True),
    verify('a write does not race with a read', 'hazard',
           'for (write = !access->write; write < 2; write++)',
           'for (write = 1; write < 1 + access->write; write++)'),
    shared('nothing is read before it is written', 'data', 'if (!written)', 'if (0)', quick=True),
    verify('a command does not write what it reads', 'data',
           'ret = loom_data_check_in_place(verify, command, i);', 'ret = 0;'),
    verify('a slot that is read only is not written', 'data',
           'if (loom_view_in_slot(&views[i]) &&', 'if (0 && loom_view_in_slot(&views[i]) &&'),
    verify('the chip has the operation', 'command',
           'return op && verify->chip->opcodes >> op->opcode & 1 ? op : NULL;', 'return op;'),
    shared('an operation is in its stream', 'command',
           'if (op->stream != (compute ? LOOM_STREAM_COMPUTE : LOOM_STREAM_DMA))', 'if (0)'),
    verify('an operation has enough operands', 'command',
           'raw->operands < op->min_operands || ', ''),
    shared('operands are in their table', 'command',
           ' ||\n\t    views_end > verify->header->views.count)', ')'),
    verify('attributes are in their table', 'command',
           '\n\t    attr_end > verify->header->attrs.count || ', '\n\t    '),
    # native commands
    verify('a native command is in a native plan', 'command',
           'return verify->format ? op : NULL;', 'return op;'),
    op('a native command has an output or an in-out', 'native',
       ' || attr->temporaries == written)', ')'),
    verify('operands of native commands are not shared', 'native',
           'if (raw->first_view < verify->native_views)', 'if (0)'),
    verify('payloads are not shared', 'native',
           'if (raw->attr_offset < verify->native_attrs ||', 'if (0 ||'),
    verify('a payload is as long as it says', 'native',
           ' ||\n\t    raw->attr_size - sizeof(*attr) != attr->payload_bytes)', ')'),
    verify('a temporary is used by temporaries only', 'data',
           'if (!loom_data_is_temporary(verify, &views[i]))', 'if (0)'),
    verify('temporaries are not written for good', 'data',
           'for (i = 0; i < command->outputs; i++) {', 'for (i = 0; i < command->written; i++) {'),
    verify('in-outs are initialised', 'data',
           'for (i = command->reads; i < command->operands; i++) {',
           'for (i = command->written; i < command->operands; i++) {'),
    verify('all that a native command writes is compared with its operands', 'data',
           'for (i = 0; i < command->written; i++) {', 'for (i = 0; i < 1; i++) {'),
    verify('all that a native command writes has no element twice', 'command',
           'for (i = 0; i < command->written; i++)', 'for (i = 0; i < 1; i++)'),
    verify('all that a native command writes counts as written for races', 'hazard',
           'access->write = i < command->written;', 'access->write = !i;'),
    op('written operands of a native command are in SRAM or images', 'native',
       'if (i < written || !', 'if (!'),
    # operations
    op('a convolution has a stride', 'conv', 'attr->stride[i] < 1 || ', ''),
    op('padding of a convolution is not negative', 'conv',
       '\n\t\t    attr->pad[i] < (forward ? 0 : -DRM_LOOM_MAX_SPATIAL) ||', ''),
    op('a convolution has groups', 'conv', ' || attr->reserved ||\n\t    !attr->groups)',
       ' || attr->reserved)'),
    op('channels of a kernel are those of its input', 'conv',
       'w->dims[0] != (forward ? y : x)->dims[1] ||\n\t    w->dims[1] != (forward ? x : y)->dims[1]'
       ' / attr->groups', 'w->dims[0] != (forward ? y : x)->dims[1]',
       quick=True),
    op('a bias has the channels of its result', 'conv',
       'views[i].rank != 1 || views[i].dims[0] != y->dims[1]', 'views[i].rank != 1'),
    op('operands of a convolution are as its flags say', 'conv',
       'if (check->command->operands != operands)', 'if (0)'),
    op('a zero point is of its type', 'compute', 'return zero >= -128 && zero <= 127;',
       'return true;'),
    op('there is the activation', 'compute', 'act >= DRM_LOOM_ACT_END || ', ''),
    op('a window of pooling has elements', 'pool', 'attr->kernel[i] < 1 || ', ''),
    op('operands have the dims of the result', 'check',
       'same &= x->dims[i] == y->dims[i];', '', fuzzers='plan program', quick=True),
    op('operands have the rank of the result', 'check', 'x->rank == y->rank', 'true'),
    op('operands that are broadcast have the rank of the result', 'compute',
       'check->command->views[operand].rank != rank', '0'),
    op('operands are broadcast from dims of 1', 'compute',
       'if (x->dims[i] != y->dims[i] && x->dims[i] != 1)', 'if (0)'),
    op('planes of pooling and resizing fit', 'compute',
       'if (x->dims[0] != y->dims[0] || x->dims[1] != y->dims[1])', 'if (0)'),
    op('factors of a product fit', 'matmul',
       'if (b->dims[2] != a->dims[3] || b->dims[3] != y->dims[3])',
       'if (b->dims[3] != y->dims[3])', runs=150000),
    op('sums have the type of the products', 'matmul',
       'views[3].dtype != loom_op_sum_dtype(&views[1])', '0'),
    op('the axis of a softmax is one', 'softmax', 'attr->axis >= y->rank || ', ''),
    op('what is selected is as the attribute says', 'topk', 'if (y->dims[axis] != attr->count)',
       'if (0)', quick=True),
    op('a selection is from as many', 'topk', ' || x->dims[axis] < attr->count)', ')'),
    op('what is picked has the dims of what is compared', 'topk',
       'if (operands > 2 && !topk_dims_fit', 'if (0 && !topk_dims_fit'),
    op('what is gathered from has the dims of the result', 'gather',
       'if (i != attr->axis && x->dims[i] != y->dims[i])', 'if (0)'),
    op('an index is a number of 32 or 64 bits', 'gather', 'if (!loom_dtype_in(&views[2], ',
       'if (0 && !loom_dtype_in(&views[2], '),
    op('a reduced axis has one result', 'reduce', 'if (y->dims[i] != 1)', 'if (0)'),
    op('there is the kind of reduction', 'reduce', 'attr->kind >= DRM_LOOM_REDUCE_END || ', ''),
    op('there is the kind of unary operation', 'unary', 'attr->kind >= DRM_LOOM_UNARY_END || ', ''),
    op('there is the kind of binary operation', 'binary', 'if (attr->kind >= DRM_LOOM_BINARY_END)',
       'if (0)', runs=150000),
    op('what is resized is in the whole', 'resize',
       'if ((u64)attr->in_start[i] + views[1].dims[2 + i] > (u64)attr->in_size[i])', 'if (0)'),
    op('there is the mode of resizing', 'resize', 'attr->mode > DRM_LOOM_RESIZE_CUBIC || ', '',
       runs=150000),
    op('what moves keeps its size', 'copy', 'if (views[0].elem_bytes != views[1].elem_bytes)',
       'if (0)'),
    op('a store is to DRAM', 'copy', 'if (views[0].region != DRM_LOOM_REGION_DRAM)', 'if (0)'),
    op('computing is in SRAM', 'compute',
       'if (!i || !(check->in_place >> view->region & 1))', 'if (0)'),
    # placements, and what proves them
    place('offsets are aligned', 'check', '(align && at % align) ||\n\t    ', '', quick=True),
    place('offsets are aligned as their pool', 'check',
          '(align && at % align) ||\n\t    (!loom_place_is_alias(item) && item->size_bytes && '
          'at % in->align_bytes)', 'align && at % align'),
    place('items end in the capacity', 'check',
          ' ||\n\t    (item->size_bytes && at + item->size_bytes > in->capacity_bytes)) {', ') {',
          quick=True),
    place('items are in pools that they may be in', 'check',
          ' || !(item->pools >> pool & 1))', ')'),
    place('a fixed item is where it is fixed', 'check',
          'if (loom_place_is_fixed(item) && at != item->fixed)', 'if (0)'),
    place('no item is in a range that is excluded', 'check',
          'if (at < item->excluded[i].upper && item->excluded[i].lower < at + item->size_bytes)',
          'if (0)'),
    place('an alias lies in its owner', 'check',
          'ret = check_alias(&resolved, i, offsets, pools, fault);', 'ret = 0;'),
    place('pairs are kept apart', 'check',
          'ret = check_apart(&resolved, &resolved.apart[i], offsets, pools, fault);', 'ret = 0;'),
    place('an item does not overlap the one below', 'check',
          'if (touch(sorted, below, at) || touch(sorted, at, above)) {',
          'if (touch(sorted, at, above)) {', quick=True),
    place('an item does not overlap the one above', 'check',
          'if (touch(sorted, below, at) || touch(sorted, at, above)) {',
          'if (touch(sorted, below, at)) {'),
    # files of arrays and pictures
    user('files', 'dimensions of .npy are counted', 'file/npy',
         ' || *rank == LOOM_GRAPH_RANK)', ')', quick=True),
    user('files', 'the header of .npy has a limit', 'file/npy', 'if (length >= NPY_MAX_HEADER)',
         'if (0)'),
    user('files', 'nothing is behind the array of .npy', 'file/npy', 'if (fgetc(file) != EOF)',
         'if (0)'),
    user('files onnx', 'data of a tensor fit its shape', 'onnx/tensor',
         '(raw.len ? raw.len : field.count * elem_bytes) != array->size_bytes', '0',
         quick=True, runs=200000),
    user('files', 'dimensions of a tensor are counted', 'onnx/tensor',
         'if (proto->n_dims > LOOM_GRAPH_RANK)', 'if (0)'),
    user('onnx', 'dimensions of an input are counted', 'onnx/model',
         'if (shape->n_dim > LOOM_GRAPH_RANK)', 'if (0)', quick=True),
    # program files
    user('program', 'the sums of sections fit', 'program_file/read',
         'if (loom_checksum(0, bytes, section->size_bytes) != section->checksum)', 'if (0)',
         quick=True),
    user('program', 'the sum of the header fits', 'program_file/read',
         'if (sum != header->checksum)', 'if (0)'),
    user('program', 'a section is in the file', 'program_file/read',
         ' ||\n\t    section->offset != begin || begin > size_bytes ||\n'
         '\t    section->size_bytes > size_bytes - begin)', ')'),
    user('program', 'a tensor lies in its slot', 'program_file/check',
         ' ||\n\t     end > program->slots[tensor->slot].size_bytes))', '))'),
    user('program', 'there is the slot of an input', 'program_file/check',
         'tensor->slot >= program->num_slots || ', ''),
    user('program', 'the size of a tensor is that of its dimensions', 'program_file/check',
         '\n\t    bytes != tensor->size_bytes || ', '\n\t    '),
    # flatbuffers
    user('tflite', 'a table is in the file', 'tflite/flat',
         'if (table.size_bytes < 4 || !is_within(flat, at, table.size_bytes)) {', 'if (0) {'),
    user('tflite', 'a field is in its table', 'tflite/flat',
         ' || offset + size_bytes > table->size_bytes) {', ') {'),
    user('tflite', 'a list of fields is in the file', 'tflite/flat',
         'if (list < 0 || !is_within(flat, (size_t)list, LIST_HEAD)) {', 'if (0) {', quick=True),
    user('tflite', 'a vector ends in the file', 'tflite/flat',
         'if (count > (table->flat->size_bytes - to - 4) / elem_bytes) {', 'if (0) {', quick=True),
    user('tflite', 'there is the tensor of an operator', 'tflite/model',
         ' ||\n\t\t    (indices[i] >= 0 && (uint32_t)indices[i] >= num_tensors)) {', ') {',
         quick=True),
    user('tflite', 'dimensions of a tensor are counted', 'tflite/model',
         'if (shape.count > LOOM_GRAPH_RANK)', 'if (0)'),
    user('tflite', 'there is the buffer of a tensor', 'tflite/model',
         'if (buffer >= model->buffers.count)', 'if (0)'),
    user('tflite', 'data of a tensor fit its shape', 'tflite/model',
         ' &&\n\t    tensor->data_bytes != tensor->size_bytes)', ' && 0)'),
    user('tflite', 'there is the operator of an index', 'tflite/model',
         'if (number < 0 || number >= codes->count)', 'if (0)'),
    # chips
    chip('banks have a limit', 'if (region->banks > DRM_LOOM_MAX_BANKS)', quick=True),
    chip('sub-banks have a limit', 'if (!region->sub_banks || region->sub_banks > 64)'),
    chip('banks have a size', 'if (!region->bank_bytes || '
         'region->bank_bytes > LOOM_CHIP_MAX_BANK_BYTES)'),
    chip('the reserved bytes leave something', 'if (region->reserved_bytes >= region->bank_bytes)'),
    chip('rates have a limit',
         'if (!region->read_rate || region->read_rate > LOOM_CHIP_MAX_RATE)'),
    chip('latencies have a limit', 'if (region->read_latency > LOOM_CHIP_MAX_CYCLES)'),
    chip('energies have a limit', 'if (region->write_energy > LOOM_CHIP_MAX_ENERGY)'),
    chip('compute units have a limit',
         'if (!chip->compute_units || chip->compute_units > DRM_LOOM_MAX_BANKS)'),
    chip('the frequency has a limit',
         'if (!chip->frequency_hz || chip->frequency_hz > LOOM_CHIP_MAX_FREQUENCY_HZ)'),
    chip('rates of a type have a limit', 'if (type->mac_rate > LOOM_CHIP_MAX_RATE)'),
    chip('the start of DMA has a limit', 'if (chip->dma_start > LOOM_CHIP_MAX_CYCLES)'),
    # the allocator
    bank('the range ends a hole', 'place', 'end = min(end, search->request->high);', '',
         quick=True),
    bank('a place up is behind the block', 'place',
         'if (entry->end > scan->start &&\n', 'if (entry->start > scan->start &&\n'),
    bank('a place down begins in the range', 'place',
         '\t\tif (entry->start < scan->low + scan->size)\n\t\t\treturn false;\n', ''),
    bank('chunks below may reach higher', 'place',
         'chunk && loom_chunk_reach(chunk) > scan->start;', 'chunk && chunk->own.end > scan->start;'),
    bank('banks of a chunk are those of all its blocks', 'chunk',
         'loom_mask_add(&sum.banks, &chunk->entry[i].mask);',
         'sum.banks = chunk->entry[i].mask;'),
    bank('a new end changes the holes behind it', 'chunk',
         '} while (chunk && last != sum.end);', '} while (0);'),
    bank('bytes are given back', 'bank',
         'loom_bank_count(bank, block, &loom_chunk_entry(block)->mask, false);', ''),
    # payloads
    payload('operands of an instruction are declared', 'if (index >= command->operands)'),
    payload('lanes of an instruction are those of the operand',
            'if ((u32)insn->first_lane + insn->lanes > operands[index].lanes)'),
    payload('bytes of an instruction are those of the operand',
            '(u64)at + insn->bytes > operands[index].bytes ? TILE_BYTES : 0', '0', quick=True),
    payload('inputs are not written', 'if (!reason && insn->to >= command->written)'),
    payload('nothing is read that moves meanwhile',
            'if (from == insn->to && insn->from_at[i] != insn->to_at &&', 'if (0 &&'),
    payload('temporaries are written before they are read', 'if (from >= command->outputs)'),
    payload('outputs that are read first are zeroed', 'payload->zero |= 1U << from;', ';'),
    payload('outputs written in part are zeroed', 'payload->zero |= 1U << i;', ';'),
    payload('what is written in some lanes is not defined', 'insn->lanes == to->lanes && ', ''),
    payload('what is written behind a gap is not defined', ' && insn->to_at <= to->defined', ''),
]
