package trace

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
)

func someSettings() Settings {
	return Settings{
		ToolVersion: "0.1.0", GitRevision: "abc", ImageID: "sha256:1", SlurmVersion: "24.11.5", HiGHSVersion: "1.10.0",
		Machine:  workloads.Machine{Name: "S", Nodes: 128, Cores: 8, GPUs: 2},
		Workload: "V.2", WorkloadSpec: json.RawMessage(`{"name":"V.2"}`), Seed: 1,
		Policy: "auction", Parameters: json.RawMessage(`{"window":500,"trees":{"a":1}}`),
		ValueRule: "alike s^1", SchedulerType: "sched/builtin", SchedulerParameters: "a=1", PriorityType: "priority/basic", PriorityParameters: "b=1",
		SlurmSettings:     map[string]string{"KillWait": "30"},
		FullConfiguration: "Z", Events: &events.Sum{Count: 2, SHA256: "ab"}, Clock: ClockJump, TimeScale: 1, ThinkScale: 1,
	}
}

// change gives a field of a struct another value than it has.
func change(t *testing.T, field reflect.Value) {
	t.Helper()
	switch field.Interface().(type) {
	case json.RawMessage:
		field.SetBytes([]byte(`{"changed":1}`))
		return
	case map[string]string:
		field.Set(reflect.ValueOf(map[string]string{"KillWait": "60"}))
		return
	case *events.Sum:
		field.Set(reflect.ValueOf(&events.Sum{Count: 2, SHA256: "cd"}))
		return
	case workloads.Machine:
		field.FieldByName("Nodes").SetInt(field.FieldByName("Nodes").Int() + 1)
		return
	}
	switch field.Kind() {
	case reflect.String:
		field.SetString(field.String() + "x")
	case reflect.Int:
		field.SetInt(field.Int() + 1)
	case reflect.Uint64:
		field.SetUint(field.Uint() + 1)
	case reflect.Float64:
		field.SetFloat(field.Float() + 1)
	case reflect.Pointer:
		field.Set(reflect.ValueOf(&Continued{Checkpoint: "x"}))
	default:
		t.Fatalf("a setting of kind %s: say here how to change it", field.Kind())
	}
}

func jsonName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}

// Each field of Settings is a difference when it changes, under the purpose that
// lets nothing differ; only the version of HiGHS is never compared, because the
// image stands for it, and the name of the events, which may be the same under two names. Under each purpose exactly the fields that it names are
// free.
func TestEverySettingIsCompared(t *testing.T) {
	always := []string{"highs_version", "events_name"}
	tool := []string{"tool_version", "git_revision", "image_id"}
	policy := []string{"policy", "policy_parameters", "value_rule", "scheduler_type", "scheduler_parameters", "priority_type", "priority_parameters", "slurm_settings"}
	clock := []string{"clock", "time_scale", "think_scale"}
	for _, purpose := range []struct {
		name string
		free Free
		want []string
	}{
		{"the same run again", Free{}, nil},
		{"the report", Free{Policy: true, Seed: true, Window: true}, append([]string{"seed", "window"}, policy...)},
		{"replicas", Free{Tool: true, Seed: true, Window: true, Jobs: true}, append([]string{"seed", "window"}, tool...)},
		{"pairs of policies", Free{Tool: true, Policy: true}, slices.Concat(tool, policy)},
		{"pairs of backends", Free{Tool: true, Backend: true}, slices.Concat(tool, []string{"backend", "slurm"})},
		{"pairs of machines", Free{Tool: true, Machine: true}, append([]string{"machine"}, tool...)},
		{"pairs of lists of events", Free{Tool: true, Events: true}, append([]string{"events"}, tool...)},
		{"pairs of a paper with and without ranges", Free{Tool: true, Policy: true, Workload: true}, slices.Concat(tool, policy, []string{"workload", "workload_spec"})},
		{"clocks", Free{Tool: true, Seed: true, Clock: true}, slices.Concat(tool, clock, []string{"seed"})},
	} {
		for _, field := range reflect.VisibleFields(reflect.TypeFor[Settings]()) {
			if field.Anonymous {
				continue
			}
			name := jsonName(field)
			other := someSettings()
			change(t, reflect.ValueOf(&other).Elem().FieldByIndex(field.Index))
			got := someSettings().Differences(other, purpose.free).Names()
			want := []string{name}
			if slices.Contains(always, name) || slices.Contains(purpose.want, name) {
				want = nil
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, %s has changed: got differences %q, want %q", purpose.name, name, got, want)
			}
		}
	}
}

// A field of run.json is a setting, or what came of the run. A new field of Run
// must be put into one of the two.
func TestEveryFieldOfRunIsSettingOrOutcome(t *testing.T) {
	outcomes := []string{
		"schema_version", "id", "engine", "mariadb_version", "core", "status", "reason", "started", "finished", "real_s", "arrival_lag_max_s", "jobs", "submitted", "fidelity",
		"jobs_ended", "container", "failed_jobs", "slurm_sources", "restarts", "cycles", "memory_bytes", "stages", "effective_settings", "happened", "victims", "lateness", "program",
	}
	kind := reflect.TypeFor[Run]()
	for i := range kind.NumField() {
		field := kind.Field(i)
		if field.Type != reflect.TypeFor[Settings]() && !slices.Contains(outcomes, jsonName(field)) {
			t.Errorf("field %s of Run is neither in Settings nor known as an outcome", field.Name)
		}
	}
}

