package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/workloads"
)

// Dir is a run directory, or the archive of one. It knows where the files of a run are;
// which of them exist depends on how far the run got.
type Dir struct {
	path string
	// files are what is read; writers go by path.
	files fs.FS
}

// In is the run whose files are files, for reading: an embedded one, or one of a test. Errors name them below path.
func In(files fs.FS, path string) Dir { return Dir{path: path, files: files} }

// at is the run directory path, which need not exist.
func at(path string) Dir { return In(Folder(path), path) }

// Create makes the directory path, with parents and an empty logs folder. A
// path that exists already, whatever it is, is refused with an error that
// satisfies errors.Is(err, fs.ErrExist): a run never writes over another one.
func Create(path string) (Dir, error) {
	if archive, ok := archiveAt(path); ok {
		return Dir{}, fmt.Errorf("create run directory %s: %s: %w", path, archive, fs.ErrExist)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return Dir{}, fmt.Errorf("create run directory: %w", err)
	}
	if err := os.Mkdir(path, 0o755); err != nil {
		return Dir{}, fmt.Errorf("create run directory: %w", err)
	}
	if err := syncDir(filepath.Dir(path)); err != nil {
		return Dir{}, err
	}
	return Furnish(path)
}

// syncDir has the names in a directory outlast a loss of power. A file system that cannot do so for a
// directory is used as it is.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("sync directory: %w", err)
	}
	err = dir.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	if err = errors.Join(err, dir.Close()); err != nil {
		return fmt.Errorf("sync directory: %w", err)
	}
	return nil
}

// Furnish makes a run directory of the empty directory path, which nobody else uses.
func Furnish(path string) (Dir, error) {
	d := at(path)
	if err := os.Mkdir(d.Logs(), 0o755); err != nil {
		return Dir{}, fmt.Errorf("create run directory: %w", err)
	}
	return d, nil
}

// Open returns the run at path: a run directory, which must hold a run.json, or an archive
// of one. Without anything at path it is the archive path.zip, so that a run is found
// where it was made whether it was archived since or not.
func Open(path string) (Dir, error) {
	if archive, ok := archiveAt(path); ok {
		return openArchive(archive)
	}
	d := at(path)
	info, err := os.Stat(d.RunFile())
	if err != nil {
		return Dir{}, fmt.Errorf("open run directory %s: %w%s", path, err, within(path))
	}
	if !info.Mode().IsRegular() {
		return Dir{}, fmt.Errorf("open run directory %s: run.json is no file", path)
	}
	return d, nil
}

// OpenRun is Open with the record of the run. It opens an archive once, which counts where a
// folder has thousands of them.
func OpenRun(path string) (Dir, Run, error) {
	var d Dir
	if archive, ok := archiveAt(path); ok {
		d = In(archived(archive), archive)
	} else {
		var err error
		if d, err = Open(path); err != nil {
			return Dir{}, Run{}, err
		}
	}
	run, err := d.ReadRun()
	if err != nil {
		return Dir{}, Run{}, err
	}
	return d, run, nil
}

// within says where the runs are if path is a directory of runs, as "slurmlab compare"
// makes it.
func within(path string) string {
	below, err := os.ReadDir(path)
	if err != nil {
		return ""
	}
	for _, entry := range below {
		if _, err := os.Stat(filepath.Join(path, entry.Name(), "run.json")); err == nil {
			return fmt.Sprintf("; the runs are the directories in it, such as %s", filepath.Join(path, entry.Name()))
		}
	}
	return ""
}

// Path is the directory itself, or the archive.
func (d Dir) Path() string { return d.path }

// RunFile is run.json: everything needed to repeat the run, and its status.
func (d Dir) RunFile() string { return filepath.Join(d.path, "run.json") }

// WorkloadFile is workload.csv: the generated jobs.
func (d Dir) WorkloadFile() string { return filepath.Join(d.path, "workload.csv") }

// EventsFile is events.csv: what happens to the cluster during the run. A run without events has none.
func (d Dir) EventsFile() string { return filepath.Join(d.path, "events.csv") }

// SacctFile is sacct.txt: raw accounting, never edited.
func (d Dir) SacctFile() string { return filepath.Join(d.path, "sacct.txt") }

