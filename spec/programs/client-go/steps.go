package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

const stepLimit = 60 * time.Second

// step runs a check and prints its outcome. A failed one does not stop the others.
func step(name string, check func(ctx context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), stepLimit)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		defer func() {
			if problem := recover(); problem != nil {
				done <- fmt.Errorf("panic: %v", problem)
			}
		}()
		done <- check(ctx)
	}()
	var err error
	select {
	case err = <-done:
	case <-time.After(stepLimit + 5*time.Second):
		err = fmt.Errorf("no end after %s", stepLimit)
	}
	if err == nil {
		fmt.Printf("STEP ok %s\n", name)
		return
	}
	fmt.Printf("STEP failed %s: %s\n", name, strings.Join(strings.Fields(err.Error()), " "))
}

func expect(holds bool, format string, values ...any) error {
	if holds {
		return nil
	}
	return fmt.Errorf(format, values...)
}

// refused checks the reason of an error, and parts of its message.
func refused(err error, reason string, parts ...string) error {
	if err == nil {
		return fmt.Errorf("accepted, but %s was expected", reason)
	}
	if got := string(apierrors.ReasonForError(err)); got != reason {
		return fmt.Errorf("reason %q in place of %q: %v", got, reason, err)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			return fmt.Errorf("no %q in: %v", part, err)
		}
	}
	return nil
}

// eventually repeats a check until it holds or the time of the step is over.
func eventually(ctx context.Context, what string, holds func() bool) error {
	for !holds() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("not in time: %s", what)
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}

func ptr[T any](value T) *T { return &value }
