package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

// listSuffix names a variant that lists and watches, as an alternative to saying so with listWatch.
const listSuffix = "-list"

// task is what a contestant is asked to do; ../README.md defines the fields.
type task struct {
	Server    string `json:"server"`
	Workload  string `json:"workload"`
	Variant   string `json:"variant"`
	ListWatch bool   `json:"listWatch"`
	Objects   int    `json:"objects"`
	Events    int    `json:"events"`
	Targets   int    `json:"targets"`
	Handlers  int    `json:"handlers"`
	Reads     string `json:"reads"`
	EpochUs   int64  `json:"epochUs"`
}

func parseTask(text string) (*task, error) {
	t := &task{Variant: "typed-json", Handlers: 1, Reads: "metadata"}
	if err := json.Unmarshal([]byte(text), t); err != nil {
		return nil, fmt.Errorf("the task is not what it should be: %w", err)
	}
	if base, ok := strings.CutSuffix(t.Variant, listSuffix); ok {
		t.Variant, t.ListWatch = base, true
	}
	if t.Workload == "latency" {
		t.Targets = t.Objects
	} else if t.Workload != "watch" {
		t.Events = 0
	} else if t.Targets == 0 {
		t.Targets = t.Objects
	}
	return t, t.validate()
}

func (t *task) validate() error {
	switch t.Workload {
	case "sync", "watch", "memory", "queue", "restart", "latency":
	default:
		return fmt.Errorf("workload is %q: it is sync, watch, memory, queue, restart or latency", t.Workload)
	}
	if t.Objects < 1 {
		return fmt.Errorf("objects is %d: there has to be one at least", t.Objects)
	}
	if t.Workload == "queue" {
		return nil
	}
	if server, err := url.Parse(t.Server); err != nil || server.Host == "" {
		return fmt.Errorf("server is %q: it is a URL such as http://127.0.0.1:40001", t.Server)
	}
	if _, ok := variants[t.Variant]; !ok {
		return fmt.Errorf("variant is %q: it is typed-json, dynamic-json or typed-protobuf, with %s or without", t.Variant, listSuffix)
	}
	if t.Reads != "metadata" && t.Reads != "object" {
		return fmt.Errorf("reads is %q: it is metadata or object", t.Reads)
	}
	if t.Handlers < 1 {
		return fmt.Errorf("handlers is %d: there has to be one at least", t.Handlers)
	}
	if t.Workload == "watch" && (t.Events < 1 || t.Targets < 1 || t.Targets > t.Objects) {
		return fmt.Errorf("events is %d and targets %d: a watch has one event at least, for one pod at least of the %d", t.Events, t.Targets, t.Objects)
	}
	return nil
}
