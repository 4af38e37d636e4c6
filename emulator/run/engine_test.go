package run

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm"
)

// A container that somebody removes is none of the clusters, whether the list, the look at it or neither still has it. It
// would be an orphan for doctor, and in the way of a test that nothing is left. Docker calls one "removing" that does not
// run (State.StateString of the engine).
func TestClustersThatAreRemovedAreNone(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Api-Version", "1.44")
		w.Header().Set("Content-Type", "application/json")
		var answer any = map[string]any{}
		path, one := strings.CutSuffix(r.URL.Path, "/json")
		switch id := path[strings.LastIndex(path, "/")+1:]; {
		case one && id == "containers":
			list := []any{}
			for _, c := range [][2]string{{"runs", "running"}, {"ended", "exited"}, {"removed-in-list", "removing"}, {"removed-in-look", "exited"}, {"gone", "exited"}} {
				list = append(list, map[string]any{"Id": c[0], "State": c[1], "Labels": map[string]string{slurm.RoleLabel: slurm.RoleRun, slurm.NameLabel: c[0]}})
			}
			answer = list
		case one && id == "ended":
			answer = map[string]any{"Id": id, "State": map[string]any{"Status": "exited", "FinishedAt": "2026-11-21T09:58:14Z"}}
		case one && id == "removed-in-look":
			answer = map[string]any{"Id": id, "State": map[string]any{"Status": "removing"}}
		case one:
			w.WriteHeader(http.StatusNotFound)
		}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	all, err := Docker{Host: strings.Replace(server.URL, "http", "tcp", 1)}.Clusters(t.Context(), "", "")
	var names []string
	for _, c := range all {
		names = append(names, c.Name)
	}
	if want := []string{"runs", "ended"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("got %q, %v, want %q", names, err, want)
	}
}
