package slurmctl

import (
	"context"
	"strings"
)

// LicenceRecord is a licence of the cluster.
type LicenceRecord struct {
	Name string
	// Free is what neither a running job nor a reservation holds.
	Free int
}

// Licences reads all licences, in Slurm's order.
func (c *Client) Licences(ctx context.Context) ([]LicenceRecord, error) {
	out, err := c.Run(ctx, nil, "scontrol", "-o", "show", "licenses")
	if err != nil {
		return nil, err
	}
	return ParseLicences(out)
}

// ParseLicences reads the output of scontrol -o show licenses
// (slurm_sprint_license_info in src/api/license_info.c). The error is a
// *ParseError.
func ParseLicences(out []byte) ([]LicenceRecord, error) {
	var all []LicenceRecord
	line := 0
	for text := range strings.Lines(string(out)) {
		line++
		text = strings.TrimSuffix(text, "\n")
		if text == "No licenses configured in Slurm." && line == 1 {
			continue
		}
		f := fields{source: "scontrol show licenses", line: line, text: text}
		l := LicenceRecord{Name: f.first("LicenseName")}
		free, reserved := f.count("Free"), f.count("Reserved")
		if f.err != nil {
			return nil, f.err
		}
		l.Free = max(0, free-reserved)
		all = append(all, l)
	}
	return all, nil
}
