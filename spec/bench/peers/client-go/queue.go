package main

import (
	"fmt"
	"math"
	"sync"

	"k8s.io/client-go/util/workqueue"
)

const (
	queueRounds  = 10
	queueWorkers = 10
)

type queueResult struct {
	Cycles            int     `json:"cycles"`
	CycleMs           float64 `json:"cycleMs"`
	TenWorkersCycleMs float64 `json:"tenWorkersCycleMs"`
	SameKeyCycleMs    float64 `json:"sameKeyCycleMs"`
	ClientGo          string  `json:"clientGo"`
}

func newQueue() workqueue.TypedRateLimitingInterface[string] {
	return workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
}

// finish takes a key through its life with a consumer.
func finish(queue workqueue.TypedRateLimitingInterface[string]) {
	key, _ := queue.Get()
	queue.Forget(key)
	queue.Done(key)
}

// runQueue times cycles over distinct keys, that are all added before the first is taken, with one worker and with ten, and
// cycles over one key again and again.
func runQueue(cycles int) *queueResult {
	keys := make([]string, cycles)
	for i := range keys {
		keys[i] = fmt.Sprintf("namespace-%d/pod-%d", i%100, i)
	}
	queue := newQueue()
	defer queue.ShutDown()
	addAll := func() {
		for _, key := range keys {
			queue.Add(key)
		}
	}
	return &queueResult{
		Cycles: cycles,
		CycleMs: fastest(func() {
			addAll()
			for range keys {
				finish(queue)
			}
		}),
		TenWorkersCycleMs: fastest(func() {
			addAll()
			var workers sync.WaitGroup
			for range queueWorkers {
				workers.Go(func() {
					for range cycles / queueWorkers {
						finish(queue)
					}
				})
			}
			workers.Wait()
		}),
		SameKeyCycleMs: fastest(func() {
			for range keys {
				queue.Add(keys[0])
				finish(queue)
			}
		}),
		ClientGo: clientGoVersion(),
	}
}

func fastest(round func()) float64 {
	best := math.Inf(1)
	for range queueRounds {
		start := startSpan()
		round()
		wallMs, _ := start.elapsed()
		best = min(best, wallMs)
	}
	return best
}
