// SPDX-License-Identifier: MIT
// What there is to say of a plan and of what is selected, as text.

function thing(page, plan, type, id, text) {
	return link(text, () => {
		page.select({ plan, type, id });
		page.timeline.zoomTo({ plan, type, id });
	});
}

function findings(page, plan) {
	const f = plan.figures, { chip } = plan, least = f.least || {};
	const bound = least.relaxed_cycles || least.cycles || 0;
	return [
		el('h2', {}, 'Totals'),
		list([
			['cycles', `${count(f.cycles)}${chip.frequency_hz ? `, ${seconds(f.cycles, chip)}` : ''}`],
			bound && ['at least', `${count(bound)} in any plan: this one takes ${(f.cycles / bound).toFixed(3)} times as many`],
			f.inferences_per_second && ['inferences', `${count(Math.round(f.inferences_per_second))} a second`],
			['MACs', `${percent(f.mac_utilisation, 1)} used${f.dram_utilisation ? `, DRAM ${percent(f.dram_utilisation, 1)}` : ''}` +
				`${f.rom_utilisation ? `, ROM ${percent(f.rom_utilisation, 1)}` : ''}`],
			['DMA', `works ${percent(f.dma_cycles, f.cycles)} of the time`],
			['compute', `works ${percent(f.compute_cycles, f.cycles)} of the time`],
			['DRAM', `${bytes(f.dram_read_bytes)} read, ${bytes(f.dram_write_bytes)} written`],
			f.rom_read_bytes && ['ROM', `${bytes(f.rom_read_bytes)} read`],
			['work', `${short(f.macs)} MAC${f.recomputed_macs ? `, ${short(f.recomputed_macs)} of them recomputed` : ''}`],
			['plan', [[f.nodes, 'node'], [f.groups, 'group'], [f.steps, 'step'], [f.commands, 'command'],
				[f.tensors, 'tensor']].map(([value, name]) => plural(value, name)).join(', ')],
		]),
		...peakText(page, plan),
		...boundText(page, plan),
		...idleText(page, plan),
	];
}

function peakText(page, plan) {
	if (!plan.peakBytes)
		return [el('h2', {}, 'Peak of the SRAM'), el('p', {}, 'The plan keeps nothing in SRAM.')];
	const g = plan.groupOfStep(plan.peakStep), alive = plan.aliveAt(plan.peakStep);
	return [
		el('h2', {}, 'Peak of the SRAM'),
		el('p', {}, `${bytes(plan.peakBytes)} of ${bytes(plan.chip.sram_bytes)} in each of ${plan.chip.lanes} lanes are alive in `,
			thing(page, plan, 'step', plan.peakStep, `step ${plan.peakStep}`),
			plan.peakEnd > plan.peakStep ? ` to ${plan.peakEnd}` : '', plan.numGroups ? ', in ' : '',
			plan.numGroups ? thing(page, plan, 'group', g, `group ${g + 1}`) : '',
			`. With gaps, ${bytes(plan.figures.scratch_bytes)} are used. The largest there:`),
		el('ul', {}, alive.slice(0, 5).map((t) => el('li', { class: 'name' },
			thing(page, plan, 'buffer', t, plan.name(plan.tensorName[t]) || `buffer ${t}`),
			` ${bytes(plan.tensorBytes[t])}, ${plan.tensorText(t)}; without it the peak is ` +
			bytes(plan.peakWithout(t, 0, plan.numSteps)))),
		alive.length > 5 ? el('li', {}, `and ${alive.length - 5} more`) : ''),
		plan.figures.neuron_peak_bytes ? el('p', {}, `In ${page.timeline.slotsName(plan)}, the arena of values takes ` +
			`${bytes(plan.figures.neuron_peak_bytes)}; no placement takes less than ${bytes(plan.figures.neuron_bound_bytes)}.` +
			` Its peak is in operator ${plan.arenaPeak.node}:`) : '',
		plan.figures.neuron_peak_bytes ? el('ul', {}, plan.arenaPeak.tensors.map((t) => el('li', { class: 'name' },
			`${t.name} ${bytes(t.bytes)}; without it the peak is ${bytes(t.without_bytes)}`)),
		plan.arenaPeak.alive > plan.arenaPeak.tensors.length ?
			el('li', {}, `and ${plan.arenaPeak.alive - plan.arenaPeak.tensors.length} more`) : '') : '',
	];
}

