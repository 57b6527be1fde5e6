// SPDX-License-Identifier: MIT
// A plan as the page has it: columns become typed arrays, and what follows from them is computed
// once. Data flows one way: from here to all that draws.

const OPS = {
	1: 'load', 2: 'store', 3: 'copy', 4: 'fill', 16: 'conv', 17: 'deconv', 18: 'pool', 19: 'matmul',
	20: 'binary', 21: 'unary', 22: 'select', 23: 'reduce', 24: 'softmax', 25: 'resize', 26: 'cast',
	27: 'quantize', 28: 'dequantize', 29: 'topk', 30: 'gather', 31: 'matmul_add',
};

// Classes of commands, which have a colour each: name, what it is, opcodes.
const CLASSES = [
	['load', 'loads', [1]],
	['store', 'stores', [2]],
	['copy', 'copies, fills', [3, 4]],
	['conv', 'convolution', [16, 17]],
	['matmul', 'matrix product', [19, 31]],
	['pool', 'pooling, sums, softmax, selection', [18, 23, 24, 29]],
	['point', 'element by element', [20, 21, 22]],
	['shape', 'resize, types, gathering', [25, 26, 27, 28, 30]],
];
const CLASS_OF = new Uint8Array(32);
CLASSES.forEach(([, , codes], i) => codes.forEach((code) => { CLASS_OF[code] = i; }));

// Purposes of tensors in SRAM, by the label's kind; the first is of DRAM.
const KINDS = [
	['rows', 'value in DRAM'],
	['rows', 'rows of a value'],
	['kept', 'rows kept for the next slice'],
	['resident', 'value that stays from group to group'],
	['held', 'weights held for all slices'],
	['weight', 'weights of a slice'],
	['temp', 'temporary'],
];
const SLOTS = [
	['weight', 'weights'], ['ends', 'input'], ['ends', 'output'],
	['other', 'observed'], ['rows', 'arena'], ['other', 'image'],
];

const BOUNDS = {
	'dram': 'DRAM', 'copy': 'copies in SRAM', 'dma_start': 'starts of DMA', 'macs': 'MACs',
	'ops': 'other operations', 'in_place': 'operands used in place',
	'compute_start': 'starts of compute', 'turns': 'streams in turns',
};
const WHYS = ['', 'a node that runs for itself', 'together they cannot be sliced', 'too little SRAM',
	'one group would cost more'];

const DIGITS = new Int8Array(128).fill(-1);
[...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].forEach((c, i) => {
	DIGITS[c.charCodeAt(0)] = i;
});

// A column: five bits to a character, the sign in the lowest bit of a value. Numbers may be above
// 32 bits, so there are no shifts.
function column(text, step) {
	const out = [];
	let value = 0, scale = 1, last = 0;
	for (let i = 0; i < text.length; i++) {
		const digit = DIGITS[text.charCodeAt(i)];
		value += (digit & 31) * scale;
		scale *= 32;
		if (digit & 32)
			continue;
		const half = Math.floor(value / 2);
		let signed = value % 2 ? -half : half;
		if (step) {
			signed += last;
			last = signed;
		}
		out.push(signed);
		value = 0;
		scale = 1;
	}
	return Float64Array.from(out);
}

function ints(text, step) {
	return Int32Array.from(column(text, step));
}

class Plan {
	constructor(data, index) {
		this.index = index;
		this.figures = data.figures;
		this.chip = data.chip;
		this.objective = data.objective;
		this.slots = data.slots;
		this.names = data.names;
		this.dtypes = data.dtypes;
		this.bounds = data.bounds;
		// read-only memory, on a chip that has nothing else
		this.boundNames = data.bounds.map((name) => name === 'dram' && !data.chip.dram_banks ? 'memory' :
			BOUNDS[name] || name);
		this.title = data.figures.model;
		this.readNodes(data.nodes);
		this.readGroups(data.groups);
		this.readCuts(data.cuts);
		this.arenaPeak = data.arena_peak;
		this.readTensors(data.tensors);
		this.readSteps(data.steps);
		this.readCommands(data.commands, data.steps);
		this.placeSlots();
		this.useTensors();
		this.countAlive();
		this.connect();
		this.countNodes();
	}

	name(index) {
		return index ? this.names[index - 1] : '';
	}

