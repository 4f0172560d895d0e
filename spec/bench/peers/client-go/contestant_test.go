package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
)

// asCommand makes the test binary the command itself: a contestant has a process of its own, as feature gates are read once.
const asCommand = "CLIENT_GO_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func runContestant(t *testing.T, task string) (result, error) {
	t.Helper()
	command := exec.Command(os.Args[0], "contestant", task)
	command.Env = append(os.Environ(), asCommand+"=1")
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return result{}, fmt.Errorf("%w: %s", err, stderr.String())
	}
	t.Logf("%s", bytes.TrimSpace(out))
	var got result
	return got, json.Unmarshal(out, &got)
}

func TestEveryVariantSeesEveryObjectAndUpdate(t *testing.T) {
	path := *podsFile
	if path == "" {
		path = writePods(t, 100)
	}
	for _, variant := range []string{
		"typed-json", "typed-json-list", "dynamic-json", "dynamic-json-list", "typed-protobuf", "typed-protobuf-list",
	} {
		for _, reads := range []string{"metadata", "object"} {
			t.Run(variant+"/"+reads, func(t *testing.T) {
				s, url := startServer(t, path)
				got, err := runContestant(t, fmt.Sprintf(
					`{"server":%q,"workload":"watch","variant":%q,"objects":%d,"events":%d,"handlers":3,"reads":%q}`,
					url, variant, s.pods, s.pods, reads))
				if err != nil {
					t.Fatal(err)
				}
				if got.Events != int64(s.pods) || got.SyncMs <= 0 || got.WatchMs <= 0 || got.RssBytes <= 0 {
					t.Errorf("something is missing in %+v", got)
				}
				want := runtime.ContentTypeJSON
				if strings.Contains(variant, "protobuf") {
					want = runtime.ContentTypeProtobuf
				}
				if asked := <-s.watches; asked != want || got.ContentType != want {
					t.Errorf("the watch was of %s and reported as %s, not %s", asked, got.ContentType, want)
				}
				if listed := strings.HasSuffix(variant, listSuffix); got.WatchList == listed {
					t.Errorf("%s says that its watch-list is %v", variant, got.WatchList)
				}
			})
		}
	}
}

func TestContestantFailsAtOnce(t *testing.T) {
	_, url := startServer(t, writePods(t, 4))
	for name, c := range map[string]struct{ task, want string }{
		"when objects are missing":   {fmt.Sprintf(`{"server":%q,"workload":"sync","objects":5}`, url), "was given 4 objects, not 5"},
		"when there is no server":    {`{"server":"http://127.0.0.1:1","workload":"sync","objects":5}`, "connection refused"},
		"when the path is not there": {fmt.Sprintf(`{"server":"%s/elsewhere","workload":"sync","objects":4}`, url), "404"},
		"at an unknown workload":     {fmt.Sprintf(`{"server":%q,"workload":"swim","objects":4}`, url), `workload is "swim"`},
		"at an unknown variant":      {fmt.Sprintf(`{"server":%q,"workload":"sync","objects":4,"variant":"cbor"}`, url), `variant is "cbor"`},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := runContestant(t, c.task); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v does not say %q", err, c.want)
			}
		})
	}
}

func TestQueueHasARate(t *testing.T) {
	if got := runQueue(1000); got.Cycles != 1000 || got.CycleMs <= 0 || got.SameKeyCycleMs <= 0 {
		t.Errorf("something is missing in %+v", got)
	}
}
