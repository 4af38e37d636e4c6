package anonymise

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// KeyBytes is the length of a key of Anonymise, equal to the length of the hash: RFC 2104, section 3, advises against
// shorter ones.
const KeyBytes = sha256.Size

// ParseKey reads a key as KeyText writes it.
func ParseKey(text string) ([]byte, error) {
	key, err := hex.DecodeString(strings.TrimSpace(text))
	if err != nil || len(key) != KeyBytes {
		// Without the text, which is a secret.
		return nil, errors.New("key: allowed one line of 64 hexadecimal digits")
	}
	return key, nil
}

// KeyText is the text of a key.
func KeyText(key []byte) string { return hex.EncodeToString(key) + "\n" }

// mostKnown bounds the names of a column that stay in memory.
const mostKnown = 100_000

// pseudonyms has the pseudonyms of the names in columns of one kind. A name has one pseudonym in all columns of a
// kind, and others in columns of other kinds.
type pseudonyms struct {
	kind string
	key  []byte
	// known has the first mostKnown names.
	known map[string]string
	// more says that there were others.
	more bool
}

// pseudonymAlphabet has what the name of a Slurm account may have.
const pseudonymAlphabet = "abcdefghijklmnopqrstuvwxyz234567"

// of returns the pseudonym of a name: the kind, and 80 bits of a hash with a key. Two of
// a million names have the same one with a probability of 4e-13. It is a name that a Slurm
// account can have. The QOS that each Slurm has says nothing of a site, and stays.
func (p *pseudonyms) of(name string) string {
	if p.kind == kindOf("QOS") && name == layout.NormalQOS {
		return name
	}
	if pseudonym, ok := p.known[name]; ok {
		return pseudonym
	}
	hash := hmac.New(sha256.New, p.key)
	// A kind has no zero byte, so that no two pairs of kind and name are the same text.
	_, _ = hash.Write([]byte(p.kind + "\x00" + name))
	pseudonym := p.kind + "-" + base32.NewEncoding(pseudonymAlphabet).EncodeToString(hash.Sum(nil)[:10])
	if len(p.known) < mostKnown {
		// The name is part of a line, which must not stay in memory.
		p.known[strings.Clone(name)] = pseudonym
	} else {
		p.more = true
	}
	return pseudonym
}

// counted puts pseudonyms in a list of names with their numbers, each after a colon; workloads join them by &, Slurm by commas, or by |
// where one of them will do.
func (p *pseudonyms) counted(list string) string {
	var out strings.Builder
	for list != "" {
		item, separator := list, ""
		if end := strings.IndexAny(list, "&,|"); end >= 0 {
			item, separator = list[:end], list[end:end+1]
		}
		list = list[len(item)+len(separator):]
		name, number, counted := strings.Cut(item, ":")
		if name != "" {
			name = p.of(name)
		}
		if out.WriteString(name); counted {
			out.WriteString(":" + number)
		}
		out.WriteString(separator)
	}
	return out.String()
}
