package main

import (
	"errors"

	"github.com/spf13/cobra"
)

// Pages writes the pages of docs/reference, by file name.
func Pages(root *cobra.Command) (map[string][]byte, error) {
	pages := commandPages(root)
	var faults []error
	for name, write := range map[string]func() ([]byte, error){
		"policies.md":      policies,
		"files.md":         files,
		"campaign-file.md": campaignFile,
		"machine-file.md":  machineFile,
		"whatif-file.md":   whatIfFile,
		"workload-file.md": workloadFile,
		"slurm-conf.md":    slurmConf,
		"trace-formats.md": traceFormats,
	} {
		page, err := write()
		faults = append(faults, err)
		pages[name] = page
	}
	pages["exit-codes.md"] = exitCodes()
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return pages, nil
}
