package program_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// writers are the formats that have a reader, by file name.
func writers() map[string]func(io.Writer, program.Program) error {
	return map[string]func(io.Writer, program.Program) error{"p.json": program.WriteJSON, "p.mps": auctiontest.WriteMPS}
}

func TestRoundTrip(t *testing.T) {
	for name, write := range writers() {
		t.Run(name, rapid.MakeCheck(func(rt *rapid.T) {
			want := drawProgram(rt)
			if err := want.Validate(); err != nil {
				rt.Fatalf("drawn: %v", err)
			}
			var text, packed bytes.Buffer
			pack := gzip.NewWriter(&packed)
			if err := write(io.MultiWriter(&text, pack), want); err != nil {
				rt.Fatal(err)
			}
			if err := pack.Close(); err != nil {
				rt.Fatal(err)
			}
			got, err := program.Read(name, bytes.NewReader(text.Bytes()))
			if err != nil {
				rt.Fatalf("%v\n%s", err, text.String())
			}
			equal(rt, got, want)
			unpacked, err := program.Read(name+".gz", &packed)
			if err != nil {
				rt.Fatal(err)
			}
			equal(rt, unpacked, want)
		}))
	}
}

// TestReadForeignMPS: the liberties that other writers take.
func TestReadForeignMPS(t *testing.T) {
	const text = `* A comment.
NAME          TESTPROB
ROWS
 N  COST
 N  OTHER
 L  LIM1
 G  LIM2
 E  MYEQN
COLUMNS
    XONE      COST                 1   LIM1                 1
    XONE      LIM2                 1   OTHER                4
    M1        'MARKER'                 'INTORG'
    YTWO      COST                 4   LIM1                 1
    YTWO      MYEQN               -1
    B         MYEQN                1
    M2        'MARKER'                 'INTEND'
    ZTHREE    COST                 9   MYEQN                1
RHS
    RHS       LIM1                 5   LIM2                10
    MYEQN 7
RANGES
    RNG       LIM1               2.5   MYEQN               -3
BOUNDS
 UP BND       XONE                 4
 LO BND       YTWO                -1
 UP BND       YTWO                 1
 FR ZTHREE
ENDATA
`
	got, err := program.Read("t.mps", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := program.WriteJSON(&out, got); err != nil {
		t.Fatal(err)
	}
	const want = `{"format":"slurmlab-program-1","name":"TESTPROB","sense":"minimise",
"variables":[
{"name":"XONE","lower":0,"upper":4,"objective":1},
{"name":"YTWO","lower":-1,"upper":1,"integer":true,"objective":4},
{"name":"B","lower":0,"upper":1,"integer":true},
{"name":"ZTHREE","lower":null,"upper":null,"objective":9}
],
"rows":[
{"name":"LIM1","variables":[0,1],"coefficients":[1,1],"sense":"<=","rhs":5},
{"name":"LIM2","variables":[0],"coefficients":[1],"sense":">=","rhs":10},
{"name":"MYEQN","variables":[1,2,3],"coefficients":[-1,1,1],"sense":"<=","rhs":7},
{"name":"LIM1_range","variables":[0,1],"coefficients":[1,1],"sense":">=","rhs":2.5},
{"name":"MYEQN_range","variables":[1,2,3],"coefficients":[-1,1,1],"sense":">=","rhs":4}
]}
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

// TestReadFaults: each names file, line and field, and what is allowed.
func TestReadFaults(t *testing.T) {
	const head = `{"format":"slurmlab-program-1","sense":"maximise",` + "\n"
	tests := []struct{ name, text, want string }{
		{"p.txt", "", `p.txt: its name is not allowed, want one that ends in .json, .mps, .json.gz or .mps.gz`},
		{"p.json.gz", "no", `p.json.gz: unexpected EOF`},
		{"p.json", "", `p.json:1: the text ends in the middle of the program`},
		{"p.json", "[]", `p.json:1: program: [ is not allowed, want "{"`},
		{"p.json", `{"format":"x","sense":"maximise","variables":[],"rows":[]}`, `p.json:1: field format: "x" is not allowed, want "slurmlab-program-1"`},
		{"p.json", head + `"rows":[]}`, `p.json:2: field variables: it is missing`},
		{"p.json", `{"sense":"best"}`, `p.json:1: field sense: "best" is not allowed, want maximise or minimise`},
		{"p.json", head + `"goal":1}`, `p.json:2: field goal: it is unknown, want format, name, sense, variables or rows`},
		{"p.json", head + `"sense":"maximise"}`, `p.json:2: field sense: it is there twice`},
		{"p.json", head + `"variables":[` + "\n" + `{"name":"x","upper":"many"}`, `p.json:3: variables[0]: json: cannot unmarshal string into Go struct field jsonVariable.upper of type float64`},
		{"p.json", head + `"variables":[` + "\n" + `{"name":"x","lower":0,"upper":1},` + "\n" + `{"name":"y","lower":2,"upper":1}],"rows":[]}`,
			`p.json:4: variables[1]: field upper: 1 of y is below its lower bound 2`},
		{"p.json", head + `"variables":[{"name":"x"},` + "\n" + `{"name":"x"}]`, `p.json:3: variables[1]: field name: x is there twice`},
		{"p.json", head + `"rows":[` + "\n\n" + `{"name":"r","variables":[0],"coefficients":[1],"sense":"<=","rhs":1}],"variables":[]}`,
			`p.json:4: rows[0]: field variables: 0 is not allowed, want an index below 0`},
		{"p.json", head + `"variables":[],"rows":[]}` + "\n{}", `p.json:3: there is more after the end of the program`},
		{"p.mps", "", `p.mps:1: section ENDATA: it is missing`},
		{"p.mps", "ROWS\nENDATA\n", `p.mps:2: field 1: section ENDATA without ROWS and COLUMNS before it`},
		{"p.mps", "ROWS\nCOLUMNS\nENDATA\n", `p.mps:3: section ROWS: a row N is missing, the objective`},
		{"p.mps", "COLUMNS\nROWS\n", `p.mps:2: field 1: section ROWS after COLUMNS, want the order NAME OBJSENSE ROWS COLUMNS RHS RANGES BOUNDS ENDATA`},
		{"p.mps", "OBJSENSE\n BEST\n", `p.mps:2: field sense: "BEST" is not allowed, want MAX or MIN`},
		{"p.mps", "ROWS\n N o\n X r\n", `p.mps:3: field type: "X" of row r is not allowed, want N, L, G or E`},
		{"p.mps", "ROWS\n N o\n N o\n", `p.mps:3: field name: row o is there twice`},
		{"p.mps", "ROWS\n N o\nCOLUMNS\n x o one\n", `p.mps:4: field number: "one" is no number`},
		{"p.mps", "ROWS\n N o\nCOLUMNS\n x r 1\n", `p.mps:4: field row: "r" is no row`},
		{"p.mps", "ROWS\n N o\n L r\nCOLUMNS\n x r 1\n x r 2\n", `p.mps:6: field row: r of x is there twice`},
		{"p.mps", "ROWS\n N o\nCOLUMNS\n x o 1\n y o 1\n x o 1\n", `p.mps:6: field name: variable x is there twice`},
		{"p.mps", "ROWS\n N o\nCOLUMNS\n x o 1\nRHS\n R o 3\n", `p.mps:6: field row: the objective o has a constant, which is not supported`},
		{"p.mps", "ROWS\n N o\nCOLUMNS\n x o 1\nBOUNDS\n SC B x 3\n", `p.mps:6: field type: bound "SC" is not supported, want UP, LO, FX, UI, LI, FR, MI, PL or BV`},
		{"p.mps", "ROWS\n N o\nCOLUMNS\n x o 1\nBOUNDS\n UP B y 3\n", `p.mps:6: field variable: "y" is no variable`},
		{"p.mps", "ROWS\n N o\nCOLUMNS\n x o 1\nBOUNDS\n UP B x -3\n", `p.mps:6: field number: upper bound -3 of x without a lower bound before it, which solvers read in different ways`},
		{"p.mps", "SETS\n", `p.mps:1: field 1: section "SETS" is unknown, want one of NAME OBJSENSE ROWS COLUMNS RHS RANGES BOUNDS ENDATA`},
	}
	for _, tt := range tests {
		_, err := program.Read(tt.name, strings.NewReader(tt.text))
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s %q:\n got %v\nwant %s", tt.name, tt.text, err, tt.want)
		}
	}
}

// fuzz: what a reader accepts is valid and survives writing and reading; what
// it refuses names file and line.
func fuzz(f *testing.F, name string) {
	var text bytes.Buffer
	if err := writers()[name](&text, auctiontest.Knapsack()); err != nil {
		f.Fatal(err)
	}
	f.Add(text.Bytes())
	located := regexp.MustCompile(`^` + regexp.QuoteMeta(name) + `:\d+: `)
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := program.Read(name, bytes.NewReader(text))
		if err != nil {
			if !located.MatchString(err.Error()) {
				t.Fatalf("no place in %q", err)
			}
			return
		}
		if err = p.Validate(); err != nil {
			t.Fatal(err)
		}
		var again bytes.Buffer
		if err = writers()[name](&again, p); err != nil {
			t.Fatal(err)
		}
		back, err := program.Read(name, &again)
		if err != nil {
			t.Fatal(err)
		}
		if p.Name == "" {
			// MPS has no file without a name.
			back.Name = ""
		}
		equal(t, back, p)
	})
}

func FuzzReadJSON(f *testing.F) { fuzz(f, "p.json") }

func FuzzReadMPS(f *testing.F) { fuzz(f, "p.mps") }

// zeros reads as so many zeros.
type zeros int

func (z *zeros) Read(p []byte) (int, error) {
	if *z == 0 {
		return 0, io.EOF
	}
	n := min(len(p), int(*z))
	clear(p[:n])
	*z -= zeros(n)
	return n, nil
}

// Issue 16, item 6: a program of some kB that unpacks to more than fits into memory gets
// one clear error.
func TestPackedBomb(t *testing.T) {
	var packed bytes.Buffer
	pack := gzip.NewWriter(&packed)
	bomb := zeros(130 << 20)
	if _, err := io.Copy(pack, &bomb); err != nil {
		t.Fatal(err)
	}
	if err := pack.Close(); err != nil {
		t.Fatal(err)
	}
	const want = "p.json.gz: got more than 128 MiB, allowed 128"
	if _, err := program.Read("p.json.gz", &packed); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
