// SPDX-License-Identifier: MIT
// Operators and what flows between them, inside of their groups. From far away a group is one box;
// from nearer it has its operators in it, by colour; when they can be read, they have names.

const OP_WIDTH = 150, OP_HEIGHT = 36, END_HEIGHT = 24, GROUP_PAD = 14, GROUP_HEAD = 30;
// Below NEAR, names of operators cannot be read; below MIDDLE, operators cannot be told apart.
const NEAR = 0.62, MIDDLE = 0.1;

// Boxes of a plan in its own coordinates: groups with their operators, inputs and outputs.
class Drawing {
	constructor(plan) {
		this.plan = plan;
		this.items = [];
		this.itemOf = new Map();
		this.boxOf = new Map();
		const inside = new Map();
		for (let g = 0; g < plan.numGroups; g++)
			this.addGroup(g);
		plan.inputs.forEach((t) => this.addEnd('input', t, -1 - t));
		plan.outputs.forEach((t) => this.addEnd('output', t, 'y' + t));
		// inputs come first and outputs last: arrows lead from lower to higher numbers
		const rank = { input: 0, group: 1, output: 2 };
		this.items.sort((a, b) => rank[a.type] - rank[b.type] || a.id - b.id);
		this.items.forEach((item, i) => item.keys.forEach((key) => this.itemOf.set(key, i)));
		for (const edge of plan.edges) {
			const a = this.itemOf.get(edge.from), b = this.itemOf.get(edge.to);
			if (a === undefined || b === undefined)
				continue;
			if (a === b)
				inside.set(a, [...inside.get(a) || [], edge]);
		}
		this.items.forEach((item, i) => item.type === 'group' && this.layGroup(item, inside.get(i) || []));
		this.layItems();
	}

	addGroup(g) {
		const { plan } = this, nodes = [];
		for (let n = plan.groupFirst[g]; n <= plan.groupLast[g]; n++)
			if (plan.nodeCommands[n])
				nodes.push(n);
		if (nodes.length)
			this.items.push({ type: 'group', id: g, nodes, keys: nodes });
	}

	addEnd(type, tensor, key) {
		this.items.push({ type, id: tensor, nodes: [], keys: [key], width: OP_WIDTH, height: END_HEIGHT });
	}

	layGroup(item, edges) {
		const place = new Map(item.nodes.map((n, i) => [n, i]));
		const flat = edges.map((edge) => [place.get(edge.from), place.get(edge.to), edge]).filter(([a, b]) => a < b);
		const made = layered(item.nodes.map(() => [OP_WIDTH, OP_HEIGHT]), flat, 1.3);
		const alone = item.nodes.length === 1;
		item.head = alone ? 0 : GROUP_HEAD;
		item.pad = alone ? 4 : GROUP_PAD;
		item.width = made.width + 2 * item.pad;
		item.height = made.height + 2 * item.pad + item.head;
		item.centres = made.centres;
		item.edges = flat.map(([, , edge], i) => ({ edge, bends: made.bends[i] }));
	}

	layItems() {
		const pairs = new Map();
		this.far = [];
		for (const edge of this.plan.edges) {
			const a = this.itemOf.get(edge.from), b = this.itemOf.get(edge.to);
			if (a === undefined || b === undefined || a >= b)
				continue;
			const key = a * this.items.length + b;
			if (!pairs.has(key))
				pairs.set(key, { a, b, edges: [] });
			pairs.get(key).edges.push(edge);
		}
		const list = [...pairs.values()];
		const made = layered(this.items.map((item) => [item.width, item.height]), list.map(({ a, b }) => [a, b]), 2.1);
		this.width = made.width;
		this.height = made.height;
		this.items.forEach((item, i) => {
			[item.x, item.y] = made.centres[i];
			item.left = item.x - item.width / 2;
			item.top = item.y - item.height / 2;
			item.nodes.forEach((n, k) => this.boxOf.set(n, {
				x: item.left + item.pad + item.centres[k][0], y: item.top + item.pad + item.head + item.centres[k][1],
				w: OP_WIDTH, h: OP_HEIGHT, item: i,
			}));
			if (item.type !== 'group')
				this.boxOf.set(item.keys[0], { x: item.x, y: item.y, w: item.width, h: item.height, item: i });
		});
		list.forEach((pair, i) => { pair.bends = made.bends[i]; });
		this.far = list;
		this.routes = [];
		for (const item of this.items)
			for (const { edge, bends } of item.edges || [])
				this.route(edge, bends.map(([x, y]) => [x + item.left + item.pad, y + item.top + item.pad + item.head]));
		for (const pair of list)
			for (const edge of pair.edges)
				this.route(edge, pair.bends);
	}

