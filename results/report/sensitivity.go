package report

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/plot"
	"github.com/slurmlab/slurmlab/results/trace"
)

// sensitivityName is the table of the settings that have several values, and begins the names of their
// pictures.
const sensitivityName = "sensitivity"

// SomeMetrics reads the value of --sensitivity.
func SomeMetrics(text string) ([]metric.Measure, error) {
	var list []metric.Measure
	var faults []error
	for _, word := range strings.Split(text, ",") {
		m, err := metric.Find(word)
		switch {
		case err != nil:
			faults = append(faults, fmt.Errorf("sensitivity: %w", err))
		case slices.ContainsFunc(list, func(other metric.Measure) bool { return other.Key == m.Key }):
			faults = append(faults, fmt.Errorf("sensitivity: got %s twice, want different metrics", m.Short()))
		case m.Better == metric.Neither || m.Subject != metric.OfPolicy:
			faults = append(faults, fmt.Errorf("sensitivity: %s does not say which policy is better, want metrics that do", m.Short()))
		default:
			list = append(list, m)
		}
	}
	return list, errors.Join(faults...)
}

// settingPicture is a picture of what one setting does.
type settingPicture struct {
	// file is its name in the folder, words say what it shows.
	file, words string
	draw        func(io.Writer) error
}

// sensitivities weigh the settings of several values of the campaign, none without a campaign file.
func (f Folder) sensitivities() []compare.Sensitivity {
	if len(f.Sweeps) == 0 {
		return nil
	}
	return compare.Sensitivities(f.Runs, f.Sweeps, f.Pairs, f.label)
}

// settingPictures are one for each setting, and several where it has more curves than can be told apart.
func settingPictures(all []compare.Sensitivity, measures []metric.Measure) []settingPicture {
	const most = 6
	var list []settingPicture
	for _, s := range all {
		parts := slices.Collect(slices.Chunk(s.Curves, most))
		for i, curves := range parts {
			name := fmt.Sprintf("%s-%s-%s", sensitivityName, s.Policy, s.Setting)
			if len(parts) > 1 {
				name += fmt.Sprintf("-%d", i+1)
			}
			list = append(list, settingPicture{file: name + ".svg", words: aboutSetting(s, curves), draw: func(w io.Writer) error {
				return drawSetting(w, s, curves, measures)
			}})
		}
	}
	return list
}

// aboutSetting says what a picture shows.
func aboutSetting(s compare.Sensitivity, curves []compare.Curve) string {
	var values []string
	replicas := map[int]bool{}
	for _, c := range curves {
		for _, p := range c.Points {
			if !slices.Contains(values, p.Value) {
				values = append(values, p.Value)
			}
		}
		replicas[c.Replicas] = true
	}
	line := fmt.Sprintf("Setting %s of %s, values %s", s.Setting, s.Policy, strings.Join(values, ", "))
	if len(replicas) == 1 {
		line += ", over " + text.Plural(curves[0].Replicas, string(curves[0].Kind))
	}
	return line
}

// drawSetting draws each metric, and its difference to the reference beside it where there is one.
func drawSetting(w io.Writer, s compare.Sensitivity, curves []compare.Curve, measures []metric.Measure) error {
	referred := slices.ContainsFunc(curves, func(c compare.Curve) bool { return c.Referred })
	names := curveNames(curves)
	columns := 1
	if referred {
		columns = 2
	}
	var panels []plot.SettingPanel
	for _, m := range measures {
		value := plot.SettingPanel{Title: m.Heading(), Note: m.Better.String() + " is better"}
		difference := plot.SettingPanel{Title: "less " + s.Reference, Note: "within each replica", Zero: true}
		known := false
		for _, c := range curves {
			var values, differences []plot.SettingPoint
			for _, p := range c.Points {
				for _, at := range p.Metrics {
					if at.Key == m.Key {
						known = known || !math.IsNaN(at.Value.Mean)
						values = append(values, settingPoint(p.Value, at.Value))
						differences = append(differences, settingPoint(p.Value, at.Difference))
					}
				}
			}
			value.Lines, difference.Lines = append(value.Lines, values), append(difference.Lines, differences)
		}
		if !known {
			continue
		}
		panels = append(panels, value)
		if referred {
			panels = append(panels, difference)
		}
	}
	return plot.OverSetting(w, aboutSetting(s, curves), s.Setting, columns, names, panels...)
}

func settingPoint(value string, e compare.Estimate) plot.SettingPoint {
	return plot.SettingPoint{Value: value, Y: e.Mean, Low: e.Interval.LowEnd(), High: e.Interval.HighEnd()}
}

// curveNames tell the curves of a picture apart, by as much as differs between them.
func curveNames(curves []compare.Curve) []string {
	differs := func(of func(compare.Curve) string) bool {
		return slices.ContainsFunc(curves, func(c compare.Curve) bool { return of(c) != of(curves[0]) })
	}
	var names []string
	for _, c := range curves {
		name := c.Name
		if differs(func(c compare.Curve) string { return c.Machine }) {
			name += " on " + c.Machine
		}
		if differs(func(c compare.Curve) string { return c.Backend.BackendName() }) {
			name += ", " + c.Backend.BackendName()
		}
		if differs(func(c compare.Curve) string { return c.With }) {
			name += ", " + c.With
		}
		names = append(names, name)
	}
	return names
}

// writeSensitivity writes the table and the pictures of the settings into the folder.
func writeSensitivity(folder string, all []compare.Sensitivity, pictures []settingPicture) error {
	if len(all) == 0 {
		return nil
	}
	t, err := compare.SensitivityTable(all)
	if err != nil {
		return err
	}
	if err = writeTable(folder, NamedTable{Name: sensitivityName, Table: t}); err != nil {
		return err
	}
	for _, p := range pictures {
		if err = trace.WriteAtomic(filepath.Join(folder, p.file), p.draw); err != nil {
			return err
		}
	}
	return nil
}
