package anonymise_test

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/anonymise"
	"github.com/slurmlab/slurmlab/workloads/interchange"
	"github.com/slurmlab/slurmlab/workloads/records"
)

func keyOf(b byte) []byte { return bytes.Repeat([]byte{b}, anonymise.KeyBytes) }

func source(text string) records.Source {
	return records.Source{Name: "t", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

func anonymised(text string, key []byte, o anonymise.Options) (string, anonymise.Done, error) {
	var out bytes.Buffer
	done, err := anonymise.Jobs(source(text), &out, key, o)
	return out.String(), done, err
}

// Other programs compute the same pseudonyms:
//
//	printf 'user\0eve' | openssl dgst -sha256 -mac HMAC -macopt hexkey:0101...01 -binary | head -c 10 | base32 | tr A-Z a-z
func TestAnonymiseDump(t *testing.T) {
	const dump = "JobIDRaw|User|Account|JobName|Partition|State|Elapsed|Comment|\n" +
		"1|eve|physics|find planets|gpu|COMPLETED|00:10:00||\n" +
		"2|eve|chemistry|two\nlines|gpu,long|CANCELLED by 1007|00:00:10|for eve|\n" +
		"3||physics|eve|long|PENDING|00:00:00||\n"
	got, done, err := anonymised(dump, keyOf(1), anonymise.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := "JobIDRaw|User|Account|JobName|Partition|State|Elapsed|Comment|\n" +
		"1|user-noklzmaik6jfxykn|account-6pqdqgnscimbaqjr|job-jvndkisskwyxhkm7|partition-ujmnxydgpw26l4wf|COMPLETED|00:10:00||\n" +
		"2|user-noklzmaik6jfxykn|account-glzahsu5xs3pyxxg|job-c5ed7u5ff7hxjrts|partition-ujmnxydgpw26l4wf,partition-dxtau5rm5d24ugvl|CANCELLED|00:00:10|comment-xzvqslypxchiy2vc|\n" +
		"3||account-6pqdqgnscimbaqjr|job-oyixfoyfiba7iv3s|partition-dxtau5rm5d24ugvl|PENDING|00:00:00||\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	text := strings.Join(done.Text(), "\n")
	if want := "cut: who cancelled, behind the state (1)\nrecords: 3\n" +
		"replaced (values, different names): User (2, 1), Account (3, 2), JobName (3, 3), Partition (3, 2), Comment (1, 1)\n" +
		"kept: JobIDRaw, State, Elapsed"; text != want {
		t.Errorf("told\n%s\nwant\n%s", text, want)
	}
}

// A workload stays one that is read, whatever columns follow its own; its comments, which
// have the name of a file and may have those of users, do not.
func TestAnonymiseWorkload(t *testing.T) {
	const head = "job_id,arrival_s,runtime_s,limit_s,nodes,cores,cores_per_node,gpus_min,gpus_max,contiguous,class,user"
	got, done, err := anonymised("# source: /home/eve/dump.txt\n# users: 1\n"+head+"\n1,0,60,120,1,4,4,0,0,0,full,eve\n2,0,60,120,1,4,4,0,0,0,full,\n", keyOf(1), anonymise.Options{})
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := workloads.ReadCSV(strings.NewReader(got), "got")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(jobs[0].User, "user-") || jobs[1].User != "" || jobs[0].Class != "full" || strings.Contains(got, "eve") {
		t.Errorf("got\n%s", got)
	}
	if text := strings.Join(done.Text(), "\n"); !strings.Contains(text, "left out: comments at the top, which may have names (2 lines)") {
		t.Errorf("told\n%s", text)
	}
	if !strings.HasPrefix(got, "# anonymised: pseudonyms in user\n"+head+"\n") {
		t.Errorf("got\n%s", got)
	}
	// An account is a name, with the pseudonym that it has in a dump (TestAnonymiseDump). The other terms are not
	// names.
	const terms = ",account,nice,priority,begin_after_s,dependency\n1,0,60,120,1,4,4,0,0,0,full,,"
	if got, _, err = anonymised(head+terms+"physics,-3,0,7,\n2,0,60,120,1,4,4,0,0,0,full,,,0,5,0,afterok:1\n", keyOf(1), anonymise.Options{}); err != nil {
		t.Fatal(err)
	}
	if want := "# anonymised: pseudonyms in user, account\n" + head + terms + "account-6pqdqgnscimbaqjr,-3,0,7,\n2,0,60,120,1,4,4,0,0,0,full,,,0,5,0,afterok:1\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// A column that nobody knows may have names; --keep and --replace decide otherwise.
	for _, c := range []struct {
		keep, replace []string
		want          string
	}{
		{nil, nil, `^7,vc-\w{16},name-\w{16},x\n$`},
		{[]string{"VC"}, nil, `^7,green,name-\w{16},x\n$`},
		{[]string{"VC", "_"}, []string{"class"}, `^7,green,9,class-\w{16}\n$`},
		{nil, []string{"job_id"}, `^jobid-\w{16},vc-\w{16},name-\w{16},x\n$`},
	} {
		got, _, err := anonymised("job_id,vc,_,class\n7,green,9,x\n", keyOf(1), anonymise.Options{Keep: c.keep, Replace: c.replace})
		if err != nil {
			t.Fatal(err)
		}
		if _, rows, _ := strings.Cut(got, "_,class\n"); !regexp.MustCompile(c.want).MatchString(rows) {
			t.Errorf("keep %q, replace %q: got %s, want %s", c.keep, c.replace, rows, c.want)
		}
	}
}

func TestAnonymiseBad(t *testing.T) {
	for _, c := range []struct {
		what, text string
		o          anonymise.Options
		want       string
	}{
		{"nothing", "", anonymise.Options{}, `t:1: header: got "", allowed the columns of a workload (CSV), or fields of sacct separated by '|' (sacct -X -P)`},
		{"SWF", "; Computer: A, B\n1 0\n", anonymise.Options{}, `t:1: header: got "; Computer: A, B", allowed the columns of a workload (CSV), or fields of sacct separated by '|' (sacct -X -P)`},
		{"a column twice", "user,user\n", anonymise.Options{}, `t:1: header: got "user,user", allowed the columns of a workload (CSV), or fields of sacct separated by '|' (sacct -X -P)`},
		{"no records", "JobID|User\n", anonymise.Options{}, "t: records: got none, allowed at least one"},
		{"rows", "job_id,user\n1\n2,\"eve\"\n3,4,5\n", anonymise.Options{}, "t:2: row: got 1 columns, allowed 2\n" +
			`t:3: row: got a quotation mark ("), allowed cells without one` + "\nt:4: row: got 3 columns, allowed 2"},
		{"records", "JobID|User|Account\n1|eve|a|b\n2|eve|a\n", anonymise.Options{}, "t:2: fields: got 4, allowed 3 separated by '|'"},
		{"columns", "job_id,user\n1,eve\n", anonymise.Options{Keep: []string{"user", "vc"}, Replace: []string{"User", "x"}},
			"keep, replace: both have user, allowed one\nkeep: got \"vc\", allowed columns of t: job_id, user\nreplace: got \"x\", allowed columns of t: job_id, user"},
		{"columns without effect", "job_id,user\n1,eve\n", anonymise.Options{Keep: []string{"job_id"}, Replace: []string{"User"}},
			"keep: job_id has no effect, the column is kept by itself; leave it out\nreplace: user has no effect, the column is replaced by itself; leave it out"},
	} {
		t.Run(c.what, func(t *testing.T) {
			if _, _, err := anonymised(c.text, keyOf(1), c.o); err == nil || err.Error() != c.want {
				t.Errorf("error\n%v\nwant\n%s", err, c.want)
			}
		})
	}
	got, done, err := anonymised("JobID|State\n1|A|b\n2|COMPLETED\n", keyOf(1), anonymise.Options{SkipBad: true})
	if err != nil || got != "JobID|State\n2|COMPLETED\n" || done.Skipped != 1 {
		t.Errorf("got %q, %+v, %v", got, done, err)
	}
	for _, text := range []string{"", "ab", strings.Repeat("ab", 31), strings.Repeat("ab", 33), strings.Repeat("xy", 32)} {
		if _, err := anonymise.ParseKey(text); err == nil || strings.Contains(err.Error(), "abab") {
			t.Errorf("key %q: %v", text, err)
		}
	}
	if key, err := anonymise.ParseKey(anonymise.KeyText(keyOf(7))); err != nil || !bytes.Equal(key, keyOf(7)) {
		t.Errorf("got %x, %v", key, err)
	}
}

// Anonymising a dump and then importing it equals importing it and then anonymising the workload. One name has one
// pseudonym in all files, and only names change. Two names never become one, another key gives other pseudonyms, and
// all have one length.
func TestAnonymiseCommutesWithImport(t *testing.T) {
	pseudonym := regexp.MustCompile(`^user-[a-z2-7]{16}$`)
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.StringMatching(`([a-z][a-z0-9]{0,31})?`), 1, 30).Draw(t, "names")
		names = append(names, "eve")
		var dump strings.Builder
		dump.WriteString("JobID|State|Submit|Start|End|NNodes|NCPUS|User\n")
		for i, name := range names {
			fmt.Fprintf(&dump, "%d|%s|1|2|62|1|4|%s\n", i+1, rapid.SampledFrom([]string{"COMPLETED", "FAILED", "CANCELLED by 4242"}).Draw(t, "state"), name)
		}
		workload := func(text string) string {
			var rows bytes.Buffer
			o := interchange.ImportOptions{Machine: workloads.Machine{Name: "S", Nodes: 128, Cores: 8, GPUs: 2}, Resource: interchange.Core}
			summary, err := interchange.Import(source(text), "sacct", &rows, o)
			if err != nil {
				t.Fatal(err)
			}
			return workloads.CSVHeader(summary.Columns) + "\n" + rows.String()
		}
		change := func(text string, key byte) string {
			out, _, err := anonymised(text, keyOf(key), anonymise.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		key := rapid.Byte().Draw(t, "key")
		first := workload(change(dump.String(), key))
		_, second, _ := strings.Cut(change(workload(dump.String()), key), "\n")
		if first != second {
			t.Fatalf("anonymised first\n%simported first\n%s", first, second)
		}
		if strings.Contains(change(dump.String(), key), "4242") {
			t.Fatal("a user id is left")
		}
		jobs, err := workloads.ReadCSV(strings.NewReader(first), "first")
		if err != nil {
			t.Fatal(err)
		}
		others, err := workloads.ReadCSV(strings.NewReader(workload(change(dump.String(), key+1))), "others")
		if err != nil {
			t.Fatal(err)
		}
		for i, j := range jobs {
			if (names[i] == "") != (j.User == "") || j.User != "" && (!pseudonym.MatchString(j.User) || j.User == others[i].User) {
				t.Errorf("%q became %q, and %q with another key", names[i], j.User, others[i].User)
			}
			for k := range i {
				if (j.User == jobs[k].User) != (names[i] == names[k]) {
					t.Errorf("%q became %q, %q became %q", names[i], j.User, names[k], jobs[k].User)
				}
			}
		}
	})
}

// The order of names does not show: of a thousand names in order, the pseudonyms of
// neighbours are as often in order as not.
func TestPseudonymsHideOrder(t *testing.T) {
	var text strings.Builder
	text.WriteString("JobID|User\n")
	for i := range 1000 {
		fmt.Fprintf(&text, "%d|user%04d\n", i, i)
	}
	out, _, err := anonymised(text.String(), keyOf(1), anonymise.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(out), "\n")[1:]
	rising := 0
	for i, row := range rows {
		_, rows[i], _ = strings.Cut(row, "|")
		if i > 0 && rows[i] > rows[i-1] {
			rising++
		}
	}
	// 500 are expected, with a standard deviation of 9.
	if rising < 450 || rising > 550 {
		t.Errorf("%d of 999 neighbours are in order", rising)
	}
	slices.Sort(rows)
	if len(slices.Compact(rows)) != 1000 {
		t.Error("two names became one")
	}
}

// FuzzAnonymise: no input makes it fail otherwise than by an error, and no word of a
// column with names is left.
func FuzzAnonymise(f *testing.F) {
	f.Add("JobID|User|JobName\n1|secret|se\ncret\n2|x|secret\n")
	f.Add("# secret\njob_id,user\n1,secret\n")
	f.Add("User|JobIDRaw|Partition|\nsecret|1|secret,secret|\n")
	f.Fuzz(func(t *testing.T, text string) {
		out, _, err := anonymised(text, keyOf(1), anonymise.Options{SkipBad: true})
		if err != nil {
			return
		}
		again, _, err := anonymised(out, keyOf(1), anonymise.Options{})
		if err != nil {
			t.Fatalf("%q became %q: %v", text, out, err)
		}
		if strings.Count(again, "\n") != strings.Count(out, "\n") {
			t.Errorf("%q became %q", out, again)
		}
	})
}

// Pseudonyms leave the separator of a dump as it is, and what says that a job never started.
func TestAnonymiseForms(t *testing.T) {
	text := "JobIDRaw~|~State~|~Start~|~NodeList~|~SubmitLine\n1~|~FAILED~|~Unknown~|~None assigned~|~sbatch a | b\nc\n2~|~COMPLETED~|~Unknown~|~n1~|~\n"
	got, _, err := anonymised(text, keyOf(1), anonymise.Options{})
	rows := strings.Split(got, "\n")
	if err != nil || len(rows) != 4 || !strings.HasPrefix(rows[1], "1~|~FAILED~|~Unknown~|~None assigned~|~submitline-") || !strings.HasPrefix(rows[2], "2~|~COMPLETED~|~Unknown~|~nodelist-") {
		t.Errorf("got %s, %v", got, err)
	}
	_, _, err = anonymised("JobIDRaw     State\n------- ---------\n1       COMPLETED\n", keyOf(1), anonymise.Options{})
	if err == nil || !strings.Contains(err.Error(), "t:2: header: got a table of fixed width, allowed one with a separator (sacct -X -P)") {
		t.Errorf("got %v", err)
	}
}
