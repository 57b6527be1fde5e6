// SPDX-License-Identifier: MIT
// A canvas that is drawn when something has changed, at most once a frame, at the screen's own
// resolution; colours of the style sheet, and text that fits.

const FONT = '11px system-ui, "DejaVu Sans", "Liberation Sans", sans-serif';

const colours = {};
function readColours() {
	const style = getComputedStyle(document.documentElement);
	for (const name of ['page', 'panel', 'ink', 'faint', 'line', 'grid', 'accent', 'mark', 'back', 'label',
		'band', 'load', 'store', 'copy', 'conv', 'matmul', 'pool', 'point', 'shape', 'rows', 'kept',
		'resident', 'held', 'weight', 'temp', 'ends', 'other'])
		colours[name] = style.getPropertyValue('--' + name).trim();
}

// How long drawing took, for the tests and the curious.
const frames = { count: 0, worst: 0, last: 0 };

class Surface {
	constructor(label, draw) {
		this.canvas = el('canvas', { tabindex: '0', role: 'application', 'aria-label': label });
		this.context = this.canvas.getContext('2d');
		this.draw = draw;
		this.width = 0;
		this.height = 0;
		this.asked = false;
		new ResizeObserver(() => this.fit()).observe(this.canvas);
	}

	fit() {
		const scale = window.devicePixelRatio || 1;
		this.width = this.canvas.clientWidth;
		this.height = this.canvas.clientHeight;
		this.canvas.width = Math.round(this.width * scale);
		this.canvas.height = Math.round(this.height * scale);
		this.context.setTransform(scale, 0, 0, scale, 0, 0);
		this.paint();
	}

	ask() {
		if (this.asked)
			return;
		this.asked = true;
		requestAnimationFrame(() => this.paint());
	}

	// How far a wheel was turned, in pixels: some browsers count lines.
	turned(event) {
		const scale = event.deltaMode === 1 ? 33 : 1;
		return [event.deltaX * scale, event.deltaY * scale];
	}

	paint() {
		this.asked = false;
		if (!this.width || !this.height)
			return;
		const start = performance.now();
		this.context.font = FONT;
		this.context.textBaseline = 'middle';
		this.context.globalAlpha = 1;
		this.context.fillStyle = colours.page;
		this.context.fillRect(0, 0, this.width, this.height);
		this.draw(this.context, this.width, this.height);
		frames.last = performance.now() - start;
		frames.worst = Math.max(frames.worst, frames.last);
		frames.count++;
	}
}

const widths = new Map();
function textWidth(context, text) {
	const key = context.font + text;
	let width = widths.get(key);
	if (width === undefined) {
		if (widths.size > 20000)
			widths.clear();
		width = context.measureText(text).width;
		widths.set(key, width);
	}
	return width;
}

// So much of the beginning of a text as fits.
function fitHead(context, text, width) {
	if (textWidth(context, text) <= width)
		return text;
	const most = lowerBound(text.length, (k) => textWidth(context, text.slice(0, k + 1) + '…') > width);
	return most < 3 ? '' : text.slice(0, most) + '…';
}

// The text, or so much of its end as fits: names differ at their ends.
function fitText(context, text, width) {
	if (textWidth(context, text) <= width)
		return text;
	let low = 0, high = text.length;
	while (low < high) {
		const middle = (low + high + 1) >> 1;
		if (textWidth(context, '…' + text.slice(text.length - middle)) <= width)
			low = middle;
		else
			high = middle - 1;
	}
	return low < 3 ? '' : '…' + text.slice(text.length - low);
}

// Ticks at 1, 2 or 5 times a power of ten (of two, for bytes), at least so many apart.
function tickSize(least, binary) {
	if (binary)
		return Math.max(1, 2 ** Math.ceil(Math.log2(Math.max(least, 1))));
	const power = 10 ** Math.floor(Math.log10(Math.max(least, 1e-12)));
	for (const factor of [1, 2, 5])
		if (factor * power >= least)
			return factor * power;
	return 10 * power;
}

function lowerBound(length, test) {
	let low = 0, high = length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (test(middle))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}
