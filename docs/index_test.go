package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The lists of design notes and records in the index are the titles of their pages: UPDATE_RECORDS=1 writes them.
func TestIndexListsTitles(t *testing.T) {
	const index = "README.md"
	old, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	page := string(old)
	for folder, pattern := range map[string]string{"design": "design/*.md", "records": "records/*/*.md"} {
		files, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil || len(files) < 20 {
			t.Fatalf("%d pages of %s, %v", len(files), folder, err)
		}
		list := ""
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			title, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
			file = filepath.ToSlash(file)
			if experiment, _, is := strings.Cut(strings.TrimPrefix(file, "records/"), "-"); folder == "records" && is {
				title = experiment + " " + title
			}
			list += "- [" + title + "](" + file + ")\n"
		}
		block := regexp.MustCompile(`(?s)(<!-- reference: titles of ` + folder + ` -->\n).*?(<!-- end of reference -->\n)`)
		if !block.MatchString(page) {
			t.Fatalf("%s has no block for the titles of %s", index, folder)
		}
		page = block.ReplaceAllString(page, "${1}\n"+strings.ReplaceAll(list, "$", "$$")+"\n${2}")
	}
	if os.Getenv("UPDATE_RECORDS") != "" {
		if err := os.WriteFile(index, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if page != string(old) {
		t.Errorf("the lists of %s are not the titles of the pages; write them with: UPDATE_RECORDS=1 go test ./docs -run TestIndexListsTitles", index)
	}
}
