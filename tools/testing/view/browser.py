# SPDX-License-Identifier: MIT
"""Chromium without a window, driven over its debugging pipe: pages are opened, clicked, and looked at."""
import base64
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time


def find():
    """The browser's program, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Broken(Exception):
    """The browser did not do what it was asked."""


class Browser:
    """One page in a browser. Everything that it prints to the console is in self.said."""

    def __init__(self, width=1440, height=900, dark=False):
        self.profile = tempfile.mkdtemp(prefix="loom-view.")
        to_read, self.out = os.pipe()
        self.into, to_write = os.pipe()

        def descriptors():
            os.dup2(to_read, 13)
            os.dup2(to_write, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        self.process = subprocess.Popen(
            [find(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--remote-debugging-pipe", "--no-first-run", "--disable-extensions",
             f"--user-data-dir={self.profile}", "about:blank"],
            preexec_fn=descriptors, close_fds=False, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.buffer = b""
        self.next = 0
        self.said = []
        self.session = None
        self.size = (width, height)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.dark(dark)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.out)
        os.close(self.into)
        shutil.rmtree(self.profile, ignore_errors=True)

    def call(self, method, **params):
        self.next += 1
        message = {"id": self.next, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.next:
                if "error" in answer:
                    raise Broken(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def read(self):
        while b"\0" not in self.buffer:
            got = os.read(self.into, 1 << 20)
            if not got:
                raise Broken("the browser ended")
            self.buffer += got
        line, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(line)
        params = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.said.append(details.get("exception", {}).get("description") or details["text"])
        elif message.get("method") == "Runtime.consoleAPICalled":
            self.said.append(" ".join(str(arg.get("value")) for arg in params["args"]))
        elif message.get("method") == "Log.entryAdded":
            self.said.append(params["entry"]["text"])
        elif message.get("method") == "Network.requestWillBeSent":
            url = params["request"]["url"]
            if not url.startswith(("file:", "about:")):
                self.said.append("asked the network for " + url)
        elif message.get("method") == "Page.javascriptDialogOpening":
            self.said.append("opened a dialog: " + params["message"])
        return message

    def dark(self, on):
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if on else "light"}])

    def open(self, path, fragment=""):
        """Opens a file; returns when its script has run and two frames were drawn."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url="file://" + os.path.abspath(path) + fragment)
        for _ in range(600):
            if self.run("document.readyState") == "complete":
                break
            time.sleep(0.05)
        self.frames()

    def run(self, script):
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise Broken(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def frames(self):
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)
        self.frames()

    def drag(self, x, y, to_x, to_y, steps=10):
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        for i in range(1, steps + 1):
            self.mouse("mouseMoved", x + (to_x - x) * i / steps, y + (to_y - y) * i / steps,
                       button="left", buttons=1)
        self.mouse("mouseReleased", to_x, to_y, button="left", clickCount=1)
        self.frames()

    def wheel(self, x, y, by, shift=False):
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=by, modifiers=8 if shift else 0)

    def press(self, key, text=None):
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.frames()

    def type(self, text):
        self.call("Input.insertText", text=text)
        self.frames()

    def picture(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
