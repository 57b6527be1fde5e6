// SPDX-License-Identifier: MIT
// Time from left to right: groups, both streams, bytes alive, and what lies where. All rows of all
// plans share the axis. Items thinner than a pixel are merged: a column as high as their share of
// the time, in the colour of the largest one.

const GUTTER = 118, RIGHT = 10, AXIS = 22;
const LEAST_SPAN = 8;

class Timeline {
	constructor(plans, page) {
		this.plans = plans;
		this.page = page;
		this.total = Math.max(...plans.map((plan) => plan.total * plan.scale));
		this.first = 0;
		this.end = this.total;
		this.unit = 'cycles';
		this.zoom = plans.map(() => ({ sram: [0, 1], slots: [0, 1] }));
		this.memory = plans.map((plan) => ({ sram: this.boxes(plan, true), slots: this.boxes(plan, false) }));
		this.classTime = new Float64Array(CLASSES.length + 1);
		this.surface = new Surface('Timeline of both streams, and memory over time. Arrow keys move, plus and ' +
			'minus zoom, square brackets go from command to command. The tables below say the same as text.',
		(context, width, height) => this.draw(context, width, height));
		this.stamp = new Int32Array(0);
		this.listen();
	}

	// Rectangles: [cycles], addresses from 0 at the bottom to 1, sorted by colour.
	boxes(plan, scratch) {
		const used = plan.figures.scratch_bytes, all = plan.chip.sram_bytes;
		const scale = Math.max(used > all / 2 ? all : used, 1);
		const list = [];
		for (let t = 0; t < plan.numTensors; t++)
			if (plan.isScratch(t) === scratch && plan.tensorParent[t] === t && plan.tensorLast[t] >= plan.tensorFirst[t])
				list.push(t);
		list.sort((a, b) => plan.tensorColour(a).localeCompare(plan.tensorColour(b)) || a - b);
		const boxes = { scale, tensors: Int32Array.from(list), box: new Float64Array(list.length * 4) };
		list.forEach((t, i) => {
			let low, high;
			if (scratch) {
				low = plan.tensorOffset[t] / scale;
				high = (plan.tensorOffset[t] + plan.tensorBytes[t]) / scale;
			} else {
				const slot = plan.tensorPlace[t] - 1, size = Math.max(plan.slots[slot].bytes, 1);
				const base = plan.slotBase[slot], share = plan.slotShare[slot];
				low = base + share * plan.tensorOffset[t] / size;
				high = base + share * Math.min((plan.tensorOffset[t] + plan.tensorBytes[t]) / size, 1);
			}
			boxes.box.set([plan.begin[plan.tensorFirst[t]], plan.begin[plan.tensorLast[t] + 1], low, high], i * 4);
		});
		return boxes;
	}

	// Rows from above: {plan, kind, top, height}
	layout(height) {
		const rows = [], two = this.plans.length > 1;
		const fixed = (two ? 18 : 0) + 20 + 28 + 28 + 36 + 18;
		const room = Math.max((height - AXIS) / this.plans.length - fixed, 60);
		let at = AXIS;
		this.plans.forEach((plan, i) => {
			const slots = plan.slots.length ? 0.4 : 0;
			const add = (kind, size, gap) => {
				rows.push({ plan, index: i, kind, top: at, height: size });
				at += size + gap;
			};
			if (two)
				add('title', 16, 2);
			add('groups', 18, 2);
			add('dma', 26, 2);
			add('compute', 26, 4);
			add('alive', 30, 4);
			add('sram', room * (1 - slots), 6);
			if (slots)
				add('slots', room * slots, 6);
		});
		return rows;
	}

	x(time) {
		return GUTTER + (time - this.first) * this.perCycle;
	}

	time(x) {
		return this.first + (x - GUTTER) / this.perCycle;
	}

	show(first, end) {
		const span = Math.min(Math.max(end - first, Math.min(LEAST_SPAN, this.total)), this.total);
		first = Math.min(Math.max((first + end - span) / 2, 0), this.total - span);
		this.first = first;
		this.end = first + span;
		this.surface.ask();
		this.page.changed();
	}

	zoomAt(time, factor) {
		this.show(time - (time - this.first) * factor, time + (this.end - time) * factor);
	}

