package program

import (
	"bytes"
	"compress/gzip"
	"io"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// writers are the formats that have a reader, by file name.
func writers() map[string]func(io.Writer, Program) error {
	return map[string]func(io.Writer, Program) error{"p.json": WriteJSON, "p.mps": WriteMPS}
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
			got, err := Read(name, bytes.NewReader(text.Bytes()))
			if err != nil {
				rt.Fatalf("%v\n%s", err, text.String())
			}
			equal(rt, got, want)
			unpacked, err := Read(name+".gz", &packed)
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
	got, err := Read("t.mps", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := WriteLP(&out, got); err != nil {
		t.Fatal(err)
	}
	const want = `\ TESTPROB
Minimize
 objective: + 1 XONE + 4 YTWO + 9 ZTHREE
Subject To
 LIM1: + 1 XONE + 1 YTWO <= 5
 LIM2: + 1 XONE >= 10
 MYEQN: - 1 YTWO + 1 B + 1 ZTHREE <= 7
 LIM1_range: + 1 XONE + 1 YTWO >= 2.5
 MYEQN_range: - 1 YTWO + 1 B + 1 ZTHREE >= 4
Bounds
 0 <= XONE <= 4
 -1 <= YTWO <= 1
 0 <= B <= 1
 ZTHREE free
Generals
 YTWO
 B
End
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
		_, err := Read(tt.name, strings.NewReader(tt.text))
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s %q:\n got %v\nwant %s", tt.name, tt.text, err, tt.want)
		}
	}
}

// fuzz: what a reader accepts is valid and survives writing and reading; what
// it refuses names file and line.
func fuzz(f *testing.F, name string) {
	var text bytes.Buffer
	if err := writers()[name](&text, knapsack()); err != nil {
		f.Fatal(err)
	}
	f.Add(text.Bytes())
	located := regexp.MustCompile(`^` + regexp.QuoteMeta(name) + `:\d+: `)
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := Read(name, bytes.NewReader(text))
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
		back, err := Read(name, &again)
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

// TestWriteLPNames: names that LP does not allow stay apart.
func TestWriteLPNames(t *testing.T) {
	p := Program{Variables: []Variable{{Name: "x(1)"}, {Name: "x_1_"}, {Name: "x[1]"}, {Name: "e1"}, {Name: "9"}}}
	var out bytes.Buffer
	if err := WriteLP(&out, p); err != nil {
		t.Fatal(err)
	}
	const want = " 0 <= x_1_ <= 0\n 0 <= x_1__ <= 0\n 0 <= x_1___ <= 0\n 0 <= _e1 <= 0\n 0 <= _ <= 0\n"
	if !strings.Contains(out.String(), "Bounds\n"+want+"Generals") {
		t.Errorf("got\n%s", out.String())
	}
}