// Bottlenecks of the plan, and the groups that take longest.
function boundText(page, plan) {
	const sums = plan.boundNames.map((name, k) => {
		let sum = 0;
		for (let g = 0; g < plan.numGroups; g++)
			sum += plan.groupParts[g * plan.boundNames.length + k];
		return [name, sum];
	}).filter(([, sum]) => sum * 200 > plan.total).sort((a, b) => b[1] - a[1]);
	const longest = [...plan.group.cycles.keys()].sort((a, b) => plan.group.cycles[b] - plan.group.cycles[a]).slice(0, 4);
	return [
		el('h2', {}, 'Bottleneck'),
		el('p', {}, sums.length ? `The time goes to ${sums.map(([name, sum]) => `${name} (${percent(sum, plan.total)})`).join(', ')}.` :
			'There is nothing to wait for.'),
		plan.numGroups > 1 ? el('ul', {}, longest.map((g) => el('li', {},
			thing(page, plan, 'group', g, `group ${g + 1}`),
			`: ${percent(plan.group.cycles[g], plan.total)} of the time, bound by ${plan.boundNames[plan.groupBound[g]]}`))) : '',
	];
}

function gapText(plan, gap) {
	const other = gap.stream ? 'DMA' : 'compute', length = gap.end - gap.first;
	if (gap.most < 0)
		return 'nothing runs';
	const command = plan.commandText(gap.most);
	const work = gap.stream && gap.bytes ? `${bytes(gap.bytes)} move` : `${count(gap.busy)} cycles of work`;
	const turns = !plan.chip.overlap ? '; on this chip the streams take turns' : '';
	// loads that cannot be prefetched wait for room
	const room = gap.stream && plan.chip.overlap ? `; ${percent(gap.alive, plan.chip.sram_bytes)} of the SRAM are alive` : '';
	return `${other} is at work (${percent(gap.busy, length)}): ${work}, most of it ${command}${turns}${room}`;
}

function idleText(page, plan) {
	const rows = [];
	for (const stream of [1, 0]) {
		const idle = plan.idle(stream, 3), name = stream ? 'Compute' : 'DMA';
		if (idle.cycles * 1000 < plan.total)
			continue;
		rows.push(el('p', {}, `${name} does nothing for ${percent(idle.cycles, plan.total)} of the time, ` +
			`${count(idle.count)} ${idle.count === 1 ? 'stretch' : 'stretches'}. The longest:`),
		el('ul', {}, idle.gaps.map((gap) => el('li', { class: 'name' },
			link(`${plural(gap.end - gap.first, 'cycle')} from ${count(gap.first)}`, () =>
				page.timeline.show((gap.first - (gap.end - gap.first) * 0.3) * plan.scale,
					(gap.end + (gap.end - gap.first) * 0.3) * plan.scale)),
			`: ${gapText(plan, gap)}`))));
	}
	return rows.length ? [el('h2', {}, 'Idle stretches'), ...rows] : [];
}

// Remedies for a group, in the words of "loom plan --explain".
function helpText(plan, g) {
	const { group, chip } = plan, bound = plan.bounds[plan.groupBound[g]];
	const part = plan.groupParts[g * plan.bounds.length + plan.groupBound[g]];
	const dma = group.dma_cycles[g], compute = group.compute_cycles[g];
	const faster = (stream, other, what, name) => {
		const factor = other > stream - part ? part / (other - (stream - part)) : 100;
		return factor < 100 ? `at ${factor.toFixed(2)} x ${what} rate, ${name} would be as long` :
			`only more of ${what} rate, or less work: ${name} is ${(stream ? other * 100 / stream : 0).toFixed(1)} % as long`;
	};
	const starts = (each, what) => `${Math.floor(part / (each || 1))} ${what} commands take ${each} cycles each to start: ` +
		'fewer and longer ones';
	switch (bound) {
	case 'dram':
		return faster(dma, compute, 'its', 'compute') + joinText(plan, g);
	case 'copy':
		return faster(dma, compute, "the SRAM's", 'compute');
	case 'dma_start':
		return starts(chip.dma_start, 'DMA');
	case 'macs':
	case 'ops': {
		const cycles = group.mac_cycles[g] + group.op_cycles[g], busy = cycles ? group.lane_cycles[g] / cycles : 0;
		return faster(compute, dma, 'their', 'DMA') +
			(cycles && busy * 100 < chip.lanes * 90 ? `; ${busy.toFixed(1)} of ${chip.lanes} lanes have work` : '');
	}
	case 'in_place':
		return faster(compute, dma, "that memory's", 'DMA');
	case 'compute_start':
		return starts(chip.compute_start, 'compute');
	default:
		return `${chip.overlap ? 'work beside every load' : 'a chip that runs both streams at once'} would take ` +
			`${Math.max(dma, compute)} cycles at best`;
	}
}

