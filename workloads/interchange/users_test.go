package interchange_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/interchange"
)

const sacctUsers = "JobID|State|Submit|Start|End|NNodes|NCPUS|User|Account\n" +
	"1|COMPLETED|1|2|62|1|4|eve|physics\n" +
	"2|COMPLETED|1|2|62|1|4||physics\n" +
	"3|COMPLETED|1|2|62|1|4|Eve|chemistry\n" +
	"4|COMPLETED|1|2|62|1|4|a@b.org|chemistry\n" +
	"5|PENDING|1|Unknown|Unknown|1|4|bob|physics\n"

// hashed is the name of a user that cannot be a Slurm account.
func hashed(kept, name string) string {
	return fmt.Sprintf("%s-%.4x", kept, sha256.Sum256([]byte(name)))
}

func usersOf(t *testing.T, format, text string, o interchange.ImportOptions) (string, interchange.Summary) {
	t.Helper()
	summary, rows, err := importText(format, text, o)
	if err != nil {
		t.Fatal(err)
	}
	columns := strings.Count(workloads.CSVHeader(summary.Columns), ",")
	var names []string
	for _, row := range rows {
		cells := strings.Split(row, ",")
		if len(cells) != columns+1 {
			t.Errorf("row %s, header %s", row, workloads.CSVHeader(summary.Columns))
		}
		user := ""
		if hasUsers(summary) {
			user = cells[11]
		}
		names = append(names, user)
	}
	return strings.Join(names, " "), summary
}

func hasUsers(summary interchange.Summary) bool {
	return strings.Contains(workloads.CSVHeader(summary.Columns), ",user")
}

func swfUser(id int, number string) string {
	return fmt.Sprintf("%d 0 0 60 4 -1 -1 4 120 -1 1 %s 1 1 1 1 -1 -1\n", id, number)
}

// Users of each format as users of workload.csv, which become Slurm accounts.
func TestUsers(t *testing.T) {
	const renamed = " renamed to what a Slurm account can be called: small letters, _ for the rest, cut to 23 characters, " +
		"then - and the first 8 digits of the old name's SHA-256"
	long := strings.Repeat("n", 33)
	for _, c := range []struct{ what, format, text, users, line string }{
		// SWF 2.2: "User ID -- a natural number"; -1 is unknown.
		{"SWF", "swf", swfUser(1, "12") + swfUser(2, "-1") + swfUser(3, "0") + swfUser(4, "12"), "user12  user0 user12", "users: 2; number N of the trace is userN"},
		{"SWF without users", "swf", swfUser(1, "-1"), "", ""},
		{
			"sacct", "sacct", sacctUsers, "eve  " + hashed("eve", "Eve") + " " + hashed("a_b.org", "a@b.org"),
			"users: 3; 2" + renamed,
		},
		{"sacct without User", "sacct", strings.Replace(sacctUsers, "|User|", "|UserX|", 1), "physics physics chemistry chemistry", "users: 2"},
		{"sacct without either", "sacct", strings.NewReplacer("User", "A", "Account", "B").Replace(sacctUsers), "   ", ""},
		{"Helios", "helios", strings.ReplaceAll(helios, "4,16,1", "2,8,1"), hashed("uxbbc", "uXBbc") + " " + hashed("uvmrf", "uVMrF"), "users: 2; 2" + renamed},
		{"Batsim", "batsim", batsim, " x", "users: 1"},
		{"Batsim, numbers", "batsim", strings.NewReplacer(`"res": 1`, `"res": 1, "user_id": 7`, `"x"`, "-1").Replace(batsim), "user7 ", "users: 1; number N of the trace is userN"},
		{"Batsim, null", "batsim", strings.Replace(batsim, `"x"`, "null", 1), " ", ""},
		{"a long name", "batsim", strings.Replace(batsim, `"x"`, `"`+long+`"`, 1), " " + hashed(long[:23], long), "users: 1; 1" + renamed},
		{"no letters of ours", "batsim", strings.Replace(batsim, `"x"`, `"Жя,"`, 1), " " + hashed("___", "Жя,"), "users: 1; 1" + renamed},
	} {
		t.Run(c.what, func(t *testing.T) {
			got, summary := usersOf(t, c.format, c.text, optionsS())
			if got != c.users {
				t.Errorf("users %q, want %q", got, c.users)
			}
			line := ""
			for _, text := range summary.Origin() {
				if strings.HasPrefix(text, "users: ") {
					line = text
				}
			}
			if line != c.line {
				t.Errorf("origin %q, want %q", line, c.line)
			}
		})
	}
}

// Only the users of rows are counted.
func TestUsersOfRows(t *testing.T) {
	o := optionsS()
	o.SkipBad = true
	got, summary := usersOf(t, "swf", swfUser(1, "1")+swfUser(2, "2")+swfUser(2, "3")+strings.Replace(swfUser(4, "4"), " 4 120", " 4000 120", 1), o)
	if text := strings.Join(summary.Text(), "|"); got != "user1 user2" || !strings.Contains(text, "users: 2;") {
		t.Errorf("users %q: %s", got, text)
	}
}

