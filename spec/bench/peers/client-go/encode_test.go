package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/client-go/kubernetes/scheme"
)

func TestFramesHoldThePodsOfTheirJSON(t *testing.T) {
	in := writePods(t, 5)
	out := filepath.Join(t.TempDir(), "pods.pb")
	mustEncode(t, "--in", in, "--out-frames", out)
	frames := readFile(t, out)
	decoder := scheme.Codecs.UniversalDeserializer()
	for line := range bytes.Lines(readFile(t, in)) {
		length := binary.BigEndian.Uint32(frames)
		got, kind, err := decoder.Decode(frames[4:4+length], nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, _, err := decoder.Decode(line, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !equality.Semantic.DeepEqual(got, want) || *kind != corev1.SchemeGroupVersion.WithKind("Pod") {
			t.Errorf("%s came back as %v", line, got)
		}
		frames = frames[4+length:]
	}
	if len(frames) > 0 {
		t.Errorf("%d bytes are left", len(frames))
	}
}

func TestEncodeRefuses(t *testing.T) {
	folder := t.TempDir()
	pod := `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}`
	for name, c := range map[string]struct{ lines, want string }{
		"a field that it would lose": {pod + "\n" + `{"kind":"Pod","apiVersion":"v1","spek":{}}`, `line 2: strict decoding error: unknown field "spek"`},
		"another kind":               {`{"kind":"Node","apiVersion":"v1"}`, "not a v1 Pod"},
		"an empty line":              {pod + "\n\n" + pod, "line 2"},
	} {
		t.Run(name, func(t *testing.T) {
			in := filepath.Join(folder, "in.ndjson")
			if err := os.WriteFile(in, []byte(c.lines), 0o600); err != nil {
				t.Fatal(err)
			}
			out := filepath.Join(folder, "out.pb")
			err := encode([]string{"--in", in, "--out-frames", out})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v does not say %q", err, c.want)
			}
			if _, err := os.Stat(out); err == nil {
				t.Error("part of the pods is written as if it were all")
			}
		})
	}
	for _, flags := range []string{"", "--in x", "--in x --bookmark y", "--in x --out-frames y --event-type Z", "--in x --list-pages y --resource-version 1 --page-size 0"} {
		if err := encode(strings.Fields(flags)); err == nil {
			t.Errorf("%q was taken", flags)
		}
	}
}