	draw(context, width, height) {
		this.perCycle = Math.max(width - GUTTER - RIGHT, 10) / (this.end - this.first);
		this.right = width - RIGHT;
		this.rows = this.layout(height);
		this.drawAxis(context, width, height);
		for (const row of this.rows) {
			context.save();
			this.drawGutter(context, row);
			context.beginPath();
			context.rect(GUTTER, row.top, this.right - GUTTER, row.height);
			context.clip();
			this['draw_' + row.kind](context, row);
			context.restore();
		}
		this.drawPeaks(context);
		this.drawCursor(context, height);
	}

	drawAxis(context, width, height) {
		const chip = this.plans[0].chip;
		const tick = tickSize(90 / this.perCycle, false);
		context.fillStyle = colours.faint;
		context.strokeStyle = colours.grid;
		context.textAlign = 'right';
		context.fillText(this.unit, GUTTER - 8, 11);
		context.textAlign = 'center';
		context.beginPath();
		for (let t = Math.ceil(this.first / tick) * tick; t <= this.end; t += tick) {
			const x = Math.round(this.x(t)) + 0.5;
			context.moveTo(x, AXIS - 4);
			context.lineTo(x, height);
			if (x > GUTTER + 12 && x < width - 30)
				context.fillText(this.tickText(t, tick, chip), x, 11);
		}
		context.stroke();
	}

	tickText(t, tick, chip) {
		if (this.unit === 'cycles')
			return tick >= 1000 || t >= 1e6 ? short(t) : count(t);
		return seconds(t, chip);
	}

	drawGutter(context, row) {
		const names = { groups: 'groups', dma: 'DMA', compute: 'compute', alive: 'alive', sram: 'SRAM', slots: this.slotsName(row.plan) };
		context.textAlign = 'right';
		context.fillStyle = colours.ink;
		const middle = row.top + row.height / 2;
		if (row.kind === 'title') {
			context.textAlign = 'left';
			context.font = 'bold ' + FONT;
			context.fillText(`${'AB'[row.index]}: ${row.plan.title}, ${row.plan.chip.name}, ${row.plan.figures.grouping}`,
				8, middle);
			return;
		}
		if (row.kind !== 'sram' && row.kind !== 'slots') {
			context.fillText(names[row.kind], GUTTER - 8, middle);
			return;
		}
		context.strokeStyle = colours.line;
		context.strokeRect(GUTTER - 0.5, row.top - 0.5, this.right - GUTTER + 1, row.height + 1);
		context.textAlign = 'left';
		context.fillText(names[row.kind], 8, row.top + 7);
		context.textAlign = 'right';
		context.fillStyle = colours.faint;
		if (row.kind === 'sram')
			this.drawAddresses(context, row);
		else
			this.drawSlots(context, row);
	}

	slotsName(plan) {
		return plan.slots.every((slot) => slot.in === 'SRAM') ? 'buffers' :
			plan.slots.some((slot) => slot.in === 'DRAM') ? 'DRAM' : 'ROM';
	}

	y(row, share) {
		const [low, high] = this.zoom[row.index][row.kind];
		return row.top + row.height * (1 - (share - low) / (high - low));
	}

	drawAddresses(context, row) {
		const { scale } = this.memory[row.index].sram;
		const [low, high] = this.zoom[row.index].sram;
		const tick = tickSize(scale * (high - low) * 20 / row.height, true);
		let named = row.top + 16;
		for (let at = Math.floor(high * scale / tick) * tick; at >= low * scale; at -= tick) {
			const y = this.y(row, at / scale);
			if (y < named || y > row.top + row.height)
				continue;
			context.fillText(bytes(at), GUTTER - 8, Math.min(y, row.top + row.height - 5));
			named = y + 12;
		}
	}

	drawSlots(context, row) {
		let last = row.top + row.height + 12;
		for (const slot of row.plan.slotOrder) {
			const low = this.y(row, row.plan.slotBase[slot]);
			const high = this.y(row, row.plan.slotBase[slot] + row.plan.slotShare[slot]);
			let middle = (Math.max(high, row.top) + Math.min(low, row.top + row.height)) / 2;
			// the name of the row is above
			if (middle < row.top + 18 && middle > row.top)
				middle = Math.min(row.top + 18, low + 4);
			if (high > row.top && high < row.top + row.height) {
				context.fillStyle = colours.grid;
				context.fillRect(GUTTER, high, this.right - GUTTER, 1);
			}
			if (middle > last - 11 || middle < row.top + 16 || low < row.top || high > row.top + row.height)
				continue;
			context.fillStyle = colours.faint;
			context.fillText(`${SLOTS[row.plan.slots[slot].kind][1]} ${bytes(row.plan.slots[slot].bytes)}`,
				GUTTER - 6, middle);
			last = middle;
		}
	}