func TestBadUsers(t *testing.T) {
	wantFaults(t, "swf", swfUser(1, "1.5")+swfUser(2, "-2"), optionsS(),
		`t:1: user ID: got "1.5", allowed a number from 0, or -1 for unknown`,
		`t:2: user ID: got "-2", allowed a number from 0, or -1 for unknown`)
	for _, value := range []string{"1.5", "-7", "1e3", "[]", "true", `{"a":1}`, "1234567890123456"} {
		wantFaults(t, "batsim", strings.Replace(batsim, `"x"`, value, 1), optionsS(),
			`t:5: job "2": user: allowed a name, or a whole number, -1 for unknown`)
	}
	// Two users of a trace never become one.
	twin := hashed("eve", "Eve")
	wantFaults(t, "sacct", strings.Replace(sacctUsers, "|eve|", "|"+twin+"|", 1), optionsS(),
		`t:4: user: got "Eve", allowed any that does not become `+twin+` as another user of the trace does`)
	wantFaults(t, "batsim", strings.NewReplacer(`"res": 1`, `"res": 1, "user": 7`, `"x"`, `"user7"`).Replace(batsim), optionsS(),
		`t:5: user: got "user7", allowed any that does not become user7 as another user of the trace does`)
}

// Whatever the users of a trace are called, in the workload they are valid, two
// are the same if and only if they were, and a name that was good is kept.
func TestUsersStayApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.OneOf(rapid.StringMatching(`[a-c.A_-]{0,2}`), rapid.StringMatching(`[^|\n\r]{0,40}`)), 1, 30).Draw(t, "names")
		var text strings.Builder
		text.WriteString("JobID|State|Submit|Start|End|NNodes|NCPUS|User\n")
		for i, name := range names {
			names[i] = strings.TrimSpace(name)
			fmt.Fprintf(&text, "%d|COMPLETED|1|2|62|1|4|%s\n", i+1, name)
		}
		summary, rows, err := importText("sacct", text.String(), optionsS())
		if err != nil {
			t.Fatal(err)
		}
		jobs, err := workloads.ReadCSV(strings.NewReader(workloads.CSVHeader(summary.Columns)+"\n"+strings.Join(rows, "\n")), "rows")
		if err != nil {
			t.Fatal(err)
		}
		for i, j := range jobs {
			if sbatch.IsUser(names[i]) && j.User != names[i] {
				t.Errorf("%q became %q", names[i], j.User)
			}
			for k := range i {
				if (j.User == jobs[k].User) != (names[i] == names[k]) {
					t.Errorf("%q became %q, %q became %q", names[i], j.User, names[k], jobs[k].User)
				}
			}
		}
	})
}

// drawUsers gives some of the jobs users.
func drawUsers(t *rapid.T, jobs []workloads.Job) {
	names := rapid.SliceOfN(rapid.StringMatching(`([a-z0-9._][a-z0-9._-]{0,31})?`), 1, 5).Draw(t, "users")
	for i := range jobs {
		jobs[i].User = rapid.SampledFrom(names).Draw(t, "user")
	}
}

// SWF numbers users from 1 in the order in which they first appear ("between one and the number of different users"),
// and the header names them. With it every job of a workload that went through SWF has its user again.
func TestSWFUsersRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		jobs := jobsOf(t, "V.2", 1)[:rapid.IntRange(1, 40).Draw(t, "jobs")]
		drawUsers(t, jobs)
		var text bytes.Buffer
		if err := interchange.Export(&text, "swf", interchange.Core, "w", machineS(), jobs); err != nil {
			t.Fatal(err)
		}
		legend := map[string]string{"": ""}
		for line := range strings.Lines(text.String()) {
			var number int
			var name string
			if n, _ := fmt.Sscanf(line, "; Note: user %d is %s\n", &number, &name); n == 2 {
				legend[fmt.Sprintf("user%d", number)] = name
			}
		}
		summary, rows, err := importText("swf", text.String(), optionsS())
		if err != nil {
			t.Fatal(err)
		}
		known := 0
		for i, row := range rows {
			number := strings.Join(strings.Split(row, ",")[11:], "")
			if name, ok := legend[number]; !ok || name != jobs[i].User {
				t.Fatalf("job %d: %q is %q, want %q", jobs[i].ID, number, name, jobs[i].User)
			}
			if number == fmt.Sprintf("user%d", known+1) {
				known++
			}
		}
		if known != len(legend)-1 || hasUsers(summary) != (known > 0) {
			t.Fatalf("%d users in order, legend %v, column %v", known, legend, hasUsers(summary))
		}
	})
}
