package run

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// An engine that dies while it makes a container is not waited for.
func TestStartOnLostEngine(t *testing.T) {
	created := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Api-Version", "1.44")
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(r.URL.Path, "/version"):
			w.WriteHeader(http.StatusInternalServerError)
		case strings.HasSuffix(r.URL.Path, "/networks"):
			_, _ = io.WriteString(w, `[{"Name": "none"}]`)
		case strings.HasSuffix(r.URL.Path, "/image/json"):
			_, _ = io.WriteString(w, `{"Id": "sha256:1", "Config": {}}`)
		case strings.HasSuffix(r.URL.Path, "/containers/create"):
			created <- struct{}{}
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		default:
			_, _ = io.WriteString(w, "{}")
		}
	}))
	defer server.Close()
	host := strings.Replace(server.URL, "http", "tcp", 1)
	t.Setenv("DOCKER_HOST", host)
	t.Setenv("TESTCONTAINERS_RYUK_DISABLED", "true")
	cluster, err := Docker{Host: host}.Start(t.Context(), "image")
	var absent *EngineError
	if cluster != nil || !errors.As(err, &absent) || !strings.HasPrefix(err.Error(), "engine "+host+" cannot be reached: ") {
		t.Errorf("got %v, %v", cluster, err)
	}
	select {
	case <-created:
	default:
		t.Error("no container was asked for")
	}
}
