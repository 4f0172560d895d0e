package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
)

const bufferSize = 1 << 20

type encodeFlags struct {
	in, frames, watchFrames, eventType, listPages, initialEventsEnd, bookmark, resourceVersion string

	pageSize int
}

func parseEncodeFlags(args []string) (*encodeFlags, error) {
	f := &encodeFlags{}
	set := flag.NewFlagSet("encode", flag.ContinueOnError)
	set.StringVar(&f.in, "in", "", "`file` with a Pod as JSON in each line, with kind and apiVersion")
	set.StringVar(&f.frames, "out-frames", "", "`file` for the pods: 4 bytes big-endian length, then the enveloped Pod, each")
	set.StringVar(&f.watchFrames, "watch-frames", "", "`file` for watch events of the pods, as they go over the wire")
	set.StringVar(&f.eventType, "event-type", string(watch.Added), "`type` of these events: ADDED, MODIFIED or DELETED")
	set.StringVar(&f.listPages, "list-pages", "", "`folder` for pages of a list: page-0.pb and so on, each with the number of the next as its continue token")
	set.IntVar(&f.pageSize, "page-size", 500, "pods a page")
	set.StringVar(&f.initialEventsEnd, "initial-events-end", "", "`file` for the bookmark event that ends the initial events of a watch-list")
	set.StringVar(&f.bookmark, "bookmark", "", "`file` for a bookmark event without a meaning of its own")
	set.StringVar(&f.resourceVersion, "resource-version", "", "`version` of the list and of the bookmarks")
	if err := set.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case set.NArg() > 0:
		return nil, fmt.Errorf("encode takes flags only, not %q", set.Arg(0))
	case f.in == "":
		return nil, errors.New("encode needs --in")
	case f.frames+f.watchFrames+f.listPages+f.initialEventsEnd+f.bookmark == "":
		return nil, errors.New("encode needs something to write: " + usage)
	case f.eventType != string(watch.Added) && f.eventType != string(watch.Modified) && f.eventType != string(watch.Deleted):
		return nil, fmt.Errorf("--event-type is %q: it is ADDED, MODIFIED or DELETED", f.eventType)
	case f.pageSize < 1:
		return nil, fmt.Errorf("--page-size is %d: there has to be one pod a page at least", f.pageSize)
	case f.resourceVersion == "" && f.listPages+f.initialEventsEnd+f.bookmark != "":
		return nil, errors.New("lists and bookmarks need --resource-version")
	}
	return f, nil
}

func encode(args []string) error {
	f, err := parseEncodeFlags(args)
	if err != nil {
		return err
	}
	sinks, err := f.openSinks()
	if err != nil {
		return err
	}
	if err := encodePods(f.in, sinks); err != nil {
		return err
	}
	for _, s := range sinks {
		if err := s.finish(); err != nil {
			return err
		}
	}
	return f.writeBookmarks()
}

func (f *encodeFlags) openSinks() ([]podSink, error) {
	var sinks []podSink
	if f.frames != "" {
		file, err := createFrames(f.frames)
		if err != nil {
			return nil, err
		}
		sinks = append(sinks, &envelopeSink{file})
	}
	if f.watchFrames != "" {
		file, err := createFrames(f.watchFrames)
		if err != nil {
			return nil, err
		}
		sinks = append(sinks, &eventSink{file, watch.EventType(f.eventType)})
	}
	if f.listPages != "" {
		if err := os.MkdirAll(f.listPages, 0o777); err != nil {
			return nil, err
		}
		sinks = append(sinks, newPageSink(f.listPages, f.pageSize, f.resourceVersion))
	}
	return sinks, nil
}

func (f *encodeFlags) writeBookmarks() error {
	if f.initialEventsEnd != "" {
		annotations := map[string]string{metav1.InitialEventsAnnotationKey: "true"}
		if err := writeBookmark(f.initialEventsEnd, f.resourceVersion, annotations); err != nil {
			return err
		}
	}
	if f.bookmark != "" {
		return writeBookmark(f.bookmark, f.resourceVersion, nil)
	}
	return nil
}

// encodePods hands every pod of the file to the sinks, one at a time.
func encodePods(path string, sinks []podSink) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	// Strict, so that no field of a pod is lost because it is not known.
	decoder := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, json.SerializerOptions{Strict: true})
	encoder := newEnvelopeEncoder()
	lines := bufio.NewReaderSize(file, bufferSize)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return err
		}
		if len(line) == 0 {
			return nil
		}
		pod, err := decodePod(decoder, line)
		if err != nil {
			return fmt.Errorf("%s, line %d: %w", path, number, err)
		}
		envelope, err := encoder.encode(pod)
		if err != nil {
			return fmt.Errorf("%s, line %d: %w", path, number, err)
		}
		for _, s := range sinks {
			if err := s.add(pod, envelope); err != nil {
				return err
			}
		}
	}
}

func decodePod(decoder runtime.Decoder, line []byte) (*corev1.Pod, error) {
	object, kind, err := decoder.Decode(line, nil, nil)
	if err != nil {
		return nil, err
	}
	pod, ok := object.(*corev1.Pod)
	if !ok {
		return nil, fmt.Errorf("it is a %s, not a v1 Pod", kind)
	}
	return pod, nil
}
