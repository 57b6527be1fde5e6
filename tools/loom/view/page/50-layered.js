// SPDX-License-Identifier: MIT
// Boxes and arrows in layers: each box below all that it depends on. Long arrows pass through the
// layers between as if they were boxes, so that they cross nothing. A long thin picture is
// cut into columns, which are read like those of a newspaper.

const GAP_X = 26, GAP_Y = 34, GAP_COLUMN = 70;
const MOST_BENDS = 6000;

// sizes: [[w, h]], edges: [[from, to]] with from < to. Returns centres, size, and bends by edge.
function layered(sizes, edges, aspect) {
	const items = sizes.map(([w, h]) => ({ w, h, up: [], down: [], layer: 0 }));
	const sorted = [...edges].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
	for (const [a, b] of sorted)
		items[b].layer = Math.max(items[b].layer, items[a].layer + 1);
	// an item without predecessors stands right above its topmost successor
	const into = new Set(edges.map(([, b]) => b)), below = items.map(() => Infinity);
	for (const [a, b] of edges)
		below[a] = Math.min(below[a], items[b].layer);
	items.forEach((item, i) => {
		if (!into.has(i) && below[i] < Infinity)
			item.layer = below[i] - 1;
	});
	const bends = edges.map(([a, b]) => addBends(items, a, b));
	const layers = [];
	items.forEach((item, i) => {
		(layers[item.layer] = layers[item.layer] || []).push(i);
	});
	for (let i = 0; i < layers.length; i++)
		layers[i] = layers[i] || [];
	orderLayers(items, layers);
	placeLayers(items, layers);
	const size = foldLayers(items, layers, aspect);
	return {
		width: size[0], height: size[1],
		centres: items.slice(0, sizes.length).map((item) => [item.x, item.y]),
		bends: bends.map((list, i) => bendsOf(items, [edges[i][0], ...list, edges[i][1]])),
	};
}

// The points between the ends. From column to column an arrow goes up in the gap between them.
function bendsOf(items, chain) {
	const points = [];
	for (let k = 1; k < chain.length; k++) {
		const a = items[chain[k - 1]], b = items[chain[k]];
		if (k > 1)
			points.push([a.x, a.y]);
		if (a.column !== b.column) {
			const x = b.left - GAP_COLUMN * (0.35 + 0.3 * (k % 7) / 7);
			points.push([x, a.y + a.h / 2 + GAP_Y * 0.4], [x, b.y - b.h / 2 - GAP_Y * 0.4]);
		}
	}
	return points;
}

function addBends(items, a, b) {
	const bends = [];
	let last = a;
	if (items.length < MOST_BENDS)
		for (let layer = items[a].layer + 1; layer < items[b].layer; layer++) {
			items.push({ w: 6, h: 0, up: [last], down: [], layer });
			items[last].down.push(items.length - 1);
			last = items.length - 1;
			bends.push(last);
		}
	items[last].down.push(b);
	items[b].up.push(last);
	return bends;
}

// Each item at the mean of its neighbours in the layer before, down and up in turns.
function orderLayers(items, layers) {
	const place = (layer) => layer.forEach((i, k) => { items[i].at = k; });
	layers.forEach(place);
	for (let sweep = 0; sweep < 8; sweep++) {
		const down = sweep % 2 === 0;
		for (let k = 0; k < layers.length; k++) {
			const layer = layers[down ? k : layers.length - 1 - k];
			for (const i of layer) {
				const near = down ? items[i].up : items[i].down;
				items[i].want = near.length ? near.reduce((sum, n) => sum + items[n].at, 0) / near.length : items[i].at;
			}
			layer.sort((a, b) => items[a].want - items[b].want || a - b);
			place(layer);
		}
	}
}

// Centres in a layer: near those of the neighbours, in order, without overlaps. Items that push
// each other become a block, which stands where its items want to be on average.
function placeLayers(items, layers) {
	for (const layer of layers) {
		let at = 0;
		for (const i of layer) {
			items[i].x = at + items[i].w / 2;
			at += items[i].w + GAP_X;
		}
		for (const i of layer)
			items[i].x -= at / 2;
	}
	for (let sweep = 0; sweep < 10; sweep++) {
		for (let k = 0; k < layers.length; k++) {
			const layer = layers[sweep % 2 ? layers.length - 1 - k : k];
			pack(items, layer, sweep % 2 ? 'down' : 'up');
		}
	}
}

function pack(items, layer, side) {
	const blocks = [];
	let at = 0;
	for (const i of layer) {
		const near = items[i][side], alone = !items[i].up.length && !items[i].down.length;
		const last = blocks[blocks.length - 1];
		const want = near.length ? near.reduce((sum, n) => sum + items[n].x, 0) / near.length :
			alone && last ? last.sum / last.weight + at : items[i].x;
		at += items[i].w / 2;
		// bends pull harder: straight arrows are worth more than boxes in the middle
		const weight = alone ? 0.01 : items[i].h ? 1 : 2;
		blocks.push({ sum: (want - at) * weight, weight, list: [[i, at]] });
		at += items[i].w / 2 + GAP_X;
		while (blocks.length > 1) {
			const b = blocks[blocks.length - 1], a = blocks[blocks.length - 2];
			if (a.sum / a.weight <= b.sum / b.weight)
				break;
			blocks.pop();
			a.sum += b.sum;
			a.weight += b.weight;
			a.list.push(...b.list);
		}
	}
	for (const block of blocks)
		for (const [i, offset] of block.list)
			items[i].x = block.sum / block.weight + offset;
}

// Cuts the layers into so many columns that the picture has about the right proportions.
function foldLayers(items, layers, aspect) {
	const heights = layers.map((layer) => Math.max(0, ...layer.map((i) => items[i].h)) + GAP_Y);
	const total = heights.reduce((a, b) => a + b, 0);
	let best = null;
	for (let columns = 1; columns <= 24 && columns <= Math.max(layers.length, 1); columns++) {
		const made = cutColumns(items, layers, heights, total / columns);
		const off = Math.abs(Math.log(made.width / Math.max(made.height, 1) / aspect));
		if (!best || off < best.off - 0.05)
			best = { off, ...made };
	}
	let x = 0;
	for (const column of best.columns) {
		let y = 0;
		for (const k of column.layers) {
			for (const i of layers[k]) {
				items[i].x += x - column.left;
				items[i].left = x;
				items[i].column = column;
				items[i].y = y + (heights[k] - GAP_Y) / 2;
			}
			y += heights[k];
		}
		x += column.right - column.left + GAP_COLUMN;
	}
	return [best.width, best.height];
}

function cutColumns(items, layers, heights, most) {
	const columns = [];
	let column = null, at = 0;
	layers.forEach((layer, k) => {
		if (!column || (at + heights[k] / 2 > most && column.layers.length)) {
			column = { layers: [], left: Infinity, right: -Infinity, height: 0 };
			columns.push(column);
			at = 0;
		}
		at += heights[k];
		column.layers.push(k);
		column.height = at;
		for (const i of layer) {
			column.left = Math.min(column.left, items[i].x - items[i].w / 2);
			column.right = Math.max(column.right, items[i].x + items[i].w / 2);
		}
	});
	const width = columns.reduce((sum, c) => sum + c.right - c.left, 0) + GAP_COLUMN * (columns.length - 1);
	return { columns, width: Math.max(width, 1), height: Math.max(...columns.map((c) => c.height), 1) - GAP_Y };
}
