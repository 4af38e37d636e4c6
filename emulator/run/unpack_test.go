package run_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/image"
	"github.com/slurmlab/slurmlab/emulator/run"
)

// tarred is an archive of entries, each with a text or the target of a link.
func tarred(t *testing.T, entries ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, head := range entries {
		text := head.Linkname
		if head.Typeflag == tar.TypeReg {
			head.Linkname, head.Size = "", int64(len(text))
		}
		if err := w.WriteHeader(&head); err != nil {
			t.Fatal(err)
		}
		if head.Typeflag == tar.TypeReg {
			_, _ = w.Write([]byte(text))
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func regular(name, text string) tar.Header {
	return tar.Header{Typeflag: tar.TypeReg, Name: name, Linkname: text, Mode: 0o644}
}

func linked(name, target string) tar.Header {
	return tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: target}
}

// An image of a file is unpacked into the new directory alone. It may have been made by a stranger, and what slurmlab
// itself writes into an image stays there as well.
func TestUnpackFile(t *testing.T) {
	for name, c := range map[string]struct {
		layers [][]tar.Header
		fault  string
	}{
		"ordinary":             {layers: [][]tar.Header{{regular("usr/bin/true", "x"), linked("bin", "usr/bin"), linked("usr/lib64", "/usr/lib")}, {regular("etc/hosts", "theirs")}}},
		"our file at a link":   {layers: [][]tar.Header{{linked("etc/hosts", "../../outside/secret"), linked("etc/slurmlab-image.json", "../../outside/secret")}}},
		"our folder at a link": {layers: [][]tar.Header{{linked("tmp", "../outside/new"), linked("var", "/outside")}}},
		"etc as a link":        {layers: [][]tar.Header{{linked("etc", "../outside")}}, fault: "/etc of the image is a link"},
		"dots":                 {layers: [][]tar.Header{{regular("../outside/secret", "new")}}, fault: "leads out of the image"},
		"folder without rights, then a fault": {
			layers: [][]tar.Header{{{Typeflag: tar.TypeDir, Name: "a/", Mode: 0}, regular("a/b", "x")}, {regular("../x", "new")}}, fault: "leads out of the image",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := errors.Join(os.Mkdir("outside", 0o755), os.WriteFile("outside/secret", []byte("kept"), 0o644)); err != nil {
				t.Fatal(err)
			}
			file := []tar.Header{regular("config.json", `{"architecture":"amd64","os":"linux"}`)}
			var names []string
			for i, entries := range c.layers {
				names = append(names, fmt.Sprintf("layer%d.tar", i))
				file = append(file, regular(names[i], string(tarred(t, entries...))))
			}
			file = append(file, regular("manifest.json", fmt.Sprintf(`[{"Config":"config.json","RepoTags":["x:1"],"Layers":["%s"]}]`, strings.Join(names, `","`))))
			archive := bytes.NewReader(tarred(t, file...))
			images, err := image.Read(archive)
			if err != nil {
				t.Fatal(err)
			}
			_, err = run.UnpackFile(archive, images[0], "./image")
			if text, readErr := os.ReadFile("outside/secret"); string(text) != "kept" {
				t.Errorf("the secret is now %q, %v", text, readErr)
			}
			if all, _ := filepath.Glob("outside/*"); len(all) != 1 {
				t.Errorf("outside has now %q", all)
			}
			if c.fault != "" {
				if _, statErr := os.Lstat("image"); err == nil || !strings.Contains(err.Error(), c.fault) || !errors.Is(statErr, fs.ErrNotExist) {
					t.Errorf("got %v, want %s; the directory: %v", err, c.fault, statErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if img, err := (run.Charliecloud{}).Image(t.Context(), "./image"); err != nil || img.ID != images[0].ID {
				t.Errorf("the directory has image %+v, %v", img, err)
			}
		})
	}
}
