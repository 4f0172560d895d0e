// Command client-go is the client-go contestant of the client benches, and the tool that encodes pods as protobuf.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

const usage = `usage:
  client-go contestant '<json>'
  client-go encode --in pods.ndjson [--out-frames FILE] [--watch-frames FILE [--event-type TYPE]]
                   [--list-pages DIR [--page-size N]] [--initial-events-end FILE] [--bookmark FILE]
                   [--resource-version VERSION]`

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "client-go:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) == 0 {
		return errors.New(usage)
	}
	switch command, rest := args[0], args[1:]; command {
	case "contestant":
		if len(rest) != 1 {
			return errors.New(usage)
		}
		task, err := parseTask(rest[0])
		if err != nil {
			return err
		}
		result, err := compete(task)
		if err != nil {
			return err
		}
		return json.NewEncoder(out).Encode(result)
	case "encode":
		return encode(rest)
	default:
		return fmt.Errorf("unknown command %q\n%s", command, usage)
	}
}
