"""An engine that misbehaves in the way that its argument names, and plays by the rules until then; see `compact.py`."""

import json
import os
import runpy
import subprocess
import sys
import time
from pathlib import Path

MANNER = sys.argv[1] if __name__ == "__main__" else ""
ANSWERED = 30
compact = runpy.run_path(str(Path(__file__).with_name("compact.py")))


def odd(text, number):
    """What is written instead of an answer, or nothing when it is the right one."""
    if MANNER == "crashes":
        print("out of memory in quilt.c", file=sys.stderr)
        os._exit(3)
    if MANNER == "is killed":
        os.kill(os.getpid(), 9)
    if MANNER == "hangs":
        time.sleep(600)
    if MANNER == "hangs with a child":
        child = subprocess.Popen(["sleep", "600"])
        print(f"child {child.pid}", file=sys.stderr, flush=True)
        time.sleep(600)
    if MANNER == "closes its output":
        os.close(1)
        time.sleep(600)
    if MANNER == "is slow":
        time.sleep(0.02)
        return text
    if MANNER == "chats on standard error":
        print("thinking" * 2000, file=sys.stderr)
        return text
    return {
        "writes no JSON": "Patch p05 it is!",
        "writes a list": "[1, 2]",
        "writes bytes": "\udc80\udcff",
        "writes another id": json.dumps({"id": number + 7, "state": {}}),
        "writes a long line": "x" * 5_000_000,
        "writes wrong types": json.dumps({"id": number, "state": {"buttons": "five"}}),
        "leaves a field out": json.dumps({"id": number, "state": {}}),
        "writes deep JSON": "[" * 100_000,
        "says error": json.dumps({"id": number, "error": {"kind": "bug", "message": "index out of range"}}),
        "cannot go on": json.dumps({"id": number, "error": {"kind": "unsupported", "message": "games past ply 9"}}),
    }[MANNER]


def main():
    game = {}
    for count, line in enumerate(sys.stdin):
        request = json.loads(line)
        text = json.dumps({"id": request["id"], **compact["answer"](request, game)})
        if count >= ANSWERED and request["ask"] in ("start", "act"):
            text = odd(text, request["id"])
        sys.stdout.buffer.write(text.encode(errors="surrogateescape") + b"\n")
        sys.stdout.flush()


if __name__ == "__main__":
    if MANNER == "greets wrongly":
        compact["answer"].__globals__["TOLD"].append("luck")
    main()
