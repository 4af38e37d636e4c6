package plugin_test

import (
	"os"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/plugin"
)

// The published schema and the reference of docs/plugins.md match the types. UPDATE_SCHEMA=1 rewrites them.
func TestPublished(t *testing.T) {
	const schemaFile, page = "../../docs/plugins.schema.json", "../../docs/plugins.md"
	const begin, end = "<!-- reference: made by TestPublished -->\n", "<!-- end of reference -->\n"
	schema, err := plugin.Schema()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(text), begin)
	inside, tail, found := strings.Cut(rest, end)
	if !found {
		t.Fatalf("%s has no place for the reference", page)
	}
	if os.Getenv("UPDATE_SCHEMA") != "" {
		if err = os.WriteFile(schemaFile, schema, 0o644); err != nil {
			t.Fatal(err)
		}
		if err = os.WriteFile(page, []byte(head+begin+plugin.Reference()+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	published, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(published) != string(schema) {
		t.Errorf("%s is not the schema of the types; UPDATE_SCHEMA=1 writes it anew", schemaFile)
	}
	if inside != plugin.Reference() {
		t.Errorf("the reference of %s is not that of the types; UPDATE_SCHEMA=1 writes it anew", page)
	}
}

// The page plays the examples that the other tests use.
func TestTutorial(t *testing.T) {
	page, err := os.ReadFile("../../docs/plugins.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\ncp examples/plugins/easy.py ./my_scheduler.py\n", "\ncp examples/plugins/bandit.py ./bandit.py\n"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("docs/plugins.md does not have\n%s", want)
		}
	}
}
