package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/image"
	"github.com/slurmlab/slurmlab/emulator/run"
)

func imageUnpackCommand(s *State) *cobra.Command {
	var kind kindFlags
	var from string
	cmd := &cobra.Command{
		Use:   "unpack DIR",
		Short: "Put the files of an image into a directory",
		Long: `Puts the files of an image into a new directory, for --runtime charliecloud on
machines without Docker (docs/without-docker.md). The image is one of Docker's
or, with --from, one in a file of a release, which needs no Docker. All nodes of
a cluster can read the same directory.`,
		Example: `  slurmlab image unpack --slurm 26.05 ./image
  slurmlab image unpack --from slurmlab-0.1.0-image-26.05.tar ./image`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completions(ofDirectories).first().cobra,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := args[0]
			faults := []error{kind.check(), checkDash("directory", dir)}
			if _, missing := os.Lstat(dir); missing == nil {
				faults = append(faults, fmt.Errorf("directory: %s exists already; choose a new one", dir))
			}
			for _, name := range []string{"slurm", "image"} {
				if from != "" && cmd.Flags().Changed(name) {
					faults = append(faults, fmt.Errorf("%s: has no effect with --from, whose file says what it holds", name))
				}
			}
			if err := errors.Join(faults...); err != nil {
				return usage(err)
			}
			var u unpacked
			var err error
			if from != "" {
				u, err = unpackFile(s, from, dir)
			} else {
				u, err = unpackImage(cmd.Context(), s, kind, dir)
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(s.Stdout, "%s has image %s; use it with: slurmlab run --runtime %s --slurm %s --image %s\n",
				dir, u.name, run.CharliecloudName, u.of.Name(), dir)
			return err
		},
	}
	kind.flags(cmd)
	under(cmd, headCluster, func(f *pflag.FlagSet) {
		f.StringVar(&from, "from", "", "file with the image (default: an image of Docker); - is standard input")
	})
	completeFlag(cmd, "from", ofFiles(".tar", ".tar.gz", ".tgz"))
	return cmd
}

// unpacked is an image whose files are in a directory.
type unpacked struct {
	name string
	// of is a backend whose clusters it can be.
	of backend.Backend
}

// unpackImage unpacks an image of Docker's.
func unpackImage(ctx context.Context, s *State, kind kindFlags, dir string) (unpacked, error) {
	img, err := kind.find(ctx, s, run.Docker{})
	if err != nil {
		return unpacked{}, err
	}
	of, err := rootless(kind.image(), img.Slurm)
	if err != nil {
		return unpacked{}, usage(err)
	}
	return unpacked{kind.image(), of}, run.Unpack(ctx, kind.image(), img, dir)
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
	return unpacked{images[0].Names[0], of}, run.UnpackFile(file, images[0], dir)
}

// rootless is a backend of the image's Slurm that needs no Docker. It refuses an image of a Slurm that has none.
func rootless(name, version string) (backend.Backend, error) {
	able := run.RootlessBackends()
	for _, b := range able {
		if strings.HasPrefix(version, b.Series+".") {
			return b, nil
		}
	}
	return backend.Backend{}, fmt.Errorf("%s: its Slurm is %s, want %s: clusters of others run under Docker alone", name, version, able)
}