	route(edge, bends) {
		const a = this.boxOf.get(edge.from), b = this.boxOf.get(edge.to);
		const points = [[a.x, a.y + a.h / 2], ...bends, [b.x, b.y - b.h / 2]];
		this.routes.push({ edge, points, box: boundsOf(points) });
	}
}

function boundsOf(points) {
	const xs = points.map((p) => p[0]), ys = points.map((p) => p[1]);
	return [Math.min(...xs) - 40, Math.min(...ys) - 40, Math.max(...xs) + 40, Math.max(...ys) + 40];
}

class Graph {
	constructor(page) {
		this.page = page;
		this.drawings = new Map();
		this.view = null;
		this.surface = new Surface('Graph of groups and operators. Arrow keys move, plus and minus zoom, zero ' +
			'shows all. The table of operators says the same as text.', (context, width, height) =>
			this.draw(context, width, height));
		this.listen();
	}

	drawing() {
		const { plan } = this.page;
		if (!this.drawings.has(plan))
			this.drawings.set(plan, new Drawing(plan));
		return this.drawings.get(plan);
	}

	fit() {
		const d = this.drawing(), { width, height } = this.surface;
		const scale = Math.min((width - 30) / d.width, (height - 30) / (d.height + 60), 1.4);
		this.view = { x: d.width / 2, y: d.height / 2, scale };
		this.surface.ask();
	}

	draw(context, width, height) {
		const d = this.drawing();
		if (!this.view || this.shown !== d) {
			this.shown = d;
			const { wanted } = this;
			this.wanted = null;
			this.fit();
			if (wanted)
				this.goto(wanted.node, wanted.scale);
		}
		const { x, y, scale } = this.view;
		context.save();
		context.translate(width / 2, height / 2);
		context.scale(scale, scale);
		context.translate(-x, -y);
		const seen = [x - width / 2 / scale, y - height / 2 / scale, x + width / 2 / scale, y + height / 2 / scale];
		if (scale > MIDDLE)
			this.drawNear(context, d, seen, scale);
		else
			this.drawFar(context, d, seen, scale);
		context.restore();
	}

	visible(seen, left, top, right, bottom) {
		return left < seen[2] && right > seen[0] && top < seen[3] && bottom > seen[1];
	}

	drawNear(context, d, seen, scale) {
		const { plan } = d, { marks } = plan;
		for (const item of d.items)
			if (item.type === 'group' && item.nodes.length > 1 &&
			    this.visible(seen, item.left, item.top, item.left + item.width, item.top + item.height))
				this.drawBand(context, plan, item, scale);
		context.lineWidth = Math.max(1.2, 0.7 / scale);
		for (const { edge, points, box } of d.routes) {
			if (!this.visible(seen, ...box))
				continue;
			const on = marks && (marks.values.size ? marks.values.has(plan.tensorName[edge.tensor]) :
				marks.nodes[edge.from] || marks.nodes[edge.to]);
			context.strokeStyle = on ? colours.accent : colours.faint;
			context.globalAlpha = on ? 1 : marks ? 0.3 : 0.65;
			this.curve(context, points, scale > 0.3);
		}
		context.globalAlpha = 1;
		context.textAlign = 'left';
		for (const item of d.items) {
			if (!this.visible(seen, item.left, item.top, item.left + item.width, item.top + item.height))
				continue;
			if (item.type !== 'group')
				this.drawEnd(context, plan, item, scale);
			for (const n of item.nodes) {
				const box = d.boxOf.get(n);
				if (this.visible(seen, box.x - box.w / 2, box.y - box.h / 2, box.x + box.w / 2, box.y + box.h / 2))
					this[scale > NEAR ? 'drawNode' : 'drawSpot'](context, plan, n, box, scale);
			}
		}
		context.globalAlpha = 1;
		if (scale <= NEAR)
			this.drawPills(context, d, seen, scale);
	}

