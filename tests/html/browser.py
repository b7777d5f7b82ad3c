# SPDX-License-Identifier: BSD-3-Clause
"""Chromium without a screen, spoken to through the pipe of its debugging protocol."""

import base64
import fcntl
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time

PATIENCE = 600  # seconds; a busy machine is no failure
ARGUMENTS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
             "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-extensions",
             "--disable-sync", "--hide-scrollbars", "--use-mock-keychain", "about:blank")
KEYS = {"Enter": (13, "\r"), "Escape": (27, ""), "Tab": (9, ""), "ArrowDown": (40, ""), "End": (35, ""), "Home": (36, "")}


class Failure(Exception):
    """The browser does not do what it should."""


def find_chromium():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        path = shutil.which(name)
        if path:
            return path
    raise Failure("there is no chromium")


def _high(fd):
    """The same file by a number that is not one of those that the browser wants."""
    ret = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(fd)
    return ret


class Browser:
    """One browser with one page."""

    def __init__(self, width=1400, height=1000, scale=1):
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._number, self._rest, self.events = 0, b"", []
        requests, answers = (tuple(_high(fd) for fd in os.pipe()) for _ in range(2))

        def take_ends():
            os.dup2(requests[0], 3)
            os.dup2(answers[1], 4)

        self._process = subprocess.Popen(
            [find_chromium(), *ARGUMENTS, "--user-data-dir=" + self._folder.name],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=take_ends,
            pass_fds=(3, 4), start_new_session=True)
        os.close(requests[0])
        os.close(answers[1])
        self._to, self._from, self._session = requests[1], answers[0], None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(domain + ".enable")
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._to)
        os.close(self._from)
        self._folder.cleanup()

    def _receive(self, end):
        """The next message."""
        while b"\0" not in self._rest:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self._from], [], [], left)[0]:
                raise Failure("the browser does not answer")
            got = os.read(self._from, 1 << 20)
            if not got:
                raise Failure("the browser has ended")
            self._rest += got
        message, self._rest = self._rest.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, **parameters):
        """The result of a method; events that come before it are kept."""
        self._number += 1
        request = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            request["sessionId"] = self._session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self._to, data):]
        end = time.monotonic() + PATIENCE
        while True:
            message = self._receive(end)
            if message.get("id") == self._number:
                if "error" in message:
                    raise Failure("%s: %s" % (method, message["error"]["message"]))
                return message["result"]
            self.events.append(message)

    def run(self, expression):
        """The value of an expression of JavaScript in the page."""
        ret = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in ret:
            raise Failure("%s: %s" % (expression, ret["exceptionDetails"]))
        return ret["result"].get("value")

    def wait_for(self, expression):
        end = time.monotonic() + PATIENCE
        while not self.run(expression):
            if time.monotonic() > end or self.happened("Runtime.exceptionThrown"):
                raise Failure("never true: %s %s" % (expression, self.happened("Runtime.exceptionThrown")))
            time.sleep(0.05)

    def open(self, path, fragment=""):
        self.events = []
        self.ask("Page.navigate", url="about:blank")
        self.events = []
        self.ask("Page.navigate", url=pathlib.Path(path).absolute().as_uri() + fragment)
        self.wait_for("document.documentElement?.dataset.ready === 'yes'")

    def click(self, selector, more=""):
        """Presses the mouse in the middle of an element; `more` leads from it to another one."""
        place = self.run("(() => { const one = document.querySelector(%s)%s; one.scrollIntoView({block: 'center'});"
                         "const r = one.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()"
                         % (json.dumps(selector), more))
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    def press(self, key):
        code, text = KEYS.get(key, (ord(key[0].upper()), key))
        more = {"text": text} if text else {}
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **more)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def type(self, selector, text):
        """Replaces what an input field holds."""
        self.run("document.querySelector(%s).focus(); document.activeElement.select()" % json.dumps(selector))
        if text:
            self.ask("Input.insertText", text=text)
        else:
            self.run("document.activeElement.value = ''; document.activeElement.dispatchEvent(new Event('input'))")

    def happened(self, method):
        return [event["params"] for event in self.events if event.get("method") == method]

    def screenshot(self, path, dark=False, whole=False):
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.ask("Emulation.setEmulatedMedia", features=features)
        data = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
