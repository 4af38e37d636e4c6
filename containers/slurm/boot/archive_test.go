package boot

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What was packed comes out again with its modes, but for sockets, which belong to processes.
func TestCheckpointRoundTrip(t *testing.T) {
	from := t.TempDir()
	secret := filepath.Join(from, "hash.1", "secret")
	if err := os.Mkdir(filepath.Dir(secret), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(secret, []byte("state"), 0o600); err != nil {
		t.Fatal(err)
	}
	socket, err := net.Listen("unix", filepath.Join(from, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = socket.Close() }()
	var packed bytes.Buffer
	if err = PackCheckpoint(&packed, from); err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	if err = unpackArchive(&packed, root, from); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, secret))
	if err != nil || string(text) != "state" {
		t.Errorf("got %q, %v", text, err)
	}
	for path, want := range map[string]os.FileMode{secret: 0o600, filepath.Dir(secret): 0o700} {
		if info, statErr := os.Stat(filepath.Join(root, path)); statErr != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want mode %o", path, info, statErr, want)
		}
	}
	if _, err = os.Lstat(filepath.Join(root, from, "s")); err == nil {
		t.Error("a socket was packed")
	}
}

// An archive writes nothing outside of the directories, and makes no links.
func TestUnpackRefuses(t *testing.T) {
	for name, header := range map[string]tar.Header{
		"another directory": {Name: "etc/passwd", Typeflag: tar.TypeReg},
		"upwards":           {Name: "var/lib/mysql/../../../etc/passwd", Typeflag: tar.TypeReg},
		"a longer name":     {Name: "var/lib/mysqld/x", Typeflag: tar.TypeReg},
		"a link":            {Name: "var/lib/mysql/x", Typeflag: tar.TypeSymlink, Linkname: "/etc"},
	} {
		var text bytes.Buffer
		packed := gzip.NewWriter(&text)
		archive := tar.NewWriter(packed)
		if err := archive.WriteHeader(&header); err != nil {
			t.Fatal(err)
		}
		if err := archive.Close(); err != nil {
			t.Fatal(err)
		}
		if err := packed.Close(); err != nil {
			t.Fatal(err)
		}
		root := t.TempDir()
		err := unpackArchive(&text, root, "/var/lib/mysql")
		if err == nil || !strings.Contains(err.Error(), header.Name+": is ") {
			t.Errorf("%s: got %v", name, err)
		}
		if left, err := os.ReadDir(root); err != nil || len(left) > 0 {
			t.Errorf("%s: left %v, %v", name, left, err)
		}
	}
	if err := unpackArchive(strings.NewReader("no gzip"), t.TempDir(), "/x"); err == nil {
		t.Error("a file that is no archive was unpacked")
	}
}

// A file that claims more bytes than there is room for is refused before it is read: as a hole it would take no room, and
// its zeros no end.
func TestUnpackRefusesMoreThanFits(t *testing.T) {
	var text bytes.Buffer
	packed := gzip.NewWriter(&text)
	if err := tar.NewWriter(packed).WriteHeader(&tar.Header{Name: "var/x", Typeflag: tar.TypeReg, Size: 1 << 60}); err != nil {
		t.Fatal(err)
	}
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "var"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unpackArchive(&text, root, "/var"); err == nil || !strings.Contains(err.Error(), "has 1152921504606846976 bytes, and ") {
		t.Errorf("got %v", err)
	}
}

// Zeros become a hole, which takes no room (lseek(2), SEEK_HOLE), and are read as zeros again. Holes may be at the
// start, in the middle and at the end of a file, or be the whole file. GNU tar packs the holes of the empty database
// as such.
func TestZerosBecomeHoles(t *testing.T) {
	const page = 16 << 10
	for name, want := range map[string][]byte{
		"middle":  bytes.Join([][]byte{bytes.Repeat([]byte("a"), page+1), make([]byte, 64*page), []byte("end")}, nil),
		"ends":    bytes.Join([][]byte{make([]byte, 32*page), bytes.Repeat([]byte("b"), 5), make([]byte, 32*page+7)}, nil),
		"nothing": make([]byte, 64*page),
		"empty":   {},
	} {
		from, root := t.TempDir(), t.TempDir()
		if err := os.WriteFile(filepath.Join(from, "file"), want, 0o600); err != nil {
			t.Fatal(err)
		}
		var ours bytes.Buffer
		if err := PackCheckpoint(&ours, from); err != nil {
			t.Fatal(err)
		}
		theirs, err := exec.Command("tar", "-C", "/", "--format=pax", "--sparse", "--hole-detection=raw", "-cz", strings.TrimPrefix(from, "/")).Output()
		if err != nil {
			t.Fatal(err)
		}
		for by, packed := range map[string][]byte{"Pack": ours.Bytes(), "tar": theirs} {
			if err := unpackArchive(bytes.NewReader(packed), root, from); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(root, from, "file")
			got, err := os.ReadFile(path)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s, %s: got %d bytes, want the %d of before: %v", name, by, len(got), len(want), err)
			}
			var used syscall.Stat_t
			if err = syscall.Stat(path, &used); err != nil || used.Blocks*512 > 4*page {
				t.Errorf("%s, %s: takes %d bytes of %d", name, by, used.Blocks*512, len(want))
			}
		}
	}
}
