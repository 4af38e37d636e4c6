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
	"github.com/slurmlab/slurmlab/containers/slurm/imagefile"
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
			name := kind.image()
			var err error
			if from != "" {
				name, err = unpackFile(s, from, dir)
			} else {
				err = unpackImage(cmd.Context(), s, kind, dir)
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(s.Stdout, "%s has image %s; use it with: slurmlab run --runtime %s --slurm %s --image %s\n",
				dir, name, run.CharliecloudName, backend.ExternalSeries, dir)
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

// unpackImage unpacks an image of Docker's.
func unpackImage(ctx context.Context, s *State, kind kindFlags, dir string) error {
	img, err := kind.find(ctx, s, run.Docker{})
	if err != nil {
		return err
	}
	if err = usable(kind.image(), img.Slurm); err != nil {
		return usage(err)
	}
	return run.Unpack(ctx, kind.image(), img, dir)
}

// unpackFile unpacks the image of a file, and returns its name.
func unpackFile(s *State, name, dir string) (string, error) {
	file, err := imageFile(s, name)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	images, err := imagefile.Read(file)
	if err != nil {
		return "", usage(fmt.Errorf("read image: %s: %w", name, err))
	}
	if err = unfit(name, images, s.Version, runtime.GOARCH); err != nil {
		return "", usage(err)
	}
	if len(images) > 1 {
		return "", usage(fmt.Errorf("%s: it has %d images, want one", name, len(images)))
	}
	if err = usable(name, images[0].Labels[slurm.SlurmLabel]); err != nil {
		return "", usage(err)
	}
	return images[0].Names[0], run.UnpackFile(file, images[0], dir)
}

// usable refuses an image of a Slurm whose clusters run under Docker alone.
func usable(name, version string) error {
	if !strings.HasPrefix(version, backend.ExternalSeries+".") {
		return fmt.Errorf("%s: its Slurm is %s, want %s: clusters of others run under Docker alone", name, version, backend.ExternalSeries)
	}
	return nil
}
