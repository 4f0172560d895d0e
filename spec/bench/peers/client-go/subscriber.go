package main

import (
	"sync/atomic"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// subscriber is an event handler with a work queue and one consumer, as a controller has them.
type subscriber struct {
	queue workqueue.TypedRateLimitingInterface[string]
	read  func(object any) int

	initial atomic.Int64
	updates atomic.Int64
	wanted  int64
	sum     int
	// arrivals is nil unless latency is measured.
	arrivals *arrivals

	// updated is closed at the last update that is wanted, consumed when the consumer has ended.
	updated  chan struct{}
	consumed chan struct{}
}

var _ cache.ResourceEventHandler = &subscriber{}

func newSubscriber(wanted int, read func(object any) int) *subscriber {
	s := &subscriber{
		queue:    newQueue(),
		read:     read,
		wanted:   int64(wanted),
		updated:  make(chan struct{}),
		consumed: make(chan struct{}),
	}
	go s.consume()
	return s
}

func (s *subscriber) consume() {
	defer close(s.consumed)
	for {
		key, shutdown := s.queue.Get()
		if shutdown {
			return
		}
		s.queue.Forget(key)
		s.queue.Done(key)
	}
}

func (s *subscriber) OnAdd(object any, isInInitialList bool) {
	s.handle(object)
	if isInInitialList {
		s.initial.Add(1)
	}
}

func (s *subscriber) OnUpdate(_, object any) {
	s.handle(object)
	if s.arrivals != nil {
		s.arrivals.note(object)
	}
	if s.updates.Add(1) == s.wanted {
		close(s.updated)
	}
}

func (s *subscriber) OnDelete(object any) {
	if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object); err == nil {
		s.queue.Add(key)
	}
}

func (s *subscriber) handle(object any) {
	if s.read != nil {
		s.sum += s.read(object)
	}
	key, err := cache.MetaNamespaceKeyFunc(object)
	if err != nil {
		panic(err) // an object without metadata does not get as far as a handler
	}
	s.queue.Add(key)
}

// drain has the consumer take what is queued, and end; the queue takes nothing more.
func (s *subscriber) drain() {
	s.queue.ShutDown()
}
