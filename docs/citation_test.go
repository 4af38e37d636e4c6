package docs

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// CITATION.cff has the required keys of the Citation File Format 1.2.0, the version of the Makefile, and each DOI and
// each title of a paper that the researchers' page names.
func TestCitation(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var cited struct {
		Format  string           `yaml:"cff-version"`
		Message string           `yaml:"message"`
		Title   string           `yaml:"title"`
		Version string           `yaml:"version"`
		Authors []map[string]any `yaml:"authors"`
		Papers  []struct {
			Title      string `yaml:"title"`
			DOI        string `yaml:"doi"`
			Collection string `yaml:"collection-doi"`
		} `yaml:"references"`
	}
	if err := yaml.Unmarshal([]byte(read("../CITATION.cff")), &cited); err != nil {
		t.Fatal(err)
	}
	if cited.Format != "1.2.0" || cited.Message == "" || cited.Title == "" || len(cited.Authors) == 0 || len(cited.Papers) != 4 {
		t.Errorf("got %+v", cited)
	}
	if !strings.Contains(read("../Makefile"), "VERSION := "+cited.Version+"-") {
		t.Errorf("version %s is not the Makefile's", cited.Version)
	}
	page := read("researchers.md")
	dois := map[string]bool{}
	for _, paper := range cited.Papers {
		if !strings.Contains(page, paper.Title) {
			t.Errorf("researchers.md lacks %q", paper.Title)
		}
		dois[paper.DOI], dois[paper.Collection] = true, true
	}
	for _, link := range regexp.MustCompile(`https://doi\.org/([^)]+)`).FindAllStringSubmatch(page, -1) {
		if !dois[link[1]] {
			t.Errorf("CITATION.cff lacks the DOI %s of researchers.md", link[1])
		}
	}
}
