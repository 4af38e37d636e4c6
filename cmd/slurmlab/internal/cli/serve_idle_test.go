package cli

import (
	"net/http"
	"testing"
	"time"
)

// A connection over which nothing goes is closed, whatever its browser does.
func TestServerLetsIdleConnectionsGo(t *testing.T) {
	server := httpServer(http.NotFoundHandler())
	for name, limit := range map[string]time.Duration{
		"of a header": server.ReadHeaderTimeout, "of a request": server.ReadTimeout, "of an answer": server.WriteTimeout, "between requests": server.IdleTimeout,
	} {
		if limit <= 0 {
			t.Errorf("the time %s has no limit", name)
		}
	}
}