// Other people's tools may read run.json line by line, so its order stays.
func TestOrderOfRunJSON(t *testing.T) {
	run := jumpRun()
	run.Settings = someSettings()
	text, err := json.MarshalIndent(run, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for line := range strings.Lines(string(text)) {
		if key, found := strings.CutPrefix(line, `  "`); found {
			key, _, _ = strings.Cut(key, `"`)
			keys = append(keys, key)
		}
	}
	want := "schema_version id tool_version git_revision image_id slurm slurm_version highs_version machine workload workload_spec seed policy " +
		"policy_parameters value_rule scheduler_type scheduler_parameters priority_type priority_parameters slurm_settings full_configuration events clock time_scale " +
		"think_scale core status started finished real_s arrival_lag_max_s jobs submitted fidelity"
	if got := strings.Join(keys, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDifferencesAreNamed(t *testing.T) {
	for _, test := range []struct {
		free Free
		edit func(*Settings)
		want string
	}{
		{Free{}, func(*Settings) {}, ""},
		{Free{}, func(s *Settings) { s.Machine.Name, s.Machine.Nodes = "M", 256 }, `machine.name ("S" and "M"), machine.nodes (128 and 256)`},
		{Free{}, func(s *Settings) { s.Machine.Switches = workloads.Tree{Nodes: 16, Fanout: 4} }, `machine.switches (absent and {"fanout":4,"nodes":16})`},
		// A float64 takes the seeds for the same.
		{Free{}, func(s *Settings) { s.Seed = 1<<53 + 1 }, "seed (1 and 9007199254740993)"},
		// How a file is indented is no setting.
		{Free{}, func(s *Settings) { s.Parameters = json.RawMessage("{ \"trees\": {\"a\": 1},\n \"window\": 500}") }, ""},
		{Free{}, func(s *Settings) { s.Parameters = json.RawMessage(`{"window":500,"trees":{"a":2}}`) }, "policy_parameters.trees.a (1 and 2)"},
		{Free{}, func(s *Settings) { s.Parameters = json.RawMessage(`{`) }, `policy_parameters ({"trees":{"a":1},"window":500} and "{")`},
		{Free{}, func(s *Settings) { s.FullConfiguration = "" }, `full_configuration ("Z" and absent)`},
		{Free{}, func(s *Settings) { s.Workload = strings.Repeat("x", 100) }, `workload ("V.2" and "` + strings.Repeat("x", 79) + "...)"},
		// What follows from another difference is not named beside it.
		{Free{}, func(s *Settings) { s.Policy, s.Parameters, s.SchedulerType = "fifo", nil, "" }, `policy ("auction" and "fifo")`},
		{Free{}, func(s *Settings) { s.Workload, s.WorkloadSpec = "V.1", nil }, `workload ("V.2" and "V.1")`},
		// What a run could not find out is no difference.
		{Free{}, func(s *Settings) { s.GitRevision, s.ImageID, s.SlurmVersion = "", "", "" }, ""},
		// A run that does not record its rule of values has the former one.
		{Free{Tool: true, Seed: true}, func(s *Settings) { s.ValueRule = "" }, `value_rule ("alike s^1" and absent)`},
		// A slurmlab that did not record the scheduler had one all the same.
		{Free{}, func(s *Settings) { s.SchedulerType = "" }, `scheduler_type ("sched/builtin" and absent)`},
		{Free{Tool: true}, func(s *Settings) { s.SchedulerType, s.SchedulerParameters = "", "" }, ""},
	} {
		other := someSettings()
		test.edit(&other)
		if got := someSettings().Differences(other, test.free).String(); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
		if test.want == "" {
			continue
		}
		if back := other.Differences(someSettings(), test.free); len(back) == 0 {
			t.Errorf("%s: no difference the other way round", test.want)
		}
	}
}

// The jobs in workload.csv are compared byte by byte unless they are free.
func TestJobsAreCompared(t *testing.T) {
	a := Data{Run: Run{Settings: someSettings()}, Workload: []byte("a")}
	b := Data{Run: Run{Settings: someSettings()}, Workload: []byte("b")}
	if got, want := a.Differences(b, Free{Seed: true}).String(), "workload.csv (sha256 ca978112 and sha256 3e23e816)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, free := range []Free{{Jobs: true}, {Workload: true}} {
		if got := a.Differences(b, free); len(got) > 0 {
			t.Errorf("%+v: got %s", free, got)
		}
	}
	if got := a.Differences(a, Free{}); len(got) > 0 {
		t.Errorf("a run differs from itself in %s", got)
	}
}

// Checkpoints of several seeds are replicas, each of a past of its own; with one seed another past is another experiment, and so is
// none.
func TestPastsAreCompared(t *testing.T) {
	of := func(seed uint64, checkpoint string) Settings {
		s := someSettings()
		s.Seed, s.Continues = seed, nil
		if checkpoint != "" {
			s.Continues = &Continued{Checkpoint: checkpoint}
		}
		return s
	}
	for _, test := range []struct {
		name  string
		other Settings
		free  Free
		want  []string
	}{
		{"replicas", of(2, "b"), Free{Seed: true}, nil},
		{"the same seed", of(1, "b"), Free{Seed: true}, []string{"continues"}},
		{"seeds that are to be equal", of(2, "b"), Free{}, []string{"seed", "continues"}},
		{"a replica from the beginning", of(2, ""), Free{Seed: true}, []string{"continues"}},
	} {
		if got := of(1, "a").Differences(test.other, test.free).Names(); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}
