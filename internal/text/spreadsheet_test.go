package text

import "testing"

// Cells that a spreadsheet would compute get an apostrophe, and numbers none (OWASP, "CSV Injection").
func TestSpreadsheet(t *testing.T) {
	for cell, want := range map[string]string{
		"name": "name", "": `""`, "-1.5": "-1.5", "+2e-3": "+2e-3", "-Inf": "-Inf", "1=1": "1=1", "-": "'-",
		"=1+1": "'=1+1", "@SUM(1)": "'@SUM(1)", "-2+3": "'-2+3", "+cmd|x": "'+cmd|x", `"=HYPERLINK(""x"",""y"")"`: `"'=HYPERLINK(""x"",""y"")"`,
		"\"\t=1\"": "'\t=1",
	} {
		got, err := Spreadsheet([]byte("run,x\n" + cell + "\n"))
		if cell == "" {
			// Package csv leaves out empty lines.
			want = ""
		} else {
			want += "\n"
		}
		if err != nil || string(got) != "run,x\n"+want {
			t.Errorf("%s: got %q, %v, want %q", cell, got, err, want)
		}
	}
}
