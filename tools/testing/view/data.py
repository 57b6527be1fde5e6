#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is in a page of "loom view", read without a browser and without its script: data.py PAGE...

    data.py PAGE plan PLAN.json [I]   figures of the page's plan I (0) are those of
                                      "loom plan --json", and with --explain
                                      those of groups and cuts; so are all sums over columns
    data.py PAGE size                 bytes of the page in all, and per step
    data.py PAGE safe                 style and script are those of the policy, and nothing else can run
"""
import base64
import hashlib
import html.parser
import json
import re
import sys

DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
COMPUTE = 16  # opcodes from here on


def column(text, step=False):
    """The numbers of a column."""
    out, value, shift, last = [], 0, 0, 0
    for char in text:
        digit = DIGITS.index(char)
        value |= (digit & 31) << shift
        shift += 5
        if digit & 32:
            continue
        number = -(value >> 1) if value & 1 else value >> 1
        if step:
            number += last
            last = number
        out.append(number)
        value = shift = 0
    return out


class Page(html.parser.HTMLParser):
    """Elements of a page: (tag, attributes, text)."""

    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        with open(path, encoding="utf-8", newline="") as file:
            self.text = file.read()
        self.elements = []
        self.feed(self.text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append([tag, dict(attrs), ""])

    def handle_data(self, data):
        if self.elements:
            self.elements[-1][2] += data

    def data(self):
        found = [text for tag, attrs, text in self.elements if attrs.get("id") == "data"]
        assert len(found) == 1
        return json.loads(found[0])


def check_safe(page):
    tags = [tag for tag, _, _ in page.elements]
    assert sorted(set(tags)) == ["body", "head", "html", "meta", "noscript", "script", "style", "title"], tags
    assert tags.count("script") == 2 and tags.count("style") == 1 and tags.count("title") == 1
    policy = [attrs["content"] for tag, attrs, _ in page.elements
              if attrs.get("http-equiv") == "Content-Security-Policy"]
    want = "default-src 'none'; script-src '%s'; style-src '%s'; base-uri 'none'; form-action 'none'"
    hashes = []
    for element in ("script", "style"):
        body = re.search(f"<{element}>(.*?)</{element}>", page.text, re.S).group(1)
        hashes.append("sha256-" + base64.b64encode(hashlib.sha256(body.encode()).digest()).decode())
    assert policy == [want % tuple(hashes)], policy
    # the policy stands in the page before any text that came from a model
    assert page.text.index("Content-Security-Policy") < page.text.index("<title>")
    assert not any(key.startswith("on") or key in ("src", "href") for _, attrs, _ in page.elements
                   for key in attrs)
    data = page.text[page.text.index('id="data">'):]
    data = data[len('id="data">'):data.index("</script>")]
    assert not re.search("[<>&\x00-\x09\x0b-\x1f\x7f]", data), "not escaped"


def check_plan(shown, plan):
    figures = shown["figures"]
    for key, value in plan.items():
        if key == "model":
            assert figures[key] == value.rsplit("/", 1)[-1]
        elif key == "arena_peak":
            told = dict(value, tensors=value["tensors"][:5])
            assert shown[key] == told, key
        elif key not in ("import_seconds", "plan_seconds", "plan_groups", "plan_cuts", "group_peaks"):
            assert figures[key] == value, key
    steps, commands, tensors, groups = (shown[key] for key in ("steps", "commands", "tensors", "groups"))
    for table, count in (("steps", plan["steps"]), ("commands", plan["commands"]),
                         ("tensors", plan["tensors"]), ("groups", plan["groups"])):
        assert shown[table]["count"] == count, table
        for key, text in shown[table].items():
            assert key in ("count", "tensors", "dims", "parts") or len(column(text)) == count, key
    cycles = column(steps["cycles"])
    assert sum(cycles) == plan["cycles"]
    opcodes = column(commands["opcode"], True)
    took = column(commands["cycles"])
    assert sum(c for op, c in zip(opcodes, took) if op < COMPUTE) == plan["dma_cycles"]
    assert sum(c for op, c in zip(opcodes, took) if op >= COMPUTE) == plan["compute_cycles"]
    dma, compute = column(steps["dma"]), column(steps["compute"])
    assert sum(dma) + sum(compute) == plan["commands"]
    at = 0
    for step, cycle in enumerate(cycles):
        streams = (sum(took[at:at + dma[step]]),
                   sum(took[at + dma[step]:at + dma[step] + compute[step]]))
        at += dma[step] + compute[step]
        assert cycle == max(1, max(streams) if shown["chip"]["overlap"] else sum(streams)), step
    first, last = column(tensors["first"], True), column(tensors["steps"])
    alive = [0] * (plan["steps"] + 1)
    for i, (place, parent, size) in enumerate(zip(column(tensors["place"]), column(tensors["parent"]),
                                                  column(tensors["bytes"]))):
        if not place and not parent and last[i] >= 0:
            alive[first[i]] += size
            alive[first[i] + last[i] + 1] -= size
    peak = now = 0
    for change in alive:
        now += change
        peak = max(peak, now)
    assert peak == plan["sram_peak_bytes"], (peak, plan["sram_peak_bytes"])
    check_groups(shown, plan, groups)


def check_groups(shown, plan, groups):
    names = shown["names"]
    node_names = [names[i - 1] if i else "" for i in column(shown["nodes"]["name"], True)]
    node_ops = [names[i - 1] if i else "" for i in column(shown["nodes"]["op"], True)]
    firsts, lasts = column(groups["first_node"], True), column(groups["last_node"], True)
    bounds, parts = column(groups["bound"]), column(groups["parts"])
    for i, group in enumerate(plan.get("plan_groups", [])):
        assert firsts[i] == group["first_node"] and lasts[i] == group["last_node"]
        assert shown["bounds"][bounds[i]] == group["bound"]
        for k, name in enumerate(shown["bounds"]):
            assert parts[i * len(shown["bounds"]) + k] == group["part_cycles"][name]
        for key in ("cycles", "dma_cycles", "compute_cycles", "macs", "dram_read_bytes", "dram_write_bytes",
                    "sram_bytes", "weights_bytes", "steps", "slices"):
            assert column(groups[key])[i] == group[key], key
        for node, has in zip(range(firsts[i], lasts[i] + 1), group["nodes"]):
            assert (node_names[node], node_ops[node]) == (has["name"], has["op"])
    for i, cut in enumerate(plan.get("plan_cuts", [])):
        for key in ("dram_bytes", "sram_bytes"):
            assert column(shown["cuts"][key])[i] == cut[key], key


def main():
    page, what = Page(sys.argv[1]), sys.argv[2]
    if what == "safe":
        check_safe(page)
    elif what == "size":
        steps = sum(plan["steps"]["count"] for plan in page.data()["plans"])
        data = page.text[page.text.index('id="data">'):]
        data = len(data[:data.index("</script>")].encode())
        print(f"{len(page.text.encode())} bytes, {data} of them data: {data / steps:.0f} a step")
    else:
        with open(sys.argv[3], encoding="utf-8") as file:
            check_plan(page.data()["plans"][int((sys.argv[4:] or ["0"])[0])], json.load(file))


main()