	// Text of the size that it has on the screen, whatever the scale is.
	screenFont(context, scale, size) {
		context.font = FONT.replace('11px', `${(size || 11) / scale}px`);
		return (text) => {
			const font = context.font;
			context.font = FONT;
			const width = textWidth(context, text) * (size || 11) / 11 / scale;
			context.font = font;
			return width;
		};
	}

	drawSpot(context, plan, n, box, scale) {
		const { marks } = plan, left = box.x - box.w / 2, top = box.y - box.h / 2;
		context.globalAlpha = marks && !marks.nodes[n] ? 0.3 : 1;
		context.fillStyle = colours[CLASSES[plan.nodeClass[n]][0]];
		context.fillRect(left, top, box.w, box.h);
		if (marks && marks.nodes[n]) {
			context.strokeStyle = colours.accent;
			context.lineWidth = 2 / scale;
			context.strokeRect(left, top, box.w, box.h);
		}
		if (box.h * scale < 12)
			return;
		const measure = this.screenFont(context, scale, 10), text = plan.name(plan.nodeOp[n]);
		if (measure(text) < box.w - 6 / scale) {
			context.fillStyle = colours.label;
			context.textAlign = 'center';
			context.fillText(text, box.x, box.y + 0.5 / scale);
			context.textAlign = 'left';
		}
		context.font = FONT;
	}

	// Names of groups, where there is room, over what is in them.
	drawPills(context, d, seen, scale) {
		const { plan } = d, measure = this.screenFont(context, scale);
		context.textAlign = 'center';
		for (const item of d.items) {
			if (item.type !== 'group' || item.nodes.length < 2 || item.height * scale < 40 ||
			    !this.visible(seen, item.left, item.top, item.left + item.width, item.top + item.height))
				continue;
			const g = item.id, share = percent(plan.group.cycles[g], plan.total);
			const said = [`group ${g + 1}: ${item.nodes.length} operators, ${share}`, `group ${g + 1}: ${share}`, `${g + 1}`]
				.find((text) => measure(text) < item.width - 8 / scale);
			if (!said)
				continue;
			const w = measure(said) + 10 / scale, h = 15 / scale, y = item.top;
			const on = !plan.marks || plan.marks.groups[g];
			context.globalAlpha = on ? 0.9 : 0.5;
			context.fillStyle = colours.page;
			context.fillRect(item.x - w / 2, y - h / 2, w, h);
			context.fillStyle = colours.ink;
			context.fillText(said, item.x, y + 0.5 / scale);
		}
		context.globalAlpha = 1;
		context.font = FONT;
	}

	drawBand(context, plan, item, scale) {
		const on = !plan.marks || plan.marks.groups[item.id], g = item.id;
		context.fillStyle = colours.band;
		context.fillRect(item.left, item.top, item.width, item.height);
		context.strokeStyle = plan.marks && on ? colours.accent : colours.line;
		context.lineWidth = Math.max(1, 1 / scale);
		context.strokeRect(item.left, item.top, item.width, item.height);
		if (scale <= NEAR)
			return;
		context.fillStyle = colours.faint;
		context.textAlign = 'left';
		const text = `group ${g + 1}: ${short(plan.group.cycles[g])} cycles, ${plan.boundNames[plan.groupBound[g]]}`;
		const said = textWidth(context, text) <= item.width - 12 ? text : `group ${g + 1}`;
		context.fillText(said, item.left + 8, item.top + 16);
	}

