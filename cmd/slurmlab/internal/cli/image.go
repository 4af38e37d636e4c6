package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/docker/go-units"
	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/image"
	"github.com/slurmlab/slurmlab/emulator/run"
)

func imageCommand(s *State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "image",
		Short: "List the images of clusters, load or unpack one",
	}
	cmd.AddCommand(imageListCommand(s), imageLoadCommand(s), imageUnpackCommand(s))
	return cmd
}

func imageListCommand(s *State) *cobra.Command {
	var l listing
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the images of clusters that Docker has",
		Long: `Lists the images of clusters that Docker has: their Slurm, the slurmlab that
built each, and whether this slurmlab can use it. "docker image rm NAME" removes
one.`,
		Example: "  slurmlab image list",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := l.check(); err != nil {
				return usage(err)
			}
			images, err := run.Images(cmd.Context())
			if err != nil {
				return err
			}
			list := []listedImage{}
			for _, image := range images {
				list = append(list, listedImage{
					Names: append([]string{}, image.Names...), ID: image.ID, Slurm: image.Slurm, Version: image.Version, Size: image.Size,
					Fits: image.Version == s.Version, Use: useOf(image.Names, image.Slurm),
				})
			}
			return l.print(s, list, func(w io.Writer) error { return writeImages(w, list, s.Version) })
		},
	}
	l.flag(cmd)
	return cmd
}

// listedImage is an image as "image list" tells of it.
type listedImage struct {
	Names   []string `json:"names"`
	ID      string   `json:"id"`
	Slurm   string   `json:"slurm"`
	Version string   `json:"version"`
	Size    int64    `json:"size_bytes"`
	// Fits says that this slurmlab can use it, Use is the flag that does.
	Fits bool   `json:"fits"`
	Use  string `json:"use"`
}

func writeImages(w io.Writer, list []listedImage, version string) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(w, "Docker has no image of a cluster.\nNext: make image, or: slurmlab image load FILE")
		return err
	}
	for _, image := range list {
		name := strings.Join(image.Names, ", ")
		if name == "" {
			name = "(no name) " + image.ID
		}
		state := "use it with " + image.Use
		if !image.Fits {
			state = "built by slurmlab " + image.Version + ", this is " + version
		}
		if _, err := fmt.Fprintf(w, "%s: Slurm %s, %s, %s\n", name, image.Slurm, units.HumanSize(float64(image.Size)), state); err != nil {
			return err
		}
	}
	return nil
}

// useOf is the flag that chooses an image by one of its names.
func useOf(names []string, series string) string {
	usual := backend.All()
	usual = slices.DeleteFunc(slices.Clone(usual), func(b backend.Backend) bool { return !slices.Contains(names, b.Image()) })
	if len(usual) > 0 {
		return strings.ReplaceAll(usual.Flags(), ", ", " or ")
	}
	for _, b := range backend.All() {
		if strings.HasPrefix(series, b.Series+".") && len(names) > 0 {
			return "--backend " + string(b.Form) + " --image " + names[0]
		}
	}
	return "--image ID"
}

func imageLoadCommand(s *State) *cobra.Command {
	return &cobra.Command{
		Use:   "load FILE|-",
		Short: "Load the image of a cluster from a file of a release",
		Long: `Loads the image of a cluster from a file into Docker, for machines that cannot
build it. The file is one of a release ("make release"), or what "docker save"
has printed, compressed with gzip or not; - reads it from standard input.

The file is looked at before Docker gets it: it must hold images of a cluster,
built by this version of slurmlab, for the processors of this machine. A file
with anything else is an error, and Docker stays as it is. Docker checks the
layers by their checksums. An image of the same name loses its name.`,
		Example: `  slurmlab image load slurmlab-0.1.0-image-26.05.tar
  ssh build-machine cat slurmlab-0.1.0-image-26.05.tar | slurmlab image load -`,
		ValidArgsFunction: ofFiles(".tar", ".tar.gz", ".tgz").first().cobra,
		Args:              cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := imageFile(s, args[0])
			if err != nil {
				return err
			}
			defer func() { _ = file.Close() }()
			return loadImage(cmd.Context(), s, args[0], file)
		},
	}
}

// imageFile opens the file. Standard input becomes a file without a name, since it is read
// twice.
func imageFile(s *State, name string) (*os.File, error) {
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, usage(fmt.Errorf("read image: %w", err))
		}
		return file, nil
	}
	file, err := os.CreateTemp("", "slurmlab-image")
	if err != nil {
		return nil, fmt.Errorf("read image: %w", err)
	}
	err = os.Remove(file.Name())
	if err == nil {
		_, err = io.Copy(file, s.Stdin)
	}
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("read image from standard input: %w", err)
	}
	return file, nil
}

// loadImage loads a file that was found good, and says what became of it.
func loadImage(ctx context.Context, s *State, name string, file io.ReadSeeker) error {
	images, err := image.Read(file)
	if err != nil {
		return usage(fmt.Errorf("read image: %s: %w", name, err))
	}
	architecture, err := run.EngineArchitecture(ctx)
	if err != nil {
		return err
	}
	if err = usage(unfit(name, images, s.Version, architecture)); err != nil {
		return err
	}
	before, err := run.Images(ctx)
	if err != nil {
		return err
	}
	if _, err = file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read image: %w", err)
	}
	if err = run.LoadImage(ctx, file); err != nil {
		return err
	}
	for _, image := range images {
		for _, loaded := range image.Names {
			found, err := run.CheckImage(ctx, run.Docker{}, loaded, s.Version, "")
			if err != nil {
				return err
			}
			if _, err = fmt.Fprintf(s.Stdout, "%s %s: Slurm %s of slurmlab %s\n", loaded, changed(before, loaded, found.ID), found.Slurm, found.Version); err != nil {
				return err
			}
			if _, err = fmt.Fprintf(s.Stdout, "Next: slurmlab up %s --machine S\n", firstOf(useOf([]string{loaded}, found.Slurm))); err != nil {
				return err
			}
		}
	}
	return nil
}

// firstOf is the first of several flags.
func firstOf(flags string) string {
	first, _, _ := strings.Cut(flags, " or ")
	return first
}

// changed says what loading meant for a name.
func changed(before []run.NamedImage, name, id string) string {
	for _, image := range before {
		switch {
		case !slices.Contains(image.Names, name):
		case image.ID == id:
			return "was there already"
		default:
			return "is loaded, in the place of " + image.ID
		}
	}
	return "is loaded"
}

// unfit lists why this slurmlab cannot use the images of a file.
func unfit(name string, images []image.Image, version, architecture string) error {
	var faults []error
	for _, image := range images {
		what := strings.Join(image.Names, ", ")
		built := image.Labels[slurm.VersionLabel]
		switch {
		case len(image.Names) == 0:
			faults = append(faults, fmt.Errorf("%s: its image has no name; save it by its name: docker save NAME", name))
		case built == "" || image.Labels[slurm.SlurmLabel] == "":
			faults = append(faults, fmt.Errorf("%s: %s is no image of a cluster: it has no label %s", name, what, slurm.VersionLabel))
		case built != version:
			faults = append(faults, fmt.Errorf("%s: %s was built by slurmlab %s, this is slurmlab %s; take both from one release", name, what, built, version))
		case image.OS != "linux" || image.Architecture != architecture:
			faults = append(faults, fmt.Errorf("%s: %s is for %s/%s, this machine is linux/%s", name, what, image.OS, image.Architecture, architecture))
		}
	}
	return errors.Join(faults...)
}
