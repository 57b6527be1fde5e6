// SPDX-License-Identifier: MIT
// Numbers as text, and elements. Text of a model reaches the page as text nodes and nothing else.

function count(value) {
	return Math.round(value).toLocaleString('en-US');
}

function plural(value, name) {
	return `${count(value)} ${name}${value === 1 ? '' : 's'}`;
}

function bytes(value) {
	const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
	let unit = 0;
	while (Math.abs(value) >= 1024 && unit < 4) {
		value /= 1024;
		unit++;
	}
	return `${unit ? value.toFixed(Math.abs(value) < 10 ? 2 : 1) : value} ${units[unit]}`;
}

function percent(part, whole) {
	const value = whole ? part * 100 / whole : 0;
	return `${value.toFixed(value < 9.95 ? 1 : 0)} %`;
}

function seconds(cycles, chip) {
	if (!chip.frequency_hz)
		return '';
	const value = cycles / chip.frequency_hz;
	const [scale, unit] = value < 1e-6 ? [1e9, 'ns'] : value < 1e-3 ? [1e6, 'µs'] :
		value < 1 ? [1e3, 'ms'] : [1, 's'];
	return `${(value * scale).toPrecision(4)} ${unit}`;
}

function short(value) {
	const units = ['', 'k', 'M', 'G', 'T'];
	let unit = 0;
	while (Math.abs(value) >= 1000 && unit < 4) {
		value /= 1000;
		unit++;
	}
	return `${+value.toPrecision(4)}${units[unit]}`;
}

function el(tag, attributes, ...children) {
	const node = document.createElement(tag);
	for (const [key, value] of Object.entries(attributes || {})) {
		if (key.startsWith('on'))
			node.addEventListener(key.slice(2), value);
		else if (value !== undefined && value !== false)
			node.setAttribute(key, value === true ? '' : value);
	}
	node.append(...children.flat(Infinity).filter((child) => child !== '' && child !== undefined));
	return node;
}

function link(text, run) {
	return el('a', { href: '#', role: 'button', onclick: (event) => {
		event.preventDefault();
		run();
	} }, text);
}

function list(pairs) {
	return el('dl', {}, pairs.filter((pair) => pair && pair[1] !== '').map(([key, value]) =>
		[el('dt', {}, key), el('dd', { class: 'name' }, ...[value].flat())]).flat());
}

// A table that sorts by the column that is clicked, and shows more rows when asked.
// columns: [title, value of a row, text of a row (or the value), is text, what a click does]
function table(caption, columns, rows, isOn, most) {
	const body = el('tbody'), head = el('tr'), more = el('div');
	let shown = most || 200, by = -1, down = true;
	const fill = () => {
		const sorted = by < 0 ? rows : [...rows].sort((a, b) => {
			const x = columns[by][1](a), y = columns[by][1](b);
			return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
		});
		body.replaceChildren(...sorted.slice(0, shown).map((row) =>
			el('tr', { class: isOn && isOn(row) ? 'on' : undefined }, columns.map(([, value, text, left, run]) => {
				const said = (text || value)(row);
				return el('td', { class: left ? 't name' : undefined }, run ? link(said, () => run(row)) : said);
			}))));
		more.replaceChildren(...shown < rows.length ? [el('p', {},
			`${count(rows.length - shown)} more rows. `,
			link('show them', () => { shown += 2000; fill(); }))] : []);
	};
	columns.forEach(([title, , , left], i) => {
		const cell = el('th', { class: left ? 't' : undefined, scope: 'col' });
		cell.append(el('button', { type: 'button', title: 'sort', onclick: () => {
			down = by === i ? !down : !left;
			by = i;
			for (const other of head.children)
				other.removeAttribute('aria-sort');
			cell.setAttribute('aria-sort', down ? 'descending' : 'ascending');
			fill();
		} }, title));
		head.append(cell);
	});
	fill();
	return el('div', {}, el('table', {}, el('caption', {}, caption), el('thead', {}, head), body), more);
}