	draw_title() {
	}

	draw_groups(context, row) {
		const { plan } = row;
		for (let g = 0; g < plan.numGroups; g++) {
			const a = this.x(plan.begin[plan.groupStep[g]] * plan.scale);
			const b = this.x(plan.begin[Math.min(plan.groupStep[g] + plan.groupSteps[g], plan.numSteps)] * plan.scale);
			if (b < GUTTER || a > this.right || b - a < 0.3)
				continue;
			const on = !plan.marks || plan.marks.groups[g];
			context.globalAlpha = on ? 1 : 0.35;
			context.fillStyle = colours.band;
			context.fillRect(a, row.top, b - a, row.height);
			context.strokeStyle = plan.marks && on ? colours.accent : colours.line;
			if (b - a > 2)
				context.strokeRect(Math.round(a) + 0.5, row.top + 0.5, Math.round(b - a) - 1, row.height - 1);
			context.fillStyle = colours.ink;
			this.label(context, `${g + 1}`, a, b, row, `${g + 1}: ${plan.groupText(g)}`, fitHead);
		}
		context.globalAlpha = 1;
	}

	// In the part of a box that is visible: the long text, or the short one, or nothing.
	label(context, text, a, b, row, long, fit) {
		const left = Math.max(a, GUTTER), right = Math.min(b, this.right);
		if (right - left < 14)
			return;
		const fits = textWidth(context, long || text) <= right - left - 8;
		const said = fits ? long || text : textWidth(context, text) <= right - left - 4 ? text : '';
		const tail = !fits && long && right - left > 90 ? (fit || fitText)(context, long, right - left - 8) : '';
		context.textAlign = 'center';
		if (said || tail)
			context.fillText(tail || said, (left + right) / 2, row.top + row.height / 2 + 0.5);
	}

	draw_dma(context, row) {
		this.drawStream(context, row, 0);
	}

	draw_compute(context, row) {
		this.drawStream(context, row, 1);
	}

	drawStream(context, row, stream) {
		const { plan } = row, commands = plan.streams[stream], time = this.classTime;
		const marks = plan.marks && plan.marks.commands;
		let i = lowerBound(commands.length, (k) => plan.commandEnd[commands[k]] * plan.scale > this.first);
		let bucket = -1, marked = false;
		context.fillStyle = colours.back;
		context.fillRect(GUTTER, row.top, this.right - GUTTER, row.height);
		const flush = () => {
			if (bucket < 0)
				return;
			let most = 0, sum = 0;
			for (let k = 0; k < CLASSES.length; k++) {
				sum += time[k];
				if (time[k] > time[most])
					most = k;
			}
			const high = Math.min(Math.max(sum * plan.scale * this.perCycle, 0.12), 1) * row.height;
			context.globalAlpha = marks && !marked ? 0.3 : 1;
			context.fillStyle = colours[CLASSES[most][0]];
			context.fillRect(bucket, row.top + row.height - high, 1, high);
			time.fill(0);
			bucket = -1;
			marked = false;
		};
		for (; i < commands.length; i++) {
			const c = commands[i];
			const a = this.x(plan.commandFirst[c] * plan.scale), b = this.x(plan.commandEnd[c] * plan.scale);
			if (a > this.right)
				break;
			const kind = CLASS_OF[plan.opcode[c]];
			if (b - a < 1.6) {
				if (Math.floor(a) !== bucket) {
					flush();
					bucket = Math.floor(a);
				}
				time[kind] += plan.commandEnd[c] - plan.commandFirst[c];
				marked = marked || (marks && marks[c]);
				continue;
			}
			flush();
			context.globalAlpha = marks && !marks[c] ? 0.3 : 1;
			context.fillStyle = colours[CLASSES[kind][0]];
			context.fillRect(a, row.top, b - a - (b - a > 4 ? 0.7 : 0), row.height);
			if (b - a > 16) {
				context.globalAlpha = marks && !marks[c] ? 0.5 : 1;
				context.fillStyle = marks && !marks[c] ? colours.ink : colours.label;
				this.label(context, this.commandShort(plan, c), a, b, row, plan.commandText(c));
			}
		}
		flush();
		context.globalAlpha = 1;
		this.drawChosen(context, row, commands);
	}

