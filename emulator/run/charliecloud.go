package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend"
)

// Charliecloud is the Engine of Charliecloud's ch-run(1), for an ordinary user without Docker. A cluster is
// processes of that user in namespaces of their own, with the files that it writes in memory
// (docs/design/024-without-docker.md). An image is the directory of an unpacked one (Unpack). Only the user's own
// limits bound the memory and the processes of a cluster.
type Charliecloud struct{}

// Name implements Engine.
func (Charliecloud) Name() string { return "Charliecloud" }

// programs are those that a cluster is started and entered with: Charliecloud's, util-linux's and
// iproute2's.
func (Charliecloud) programs() []string {
	return []string{"ch-run", "unshare", "nsenter", "taskset", "ip"}
}

// Check implements Engine.
func (r Charliecloud) Check(ctx context.Context) (string, error) {
	var missing []string
	for _, name := range r.programs() {
		if _, err := findProgram(name); err != nil {
			missing = append(missing, name)
		}
	}
	if runtime.GOOS != "linux" || len(missing) > 0 {
		return "", &EnvironmentError{
			Fault: "Charliecloud cannot be used: missing " + strings.Join(missing, ", "),
			Remedy: "install Charliecloud, util-linux and iproute2 on Linux (Debian: apt-get install charliecloud iproute2), " +
				"or use --engine docker",
		}
	}
	ctx, cancel := context.WithTimeout(ctx, engineLimit)
	defer cancel()
	try := outside(ctx, append(r.namespaces(), "true")...)
	if out, err := try.CombinedOutput(); err != nil {
		return "", &EnvironmentError{
			Fault:  fmt.Sprintf("Charliecloud cannot be used, since this user gets no namespaces: %v: %s", err, bytes.TrimSpace(out)),
			Remedy: "have the machine allow user namespaces (sysctl user.max_user_namespaces; kernel.apparmor_restrict_unprivileged_userns on Ubuntu)",
		}
	}
	out, err := outside(ctx, "ch-run", "--version").CombinedOutput()
	if err != nil {
		return "", &EnvironmentError{Fault: fmt.Sprintf("ch-run cannot be used: %v: %s", err, bytes.TrimSpace(out)), Remedy: "see ch-run(1)"}
	}
	return string(bytes.TrimSpace(out)), nil
}

// namespaces begins a command that has namespaces of its own and is root in them. ch-run itself
// shares processes, network and /dev/shm with the machine.
func (Charliecloud) namespaces() []string {
	return []string{"unshare", "--user", "--map-root-user", "--net", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc", "--ipc"}
}

// binaries are where programs are looked for outside and inside a cluster. Many users have no sbin in
// their PATH.
const binaries = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// findProgram looks for a program in the user's PATH and in binaries.
func findProgram(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return filepath.Abs(path)
	}
	for _, dir := range filepath.SplitList(binaries) {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s: %w", name, exec.ErrNotFound)
}

// outside is a command on this machine with the environment of a cluster: nothing of the user's
// environment gets into it, as SLURM_CONF would within a job of a real Slurm.
func outside(ctx context.Context, argv ...string) *exec.Cmd {
	program, err := findProgram(argv[0])
	if err != nil {
		program = argv[0]
	}
	cmd := exec.CommandContext(ctx, program, argv[1:]...)
	// ch-run wants USER.
	cmd.Env = []string{"PATH=" + binaries, "USER=slurm", "HOME=/", "TZ=UTC", "LC_ALL=C.UTF-8"}
	return cmd
}

// imageFile is the file of an unpacked image that describes it.
const imageFile = "etc/slurmlab-image.json"

// readOfImage reads a file of an unpacked image. A link does not lead out of it.
func readOfImage(image, name string) ([]byte, error) {
	root, err := os.OpenRoot(image)
	if err != nil {
		return nil, err
	}
	text, err := root.ReadFile(name)
	return text, errors.Join(err, root.Close())
}

// Image implements Engine.
func (Charliecloud) Image(_ context.Context, name string) (Image, error) {
	var img Image
	text, err := readOfImage(name, imageFile)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) {
		return img, ErrNoImage
	}
	if err == nil {
		err = json.Unmarshal(text, &img)
	}
	if err != nil {
		return img, fmt.Errorf("read image %s: %w", name, err)
	}
	return img, nil
}

// RootlessBackends are those whose clusters need no root, and so no Docker.
func RootlessBackends() backend.List {
	return backend.All().Which(func(t backend.Traits) bool { return t.Rootless })
}

// ImageRemedy implements Engine.
func (Charliecloud) ImageRemedy(string) string {
	return "name the directory of an unpacked image with --image; slurmlab image unpack FILE DIR makes one of the file of a release, slurmlab image unpack --backend " +
		string(RootlessBackends()[0].Form) + " DIR one of Docker's"
}

// Processors implements Engine.
func (Charliecloud) Processors(context.Context) ([]int, error) { return ownProcessors() }

