package channel

import (
	"fmt"
	"maps"
	"slices"

	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// picture is what a helper has told of the jobs or nodes, by number.
type picture[T any] struct {
	life int
	all  map[int]T
	// order are the numbers in ascending order, nil if they have changed since.
	order []int
}

// apply brings the picture up to date. word begins the rows of things, whose number is
// the first cell; read reads a whole row. After an error the picture is empty, and so
// must be the helper's.
func (p *picture[T]) apply(a Answer, word string, read func(cells []string) (T, error)) (err error) {
	defer func() {
		if err != nil {
			*p = picture[T]{}
		}
	}()
	if a.Life != p.life || p.all == nil {
		*p = picture[T]{life: a.Life, all: map[int]T{}}
	}
	for _, row := range a.Rows {
		if len(row.Cells) == 0 {
			return fmt.Errorf("row %q of %s: want a number", row.Word, program)
		}
		number, ok := values.Count(row.Cells[0])
		_, known := p.all[number]
		switch {
		case !ok:
			return fmt.Errorf("row %q of %s: got %q, want a number", row.Word, program, row.Cells[0])
		case row.Word == word:
			if p.all[number], err = read(row.Cells); err != nil {
				return err
			}
			if !known {
				p.order = nil
			}
		case row.Word == "gone" && known && len(row.Cells) == 1:
			delete(p.all, number)
			p.order = nil
		default:
			return fmt.Errorf("%s says %q of %d, want %s, or gone for one that was there", program, row.Word, number, word)
		}
	}
	if len(p.all) != a.Count {
		return fmt.Errorf("%s has told of %d, and says that there are %d", program, len(p.all), a.Count)
	}
	return nil
}

// inOrder returns the things by ascending numbers.
func (p *picture[T]) inOrder() []T {
	if p.order == nil {
		p.order = slices.Sorted(maps.Keys(p.all))
	}
	list := make([]T, 0, len(p.all))
	for _, number := range p.order {
		list = append(list, p.all[number])
	}
	return list
}