	commandShort(plan, c) {
		const node = plan.commandNode[c];
		return plan.opcode[c] < 16 || node < 0 ? OPS[plan.opcode[c]] : plan.name(plan.nodeOp[node]);
	}

	drawChosen(context, row, commands) {
		const chosen = this.page.selection;
		if (!chosen || chosen.plan !== row.plan || chosen.type !== 'command' || !commands.includes(chosen.id))
			return;
		const a = this.x(row.plan.commandFirst[chosen.id] * row.plan.scale);
		const b = this.x(row.plan.commandEnd[chosen.id] * row.plan.scale);
		context.strokeStyle = colours.ink;
		context.lineWidth = 2;
		context.strokeRect(a, row.top + 1, Math.max(b - a, 3), row.height - 2);
		context.lineWidth = 1;
	}

	draw_alive(context, row) {
		const { plan } = row, all = Math.max(plan.peakBytes, 1), { scale } = plan;
		const bottom = row.top + row.height;
		context.fillStyle = colours.back;
		context.fillRect(GUTTER, row.top, this.right - GUTTER, row.height);
		context.fillStyle = colours.rows;
		let s = Math.max(plan.stepAt(this.first / scale), 0), from = this.x(plan.begin[s] * scale), most = 0;
		for (; s < plan.numSteps; s++) {
			const end = this.x(plan.begin[s + 1] * scale);
			most = Math.max(most, plan.alive[s]);
			if (end - from >= 1 || s === plan.numSteps - 1) {
				const high = most / all * row.height;
				context.fillRect(from, bottom - high, end - from + 0.3, high);
				from = end;
				most = 0;
			}
			if (from > this.right)
				break;
		}
	}

	draw_sram(context, row) {
		const { plan } = row;
		context.fillStyle = colours.back;
		context.fillRect(GUTTER, row.top, this.right - GUTTER, row.height);
		const banks = plan.chip.sram_sub_banks, { scale } = this.memory[row.index].sram;
		const size = (plan.chip.sram_bytes + plan.chip.sram_reserved_bytes) / Math.max(banks, 1);
		context.strokeStyle = colours.line;
		context.setLineDash([2, 5]);
		context.beginPath();
		const apart = Math.abs(this.y(row, size / scale) - this.y(row, 0));
		for (let i = 1; i < banks && apart > 10; i++) {
			const at = i * size - plan.chip.sram_reserved_bytes;
			if (at > 0 && at < scale) {
				const y = Math.round(this.y(row, at / scale)) + 0.5;
				context.moveTo(GUTTER, y);
				context.lineTo(this.right, y);
			}
		}
		context.stroke();
		context.setLineDash([]);
		this.drawBoxes(context, row);
	}

	draw_slots(context, row) {
		this.drawBoxes(context, row);
	}

	// Small rectangles that fall on the same pixels are drawn once.
	drawBoxes(context, row) {
		const { plan } = row, { tensors, box } = this.memory[row.index][row.kind];
		const marks = plan.marks && plan.marks.tensors, { scale } = plan;
		const wide = Math.ceil(this.right) + 1, tall = Math.ceil(row.top + row.height) + 1;
		if (this.stamp.length < wide * tall)
			this.stamp = new Int32Array(wide * tall);
		const frame = this.stampFrame = (this.stampFrame || 0) + 1;
		const texts = [];
		let colour = '';
		for (let i = 0; i < tensors.length; i++) {
			const a = Math.max(this.x(box[i * 4] * scale), GUTTER);
			const b = Math.min(this.x(box[i * 4 + 1] * scale), this.right);
			if (b < GUTTER || a > this.right || b < a)
				continue;
			const low = Math.min(this.y(row, box[i * 4 + 2]), row.top + row.height);
			const high = Math.max(this.y(row, box[i * 4 + 3]), row.top);
			if (low < row.top || high > row.top + row.height)
				continue;
			const w = Math.max(b - a, 0.6), h = Math.max(low - high, 0.6);
			const t = tensors[i], on = !marks || marks[t];
			if (w * h < 4 && (!marks || !on)) {
				const key = Math.floor(high) * wide + Math.floor(a);
				if (this.stamp[key] === frame)
					continue;
				this.stamp[key] = frame;
			}
			const name = plan.tensorColour(t);
			if (name !== colour) {
				context.fillStyle = colours[name];
				colour = name;
			}
			context.globalAlpha = on ? 1 : 0.25;
			context.fillRect(a, high, w - (w > 4 ? 0.6 : 0), h - (h > 4 ? 0.6 : 0));
			if (w > 40 && h > 11)
				texts.push([t, a, w, high + h / 2, on]);
		}
		this.drawBoxTexts(context, plan, texts);
		this.drawMarked(context, row);
	}

