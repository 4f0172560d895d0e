package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
)

// pacedResourceVersion is the first resource version of paced events; see ../../workload/pods.ts.
const pacedResourceVersion = 2_000_000_000

// arrivals has the time from the write of each update to its handler.
type arrivals struct {
	epochUs     int64
	latenciesUs []int64
}

func (a *arrivals) note(object any) {
	accessor, err := meta.Accessor(object)
	if err != nil {
		panic(err) // an object without metadata does not get as far as a handler
	}
	version, err := strconv.ParseInt(accessor.GetResourceVersion(), 10, 64)
	if err != nil {
		panic(err) // the static server writes numbers
	}
	writtenUs := version - pacedResourceVersion
	a.latenciesUs = append(a.latenciesUs, time.Now().UnixMicro()-a.epochUs-writtenUs)
}

// percentileMs is sorted by the caller.
func (a *arrivals) percentileMs(share float64) float64 {
	return float64(a.latenciesUs[int(float64(len(a.latenciesUs))*share)]) / 1000
}

// pace has the server send events at a pace, until the handler has had them.
func (r *race) pace(ctx context.Context) error {
	go func() {
		url := fmt.Sprintf("%s/control/pace?events=%d&epochUs=%d", r.task.Server, r.task.Events, r.task.EpochUs)
		if err := post(ctx, url); err != nil {
			r.guard.fail(fmt.Errorf("POST %s: %w", url, err))
		}
	}()
	first := r.subscribers[0]
	if err := r.await(ctx, first.updated, "the paced events"); err != nil {
		return err
	}
	// The first half warms the program up.
	first.arrivals.latenciesUs = first.arrivals.latenciesUs[len(first.arrivals.latenciesUs)/2:]
	slices.Sort(first.arrivals.latenciesUs)
	r.result.LatencyP50Ms = first.arrivals.percentileMs(0.5)
	r.result.LatencyP99Ms = first.arrivals.percentileMs(0.99)
	return nil
}
