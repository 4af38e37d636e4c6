package workloads

import (
	"regexp"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/internal/input"
)

// unknownIn is what a file has for an unknown key in a part: of "a[0].b" it is "a: [{b: {unknown: 1}}]".
func unknownIn(path string) string {
	text := "unknown: 1"
	keys := strings.Split(path, ".")
	for i := len(keys) - 1; i >= 0 && path != ""; i-- {
		key, isEntry := strings.CutSuffix(keys[i], "[0]")
		text = "{" + text + "}"
		if isEntry {
			text = "[" + text + "]"
		}
		text = key + ": " + text
	}
	return text
}

// The fault of an unknown key has the keys of its part, in their order, and each has a meaning.
func TestPartsAreRead(t *testing.T) {
	for _, file := range []struct {
		parts []input.Part
		head  func(title string) string
		parse func(text string) error
	}{
		{MachineParts(), func(title string) string {
			if title == "With equal nodes" || title == "Switches" {
				return "nodes: 1\ncores: 1\n"
			}
			return "groups: [{}]\n"
		}, func(text string) error { _, err := ParseMachine("x.yaml", []byte(text)); return err }},
		{WorkloadParts(), func(title string) string {
			if strings.Contains(title, "ESP") {
				return "generator: esp\n"
			}
			return ""
		}, func(text string) error {
			_, err := parseGenerator("x.yaml", []byte(text))
			return err
		}},
	} {
		for _, p := range file.parts {
			head := file.head(p.Title)
			if p.Path == "groups[0]" {
				head = ""
			}
			text := head + unknownIn(p.Path) + "\n"
			var names []string
			for _, k := range p.Keys {
				names = append(names, k.Name)
				if k.About == "" || regexp.MustCompile(`\{[A-Z]`).MatchString(k.About) {
					t.Errorf("%s: %s means %q", p.Title, k.Name, k.About)
				}
			}
			path := strings.TrimPrefix(p.Path+".unknown", ".")
			want := path + ": unknown key, allowed " + strings.Join(names, ", ") + "\n"
			if err := file.parse(text); err == nil || !strings.Contains(err.Error()+"\n", want) {
				t.Errorf("%s: got\n%v\nwant %s", text, err, want)
			}
		}
	}
}