	drawBoxTexts(context, plan, texts) {
		context.textAlign = 'center';
		for (const [t, a, w, y, on] of texts.slice(0, 1500)) {
			context.globalAlpha = on ? 1 : 0.4;
			context.fillStyle = on ? colours.label : colours.ink;
			const said = fitText(context, plan.name(plan.tensorName[t]), w - 6);
			if (said)
				context.fillText(said, a + w / 2, y + 0.5);
		}
		context.globalAlpha = 1;
	}

	drawMarked(context, row) {
		const { plan } = row, { tensors, box } = this.memory[row.index][row.kind];
		if (!plan.marks || !plan.marks.chosen.size)
			return;
		context.strokeStyle = colours.ink;
		context.lineWidth = 1.5;
		for (let i = 0; i < tensors.length; i++) {
			if (!plan.marks.chosen.has(tensors[i]))
				continue;
			const a = this.x(box[i * 4] * plan.scale), b = this.x(box[i * 4 + 1] * plan.scale);
			const low = this.y(row, box[i * 4 + 2]), high = this.y(row, box[i * 4 + 3]);
			context.strokeRect(a, high, Math.max(b - a, 2), Math.max(low - high, 2));
		}
		context.lineWidth = 1;
	}

	// Where most of the SRAM is alive: a line through both rows, named above.
	drawPeaks(context) {
		for (const row of this.rows) {
			const { plan } = row;
			if (row.kind !== 'alive' || !plan.peakBytes)
				continue;
			const a = this.x(plan.begin[plan.peakStep] * plan.scale);
			const b = this.x(plan.begin[plan.peakEnd + 1] * plan.scale);
			const sram = this.rows[this.rows.indexOf(row) + 1];
			if (b < GUTTER || a > this.right)
				continue;
			const left = Math.max(a, GUTTER), right = Math.min(Math.max(b, a + 1.5), this.right);
			context.fillStyle = colours.mark;
			context.globalAlpha = 0.3;
			context.fillRect(left, row.top, right - left, row.height);
			context.globalAlpha = 1;
			context.fillRect(left, row.top, right - left, 1.5);
			context.fillRect(left, row.top, 1.5, sram.top + sram.height - row.top);
			context.fillRect(right - 1, row.top, 1, sram.top + sram.height - row.top);
			const text = `peak ${bytes(plan.peakBytes)}`, wide = textWidth(context, text) + 8;
			const x = Math.min(Math.max(left + 3, GUTTER), this.right - wide);
			context.fillStyle = colours.page;
			context.globalAlpha = 0.85;
			context.fillRect(x, row.top + 1, wide, 14);
			context.globalAlpha = 1;
			context.fillStyle = colours.mark;
			context.textAlign = 'left';
			context.fillText(text, x + 4, row.top + 8.5);
		}
	}

	drawCursor(context, height) {
		if (this.cursor === undefined || this.cursor < GUTTER || this.cursor > this.right)
			return;
		context.fillStyle = colours.faint;
		context.globalAlpha = 0.5;
		context.fillRect(Math.round(this.cursor), AXIS, 1, height - AXIS);
		context.globalAlpha = 1;
	}

	// ---- what is under the pointer

	rowAt(y) {
		return (this.rows || []).find((row) => y >= row.top && y < row.top + row.height);
	}