	readNodes(d) {
		this.numNodes = d.count;
		this.nodeName = ints(d.name, true);
		this.nodeOp = ints(d.op, true);
	}

	readGroups(d) {
		this.numGroups = d.count;
		this.groupFirst = ints(d.first_node, true);
		this.groupLast = ints(d.last_node, true);
		this.groupStep = ints(d.first_step, true);
		this.groupSteps = ints(d.steps);
		this.groupSlices = ints(d.slices);
		this.groupBound = ints(d.bound);
		this.group = {};
		for (const key of ['cycles', 'dma_cycles', 'compute_cycles', 'mac_cycles', 'op_cycles', 'lane_cycles', 'macs', 'dram_read_bytes',
			'dram_write_bytes', 'weights_bytes', 'sram_bytes'])
			this.group[key] = column(d[key]);
		this.groupParts = column(d.parts);
		this.nodeGroup = new Int32Array(this.numNodes).fill(-1);
		for (let g = 0; g < d.count; g++)
			for (let n = this.groupFirst[g]; n <= this.groupLast[g]; n++)
				this.nodeGroup[n] = g;
	}

	readCuts(d) {
		this.cutDram = column(d.dram_bytes);
		this.cutSram = column(d.sram_bytes);
		this.cutWhy = ints(d.why);
		this.cutShort = column(d.short_bytes);
	}

	readTensors(d) {
		this.numTensors = d.count;
		this.tensorName = ints(d.name, true);
		this.tensorKind = ints(d.kind);
		this.tensorSlice = ints(d.slice, true);
		this.tensorPlace = ints(d.place);
		this.tensorParent = ints(d.parent);
		this.tensorOffset = column(d.offset);
		this.tensorBytes = column(d.bytes);
		this.tensorFirst = ints(d.first, true);
		this.tensorLast = ints(d.steps).map((steps, i) => this.tensorFirst[i] + steps);
		this.tensorDtype = ints(d.dtype);
		this.tensorRank = ints(d.rank);
		this.tensorDims = ints(d.dims);
		this.tensorDim = new Int32Array(d.count + 1);
		for (let i = 0; i < d.count; i++) {
			this.tensorDim[i + 1] = this.tensorDim[i] + this.tensorRank[i];
			this.tensorParent[i] = this.tensorParent[i] ? this.tensorParent[i] + i : i;
		}
	}

	readSteps(d) {
		const cycles = column(d.cycles);
		this.numSteps = d.count;
		this.begin = new Float64Array(d.count + 1);
		for (let i = 0; i < d.count; i++)
			this.begin[i + 1] = this.begin[i] + cycles[i];
		this.total = Math.max(this.begin[d.count], 1);
	}

	// Commands of a stream follow each other; compute begins with the step, or behind its DMA.
	readCommands(d, steps) {
		const dma = ints(steps.dma), compute = ints(steps.compute), cycles = column(d.cycles);
		this.numCommands = d.count;
		this.opcode = ints(d.opcode, true);
		this.commandNode = ints(d.node, true).map((node) => node - 1);
		this.commandBytes = column(d.bytes);
		this.commandStep = new Int32Array(d.count);
		this.commandFirst = new Float64Array(d.count);
		this.commandEnd = new Float64Array(d.count);
		this.operands = ints(d.operands);
		this.operand = new Int32Array(d.count + 1);
		this.operandTensor = ints(d.tensors, true);
		for (let i = 0; i < d.count; i++)
			this.operand[i + 1] = this.operand[i] + this.operands[i];
		this.streams = [[], []];
		this.stepCommand = new Int32Array(this.numSteps + 1);
		let c = 0;
		for (let s = 0; s < this.numSteps; s++) {
			let at = this.begin[s];
			this.stepCommand[s] = c;
			for (let k = 0; k < dma[s] + compute[s]; k++, c++) {
				if (k === dma[s] && this.chip.overlap)
					at = this.begin[s];
				this.streams[k < dma[s] ? 0 : 1].push(c);
				this.commandStep[c] = s;
				this.commandFirst[c] = at;
				at += cycles[c];
				this.commandEnd[c] = at;
			}
		}
		this.stepCommand[this.numSteps] = c;
		this.streams = this.streams.map((list) => Int32Array.from(list));
	}

