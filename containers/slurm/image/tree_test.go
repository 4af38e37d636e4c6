package image_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/containers/slurm/image"
)

// layer is a layer as its entries say: "dir/", "file=text", "link->target", "hard=>target", "device!".
func layer(entries ...string) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, entry := range entries {
		head := &tar.Header{Name: entry, Typeflag: tar.TypeDir, Mode: 0o755}
		text := ""
		if name, target, ok := strings.Cut(entry, "=>"); ok {
			head = &tar.Header{Name: name, Typeflag: tar.TypeLink, Linkname: target}
		} else if name, target, ok = strings.Cut(entry, "->"); ok {
			head = &tar.Header{Name: name, Typeflag: tar.TypeSymlink, Linkname: target}
		} else if name, target, ok = strings.Cut(entry, "="); ok {
			text = target
			head = &tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o4755, Size: int64(len(text))}
		} else if name, ok = strings.CutSuffix(entry, "!"); ok {
			head = &tar.Header{Name: name, Typeflag: tar.TypeBlock, Devmajor: 8, Mode: 0o666}
		}
		_ = w.WriteHeader(head)
		_, _ = w.Write([]byte(text))
	}
	_ = w.Close()
	return b.Bytes()
}

// grown lists what is below a directory, in the words of layer.
func grown(t interface {
	Helper()
	Fatal(...any)
}, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		switch {
		case entry.IsDir():
			name += "/"
		case entry.Type() == fs.ModeSymlink:
			target, _ := os.Readlink(path)
			name += "->" + target
		default:
			text, _ := os.ReadFile(path)
			name += "=" + string(text)
		}
		all = append(all, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Layers that a stranger made reach nothing outside of their directory: neither the secret beside it, which
// must not change, nor a new file there. Links lead where they lead in a container, in whose root the layers are
// (image-spec v1.1, layer.md). SECRET is the absolute name of the secret's directory.
func TestHostileLayers(t *testing.T) {
	long := strings.Repeat("long/", 100)
	for name, c := range map[string]struct {
		layers [][]string
		// want is what is there afterwards, fault a part of the error.
		want  []string
		fault string
	}{
		"absolute link, then a file":      {layers: [][]string{{"a->/SECRET"}, {"a/secret=new"}}, want: []string{"a->/SECRET", "SECRET/", "SECRET/secret=new"}},
		"absolute link, then a whiteout":  {layers: [][]string{{"a->/SECRET"}, {"a/.wh.secret"}}, want: []string{"a->/SECRET", "SECRET/"}},
		"absolute link, then opaque":      {layers: [][]string{{"a->/SECRET"}, {"a/.wh..wh..opq="}}, want: []string{"a->/SECRET", "SECRET/"}},
		"absolute link as last part":      {layers: [][]string{{"a->/SECRET/secret"}, {"a=new"}}, want: []string{"a=new"}},
		"absolute link, then a directory": {layers: [][]string{{"a->/SECRET"}, {"a/"}}, want: []string{"a/"}},
		"relative link out":               {layers: [][]string{{"a->../outside"}, {"a/secret=new"}}, want: []string{"a->../outside", "outside/", "outside/secret=new"}},
		"deep relative link out":          {layers: [][]string{{"a/b->../../../outside", "a/b/secret=new"}}, want: []string{"a/", "a/b->../../../outside", "outside/", "outside/secret=new"}},
		"link to a link":                  {layers: [][]string{{"a->b", "b->/SECRET", "a/secret=new"}}, want: []string{"a->b", "b->/SECRET", "SECRET/", "SECRET/secret=new"}},
		"link to a file":                  {layers: [][]string{{"a->/SECRET/secret", "a/x=new"}}, want: []string{"a->/SECRET/secret", "SECRET/", "SECRET/secret/", "SECRET/secret/x=new"}},
		"a link of the image":             {layers: [][]string{{"run/", "var/run->/run"}, {"var/run/x=new"}}, want: []string{"run/", "run/x=new", "var/", "var/run->/run"}},
		"a relative link of the image":    {layers: [][]string{{"usr/bin/", "bin->usr/bin"}, {"bin/x=new"}}, want: []string{"bin->usr/bin", "usr/", "usr/bin/", "usr/bin/x=new"}},
		"circle":                          {layers: [][]string{{"a->b", "b->a", "a/x=new"}}, fault: "more than 40 links"},
		"link to itself":                  {layers: [][]string{{"a->a", "a/x=new"}}, fault: "more than 40 links"},
		"link that grows":                 {layers: [][]string{{"a->a/x", "a/x=new"}}, fault: "more than 40 links"},
		"name that grows by links":        {layers: [][]string{{"a->" + long, "b->a/a", "a/a->" + long, "b/x=new"}}, fault: "more than 128 directories"},
		"hard link out":                   {layers: [][]string{{"a=>/SECRET/secret"}}, fault: "no other file"},
		"hard link out by dots":           {layers: [][]string{{"a=>../outside/secret"}}, fault: "leads out of the image"},
		"hard link through a link":        {layers: [][]string{{"l->../outside", "a=>l/secret"}}, fault: "no other file"},
		"hard link to a link":             {layers: [][]string{{"l->../outside/secret", "a=>l", "a=new"}}, want: []string{"a=new", "l->../outside/secret"}},
		"hard link to itself":             {layers: [][]string{{"a=old", "a=>a"}}, fault: "no other file"},
		"hard link to a directory":        {layers: [][]string{{"a/", "b=>a"}}, fault: "no other file"},
		"hard link, then a file":          {layers: [][]string{{"a=old", "b=>a"}, {"b=new"}}, want: []string{"a=old", "b=new"}},
		"dots":                            {layers: [][]string{{"../outside/secret=new"}}, fault: "leads out of the image"},
		"dots within":                     {layers: [][]string{{"a/../../outside/secret=new"}}, fault: "leads out of the image"},
		"absolute name":                   {layers: [][]string{{"/SECRET/secret=new"}}, want: []string{"SECRET/", "SECRET/secret=new"}},
		"whiteout by dots":                {layers: [][]string{{"../outside/.wh.secret="}}, fault: "leads out of the image"},
		"whiteout of the parent":          {layers: [][]string{{"a/", ".wh...="}}, fault: "no name of its own"},
		"whiteout of the directory":       {layers: [][]string{{"a/.wh..="}}, fault: "no name of its own"},
		"whiteout without a name":         {layers: [][]string{{"a/.wh.="}}, fault: "no name of its own"},
		"whiteout of a link":              {layers: [][]string{{"a->/SECRET"}, {".wh.a="}}, want: nil},
		"whiteout of nothing":             {layers: [][]string{{"a=old"}, {".wh.b="}}, want: []string{"a=old"}},
		"opaque keeps what is new":        {layers: [][]string{{"a/b/old=1", "a/c=1"}, {"a/b/new=2", "a/.wh..wh..opq=", "a/d=2"}}, want: []string{"a/", "a/b/", "a/b/new=2", "a/d=2"}},
		"note of a storage driver":        {layers: [][]string{{".wh..wh.plnk/", "a=old"}}, want: []string{"a=old"}},
		"device":                          {layers: [][]string{{"a!", "dev/sda!"}}, want: nil},
		"device in place of a file":       {layers: [][]string{{"a=old"}, {"a!"}}, want: nil},
		"root that is a link":             {layers: [][]string{{".->/SECRET", "secret=new"}}, fault: "no directory"},
		"root that is a file":             {layers: [][]string{{".=new"}}, fault: "no directory"},
		"file as a directory":             {layers: [][]string{{"a=old", "a/b=new"}}, fault: "file exists"},
		"directory in place of a file":    {layers: [][]string{{"a=old"}, {"a/", "a/b=new"}}, want: []string{"a/", "a/b=new"}},
		"file in place of a directory":    {layers: [][]string{{"a/b=old"}, {"a=new"}}, want: []string{"a=new"}},
		"link to a long name":             {layers: [][]string{{"a->" + strings.Repeat("long/", 1000)}}, fault: "allowed 4096"},
		"deep name":                       {layers: [][]string{{long + long + "x=new"}}, fault: "more than 128 directories"},
		"long name":                       {layers: [][]string{{strings.Repeat("long/", 1000) + "x=new"}}, fault: "allowed 4096"},
	} {
		t.Run(name, func(t *testing.T) {
			tree, dir := planted(t)
			outside := filepath.Join(filepath.Dir(dir), "outside")
			var err error
			for _, entries := range c.layers {
				for i := range entries {
					entries[i] = strings.ReplaceAll(entries[i], "/SECRET", outside)
				}
				if err = tree.Layer(bytes.NewReader(layer(entries...))); err != nil {
					break
				}
			}
			if beside := grown(t, outside); !slices.Equal(beside, []string{"secret=kept"}) || len(entriesOf(t, filepath.Dir(dir))) != 2 {
				t.Errorf("outside of the directory is now %q", beside)
			}
			if c.fault != "" {
				if err == nil || !strings.Contains(err.Error(), c.fault) {
					t.Errorf("got %v, want %s", err, c.fault)
				}
				return
			}
			slices.Sort(c.want)
			if got := below(grown(t, dir), outside); err != nil || !slices.Equal(got, c.want) {
				t.Errorf("got  %q, %v\nwant %q", got, err, c.want)
			}
		})
	}
}

func entriesOf(t *testing.T, dir string) []os.DirEntry {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// below writes /SECRET for a directory in the names of a tree, and leaves out the directories above it.
func below(names []string, dir string) []string {
	var all []string
	for _, name := range names {
		if strings.HasSuffix(name, "/") && strings.HasPrefix(dir, "/"+name) {
			continue
		}
		name = strings.ReplaceAll("/"+name, dir, "/SECRET")
		all = append(all, name[1:])
	}
	slices.Sort(all)
	return all
}

// planted is an empty tree beside a directory with a secret.
func planted(t testing.TB) (*image.Tree, string) {
	t.Helper()
	base, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(base, "tree")
	for _, make := range []func() error{
		func() error { return os.Mkdir(dir, 0o755) },
		func() error { return os.Mkdir(filepath.Join(base, "outside"), 0o755) },
		func() error { return os.WriteFile(filepath.Join(base, "outside", "secret"), []byte("kept"), 0o644) },
	} {
		if err = make(); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := image.OpenTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tree.Close() })
	return tree, dir
}

// Whatever the layers are, nothing beside the directory changes.
func TestLayersStayInside(t *testing.T) {
	names := rapid.SampledFrom([]string{"a", "b", "a/b", "b/a", "a/b/secret", "../outside/secret", "a/secret", "/a", "a/..", ".", ".."})
	target := rapid.SampledFrom([]string{"..", "../outside", "../../outside", "/", "a", "b", "/a/b", "../outside/secret"})
	entry := rapid.Custom(func(t *rapid.T) string {
		name := names.Draw(t, "name")
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			return name + "/"
		case 1:
			return name + "->" + target.Draw(t, "target")
		case 2:
			return name + "=>" + target.Draw(t, "target")
		case 3:
			return filepath.Dir(name) + "/.wh." + filepath.Base(name) + "="
		case 4:
			return name + "/.wh..wh..opq="
		default:
			return name + "=new"
		}
	})
	rapid.Check(t, func(r *rapid.T) {
		tree, dir := planted(t)
		for _, e := range rapid.SliceOfN(entry, 1, 12).Draw(r, "entries") {
			// A layer that is refused leaves what was unpacked before.
			_ = tree.Layer(bytes.NewReader(layer(e)))
		}
		_ = tree.Write("a/secret", []byte("ours"))
		_, _ = tree.Directory("/b/secret")
		if got := grown(r, filepath.Join(filepath.Dir(dir), "outside")); !slices.Equal(got, []string{"secret=kept"}) {
			r.Fatalf("outside of the directory is now %q", got)
		}
	})
}

// What a tree leaves out it counts: rights of owners, and devices outside /dev.
func TestLeft(t *testing.T) {
	tree, dir := planted(t)
	if err := tree.Layer(bytes.NewReader(layer("su=1", "passwd=12", "tmp/", "pipe!", "dev/null!"))); err != nil {
		t.Fatal(err)
	}
	if left := tree.Left(); left != (image.Left{Devices: 1, Privileges: 2}) || tree.Size() != 3 {
		t.Errorf("left out %+v, %d bytes", left, tree.Size())
	}
	if info, err := os.Stat(filepath.Join(dir, "su")); err != nil || info.Mode() != 0o755 {
		t.Errorf("su: %v, %v", info.Mode(), err)
	}
}

// Files of the caller's stay in the tree, and in the directory of their name.
func TestTreeWrites(t *testing.T) {
	for entries, want := range map[string]string{
		"etc/":                              "",
		"etc/ etc/hosts->../../outside/new": "",
		"etc/ etc/hosts/x/":                 "",
		"etc->/outside":                     "/etc of the image is a link to /outside, want a directory",
		"etc->../outside":                   "/etc of the image is a link to /outside, want a directory",
		"etc=text":                          "file exists",
	} {
		tree, dir := planted(t)
		if err := tree.Layer(bytes.NewReader(layer(strings.Fields(entries)...))); err != nil {
			t.Fatal(err)
		}
		err := tree.Write("etc/hosts", []byte("ours"))
		if want != "" && !strings.Contains(fmt.Sprint(err), want) || want == "" && (err != nil || !slices.Equal(grown(t, dir), []string{"etc/", "etc/hosts=ours"})) {
			t.Errorf("%s: %v, want %q; %q", entries, err, want, grown(t, dir))
		}
		if got := grown(t, filepath.Join(filepath.Dir(dir), "outside")); len(got) != 1 {
			t.Errorf("%s: outside is now %q", entries, got)
		}
	}
}
