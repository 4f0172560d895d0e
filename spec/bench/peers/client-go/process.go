package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// span is what a stretch of work took, of the clock and of the processors.
type span struct {
	wall time.Time
	cpu  time.Duration
}

func startSpan() span {
	return span{wall: time.Now(), cpu: cpuTime()}
}

func (s span) elapsed() (wallMs, cpuMs float64) {
	return milliseconds(time.Since(s.wall)), milliseconds(cpuTime() - s.cpu)
}

func milliseconds(d time.Duration) float64 {
	return float64(d.Microseconds()) / 1000
}

// cpuTime is the user and system time of the process so far.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err) // RUSAGE_SELF and a pointer to a Rusage cannot be wrong
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// settledRss is the resident memory once garbage is collected and given back to the system.
func settledRss() (int64, error) {
	runtime.GC()
	debug.FreeOSMemory()
	return procStatus("VmRSS")
}

// peakRss is the most memory that was ever resident.
func peakRss() (int64, error) {
	return procStatus("VmHWM")
}

func liveHeap() int64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// procStatus reads a size of /proc/self/status, in bytes.
func procStatus(field string) (int64, error) {
	file, err := os.Open("/proc/self/status")
	if err != nil {
		return 0, fmt.Errorf("resident memory is only known on Linux: %w", err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		value, found := strings.CutPrefix(lines.Text(), field+":")
		if !found {
			continue
		}
		kilobytes, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(value, "kB")), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s of /proc/self/status: %w", field, err)
		}
		return kilobytes * 1024, nil
	}
	return 0, fmt.Errorf("/proc/self/status has no %s", field)
}

// clientGoVersion is the version of client-go that is built in.
func clientGoVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dependency := range info.Deps {
			if dependency.Path == "k8s.io/client-go" {
				return dependency.Version
			}
		}
	}
	return "unknown"
}
