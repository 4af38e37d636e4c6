package trace

import (
	"archive/zip"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// furnished is a complete run of two jobs with files that an archive of the raw ones
// leaves out.
func furnished(t *testing.T) Dir {
	t.Helper()
	from := filepath.Join("..", "..", "cmd", "slurmlab", "internal", "cli", "testdata", "runs", "S-V.2-auction-seed1")
	path := filepath.Join(t.TempDir(), "run")
	if err := os.CopyFS(path, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"logs/slurmctld.log", "gantt.svg", "models/cycle-000001.json.gz"} {
		if err := errors.Join(os.MkdirAll(filepath.Join(path, filepath.Dir(name)), 0o755), os.WriteFile(filepath.Join(path, name), []byte(name), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	d, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A run reads from its archive as from its directory, by either name, and an archive of
// the same files has the same bytes.
func TestArchiveReadsAsTheDirectory(t *testing.T) {
	for _, onlyRaw := range []bool{false, true} {
		d := furnished(t)
		want, err := d.Load()
		if err != nil {
			t.Fatal(err)
		}
		path, err := d.Archive(onlyRaw)
		if err != nil {
			t.Fatal(err)
		}
		first, _ := os.ReadFile(path)
		if err = os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if _, err = d.Archive(onlyRaw); err != nil {
			t.Fatal(err)
		}
		if again, _ := os.ReadFile(path); len(first) == 0 || !slices.Equal(first, again) {
			t.Errorf("raw %t: %d bytes, then %d others", onlyRaw, len(first), len(again))
		}
		if err = os.RemoveAll(d.Path()); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{path, d.Path(), d.Path() + "/"} {
			archive, err := Open(name)
			if err != nil {
				t.Fatal(err)
			}
			if got, failed := archive.Load(); failed != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("raw %t: %s loads otherwise, %v", onlyRaw, name, failed)
			}
			for _, file := range []string{"logs/slurmctld.log", "gantt.svg", "models/cycle-000001.json.gz"} {
				if archive.Has(file) == onlyRaw {
					t.Errorf("raw %t: has %s: %t", onlyRaw, file, archive.Has(file))
				}
			}
			if err = archive.WriteRun(want.Run); !errors.Is(err, ErrArchived) || !strings.Contains(err.Error(), "unzip -d") {
				t.Errorf("write: got %v", err)
			}
		}
	}
}

// Without slurmlab one unpacks it with unzip, or with Python's zipfile.
func TestArchiveIsOrdinaryZip(t *testing.T) {
	d := furnished(t)
	path, err := d.Archive(false)
	if err != nil {
		t.Fatal(err)
	}
	want, err := d.Load()
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "unpacked")
	for program, args := range map[string][]string{
		"unzip": {"-q", "-d", out, path}, "python3": {"-m", "zipfile", "-e", path, out},
	} {
		t.Run(program, func(t *testing.T) {
			if text, failed := exec.Command(hosttest.Program(t, program), args...).CombinedOutput(); failed != nil {
				t.Fatalf("%v %s", failed, text)
			}
			unpacked, err := Open(out)
			if err != nil {
				t.Fatal(err)
			}
			if got, loadErr := unpacked.Load(); loadErr != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("unpacked run loads otherwise, %v", loadErr)
			}
			if err = os.RemoveAll(out); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestArchiveRefuses(t *testing.T) {
	d := furnished(t)
	path, err := d.Archive(true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = d.Archive(true); !errors.Is(err, fs.ErrExist) {
		t.Errorf("again: got %v, want fs.ErrExist", err)
	}
	archive, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = archive.Archive(true); err == nil || !strings.Contains(err.Error(), "an archive already") {
		t.Errorf("archive of an archive: got %v", err)
	}
	// A link would be lost, or be followed out of the directory.
	if err = errors.Join(os.Remove(path), os.Symlink("/etc/passwd", filepath.Join(d.Path(), "link"))); err != nil {
		t.Fatal(err)
	}
	if _, err = d.Archive(false); err == nil || !strings.Contains(err.Error(), "link is neither a file nor a folder") {
		t.Errorf("link: got %v", err)
	}
	if _, err = os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a refused archive was written: %v", err)
	}
}

// Pack may be killed between any two of its steps: the run is whole then, and Pack and Sweep finish what
// is left.
func TestPack(t *testing.T) {
	for _, onlyRaw := range []bool{false, true} {
		for _, killed := range []string{"before the archive", "after the archive", "after the rename"} {
			d := furnished(t)
			want, err := d.Load()
			if err != nil {
				t.Fatal(err)
			}
			folder := filepath.Dir(d.Path())
			if killed != "before the archive" {
				if _, err = d.Archive(onlyRaw); err != nil {
					t.Fatal(err)
				}
			}
			if killed == "after the rename" {
				if err = os.Rename(d.Path(), filepath.Join(folder, ".run"+removedEnding)); err != nil {
					t.Fatal(err)
				}
			} else if _, err = d.Pack(onlyRaw); err != nil {
				t.Fatalf("raw %t, %s: %v", onlyRaw, killed, err)
			}
			if err = Sweep(folder); err != nil {
				t.Fatal(err)
			}
			left, err := os.ReadDir(folder)
			if err != nil || len(left) != 1 || left[0].Name() != "run.zip" {
				t.Errorf("raw %t, %s: %v is left, %v, want run.zip", onlyRaw, killed, left, err)
			}
			packed, err := Open(d.Path())
			if err != nil {
				t.Fatal(err)
			}
			if got, err := packed.Load(); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("raw %t, %s: the archive loads otherwise, %v", onlyRaw, killed, err)
			}
		}
	}
}

// A directory stays whose archive has other files.
func TestPackRefuses(t *testing.T) {
	d := furnished(t)
	if _, err := d.Archive(false); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.Path(), "sacct.txt"), []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Pack(false); err == nil || !strings.Contains(err.Error(), "sacct.txt reads back otherwise") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(d.RunFile()); err != nil {
		t.Error(err)
	}
}

// A run reads the same from any fs.FS, which nothing writes into.
func TestFilesInMemory(t *testing.T) {
	d := furnished(t)
	want, err := d.Load()
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for _, name := range []string{"run.json", "workload.csv", "sacct.txt", "sdiag.txt", "cycles.jsonl"} {
		text, readErr := os.ReadFile(filepath.Join(d.Path(), name))
		if readErr != nil {
			t.Fatal(readErr)
		}
		files[name] = &fstest.MapFile{Data: text}
	}
	memory := In(files, "embedded")
	if got, loadErr := memory.Load(); loadErr != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, loadErr, want)
	}
	if _, archiveErr := memory.Archive(true); !errors.Is(archiveErr, errReadOnly) {
		t.Errorf("archive: got %v, want errReadOnly", archiveErr)
	}
	if writeErr := memory.WriteRun(want.Run); !errors.Is(writeErr, errReadOnly) {
		t.Errorf("write: got %v, want errReadOnly", writeErr)
	}
	files["cycles.jsonl"] = &fstest.MapFile{Data: []byte("{\"cycle\":1}\n{\"cyc")}
	if _, err = memory.Load(); err == nil || !strings.Contains(err.Error(), "embedded/cycles.jsonl:2: the line is cut off") {
		t.Errorf("cut off: got %v", err)
	}
	files["sacct.txt"] = &fstest.MapFile{Mode: fs.ModeDir}
	if _, err = memory.Load(); err == nil || !strings.Contains(err.Error(), "embedded/sacct.txt is no file") {
		t.Errorf("a folder: got %v", err)
	}
}

// A damaged archive is an error that names it, never a run with other numbers.
func TestDamagedArchive(t *testing.T) {
	d := furnished(t)
	path, err := d.Archive(true)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	archive, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = archive.Close() }()
	sacct := archive.File[slices.IndexFunc(archive.File, func(f *zip.File) bool { return f.Name == "sacct.txt" })]
	begin, err := sacct.DataOffset()
	if err != nil {
		t.Fatal(err)
	}
	damaged := slices.Clone(whole)
	damaged[begin+int64(sacct.CompressedSize64)/2] ^= 0xff
	for name, content := range map[string][]byte{"cut off": whole[:len(whole)/2], "empty": nil, "no archive": []byte("run"), "damaged": damaged} {
		if err = os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		a, failed := Open(path)
		if failed == nil {
			_, failed = a.Load()
		}
		if failed == nil || !strings.Contains(failed.Error(), path) {
			t.Errorf("%s: got %v", name, failed)
		}
	}
	// What is no member is missing as a file is.
	if err = os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if file, err := a.Open("../run.json"); !errors.Is(err, fs.ErrNotExist) {
		_, _ = io.Copy(io.Discard, file)
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
}

// Package zip takes the list of an archive's files into memory, so that list has a bound.
func TestArchiveOfTooManyFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.zip")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	archive := zip.NewWriter(file)
	// Names of 60,000 bytes are the shortest way to a long list.
	for i := range mostDirectory/60_000 + 1 {
		if _, err = archive.CreateRaw(&zip.FileHeader{Name: strings.Repeat("x", 60_000) + strconv.Itoa(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err = errors.Join(archive.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err = Open(path); err == nil || !strings.Contains(err.Error(), "the list of its files has more than 16 MiB") {
		t.Errorf("got error %v", err)
	}
}
