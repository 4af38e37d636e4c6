package program

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
)

// Read reads a program. The name of the file says how it is written: .json or
// .mps, each also compressed as .gz. Errors name the file, the line and the
// field.
func Read(name string, r io.Reader) (Program, error) {
	read, known := map[string]func(string, []byte) (Program, error){".json": readJSON, ".mps": readMPS}[extension(name)]
	if !known {
		return Program{}, fmt.Errorf("%s: its name is not allowed, want one that ends in .json, .mps, .json.gz or .mps.gz", name)
	}
	if strings.HasSuffix(name, ".gz") {
		plain, err := gzip.NewReader(r)
		if err != nil {
			return Program{}, fmt.Errorf("%s: %w", name, err)
		}
		r = plain
	}
	var text bytes.Buffer
	if _, err := text.ReadFrom(io.LimitReader(r, maxText+1)); err != nil {
		return Program{}, fmt.Errorf("%s: %w", name, err)
	}
	if text.Len() > maxText {
		return Program{}, fmt.Errorf("%s: got more than %d MiB, allowed %d", name, maxText>>20, maxText>>20)
	}
	return read(name, text.Bytes())
}

// maxText bounds an unpacked file: one of some kB can unpack to any size.
const maxText = 128 << 20

func extension(name string) string {
	name = strings.TrimSuffix(name, ".gz")
	if at := strings.LastIndexByte(name, '.'); at >= 0 {
		return name[at:]
	}
	return ""
}