	isScratch(t) {
		return this.tensorPlace[t] === 0;
	}

	tensorRegion(t) {
		return this.isScratch(t) ? 'SRAM' : this.slots[this.tensorPlace[t] - 1].in;
	}

	tensorText(t) {
		return this.isScratch(t) ? KINDS[this.tensorKind[t]][1] :
			SLOTS[this.slots[this.tensorPlace[t] - 1].kind][1];
	}

	tensorColour(t) {
		return this.isScratch(t) ? KINDS[this.tensorKind[t]][0] :
			SLOTS[this.slots[this.tensorPlace[t] - 1].kind][0];
	}

	tensorShape(t) {
		const dims = this.tensorDims.subarray(this.tensorDim[t], this.tensorDim[t + 1]);
		return `${this.dtypes[this.tensorDtype[t]]} [${[...dims].join(', ')}]`;
	}

	// Slots lie one over the other, the arena lowest. Weights are often a thousand times as large
	// as the rest, so heights go by the square root of the bytes.
	placeSlots() {
		const order = [4, 5, 3, 2, 1, 0];
		const list = this.slots.map((slot, i) => i)
			.sort((a, b) => order.indexOf(this.slots[a].kind) - order.indexOf(this.slots[b].kind) || a - b);
		const weight = (i) => Math.sqrt(this.slots[i].bytes) + 1;
		const least = 0.02;
		const sum = list.reduce((all, i) => all + weight(i), 0);
		const shares = list.map((i) => Math.max(weight(i) / sum, least));
		const all = shares.reduce((a, b) => a + b, 0);
		let at = 0;
		this.slotOrder = list;
		this.slotBase = new Float64Array(this.slots.length);
		this.slotShare = new Float64Array(this.slots.length);
		list.forEach((i, k) => {
			this.slotBase[i] = at;
			this.slotShare[i] = shares[k] / all;
			at += this.slotShare[i];
		});
	}

	// By tensor: which commands use it. Two passes, so that it is two arrays and not thousands.
	useTensors() {
		const first = new Int32Array(this.numTensors + 1);
		for (const t of this.operandTensor)
			first[t + 1]++;
		for (let t = 0; t < this.numTensors; t++)
			first[t + 1] += first[t];
		const at = first.slice(), uses = new Int32Array(this.operandTensor.length);
		for (let c = 0; c < this.numCommands; c++)
			for (let k = this.operand[c]; k < this.operand[c + 1]; k++)
				uses[at[this.operandTensor[k]]++] = c;
		this.useFirst = first;
		this.uses = uses;
		this.byName = new Map();
		for (let t = 0; t < this.numTensors; t++) {
			const list = this.byName.get(this.tensorName[t]);
			if (list)
				list.push(t);
			else
				this.byName.set(this.tensorName[t], [t]);
		}
	}

	// Bytes that are alive in the scratch, by step. An alias lies in what it is an alias of.
	countAlive() {
		const alive = new Float64Array(this.numSteps + 1);
		for (let t = 0; t < this.numTensors; t++) {
			if (!this.isScratch(t) || this.tensorParent[t] !== t || this.tensorFirst[t] > this.tensorLast[t])
				continue;
			alive[this.tensorFirst[t]] += this.tensorBytes[t];
			alive[this.tensorLast[t] + 1] -= this.tensorBytes[t];
		}
		this.peakStep = 0;
		for (let s = 1; s < this.numSteps; s++) {
			alive[s] += alive[s - 1];
			if (alive[s] > alive[this.peakStep])
				this.peakStep = s;
		}
		this.alive = alive.subarray(0, this.numSteps);
		this.peakBytes = this.numSteps ? alive[this.peakStep] : 0;
		this.peakEnd = this.peakStep;
		while (this.peakEnd + 1 < this.numSteps && alive[this.peakEnd + 1] === this.peakBytes)
			this.peakEnd++;
	}

	// The step of a group in which most is alive in the scratch.
	peakOfGroup(g) {
		let peak = this.groupStep[g];
		for (let s = peak; s < this.groupStep[g] + this.groupSteps[g]; s++)
			if (this.alive[s] > this.alive[peak])
				peak = s;
		return peak;
	}

