package drive

import (
	"strings"
	"testing"
	"time"
)

// A clock that stands still is reported once, unless the cluster computes.
func TestStandstillIsTold(t *testing.T) {
	looks := int(clockLimit/clockPoll) + 1
	tests := []struct {
		name string
		// share is how much of each interval the cluster computes, jumps how often
		// the clock jumps in it.
		share float64
		jumps uint64
		want  int
	}{
		{"idle, and jumps", 0.1, 1000, 0},
		{"idle, and jumps once", 0.1, 1, 0},
		{"computes", 0.98, 0, 0},
		{"computes with half of its core", 0.51, 0, 0},
		{"idle", 0.1, 0, 1},
		{"paused", 0, 0, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var s standstill
			told := 0
			for i := range 3 * looks {
				text := s.look(7+uint64(i)*tt.jumps, time.Duration(float64(i)*tt.share*float64(clockPoll)))
				if text == "" {
					continue
				}
				told++
				if i != looks-1 || !strings.Contains(text, "the clock has not jumped for 20s of real time, of which the cluster computed") {
					t.Errorf("look %d: %s", i, text)
				}
			}
			if told != tt.want {
				t.Errorf("told %d times, want %d", told, tt.want)
			}
		})
	}
}

// After a jump a standstill is reported again.
func TestEachStandstillIsTold(t *testing.T) {
	var s standstill
	told := 0
	for _, jumps := range []uint64{1, 2, 3} {
		for range 2 * int(clockLimit/clockPoll) {
			if s.look(jumps, 0) != "" {
				told++
			}
		}
	}
	if told != 3 {
		t.Errorf("told %d times, want 3", told)
	}
}
