package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/image"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/text"
)

func imageUnpackCommand(s *State) *cobra.Command {
	var b backendFlags
	cmd := &cobra.Command{
		Use:   "unpack [FILE] DIR",
		Short: "Put the files of an image into a directory",
		Long: `Puts the files of an image into a new directory, for --engine charliecloud on
machines without Docker (docs/without-docker.md). The image is one of Docker's
or one in the FILE of a release, which needs no Docker; - is standard input. All
nodes of a cluster can read the same directory.`,
		Example: `  slurmlab image unpack ./image
  slurmlab image unpack slurmlab-0.1.0-image-26.05.tar ./image`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: ofFiles(".tar", ".tar.gz", ".tgz").and(ofDirectories).cobra,
		RunE: func(cmd *cobra.Command, args []string) error {
			file, dir := "", args[len(args)-1]
			if len(args) > 1 {
				file = args[0]
			}
			bad := []error{b.choose(backend.Needs{Rootless: true}), checkDash("directory", dir)}
			if _, missing := os.Lstat(dir); missing == nil {
				bad = append(bad, fmt.Errorf("directory: %s exists already; choose a new one", dir))
			}
			for _, name := range []string{"backend", "slurm", "image"} {
				if file != "" && cmd.Flags().Changed(name) {
					bad = append(bad, fmt.Errorf("%s: has no effect with a FILE, which says what it holds", name))
				}
			}
			if err := errors.Join(bad...); err != nil {
				return usage(err)
			}
			var u unpacked
			var err error
			if file != "" {
				u, err = unpackFile(s, file, dir)
			} else {
				u, err = unpackImage(cmd.Context(), s, b, dir)
			}
			if err != nil {
				return err
			}
			tellLeft(s, u.left)
			_, err = fmt.Fprintf(s.Stdout, "%s has image %s; use it with: slurmlab run --engine %s%s --image %s\n",
				dir, u.name, run.CharliecloudName, backendArguments(u.of), dir)
			return err
		},
	}
	b.flags(cmd)
	return cmd
}

// unpacked is an image whose files are in a directory.
type unpacked struct {
	name string
	// of is a backend whose clusters it can be.
	of   backend.Backend
	left image.Left
}

// tellLeft says what is not in the directory.
func tellLeft(s *State, left image.Left) {
	if left.Privileges > 0 {
		_, _ = fmt.Fprintf(s.Stderr, "slurmlab: left out: the set-user-ID and set-group-ID bits of %s\n", text.Plural(left.Privileges, "file"))
	}
	if left.Devices > 0 {
		_, _ = fmt.Fprintf(s.Stderr, "slurmlab: left out: %s outside /dev\n", text.Plural(left.Devices, "device node or pipe"))
	}
}

// unpackImage unpacks an image of Docker's.
func unpackImage(ctx context.Context, s *State, b backendFlags, dir string) (unpacked, error) {
	img, err := b.find(ctx, s, run.Docker{})
	if err != nil {
		return unpacked{}, err
	}
	of, err := rootless(b.imageName(), img.Slurm)
	if err != nil {
		return unpacked{}, usage(err)
	}
	left, err := run.Unpack(ctx, b.imageName(), img, dir)
	return unpacked{b.imageName(), of, left}, err
}

// unpackFile unpacks the image of a file.
func unpackFile(s *State, name, dir string) (unpacked, error) {
	file, err := imageFile(s, name)
	if err != nil {
		return unpacked{}, err
	}
	defer func() { _ = file.Close() }()
	images, err := image.Read(file)
	if err != nil {
		return unpacked{}, usage(fmt.Errorf("read image: %s: %w", name, err))
	}
	if err = unfit(name, images, s.Version, runtime.GOARCH); err != nil {
		return unpacked{}, usage(err)
	}
	if len(images) > 1 {
		return unpacked{}, usage(fmt.Errorf("%s: it has %d images, want one", name, len(images)))
	}
	of, err := rootless(name, images[0].Labels[slurm.SlurmLabel])
	if err != nil {
		return unpacked{}, usage(err)
	}
	left, err := run.UnpackFile(file, images[0], dir)
	return unpacked{images[0].Names[0], of, left}, err
}

// rootless is a backend of the image's Slurm that needs no Docker. It refuses an image of a Slurm that has none.
func rootless(name, version string) (backend.Backend, error) {
	able := run.RootlessBackends()
	for _, b := range able {
		if strings.HasPrefix(version, b.Series+".") {
			return b, nil
		}
	}
	return backend.Backend{}, fmt.Errorf("%s: its Slurm is %s, want %s: clusters of others run under Docker alone", name, version, faults.Or(able.Series()))
}
