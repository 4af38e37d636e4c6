package image

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

const (
	// whiteout begins the name of a file that a layer deletes, and opaque is the name of one by which a layer
	// deletes all that lower layers have in the directory (image-spec v1.1, layer.md, "Whiteouts").
	whiteout = ".wh."
	opaque   = ".wh..wh..opq"
	// mostLinks bounds the links in one name, as Linux does (path_resolution(7)).
	mostLinks = 40
	// mostName bounds the bytes of a name: PATH_MAX of Linux.
	mostName = 4096
	// mostDepth bounds the directories of a name. Each costs a pass over those above it.
	mostDepth = 128
)

// Tree puts files of images below one directory, and nothing outside of it: each access passes an [os.Root]. A link
// in a name leads where it leads in a container, whose root is the directory. Files belong to the user of this
// process.
type Tree struct {
	root *os.Root
	// last is the directory of the last entry, as the archive names it and as it is below the root.
	last struct{ name, at string }
	// fresh are the names below the root that the layer under way has put there.
	fresh map[string]bool
	left  Left
	size  int64
}

// Left counts what a Tree did not take over.
type Left struct {
	// Devices are device nodes, pipes and sockets outside /dev. An engine brings /dev of the machine.
	Devices int
	// Privileges are the files without their set-user-ID or set-group-ID bit. A program of an image would otherwise
	// have the rights of who unpacked it.
	Privileges int
}

// OpenTree opens a directory.
func OpenTree(dir string) (*Tree, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Tree{root: root}, nil
}

// Close closes the directory.
func (t *Tree) Close() error { return t.root.Close() }

// Left is what no layer has left in the directory.
func (t *Tree) Left() Left { return t.left }

// Size is the sum of the bytes of all files of the layers.
func (t *Tree) Size() int64 { return t.size }

// Layer puts a layer, a tar archive that is not compressed, over what is there. An error names the entry, and leaves
// what was unpacked until then.
func (t *Tree) Layer(layer io.Reader) error {
	t.fresh = map[string]bool{}
	for archive := tar.NewReader(layer); ; {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err = t.entry(head, archive); err != nil {
			return fmt.Errorf("entry %.200q: %w", head.Name, err)
		}
	}
}

// entry unpacks an entry or does what it says.
func (t *Tree) entry(head *tar.Header, data io.Reader) error {
	name, err := inside(head.Name)
	switch most := max(len(head.Name), len(head.Linkname)); {
	case most > mostName:
		return fmt.Errorf("its name or its link has %d bytes, allowed %d", most, mostName)
	case head.Typeflag == tar.TypeXGlobalHeader || strings.HasPrefix(name, "dev/"):
		return nil
	case err != nil:
		return err
	case name == "." && head.Typeflag == tar.TypeDir:
		return nil
	case name == ".":
		return errors.New("it is the root, and no directory")
	}
	at, err := t.place(name)
	if err != nil {
		return err
	}
	if base := path.Base(at); strings.HasPrefix(base, whiteout) {
		return t.remove(path.Dir(at), base)
	}
	return t.put(at, head, data)
}

// inside is the name of an entry from the root on. Names that lead out of the image are refused.
func inside(name string) (string, error) {
	clean := path.Clean(strings.TrimLeft(name, "/"))
	if !filepath.IsLocal(clean) || strings.ContainsRune(name, 0) {
		return "", fmt.Errorf("the name %.200q leads out of the image", name)
	}
	return clean, nil
}

// place is where an entry goes: links in the name of its directory are followed, and its directory is made.
func (t *Tree) place(name string) (string, error) {
	dir, base := path.Split(name)
	if dir != t.last.name || t.last.at == "" {
		at, err := t.Directory(dir)
		if err != nil {
			return "", err
		}
		t.last.name, t.last.at = dir, at
	}
	return path.Join(t.last.at, base), nil
}

// Directory makes a directory with its parents where there is none, and returns its name without links.
func (t *Tree) Directory(name string) (string, error) {
	at, err := t.resolve(name)
	if err != nil {
		return "", err
	}
	return at, t.root.MkdirAll(at, 0o755)
}

