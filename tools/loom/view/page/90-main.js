// SPDX-License-Identifier: MIT
// The page: selection, visible parts, search, and the address that stores all of these.

class Page {
	constructor(data) {
		this.plans = data.plans.map((plan, i) => new Plan(plan, i));
		this.plan = this.plans[0];
		this.selection = null;
		// plans of chips with different clocks are drawn on the time of the first one's
		const rate = this.plans[0].chip.frequency_hz;
		for (const plan of this.plans)
			plan.scale = rate && plan.chip.frequency_hz ? rate / plan.chip.frequency_hz : 1;
		this.timeline = new Timeline(this.plans, this);
		if (this.plans.some((plan) => plan.scale !== 1))
			this.timeline.unit = 'time';
		this.graph = new Graph(this);
		this.build(data);
		this.tab = 'graph';
		// before the first frame: it takes longer than one
		this.graph.drawing();
		this.showTab('graph');
		this.showSide();
		this.readHash();
		window.addEventListener('hashchange', () => this.readHash());
		window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
			readColours();
			this.repaint();
		});
		document.addEventListener('keydown', (event) => this.key(event));
	}

	build(data) {
		const { plan } = this, two = this.plans.length > 1;
		this.facts = el('span', { class: 'facts name' });
		this.input = el('input', { type: 'search', placeholder: 'search by name  ( / )', 'aria-label': 'search by name',
			role: 'combobox', 'aria-expanded': 'false', 'aria-controls': 'hits', autocomplete: 'off', spellcheck: 'false' });
		this.hits = el('ul', { class: 'hits', id: 'hits', role: 'listbox', hidden: true });
		this.tooltip = el('div', { class: 'tip', hidden: true });
		this.said = el('div', { class: 'shut', 'aria-live': 'polite' });
		this.pane = el('div', { class: 'pane', role: 'tabpanel', id: 'pane', tabindex: '-1' });
		this.side = el('aside', { 'aria-label': 'what is selected, and what there is to say of the plan' });
		this.tabs = el('div', { class: 'bar' });
		const parts = el('div', { class: 'bare', role: 'tablist', 'aria-label': 'parts' });
		this.tabs.append(parts);
		const tabs = [['graph', 'Graph'], ['groups', 'Groups'], ['operators', 'Operators'], ['buffers', 'Buffers'],
			['commands', 'Commands'], ...two ? [['compare', 'Compare']] : [], ['help', 'Help']];
		for (const [name, text] of tabs)
			parts.append(el('button', { type: 'button', role: 'tab', 'data-tab': name, 'aria-controls': 'pane',
				onclick: () => this.showTab(name) }, text));
		this.tabs.append(el('span', { class: 'room' }));
		if (two) {
			this.choice = this.plans.map((one, i) => el('button', { type: 'button', onclick: () => this.setPlan(one) },
				`plan ${'AB'[i]}`));
			this.tabs.append(...this.choice);
		}
		if (plan.chip.frequency_hz)
			this.tabs.append(el('button', { type: 'button', title: 'the scale: cycles or time', onclick: (event) => {
				this.timeline.unit = this.timeline.unit === 'cycles' ? 'time' : 'cycles';
				event.target.textContent = this.timeline.unit === 'cycles' ? 'Time' : 'Cycles';
				this.timeline.surface.ask();
			} }, this.timeline.unit === 'cycles' ? 'Time' : 'Cycles'));
		for (const [text, name, factor] of [['−', 'show more time', 1 / 0.6], ['+', 'show less time', 0.6]])
			this.tabs.append(el('button', { type: 'button', title: name, 'aria-label': name,
				onclick: () => this.timeline.zoomBy(factor) }, text));
		this.tabs.append(el('button', { type: 'button', onclick: () => { this.timeline.whole(); this.graph.fit(); this.changed(); } },
			'Show all'));
		document.body.append(
			el('header', {}, el('h1', { class: 'name' }, this.plans.map((one) => one.title).join(' and ')), this.facts,
				el('div', { class: 'search' }, this.input, this.hits)),
			this.keys(),
			el('main', {}, el('div', { class: two ? 'left two' : 'left' }, el('div', { class: 'top' }, this.timeline.surface.canvas), this.tabs, this.pane),
				this.side),
			this.tooltip, this.said);
		this.facts.append(el('b', {}, `${count(plan.figures.cycles)} cycles`),
			`${plan.chip.frequency_hz ? `, ${seconds(plan.figures.cycles, plan.chip)}` : ''} on `, el('b', {}, plan.chip.name),
			two ? ' (A); ' : `, by '${plan.figures.grouping}'`,
			...two ? [el('b', {}, `${count(this.plans[1].figures.cycles)} cycles`), ' on ', el('b', {}, this.plans[1].chip.name), ' (B)'] : [],
			`; loom ${data.loom}`);
		this.input.addEventListener('input', () => this.search());
		this.input.addEventListener('keydown', (event) => this.searchKey(event));
		this.input.addEventListener('blur', () => setTimeout(() => this.showHits([]), 200));
	}

	// Which colour is what; only what there is
	keys() {
		const commands = new Set(), kinds = new Map();
		for (const plan of this.plans) {
			for (const code of plan.opcode)
				commands.add(CLASS_OF[code]);
			for (let t = 0; t < plan.numTensors; t++)
				if (plan.isScratch(t))
					kinds.set(plan.tensorKind[t], KINDS[plan.tensorKind[t]]);
		}
		const key = (colour, text) => {
			const node = el('span', {}, text);
			node.style.setProperty('--c', `var(--${colour})`);
			return node;
		};
		return el('div', { class: 'keys' },
			el('div', { class: 'key' }, 'commands: ', ...[...commands].sort((a, b) => a - b).map((i) => key(CLASSES[i][0], CLASSES[i][1]))),
			el('div', { class: 'key' }, 'SRAM: ', ...[...kinds.entries()].sort((a, b) => a[0] - b[0]).map(([, [colour, text]]) => key(colour, text))));
	}

	repaint() {
		this.timeline.surface.ask();
		this.graph.surface.ask();
	}

	setPlan(plan) {
		this.plan = plan;
		this.showTab(this.tab);
		this.showSide();
		this.graph.surface.ask();
		this.changed();
	}

	showTab(name) {
		const { plan } = this;
		const make = { groups: groupTable, operators: nodeTable, buffers: bufferTable, commands: commandTable,
			compare: comparePane, help: helpPane };
		this.tab = make[name] ? name : 'graph';
		for (const tab of this.tabs.querySelectorAll('[data-tab]'))
			tab.setAttribute('aria-selected', tab.dataset.tab === this.tab ? 'true' : 'false');
		(this.choice || []).forEach((tab, i) => tab.setAttribute('aria-pressed', this.plans[i] === plan ? 'true' : 'false'));
		this.pane.replaceChildren(make[name] ? el('div', {}, make[name](this, plan)) : this.graph.surface.canvas);
		this.changed();
	}

	showSide() {
		const parts = [];
		if (this.selection) {
			const [title, body] = details(this, this.selection);
			const mark = this.plans.length > 1 ? `${'AB'[this.selection.plan.index]}: ` : '';
			parts.push(el('h2', { class: 'name' }, mark + title), body, el('p', {},
				link('zoom to it', () => this.timeline.zoomTo(this.selection)), '  ', link('select nothing', () => this.select(null))));
			this.said.textContent = title;
		} else {
			parts.push(el('p', {}, 'Click a command, a buffer or an operator: the others show what belongs to it.'));
			this.said.textContent = '';
		}
		if (this.plans.length > 1)
			parts.push(el('h2', {}, `Plan ${'AB'[this.plan.index]}`));
		// all of the plan is looked at for that
		this.plan.said = this.plan.said || el('div', {}, findings(this, this.plan));
		this.side.replaceChildren(...parts, this.plan.said);
	}

	// ---- selection

	select(thing, stay) {
		this.selection = thing;
		if (thing && thing.plan !== this.plan)
			this.setPlan(thing.plan);
		for (const plan of this.plans)
			plan.marks = thing ? this.marksOf(plan, thing) : null;
		if (thing && !stay) {
			const node = thing.type === 'op' ? thing.id : thing.type === 'command' ? thing.plan.commandNode[thing.id] : -1;
			if (node >= 0)
				this.graph.goto(node);
		}
		this.showSide();
		if (this.tab !== 'graph' && this.tab !== 'compare' && this.tab !== 'help')
			this.showTab(this.tab);
		this.side.scrollTop = 0;
		this.repaint();
		this.changed();
	}

	// The same thing in the other plan, by name
	twin(plan, { plan: of, type, id }) {
		if (plan === of)
			return { plan, type, id };
		if (type === 'command' && of.commandNode[id] >= 0)
			return this.twin(plan, { plan: of, type: 'op', id: of.commandNode[id] });
		if (type === 'op') {
			const text = of.nodeText(id);
			for (let n = 0; n < plan.numNodes; n++)
				if (plan.nodeText(n) === text)
					return { plan, type, id: n };
		}
		if (type === 'buffer' || type === 'value') {
			const name = plan.names.indexOf(of.name(type === 'value' ? id : of.tensorName[id])) + 1;
			return name && plan.byName.has(name) ? { plan, type: 'value', id: name } : null;
		}
		return null;
	}

	// Commands, tensors, nodes and groups of a thing. A plan without any is drawn faded.
	marksOf(plan, thing) {
		const marks = { commands: new Uint8Array(plan.numCommands), tensors: new Uint8Array(plan.numTensors),
			nodes: new Uint8Array(plan.numNodes), groups: new Uint8Array(plan.numGroups), values: new Set(), chosen: new Set() };
		const twin = this.twin(plan, thing);
		if (!twin)
			return marks;
		const { type, id } = twin;
		const addNode = (n) => {
			marks.nodes[n] = 1;
			if (plan.nodeGroup[n] >= 0)
				marks.groups[plan.nodeGroup[n]] = 1;
		};
		const addCommand = (c) => {
			marks.commands[c] = 1;
			if (plan.commandNode[c] >= 0)
				addNode(plan.commandNode[c]);
			for (let k = plan.operand[c]; k < plan.operand[c + 1]; k++) {
				marks.tensors[plan.operandTensor[k]] = 1;
				marks.tensors[plan.tensorParent[plan.operandTensor[k]]] = 1;
			}
		};
		const addTensor = (t) => {
			marks.tensors[t] = 1;
			marks.tensors[plan.tensorParent[t]] = 1;
			marks.chosen.add(plan.tensorParent[t]);
			marks.values.add(plan.tensorName[t]);
			for (let k = plan.useFirst[t]; k < plan.useFirst[t + 1]; k++) {
				marks.commands[plan.uses[k]] = 1;
				if (plan.commandNode[plan.uses[k]] >= 0)
					addNode(plan.commandNode[plan.uses[k]]);
			}
		};
		if (type === 'command')
			addCommand(id);
		else if (type === 'step')
			for (let c = plan.stepCommand[id]; c < plan.stepCommand[id + 1]; c++)
				addCommand(c);
		else if (type === 'buffer')
			addTensor(id);
		else if (type === 'value')
			plan.byName.get(id).forEach(addTensor);
		else
			this.markNodes(plan, type, id, addNode, addCommand);
		return marks;
	}

	markNodes(plan, type, id, addNode, addCommand) {
		const first = type === 'group' ? plan.groupFirst[id] : id, last = type === 'group' ? plan.groupLast[id] : id;
		for (let n = first; n <= last; n++)
			addNode(n);
		for (let c = 0; c < plan.numCommands; c++)
			if (plan.commandNode[c] >= first && plan.commandNode[c] <= last)
				addCommand(c);
	}

	// ---- search

	find(text, most) {
		const wanted = text.toLowerCase(), found = [];
		for (const plan of this.plans) {
			for (let n = 0; n < plan.numNodes && found.length < most; n++)
				if (plan.nodeText(n).toLowerCase().includes(wanted))
					found.push({ plan, type: 'op', id: n, text: plan.nodeText(n), what: `operator, group ${plan.nodeGroup[n] + 1}` });
			for (const [name, all] of plan.byName) {
				if (found.length >= most)
					break;
				if (plan.name(name).toLowerCase().includes(wanted))
					found.push({ plan, type: 'value', id: name, text: plan.name(name), what: `value in ${plural(all.length, 'buffer')}` });
			}
		}
		return found;
	}

	search() {
		const text = this.input.value.trim();
		this.showHits(text ? this.find(text, 60) : [], text);
	}

	showHits(found, text) {
		this.found = found;
		this.chosen = 0;
		this.hits.hidden = !found.length && !text;
		this.input.setAttribute('aria-expanded', this.hits.hidden ? 'false' : 'true');
		this.hits.replaceChildren(...found.length ? found.map((hit, i) => el('li', { role: 'option', id: `hit${i}`,
			'aria-selected': i ? 'false' : 'true', onmousedown: () => this.take(hit) }, el('span', { class: 'name' }, hit.text), ' ',
		el('small', {}, `${this.plans.length > 1 ? `${'AB'[hit.plan.index]}: ` : ''}${hit.what}`))) :
			[el('li', {}, 'nothing has such a name')]);
	}

	searchKey(event) {
		if (event.key === 'Escape') {
			this.input.value = '';
			this.showHits([]);
			this.timeline.surface.canvas.focus();
			return;
		}
		if (event.key === 'Enter' && this.found && this.found[this.chosen])
			this.take(this.found[this.chosen]);
		if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')
			return;
		event.preventDefault();
		const rows = this.hits.children, to = this.chosen + (event.key === 'ArrowDown' ? 1 : -1);
		if (!this.found || !this.found[to])
			return;
		rows[this.chosen].setAttribute('aria-selected', 'false');
		this.chosen = to;
		rows[to].setAttribute('aria-selected', 'true');
		rows[to].scrollIntoView({ block: 'nearest' });
		this.input.setAttribute('aria-activedescendant', `hit${to}`);
	}

	take(hit) {
		this.showHits([]);
		this.select({ plan: hit.plan, type: hit.type, id: hit.id });
		this.timeline.zoomTo(this.selection);
	}

	tip(thing, event) {
		this.tooltip.hidden = !thing;
		if (!thing)
			return;
		this.tooltip.textContent = tipText(thing);
		const { offsetWidth: w, offsetHeight: h } = this.tooltip;
		this.tooltip.style.left = `${Math.max(4, Math.min(event.clientX + 14, window.innerWidth - w - 8))}px`;
		this.tooltip.style.top = `${event.clientY + 18 + h > window.innerHeight ? event.clientY - h - 10 : event.clientY + 18}px`;
	}

	key(event) {
		if (event.target === this.input || event.ctrlKey || event.altKey || event.metaKey)
			return;
		if (event.key === '/') {
			event.preventDefault();
			this.input.focus();
			this.input.select();
		} else if (event.key === 'Escape') {
			this.select(null);
		}
	}

	// ---- the address

	changed() {
		if (!this.ready)
			return;
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.writeHash(), 250);
	}

	nameOf({ plan, type, id }) {
		switch (type) {
		case 'op':
			return `op:${plan.nodeLabel(id)}`;
		case 'value':
			return `value:${plan.name(id)}`;
		case 'group':
			return `group:${id + 1}`;
		default:
			return `${type}:${id}`;
		}
	}

	writeHash() {
		const { timeline } = this, parts = [];
		if (timeline.first > 0 || timeline.end < timeline.total)
			parts.push(`t=${Math.round(timeline.first)}..${Math.round(timeline.end)}`);
		if (this.selection)
			parts.push(`sel=${encodeURIComponent(this.nameOf(this.selection))}`);
		if (this.plan.index)
			parts.push(`plan=${'AB'[this.plan.index]}`);
		if (this.tab !== 'graph')
			parts.push(`tab=${this.tab}`);
		this.written = parts.length ? '#' + parts.join('&') : '';
		try {
			history.replaceState(null, '', this.written || '#');
		} catch (error) {
			// a page that is not allowed to have an address works as well
		}
	}

	readHash() {
		if (this.ready && location.hash === this.written)
			return;
		this.ready = false;
		const wanted = new Map(location.hash.slice(1).split('&').map((part) => {
			const at = part.indexOf('=');
			let value = part.slice(at + 1);
			try {
				value = decodeURIComponent(value);
			} catch (error) {
				// as it is
			}
			return [part.slice(0, Math.max(at, 0)), value];
		}));
		if (wanted.get('plan') === 'B' && this.plans[1])
			this.setPlan(this.plans[1]);
		const found = wanted.has('sel') ? this.named(wanted.get('sel')) : null;
		if (found || this.selection)
			this.select(found);
		if (wanted.has('tab'))
			this.showTab(wanted.get('tab'));
		if (wanted.has('g') && found)
			this.graph.goto(this.graph.boxFor(found),
				Math.min(Math.max(+wanted.get('g') || 1, 0.02), 4));
		const [first, end] = (wanted.get('t') || '').split('..').map(Number);
		if (end > first)
			this.timeline.show(first, end);
		this.ready = true;
	}

	// NAME, or KIND:NAME
	named(text) {
		const { plan } = this, colon = text.indexOf(':');
		const type = text.slice(0, Math.max(colon, 0)), rest = text.slice(colon + 1), number = Number(rest);
		const most = { group: plan.numGroups, step: plan.numSteps, command: plan.numCommands, buffer: plan.numTensors }[type];
		if (most !== undefined && rest !== '' && Number.isInteger(number)) {
			const id = type === 'group' ? number - 1 : number;
			return id >= 0 && id < most ? { plan, type, id } : null;
		}
		for (const name of type === 'op' || type === 'value' ? [rest, text] : [text]) {
			for (let n = 0; n < plan.numNodes && type !== 'value'; n++)
				if (plan.nodeLabel(n) === name)
					return { plan, type: 'op', id: n };
			const value = plan.names.indexOf(name) + 1;
			if (value && plan.byName.has(value))
				return { plan, type: 'value', id: value };
		}
		return null;
	}
}

readColours();
const page = new Page(JSON.parse(document.getElementById('data').textContent));
