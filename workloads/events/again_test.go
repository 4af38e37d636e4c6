package events_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/workloads/events"
)

func updates(settings ...string) []events.Event {
	list := make([]events.Event, len(settings))
	for i, s := range settings {
		list[i] = events.Event{At: i, Kind: events.Update, Setting: s}
	}
	return list
}

// What slurmctld saves of a partition has no DefMemPerCPU (part_record_pack in src/common/part_record.c), and what it takes of a node
// no Weight (load_all_node_state in src/slurmctld/node_mgr.c). Reason and ResumeAfter it takes, and an event may have changed them since.
func TestAgain(t *testing.T) {
	for name, tt := range map[string]struct{ over, want []string }{
		"one":         {[]string{"PartitionName=main MaxTime=60"}, []string{"PartitionName=main MaxTime=60"}},
		"overwritten": {[]string{"PartitionName=main MaxTime=60", "partitionname=main maxtime=UNLIMITED"}, []string{"partitionname=main maxtime=UNLIMITED"}},
		"in part": {
			[]string{"PartitionName=main MaxTime=60 State=DOWN", "PartitionName=main MaxTime=90"},
			[]string{"PartitionName=main State=DOWN", "PartitionName=main MaxTime=90"},
		},
		"others": {
			[]string{"PartitionName=main MaxTime=60", "PartitionName=long MaxTime=90"},
			[]string{"PartitionName=main MaxTime=60", "PartitionName=long MaxTime=90"},
		},
		"more or less": {
			[]string{"PartitionName=main Nodes=n[1-2]", "PartitionName=main Nodes=+n3", "PartitionName=main Nodes-=n1"},
			[]string{"PartitionName=main Nodes=n[1-2]", "PartitionName=main Nodes=+n3", "PartitionName=main Nodes-=n1"},
		},
		"whole at last":   {[]string{"PartitionName=main Nodes+=n3", "PartitionName=main Nodes=n1"}, []string{"PartitionName=main Nodes=n1"}},
		"state of a node": {[]string{"NodeName=n1 Reason=fan Weight=5", "NodeName=n2 ResumeAfter=60"}, []string{"NodeName=n1 Weight=5"}},
		"reservation":     {[]string{"ReservationName=course Duration=60"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			over := append(updates(tt.over...), events.Event{Kind: events.Down, Nodes: "n1", Reason: "fire"})
			before := slices.Clone(over)
			var got []string
			for _, e := range events.Again(over) {
				got = append(got, e.Setting)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if !slices.Equal(over, before) {
				t.Errorf("the events have become %v", over)
			}
		})
	}
}

// The repeated updates end with every setting at its last value, and set none to another value on the way.
func TestAgainEndsWhereTheUpdatesEnded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.Custom(func(t *rapid.T) string {
			return fmt.Sprintf("%s=%d", rapid.SampledFrom([]string{"MaxTime", "State", "PriorityTier"}).Draw(t, "key"), rapid.IntRange(1, 3).Draw(t, "value"))
		})
		setting := rapid.Custom(func(t *rapid.T) string {
			words := rapid.SliceOfN(word, 1, 3).Draw(t, "words")
			return rapid.SampledFrom([]string{"PartitionName=main", "PartitionName=long", "NodeName=n1"}).Draw(t, "of") + " " + strings.Join(words, " ")
		})
		over := updates(rapid.SliceOf(setting).Draw(t, "over")...)
		set := func(list []events.Event, each func(key, value string)) map[string]string {
			values := map[string]string{}
			for _, e := range list {
				words := e.Words()
				for _, w := range words[1:] {
					key, value, _ := strings.Cut(w, "=")
					values[words[0]+" "+key] = value
				}
				for _, w := range words[1:] {
					key, _, _ := strings.Cut(w, "=")
					each(words[0]+" "+key, values[words[0]+" "+key])
				}
			}
			return values
		}
		want := set(over, func(string, string) {})
		set(events.Again(over), func(key, value string) {
			if value != want[key] {
				t.Fatalf("%s is %s on the way, want %s", key, value, want[key])
			}
		})
		got := set(events.Again(over), func(string, string) {})
		if len(got) != len(want) {
			t.Fatalf("got %v, want %v", got, want)
		}
		for key, value := range want {
			if got[key] != value {
				t.Errorf("%s is %s, want %s", key, got[key], value)
			}
		}
	})
}