// resolve follows the links of a name, the last one as well, as in a container: an absolute link begins at the root, and
// the parent of the root is the root.
func (t *Tree) resolve(name string) (string, error) {
	done, links := ".", 0
	for rest := strings.Split(name, "/"); len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		if part == ".." {
			done = path.Dir(done)
			continue
		}
		next := path.Join(done, part)
		target, err := t.link(next)
		switch {
		case err != nil:
			return "", err
		case strings.Count(next, "/") >= mostDepth:
			return "", fmt.Errorf("%.200q leads through more than %d directories", name, mostDepth)
		case target == "":
			done = next
			continue
		}
		if links++; links > mostLinks {
			return "", fmt.Errorf("%.200q: more than %d links", name, mostLinks)
		}
		if path.IsAbs(target) {
			done = "."
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return done, nil
}

// link is the target of a link, "" of anything else and of what is not there.
func (t *Tree) link(at string) (string, error) {
	info, err := t.root.Lstat(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil || info.Mode()&fs.ModeSymlink == 0:
		return "", err
	}
	return t.root.Readlink(at)
}

// remove does what a whiteout in dir says. Others that begin with ".wh..wh." are notes of a driver of storage.
func (t *Tree) remove(dir, base string) error {
	if base == opaque {
		return t.empty(dir)
	}
	if strings.HasPrefix(base, whiteout+whiteout) {
		return nil
	}
	name := strings.TrimPrefix(base, whiteout)
	if name == "" || name == "." || name == ".." {
		return errors.New("it deletes a directory by no name of its own")
	}
	return t.gone(path.Join(dir, name))
}

// empty deletes what lower layers have put into a directory.
func (t *Tree) empty(dir string) error {
	file, err := t.root.Open(dir)
	if err != nil {
		return err
	}
	below, err := file.ReadDir(-1)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	for _, entry := range below {
		at := path.Join(dir, entry.Name())
		switch {
		case !t.fresh[at]:
			err = t.gone(at)
		case entry.IsDir():
			err = t.empty(at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// gone deletes what is at a name, and all below it.
func (t *Tree) gone(at string) error {
	t.last.at = ""
	return t.root.RemoveAll(at)
}

// put makes an entry's file in place of what is there. A directory takes the place of none.
func (t *Tree) put(at string, head *tar.Header, data io.Reader) error {
	source, err := t.source(at, head)
	if err != nil {
		return err
	}
	there, err := t.root.Lstat(at)
	isDir := head.Typeflag == tar.TypeDir
	if err == nil && (!isDir || !there.IsDir()) {
		err = t.gone(at)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for above := at; above != "." && !t.fresh[above]; above = path.Dir(above) {
		t.fresh[above] = true
	}
	switch head.Typeflag {
	case tar.TypeReg, tar.TypeGNUSparse, tar.TypeCont:
		return t.file(at, head, data)
	case tar.TypeDir:
		return t.directory(at, head.FileInfo().Mode())
	case tar.TypeSymlink:
		return t.root.Symlink(head.Linkname, at)
	case tar.TypeLink:
		return t.root.Link(source, at)
	case tar.TypeChar, tar.TypeBlock, tar.TypeFifo:
		t.left.Devices++
		return nil
	default:
		return fmt.Errorf("it is of the unknown type %q", head.Typeflag)
	}
}

// source is what a hard link is to name, "" of other entries. A link in its place is not followed.
func (t *Tree) source(at string, head *tar.Header) (string, error) {
	if head.Typeflag != tar.TypeLink {
		return "", nil
	}
	name, err := inside(head.Linkname)
	if err != nil {
		return "", err
	}
	dir, err := t.resolve(path.Dir(name))
	if err != nil {
		return "", err
	}
	source := path.Join(dir, path.Base(name))
	if info, err := t.root.Lstat(source); err != nil || info.IsDir() || source == at {
		return "", fmt.Errorf("it is a hard link to %.200q, which is no other file", head.Linkname)
	}
	return source, nil
}

// directory makes a directory. Its owner can always write into it, and so remove the image.
func (t *Tree) directory(at string, mode fs.FileMode) error {
	if err := t.root.Mkdir(at, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return t.root.Chmod(at, t.unprivileged(mode)|0o700)
}

// unprivileged is a mode without the bits that lend a program the rights of its owner.
func (t *Tree) unprivileged(mode fs.FileMode) fs.FileMode {
	if mode&(fs.ModeSetuid|fs.ModeSetgid) != 0 && mode.IsRegular() {
		t.left.Privileges++
	}
	return mode & (fs.ModePerm | fs.ModeSticky)
}

func (t *Tree) file(at string, head *tar.Header, data io.Reader) error {
	file, err := t.root.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(file, data)
	t.size += n
	err = errors.Join(err, file.Chmod(t.unprivileged(head.FileInfo().Mode())), file.Close())
	if err != nil {
		return err
	}
	return t.root.Chtimes(at, head.ModTime, head.ModTime)
}

// Write puts a file of the caller's in place of what is there. Its directory must be one, and no link: otherwise
// who looks for the file without the image's root would find another one.
func (t *Tree) Write(name string, data []byte) error {
	dir, err := t.Directory(path.Dir(name))
	if err != nil {
		return err
	}
	if dir != path.Dir(name) {
		return fmt.Errorf("/%s of the image is a link to /%s, want a directory", path.Dir(name), dir)
	}
	if err = t.gone(name); err != nil {
		return err
	}
	return t.root.WriteFile(name, data, 0o644)
}
