package trace

import "encoding/json"

// Backend is what emulated a cluster: how its nodes were emulated, such as "external", and the release series of its Slurm,
// such as "26.05". Package containers/slurm/backend says which there are.
type Backend struct {
	Form   string `json:"backend,omitempty"`
	Series string `json:"slurm"`
}

// BackendName is the backend in one word: "external-26.05".
func (b Backend) BackendName() string {
	if b.Form == "" {
		return b.Series
	}
	return b.Form + "-" + b.Series
}

// former are the backends by the one word, of the key slurm, for form and series in records without the key backend. The
// first records have neither.
func former() map[string]Backend {
	return map[string]Backend{
		"":             {"frontend", "24.11"},
		"24.11":        {"frontend", "24.11"},
		"26.05":        {"external", "26.05"},
		"26.05-slurmd": {"slurmd", "26.05"},
	}
}

// FormerBackend is the backend of a word in records and campaign files without the key backend.
func FormerBackend(word string) (Backend, bool) {
	found, known := former()[word]
	return found, known
}

// Former is the word of the backend in such records, or its name where it is newer than they are.
func (b Backend) Former() string {
	for word, named := range former() {
		if word != "" && named == b {
			return word
		}
	}
	return b.BackendName()
}

// FormerLabel is the name of a policy in the directories of folders that were begun with such records.
func (b Backend) FormerLabel(policy string) string {
	if first, _ := FormerBackend(""); b == first {
		return policy
	}
	return policy + "-" + b.Former()
}

// FillIn sets the form of a backend that was recorded without it.
func (b *Backend) FillIn() {
	if found, known := FormerBackend(b.Series); b.Form == "" && known {
		*b = found
	}
}

// Former says that the run.json of a run has no key backend. A run without a run.json is not former.
func (d Dir) Former() bool {
	in, err := d.Open("run.json")
	if err != nil {
		return false
	}
	defer func() { _ = in.Close() }()
	var recorded struct {
		Backend *string `json:"backend"`
	}
	return json.NewDecoder(in).Decode(&recorded) == nil && recorded.Backend == nil
}
