package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/slurmlab/slurmlab/policy"
)

// mostProgram is the largest program in bytes, which is copied into each cluster.
const mostProgram = 256 << 20

// withProgram adds the file of a policy "exec:FILE" to it, which it checks.
func withProgram(p policy.Policy, name string) (policy.Policy, error) {
	file, is := strings.CutPrefix(name, policy.ExecPrefix)
	if !is {
		return p, nil
	}
	sum, err := checkProgram(file)
	if err != nil {
		return p, fmt.Errorf("policy: %s%s: %w", policy.ExecPrefix, file, err)
	}
	p.ProgramFile, p.Parameters.ProgramSum = file, sum
	return p, nil
}

// checkProgram says what keeps a file from being a program, and returns its SHA-256.
func checkProgram(name string) (sum string, err error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	about, err := file.Stat()
	switch {
	case err != nil:
		return "", err
	case !about.Mode().IsRegular():
		return "", fmt.Errorf("it is no file; name the program itself")
	case about.Mode()&0o111 == 0:
		return "", fmt.Errorf("it is not executable; make it so with: chmod +x %s", name)
	case about.Size() > mostProgram:
		return "", fmt.Errorf("it has %d MiB, allowed are %d", about.Size()>>20, mostProgram>>20)
	}
	head := make([]byte, 4)
	n, _ := io.ReadFull(file, head)
	if head = head[:n]; !bytes.HasPrefix(head, []byte("#!")) && !bytes.Equal(head, []byte("\x7fELF")) {
		return "", fmt.Errorf("it is neither a Linux program nor a script; a script begins with a line such as #!/usr/bin/env python3")
	}
	hash := sha256.New()
	_, _ = hash.Write(head)
	if _, err = io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
