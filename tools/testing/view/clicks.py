#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pages of "loom view" in a browser: clicked, zoomed, searched. clicks.py FOLDER, with the pages that
24-view.sh has made; prints a line for each test."""
import json
import os
import sys
import time

from browser import Browser

failed = 0
MOST_CALLS = 15000  # of drawing, in a frame


def ok(name, passed, *said):
    global failed
    failed += not passed
    print("ok - " + name if passed else "not ok - " + name, flush=True)
    if not passed:
        for one in said:
            print("#", str(one).replace("\n", "\n# ")[:2000], flush=True)


def silent(browser, name):
    ok(name + ": nothing on the console, nothing from the network", not browser.said, *browser.said)
    browser.said.clear()


def canvases(browser):
    """Where both pictures are: left, top, width, height."""
    return json.loads(browser.run("""JSON.stringify([page.timeline, page.graph].map((one) => {
        const box = one.surface.canvas.getBoundingClientRect();
        return [box.left, box.top, box.width, box.height];
    }))"""))


def marks(browser):
    return browser.run("""page.plan.marks && ['commands', 'tensors', 'nodes', 'groups']
        .map((key) => page.plan.marks[key].reduce((a, b) => a + b, 0))""")


def spot(browser, command):
    """Where a command of the compute stream is on the screen."""
    return json.loads(browser.run(f"""(() => {{
        const t = page.timeline, box = t.surface.canvas.getBoundingClientRect();
        const row = t.rows.find((one) => one.kind === 'compute'), c = {command};
        return JSON.stringify([box.left + t.x((page.plan.commandFirst[c] + page.plan.commandEnd[c]) / 2),
            box.top + row.top + row.height / 2]);
    }})()"""))


def check_rec(browser, folder):
    browser.open(f"{folder}/rec.html")
    ok("a page is drawn", browser.run("frames.count > 1 && page.timeline.rows.length === 6"))
    silent(browser, "a page")
    longest = """page.plan.streams[1].reduce((a, b) => page.plan.commandEnd[b] - page.plan.commandFirst[b] >
        page.plan.commandEnd[a] - page.plan.commandFirst[a] ? b : a)"""
    c = browser.run(longest)
    browser.click(*spot(browser, c))
    ok("a click selects a command", browser.run("page.selection.type + page.selection.id") == f"command{c}")
    counts = marks(browser)
    ok("and its operator, group and buffers", counts[0] == 1 and counts[1] >= 3 and counts[2:] == [1, 1], counts)
    text = browser.run("document.querySelector('aside').innerText")
    ok("which the panel describes", all(word in text for word in ("operator", "cycles", "writes", "reads")), text)
    left, top, width, height = canvases(browser)[0]
    before = browser.run("page.timeline.end - page.timeline.first")
    for _ in range(5):
        browser.wheel(left + width / 2, top + 60, -120)
    browser.frames()
    after = browser.run("page.timeline.end - page.timeline.first")
    ok("the wheel zooms time", after < before / 3, before, after)
    first = browser.run("page.timeline.first")
    browser.drag(left + width / 2, top + height / 2, left + width / 2 - 200, top + height / 2)
    ok("dragging moves it", browser.run("page.timeline.first") > first)
    browser.wheel(left + width / 2, top + height * 0.6, -200, shift=True)
    browser.frames()
    ok("with shift, the wheel zooms addresses",
       browser.run("page.timeline.zoom[0].sram[1] - page.timeline.zoom[0].sram[0] < 0.9"))
    time.sleep(0.4)
    ok("the address says where this is", browser.run("/^#t=[0-9]+[.][.][0-9]+&sel=command%3A/.test(location.hash)"),
       browser.run("location.hash"))
    fragment = browser.run("location.hash")
    span = browser.run("[Math.round(page.timeline.first), Math.round(page.timeline.end), page.selection.id].join()")
    browser.open(f"{folder}/rec.html", fragment)
    ok("and leads there", browser.run("[Math.round(page.timeline.first), Math.round(page.timeline.end), "
                                      "page.selection.id].join()") == span)
    check_keys(browser)
    check_graph(browser)
    check_search(browser)
    check_tables(browser)
    silent(browser, "after all that")


def check_keys(browser):
    browser.run("page.select(null); page.timeline.whole(); page.timeline.surface.canvas.focus()")
    browser.press("+", "+")
    browser.press("ArrowRight")
    ok("keys zoom and move", browser.run("page.timeline.first > 0 && page.timeline.end < page.timeline.total"))
    browser.press("]", "]")
    one = browser.run("page.selection.type === 'command' && page.selection.id")
    browser.press("]", "]")
    ok("and go from command to command", browser.run("page.selection.id") > one)
    browser.press("Escape")
    ok("Escape selects nothing", browser.run("page.selection === null && page.plan.marks === null"))
    browser.run("[...document.querySelectorAll('.bar button')].find((one) => one.textContent === 'Time').click()")
    ok("the scale can be time", browser.run("page.timeline.unit === 'time' && page.timeline.tickText(500000, 1, "
                                            "page.plan.chip) === seconds(500000, page.plan.chip)"))
    browser.run("page.timeline.surface.canvas.focus()")
    browser.press("0", "0")
    ok("0 shows all", browser.run("page.timeline.first === 0 && page.timeline.end === page.timeline.total"))


def check_graph(browser):
    browser.run("page.graph.fit(); page.graph.goto(page.plan.groupFirst[0], 1)")
    browser.frames()
    left, top, width, height = canvases(browser)[1]
    browser.click(left + width / 2, top + height / 2)
    ok("a click in the graph selects an operator",
       browser.run("page.selection.type === 'op' && page.selection.id === page.plan.groupFirst[0]"))
    counts = marks(browser)
    ok("and its commands and buffers", counts[0] > 1 and counts[1] > 1 and counts[2:] == [1, 1], counts)
    scale = browser.run("page.graph.view.scale")
    browser.wheel(left + width / 2, top + height / 2, 300)
    browser.frames()
    ok("the wheel zooms the graph", browser.run("page.graph.view.scale") < scale)
    ok("every operator with commands is in the graph", browser.run(
        "[...page.plan.nodeCommands.keys()].every((n) => !page.plan.nodeCommands[n] || page.graph.drawing().boxOf.has(n))"))
    ok("no boxes lie on each other", browser.run("""(() => {
        const boxes = [...page.graph.drawing().boxOf.values()];
        return boxes.every((a, i) => boxes.every((b, k) => i === k || Math.abs(a.x - b.x) >= (a.w + b.w) / 2 - 1e-6 ||
            Math.abs(a.y - b.y) >= (a.h + b.h) / 2 - 1e-6));
    })()"""))
    # of a chain with shortcuts all is connected: one part
    parts = browser.run("""(() => {
        const root = new Map(), find = (i) => { while (root.has(i)) i = root.get(i); return i; };
        for (const { from, to } of page.plan.edges) if (find(from) !== find(to)) root.set(find(from), find(to));
        return new Set([...page.plan.nodeCommands.keys()].filter((n) => page.plan.nodeCommands[n]).map(find)).size;
    })()""")
    ok("the operators are connected", parts <= 3, parts)


def check_search(browser):
    browser.press("/", "/")
    ok("/ leads to the search", browser.run("document.activeElement === page.input"))
    browser.type("SOFTMAX")
    found = browser.run("page.hits.children.length")
    ok("a name is found in part, in any case", found >= 1 and browser.run(
        "[...page.hits.children].every((one) => /softmax/i.test(one.textContent))"), found)
    browser.press("ArrowDown")
    browser.press("Enter")
    ok("and selected", browser.run("page.selection !== null && page.hits.hidden && page.timeline.first > 0"))
    browser.run("page.input.value = 'no such name'; page.search()")
    ok("what is not there is not found", browser.run("page.hits.textContent === 'nothing has such a name'"))
    browser.run("page.input.value = ''; page.showHits([])")


def check_tables(browser):
    for tab, rows in (("groups", "numGroups"), ("operators", "numNodes"), ("buffers", "numTensors"),
                      ("commands", "numCommands")):
        browser.run(f"document.querySelector('[data-tab={tab}]').click()")
        shown, there = browser.run("document.querySelectorAll('.pane tbody tr').length"), browser.run("page.plan." + rows)
        ok(f"a table of {tab}", 0 < shown <= there and (shown == there or "more rows" in browser.run(
            "document.querySelector('.pane').innerText")), shown, there)
    browser.run("document.querySelector('[data-tab=groups]').click()")
    browser.run("[...document.querySelectorAll('.pane th button')].find((one) => one.textContent === 'cycles').click()")
    ok("which sorts", browser.run("document.querySelector('.pane tbody td').textContent") == str(browser.run(
        "[...page.plan.group.cycles].indexOf(Math.max(...page.plan.group.cycles)) + 1")))
    browser.run("document.querySelector('.pane tbody a').click()")
    ok("and selects", browser.run("page.selection.type") == "group")
    browser.run("document.querySelector('[data-tab=graph]').click()")


def check_two(browser, folder):
    browser.open(f"{folder}/two.html")
    ok("two plans on one scale", browser.run(
        "page.plans.length === 2 && page.timeline.total === Math.max(page.plans[0].total, page.plans[1].total)"))
    browser.run("document.querySelector('[data-tab=compare]').click()")
    want = browser.run("page.plans[1].figures.cycles - page.plans[0].figures.cycles")
    row = browser.run("[...document.querySelectorAll('.pane tbody tr')].find((one) => "
                      "one.cells[0].textContent === 'cycles').innerText")
    ok("differences of figures", f"+{want:,}" in row, row, want)
    sums = browser.run("""[0, 1].map((i) => commonParts(...page.plans).reduce((all, part) =>
        all + part.groups[i].reduce((sum, g) => sum + page.plans[i].group.cycles[g], 0), 0) ===
        page.plans[i].group.cycles.reduce((a, b) => a + b, 0))""")
    ok("all groups are compared", sums == [True, True], sums)
    browser.run("page.select({ plan: page.plans[0], type: 'op', id: 0 })")
    browser.frames()
    ok("the same operator in both", browser.run("page.plans.every((plan) => plan.marks.nodes[0] === 1)"))
    silent(browser, "two plans")


def check_helps(browser, folder):
    """What would help each group, as loom plan says it."""
    seen = 0
    for name in ("bf", "tiny", "image", "large"):
        browser.open(f"{folder}/{name}.html")
        said = browser.run("[...Array(page.plan.numGroups).keys()].map((g) => helpText(page.plan, g))")
        with open(f"{folder}/{name}.txt", encoding="utf-8") as file:
            want = [line.split(": ", 1)[1].rstrip("\n") for line in file if line.startswith("           helps: ")]
        seen += len(want)
        ok(f"{name}: what helps, in the same words", said == want, *zip(said, want))
    ok("of several groups", seen > 100, seen)


def check_hostile(browser, folder):
    for name in ("hostile", "named"):
        browser.open(f"{folder}/{name}.html")
        for tab in ("groups", "operators", "buffers", "commands", "help", "graph"):
            browser.run(f"document.querySelector('[data-tab={tab}]').click()")
        browser.run("page.select({ plan: page.plan, type: 'op', id: 0 }); page.input.value = '<'; page.search()")
        browser.frames()
        ok(f"{name}: names are text", browser.run(
            "document.querySelectorAll('script').length === 2 && !document.querySelector('img, svg, iframe, b[onclick]')"))
        ok(f"{name}: the title is the file's", browser.run("document.title.trim() === page.plan.title"),
           browser.run("document.title"))
        ok(f"{name}: names are whole", browser.run("page.hits.textContent.includes('<')") or name == "named")
        silent(browser, name)
    blocked = browser.run("""(() => {
        const script = document.createElement('script');
        script.textContent = 'window.owned = 1';
        document.body.append(script);
        return window.owned === undefined;
    })()""")
    ok("the policy lets no other script run", blocked)
    browser.said.clear()


def check_edges(browser, folder):
    """The graph is found from the commands alone; of what net.py writes it is known."""
    browser.open(f"{folder}/chain.html")
    found = set(map(tuple, browser.run("page.plan.edges.filter((e) => e.from >= 0 && typeof e.to === 'number')"
                                       ".map((e) => [page.plan.nodeLabel(e.from), page.plan.nodeLabel(e.to)])")))
    ends = browser.run("[page.plan.inputs, page.plan.outputs].map((all) => all.map((t) => "
                       "page.plan.name(page.plan.tensorName[t])).join()).join(' ')")
    kind = ["conv", "tanh", "conv", "tanh", "conv", "tanh", "conv", "add"]
    want = set()
    for i in range(1, 64):
        want.add((f"{kind[(i - 1) % 8]}.{i - 1}", f"{kind[i % 8]}.{i}"))
        if i % 8 == 7 and i > 7:
            want.add((f"add.{i - 8}", f"add.{i}"))
    ok("the graph has the arrows of the network, and no others", found == want, sorted(found ^ want))
    ok("and its ends", ends == "in.0 v.64", ends)
    silent(browser, "a chain")


def check_large(browser, folder):
    """Level of detail: how much is drawn in a frame. How long that takes is printed: drawing is what the
    page does itself, the time between frames has all that browser and machine do."""
    browser.open(f"{folder}/large.html")
    steps = browser.run("page.plan.numSteps")
    browser.run("""window.calls = 0; for (const name of ['fillRect', 'strokeRect', 'fillText', 'stroke']) {
        const old = CanvasRenderingContext2D.prototype[name];
        CanvasRenderingContext2D.prototype[name] = function (...given) { calls++; return old.apply(this, given); };
    }""")
    left, top, width, height = canvases(browser)[0]
    browser.run("""(() => { window.gaps = []; let last = performance.now();
        const next = (now) => { gaps.push(now - last); last = now; requestAnimationFrame(next); };
        requestAnimationFrame(next); })()""")
    times, calls = [], []

    def drawn():
        browser.frames()
        times.append(browser.run("frames.last"))
        calls.append(browser.run("(() => { const now = calls; calls = 0; return now; })()"))

    for i in range(40):
        browser.wheel(left + width * (0.3 + 0.01 * i), top + 60, -60 if i < 25 else 90)
        drawn()
    for i in range(20):
        browser.run(f"page.timeline.pan(page.timeline.total * 0.01 * {i % 7 - 3}); page.graph.zoomAt(300, 200, 1.1)")
        drawn()
    browser.run("page.select({ plan: page.plan, type: 'group', id: 0 }); page.timeline.whole()")
    drawn()
    times.sort()
    gaps = sorted(browser.run("gaps"))
    print(f"# {steps} steps: drawing takes {times[len(times) // 2]:.1f} ms, {times[-1]:.1f} ms at most; "
          f"between frames {gaps[len(gaps) // 2]:.1f} ms, {gaps[int(len(gaps) * 0.95)]:.1f} ms in 95 of 100, "
          f"{gaps[-1]:.1f} ms at most")
    things = browser.run("page.plan.numCommands + page.plan.numTensors")
    print(f"# of {things} commands and buffers, {max(calls)} rectangles, lines and texts at most are drawn in a frame")
    ok(f"{steps} steps: what is small is drawn together",
       steps >= 10000 and 100 < max(calls) < MOST_CALLS and things > 2 * MOST_CALLS, max(calls), things)
    silent(browser, "ten thousand steps")


def check_readme(browser, folder):
    browser.open(f"{folder}/bf.html")
    text = "".join(browser.run("document.body.innerText").split())
    with open("README.md", encoding="utf-8") as readme:
        shown = readme.read().split("writes a page to explore a plan")[1].split("\n## ")[0].split("\n")[1:]
    missing = [line for line in shown if "".join(line.split()).lower() not in text.lower()]
    ok("README.md shows the page's text", len(shown) > 10 and not missing, *missing)


def main():
    folder = os.path.abspath(sys.argv[1])
    with Browser() as browser:
        check_rec(browser, folder)
        check_two(browser, folder)
        check_helps(browser, folder)
        check_hostile(browser, folder)
        check_edges(browser, folder)
        check_large(browser, folder)
        check_readme(browser, folder)
        browser.dark(True)
        browser.open(f"{folder}/bf.html")
        ok("a dark page for who wants it", browser.run("colours.page") == "#0f1318")
        for name in ("tiny", "image", "file", "none"):
            browser.open(f"{folder}/{name}.html")
            silent(browser, name)
    sys.exit(failed != 0)


main()
