// SPDX-License-Identifier: MIT
//
// The reference: runs a model with ONNX Runtime and writes its results as .npy.
//
//	node ref.js MODEL OUTDIR [--all|--plain] NAME=FILE.npy...
//	node ref.js --each <LINES		a list of such arguments by line, as JSON
//
// Writes OUTDIR/<tensor>.npy for each output of the model; with --all also for each tensor that
// depends on the content of the inputs (not on their shapes alone). These become outputs by adding
// them to the bytes of the file: protobuf merges a message that comes twice. --plain: without the
// optimiser, which rounds otherwise.
'use strict';

const fs = require('fs');
const path = require('path');

const ort = require(path.resolve(__dirname, '../../../build/ort/node_modules/onnxruntime-node'));

const NPY_TYPES = {
	float32: ['<f4', Float32Array],
	float64: ['<f8', Float64Array],
	float16: ['<f2', Uint16Array],
	int8: ['|i1', Int8Array],
	uint8: ['|u1', Uint8Array],
	int16: ['<i2', Int16Array],
	uint16: ['<u2', Uint16Array],
	int32: ['<i4', Int32Array],
	uint32: ['<u4', Uint32Array],
	int64: ['<i8', BigInt64Array],
	uint64: ['<u8', BigUint64Array],
	bool: ['|b1', Uint8Array],
};

function npyLoad(file) {
	const bytes = fs.readFileSync(file);
	const length = bytes.readUInt16LE(8);
	const header = bytes.toString('latin1', 10, 10 + length);
	const descr = /'descr': '([^']*)'/.exec(header)[1];
	const dims = /'shape': \(([^)]*)\)/.exec(header)[1].split(',')
		.map((s) => s.trim()).filter((s) => s).map(Number);
	const type = Object.keys(NPY_TYPES).find((t) => NPY_TYPES[t][0] === descr);
	// a copy, so that it is aligned
	const data = new Uint8Array(bytes.subarray(10 + length)).buffer;

	return new ort.Tensor(type, new NPY_TYPES[type][1](data), dims);
}

function npySave(file, tensor) {
	const descr = NPY_TYPES[tensor.type][0];
	const shape = tensor.dims.map((d) => `${d},`).join(' ');
	let header = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape}), }`;
	const data = tensor.data;

	while ((10 + header.length + 1) % 64)
		header += ' ';
	header += '\n';
	const head = Buffer.alloc(10 + header.length);
	head.write('\x93NUMPY\x01\x00', 0, 'latin1');
	head.writeUInt16LE(header.length, 8);
	head.write(header, 10, 'latin1');
	fs.writeFileSync(file, Buffer.concat([head,
		Buffer.from(data.buffer, data.byteOffset, data.byteLength)]));
}

// --- as much protobuf as it takes

function* fields(bytes) {
	let at = 0;

	function varint() {
		let value = 0n, shift = 0n, byte;

		do {
			byte = bytes[at++];
			value |= BigInt(byte & 0x7f) << shift;
			shift += 7n;
		} while (byte & 0x80);
		return Number(value);
	}
	while (at < bytes.length) {
		const key = varint(), wire = key & 7;
		let length = 0;

		if (wire === 0)
			varint();
		else if (wire === 1)
			at += 8;
		else if (wire === 5)
			at += 4;
		else
			length = varint();
		yield [key >>> 3, bytes.subarray(at, at + length)];
		at += length;
	}
}

function message(field, bytes) {
	const head = [(field << 3) | 2];
	let length = bytes.length;

	while (length > 0x7f) {
		head.push((length & 0x7f) | 0x80);
		length >>>= 7;
	}
	head.push(length);
	return Buffer.concat([Buffer.from(head), bytes]);
}

// ModelProto.graph is 7; GraphProto.node 1, initializer 5, input 11, output 12; NodeProto.input 1,
// output 2, op_type 4; ValueInfoProto.name 1; TensorProto.name 8
function graphOf(model) {
	const graph = { nodes: [], inputs: [], outputs: [], constants: [] };
	const lists = { 11: [graph.inputs, 1], 12: [graph.outputs, 1], 5: [graph.constants, 8] };

	for (const [field, bytes] of fields(model)) {
		if (field !== 7)
			continue;
		for (const [part, inner] of fields(bytes)) {
			const node = { 1: [], 2: [], 4: [] };

			for (const [key, text] of fields(inner)) {
				if (part === 1 && node[key])
					node[key].push(text.toString());
				else if (lists[part] && lists[part][1] === key)
					lists[part][0].push(text.toString());
			}
			if (part === 1)
				graph.nodes.push(node);
		}
	}
	return graph;
}

function withAllOutputs(model) {
	const graph = graphOf(model);
	const live = new Set(graph.inputs.filter((name) => !graph.constants.includes(name)));
	const extra = [];

	// nodes come in topological order
	for (const node of graph.nodes) {
		if (node[4][0] === 'Shape' || !node[1].some((name) => live.has(name)))
			continue;
		for (const name of node[2].filter((name) => name)) {
			live.add(name);
			if (!graph.outputs.includes(name))
				extra.push(message(12, message(1, Buffer.from(name))));
		}
	}
	return Buffer.concat([model, message(7, Buffer.concat(extra))]);
}

// as `loom run --observe-all` names them
function fileName(name) {
	let hash = 2166136261;

	for (const byte of Buffer.from(name))
		hash = Math.imul(hash ^ byte, 16777619) >>> 0;
	if (name.length > 200)
		name = `${name.slice(0, 200)}~${hash.toString(16).padStart(8, '0')}`;
	return `${name.replaceAll('/', '%')}.npy`;
}

async function main(args) {
	const all = args.includes('--all');
	const plain = all || args.includes('--plain');
	const [file, dir, ...inputs] = args.filter((arg) => !['--all', '--plain'].includes(arg));
	let model = fs.readFileSync(file);

	if (all)
		model = withAllOutputs(model);
	const session = await ort.InferenceSession.create(new Uint8Array(model), {
		intraOpNumThreads: 1,
		interOpNumThreads: 1,
		logSeverityLevel: require.main === module && process.argv[2] === '--each' ? 4 : 3,
		// a fused intermediate would not be seen
		graphOptimizationLevel: plain ? 'disabled' : 'all',
	});
	const feeds = {};

	for (const input of inputs) {
		const equals = input.lastIndexOf('=');

		feeds[input.slice(0, equals)] = npyLoad(input.slice(equals + 1));
	}
	const results = await session.run(feeds);

	fs.mkdirSync(dir, { recursive: true });
	for (const name of session.outputNames) {
		const tensor = results[name];

		if (NPY_TYPES[tensor.type])
			npySave(path.join(dir, fileName(name)), tensor);
	}
}

module.exports = { ort, npyLoad, npySave, fileName };

async function each() {
	for (const line of fs.readFileSync(0, 'utf8').split('\n').filter((l) => l)) {
		const args = JSON.parse(line);

		// one that ONNX Runtime refuses has no results, but its reason
		await main(args).catch((error) => {
			fs.mkdirSync(args[1], { recursive: true });
			fs.writeFileSync(path.join(args[1], 'refused'), error.message);
		});
	}
}

if (require.main === module)
	(process.argv[2] === '--each' ? each() : main(process.argv.slice(2))).catch((error) => {
		console.error(`ref: ${error.message}`);
		process.exit(1);
	});
