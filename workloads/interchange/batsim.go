package interchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// Resource is what a resource of a Batsim workload stands for.
type Resource string

// The kinds of resources.
const (
	// Core is the default: the workloads that Batsim's tools make of SWF traces
	// have processors as resources.
	Core Resource = "core"
	// Node makes a job that asks for n resources one for n whole nodes.
	Node Resource = "node"
)

// Resources returns all kinds.
func Resources() []Resource { return []Resource{Core, Node} }

// About says in a few words what there is one resource for.
func (r Resource) About() string {
	if r == Node {
		return "a resource is a whole node"
	}
	return "a resource is a processor core"
}

// ParseResource reads a name.
func ParseResource(name string) (Resource, error) {
	if r := Resource(name); slices.Contains(Resources(), r) {
		return r, nil
	}
	return "", fmt.Errorf("resource: got %q, allowed core, node", name)
}

// HasResources says whether a format has Batsim's resources.
func HasResources(format string) bool { return format == "batsim" }

// batsimJob is an entry of "jobs" (Batsim, docs/input-workload.rst).
type batsimJob struct {
	ID       json.RawMessage `json:"id"`
	Submit   *float64        `json:"subtime"`
	Res      int             `json:"res"`
	Profile  string          `json:"profile"`
	Walltime *float64        `json:"walltime,omitempty"`
	// User and UserID are not Batsim's, but tools that make workloads of SWF
	// traces add them: a name or a number.
	User   json.RawMessage `json:"user,omitempty"`
	UserID json.RawMessage `json:"user_id,omitempty"`
	Extra  json.RawMessage `json:"extra_data,omitempty"`
}

// batsimProfile is an entry of "profiles". Only a delay has a run time that
// does not depend on a simulated platform.
type batsimProfile struct {
	Type  string  `json:"type"`
	Delay float64 `json:"delay"`
}

// batsimExtra is what this package keeps in extra_data, so that nothing is lost
// on the way through Batsim's format.
type batsimExtra struct {
	Slurmlab *ownJob `json:"slurmlab"`
}

// ownJob has the columns of workload.csv that Batsim does not know.
type ownJob struct {
	Nodes        int               `json:"nodes,omitempty"`
	NodesMax     int               `json:"nodes_max,omitempty"`
	Cores        int               `json:"cores"`
	CoresPerNode int               `json:"cores_per_node,omitempty"`
	GPUsMin      int               `json:"gpus_min,omitempty"`
	GPUsMax      int               `json:"gpus_max,omitempty"`
	Contiguous   bool              `json:"contiguous,omitempty"`
	Class        string            `json:"class"`
	User         string            `json:"user,omitempty"`
	Outcome      workloads.Outcome `json:"outcome,omitempty"`
	CancelAfter  int               `json:"cancel_after_s,omitempty"`
	workloads.Options
	workloads.Terms
}

// walkBatsim reads the workload twice, because a job's run time is in its
// profile and the profiles mostly come last.
func walkBatsim(src records.Source, o ImportOptions, raw io.Writer, use func(trace) error) error {
	profiles := map[string]batsimProfile{}
	err := src.Read(nil, func(in io.Reader) error {
		d := records.NewDocument(src.Name, in)
		return d.Members(func(key string) error {
			if key != "profiles" {
				return d.Skip()
			}
			return d.Object(func(name string) error {
				var p batsimProfile
				if err := d.Value(&p); err != nil {
					return err
				}
				profiles[name] = p
				return nil
			})
		})
	})
	if err != nil {
		return err
	}
	return src.Read(raw, func(in io.Reader) error {
		b := &batsimReader{doc: records.NewDocument(src.Name, in), profiles: profiles, resource: o.Resource}
		found := false
		err := b.doc.Members(func(key string) error {
			if key != "jobs" {
				return b.doc.Skip()
			}
			if found {
				return b.doc.Fail("jobs: got two lists, allowed one")
			}
			found = true
			return b.doc.Array(func() error { return use(b) })
		})
		if err == nil && !found {
			err = b.doc.Fail(`jobs: missing, allowed an object with "jobs" and "profiles"`)
		}
		return err
	})
}

type batsimReader struct {
	doc      *records.Document
	profiles map[string]batsimProfile
	resource Resource
}

func (b *batsimReader) header() []string { return nil }

// epoch is not known: Batsim counts from the start of a simulation.
func (b *batsimReader) epoch() (float64, bool) { return 0, false }

