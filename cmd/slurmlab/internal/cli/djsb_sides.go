package cli

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/slurmlab/slurmlab/results/djsb"
)

// readSides reads directories of results as readDJSB does. Each has the last part of its path for a
// name, or the whole path where two last parts are the same.
func readSides(s *State, dirs []string) ([]djsb.Side, error) {
	var paths, names []string
	for _, dir := range dirs {
		path := filepath.Clean(dir)
		if slices.Contains(paths, path) {
			return nil, usage(fmt.Errorf("%s: got it twice, allowed is each benchmark once", dir))
		}
		paths, names = append(paths, path), append(names, filepath.Base(path))
	}
	if distinct := slices.Compact(slices.Sorted(slices.Values(names))); len(distinct) < len(names) {
		names = paths
	}
	var sides []djsb.Side
	for i, dir := range dirs {
		results, err := readDJSB(s, dir)
		if err != nil {
			return nil, err
		}
		sides = append(sides, djsb.Side{Name: names[i], Results: results})
	}
	return sides, nil
}
