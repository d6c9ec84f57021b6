"""A bot as a program: answers lines of JSON, and misbehaves when it is told to."""

import json
import os
import sys
import time


def main():
    for number, line in enumerate(sys.stdin, 1):
        asked = json.loads(line)
        text = asked["messages"][-1]["content"]
        told = {"id": asked["id"], "text": f"{os.getpid()} {number} {text}", "model": "program"}
        match text:
            case "die":
                sys.exit(7)
            case "hang":
                time.sleep(60)
            case "error":
                told = {"error": "sk-secret in here"}
            case "empty":
                told["text"] = " "
            case "garbage":
                sys.stdout.write("not json\n")
                told = None
            case "big":
                told["text"] = "x" * 2_000_000
            case "twice":
                sys.stdout.write(json.dumps(told) + "\n" + json.dumps(told) + "\n")
                told = None
            case "other":
                told["id"] = 99
            case "count":
                told |= {"tokens_in": 3, "tokens_out": 4}
            case "echo":
                told["text"] = json.dumps(asked, sort_keys=True)
        if told is not None:
            sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
