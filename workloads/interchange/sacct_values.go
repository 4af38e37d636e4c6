package interchange

import (
	"math"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/values"
)

const sacctTimes = "YYYY-MM-DDTHH:MM:SS, Unix seconds, Unknown or None"

// time reads a time as Unix seconds; ok is false for one that Slurm does not
// know. Slurm prints local time without a zone: a change to summer time shows
// as a jump of an hour.
func (r *sacctRow) time(field string) (seconds float64, ok bool) {
	text := r.text(field)
	if text == "" {
		return 0, false
	}
	// SLURM_TIME_FORMAT=%s
	if n, err := strconv.ParseUint(text, 10, 40); err == nil {
		return float64(n), true
	}
	t, err := values.Time(text)
	if err != nil {
		r.fault(field, sacctTimes)
		return 0, true
	}
	return float64(t.Unix()), !t.IsZero()
}

// elapsed is the run time in seconds, otherwise if the dump has none.
func (r *sacctRow) elapsed(otherwise float64) float64 {
	text := r.text("ElapsedRaw")
	if text == "" {
		return otherwise
	}
	if r.reader.json || strings.EqualFold(r.name("ElapsedRaw"), "ElapsedRaw") {
		n, err := strconv.ParseUint(text, 10, 40)
		if err != nil {
			r.fault("ElapsedRaw", "whole seconds")
		}
		return float64(n)
	}
	seconds, ok := duration(text)
	if !ok {
		r.fault("ElapsedRaw", "[days-]hours:minutes:seconds")
	}
	return seconds
}

// limit is the time limit in seconds, 0 for none.
func (r *sacctRow) limit() float64 {
	text := r.text("TimelimitRaw")
	switch text {
	case "", "UNLIMITED", "Partition_Limit", "INVALID", "Unknown":
		return 0
	}
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		return float64(n * 60)
	}
	seconds, ok := duration(text)
	if !ok {
		r.fault("TimelimitRaw", "minutes, [days-]hours:minutes:seconds, UNLIMITED or Partition_Limit")
	}
	return seconds
}

// duration reads what sacct prints for Elapsed and Timelimit, in seconds; a
// fraction is dropped (sacct(1), "Elapsed").
func duration(text string) (float64, bool) {
	whole, _, _ := strings.Cut(text, ".")
	d, err := values.Duration(whole)
	return d.Seconds(), err == nil
}

// gpus counts the GPUs over all nodes in a list of trackable resources:
// "gres/gpu=4", or by type "gres/gpu:a100=4" where the total is not tracked.
func (r *sacctRow) gpus(field string) int {
	tres, err := values.TRES(r.text(field))
	if err != nil {
		r.fault(field, "name=value pairs separated by commas")
		return 0
	}
	total, typed, hasTotal := 0, 0, false
	for name, amount := range tres {
		if name != "gres/gpu" && !strings.HasPrefix(name, "gres/gpu:") {
			continue
		}
		n, ok := values.Count(amount)
		if !ok || n > math.MaxInt32 {
			r.fault(field, "a whole number of GPUs")
			return 0
		}
		if name == "gres/gpu" {
			total, hasTotal = n, true
		} else {
			typed += n
		}
	}
	if !hasTotal {
		total = typed
	}
	return size(float64(total))
}
