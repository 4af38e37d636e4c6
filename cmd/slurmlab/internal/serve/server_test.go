package serve_test

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/serve"
	"github.com/slurmlab/slurmlab/results/trace"
)

// recorded is a folder of archives of real runs, of rows V and IV.2 of the table 5 of AUCSCHED on 23 November 2026.
const recorded = "testdata/aucsched"

const token = "0123456789abcdef"

// site is a server of the page on a real port.
type site struct {
	t    testing.TB
	base string
}

func open(t testing.TB, paths ...string) site {
	t.Helper()
	return openWith(t, nil, paths...)
}

// openWith is open with what compares folders.
func openWith(t testing.TB, study func(string) (serve.Study, error), paths ...string) site {
	t.Helper()
	page, err := serve.New(serve.Options{Paths: paths, Token: token, Version: "1.2.3", Study: study, Explain: func(dir trace.Dir, job int) (serve.Explanation, error) {
		return serve.Explanation{Text: fmt.Sprintf("job %d of %s", job, filepath.Base(dir.Path()))}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(page)
	t.Cleanup(server.Close)
	return site{t, server.URL}
}

// answer of the server without its body.
type answer struct {
	StatusCode int
	Status     string
	Header     http.Header
}

// send asks with a method, and change changes the request before.
func (s site) send(method, path string, change func(*http.Request)) (answer, string) {
	s.t.Helper()
	request, err := http.NewRequest(method, s.base+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if change != nil {
		change(request)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer{response.StatusCode, response.Status, response.Header}, string(body)
}

func (s site) get(path string) (answer, string) {
	s.t.Helper()
	return s.send(http.MethodGet, "/"+token+"/"+path, nil)
}

// data decodes an answer that must be good.
func (s site) data(path string, into any) {
	s.t.Helper()
	answer, body := s.get(path)
	if answer.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: %s: %s", path, answer.Status, body)
	}
	if err := json.Unmarshal([]byte(body), into); err != nil {
		s.t.Fatalf("%s: %v", path, err)
	}
}

type listedRun struct {
	Key        string `json:"key"`
	Name       string `json:"name"`
	Policy     string `json:"policy"`
	Status     string `json:"status"`
	Reason     string `json:"reason"`
	UnderWay   bool   `json:"under_way"`
	Unreadable string `json:"unreadable"`
}

func (s site) runs() map[string]listedRun {
	s.t.Helper()
	var list struct {
		Folders []struct{ Runs []listedRun }
	}
	s.data("api/list", &list)
	runs := map[string]listedRun{}
	for _, f := range list.Folders {
		for _, r := range f.Runs {
			runs[r.Name] = r
		}
	}
	return runs
}

// What asks without the token, by another name, or to change something gets nothing.
func TestRefusals(t *testing.T) {
	s := open(t, recorded)
	for _, c := range []struct {
		name, method, path, host string
		want                     int
	}{
		{"no token", "GET", "/", "", http.StatusForbidden},
		{"no token, data", "GET", "/api/list", "", http.StatusForbidden},
		{"wrong token", "GET", "/" + strings.Repeat("0", len(token)) + "/", "", http.StatusForbidden},
		{"part of the token", "GET", "/" + token[:8] + "/", "", http.StatusForbidden},
		{"wrong token, method", "POST", "/x/", "", http.StatusForbidden},
		{"post", "POST", "/" + token + "/", "", http.StatusMethodNotAllowed},
		{"put", "PUT", "/" + token + "/api/list", "", http.StatusMethodNotAllowed},
		{"delete", "DELETE", "/" + token + "/api/list", "", http.StatusMethodNotAllowed},
		{"head", "HEAD", "/" + token + "/", "", http.StatusMethodNotAllowed},
		{"options", "OPTIONS", "/" + token + "/", "", http.StatusMethodNotAllowed},
		{"other name", "GET", "/" + token + "/", "rebound.example", http.StatusMisdirectedRequest},
		{"name that begins alike", "GET", "/" + token + "/", "localhost.example:80", http.StatusMisdirectedRequest},
		{"other address", "GET", "/" + token + "/", "192.0.2.1:80", http.StatusMisdirectedRequest},
		{"localhost", "GET", "/" + token + "/", "localhost:99", http.StatusOK},
		{"IPv6", "GET", "/" + token + "/", "[::1]:99", http.StatusOK},
		{"page", "GET", "/" + token + "/", "", http.StatusOK},
		{"unknown run", "GET", "/" + token + "/api/run/000000000000", "", http.StatusNotFound},
		{"path for a key", "GET", "/" + token + "/api/run/..%2f..%2fetc", "", http.StatusNotFound},
		{"unknown page", "GET", "/" + token + "/etc/passwd", "", http.StatusNotFound},
		{"unknown asset", "GET", "/" + token + "/assets/none.js", "", http.StatusNotFound},
		{"source for an asset", "GET", "/" + token + "/assets/..%2fserver.go", "", http.StatusNotFound},
		{"path for an asset", "GET", "/" + token + "/assets/..%2f..%2f..%2f..%2f..%2fgo.mod", "", http.StatusNotFound},
		{"folder of assets", "GET", "/" + token + "/assets/", "", http.StatusNotFound},
	} {
		answer, body := s.send(c.method, c.path, func(r *http.Request) { r.Host = c.host })
		if answer.StatusCode != c.want {
			t.Errorf("%s: %s, want %d: %.80s", c.name, answer.Status, c.want, body)
		}
		policy := answer.Header.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") || strings.Contains(policy, "*") {
			t.Errorf("%s: policy %q", c.name, policy)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"} {
			if got := answer.Header.Get(name); got != want {
				t.Errorf("%s: %s: %q, want %q", c.name, name, got, want)
			}
		}
	}
}

// The server listens on the loopback interface, and its address has a token that is new
// each time.
func TestAddress(t *testing.T) {
	listener, err := serve.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	if !listener.Addr().(*net.TCPAddr).IP.IsLoopback() {
		t.Errorf("listens on %s", listener.Addr())
	}
	one, other := serve.NewToken(), serve.NewToken()
	if one == other || !regexp.MustCompile(`^[0-9a-f]{32}$`).MatchString(one) {
		t.Errorf("tokens %s and %s", one, other)
	}
	page, err := serve.New(serve.Options{Paths: []string{recorded}, Token: one})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := page.Address(listener), "http://"+listener.Addr().String()+"/"+one+"/"; got != want {
		t.Errorf("address %s, want %s", got, want)
	}
}

// Whatever the page needs it has from the server, by an address that keeps the token.
func TestAssets(t *testing.T) {
	s := open(t, recorded)
	_, page := s.get("")
	names := regexp.MustCompile(`(?:src|href)="([^"#]*)"`).FindAllStringSubmatch(page, -1)
	seen := map[string]bool{}
	for len(names) > 0 {
		name := names[0][1]
		names = names[1:]
		if seen[name] {
			continue
		}
		seen[name] = true
		answer, body := s.get(name)
		if answer.StatusCode != http.StatusOK || strings.HasPrefix(name, "/") || strings.Contains(name, ":") {
			t.Errorf("%s: %s", name, answer.Status)
		}
		if filepath.Ext(name) == ".js" {
			if kind := answer.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/javascript") {
				t.Errorf("%s is %s", name, kind)
			}
			for _, found := range regexp.MustCompile(`from '\./([^']*)'`).FindAllStringSubmatch(body, -1) {
				names = append(names, []string{"", "assets/" + found[1]})
			}
		}
	}
	files, err := filepath.Glob("assets/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if name := filepath.ToSlash(file); !seen[name] && name != "assets/index.html" {
			t.Errorf("%s is on no page", name)
		}
	}
}

// copyRun is copyOf a run under the auction.
func copyRun(t *testing.T, folder, name string, record map[string]any, without ...string) string {
	t.Helper()
	return copyOf(t, "S-V.2-auction-seed1.zip", folder, name, record, without...)
}

// copyOf unpacks a recorded run into the folder, with other values in its run.json.
func copyOf(t *testing.T, run, folder, name string, record map[string]any, without ...string) string {
	t.Helper()
	archive, err := zip.OpenReader(filepath.Join(recorded, run))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = archive.Close() }()
	path := filepath.Join(folder, name)
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
files:
	for _, member := range archive.File {
		for _, left := range without {
			if member.Name == left {
				continue files
			}
		}
		data := contents(t, member)
		if member.Name == "run.json" && record != nil {
			data = changed(t, data, record)
		}
		if err := os.WriteFile(filepath.Join(path, member.Name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// contents are the bytes of a member of an archive.
func contents(t testing.TB, member *zip.File) []byte {
	t.Helper()
	from, err := member.Open()
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(from)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func changed(t testing.TB, data []byte, record map[string]any) []byte {
	t.Helper()
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for key, value := range record {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		all[key] = text
	}
	data, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