// Clusters implements Engine.
func (Charliecloud) Clusters(_ context.Context, role, name string) ([]Container, error) {
	base, err := clusterBase()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(base)
	if err != nil {
		return nil, fmt.Errorf("list clusters: %w", err)
	}
	var all []Container
	for _, entry := range entries {
		c, err := readCluster(filepath.Join(base, entry.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			// It is about to be made, or being removed.
			continue
		}
		if err != nil {
			return nil, err
		}
		if role != "" && c.Role != role || name != "" && c.Name != name {
			continue
		}
		c.Container.State = c.status()
		all = append(all, c.Container)
	}
	return all, nil
}

// Open implements Engine.
func (Charliecloud) Open(id string) (Cluster, error) {
	base, err := clusterBase()
	if err != nil {
		return nil, err
	}
	c, err := readCluster(filepath.Join(base, id))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	c.Container.ID = id
	return c, err
}

// Removal implements Engine.
func (Charliecloud) Removal(id string) string {
	base, err := clusterBase()
	if err != nil {
		base = "/dev/shm"
	}
	return "rm -r " + filepath.Join(base, id)
}

// clusterBase is the directory of this user's clusters, each with one below it. It is in memory:
// a database on a disk makes a cluster wait for it.
func clusterBase() (string, error) {
	base := fmt.Sprintf("/dev/shm/slurmlab-%d", os.Getuid())
	if err := os.Mkdir(base, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("make directory for clusters: %w", err)
	}
	var found unix.Stat_t
	if err := unix.Lstat(base, &found); err != nil {
		return "", fmt.Errorf("make directory for clusters: %w", err)
	}
	if found.Mode&unix.S_IFMT != unix.S_IFDIR || int(found.Uid) != os.Getuid() {
		return "", &EnvironmentError{Fault: base + " is somebody else's, and clusters have their files there", Remedy: "have it removed"}
	}
	return base, nil
}

// idPrefix begins the id of a cluster of Charliecloud; those of Docker are hexadecimal.
const idPrefix = "ch"

// engineOf is the Engine of a cluster with that id.
func engineOf(id string) Engine {
	if strings.HasPrefix(id, idPrefix) {
		return Charliecloud{}
	}
	return Docker{}
}

// Start implements Engine.
func (r Charliecloud) Start(ctx context.Context, image string, options ...slurm.Option) (Cluster, error) {
	s, err := slurm.NewSettings(options...)
	if err != nil {
		return nil, fmt.Errorf("run slurm: %w", err)
	}
	c, err := newCluster(s)
	if err != nil {
		return nil, err
	}
	if err = r.start(ctx, c, image, s); err != nil {
		if ctx.Err() != nil {
			err = stopReason(ctx)
		}
		return nil, errors.Join(err, c.Remove(ctx))
	}
	return c, nil
}

func (r Charliecloud) start(ctx context.Context, c *ownCluster, image string, s slurm.Settings) error {
	spec, err := s.Spec.Text()
	if err != nil {
		return fmt.Errorf("run slurm: %w", err)
	}
	program, err := c.addProgram(s.Program)
	if err != nil {
		return fmt.Errorf("run slurm: %w", err)
	}
	uid, gid, err := slurmUser(image)
	if err != nil {
		return fmt.Errorf("run slurm: %w", err)
	}
	// The loopback must be up before ch-run makes a second user namespace, which has no power over
	// the network of the first.
	argv := append(c.confined(), r.namespaces()...)
	argv = append(argv, "sh", "-c", `ip link set lo up && exec "$@"`, "sh", "ch-run", "--no-passwd", "--uid", uid, "--gid", gid)
	for _, b := range append(c.binds(), program...) {
		argv = append(argv, "-b", b.here+":"+b.there)
	}
	argv = append(argv, image, "--", "tini", "--", "slurmlabd", "boot", "--leased")
	chRun, err := findProgram("ch-run")
	if err != nil {
		return fmt.Errorf("run slurm: %w", err)
	}
	// A cluster outlives the context of its start.
	cmd := outside(context.WithoutCancel(ctx), argv...)
	cmd.Env = append(cmd.Env, slurm.SpecVariable+"="+spec, "PATH="+binaries+":"+filepath.Dir(chRun))
	booted := &bootWriter{tell: s.Stage, ready: make(chan struct{})}
	if err = c.launch(cmd, booted); err != nil {
		return fmt.Errorf("run slurm: %w", err)
	}
	late := time.NewTimer(slurm.StartLimit)
	defer late.Stop()
	select {
	case <-booted.ready:
		return nil
	case <-c.ended:
		return fmt.Errorf("run slurm: the cluster ended with exit code %d as it booted\n%s", c.code, booted.last())
	case <-late.C:
		return fmt.Errorf("run slurm: the cluster has not booted within %s\n%s", slurm.StartLimit, booted.last())
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// slurmUser is the user of the image that a cluster runs as, by its numbers. It must not be
// root (package boot).
func slurmUser(image string) (uid, gid string, err error) {
	text, err := readOfImage(image, "etc/passwd")
	if err != nil {
		return "", "", err
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Split(line, ":"); len(fields) > 3 && fields[0] == "slurm" {
			return fields[2], fields[3], nil
		}
	}
	return "", "", fmt.Errorf("image %s has no user slurm", image)
}
