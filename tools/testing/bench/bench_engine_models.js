// SPDX-License-Identifier: MIT
//
// Processor milliseconds of a run of ONNX Runtime on one thread: the best of some.
//
//	node bench_engine_models.js MODEL [NAME=DIM,DIM,..]...
'use strict';

const path = require('path');

const ort = require(path.resolve(__dirname, '../../../build/ort/node_modules/onnxruntime-node'));

const LEAST_US = 200000;

function input(shape) {
	const dims = shape.split(',').map(Number);
	const data = new Float32Array(dims.reduce((a, b) => a * b, 1));

	for (let i = 0; i < data.length; i++)
		data[i] = i % 251 / 256 - 0.5;
	return new ort.Tensor('float32', data, dims);
}

async function main(args) {
	const [file, ...inputs] = args;
	const session = await ort.InferenceSession.create(file, {
		intraOpNumThreads: 1,
		interOpNumThreads: 1,
		logSeverityLevel: 3,
		graphOptimizationLevel: 'all',
	});
	const feeds = {};
	let best = Infinity, total = 0;

	for (const text of inputs) {
		const equals = text.lastIndexOf('=');

		feeds[text.slice(0, equals)] = input(text.slice(equals + 1));
	}
	await session.run(feeds);
	for (let runs = 0; runs < 3 || total < LEAST_US; runs++) {
		const start = process.cpuUsage();

		await session.run(feeds);
		const used = process.cpuUsage(start);
		best = Math.min(best, used.user + used.system);
		total += used.user + used.system;
	}
	console.log((best / 1000).toFixed(3));
}

main(process.argv.slice(2)).catch((error) => {
	console.error(`bench_engine_models: ${error.message}`);
	process.exit(1);
});