	// The most that would be alive in steps first to end - 1 without a buffer.
	peakWithout(t, first, end) {
		let most = 0;
		for (let s = first; s < end; s++) {
			const there = this.tensorFirst[t] <= s && this.tensorLast[t] >= s;
			most = Math.max(most, this.alive[s] - (there ? this.tensorBytes[t] : 0));
		}
		return most;
	}

	// Tensors alive in the scratch in a step, the largest first.
	aliveAt(step) {
		const list = [];
		for (let t = 0; t < this.numTensors; t++)
			if (this.isScratch(t) && this.tensorParent[t] === t &&
			    this.tensorFirst[t] <= step && this.tensorLast[t] >= step)
				list.push(t);
		return list.sort((a, b) => this.tensorBytes[b] - this.tensorBytes[a] || a - b);
	}

	// Which node reads what which node has made, from the commands alone: a command that computes
	// makes what it writes; one that moves hands on what others have made. Inputs are -1 - tensor.
	connect() {
		const computes = new Uint8Array(this.numNodes);
		for (let c = 0; c < this.numCommands; c++)
			if (this.opcode[c] >= 16 && this.commandNode[c] >= 0)
				computes[this.commandNode[c]] = 1;
		const made = new Map(), edges = new Map(), ends = new Set();
		const origins = (t) => {
			const root = this.tensorParent[t], from = this.tensorOffset[t];
			const list = made.get(root);
			if (list)
				return list.filter((o) => o.first < from + this.tensorBytes[t] && o.end > from);
			if (root !== t && made.get(t))
				return made.get(t);
			return !this.isScratch(t) && this.slots[this.tensorPlace[t] - 1].kind === 1 ?
				[{ node: -1 - root, first: 0, end: Infinity }] : [];
		};
		// a result in place replaces the makers of its bytes; otherwise a root may have
		// several, each of a part
		const make = (t, node, inPlace) => {
			const root = this.tensorParent[t], first = this.tensorOffset[t];
			const end = first + this.tensorBytes[t];
			let list = made.get(root) || [];
			if (inPlace)
				list = list.filter((o) => o.node === node || o.first < first || o.end > end);
			const old = list.find((o) => o.node === node);
			if (old) {
				old.first = Math.min(old.first, first);
				old.end = Math.max(old.end, end);
			} else {
				list.push({ node, first, end });
			}
			made.set(root, list);
		};
		const link = (from, to, t) => {
			if (from === to)
				return;
			const key = from + '>' + to;
			if (!edges.has(key))
				edges.set(key, { from, to, tensor: t });
		};
		for (let c = 0; c < this.numCommands; c++) {
			const node = this.commandNode[c], y = this.operandTensor[this.operand[c]];
			// an operator that only moves, such as a concatenation, makes what it has moved
			const moves = this.opcode[c] < 4 && (node < 0 || computes[node]);
			for (let k = this.operand[c] + 1; k < this.operand[c + 1]; k++) {
				const x = this.operandTensor[k];
				for (const o of origins(x)) {
					if (moves)
						make(y, o.node);
					else if (node >= 0)
						link(o.node, node, x);
				}
			}
			if (!moves && node >= 0)
				make(y, node, this.opcode[c] >= 16 && this.reads(c, this.tensorParent[y]));
			if (!this.isScratch(y) && this.slots[this.tensorPlace[y] - 1].kind === 2)
				ends.add(y);
		}
		this.outputs = [...ends].filter((t) => this.tensorParent[t] === t);
		for (const t of this.outputs)
			for (const o of made.get(t) || [])
				link(o.node, 'y' + t, t);
		this.edges = [...edges.values()];
		this.inputs = [...new Set(this.edges.map((e) => e.from).filter((n) => n < 0))]
			.map((n) => -1 - n);
	}

	reads(c, root) {
		for (let k = this.operand[c] + 1; k < this.operand[c + 1]; k++)
			if (this.tensorParent[this.operandTensor[k]] === root)
				return true;
		return false;
	}