// SdiagFile is sdiag.txt: Slurm's own statistics at the end of the run.
func (d Dir) SdiagFile() string { return filepath.Join(d.path, "sdiag.txt") }

// CyclesFile is cycles.jsonl: one line per pass of the agent. A run whose
// policy has no agent has no such file.
func (d Dir) CyclesFile() string { return filepath.Join(d.path, "cycles.jsonl") }

// ProgressFile is progress.jsonl: starts and ends of jobs as they became known. A complete
// run has none, as its accounting tells them.
func (d Dir) ProgressFile() string { return filepath.Join(d.path, "progress.jsonl") }

// SnapshotsFile is snapshots.jsonl.gz: what each pass of the agent decided on,
// as package journal writes it. Only the auction writes one; runs under the papers'
// programs (ipsched, auction1, auction2) and runs of old versions have none.
func (d Dir) SnapshotsFile() string { return filepath.Join(d.path, "snapshots.jsonl.gz") }

// JobsFile is jobs.csv: the finished jobs in Batsim's columns and ours.
func (d Dir) JobsFile() string { return filepath.Join(d.path, "jobs.csv") }

// MetricsFile is metrics.json: the metrics of a complete run.
func (d Dir) MetricsFile() string { return filepath.Join(d.path, "metrics.json") }

// SeriesFile is series.csv: utilisation, queue and fragmentation over time.
func (d Dir) SeriesFile() string { return filepath.Join(d.path, "series.csv") }

// Logs is the folder of the daemons' logs.
func (d Dir) Logs() string { return filepath.Join(d.path, "logs") }

// Models is the folder of the integer programs, cycle-000001.json.gz and so on.
// Only a run that was asked for them has it.
func (d Dir) Models() string { return filepath.Join(d.path, "models") }

// CheckpointName is the folder, in a run directory, of what a run left that was stopped for a checkpoint.
const CheckpointName = "checkpoint"

// Checkpoint is where the folder CheckpointName is.
func (d Dir) Checkpoint() string { return filepath.Join(d.path, CheckpointName) }

// WriteRun writes run.json atomically. When it returns, a loss of power takes neither that file nor those that
// were written before it in the directory.
func (d Dir) WriteRun(run Run) error {
	if err := d.writable(); err != nil {
		return fmt.Errorf("write run.json: %w", err)
	}
	if err := WriteAtomic(d.RunFile(), func(w io.Writer) error { return EncodeRun(w, run) }); err != nil {
		return err
	}
	return syncDir(d.path)
}

// ReadRun reads run.json.
func (d Dir) ReadRun() (Run, error) {
	return readFile(d, "run.json", DecodeRun)
}

// Data is everything that metrics, plots and tables need from a complete run.
type Data struct {
	Run  Run
	Jobs []FinishedJob
	// Cycles is nil when the policy has no agent.
	Cycles []Cycle
	// Sdiag is nil when sdiag.txt is missing.
	Sdiag *accounting.Sdiag
	// Workload holds the bytes of workload.csv: two runs of the same workload
	// and seed have the same bytes.
	Workload []byte
	// Recorded says that there is a snapshots.jsonl.gz, from which the cycles can
	// be played again.
	Recorded bool
}

// Explainable says whether "slurmlab explain" can say why a job of the run waited. An agent's cycles must have been
// recorded. On a machine with groups of nodes the schedule itself says what was not free. On equal nodes a model explains
// Slurm's own scheduler from the time limits of the jobs. It knows jobs that ask only for nodes, cores and GPUs, and no events.
func (d Data) Explainable() bool {
	if d.Recorded {
		return true
	}
	if d.Run.Machine.Unequal() {
		return !d.Run.HasAgent()
	}
	if len(d.Run.Happened) > 0 {
		return false
	}
	more := func(j FinishedJob) bool { return len(j.Beyond()) > 0 }
	return !d.Run.HasAgent() && !slices.ContainsFunc(d.Jobs, more)
}

