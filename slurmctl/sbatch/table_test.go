package sbatch_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
)

// Each field of Options and Terms has a row of the table with the name that it has in JSON, and the rows are in the order of the fields.
func TestEachFieldHasARow(t *testing.T) {
	var options sbatch.Options
	var terms sbatch.Terms
	columns := sbatch.Columns()
	rows := columns[:]
	for _, part := range []reflect.Value{reflect.ValueOf(&options).Elem(), reflect.ValueOf(&terms).Elem()} {
		for i := range part.NumField() {
			name, _, _ := strings.Cut(part.Type().Field(i).Tag.Get("json"), ",")
			if len(rows) == 0 || rows[0].Name != name {
				t.Fatalf("%s has no row in its place", name)
			}
			row := rows[0]
			rows = rows[1:]
			if row.About == "" || row.Of(&options, &terms).Asked() {
				t.Errorf("%s means %q, and is asked for: %t", name, row.About, row.Of(&options, &terms).Asked())
			}
			if value := reflect.ValueOf(row.Of(&options, &terms)); value.Pointer() != part.Field(i).Addr().Pointer() {
				t.Errorf("the row %s has another field", name)
			}
		}
	}
	if len(rows) > 0 {
		t.Errorf("%s has no field", rows[0].Name)
	}
}

// A line of a list of jobs may have these options.
func TestLineParser(t *testing.T) {
	const all = "-n 8 -N 4 --ntasks-per-node=2 --gres=gpu:a100:2 --contiguous -t 2 -p gpu --mem=4G -C ib --exclusive -q debug " +
		"-L matlab:2,ansys --reservation=course -w n[1-3,7]"
	r, faults := sbatch.LineParser().Parse(strings.Fields(all))
	want := sbatch.Options{Partition: "gpu", MemPerNode: 4096, Features: "ib", GPUType: "a100", Exclusive: true, NodeList: "n[1-3&7]"}
	if terms := (sbatch.Terms{QOS: "debug", Licenses: "matlab:2&ansys:1", Reservation: "course"}); len(faults) > 0 || r.Options != want || r.Terms != terms {
		t.Errorf("%+v, %v", r, faults)
	}
	const names = "-n, -N, --ntasks-per-node=, --gres=gpu:, --contiguous, -t, -p, --mem=, --mem-per-cpu=, -C, --exclusive, --segment=, --switches=, -q, -L, --reservation=, -w " +
		"(or --ntasks=, --nodes=, --time=, --partition=, --constraint=, --qos=, --licenses=, --nodelist=)"
	for _, other := range []string{"--account=astro", "--nice=3", "--uid=eve", "-H", "-o", "--begin=now", ""} {
		_, faults = sbatch.LineParser().Parse([]string{other})
		if len(faults) != 1 || faults[0] != (sbatch.Fault{Option: "option", Value: other, Want: names}) {
			t.Errorf("%q: %+v", other, faults)
		}
	}
}