	// By node: cycles of its commands in both streams, bytes to and from slots, steps.
	countNodes() {
		const n = this.numNodes;
		this.nodeDma = new Float64Array(n);
		this.nodeCompute = new Float64Array(n);
		this.nodeMoved = new Float64Array(n);
		this.nodeCommands = new Int32Array(n);
		this.nodeStep = new Int32Array(n).fill(-1);
		this.nodeEnd = new Int32Array(n).fill(-1);
		this.nodeClass = new Uint8Array(n).fill(255);
		const most = new Float64Array(n);
		for (let c = 0; c < this.numCommands; c++) {
			const node = this.commandNode[c], cycles = this.commandEnd[c] - this.commandFirst[c];
			if (node < 0)
				continue;
			const step = this.commandStep[c];
			this.nodeCommands[node]++;
			if (this.nodeStep[node] < 0 || step < this.nodeStep[node])
				this.nodeStep[node] = step;
			this.nodeEnd[node] = Math.max(this.nodeEnd[node], step);
			(this.opcode[c] < 16 ? this.nodeDma : this.nodeCompute)[node] += cycles;
			if (this.opcode[c] < 3)
				this.nodeMoved[node] += this.commandBytes[c];
			const dma = this.opcode[c] < 16 && this.nodeClass[node] !== 255 &&
				this.nodeClass[node] > 2;
			if (!dma && (this.nodeClass[node] === 255 || cycles > most[node] ||
			    (this.opcode[c] >= 16 && this.nodeClass[node] < 3))) {
				most[node] = cycles;
				this.nodeClass[node] = CLASS_OF[this.opcode[c]];
			}
		}
	}

	groupOfStep(step) {
		let low = 0, high = this.numGroups;
		while (low + 1 < high) {
			const middle = (low + high) >> 1;
			if (this.groupStep[middle] <= step)
				low = middle;
			else
				high = middle;
		}
		return low;
	}

	stepAt(cycle) {
		let low = 0, high = this.numSteps;
		while (low + 1 < high) {
			const middle = (low + high) >> 1;
			if (this.begin[middle] <= cycle)
				low = middle;
			else
				high = middle;
		}
		return low;
	}

	nodeLabel(n) {
		return this.name(this.nodeName[n]) || `${this.name(this.nodeOp[n])} #${n}`;
	}

	nodeText(n) {
		return `${this.name(this.nodeOp[n])} ${this.nodeLabel(n)}`;
	}

	groupText(g) {
		const first = this.groupFirst[g], last = this.groupLast[g];
		return first === last ? this.nodeText(first) :
			`${this.nodeText(first)} to ${this.nodeText(last)}`;
	}

	commandText(c) {
		const node = this.commandNode[c];
		const y = this.name(this.tensorName[this.operandTensor[this.operand[c]]]);
		return this.opcode[c] < 16 || node < 0 ? `${OPS[this.opcode[c]]} ${y}` : this.nodeText(node);
	}

	// Idle periods of a stream, the longest first, with the commands of the other stream.
	idle(stream, most) {
		const gaps = [], list = this.streams[stream];
		let at = 0;
		for (const c of list) {
			if (this.commandFirst[c] > at)
				gaps.push([at, this.commandFirst[c]]);
			at = Math.max(at, this.commandEnd[c]);
		}
		if (this.total > at)
			gaps.push([at, this.total]);
		const cycles = gaps.reduce((sum, [a, b]) => sum + b - a, 0);
		gaps.sort((a, b) => b[1] - b[0] - (a[1] - a[0]) || a[0] - b[0]);
		return { cycles, count: gaps.length, gaps: gaps.slice(0, most).map((gap) => this.meanwhile(stream, gap)) };
	}

	meanwhile(stream, [first, end]) {
		const other = this.streams[1 - stream];
		let low = 0, high = other.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (this.commandEnd[other[middle]] <= first)
				low = middle + 1;
			else
				high = middle;
		}
		const gap = { stream, first, end, busy: 0, bytes: 0, most: -1, count: 0, alive: 0 };
		for (let s = this.stepAt(first); s < this.numSteps && this.begin[s] < end; s++)
			gap.alive = Math.max(gap.alive, this.alive[s]);
		let most = 0;
		for (; low < other.length && this.commandFirst[other[low]] < end; low++) {
			const c = other[low];
			const cycles = Math.min(this.commandEnd[c], end) - Math.max(this.commandFirst[c], first);
			gap.busy += cycles;
			gap.count++;
			gap.bytes += this.opcode[c] < 16 ? this.commandBytes[c] : 0;
			if (cycles > most) {
				most = cycles;
				gap.most = c;
			}
		}
		return gap;
	}
}
