package accounting

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The header tells the separator: that of sacct -P, of -p, and of --delimiter (print_fields_header in src/common/print_fields.c).
func TestTableHeader(t *testing.T) {
	for _, c := range []struct{ header, separator, line, want string }{
		{"JobID|State", "|", "1|COMPLETED", "1 COMPLETED"},
		{"JobID|State|", "|", "1|COMPLETED|", "1 COMPLETED"},
		{"JobID;State", ";", "1;COMPLETED", "1 COMPLETED"},
		{"JobID\tState", "\t", "1\tCOMPLETED", "1 COMPLETED"},
		{"JobID\x1fState\x1fSubmitLine", "\x1f", "1\x1fCOMPLETED\x1fa|b", "1 COMPLETED a|b"},
		{"JobID~|~State~|~", "~|~", "1~|~COMPLETED~|~", "1 COMPLETED"},
		{"JobID,ReqTRES,State", ",", "1,cpu=8,mem=16G,node=1,COMPLETED", "1 cpu=8,mem=16G,node=1 COMPLETED"},
		{`"JobID","ReqTRES","JobName"`, ",", `"1","cpu=8,mem=16G","say ""x, y"""`, `1 cpu=8,mem=16G say "x, y"`},
		{"JobID,ReqTRES,AllocTRES,User", ",", "1,cpu=8,node=1,cpu=8,node=1,eve", "1 cpu=8,node=1 cpu=8,node=1 eve"},
		{"JobID,ReqTRES,AllocTRES,User,NNodes", ",", "1,cpu=8,node=1,,eve,2", "1 cpu=8,node=1  eve 2"},
	} {
		table, err := NewTable(c.header)
		if err != nil || table.Separator != c.separator {
			t.Errorf("%q: got separator %q, %v", c.header, table.Separator, err)
			continue
		}
		got, err := table.Fields(c.line)
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%q: got %q, %v, want %q", c.line, got, err, c.want)
		}
	}
	for _, header := range []string{"", "JobID", "{\"meta\": 1}", "; Computer: x"} {
		if _, err := NewTable(header); err == nil || !strings.Contains(err.Error(), "header: got ") {
			t.Errorf("%q: got %v", header, err)
		}
	}
}

// A separator within a value belongs to the columns that users write. What Slurm prints in the others says to which.
func TestTableTexts(t *testing.T) {
	table, err := NewTable("JobIDRaw|JobName|State|Constraints|Account|QOS|Eligible|Licenses|Reservation|JobID|SubmitLine")
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"1|a|COMPLETED|x|astro|normal|Unknown|||1|sbatch a | b":                     "1;a;COMPLETED;x;astro;normal;Unknown;;;1;sbatch a | b",
		"1|a|COMPLETED|x|y|astro|normal|2026-03-01T08:00:00|||1|sbatch":             "1;a;COMPLETED;x|y;astro;normal;2026-03-01T08:00:00;;;1;sbatch",
		"1|a|b|c|COMPLETED|x|astro|normal|Unknown|m:1|n:2||1_4|sbatch | x|y":        "1;a|b|c;COMPLETED;x;astro;normal;Unknown;m:1|n:2;;1_4;sbatch | x|y",
		"1||COMPLETED|x|y|z|astro|normal|None||res|1+0|sbatch --wrap=x\necho 1|cat": "1;;COMPLETED;x|y|z;astro;normal;None;;res;1+0;sbatch --wrap=x\necho 1|cat",
	} {
		got, err := table.Fields(line)
		if err != nil || strings.Join(got, ";") != want {
			t.Errorf("%q: got %q, %v, want %q", line, strings.Join(got, ";"), err, want)
		}
	}
	for line, want := range map[string]string{
		"1|a|COMPLETED": "fields: got 3, allowed 11 separated by '|'",
		"1|a|COMPLETED|x|y|astro|normal|soon|||1|sbatch":        "fields: got 12, allowed 11 separated by '|'",
		"1|COMPLETED|COMPLETED|COMPLETED|x|y|z|None|||1|sbatch": "fields: got 12, allowed 11 separated by '|' (the values of JobName and Constraints and Licenses and SubmitLine may have more; sacct --delimiter gives a separator that no value has)",
		strings.Repeat("1|", 2000):                              "fields: got 2001, allowed 11 separated by '|'",
		strings.Repeat("1|", 1000) + "x":                        "fields: got 1001, allowed 11 separated by '|'",
	} {
		if _, err := table.Fields(line); err == nil || err.Error() != want {
			t.Errorf("%.60q: got %v, want %s", line, err, want)
		}
	}
}