	curve(context, points, arrow) {
		context.beginPath();
		context.moveTo(...points[0]);
		for (let i = 1; i < points.length; i++) {
			const [ax, ay] = points[i - 1], [bx, by] = points[i];
			// up means: in the gap between two columns
			if (by < ay && ax === bx) {
				context.lineTo(bx, by);
				continue;
			}
			const before = i > 1 && points[i - 2][0] === ax && points[i - 2][1] > ay ? -1 : 1;
			const behind = i + 1 < points.length && points[i + 1][0] === bx && points[i + 1][1] < by ? -1 : 1;
			const pull = Math.max(Math.abs(by - ay) / 2, 8), turn = Math.min(pull, 24);
			context.bezierCurveTo(ax, before > 0 ? ay + pull : ay - turn, bx, behind > 0 ? by - pull : by + turn, bx, by);
		}
		context.stroke();
		if (!arrow)
			return;
		const [x, y] = points[points.length - 1];
		context.fillStyle = context.strokeStyle;
		context.beginPath();
		context.moveTo(x, y);
		context.lineTo(x - 3.5, y - 7);
		context.lineTo(x + 3.5, y - 7);
		context.fill();
	}

	drawEnd(context, plan, item, scale) {
		const on = !plan.marks || plan.marks.tensors[item.id];
		context.globalAlpha = on ? 1 : 0.4;
		context.fillStyle = colours.ends;
		context.beginPath();
		context.roundRect(item.left, item.top, item.width, item.height, 12);
		context.fill();
		if (scale <= NEAR) {
			const measure = this.screenFont(context, scale, 10);
			context.fillStyle = colours.label;
			context.textAlign = 'center';
			if (item.height * scale >= 10 && measure(item.type) < item.width)
				context.fillText(item.type, item.x, item.y);
			context.font = FONT;
			return;
		}
		context.fillStyle = colours.label;
		context.textAlign = 'center';
		const name = plan.name(plan.tensorName[item.id]), long = `${item.type} ${name}`, room = item.width - 16;
		context.fillText(textWidth(context, long) <= room ? long : fitText(context, name, room), item.x, item.y + 0.5);
		context.textAlign = 'left';
		context.globalAlpha = 1;
	}

	drawNode(context, plan, n, box) {
		const { marks } = plan, left = box.x - box.w / 2, top = box.y - box.h / 2;
		context.fillStyle = colours.page;
		context.fillRect(left, top, box.w, box.h);
		context.globalAlpha = marks && !marks.nodes[n] ? 0.4 : 1;
		context.fillStyle = colours[CLASSES[plan.nodeClass[n]][0]];
		context.fillRect(left, top, 6, box.h);
		context.strokeStyle = marks && marks.nodes[n] ? colours.accent : colours.line;
		context.lineWidth = marks && marks.nodes[n] ? 2 : 1;
		context.strokeRect(left, top, box.w, box.h);
		context.fillStyle = colours.ink;
		const share = percent(plan.nodeCompute[n], plan.total);
		const used = textWidth(context, share);
		context.fillText(fitText(context, plan.name(plan.nodeOp[n]), box.w - used - 26), left + 12, top + 11);
		context.fillStyle = colours.faint;
		context.fillText(share, left + box.w - used - 6, top + 11);
		context.fillText(fitText(context, plan.nodeLabel(n), box.w - 20), left + 12, top + 26);
		context.globalAlpha = 1;
	}