// Whether more SRAM would join a group with the next; known with --explain.
function joinText(plan, g) {
	if (g + 1 >= plan.numGroups || plan.cutWhy[g] !== 3 || !plan.cutDram[g])
		return '';
	return `; ${bytes(plan.cutShort[g])} more SRAM per lane would join groups ${g + 1} and ${g + 2}, between which ` +
		`${bytes(plan.cutDram[g])} cross in ${plan.chip.dram_banks ? 'DRAM' : 'buffers in SRAM'}`;
}

// ---- what is selected

function many(items, make, most) {
	const parts = items.slice(0, most || 8).flatMap((item, i) => [i ? ', ' : '', make(item)]);
	if (items.length > (most || 8))
		parts.push(` and ${items.length - (most || 8)} more`);
	return parts.length ? parts : '';
}

function opLinks(page, plan, nodes) {
	return many(nodes, (n) => link(plan.nodeText(n), () => page.select({ plan, type: 'op', id: n })));
}

function bufferLinks(page, plan, tensors) {
	return many(tensors, (t) => link(`${plan.name(plan.tensorName[t]) || `buffer ${t}`} (${plan.tensorRegion(t)}, ` +
		`${bytes(plan.tensorBytes[t])})`, () => page.select({ plan, type: 'buffer', id: t })));
}

function details(page, { plan, type, id }) {
	const make = { group: groupDetails, step: stepDetails, command: commandDetails, buffer: bufferDetails,
		op: opDetails, value: valueDetails };
	return make[type](page, plan, id);
}

// Buffers alive when a group needs most SRAM, and its peak without each.
function groupPeak(page, plan, g) {
	const s = plan.peakOfGroup(g), first = plan.groupStep[g], end = first + plan.groupSteps[g];
	return [link(`step ${s}`, () => page.select({ plan, type: 'step', id: s })), `: ${bytes(plan.alive[s])} alive, of `,
		...many(plan.aliveAt(s), (t) => link(`${plan.name(plan.tensorName[t]) || `buffer ${t}`} (${bytes(plan.tensorBytes[t])}, ` +
			`without it ${bytes(plan.peakWithout(t, first, end))})`, () => page.select({ plan, type: 'buffer', id: t })), 5)];
}

function groupDetails(page, plan, g) {
	const nodes = [], { group } = plan, last = g + 1 >= plan.numGroups;
	for (let n = plan.groupFirst[g]; n <= plan.groupLast[g]; n++)
		nodes.push(n);
	const parts = plan.boundNames.map((name, k) => [name, plan.groupParts[g * plan.boundNames.length + k]])
		.filter(([, cycles]) => cycles * 200 > group.cycles[g]).sort((a, b) => b[1] - a[1]);
	return [`Group ${g + 1}`, list([
		['operators', opLinks(page, plan, nodes)],
		['steps', `${plan.groupStep[g]} to ${plan.groupStep[g] + plan.groupSteps[g] - 1}, ${plural(plan.groupSlices[g], 'slice')}`],
		['cycles', `${count(group.cycles[g])}, ${percent(group.cycles[g], plan.total)} of all`],
		['DMA', `${count(group.dma_cycles[g])} cycles`],
		['compute', `${count(group.compute_cycles[g])} cycles`],
		['bound by', `${plan.boundNames[plan.groupBound[g]]}: ` +
			parts.map(([name, cycles]) => `${name} ${percent(cycles, group.cycles[g])}`).join(', ')],
		group.cycles[g] && ['helps', helpText(plan, g)],
		['DRAM', `${bytes(group.dram_read_bytes[g])} read, ${bytes(group.dram_write_bytes[g])} written`],
		['weights', bytes(group.weights_bytes[g])],
		['SRAM', `${bytes(group.sram_bytes[g])} per lane at most`],
		['peak', groupPeak(page, plan, g)],
		['work', `${short(group.macs[g])} MAC`],
		!last && ['cut behind it', `${bytes(plan.cutDram[g])} cross in ${page.timeline.slotsName(plan)}, ` +
			`${bytes(plan.cutSram[g])} per lane stay in SRAM${plan.cutWhy[g] ? `; ${WHYS[plan.cutWhy[g]]}` : ''}` +
			`${plan.cutWhy[g] === 3 ? `: ${bytes(plan.cutShort[g])} per lane are missing` : ''}`],
	])];
}

