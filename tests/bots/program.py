"""A bot as a program: answers lines of JSON, and misbehaves when it is told to."""

import json
import os
import sys
import time


def main():
    for number, line in enumerate(sys.stdin, 1):
        request = json.loads(line)
        text = request["messages"][-1]["content"]
        reply = {"id": request["id"], "text": f"{os.getpid()} {number} {text}", "model": "program"}
        match text:
            case "die":
                sys.exit(7)
            case "hang":
                time.sleep(60)
            case "error":
                reply = {"error": "sk-secret in here"}
            case "empty":
                reply["text"] = " "
            case "garbage":
                sys.stdout.write("not json\n")
                reply = None
            case "big":
                reply["text"] = "x" * 2_000_000
            case "twice":
                sys.stdout.write(json.dumps(reply) + "\n" + json.dumps(reply) + "\n")
                reply = None
            case "other":
                reply["id"] = 99
            case "count":
                reply |= {"tokens_in": 3, "tokens_out": 4}
            case "environment":
                reply |= {"text": json.dumps(dict(os.environ)), "model": os.environ.get("MY_KEY")}
            case "echo":
                reply["text"] = json.dumps(request, sort_keys=True)
        if reply is not None:
            sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
