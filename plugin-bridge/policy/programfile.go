package policy

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
)

// mostProgram is the largest program in bytes, which is copied into each cluster.
const mostProgram = 256 << 20

// WithProgram adds the file of a policy that is a program to it, which it checks.
func WithProgram(p Policy, file string) (Policy, error) {
	sum, err := CheckProgram(file)
	if err != nil {
		prefix := ExecPrefix
		if p.Parameters.ProgramOnHost {
			prefix = HostPrefix
		}
		return p, fmt.Errorf("policy: %s%s: %w", prefix, file, err)
	}
	p.ProgramFile, p.Parameters.ProgramSum = file, sum
	return p, nil
}

// CheckProgram says what keeps a file from being a program, and returns its SHA-256.
func CheckProgram(name string) (sum string, err error) {
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
	rest := bufio.NewReader(io.TeeReader(file, hash))
	if bytes.HasPrefix(head, []byte("#!")) {
		if line, _ := rest.ReadSlice('\n'); bytes.HasSuffix(line, []byte("\r\n")) {
			return "", fmt.Errorf("its first line ends as lines of Windows do, and no interpreter is found; save it with lines as Unix has them")
		}
	}
	if _, err = io.Copy(io.Discard, rest); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// Stays refuses a program on the user's machine for a cluster that slurmlab does not stay with.
func Stays(p Policy) error {
	if !p.Parameters.ProgramOnHost {
		return nil
	}
	return fmt.Errorf("policy: %s%s is not allowed here, as the program would end with this command; want %sFILE, a program in the cluster, or run, compare or campaign",
		HostPrefix, p.ProgramFile, ExecPrefix)
}
