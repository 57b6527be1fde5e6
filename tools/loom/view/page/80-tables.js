// SPDX-License-Identifier: MIT
// The tables: all that the pictures show, as text; and two plans beside each other.

function on(page, plan, type) {
	return (id) => plan.marks && plan.marks[type][id];
}

function groupTable(page, plan) {
	const g = plan.group;
	return table(`The groups of ${plan.title}, in the order in which they run.`, [
		['group', (i) => i, (i) => `${i + 1}`, false, (i) => page.select({ plan, type: 'group', id: i })],
		['operators', (i) => plan.groupText(i), null, true],
		['steps', (i) => plan.groupSteps[i]],
		['cycles', (i) => g.cycles[i], (i) => count(g.cycles[i])],
		['share', (i) => g.cycles[i], (i) => percent(g.cycles[i], plan.total)],
		['bound by', (i) => plan.boundNames[plan.groupBound[i]], null, true],
		['DMA', (i) => g.dma_cycles[i], (i) => count(g.dma_cycles[i])],
		['compute', (i) => g.compute_cycles[i], (i) => count(g.compute_cycles[i])],
		['DRAM read', (i) => g.dram_read_bytes[i], (i) => bytes(g.dram_read_bytes[i])],
		['written', (i) => g.dram_write_bytes[i], (i) => bytes(g.dram_write_bytes[i])],
		['SRAM', (i) => g.sram_bytes[i], (i) => bytes(g.sram_bytes[i])],
		['MAC', (i) => g.macs[i], (i) => short(g.macs[i])],
	], [...Array(plan.numGroups).keys()], on(page, plan, 'groups'));
}

function nodeTable(page, plan) {
	return table(`The operators of ${plan.title}, in the order in which they run; those without cycles take no commands.`, [
		['', (n) => n],
		['operator', (n) => plan.name(plan.nodeOp[n]), null, true],
		['name', (n) => plan.nodeLabel(n), null, true, (n) => page.select({ plan, type: 'op', id: n })],
		['group', (n) => plan.nodeGroup[n], (n) => `${plan.nodeGroup[n] + 1}`],
		['compute', (n) => plan.nodeCompute[n], (n) => count(plan.nodeCompute[n])],
		['share', (n) => plan.nodeCompute[n], (n) => percent(plan.nodeCompute[n], plan.total)],
		['DMA', (n) => plan.nodeDma[n], (n) => count(plan.nodeDma[n])],
		['moved', (n) => plan.nodeMoved[n], (n) => bytes(plan.nodeMoved[n])],
		['first step', (n) => plan.nodeStep[n], (n) => plan.nodeStep[n] < 0 ? '' : `${plan.nodeStep[n]}`],
		['last', (n) => plan.nodeEnd[n], (n) => plan.nodeEnd[n] < 0 ? '' : `${plan.nodeEnd[n]}`],
	], [...Array(plan.numNodes).keys()], on(page, plan, 'nodes'));
}

function bufferTable(page, plan) {
	return table(`The buffers of ${plan.title}: each place that a value has for a time.`, [
		['name', (t) => plan.name(plan.tensorName[t]), null, true, (t) => page.select({ plan, type: 'buffer', id: t })],
		['what', (t) => plan.tensorText(t), null, true],
		['in', (t) => plan.tensorRegion(t)],
		['shape', (t) => plan.tensorShape(t), null, true],
		['bytes', (t) => plan.tensorBytes[t], (t) => count(plan.tensorBytes[t])],
		['address', (t) => plan.tensorOffset[t], (t) => count(plan.tensorOffset[t])],
		['first step', (t) => plan.tensorFirst[t]],
		['last', (t) => plan.tensorLast[t]],
	], [...Array(plan.numTensors).keys()], on(page, plan, 'tensors'), 100);
}

function commandTable(page, plan) {
	return table(`The commands of ${plan.title}: what the streams do.`, [
		['', (c) => c, (c) => `${c}`, false, (c) => page.select({ plan, type: 'command', id: c })],
		['step', (c) => plan.commandStep[c]],
		['stream', (c) => plan.opcode[c] < 16 ? 'DMA' : 'compute', null, true],
		['does', (c) => plan.commandText(c), null, true],
		['from', (c) => plan.commandFirst[c], (c) => count(plan.commandFirst[c])],
		['cycles', (c) => plan.commandEnd[c] - plan.commandFirst[c], (c) => count(plan.commandEnd[c] - plan.commandFirst[c])],
		['bytes', (c) => plan.commandBytes[c], (c) => count(plan.commandBytes[c])],
	], [...Array(plan.numCommands).keys()], on(page, plan, 'commands'), 100);
}