func (b *batsimReader) next() (request, error) {
	if !b.doc.More() {
		return request{}, io.EOF
	}
	var j batsimJob
	err := b.doc.Value(&j)
	// The line in messages is the one in which the entry ends, because the JSON
	// decoder tells no other.
	line := b.doc.Line()
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return request{}, records.Bad(line, wrong.Field, "got "+wrong.Value, wrong.Type.String())
	}
	if err != nil {
		return request{}, err
	}
	return b.request(line, j)
}

func (b *batsimReader) request(line int, j batsimJob) (request, error) {
	req := request{line: line, id: string(j.ID)}
	var text string
	if json.Unmarshal(j.ID, &text) == nil {
		req.id = text
	}
	of := "job " + faults.Quote(req.id) + ": "
	if j.Submit == nil || *j.Submit < 0 || *j.Submit >= 1e15 {
		return req, records.Bad(line, of+"subtime", "", "seconds from 0")
	}
	if j.Res < 1 {
		return req, records.Bad(line, of+"res", fmt.Sprintf("got %d", j.Res), "a whole number from 1")
	}
	profile, ok := b.profiles[j.Profile]
	if !ok {
		return req, records.BadField(line, of+"profile", j.Profile, "a name in profiles")
	}
	if profile.Type != "delay" && profile.Type != "DelayProfile" || profile.Delay < 0 || profile.Delay >= 1e15 {
		return req, records.Bad(line, of+"profile "+faults.Quote(j.Profile), fmt.Sprintf("got type %s, delay %g", faults.Quote(profile.Type), profile.Delay),
			"type delay or DelayProfile with seconds from 0")
	}
	req.submit, req.runtime = *j.Submit, profile.Delay
	if j.Walltime != nil && *j.Walltime > 0 {
		req.limit = *j.Walltime
	}
	req.cores = j.Res
	if b.resource == Node {
		req.nodes = j.Res
	}
	who, ok := j.user()
	if !ok {
		return req, records.Bad(line, of+"user", "", "a name, or a whole number, -1 for unknown")
	}
	req.user = who
	own, err := ownOf(j.Extra)
	if err != nil {
		return req, records.Bad(line, "", of+"extra_data: slurmlab: "+err.Error(), "")
	}
	if req.own = own; own != nil {
		req.nodes, req.cores, req.gpus = own.Nodes, own.Cores, own.Nodes*own.GPUsMax
		req.user = user{text: own.User}
		req.outcome, req.cancelAfter = own.Outcome, float64(own.CancelAfter)
		req.options, req.terms = own.Options, own.Terms
	}
	return req, nil
}

// user is that of either field; ok is false for one that is neither a name nor a
// number.
func (j batsimJob) user() (who user, ok bool) {
	value := j.User
	if len(value) == 0 {
		value = j.UserID
	}
	switch text := string(value); {
	case text == "", text == "null", text == "-1":
		return user{}, true
	case text[0] == '"':
		err := json.Unmarshal(value, &who.text)
		return who, err == nil
	case len(text) <= 15 && strings.Trim(text, "0123456789") == "":
		return user{text: text, number: true}, true
	}
	return user{}, false
}

// ownOf finds what this package has written into extra_data: a string with JSON
// in it, as Batsim 5 wants it. Anything else is somebody else's.
func ownOf(extra json.RawMessage) (*ownJob, error) {
	var text string
	if len(extra) == 0 || json.Unmarshal(extra, &text) != nil {
		return nil, nil
	}
	var found struct {
		Slurmlab json.RawMessage `json:"slurmlab"`
	}
	if json.Unmarshal([]byte(text), &found) != nil || len(found.Slurmlab) == 0 {
		return nil, nil
	}
	var own ownJob
	if err := json.Unmarshal(found.Slurmlab, &own); err != nil {
		return nil, err
	}
	if own.Nodes < 0 || own.Nodes > math.MaxInt16 || own.NodesMax < 0 || own.NodesMax > math.MaxInt16 || own.GPUsMax < 0 || own.GPUsMax > math.MaxInt16 || own.Cores < 1 || own.Cores > math.MaxInt32 {
		return nil, fmt.Errorf("got %d nodes, %d cores, %d GPUs, allowed whole numbers of a job", own.Nodes, own.Cores, own.GPUsMax)
	}
	return &own, nil
}
