package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/image"
)

// Unpack puts the files of an image of Docker's into the new directory dir, as a Engine without
// Docker takes it. An error leaves nothing.
func Unpack(ctx context.Context, name string, img Image, dir string) (left image.Left, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("unpack image %s: %w", name, err)
		}
	}()
	docker, err := slurm.Connect("")
	if err != nil {
		return left, Docker{}.absent(err)
	}
	defer func() { _ = docker.Close() }()
	// Docker gives the files of containers only. This one is never started.
	made, err := docker.ContainerCreate(ctx, client.ContainerCreateOptions{Config: &container.Config{Image: img.ID}})
	if err != nil {
		return left, err
	}
	defer func() {
		_, removeErr := docker.ContainerRemove(context.WithoutCancel(ctx), made.ID, client.ContainerRemoveOptions{Force: true})
		if removeErr != nil && !errdefs.IsNotFound(removeErr) {
			err = errors.Join(err, removeErr)
		}
	}()
	files, err := docker.ContainerExport(ctx, made.ID, client.ContainerExportOptions{})
	if err != nil {
		return left, err
	}
	defer func() { _ = files.Close() }()
	return furnish(dir, &img, func(tree *image.Tree) error { return tree.Layer(files) })
}

// UnpackFile is Unpack of an image that image.Read found in the file, without Docker.
func UnpackFile(file io.ReadSeeker, found image.Image, dir string) (image.Left, error) {
	img := imageOf(found.ID, 0, found.Labels)
	left, err := furnish(dir, &img, func(tree *image.Tree) error {
		err := found.Layers(file, tree.Layer)
		img.Size = tree.Size()
		return err
	})
	if err != nil {
		return left, fmt.Errorf("unpack image %s: %w", strings.Join(found.Names, ", "), err)
	}
	return left, nil
}

// furnish makes and fills the directory of an image; an error leaves none. Files belong to the user who unpacks them.
// Devices, which an ordinary user cannot make, are left out: an engine brings the machine's devices.
func furnish(dir string, img *Image, fill func(*image.Tree) error) (left image.Left, err error) {
	if err = os.Mkdir(dir, 0o755); err != nil {
		return left, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	tree, err := image.OpenTree(dir)
	if err != nil {
		return left, err
	}
	defer func() { err = errors.Join(err, tree.Close()) }()
	if err = fill(tree); err != nil {
		return left, err
	}
	return tree.Left(), describe(tree, img)
}

// describe writes what an engine mounts on, as the image is read only, and last what makes the directory an image.
func describe(tree *image.Tree, img *Image) error {
	// Docker writes these files for each container; what the machine that built the image has left in them is nothing
	// to others.
	for _, file := range []string{"etc/hostname", "etc/hosts", "etc/resolv.conf"} {
		if err := tree.Write(file, nil); err != nil {
			return err
		}
	}
	for _, there := range written() {
		if _, err := tree.Directory(there); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(img, "", "  ")
	if err != nil {
		return err
	}
	return tree.Write(imageFile, append(text, '\n'))
}