function helpPane() {
	const keys = [
		[['wheel'], 'zoom time, or the graph, around the pointer'],
		[['Shift', 'wheel'], 'over SRAM or DRAM: zoom addresses'],
		[['drag'], 'move'], [['click'], 'select; all that belongs to it stays bright'],
		[['double click'], 'zoom to what is there'],
		[['←', '→'], 'move in time'], [['+', '−'], 'zoom'], [['0'], 'all'],
		[['[', ']'], 'the command, or the operator, before or behind'],
		[['Enter'], 'zoom to what is selected'], [['/'], 'search'], [['Esc'], 'select nothing'],
	];
	return el('div', {}, el('h2', {}, 'Mouse and keys'),
		el('dl', {}, keys.map(([names, text]) => [
			el('dt', {}, ...names.flatMap((name, i) => [i ? ' ' : '', el('kbd', {}, name)])), el('dd', {}, text)])),
		el('h2', {}, 'Reading the pictures'),
		el('p', {}, 'Time goes from left to right and is that of the chip\'s description. In the rows of the streams, what is ' +
			'thinner than a pixel is drawn together: as high as its share of the time, in the colour of what takes most of it. ' +
			'SRAM is that of one lane; all lanes are alike. In DRAM, heights of slots go by the square root of their bytes. ' +
			'The red line is where most SRAM is alive.'),
		el('p', {}, 'The address of this page keeps what is shown: #t=FIRST..END are cycles, sel=NAME is what is selected ' +
			'(an operator, a value, group:N, step:N), tab=NAME the lower part, g=SCALE the zoom of the graph around it.'));
}

// ---- two plans

const FIGURES = [
	['cycles', count], ['dma_cycles', count], ['compute_cycles', count], ['dram_read_bytes', bytes],
	['dram_write_bytes', bytes], ['rom_read_bytes', bytes], ['sram_peak_bytes', bytes], ['scratch_bytes', bytes],
	['neuron_peak_bytes', bytes], ['neuron_sum_bytes', bytes], ['weights_bytes', bytes], ['macs', short],
	['recomputed_macs', short], ['energy_fj', short], ['groups', count], ['steps', count], ['commands', count],
	['tensors', count], ['conflict_steps', count], ['plan_bytes', bytes],
];

function difference(a, b, text) {
	return a === b ? '' : `${b > a ? '+' : '−'}${text(Math.abs(b - a))}`;
}

function ratio(a, b) {
	return a === b ? '' : a ? (b / a).toFixed(3) : '';
}

function pairColumns(of, text) {
	return [
		['A', (row) => of(row, 0), (row) => text(of(row, 0))],
		['B', (row) => of(row, 1), (row) => text(of(row, 1))],
		['B − A', (row) => of(row, 1) - of(row, 0), (row) => difference(of(row, 0), of(row, 1), text)],
		['B / A', (row) => of(row, 1) / (of(row, 0) || 1), (row) => ratio(of(row, 0), of(row, 1))],
	];
}

// Groups that have nodes in common, on either side: parts of the network that can be compared.
function commonParts(a, b) {
	const at = new Map(), parent = [...Array(a.numGroups + b.numGroups).keys()];
	const root = (i) => {
		while (parent[i] !== i)
			i = parent[i] = parent[parent[i]];
		return i;
	};
	for (let n = 0; n < a.numNodes; n++)
		if (a.nodeGroup[n] >= 0)
			at.set(a.nodeText(n), a.nodeGroup[n]);
	for (let n = 0; n < b.numNodes; n++) {
		const other = at.get(b.nodeText(n));
		if (other !== undefined && b.nodeGroup[n] >= 0)
			parent[root(a.numGroups + b.nodeGroup[n])] = root(other);
	}
	const parts = new Map();
	for (let i = 0; i < parent.length; i++) {
		const part = parts.get(root(i)) || { groups: [[], []] };
		part.groups[i < a.numGroups ? 0 : 1].push(i < a.numGroups ? i : i - a.numGroups);
		parts.set(root(i), part);
	}
	return [...parts.values()];
}