// Load reads the files of a complete run and joins workload and accounting. A
// run that is not complete is refused with its reason.
func (d Dir) Load() (Data, error) {
	run, err := d.ReadRun()
	if err != nil {
		return Data{}, err
	}
	if run.Status != StatusComplete {
		return Data{}, fmt.Errorf("load run %s: it is %s: %s", d.path, run.Status, run.Reason)
	}
	return d.LoadAs(run)
}

// LoadAs is Load for a run whose run.json is not what it will be: run takes its place.
func (d Dir) LoadAs(run Run) (Data, error) {
	data := Data{Run: run}
	var err error
	data.Workload, err = readFile(d, "workload.csv", func(r io.Reader, _ string) ([]byte, error) { return io.ReadAll(r) })
	if err != nil {
		return Data{}, err
	}
	workload, err := workloads.ReadCSV(bytes.NewReader(data.Workload), d.WorkloadFile())
	if err != nil {
		return Data{}, err
	}
	rows, err := readFile(d, "sacct.txt", accounting.ReadSacct)
	if err != nil {
		return Data{}, err
	}
	if data.Jobs, err = Join(workload, rows, run.Machine); err == nil {
		err = run.checkArrivals(data.Jobs)
	}
	if err != nil {
		return Data{}, fmt.Errorf("load run %s: %w", d.path, err)
	}
	markVictims(data.Jobs, run.Happened)
	data.Run.Lateness = run.LatenessOf(data.Jobs)
	data.Cycles, err = readFile(d, "cycles.jsonl", readAllCycles)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Data{}, err
	}
	if run.Cycles > 0 && len(data.Cycles) != run.Cycles {
		return Data{}, fmt.Errorf("load run %s: cycles.jsonl has %d cycles, run.json says %d", d.path, len(data.Cycles), run.Cycles)
	}
	stats, err := readFile(d, "sdiag.txt", accounting.ReadSdiag)
	if err == nil {
		data.Sdiag = &stats
	} else if !errors.Is(err, fs.ErrNotExist) {
		return Data{}, err
	}
	data.Recorded = d.Has("snapshots.jsonl.gz")
	return data, nil
}

// Partial reads run.json and the written cycles of a run in any state. A last
// cycle that is cut off, as a killed run leaves it, is left out.
func (d Dir) Partial() (Data, error) {
	run, err := d.ReadRun()
	if err != nil {
		return Data{}, err
	}
	data := Data{Run: run}
	data.Cycles, err = readFile(d, "cycles.jsonl", func(r io.Reader, name string) ([]Cycle, error) {
		cycles, _, readErr := ReadCycles(r, name)
		return cycles, readErr
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Data{}, err
	}
	return data, nil
}

// readAllCycles refuses a truncated last line: in a complete run every cycle
// was written.
func readAllCycles(r io.Reader, name string) ([]Cycle, error) {
	cycles, truncated, err := ReadCycles(r, name)
	if err == nil && truncated {
		err = fmt.Errorf("%s:%d: the line is cut off", name, len(cycles)+1)
	}
	return cycles, err
}

// readFile opens a file of the run and hands it to one of this package's readers.
func readFile[T any](d Dir, name string, read func(io.Reader, string) (T, error)) (T, error) {
	var zero T
	file, err := d.Open(name)
	if err != nil {
		return zero, fmt.Errorf("read run file: %w", err)
	}
	value, err := read(file, filepath.Join(d.path, name))
	if closeErr := file.Close(); err == nil && closeErr != nil {
		err = fmt.Errorf("close run file: %w", closeErr)
	}
	return value, err
}

// Open opens a file of the run, such as "cycles.jsonl", to be read as a whole.
func (d Dir) Open(name string) (io.ReadCloser, error) { return OpenFile(d.files, name, d.path) }

// Has says whether the run has the file name. One that cannot be opened is there: why not is
// told where it is read.
func (d Dir) Has(name string) bool {
	file, err := d.Open(name)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	// Nothing was written.
	_ = file.Close()
	return true
}

// mostOf bounds a file of a run, which is read as a whole, in bytes. A run has at most 100,000 jobs. A row of sacct.txt
// has some 200 bytes, one of workload.csv with all options a kilobyte. The others have one entry for each cycle, start
// or end.
func mostOf(name string) int64 {
	switch name {
	case "run.json", "djsb.json":
		// Events that happened are most of it, some 150 bytes each.
		return 32 << 20
	case "sdiag.txt":
		return 4 << 20
	case "workload.csv", "events.csv", "sacct.txt":
		return 256 << 20
	default:
		return 1 << 30
	}
}

// longestOf bounds a line of a file of a run in bytes, as readers keep whole lines; 0 is for a file without lines. A line of
// snapshots.jsonl has all waiting jobs, some 200 bytes each.
func longestOf(name string) int64 {
	switch filepath.Ext(name) {
	case ".jsonl":
		return 64 << 20
	case ".csv", ".txt":
		return 1 << 20
	default:
		return 0
	}
}

// bounded is a file that fails where it turns out to be larger than allowed, as it may grow while it is read, or to have a
// longer line.
type bounded struct {
	io.ReadCloser
	name       string
	left, most int64
	// line has the bytes since the last line feed, longest as longestOf.
	line, longest int64
}

func newBounded(file io.ReadCloser, name string, most int64) *bounded {
	return &bounded{ReadCloser: file, name: name, left: most, most: most, longest: longestOf(name)}
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, tooLarge(b.name, b.most-b.left, b.most)
	}
	if b.longest > 0 && b.endless(p[:n]) {
		return 0, fmt.Errorf("%s: got a line of more than %d MiB, allowed %[2]d", b.name, b.longest>>20)
	}
	return n, err
}

