package cli

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/plugin-bridge/plugin"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/results/trace"
)

func versionCommand(s *State) *cobra.Command {
	var l listing
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, and the version of Slurm in each image",
		Long: `Prints the version of slurmlab, the commit that it was built from, and which
Slurm the image of each backend has. A binary works with images of its
own version only; a line says so where they differ.

As JSON it also has the platform, the version of Go, and the versions of what
other programs read and write: run.json and the protocol of plug-ins.`,
		Example: `  slurmlab version
  slurmlab version --json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON && cmd.Flags().Changed("format") {
				return usage(fmt.Errorf("json: got it with --format, and it means --format json; give one of them"))
			}
			if asJSON {
				l.format = table.JSONFormat
			}
			if err := l.check(); err != nil {
				return usage(err)
			}
			version := versions{
				Version: s.Version, Revision: s.Revision, Platform: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(),
				RunSchema: trace.SchemaVersion, PluginProtocol: plugin.Version, Images: imageVersions(cmd.Context(), s),
			}
			return l.print(s, version, version.write)
		},
	}
	l.flag(cmd)
	declare(cmd, headFlags, flag("json", &asJSON, false, "the same as --format json"))
	return cmd
}

// versions are the versions of slurmlab, of what it reads and writes, and of the images of all backends.
type versions struct {
	Version        string         `json:"version"`
	Revision       string         `json:"revision"`
	Platform       string         `json:"platform"`
	Go             string         `json:"go"`
	RunSchema      int            `json:"run_schema"`
	PluginProtocol int            `json:"plugin_protocol"`
	Images         []imageVersion `json:"images"`
}

// imageVersion tells of the image of a backend, or why nothing can be told.
type imageVersion struct {
	Backend string   `json:"backend"`
	Series  string   `json:"series"`
	Image   string   `json:"image"`
	Slurm   string   `json:"slurm,omitempty"`
	Sources []string `json:"sources,omitempty"`
	Fault   string   `json:"fault,omitempty"`
}

// imageVersions asks for the images that "make image" builds. An engine that cannot be
// reached is asked once.
func imageVersions(ctx context.Context, s *State) []imageVersion {
	_, engineFault := run.CheckEngine(ctx)
	var list []imageVersion
	for _, b := range backend.All() {
		v := imageVersion{Backend: string(b.Form), Series: b.Series, Image: b.Image()}
		err := engineFault
		if err == nil {
			var found run.Image
			found, err = run.CheckImage(ctx, run.Docker{}, v.Image, s.Version, b.Series)
			v.Slurm, v.Sources = found.Slurm, found.Sources
		}
		if err != nil {
			v.Fault, _ = run.FaultText(err)
		}
		list = append(list, v)
	}
	return list
}

func (v versions) write(w io.Writer) error {
	text := fmt.Sprintf("slurmlab %s (revision %s)\n", v.Version, v.Revision)
	for _, i := range v.Images {
		text += fmt.Sprintf("Slurm %s of --backend %s: %s\n", i.Series, i.Backend, i)
	}
	_, err := io.WriteString(w, text)
	return err
}

func (i imageVersion) String() string {
	if i.Slurm == "" {
		return "not known: " + i.Fault
	}
	text := i.Slurm + ", " + origin(i.Sources) + ", in image " + i.Image
	if i.Fault != "" {
		text += " (" + i.Fault + ")"
	}
	return text
}

// origin says in a few words what a Slurm was made from; see slurm.SourcesLabel.
func origin(sources []string) string {
	if len(sources) == 0 {
		return "of unknown origin"
	}
	word, rest, _ := strings.Cut(sources[0], " ")
	if word == "tarball" {
		return "compiled from " + rest
	}
	name, _, _ := strings.Cut(rest, " sha256:")
	return fmt.Sprintf("from %d packages of Debian (%s ...)", len(sources), name)
}
