package trace

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
)

// archiveEnding ends the name of an archive of a run.
const archiveEnding = ".zip"

// ErrArchived is the error of writing into an archive.
var ErrArchived = errors.New("the run is archived, and an archive is not written to")

// Unarchived is the path of the directory that the run at path has or had.
func Unarchived(path string) string { return strings.TrimSuffix(path, archiveEnding) }

// ArchiveOf is the path of the archive that Dir.Archive writes for the directory at path.
func ArchiveOf(path string) string { return filepath.Clean(path) + archiveEnding }

// Archived says that the run is in an archive, which can be read only.
func (d Dir) Archived() bool {
	_, is := d.files.(archived)
	return is
}

// errReadOnly is the error of writing into files that In was given.
var errReadOnly = errors.New("these files are only read")

// writable says why nothing can be written into the run.
func (d Dir) writable() error {
	switch d.files.(type) {
	case Folder:
		return nil
	case archived:
		return d.Unpack()
	default:
		return fmt.Errorf("%s: %w", d.path, errReadOnly)
	}
}

// Unpack is the error that says how an archived run becomes a directory again.
func (d Dir) Unpack() error {
	return fmt.Errorf("%s: %w; \"unzip -d %s %s\" makes a run directory of it",
		d.path, ErrArchived, Unarchived(d.path), d.path)
}

// archiveAt returns the archive that path means: path itself, or path.zip if there is
// nothing at path.
func archiveAt(path string) (string, bool) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		path = ArchiveOf(path)
		info, err = os.Stat(path)
	}
	return path, err == nil && info.Mode().IsRegular() && strings.HasSuffix(path, archiveEnding)
}

// IsArchived says that a run at path is in an archive, at path or beside it.
func IsArchived(path string) bool {
	_, ok := archiveAt(path)
	return ok
}

func openArchive(path string) (Dir, error) {
	d := In(archived(path), path)
	file, err := d.Open("run.json")
	if err != nil {
		return Dir{}, fmt.Errorf("open archived run %s: %w", path, err)
	}
	return d, file.Close()
}

// mostDirectory bounds what is read of an archive to find its files. The entry of a file has 46 bytes and its name
// (APPNOTE.TXT 6.3, 4.3.12): some 100 for the integer program of a cycle.
const mostDirectory = 16 << 20

// zipFile is an open archive.
type zipFile struct {
	*zip.Reader
	file *os.File
}

// Close closes the archive.
func (z zipFile) Close() error { return z.file.Close() }

// directoryReader reads no more than so many bytes until they are found. Package zip takes a directory of any size into
// memory.
type directoryReader struct {
	file io.ReaderAt
	left atomic.Int64
}

// ReadAt implements io.ReaderAt.
func (d *directoryReader) ReadAt(p []byte, at int64) (int, error) {
	if d.left.Add(-int64(len(p))) < 0 {
		return 0, fmt.Errorf("the list of its files has more than %d MiB", mostDirectory>>20)
	}
	return d.file.ReadAt(p, at)
}

// openZip opens an archive.
func openZip(path string) (zipFile, error) {
	file, err := os.Open(path)
	if err != nil {
		return zipFile{}, err
	}
	info, err := file.Stat()
	if err == nil {
		in := &directoryReader{file: file}
		in.left.Store(mostDirectory)
		var archive *zip.Reader
		if archive, err = zip.NewReader(in, info.Size()); err == nil {
			in.left.Store(math.MaxInt64)
			return zipFile{archive, file}, nil
		}
	}
	return zipFile{}, errors.Join(err, file.Close())
}

// archived is the path of an archive whose files are read. It is opened for each of them, as a folder has thousands of runs.
type archived string

// Open implements fs.FS.
func (a archived) Open(name string) (fs.File, error) {
	archive, err := openZip(string(a))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", string(a), err)
	}
	i := slices.IndexFunc(archive.File, func(f *zip.File) bool { return f.Name == name })
	if i < 0 {
		return nil, errors.Join(fmt.Errorf("%s: %s: %w", string(a), name, fs.ErrNotExist), archive.Close())
	}
	file, err := archive.File[i].Open()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %s: %w", string(a), name, err), archive.Close())
	}
	return member{file, archive.File[i].FileInfo(), archive}, nil
}

// member is an open file of an archive.
type member struct {
	io.ReadCloser
	info    fs.FileInfo
	archive zipFile
}

// Stat implements fs.File.
func (m member) Stat() (fs.FileInfo, error) { return m.info, nil }

// Close implements fs.File.
func (m member) Close() error { return errors.Join(m.ReadCloser.Close(), m.archive.Close()) }

// raw are the files from which every number and picture of a run can be computed again.
var raw = []string{"run.json", "workload.csv", "events.csv", "sacct.txt", "sdiag.txt", "cycles.jsonl"}

