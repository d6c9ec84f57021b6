"""A bot as a program: answers lines of JSON, and misbehaves when it is told to."""

import json
import os
import sys
import time


def main():
    for number, line in enumerate(sys.stdin, 1):
        data = json.loads(line)
        text = data["messages"][-1]["content"]
        output = {"id": data["id"], "text": f"{os.getpid()} {number} {text}", "model": "program"}
        match text:
            case "die":
                sys.exit(7)
            case "hang":
                time.sleep(60)
            case "error":
                output = {"error": "sk-secret in here"}
            case "empty":
                output["text"] = " "
            case "garbage":
                sys.stdout.write("not json\n")
                output = None
            case "big":
                output["text"] = "x" * 2_000_000
            case "twice":
                sys.stdout.write(json.dumps(output) + "\n" + json.dumps(output) + "\n")
                output = None
            case "other":
                output["id"] = 99
            case "count":
                output |= {"tokens_in": 3, "tokens_out": 4}
            case "echo":
                output["text"] = json.dumps(data, sort_keys=True)
        if output is not None:
            sys.stdout.write(json.dumps(output) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