function stepDetails(page, plan, s) {
	const commands = [];
	for (let c = plan.stepCommand[s]; c < plan.stepCommand[s + 1]; c++)
		commands.push(c);
	const cycles = plan.begin[s + 1] - plan.begin[s];
	return [`Step ${s}`, list([
		['group', plan.numGroups ? link(`group ${plan.groupOfStep(s) + 1}`, () =>
			page.select({ plan, type: 'group', id: plan.groupOfStep(s) })) : ''],
		['from', `cycle ${count(plan.begin[s])}`],
		['cycles', `${count(cycles)}${plan.chip.frequency_hz ? `, ${seconds(cycles, plan.chip)}` : ''}`],
		['commands', many(commands, (c) => link(plan.commandText(c), () => page.select({ plan, type: 'command', id: c })), 12)],
		['SRAM', `${bytes(plan.alive[s])} per lane alive`],
		['largest', bufferLinks(page, plan, plan.aliveAt(s).slice(0, 6))],
	])];
}

function commandDetails(page, plan, c) {
	const tensors = [...plan.operandTensor.subarray(plan.operand[c], plan.operand[c + 1])];
	const node = plan.commandNode[c], cycles = plan.commandEnd[c] - plan.commandFirst[c], s = plan.commandStep[c];
	const [, text] = CLASSES[CLASS_OF[plan.opcode[c]]];
	return [`${plan.opcode[c] < 16 ? 'DMA' : 'Compute'}: ${OPS[plan.opcode[c]]}`, list([
		['kind', text],
		['operator', node < 0 ? 'none' : opLinks(page, plan, [node])],
		['step', link(`${s}`, () => page.select({ plan, type: 'step', id: s }))],
		['from', `cycle ${count(plan.commandFirst[c])}`],
		['cycles', `${count(cycles)}${plan.chip.frequency_hz ? `, ${seconds(cycles, plan.chip)}` : ''}`],
		['writes', bufferLinks(page, plan, tensors.slice(0, 1))],
		['shape', plan.tensorShape(tensors[0])],
		['bytes', bytes(plan.commandBytes[c])],
		['reads', bufferLinks(page, plan, [...new Set(tensors.slice(1))])],
	])];
}

function usersOf(plan, t) {
	const made = new Set(), read = new Set();
	for (let k = plan.useFirst[t]; k < plan.useFirst[t + 1]; k++) {
		const c = plan.uses[k], node = plan.commandNode[c];
		if (node >= 0)
			(plan.operandTensor[plan.operand[c]] === t ? made : read).add(node);
	}
	return [[...made], [...read]];
}

function bufferDetails(page, plan, t) {
	const [made, read] = usersOf(plan, t), first = plan.tensorFirst[t], end = plan.tensorLast[t];
	const name = plan.name(plan.tensorName[t]);
	const others = (plan.byName.get(plan.tensorName[t]) || []).filter((other) => other !== t);
	const slot = plan.isScratch(t) ? '' : `, slot ${plan.tensorPlace[t] - 1}`;
	return [`Buffer ${name}`, list([
		['kind', `${plan.tensorText(t)}${plan.isScratch(t) ? `, slice ${plan.tensorSlice[t]}` : ''}`],
		['shape', plan.tensorShape(t)],
		['bytes', `${count(plan.tensorBytes[t])} (${bytes(plan.tensorBytes[t])})${plan.isScratch(t) ? ' per lane' : ''}`],
		['address', `${count(plan.tensorOffset[t])} to ${count(plan.tensorOffset[t] + plan.tensorBytes[t] - 1)} in ` +
			`${plan.tensorRegion(t)}${slot}`],
		['alive', `steps ${first} to ${end}, ${count(plan.begin[end + 1] - plan.begin[first])} cycles from ${count(plan.begin[first])}`],
		plan.tensorParent[t] !== t && ['part of', bufferLinks(page, plan, [plan.tensorParent[t]])],
		['written for', opLinks(page, plan, made)],
		['read by', opLinks(page, plan, read)],
		others.length && ['same value', [link(`${others.length} more ${others.length === 1 ? 'buffer' : 'buffers'}`, () =>
			page.select({ plan, type: 'value', id: plan.tensorName[t] }))]],
	])];
}

