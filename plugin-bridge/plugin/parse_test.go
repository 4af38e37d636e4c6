package plugin_test

import (
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/plugin"
)

// An answer that is not of the protocol is refused with what is wrong with it; a field that
// the protocol does not have would have no effect.
func TestReadAnswer(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{`{"type":"answer","number":7}`, ""},
		{`{"type":"answer","number":7,"start":[{"job":1,"nodes":["n1"],"cores":[4],"gpus_per_node":0}],"reserve":[{"job":2,"start_s":90}],"wait_until_s":60}`, ""},
		{`looking at job 3`, `"looking at job 3" is no JSON object; what is no message belongs on standard error`},
		{`[]`, `"[]" is no JSON object`},
		{`null`, `"null" is no JSON object`},
		{``, `"" is no JSON object`},
		{strings.Repeat("é", 100), `é"... is no JSON object`},
		{`{"number":7}`, `type: want "answer" in`},
		{`{"type":"hello","number":7}`, `type: want "answer" in`},
		{`{"type":"answer","number":6}`, "number: it answers snapshot 6, asked was 7"},
		{`{"type":"answer","number":7,"starts":[]}`, `unknown field "starts"`},
		{`{"type":"answer","number":7,"start":[{"job":"1","nodes":[]}]}`, "start.job: got a string, want: integer"},
		{`{"type":"answer","number":7,"start":[{"job":1,"nodes":"n1"}]}`, "start.nodes: got a string, want: list of string"},
		{`{"type":"answer","number":7,"start":[{"job":1.5}]}`, "start.job: got a number 1.5, want: integer"},
		{`{"type":"answer","number":7} {"type":"answer","number":7}`, "is no JSON object"},
		{`{"type":"answer","number":7,"wait_until_s":-1}`, "wait_until_s: -1 is not allowed"},
		{`{"type":"answer","number":7,"reserve":[{"job":1,"start_s":1e300}]}`, "start_s: 1e+300 is not allowed"},
	} {
		_, err := plugin.ReadAnswer([]byte(tt.line), 7)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.line, err, tt.want)
		}
	}
}

func TestReadWelcome(t *testing.T) {
	if w, err := plugin.ReadWelcome([]byte(`{"type":"hello","version":1,"name":"mine"}` + "\n")); err != nil || w.Name != "mine" {
		t.Errorf("%+v, %v", w, err)
	}
	_, err := plugin.ReadWelcome([]byte(`{"type":"hello","version":2}`))
	if err == nil || err.Error() != "version: it speaks 2, slurmlab speaks 1" {
		t.Errorf("%v", err)
	}
}

// Whatever a program writes, the answer is an error or can be judged, and what is started
// oversells no node and is laid out as the placement rule lays it out.
func FuzzReadAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"type":"answer","number":1}`,
		`{"type":"answer","number":1,"start":[{"job":1,"nodes":["n1","n2"],"cores":[4,4]},{"job":2,"nodes":["n2","n2"]},{"job":3,"nodes":["n9"]}]}`,
		`{"type":"answer","number":1,"start":[{"job":4,"nodes":["n4","n3"],"cores":[5,6]},{"job":1,"nodes":["n3"]}],"reserve":[{"job":5,"start_s":3,"nodes":["x"]}]}`,
		`{"type":"answer","number":1,"start":[{"job":5,"nodes":["n1","n2","n3"],"gpus_per_node":2},{"job":1,"nodes":[]}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		answer, err := plugin.ReadAnswer(line, 1)
		if err != nil {
			return
		}
		s := small()
		bids, faults := plugin.Judge(s, answer)
		if len(bids)+len(faults) < len(answer.Start) {
			t.Errorf("%d starts, %d bids, %d faults", len(answer.Start), len(bids), len(faults))
		}
		sound(t, s, bids)
	})
}