// In a table of fixed width a line of dashes tells the widths, and + ends a value that was cut off (print_fields_str).
func TestTableFixed(t *testing.T) {
	table, err := NewTable("JobIDRaw            State      User ")
	if err != nil {
		t.Fatal(err)
	}
	if err = table.SetWidths("------------ ---------- --------- "); err != nil {
		t.Fatal(err)
	}
	got, err := table.Fields("11            COMPLETED professo+ ")
	if err != nil || !slices.Equal(got, []string{"11", "COMPLETED", "professo+"}) {
		t.Errorf("got %q, %v", got, err)
	}
	if table.IsCut(0, got[0]) || table.IsCut(1, got[1]) || !table.IsCut(2, got[2]) {
		t.Error("want the user alone cut off")
	}
	for _, dashes := range []string{"", "11 COMPLETED eve", "--- ---"} {
		if err = table.SetWidths(dashes); err == nil || !strings.Contains(err.Error(), "allowed 3 rows of dashes") {
			t.Errorf("%q: got %v", dashes, err)
		}
	}
}

// Whatever users write and whatever the separator is, a table has the values that were written, if no value of another column has the separator.
func TestTableReadsWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		separator := rapid.SampledFrom([]string{"|", ";", "^", "\t", "~|~", "\x1f"}).Draw(t, "separator")
		user := rapid.StringMatching(`[ -~]{0,12}`)
		fields := []string{"7", user.Draw(t, "name"), "CANCELLED by 7", "cpu=1,mem=1G", "2026-03-01T08:00:00", user.Draw(t, "line")}
		table, err := NewTable(strings.Join([]string{"JobIDRaw", "JobName", "State", "ReqTRES", "Submit", "SubmitLine"}, separator))
		if err != nil {
			t.Fatal(err)
		}
		line := strings.Join(fields, separator)
		got, err := table.Fields(line)
		if strings.Contains(separator, ";") && strings.Contains(line, `;"`) {
			t.Skip("a value in double quotes")
		}
		if err != nil && strings.Contains(err.Error(), "may have more") || strings.Contains(line, "\t\"") {
			t.Skip("another reading")
		}
		if err != nil || !slices.Equal(got, fields) {
			t.Fatalf("got %q, %v, want %q", got, err, fields)
		}
	})
}

func FuzzTable(f *testing.F) {
	f.Add("JobIDRaw|State|Constraints|Account|SubmitLine\n", "12|COMPLETED|cpu-a|cpu-b|astro|sbatch a.sh")
	f.Add("JobIDRaw;State", "11;COMPLETED")
	f.Add("JobID,ReqTRES", `"1","cpu=1,mem=2"`)
	f.Add("Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User", "c|cn1|2026-03-01T08:10:00|2026-03-01T09:00:00|DRAIN|NHC: ps ax | wc is high|root(0)")
	f.Fuzz(func(t *testing.T, header, line string) {
		table, err := NewTable(header, "Reason")
		if err != nil || table.Fixed() {
			return
		}
		got, err := table.Fields(line)
		if err == nil && len(got) != len(table.Names) {
			t.Fatalf("got %d fields of %d", len(got), len(table.Names))
		}
		joined := strings.Join(got, table.Separator)
		if err == nil && !strings.Contains(line, `"`) && joined+table.End() != line && (table.End() == "" || joined != line) {
			t.Fatalf("%q became %q", line, got)
		}
	})
}
