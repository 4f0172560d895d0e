package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
)

// podSink writes pods in one form. The envelope is the Pod encoded, and good until add returns.
type podSink interface {
	add(pod *corev1.Pod, envelope []byte) error
	// finish writes what is left. It is not called when something went wrong before.
	finish() error
}

// envelopeEncoder encodes objects as `k8s\0` and a runtime.Unknown.
type envelopeEncoder struct {
	serializer *protobuf.Serializer
	allocator  runtime.Allocator
	buffer     bytes.Buffer
}

func newEnvelopeEncoder() *envelopeEncoder {
	return &envelopeEncoder{serializer: protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)}
}

// encode returns bytes that are good until the next call.
func (e *envelopeEncoder) encode(object runtime.Object) ([]byte, error) {
	e.buffer.Reset()
	err := e.serializer.EncodeWithAllocator(object, &e.buffer, &e.allocator)
	return e.buffer.Bytes(), err
}

// frameFile is a file of frames: 4 bytes big-endian length, then so many bytes. It has its name when it is whole, and not before.
type frameFile struct {
	path     string
	file     *os.File
	buffered *bufio.Writer
	frames   io.Writer
}

func createFrames(path string) (*frameFile, error) {
	file, err := os.Create(path + ".part")
	if err != nil {
		return nil, err
	}
	buffered := bufio.NewWriterSize(file, bufferSize)
	return &frameFile{path, file, buffered, protobuf.LengthDelimitedFramer.NewFrameWriter(buffered)}, nil
}

func (f *frameFile) finish() error {
	if err := errors.Join(f.buffered.Flush(), f.file.Close()); err != nil {
		return err
	}
	return os.Rename(f.file.Name(), f.path)
}

type envelopeSink struct{ *frameFile }

func (s *envelopeSink) add(_ *corev1.Pod, envelope []byte) error {
	_, err := s.frames.Write(envelope)
	return err
}

type eventSink struct {
	*frameFile
	eventType watch.EventType
}

func (s *eventSink) add(_ *corev1.Pod, envelope []byte) error {
	return writeEvent(s.frames, s.eventType, envelope)
}

// writeEvent writes a frame of a watch: the event itself has no envelope, the object within has one.
func writeEvent(frames io.Writer, eventType watch.EventType, envelope []byte) error {
	event := &metav1.WatchEvent{Type: string(eventType), Object: runtime.RawExtension{Raw: envelope}}
	data, err := event.Marshal()
	if err != nil {
		return err
	}
	_, err = frames.Write(data)
	return err
}

func writeBookmark(path, resourceVersion string, annotations map[string]string) error {
	pod := &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{ResourceVersion: resourceVersion, Annotations: annotations},
	}
	envelope, err := newEnvelopeEncoder().encode(pod)
	if err != nil {
		return err
	}
	file, err := createFrames(path)
	if err != nil {
		return err
	}
	if err := writeEvent(file.frames, watch.Bookmark, envelope); err != nil {
		return err
	}
	return file.finish()
}

// pageSink writes a list in pages. It keeps a full page until it is known whether another follows.
type pageSink struct {
	folder  string
	size    int
	page    int
	list    corev1.PodList
	encoder *envelopeEncoder
}

func newPageSink(folder string, size int, resourceVersion string) *pageSink {
	s := &pageSink{folder: folder, size: size, encoder: newEnvelopeEncoder()}
	s.list.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}
	s.list.ResourceVersion = resourceVersion
	return s
}

func (s *pageSink) add(pod *corev1.Pod, _ []byte) error {
	if len(s.list.Items) == s.size {
		if err := s.write(strconv.Itoa(s.page + 1)); err != nil {
			return err
		}
		s.page++
		s.list.Items = s.list.Items[:0]
	}
	s.list.Items = append(s.list.Items, *pod)
	return nil
}

// finish writes the last page, which is the only and an empty one when there are no pods.
func (s *pageSink) finish() error {
	return s.write("")
}

func (s *pageSink) write(next string) error {
	s.list.Continue = next
	data, err := s.encoder.encode(&s.list)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.folder, fmt.Sprintf("page-%d.pb", s.page)), data, 0o666)
}