// endless says whether a line becomes too long with these bytes.
func (b *bounded) endless(p []byte) bool {
	for part := range bytes.SplitAfterSeq(p, []byte("\n")) {
		if b.line += int64(len(part)); b.line > b.longest {
			return true
		}
		if bytes.HasSuffix(part, []byte("\n")) {
			b.line = 0
		}
	}
	return false
}

// tooLarge is the error of a file of so many bytes, or more.
func tooLarge(name string, got, most int64) error {
	return fmt.Errorf("%s: got %d MiB, allowed %d", name, (got+1<<20-1)>>20, most>>20)
}

// OpenFile opens a file of results that can be read as a whole: a regular one of no more bytes than its name allows.
// Errors name it below path.
func OpenFile(files fs.FS, name, path string) (io.ReadCloser, error) {
	file, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	most, whole := mostOf(filepath.Base(name)), filepath.Join(path, name)
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s is no file", whole)
	// An archive can say that it has a file of more bytes than an int64 counts.
	case info.Size() < 0, info.Size() > most:
		err = tooLarge(whole, int64(min(uint64(info.Size()), math.MaxInt64/2)), most)
	default:
		return newBounded(file, whole, most), nil
	}
	return nil, errors.Join(err, file.Close())
}

// Folder is the path of a directory whose files are read. Unlike os.DirFS it does not wait for somebody to write into a pipe that
// has the name of a file, and its errors name files as the user did.
type Folder string

// Open implements fs.FS.
func (f Folder) Open(name string) (fs.File, error) {
	return os.OpenFile(filepath.Join(string(f), name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// WriteAtomic writes a temporary file in the directory of path and renames it to path at the
// end. A reader sees either the old content or all of the new one, and a full disk
// leaves no half file behind. Where the file system can, the file has no name while it is written: a process that is
// killed leaves none.
func WriteAtomic(path string, write func(io.Writer) error) (err error) {
	name := ""
	file := nameless(path)
	if file == nil {
		if file, err = os.CreateTemp(filepath.Dir(path), filepath.Base(hidden(path, "*"))); err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
		name = file.Name()
	}
	closed := false
	defer func() {
		if err == nil {
			return
		}
		if !closed {
			err = errors.Join(err, file.Close())
		}
		if name != "" {
			err = errors.Join(err, os.Remove(name))
		}
	}()
	if err := write(file); err != nil {
		return err
	}
	// Until it is complete only the owner may read it.
	if err := file.Chmod(0o644); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := file.Sync(); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if name == "" {
		linked, err := link(file, path)
		if err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
		name = linked
	}
	closed = true
	if err := file.Close(); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(name, path); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// hidden is a hidden name beside path.
func hidden(path, ending string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+ending)
}
