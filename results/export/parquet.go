package export

import (
	"fmt"
	"io"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"github.com/slurmlab/slurmlab/results/trace"
)

// parquetRow is a row of the Parquet file. Times are seconds. The columns that
// follow from the start of a job are null for a job that never started; the user
// is null where it is not known.
type parquetRow struct {
	Job          int32    `parquet:"job_id"`
	SlurmJob     int32    `parquet:"slurm_id"`
	Class        string   `parquet:"class,dict"`
	State        string   `parquet:"state,dict"`
	User         string   `parquet:"user,optional,dict"`
	Arrival      int32    `parquet:"arrival_s"`
	Runtime      int32    `parquet:"runtime_s"`
	Limit        int32    `parquet:"limit_s"`
	Nodes        int32    `parquet:"nodes"`
	NodesMax     int32    `parquet:"nodes_max"`
	Cores        int32    `parquet:"cores"`
	CoresPerNode int32    `parquet:"cores_per_node"`
	GPUsMin      int32    `parquet:"gpus_min"`
	GPUsMax      int32    `parquet:"gpus_max"`
	Contiguous   bool     `parquet:"contiguous"`
	Outcome      string   `parquet:"outcome,dict"`
	CancelAfter  int32    `parquet:"cancel_after_s"`
	Partition    string   `parquet:"partition,optional,dict"`
	MemPerNode   int32    `parquet:"mem_per_node"`
	MemPerCPU    int32    `parquet:"mem_per_cpu"`
	Features     string   `parquet:"features,optional,dict"`
	GPUType      string   `parquet:"gpu_type,optional,dict"`
	Exclusive    bool     `parquet:"exclusive"`
	Submit       float64  `parquet:"submit_s"`
	Start        *float64 `parquet:"start_s,optional"`
	Finish       float64  `parquet:"finish_s"`
	Waiting      *float64 `parquet:"waiting_s,optional"`
	Execution    *float64 `parquet:"execution_s,optional"`
	AllocCores   int32    `parquet:"alloc_cores"`
	AllocGPUs    int32    `parquet:"alloc_gpus"`
	// Allocated are 0-based node indices.
	Allocated []int32 `parquet:"alloc_nodes,list"`
}

// writeParquet writes a row a job in the order of the workload. The file's key
// value metadata name the run.
func writeParquet(w io.Writer, run trace.Data) error {
	r := run.Run
	out := parquet.NewGenericWriter[parquetRow](w,
		parquet.Compression(&parquet.Snappy),
		parquet.CreatedBy("slurmlab", r.ToolVersion, r.GitRevision),
		parquet.KeyValueMetadata("run", r.ID),
		parquet.KeyValueMetadata("workload", r.Workload),
		parquet.KeyValueMetadata("policy", r.Policy),
		parquet.KeyValueMetadata("machine", r.Machine.Name),
		parquet.KeyValueMetadata("seed", strconv.FormatUint(r.Seed, 10)),
	)
	rows := make([]parquetRow, len(run.Jobs))
	for i, j := range run.Jobs {
		rows[i] = parquetOf(j)
	}
	if _, err := out.Write(rows); err != nil {
		return fmt.Errorf("write Parquet: %w", err)
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("write Parquet: %w", err)
	}
	return nil
}

func parquetOf(j trace.FinishedJob) parquetRow {
	row := parquetRow{
		Job: int32(j.ID), SlurmJob: int32(j.SlurmID), Class: j.Class, State: j.State, User: j.User,
		Arrival: int32(j.Arrival), Runtime: int32(j.Runtime), Limit: int32(j.Limit),
		Nodes: int32(j.Nodes), NodesMax: int32(j.NodesMax), Cores: int32(j.Cores), CoresPerNode: int32(j.CoresPerNode),
		GPUsMin: int32(j.GPUsMin), GPUsMax: int32(j.GPUsMax), Contiguous: j.Contiguous,
		Outcome: j.Outcome.String(), CancelAfter: int32(j.CancelAfter),
		Partition: j.Partition, MemPerNode: int32(j.MemPerNode), MemPerCPU: int32(j.MemPerCPU),
		Features: j.Features, GPUType: j.GPUType, Exclusive: j.Exclusive,
		Submit: j.Submit, Finish: j.Finish, AllocCores: int32(j.AllocCores), AllocGPUs: int32(j.AllocGPUs),
	}
	if j.Started() {
		start, waiting, execution := j.Start, j.Waiting(), j.Execution()
		row.Start, row.Waiting, row.Execution = &start, &waiting, &execution
	}
	for _, n := range j.Allocated {
		row.Allocated = append(row.Allocated, int32(n))
	}
	return row
}