	at(x, y) {
		const row = this.rowAt(y);
		if (!row || x < GUTTER - 2 || x > this.right + 2)
			return null;
		const { plan } = row, cycle = this.time(x) / plan.scale, near = 1.5 / this.perCycle / plan.scale;
		if (row.kind === 'groups')
			return plan.numGroups ? { plan, type: 'group', id: plan.groupOfStep(plan.stepAt(cycle)) } : null;
		if (row.kind === 'alive')
			return { plan, type: 'step', id: plan.stepAt(cycle) };
		if (row.kind === 'dma' || row.kind === 'compute') {
			const commands = plan.streams[row.kind === 'dma' ? 0 : 1];
			const i = lowerBound(commands.length, (k) => plan.commandEnd[commands[k]] > cycle - near);
			return i < commands.length && plan.commandFirst[commands[i]] <= cycle + near ?
				{ plan, type: 'command', id: commands[i] } : null;
		}
		return row.kind === 'title' ? null : this.boxAt(row, x, y);
	}

	boxAt(row, x, y) {
		const { tensors, box } = this.memory[row.index][row.kind], { scale } = row.plan;
		let best = -1, least = Infinity;
		for (let i = 0; i < tensors.length; i++) {
			const a = this.x(box[i * 4] * scale), b = this.x(box[i * 4 + 1] * scale);
			if (x < a - 1.5 || x > b + 1.5)
				continue;
			const low = this.y(row, box[i * 4 + 2]), high = this.y(row, box[i * 4 + 3]);
			if (y < high - 1.5 || y > low + 1.5)
				continue;
			const size = (b - a) * (low - high);
			if (size < least) {
				least = size;
				best = tensors[i];
			}
		}
		return best < 0 ? null : { plan: row.plan, type: 'buffer', id: best };
	}

	// Time and addresses of a thing
	spanOf({ plan, type, id }) {
		const of = (a, b) => [a * plan.scale, b * plan.scale];
		switch (type) {
		case 'group':
			return of(plan.begin[plan.groupStep[id]],
				plan.begin[Math.min(plan.groupStep[id] + plan.groupSteps[id], plan.numSteps)]);
		case 'step':
			return of(plan.begin[id], plan.begin[id + 1]);
		case 'command':
			return of(plan.commandFirst[id], plan.commandEnd[id]);
		case 'buffer':
			return of(plan.begin[plan.tensorFirst[id]], plan.begin[plan.tensorLast[id] + 1]);
		case 'op':
			return plan.nodeStep[id] < 0 ? null : of(plan.begin[plan.nodeStep[id]], plan.begin[plan.nodeEnd[id] + 1]);
		default: {
			const all = plan.byName.get(id) || [];
			return all.length ? of(plan.begin[Math.min(...all.map((t) => plan.tensorFirst[t]))],
				plan.begin[Math.max(...all.map((t) => plan.tensorLast[t])) + 1]) : null;
		}
		}
	}

	zoomTo(thing) {
		const span = this.spanOf(thing);
		if (!span)
			return;
		const margin = Math.max((span[1] - span[0]) * 0.15, LEAST_SPAN / 2);
		this.show(span[0] - margin, span[1] + margin);
	}

	zoomAddresses(row, share, factor) {
		const zoom = this.zoom[row.index][row.kind];
		let low = share - (share - zoom[0]) * factor, high = share + (zoom[1] - share) * factor;
		const span = Math.min(Math.max(high - low, 1e-4), 1);
		low = Math.min(Math.max(low, 0), 1 - span);
		high = low + span;
		this.zoom[row.index][row.kind] = [low, high];
		this.surface.ask();
		this.page.changed();
	}

	// ---- mouse and keyboard

	listen() {
		const { canvas } = this.surface;
		canvas.addEventListener('wheel', (event) => {
			event.preventDefault();
			const [dx, dy] = this.surface.turned(event), factor = Math.exp(Math.max(-1, Math.min(1, dy / 300)));
			const row = this.rowAt(event.offsetY);
			if (event.shiftKey && row && (row.kind === 'sram' || row.kind === 'slots')) {
				const [low, high] = this.zoom[row.index][row.kind];
				const by = dy ? factor : Math.exp(dx / 300);
				this.zoomAddresses(row, high - (event.offsetY - row.top) / row.height * (high - low), by);
				return;
			}
			if (Math.abs(dx) > Math.abs(dy))
				this.pan(dx / this.perCycle);
			else
				this.zoomAt(this.time(event.offsetX), factor);
		}, { passive: false });
		canvas.addEventListener('pointerdown', (event) => this.press(event));
		canvas.addEventListener('pointermove', (event) => this.move(event));
		canvas.addEventListener('pointerup', (event) => this.release(event));
		canvas.addEventListener('pointerleave', () => {
			this.cursor = undefined;
			this.page.tip(null);
			this.surface.ask();
		});
		canvas.addEventListener('dblclick', (event) => {
			const thing = this.at(event.offsetX, event.offsetY);
			if (thing)
				this.zoomTo(thing);
		});
		canvas.addEventListener('keydown', (event) => this.key(event));
	}

