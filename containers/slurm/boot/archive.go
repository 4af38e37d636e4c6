package boot

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// CheckpointName is the file of the state of a cluster, CheckpointDir where its container has it.
const (
	CheckpointName = "state.tar.gz"
	CheckpointDir  = "/var/lib/slurmlab/checkpoint"
)

// CheckpointPath is where the container of a cluster has the state.
func CheckpointPath() string { return filepath.Join(CheckpointDir, CheckpointName) }

// PackCheckpoint packs what the daemons of a cluster leave when they end in good order: the directories, which are
// absolute, with all that is in them. Only directories and regular files are packed, no socket and no pipe, with their
// modes and times and without owners, which the boot gives.
//
// slurmlab copies the file out of the container of a run that stops (State.ShutDown), and into the one of a run that goes
// on. There the boot unpacks it in the place of the image's empty database, an archive of the same form.
func PackCheckpoint(w io.Writer, dirs ...string) error {
	buffered := bufio.NewWriterSize(w, 1<<16)
	// Databases are mostly zeros: more effort takes longer and saves little.
	packed, err := gzip.NewWriterLevel(buffered, gzip.BestSpeed)
	if err != nil {
		return fmt.Errorf("pack checkpoint: %w", err)
	}
	archive := tar.NewWriter(packed)
	for _, dir := range dirs {
		err = errors.Join(err, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return packEntry(archive, path, entry)
		}))
	}
	if err = errors.Join(err, archive.Close(), packed.Close(), buffered.Flush()); err != nil {
		return fmt.Errorf("pack checkpoint: %w", err)
	}
	return nil
}

func packEntry(archive *tar.Writer, path string, entry fs.DirEntry) error {
	if !entry.IsDir() && !entry.Type().IsRegular() {
		return nil
	}
	info, err := entry.Info()
	if err != nil {
		return err
	}
	header := &tar.Header{Name: strings.TrimPrefix(path, "/"), Mode: int64(info.Mode().Perm()), ModTime: info.ModTime(), Typeflag: tar.TypeDir}
	if entry.IsDir() {
		header.Name += "/"
		return archive.WriteHeader(header)
	}
	header.Typeflag, header.Size = tar.TypeReg, info.Size()
	if err = archive.WriteHeader(header); err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(archive, file)
	return errors.Join(err, file.Close())
}

// unpackArchive puts the files of an archive below root, which is "/" in a container. It writes nowhere but below the
// directories, whatever the archive says, and no file that is larger than the room there is. What is zero becomes a hole.
func unpackArchive(r io.Reader, root string, dirs ...string) error {
	packed, err := gzip.NewReader(bufio.NewReaderSize(r, 1<<16))
	if err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	archive := tar.NewReader(packed)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = unpackEntry(archive, header, root, dirs)
		}
		if err != nil {
			return fmt.Errorf("unpack: %w", err)
		}
	}
}

func unpackEntry(archive io.Reader, header *tar.Header, root string, dirs []string) error {
	name := filepath.Clean("/" + header.Name)
	within := func(dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }
	if !slices.ContainsFunc(dirs, within) {
		return fmt.Errorf("%s: is not allowed, want files below %s", header.Name, strings.Join(dirs, ", "))
	}
	path, mode := filepath.Join(root, name), fs.FileMode(header.Mode).Perm()
	switch header.Typeflag {
	case tar.TypeDir:
		if err := os.MkdirAll(path, mode); err != nil {
			return err
		}
		return os.Chmod(path, mode)
	case tar.TypeReg:
		file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, mode)
		if err != nil {
			return err
		}
		return errors.Join(writeSparse(file, archive, header.Size), file.Close(), os.Chtimes(path, header.ModTime, header.ModTime))
	default:
		return fmt.Errorf("%s: is neither a file nor a directory", header.Name)
	}
}

// writeSparse writes a new file of that size, with holes where it is zero. A database is mostly zeros, and a hole takes no memory
// on a file system in memory. A file that would not fit without holes is refused: the size of a stranger's file is only a
// claim, and a hole could be of any size.
func writeSparse(file *os.File, content io.Reader, size int64) error {
	var room unix.Statfs_t
	if err := unix.Fstatfs(int(file.Fd()), &room); err != nil {
		return fmt.Errorf("%s: look for room: %w", file.Name(), err)
	}
	if free := room.Bavail * uint64(room.Bsize); uint64(size) > free {
		return fmt.Errorf("%s: has %d bytes, and %d are free", file.Name(), size, free)
	}
	// A page of InnoDB.
	var block, zeros [16 << 10]byte
	for {
		n, end := io.ReadFull(content, block[:])
		if end != nil && !errors.Is(end, io.EOF) && !errors.Is(end, io.ErrUnexpectedEOF) {
			return end
		}
		var err error
		if bytes.Equal(block[:n], zeros[:n]) {
			_, err = file.Seek(int64(n), io.SeekCurrent)
		} else {
			_, err = file.Write(block[:n])
		}
		if err != nil {
			return err
		}
		if end != nil {
			return file.Truncate(size)
		}
	}
}
