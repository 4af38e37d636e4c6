package compare

import (
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/table"
)

// TwinTable has a line for each row: hours, and in CSV and JSON seconds.
func TwinTable(rows []TwinRow) (table.Table, error) {
	frame, err := table.NewFrame(rows,
		table.Word("by", func(r TwinRow) string { return r.By }),
		table.Word("jobs_of", func(r TwinRow) string { return r.Name }),
		table.Number("jobs", func(r TwinRow) float64 { return float64(r.Jobs) }),
		table.Number("recorded_mean_s", func(r TwinRow) float64 { return r.Recorded.Mean }),
		table.Number("emulated_mean_s", func(r TwinRow) float64 { return r.Emulated.Mean }),
		table.Number("ratio", func(r TwinRow) float64 { return r.Ratio }),
		table.Number("recorded_median_s", func(r TwinRow) float64 { return r.Recorded.Median }),
		table.Number("emulated_median_s", func(r TwinRow) float64 { return r.Emulated.Median }),
		table.Number("recorded_p90_s", func(r TwinRow) float64 { return r.Recorded.P90 }),
		table.Number("emulated_p90_s", func(r TwinRow) float64 { return r.Emulated.P90 }),
		table.Number("distance", func(r TwinRow) float64 { return r.Distance }),
		table.Number("rank_correlation", func(r TwinRow) float64 { return r.Correlation }),
		table.Number("near_part", func(r TwinRow) float64 { return r.Near }))
	if err != nil {
		return table.Table{}, err
	}
	hours := func(title, name string, rank int) table.Column {
		return table.Column{Title: title, Names: []string{name}, Rank: rank, Show: func(r table.Row) string { return table.Fixed(r.Number(name)/3600, 2) }}
	}
	const digits = 2
	return table.New(frame,
		table.Words("Jobs of", "jobs_of"),
		table.Column{Names: []string{"by"}},
		table.Numbers("Jobs", "jobs", 0),
		hours("Recorded wait h", "recorded_mean_s", 0), hours("Emulated wait h", "emulated_mean_s", 0),
		table.Numbers("Ratio", "ratio", digits),
		hours("Recorded median h", "recorded_median_s", 2), hours("Emulated median h", "emulated_median_s", 2),
		hours("Recorded 90 % h", "recorded_p90_s", 3), hours("Emulated 90 % h", "emulated_p90_s", 3),
		table.Numbers("Distance", "distance", digits).Ranked(1), table.Numbers("Rank correlation", "rank_correlation", digits).Ranked(1),
		table.Column{Title: "Near", Names: []string{"near_part"}, Rank: 1, Show: func(r table.Row) string { return text.Percent(r.Number("near_part")) }})
}