function opDetails(page, plan, n) {
	const before = plan.edges.filter((e) => e.to === n && e.from >= 0).map((e) => e.from);
	const behind = plan.edges.filter((e) => e.from === n && typeof e.to === 'number').map((e) => e.to);
	const made = new Map(), g = plan.nodeGroup[n];
	for (let c = 0; c < plan.numCommands; c++)
		if (plan.commandNode[c] === n && plan.opcode[c] >= 16) {
			const t = plan.operandTensor[plan.operand[c]];
			if (!made.has(plan.tensorName[t]))
				made.set(plan.tensorName[t], t);
		}
	return [`${plan.name(plan.nodeOp[n])} ${plan.nodeLabel(n)}`, list([
		['group', g < 0 ? '' : link(`group ${g + 1}`, () => page.select({ plan, type: 'group', id: g }))],
		['kind', plan.nodeClass[n] === 255 ? 'takes no commands' : CLASSES[plan.nodeClass[n]][1]],
		plan.nodeStep[n] >= 0 && ['steps', `${plan.nodeStep[n]} to ${plan.nodeEnd[n]}, ${plural(plan.nodeCommands[n], 'command')}`],
		['compute', `${count(plan.nodeCompute[n])} cycles, ${percent(plan.nodeCompute[n], plan.total)} of the time`],
		['DMA', `${count(plan.nodeDma[n])} cycles for it, ${bytes(plan.nodeMoved[n])} moved`],
		['makes', bufferLinks(page, plan, [...made.values()])],
		made.size && ['shape', [...made.values()].slice(0, 1).map((t) => plan.tensorShape(t))],
		['reads from', opLinks(page, plan, before)],
		['is read by', opLinks(page, plan, behind)],
	])];
}

function valueDetails(page, plan, name) {
	const all = plan.byName.get(name) || [];
	const large = all.reduce((a, b) => plan.tensorBytes[b] > plan.tensorBytes[a] ? b : a, all[0]);
	return [`Value ${plan.name(name)}`, list([
		['buffers', bufferLinks(page, plan, all)],
		['largest', `${plan.tensorShape(large)}, ${bytes(plan.tensorBytes[large])} in ${plan.tensorRegion(large)}`],
		['alive', `steps ${Math.min(...all.map((t) => plan.tensorFirst[t]))} to ${Math.max(...all.map((t) => plan.tensorLast[t]))}`],
	])];
}

// In a line or two, for the pointer
function tipText({ plan, type, id }) {
	switch (type) {
	case 'group':
		return `group ${id + 1}: ${plan.groupText(id)}\n${count(plan.group.cycles[id])} cycles, bound by ` +
			plan.boundNames[plan.groupBound[id]];
	case 'step':
		return `step ${id}: ${bytes(plan.alive[id])} per lane alive`;
	case 'command': {
		const node = plan.commandNode[id];
		return `${plan.commandText(id)}${node >= 0 && plan.opcode[id] < 16 ? `\nfor ${plan.nodeText(node)}` : ''}\n` +
			`${count(plan.commandEnd[id] - plan.commandFirst[id])} cycles, ${bytes(plan.commandBytes[id])}, step ${plan.commandStep[id]}`;
	}
	case 'buffer':
		return `${plan.name(plan.tensorName[id])}: ${plan.tensorText(id)}\n${plan.tensorShape(id)}, ${bytes(plan.tensorBytes[id])} at ` +
			`${count(plan.tensorOffset[id])}\nsteps ${plan.tensorFirst[id]} to ${plan.tensorLast[id]}`;
	case 'op':
		return `${plan.nodeText(id)}\n${count(plan.nodeCompute[id])} cycles of compute, ${bytes(plan.nodeMoved[id])} moved`;
	default:
		return plan.name(id);
	}
}