	drawFar(context, d, seen, scale) {
		const { plan } = d, { marks } = plan;
		context.lineWidth = Math.max(1, 0.8 / scale);
		context.strokeStyle = colours.faint;
		for (const pair of d.far) {
			const a = d.items[pair.a], b = d.items[pair.b];
			context.globalAlpha = 0.5;
			this.curve(context, [[a.x, a.top + a.height], ...pair.bends, [b.x, b.top]], false);
		}
		context.globalAlpha = 1;
		const size = 11 / scale;
		context.font = FONT.replace('11px', `${size}px`);
		context.textAlign = 'center';
		for (const item of d.items) {
			if (!this.visible(seen, item.left, item.top, item.left + item.width, item.top + item.height))
				continue;
			const on = !marks || (item.type === 'group' ? marks.groups[item.id] : marks.tensors[item.id]);
			context.globalAlpha = on ? 1 : 0.3;
			context.fillStyle = colours[item.type === 'group' ? this.groupColour(plan, item) : 'ends'];
			context.fillRect(item.left, item.top, item.width, item.height);
			if (marks && on) {
				context.strokeStyle = colours.accent;
				context.lineWidth = 2.5 / scale;
				context.strokeRect(item.left, item.top, item.width, item.height);
			}
			this.farText(context, plan, item, size, scale);
		}
		context.globalAlpha = 1;
		context.font = FONT;
	}

	farText(context, plan, item, size, scale) {
		if (item.height * scale < 12 || item.width * scale < 16)
			return;
		context.fillStyle = colours.label;
		const name = item.type === 'group' ? `${item.id + 1}` : item.type;
		const long = item.type !== 'group' ? plan.name(plan.tensorName[item.id]) : item.nodes.length > 1 ?
			`group ${name}: ${item.nodes.length} operators` : plan.nodeText(item.nodes[0]);
		const room = item.width - 6 / scale;
		const measured = (text) => {
			const font = context.font;
			context.font = FONT;
			const width = textWidth(context, text) / scale;
			context.font = font;
			return width;
		};
		const lines = measured(long) <= room ? [long] : measured(name) <= room ? [name] : [];
		if (item.type === 'group' && item.height * scale > 34 && lines.length) {
			const share = percent(plan.group.cycles[item.id], plan.total);
			if (measured(share) <= room)
				lines.push(share);
		}
		lines.forEach((line, i) =>
			context.fillText(line, item.x, item.y + (i - (lines.length - 1) / 2) * size * 1.3));
	}

	groupColour(plan, item) {
		const time = new Float64Array(CLASSES.length);
		for (const n of item.nodes)
			time[plan.nodeClass[n]] += plan.nodeCompute[n] + 1;
		return CLASSES[time.indexOf(Math.max(...time))][0];
	}

	at(x, y) {
		const d = this.drawing(), { view, surface } = this;
		const wx = view.x + (x - surface.width / 2) / view.scale, wy = view.y + (y - surface.height / 2) / view.scale;
		for (const item of d.items) {
			if (wx < item.left || wx > item.left + item.width || wy < item.top || wy > item.top + item.height)
				continue;
			if (item.type !== 'group')
				return { plan: d.plan, type: 'buffer', id: item.id };
			if (view.scale > MIDDLE)
				for (const n of item.nodes) {
					const box = d.boxOf.get(n);
					if (Math.abs(wx - box.x) <= box.w / 2 && Math.abs(wy - box.y) <= box.h / 2)
						return { plan: d.plan, type: 'op', id: n };
				}
			return item.nodes.length > 1 ? { plan: d.plan, type: 'group', id: item.id } :
				{ plan: d.plan, type: 'op', id: item.nodes[0] };
		}
		return null;
	}

	// The node whose box stands for a thing in the graph
	boxFor({ plan, type, id }) {
		const boxes = this.drawing().boxOf;
		let n = { group: plan.groupFirst[id], op: id, command: plan.commandNode[id] }[type];
		if (type === 'buffer' || type === 'value') {
			const tensors = type === 'value' ? plan.byName.get(id) : [id];
			const uses = tensors.flatMap((t) => [...plan.uses.subarray(plan.useFirst[t], plan.useFirst[t + 1])]);
			n = uses.map((c) => plan.commandNode[c]).find((node) => boxes.has(node));
		}
		if (type === 'group')
			while (n < plan.groupLast[id] && !boxes.has(n))
				n++;
		return n;
	}