// Archive writes the files of a run directory into the archive beside it, path.zip, reads
// them back, and returns the archive's path. An onlyRaw archive leaves out what is computed from the other files
// (metrics, pictures) or explains them (snapshots, logs, models). The directory
// stays; same files, same bytes. An archive in its place is refused with an error that satisfies
// errors.Is(err, fs.ErrExist).
func (d Dir) Archive(onlyRaw bool) (string, error) {
	if d.Archived() {
		return "", fmt.Errorf("archive %s: it is an archive already", d.path)
	}
	if err := d.writable(); err != nil {
		return "", fmt.Errorf("archive %w", err)
	}
	to := ArchiveOf(d.path)
	if _, err := os.Lstat(to); err == nil {
		return "", fmt.Errorf("archive %s: %s: %w", d.path, to, fs.ErrExist)
	}
	files := os.DirFS(d.path)
	names, err := members(files, onlyRaw)
	if err != nil {
		return "", fmt.Errorf("archive %s: %w", d.path, err)
	}
	if err = WriteAtomic(to, func(w io.Writer) error { return writeArchive(w, files, names) }); err != nil {
		return "", fmt.Errorf("archive %s: %w", d.path, err)
	}
	if err = sameFiles(to, files, names); err != nil {
		return "", fmt.Errorf("archive %s: %w", d.path, errors.Join(err, os.Remove(to)))
	}
	// Otherwise a loss of power could take the archive's name after Pack has removed the directory.
	if err = syncDir(filepath.Dir(to)); err != nil {
		return "", fmt.Errorf("archive %s: %w", d.path, err)
	}
	return to, nil
}

// removedEnding ends the hidden name that a directory has while Pack removes it.
const removedEnding = ".removed"

// Pack archives the run as Archive does and removes its directory. A process that is killed meanwhile
// leaves the run whole, as a directory or as an archive, and Pack finishes what it began.
func (d Dir) Pack(onlyRaw bool) (string, error) {
	to, err := d.Archive(onlyRaw)
	if errors.Is(err, fs.ErrExist) {
		to = ArchiveOf(d.path)
		err = d.isIn(to, onlyRaw)
	}
	if err != nil {
		return "", err
	}
	// A directory of which a part is removed would be a broken run.
	hidden := filepath.Join(filepath.Dir(to), "."+filepath.Base(Unarchived(to))+removedEnding)
	if err = os.Rename(d.path, hidden); err == nil {
		err = os.RemoveAll(hidden)
	}
	if err != nil {
		return "", fmt.Errorf("archive %s: %w", d.path, err)
	}
	return to, nil
}

// isIn says that the archive at path has the files of the directory.
func (d Dir) isIn(path string, onlyRaw bool) error {
	files := os.DirFS(d.path)
	names, err := members(files, onlyRaw)
	if err == nil {
		err = sameFiles(path, files, names)
	}
	if err != nil {
		return fmt.Errorf("archive %s: %w", d.path, err)
	}
	return nil
}

// Sweep removes from a folder of runs what processes that were killed have left of directories whose
// runs are archived.
func Sweep(folder string) error {
	entries, err := os.ReadDir(folder)
	for _, entry := range entries {
		if name := entry.Name(); strings.HasPrefix(name, ".") && strings.HasSuffix(name, removedEnding) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(folder, name)))
		}
	}
	return err
}

// members lists the files to archive, sorted. Anything but files and folders, such as a
// link, is refused, as it would be lost.
func members(files fs.FS, onlyRaw bool) ([]string, error) {
	var names []string
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case onlyRaw && name != "." && !slices.Contains(raw, name):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			return nil
		case !entry.Type().IsRegular():
			return fmt.Errorf("%s is neither a file nor a folder", name)
		}
		names = append(names, name)
		return nil
	})
	return names, err
}

func writeArchive(w io.Writer, files fs.FS, names []string) error {
	archive := zip.NewWriter(w)
	for _, name := range names {
		if err := addFile(archive, files, name); err != nil {
			return err
		}
	}
	return archive.Close()
}

func addFile(archive *zip.Writer, files fs.FS, name string) error {
	from, err := files.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	info, err := from.Stat()
	if err != nil {
		return err
	}
	header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: info.ModTime().UTC()}
	header.SetMode(0o644)
	into, err := archive.CreateHeader(header)
	if err == nil {
		_, err = io.Copy(into, from)
	}
	return err
}

// sameFiles reads an archive back. A directory is removed after that, so that nothing is
// taken on trust.
func sameFiles(path string, files fs.FS, names []string) error {
	archive, err := zip.OpenReader(path)
	if err != nil {
		return err
	}
	defer func() { _ = archive.Close() }()
	for _, name := range names {
		want, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		got, err := fs.ReadFile(archive, name)
		if err != nil || !bytes.Equal(got, want) {
			return errors.Join(fmt.Errorf("%s: %s reads back otherwise", path, name), err)
		}
	}
	return nil
}
