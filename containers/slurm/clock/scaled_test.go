package clock

import (
	"strings"
	"testing"
)

func TestReadEnv(t *testing.T) {
	tests := []struct{ name, in, want, fault string }{
		{"clock variables only", "PATH=/bin\nFAKETIME=+0 x20\nLD_PRELOAD=/l.so\nready\n", "FAKETIME=+0 x20,LD_PRELOAD=/l.so", ""},
		{"no library", "FAKETIME=+0 x20\nready\n", "", "no LD_PRELOAD"},
		{"cut off", "FAKETIME=+0 x20\n", "", "unexpected EOF"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			env, err := readEnv(strings.NewReader(tt.in))
			if tt.fault != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fault) {
					t.Fatalf("error %v, want %q", err, tt.fault)
				}
				return
			}
			if got := strings.Join(env, ","); err != nil || got != tt.want {
				t.Fatalf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestParseEpochRefusesOtherText(t *testing.T) {
	for _, s := range []string{"", "1795252000", "x.000000000", "1.5", "1.00000000x"} {
		if got, err := parseEpoch(s); err == nil {
			t.Errorf("parseEpoch(%q) = %v, want an error", s, got)
		}
	}
}
