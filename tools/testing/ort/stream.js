// SPDX-License-Identifier: MIT
//
// The reference for networks with states: ONNX Runtime, run by run, states handed over here.
//
//	node stream.js frames MODEL OUTDIR N [OUTPUT=INPUT:state...] NAME=FILE.npy...
//	node stream.js decode MODEL COUNT TOKEN...
//
// frames: those inputs that have N times the elements of their first dimension are a frame for each
// run. Writes OUTDIR/<tensor>.npy: frames one after the other, states as they are in the end. States
// are zero at first; they have the shape that is given by their file.
//
// decode: as tools/llm/write.c does it.
'use strict';

const fs = require('fs');
const path = require('path');

const { ort, npyLoad, npySave, fileName } = require('./ref.js');

function open(file) {
	return ort.InferenceSession.create(file, {
		intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3,
	});
}

// frame i of n along the first dimension
function frame(tensor, i, n) {
	const size = tensor.data.length / n;

	return new ort.Tensor(tensor.type, tensor.data.slice(i * size, (i + 1) * size),
		[tensor.dims[0] / n, ...tensor.dims.slice(1)]);
}

// the frames of an output, one after the other
function join(tensors) {
	const [first] = tensors;
	const data = new first.data.constructor(first.data.length * tensors.length);

	tensors.forEach((tensor, i) => data.set(tensor.data, i * first.data.length));
	return new ort.Tensor(first.type, data,
		[first.dims[0] * tensors.length, ...first.dims.slice(1)]);
}

async function frames([file, dir, count, ...args]) {
	const n = Number(count);
	const session = await open(file);
	const states = [], given = {}, kept = {}, all = {};

	for (const arg of args) {
		const equals = arg.lastIndexOf('=');

		if (arg.endsWith(':state'))
			states.push([arg.slice(0, equals), arg.slice(equals + 1, -6)]);
		else
			given[arg.slice(0, equals)] = npyLoad(arg.slice(equals + 1));
	}
	for (let i = 0; i < n; i++) {
		const feeds = { ...kept };

		for (const [name, tensor] of Object.entries(given))
			if (!(name in feeds))
				feeds[name] = tensor.dims[0] >= n && !states.some((s) => s[1] === name) ?
					frame(tensor, i, n) : tensor;
		const results = await session.run(feeds);

		for (const [output, input] of states)
			kept[input] = results[output];
		for (const name of session.outputNames)
			(all[name] ??= []).push(results[name]);
	}
	fs.mkdirSync(dir, { recursive: true });
	for (const [name, tensors] of Object.entries(all))
		npySave(path.join(dir, fileName(name)),
			states.some((s) => s[0] === name) ? tensors[n - 1] : join(tensors));
}

async function decode([file, count, ...prompt]) {
	const session = await open(file);
	const integer = (value) => new ort.Tensor('int64', [BigInt(value)], [1]);
	const feeds = {}, written = [];
	let logits, position = 0, margin = Infinity;

	for (const { name, shape } of session.inputMetadata.filter((i) => i.name.startsWith('past_')))
		feeds[name] = new ort.Tensor('float32',
			new Float32Array(shape.reduce((a, b) => a * b)), shape);
	while (written.length < Number(count)) {
		feeds.token = integer(position < prompt.length ? prompt[position] : written.at(-1));
		feeds.position = integer(position++);
		const results = await session.run(feeds);

		for (const name of Object.keys(feeds).filter((n) => n.startsWith('past_')))
			feeds[name] = results[`present_${name.slice(5)}`];
		logits = results.logits.data;
		if (position < prompt.length)
			continue;
		const [best, second] = [...logits].sort((a, b) => b - a);

		margin = Math.min(margin, best - second);
		written.push(logits.indexOf(best));
	}
	console.log(written.join(' '));
	console.error(`the closest choice was by ${margin.toPrecision(3)}`);
}

const [how, ...rest] = process.argv.slice(2);

(how === 'frames' ? frames : decode)(rest).catch((error) => {
	console.error(`stream: ${error.message}`);
	process.exit(1);
});