	pan(cycles) {
		const by = Math.min(Math.max(cycles, -this.first), this.total - this.end);
		this.show(this.first + by, this.end + by);
	}

	press(event) {
		if (event.button)
			return;
		this.drag = { x: event.offsetX, y: event.offsetY, first: this.first, end: this.end, moved: false,
			row: this.rowAt(event.offsetY) };
		const { row } = this.drag;
		if (row && this.zoom[row.index][row.kind])
			this.drag.zoom = this.zoom[row.index][row.kind];
		this.surface.canvas.setPointerCapture(event.pointerId);
	}

	move(event) {
		const { drag } = this;
		if (!drag) {
			this.cursor = event.offsetX;
			this.page.tip(this.at(event.offsetX, event.offsetY), event);
			this.surface.ask();
			return;
		}
		if (!drag.moved && Math.hypot(event.offsetX - drag.x, event.offsetY - drag.y) < 4)
			return;
		drag.moved = true;
		this.page.tip(null);
		const by = Math.min(Math.max((drag.x - event.offsetX) / this.perCycle, -drag.first), this.total - drag.end);
		this.show(drag.first + by, drag.end + by);
		if (drag.zoom && drag.zoom[1] - drag.zoom[0] < 1) {
			const size = drag.zoom[1] - drag.zoom[0];
			const low = Math.min(Math.max(drag.zoom[0] + (event.offsetY - drag.y) / drag.row.height * size, 0), 1 - size);
			this.zoom[drag.row.index][drag.row.kind] = [low, low + size];
		}
	}

	release(event) {
		const { drag } = this;
		this.drag = null;
		if (drag && !drag.moved)
			this.page.select(this.at(event.offsetX, event.offsetY));
	}

	key(event) {
		const step = (this.end - this.first) * 0.12;
		const keys = {
			ArrowLeft: () => this.pan(-step),
			ArrowRight: () => this.pan(step),
			ArrowUp: () => this.zoomBy(0.7),
			ArrowDown: () => this.zoomBy(1 / 0.7),
			'+': () => this.zoomBy(0.7),
			'=': () => this.zoomBy(0.7),
			'-': () => this.zoomBy(1 / 0.7),
			Home: () => this.pan(-this.total),
			End: () => this.pan(this.total),
			0: () => this.whole(),
			']': () => this.next(1),
			'[': () => this.next(-1),
			Enter: () => this.page.selection && this.zoomTo(this.page.selection),
		};
		if (!keys[event.key] || event.ctrlKey || event.altKey || event.metaKey)
			return;
		event.preventDefault();
		keys[event.key]();
	}

	zoomBy(factor) {
		this.zoomAt((this.first + this.end) / 2, factor);
	}

	whole() {
		this.zoom = this.plans.map(() => ({ sram: [0, 1], slots: [0, 1] }));
		this.show(0, this.total);
	}

	// The command before or behind the one that is selected, of its stream; else the first visible.
	next(by) {
		const chosen = this.page.selection, plan = chosen ? chosen.plan : this.page.plan;
		const of = chosen && chosen.type === 'command' && plan.opcode[chosen.id] < 16 ? 0 : 1;
		const commands = plan.streams[of].length ? plan.streams[of] : plan.streams[0];
		if (!commands.length)
			return;
		let i = chosen && chosen.type === 'command' ? commands.indexOf(chosen.id) + by :
			lowerBound(commands.length, (k) => plan.commandFirst[commands[k]] * plan.scale >= this.first);
		i = Math.min(Math.max(i, 0), commands.length - 1);
		this.page.select({ plan, type: 'command', id: commands[i] });
		const [a, b] = this.spanOf(this.page.selection);
		if (a < this.first || b > this.end)
			this.pan((a + b) / 2 - (this.first + this.end) / 2);
	}
}