function groupRange(list) {
	return !list.length ? 'none' : list.length === 1 ? `${list[0] + 1}` :
		`${Math.min(...list) + 1} to ${Math.max(...list) + 1}`;
}

function comparePane(page) {
	const [a, b] = page.plans, plans = page.plans;
	const figures = FIGURES.filter(([key]) => a.figures[key] || b.figures[key]);
	const of = ([key], i) => plans[i].figures[key] || 0;
	const sum = (part, i, key) => part.groups[i].reduce((all, g) => all + plans[i].group[key][g], 0);
	const parts = commonParts(a, b), nodes = new Map();
	plans.forEach((plan, i) => {
		for (let n = 0; n < plan.numNodes; n++) {
			const row = nodes.get(plan.nodeText(n)) || { text: plan.nodeText(n), at: [-1, -1] };
			row.at[i] = n;
			nodes.set(row.text, row);
		}
	});
	const cost = (row, i, key) => row.at[i] < 0 ? 0 : plans[i][key][row.at[i]];
	const rows = [...nodes.values()].sort((x, y) =>
		Math.abs(cost(y, 1, 'nodeCompute') + cost(y, 1, 'nodeDma') - cost(y, 0, 'nodeCompute') - cost(y, 0, 'nodeDma')) -
		Math.abs(cost(x, 1, 'nodeCompute') + cost(x, 1, 'nodeDma') - cost(x, 0, 'nodeCompute') - cost(x, 0, 'nodeDma')));
	const pick = (row) => {
		const i = row.at[0] >= 0 ? 0 : 1;
		page.select({ plan: plans[i], type: 'op', id: row.at[i] });
	};
	const text = ([, format]) => format;
	return el('div', {},
		el('p', { class: 'name' }, `A is ${a.title} on ${a.chip.name}, B is ${b.title} on ${b.chip.name}.`),
		table('The figures of both plans.', [
			['figure', ([key]) => key.replaceAll('_', ' '), null, true],
			['A', (row) => of(row, 0), (row) => text(row)(of(row, 0))],
			['B', (row) => of(row, 1), (row) => text(row)(of(row, 1))],
			['B − A', (row) => of(row, 1) - of(row, 0), (row) => difference(of(row, 0), of(row, 1), text(row))],
			['B / A', (row) => of(row, 1) / (of(row, 0) || 1), (row) => ratio(of(row, 0), of(row, 1))],
		], figures),
		el('h2', {}, 'Groups'),
		table('Groups of both plans that have operators in common, and their cycles.', [
			['groups of A', (part) => groupRange(part.groups[0]), null, true, (part) => part.groups[0].length &&
				page.select({ plan: a, type: 'group', id: part.groups[0][0] })],
			['groups of B', (part) => groupRange(part.groups[1]), null, true, (part) => part.groups[1].length &&
				page.select({ plan: b, type: 'group', id: part.groups[1][0] })],
			...pairColumns((part, i) => sum(part, i, 'cycles'), count),
			['DRAM of A', (part) => sum(part, 0, 'dram_read_bytes') + sum(part, 0, 'dram_write_bytes'),
				(part) => bytes(sum(part, 0, 'dram_read_bytes') + sum(part, 0, 'dram_write_bytes'))],
			['of B', (part) => sum(part, 1, 'dram_read_bytes') + sum(part, 1, 'dram_write_bytes'),
				(part) => bytes(sum(part, 1, 'dram_read_bytes') + sum(part, 1, 'dram_write_bytes'))],
		], parts),
		el('h2', {}, 'Operators'),
		table('Cycles of both streams for each operator, by name; the largest difference first.', [
			['operator', (row) => row.text, null, true, pick],
			...pairColumns((row, i) => cost(row, i, 'nodeCompute') + cost(row, i, 'nodeDma'), count),
			['moved by A', (row) => cost(row, 0, 'nodeMoved'), (row) => bytes(cost(row, 0, 'nodeMoved'))],
			['by B', (row) => cost(row, 1, 'nodeMoved'), (row) => bytes(cost(row, 1, 'nodeMoved'))],
		], rows, null, 100));
}
