package main

import (
	"fmt"
	"mime"
	"net/http"
)

// guard sees to it that what is measured is what was asked for: client-go falls back from a watch-list to a list, and takes
// whatever content type it knows, without a word.
type guard struct {
	contentType string
	watchList   bool
	next        http.RoundTripper
	// failed has the first thing that went wrong. It is not closed.
	failed chan error
}

func newGuard(contentType string, watchList bool) *guard {
	return &guard{contentType: contentType, watchList: watchList, failed: make(chan error, 1)}
}

func (g *guard) wrap(next http.RoundTripper) http.RoundTripper {
	g.next = next
	return g
}

// RoundTrip sends the request on, and reports whatever is wrong with it or with its response.
func (g *guard) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := g.next.RoundTrip(request)
	if err == nil {
		if err = g.check(request, response); err != nil {
			response.Body.Close()
			response = nil
		}
	}
	if err != nil {
		g.fail(fmt.Errorf("GET %s: %w", request.URL, err))
	}
	return response, err
}

func (g *guard) fail(err error) {
	select {
	case g.failed <- err:
	default: // the first says it all
	}
}

func (g *guard) check(request *http.Request, response *http.Response) error {
	query := request.URL.Query()
	if initial := query.Get("sendInitialEvents") == "true"; initial && !g.watchList {
		return fmt.Errorf("a list and a watch were to be measured, not a watch-list")
	}
	if query.Get("watch") == "" && g.watchList {
		return fmt.Errorf("a watch-list was to be measured, not a list")
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the server says %s", response.Status)
	}
	got, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil || got != g.contentType {
		return fmt.Errorf("the server sends %q, not %s", response.Header.Get("Content-Type"), g.contentType)
	}
	return nil
}
