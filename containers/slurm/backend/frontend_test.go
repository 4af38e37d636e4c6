package backend

import "testing"

func TestRegistrations(t *testing.T) {
	tests := []struct {
		name, diag string
		want       int
	}{
		{"none yet", "Remote Procedure Call statistics by message type\n\tREQUEST_PING ( 1008) count:1 ave_time:49\n", 0},
		{"boot and first ping", "\tMESSAGE_NODE_REGISTRATION_STATUS        ( 1002) count:2      ave_time:39955  total_time:79911\n", 2},
		{"unreadable", "\tMESSAGE_NODE_REGISTRATION_STATUS ( 1002) count:x\n", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := registrations(tt.diag); got != tt.want {
				t.Fatalf("registrations = %d, want %d", got, tt.want)
			}
		})
	}
}
