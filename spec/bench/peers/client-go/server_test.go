package main

import (
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
)

const (
	listVersion = "1999999999"
	burstEnd    = "2999999999"
)

var (
	podsFile = flag.String("pods", "", "`file` with a Pod as JSON a line, with resource versions that begin with 1; without it, some are made up")
	pageSize = flag.Int("page-size", 3, "pods a page of a list")
)

// writePods writes some pods that have what is easily lost: maps, times, quantities, ports, bytes beyond ASCII.
func writePods(t *testing.T, count int) string {
	t.Helper()
	var lines bytes.Buffer
	for i := range count {
		fmt.Fprintf(&lines, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"pod-%d","namespace":"ns-%d","uid":"uid-%d",`+
			`"resourceVersion":"1%09d","creationTimestamp":"2026-03-01T00:00:00Z","labels":{"app":"a","größe":"ü"},`+
			`"managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1","time":"2026-03-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{}}}]},`+
			`"spec":{"nodeName":"node-%d","containers":[{"name":"c","image":"i:1","ports":[{"containerPort":80}],`+
			`"resources":{"limits":{"cpu":"250m","memory":"64Mi"}},"livenessProbe":{"httpGet":{"path":"/","port":"http"}}}]},`+
			`"status":{"phase":"Running"}}`+"\n", i, i%3, i, i, i%7)
	}
	path := filepath.Join(t.TempDir(), "pods.ndjson")
	if err := os.WriteFile(path, lines.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// form is what a server sends of its pods in one content type.
type form struct {
	contentType, streamType                  string
	pages                                    [][]byte
	added, modified, initialEventsEnd, ended []byte
}

// server has pods in both forms, all made beforehand; protobuf is what `encode` writes.
type server struct {
	json, protobuf *form
	pods           int
	burst          chan struct{}
	watches        chan string // content types of the watches that were opened
}

func startServer(t *testing.T, path string) (*server, string) {
	t.Helper()
	before := readFile(t, path)
	after := bytes.ReplaceAll(before, []byte(`"resourceVersion":"1`), []byte(`"resourceVersion":"2`))
	s := &server{
		json:     jsonForm(before, after),
		protobuf: protobufForm(t, before, after),
		pods:     bytes.Count(before, []byte("\n")),
		burst:    make(chan struct{}, 1),
		watches:  make(chan string, 10),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/pods", s.servePods)
	mux.HandleFunc("POST /control/burst", func(w http.ResponseWriter, r *http.Request) { s.burst <- struct{}{} })
	served := httptest.NewServer(mux)
	t.Cleanup(func() {
		served.CloseClientConnections()
		served.Close()
	})
	return s, served.URL
}

func (s *server) servePods(w http.ResponseWriter, r *http.Request) {
	form := s.json
	if strings.HasPrefix(r.Header.Get("Accept"), runtime.ContentTypeProtobuf) { // what comes first is liked best
		form = s.protobuf
	}
	query := r.URL.Query()
	if query.Get("watch") == "" {
		page, _ := strconv.Atoi(query.Get("continue"))
		w.Header().Set("Content-Type", form.contentType)
		w.Write(form.pages[page])
		return
	}
	s.watches <- form.contentType
	w.Header().Set("Content-Type", form.streamType)
	if query.Get("sendInitialEvents") == "true" {
		w.Write(form.added)
		w.Write(form.initialEventsEnd)
	}
	http.NewResponseController(w).Flush()
	select {
	case <-s.burst:
		w.Write(form.modified)
		w.Write(form.ended)
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	case <-r.Context().Done():
	}
}

func jsonForm(before, after []byte) *form {
	f := &form{contentType: runtime.ContentTypeJSON, streamType: runtime.ContentTypeJSON}
	f.added = jsonEvents("ADDED", before)
	f.modified = jsonEvents("MODIFIED", after)
	bookmark := `{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"%s","annotations":%s},"spec":{"containers":null},"status":{}}`
	f.initialEventsEnd = jsonEvents("BOOKMARK", fmt.Appendf(nil, bookmark, listVersion, `{"k8s.io/initial-events-end":"true"}`))
	f.ended = jsonEvents("BOOKMARK", fmt.Appendf(nil, bookmark, burstEnd, "{}"))
	items := bytes.Split(bytes.TrimSpace(before), []byte("\n"))
	for start := 0; start < len(items); start += *pageSize {
		end, next := start+*pageSize, strconv.Itoa(len(f.pages)+1)
		if end >= len(items) {
			end, next = len(items), ""
		}
		f.pages = append(f.pages, fmt.Appendf(nil, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"%s","continue":"%s"},"items":[%s]}`,
			listVersion, next, bytes.Join(items[start:end], []byte(","))))
	}
	return f
}

func jsonEvents(eventType string, pods []byte) []byte {
	var events bytes.Buffer
	for line := range bytes.Lines(pods) {
		fmt.Fprintf(&events, `{"type":"%s","object":%s}`+"\n", eventType, bytes.TrimSpace(line))
	}
	return events.Bytes()
}

func protobufForm(t *testing.T, before, after []byte) *form {
	t.Helper()
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	for name, content := range map[string][]byte{"before.ndjson": before, "after.ndjson": after} {
		if err := os.WriteFile(in(name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mustEncode(t, "--in", in("before.ndjson"), "--watch-frames", in("added.pb"), "--initial-events-end", in("end.pb"),
		"--list-pages", folder, "--page-size", strconv.Itoa(*pageSize), "--resource-version", listVersion)
	mustEncode(t, "--in", in("after.ndjson"), "--watch-frames", in("modified.pb"), "--event-type", "MODIFIED",
		"--bookmark", in("bookmark.pb"), "--resource-version", burstEnd)
	f := &form{
		contentType:      runtime.ContentTypeProtobuf,
		streamType:       runtime.ContentTypeProtobuf + ";stream=watch",
		added:            readFile(t, in("added.pb")),
		modified:         readFile(t, in("modified.pb")),
		initialEventsEnd: readFile(t, in("end.pb")),
		ended:            readFile(t, in("bookmark.pb")),
	}
	for {
		page, err := os.ReadFile(in(fmt.Sprintf("page-%d.pb", len(f.pages))))
		if err != nil {
			return f
		}
		f.pages = append(f.pages, page)
	}
}

func mustEncode(t *testing.T, flags ...string) {
	t.Helper()
	if err := encode(flags); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
