package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"k8s.io/client-go/tools/cache"
)

const (
	deadline = 10 * time.Minute
	settle   = 200 * time.Millisecond
)

type result struct {
	SyncMs         float64 `json:"syncMs"`
	SyncCPUMs      float64 `json:"syncCpuMs"`
	Events         int64   `json:"events"`
	WatchMs        float64 `json:"watchMs"`
	WatchCPUMs     float64 `json:"watchCpuMs"`
	BaseRssBytes   int64   `json:"baseRssBytes"`
	RssBytes       int64   `json:"rssBytes"`
	PeakRssBytes   int64   `json:"peakRssBytes"`
	HeapBytes      int64   `json:"heapBytes"`
	PerObjectBytes int64   `json:"perObjectBytes"`
	ContentType    string  `json:"contentType"`
	WatchList      bool    `json:"watchList"`
	ClientGo       string  `json:"clientGo"`
	LatencyP50Ms   float64 `json:"latencyP50Ms"`
	LatencyP99Ms   float64 `json:"latencyP99Ms"`
	// IdleMs is the time from the start of the program until every key of the first list has been worked on.
	IdleMs float64 `json:"idleMs"`
}

var programStart = time.Now()

// race is one run of a task.
type race struct {
	task        *task
	guard       *guard
	subscribers []*subscriber
	result      result
}

func compete(t *task) (any, error) {
	if t.Workload == "queue" {
		return runQueue(t.Objects), nil
	}
	if err := setWatchList(t.ListWatch); err != nil {
		return nil, err
	}
	contentType := variants[t.Variant].contentType
	r := &race{task: t, guard: newGuard(contentType, !t.ListWatch)}
	r.result = result{ContentType: contentType, WatchList: !t.ListWatch, ClientGo: clientGoVersion()}
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	if err := r.run(ctx); err != nil {
		return nil, err
	}
	return &r.result, nil
}

func (r *race) run(ctx context.Context) (err error) {
	if r.result.BaseRssBytes, err = settledRss(); err != nil {
		return err
	}
	if err = r.sync(ctx); err != nil {
		return err
	}
	if r.task.Workload == "restart" {
		return r.finish(ctx)
	}
	if r.task.Workload == "latency" {
		return r.pace(ctx)
	}
	if r.task.Workload != "sync" {
		time.Sleep(settle)
		if r.result.RssBytes, err = settledRss(); err != nil {
			return err
		}
		r.result.HeapBytes = liveHeap()
		r.result.PerObjectBytes = (r.result.RssBytes - r.result.BaseRssBytes) / int64(r.task.Objects)
	}
	if r.task.Workload == "watch" {
		if err = r.watch(ctx); err != nil {
			return err
		}
	}
	r.result.PeakRssBytes, err = peakRss()
	return err
}

// sync runs the informer until every handler has been given the initial list.
func (r *race) sync(ctx context.Context) error {
	chosen := variants[r.task.Variant]
	start := startSpan()
	informer, err := chosen.newInformer(newConfig(r.task.Server, chosen.contentType, r.guard))
	if err != nil {
		return err
	}
	if err := informer.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) {
		r.guard.fail(err) // a run with retries in it measures them, too
	}); err != nil {
		return err
	}
	read := chosen.read
	if r.task.Reads == "metadata" {
		read = nil
	}
	registrations := make([]cache.ResourceEventHandlerRegistration, r.task.Handlers)
	for i := range registrations {
		s := newSubscriber(r.task.Events, read)
		if r.task.Workload == "latency" {
			s.arrivals = &arrivals{epochUs: r.task.EpochUs}
		}
		if registrations[i], err = informer.AddEventHandler(s); err != nil {
			return err
		}
		r.subscribers = append(r.subscribers, s)
	}
	go informer.RunWithContext(ctx)
	for _, registration := range registrations {
		if err := r.await(ctx, registration.HasSyncedChecker().Done(), "the initial list"); err != nil {
			return err
		}
	}
	r.result.SyncMs, r.result.SyncCPUMs = start.elapsed()
	for i, s := range r.subscribers {
		if got := s.initial.Load(); got != int64(r.task.Objects) {
			return fmt.Errorf("handler %d was given %d objects, not %d", i, got, r.task.Objects)
		}
	}
	return nil
}

// finish waits until every key of the first list has been worked on.
func (r *race) finish(ctx context.Context) error {
	for _, s := range r.subscribers {
		s.drain()
	}
	for _, s := range r.subscribers {
		if err := r.await(ctx, s.consumed, "the end of the queue"); err != nil {
			return err
		}
	}
	r.result.IdleMs = float64(time.Since(programStart).Microseconds()) / 1000
	return nil
}

// watch has the server send the burst, until every handler has had it and every queue is done.
func (r *race) watch(ctx context.Context) error {
	start := startSpan()
	go r.burst(ctx)
	for _, s := range r.subscribers {
		if err := r.await(ctx, s.updated, "the burst"); err != nil {
			return err
		}
		s.drain()
	}
	for _, s := range r.subscribers {
		if err := r.await(ctx, s.consumed, "the end of the queue"); err != nil {
			return err
		}
	}
	r.result.WatchMs, r.result.WatchCPUMs = start.elapsed()
	r.result.Events = r.subscribers[0].updates.Load()
	return nil
}

// burst asks for the burst; the server answers when it has written it.
func (r *race) burst(ctx context.Context) {
	url := fmt.Sprintf("%s/control/burst?events=%d&objects=%d", r.task.Server, r.task.Events, r.task.Targets)
	if err := post(ctx, url); err != nil {
		r.guard.fail(fmt.Errorf("POST %s: %w", url, err))
	}
}

func post(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("the server says %s", response.Status)
	}
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

// await waits for the channel to close, unless something goes wrong or the deadline passes before.
func (r *race) await(ctx context.Context, done <-chan struct{}, what string) error {
	select {
	case <-done:
		return nil
	case err := <-r.guard.failed:
		return err
	case <-ctx.Done():
	}
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ctx.Err()
	}
	for i, s := range r.subscribers {
		if initial, updates := s.initial.Load(), s.updates.Load(); initial < int64(r.task.Objects) || updates < int64(r.task.Events) {
			return fmt.Errorf("%s did not come in %s: handler %d has %d of %d objects, %d of %d updates",
				what, deadline, i, initial, r.task.Objects, updates, r.task.Events)
		}
	}
	return fmt.Errorf("%s did not come in %s: every handler has everything", what, deadline)
}
