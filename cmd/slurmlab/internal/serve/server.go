package serve

import (
	"crypto/rand"
	"crypto/subtle"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"path"
	"strings"

	"github.com/slurmlab/slurmlab/results/report"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/results/trace"
)

//go:embed assets
var assets embed.FS

// Options say what a Server shows.
type Options struct {
	// Paths are runs, archives of runs, and folders of them.
	Paths []string
	// Token is what every address begins with; see NewToken.
	Token string
	// RawCells leaves the cells of CSV as they are, see text.Spreadsheet.
	RawCells bool
	// Version is slurmlab's.
	Version string
	// Explain says why a job of a run waited.
	Explain func(dir trace.Dir, job int) (Explanation, error)
	// Study compares the runs of a folder, and writes nothing.
	Study func(folder string) (Study, error)
}

// Explanation is why a job waited, in words, and what became of it in the cycles of an agent.
type Explanation struct {
	Text     string         `json:"text"`
	Outcomes []OutcomeCount `json:"outcomes"`
}

// OutcomeCount counts the cycles that ended so for the job.
type OutcomeCount struct {
	Name   string `json:"name"`
	Cycles int    `json:"cycles"`
}

// Study is what the runs of a folder show: sentences, the matrix, the comparison of the policies
// with all metrics and with few, and the metrics of the runs. Without Complete runs there are no
// tables.
type Study struct {
	Findings              []string
	Matrix                Matrix
	Complete              int
	Comparison, Few, Runs table.Table
	// WhatIf says that it is a what-if study: it has the sections of its report, and tables of scenarios and of users, in
	// place of the other tables.
	WhatIf           bool
	Sections         []report.Section
	Scenarios, Users table.Table
}

// Server answers the requests of the page.
type Server struct {
	options Options
	shelf   *shelf
	refused refusals
	runs    *cache[[]byte]
	studies *cache[Study]
	routes  http.Handler
}

// New makes a Server of the runs at the paths. The error names each path that has none.
func New(o Options) (*Server, error) {
	s := &Server{options: o, shelf: newShelf(o.Paths), runs: newCache[[]byte](), studies: newCache[Study]()}
	if err := s.shelf.check(); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.page)
	mux.HandleFunc("GET /assets/{name}", s.asset)
	mux.HandleFunc("GET /api/list", s.list)
	mux.HandleFunc("GET /api/run/{run}", s.run)
	mux.HandleFunc("GET /api/run/{run}/explain/{job}", s.explain)
	mux.HandleFunc("GET /api/run/{run}/jobs-so-far.csv", s.jobsSoFar)
	mux.HandleFunc("GET /api/run/{run}/{table}", s.runTable)
	mux.HandleFunc("GET /api/folder/{folder}", s.study)
	mux.HandleFunc("GET /api/folder/{folder}/list.csv", s.folderList)
	mux.HandleFunc("GET /api/folder/{folder}/picture/{number}", s.picture)
	mux.HandleFunc("GET /api/folder/{folder}/{table}", s.studyTable)
	s.routes = http.StripPrefix("/"+o.Token, mux)
	return s, nil
}

// NewToken is a new random token: 128 bits as hexadecimal digits.
func NewToken() string {
	bits := make([]byte, 16)
	// It never fails, see crypto/rand.
	_, _ = rand.Read(bits)
	return hex.EncodeToString(bits)
}

// Listen opens the port on the loopback interface, any free one for 0.
func Listen(port int) (net.Listener, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", fmt.Sprint(port)))
	if err != nil {
		return nil, fmt.Errorf("serve: %w", err)
	}
	return listener, nil
}

// Address is where the page is, for a server on the listener.
func (s *Server) Address(listener net.Listener) string {
	return fmt.Sprintf("http://%s/%s/", listener.Addr(), s.options.Token)
}

// policy allows the page its own scripts, styles and data, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP checks each request before anything is looked up.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, value := range map[string]string{
		"Content-Security-Policy":      policy,
		"X-Content-Type-Options":       "nosniff",
		"Referrer-Policy":              "no-referrer",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Cache-Control":                "no-store",
	} {
		w.Header().Set(name, value)
	}
	token, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case !isLoopback(r.Host):
		http.Error(w, "This page is for the machine that slurmlab runs on: ask for 127.0.0.1 or localhost.", http.StatusMisdirectedRequest)
	case subtle.ConstantTimeCompare([]byte(token), []byte(s.options.Token)) != 1:
		http.Error(w, "The address lacks its token: take the whole address that \"slurmlab serve\" printed.", http.StatusForbidden)
	case r.Method != http.MethodGet:
		w.Header().Set("Allow", http.MethodGet)
		http.Error(w, "This page is read-only: only GET is allowed.", http.StatusMethodNotAllowed)
	default:
		s.routes.ServeHTTP(w, r)
	}
}

// isLoopback says whether a Host header names this machine's loopback interface.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if host == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && address.IsLoopback()
}

func (s *Server) page(w http.ResponseWriter, _ *http.Request) { s.send(w, "index.html") }

func (s *Server) asset(w http.ResponseWriter, r *http.Request) { s.send(w, r.PathValue("name")) }

// send answers with one of the assets.
func (s *Server) send(w http.ResponseWriter, name string) {
	// A name that is no path of an fs.FS, as one with "..", is not found.
	data, err := fs.ReadFile(assets, path.Join("assets", path.Base(name)))
	if err != nil {
		http.Error(w, "There is no such file.", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	// The reader may be gone.
	_, _ = w.Write(data)
}
