package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/moby/moby/client"

	"github.com/slurmlab/slurmlab/containers/slurm"
)

// NamedImage is a cluster image with its names.
type NamedImage struct {
	Image
	// Names are those with tags; none for an image that a newer one has taken the name of.
	Names []string
}

// Images lists the cluster images that Docker has, sorted by name.
func Images(ctx context.Context) ([]NamedImage, error) {
	list, err := ask(ctx, Docker{}, func(ctx context.Context, docker *client.Client) (client.ImageListResult, error) {
		return docker.ImageList(ctx, client.ImageListOptions{Filters: make(client.Filters).Add("label", slurm.VersionLabel)})
	})
	var images []NamedImage
	for _, item := range list.Items {
		names := slices.DeleteFunc(slices.Clone(item.RepoTags), func(name string) bool { return name == "<none>:<none>" })
		slices.Sort(names)
		images = append(images, NamedImage{
			Image: Image{ID: item.ID, Size: item.Size, Version: item.Labels[slurm.VersionLabel], Slurm: item.Labels[slurm.SlurmLabel]},
			Names: names,
		})
	}
	slices.SortFunc(images, func(a, b NamedImage) int {
		return slices.Compare(append(a.Names, a.ID), append(b.Names, b.ID))
	})
	return images, err
}

// EngineArchitecture is the architecture of the Docker engine's machine, in Go's words.
func EngineArchitecture(ctx context.Context) (string, error) {
	answer, err := ask(ctx, Docker{}, func(ctx context.Context, docker *client.Client) (client.ServerVersionResult, error) {
		return docker.ServerVersion(ctx, client.ServerVersionOptions{})
	})
	return answer.Arch, err
}

// LoadImage has Docker load the images of an archive, under the names that the archive gives
// them.
func LoadImage(ctx context.Context, archive io.Reader) error {
	docker, err := slurm.Connect("")
	if err != nil {
		return Docker{}.absent(err)
	}
	defer func() { _ = docker.Close() }()
	answer, err := docker.ImageLoad(ctx, archive, client.ImageLoadWithQuiet(true))
	if err != nil {
		return fmt.Errorf("load image: %w", err)
	}
	defer func() { _ = answer.Close() }()
	for said := json.NewDecoder(answer); ; {
		var line struct {
			Error string `json:"error"`
		}
		err := said.Decode(&line)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && line.Error != "" {
			err = errors.New(strings.TrimSpace(line.Error))
		}
		if err != nil {
			return fmt.Errorf("load image: Docker refuses it: %w", err)
		}
	}
}
