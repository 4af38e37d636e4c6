package interchange

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

const sacctTimes = "YYYY-MM-DDTHH:MM:SS, Unix seconds, Unknown or None"

// time reads a time as Unix seconds; ok is false for one that Slurm does not
// know. Slurm prints local time without a zone: a change to summer time shows
// as a jump of an hour.
func (r *sacctRow) time(field string) (seconds float64, ok bool) {
	text := r.text(field)
	switch text {
	case "Unknown", "None", "":
		return 0, false
	}
	// SLURM_TIME_FORMAT=%s
	if n, err := strconv.ParseUint(text, 10, 40); err == nil {
		return float64(n), true
	}
	t, err := time.Parse("2006-01-02T15:04:05", text)
	if err != nil {
		r.fault(field, sacctTimes)
	}
	return float64(t.Unix()), true
}

// elapsed is the run time in seconds, otherwise if the dump has none.
func (r *sacctRow) elapsed(otherwise float64) float64 {
	text := r.text("ElapsedRaw")
	if text == "" {
		return otherwise
	}
	if strings.EqualFold(r.name("ElapsedRaw"), "ElapsedRaw") {
		n, err := strconv.ParseUint(text, 10, 40)
		if err != nil {
			r.fault("ElapsedRaw", "whole seconds")
		}
		return float64(n)
	}
	seconds, ok := slurmDuration(text)
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
	seconds, ok := slurmDuration(text)
	if !ok {
		r.fault("TimelimitRaw", "minutes, [days-]hours:minutes:seconds, UNLIMITED or Partition_Limit")
	}
	return seconds
}

// slurmDuration reads [days-]hours:minutes:seconds, or minutes:seconds, with a
// fraction that is dropped (sacct(1), "Elapsed").
func slurmDuration(text string) (float64, bool) {
	days, clock, hasDays := strings.Cut(text, "-")
	if !hasDays {
		days, clock = "0", text
	}
	clock, _, _ = strings.Cut(clock, ".")
	parts := strings.Split(clock, ":")
	if len(parts) < 2 || len(parts) > 3 || hasDays && len(parts) != 3 {
		return 0, false
	}
	total, err := strconv.ParseUint(days, 10, 20)
	total *= 24 * 3600
	for i, unit := range []uint64{3600, 60, 1}[3-len(parts):] {
		n, bad := strconv.ParseUint(parts[i], 10, 20)
		err = errors.Join(err, bad)
		total += n * unit
	}
	return float64(total), err == nil
}

// gpus counts the GPUs over all nodes in a list of trackable resources:
// "gres/gpu=4", or by type "gres/gpu:a100=4" where the total is not tracked.
func (r *sacctRow) gpus(field string) int {
	total, typed, hasTotal := uint64(0), uint64(0), false
	for item := range strings.SplitSeq(r.text(field), ",") {
		key, value, ok := strings.Cut(item, "=")
		if !ok && item != "" {
			r.fault(field, "name=value pairs separated by commas")
			return 0
		}
		isTotal := key == "gres/gpu"
		if !isTotal && !strings.HasPrefix(key, "gres/gpu:") {
			continue
		}
		n, err := strconv.ParseUint(value, 10, 31)
		if err != nil {
			r.fault(field, "a whole number of GPUs")
			return 0
		}
		if isTotal {
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