	// Makes a node visible, if it is not; with a scale, puts it into the middle.
	goto(node, scale) {
		if (!this.view) {
			this.wanted = { node, scale };
			return;
		}
		const box = this.drawing().boxOf.get(node), { view, surface } = this;
		if (!box)
			return;
		const near = Math.abs(box.x - view.x) * view.scale < surface.width / 2 - 60 &&
			Math.abs(box.y - view.y) * view.scale < surface.height / 2 - 30;
		if (scale || !near)
			this.view = { x: box.x, y: box.y, scale: scale || view.scale };
		this.surface.ask();
	}

	zoomAt(x, y, factor) {
		const { view, surface } = this, dx = x - surface.width / 2, dy = y - surface.height / 2;
		const scale = Math.min(Math.max(view.scale * factor, 0.004), 4);
		view.x += dx / view.scale - dx / scale;
		view.y += dy / view.scale - dy / scale;
		view.scale = scale;
		this.surface.ask();
	}

	listen() {
		const { canvas } = this.surface;
		canvas.addEventListener('wheel', (event) => {
			event.preventDefault();
			this.zoomAt(event.offsetX, event.offsetY, Math.exp(-Math.max(-1, Math.min(1, this.surface.turned(event)[1] / 300))));
			this.page.changed();
		}, { passive: false });
		canvas.addEventListener('pointerdown', (event) => {
			if (event.button)
				return;
			this.drag = { x: event.offsetX, y: event.offsetY, view: { ...this.view }, moved: false };
			canvas.setPointerCapture(event.pointerId);
		});
		canvas.addEventListener('pointermove', (event) => {
			const { drag } = this;
			if (!drag) {
				this.page.tip(this.at(event.offsetX, event.offsetY), event);
				return;
			}
			if (!drag.moved && Math.hypot(event.offsetX - drag.x, event.offsetY - drag.y) < 4)
				return;
			drag.moved = true;
			this.view.x = drag.view.x - (event.offsetX - drag.x) / this.view.scale;
			this.view.y = drag.view.y - (event.offsetY - drag.y) / this.view.scale;
			this.surface.ask();
		});
		canvas.addEventListener('pointerup', (event) => {
			const { drag } = this;
			this.drag = null;
			if (drag && !drag.moved)
				this.page.select(this.at(event.offsetX, event.offsetY), true);
			this.page.changed();
		});
		canvas.addEventListener('pointerleave', () => this.page.tip(null));
		canvas.addEventListener('dblclick', (event) =>
			this.zoomAt(event.offsetX, event.offsetY, 1 / this.view.scale > 1 ? 1 / this.view.scale : 2));
		canvas.addEventListener('keydown', (event) => this.key(event));
	}

	key(event) {
		const { view, surface } = this;
		const move = (x, y) => {
			view.x += x * surface.width * 0.12 / view.scale;
			view.y += y * surface.height * 0.12 / view.scale;
			surface.ask();
		};
		const zoom = (factor) => this.zoomAt(surface.width / 2, surface.height / 2, factor);
		const keys = {
			ArrowLeft: () => move(-1, 0), ArrowRight: () => move(1, 0), ArrowUp: () => move(0, -1),
			ArrowDown: () => move(0, 1), '+': () => zoom(1.4), '=': () => zoom(1.4), '-': () => zoom(1 / 1.4),
			0: () => this.fit(), ']': () => this.next(1), '[': () => this.next(-1),
			Enter: () => this.page.selection && this.page.selection.type === 'op' &&
				this.goto(this.page.selection.id, 1),
		};
		if (!keys[event.key] || event.ctrlKey || event.altKey || event.metaKey)
			return;
		event.preventDefault();
		keys[event.key]();
		this.page.changed();
	}

	// The operator that runs before or after.
	next(by) {
		const { plan, selection } = this.page;
		let n = selection && selection.plan === plan && selection.type === 'op' ? selection.id + by : 0;
		while (n >= 0 && n < plan.numNodes && !plan.nodeCommands[n])
			n += by;
		if (n < 0 || n >= plan.numNodes)
			return;
		this.page.select({ plan, type: 'op', id: n }, true);
		this.goto(n);
	}
}
