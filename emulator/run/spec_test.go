package run

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
)

// A field of Spec that reaches neither run.json nor slurmlabd has no effect, or tells two runs apart that are one.
func TestSpecIsRecordedOrAskedFor(t *testing.T) {
	larger, err := workloads.LoadMachine("M")
	if err != nil {
		t.Fatal(err)
	}
	other, err := workloads.Load("V.1")
	if err != nil {
		t.Fatal(err)
	}
	backfill, err := policy.Find(policy.Backfill)
	if err != nil {
		t.Fatal(err)
	}
	changed := map[string]any{
		"Machine": larger, "Workload": other, "Jobs": []workloads.Job{{ID: 1, Cores: 1}}, "Seed": uint64(2), "Policy": backfill,
		"Backend": backend.Backend{Form: backend.FrontEnd, Series: "26.05"}, "Clock": clock.Settings{Kind: clock.KindReal, TimeScale: 1},
		"FullConfiguration": "Z", "Events": []events.Event{{At: 1}}, "EventsName": "drain", "StopAt": 60,
	}
	text := func(c Config) string {
		record, err := c.record()
		if err != nil {
			t.Fatal(err)
		}
		both, err := json.Marshal([]any{record.Settings, c.request()})
		if err != nil {
			t.Fatal(err)
		}
		return string(both)
	}
	plain := placed(t, t.TempDir())
	for field := range reflect.TypeFor[drive.Spec]().Fields() {
		value, known := changed[field.Name]
		if !known {
			t.Errorf("Spec.%s is new: give it another value here", field.Name)
			continue
		}
		c := plain
		reflect.ValueOf(&c.Spec).Elem().FieldByName(field.Name).Set(reflect.ValueOf(value))
		if text(c) == text(plain) {
			t.Errorf("another Spec.%s changes neither the settings in run.json nor the request", field.Name)
		}
	}
}
