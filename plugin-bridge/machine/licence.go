package machine

import "slices"

// Licence is a number of licences of one name.
type Licence struct {
	Name  string
	Count int
}

// Licences are those that are free, or those that a job wants or holds. A licence
// that is not listed counts 0; one that is listed twice counts the sum.
type Licences []Licence

// Count is the number of licences of a name.
func (l Licences) Count(name string) int {
	n := 0
	for _, each := range l {
		if each.Name == name {
			n += each.Count
		}
	}
	return n
}

// Cover reports whether l has all the licences wanted.
func (l Licences) Cover(wanted Licences) bool {
	return !slices.ContainsFunc(wanted, func(w Licence) bool { return l.Count(w.Name) < wanted.Count(w.Name) })
}

// Take takes licences off the free ones; like nodes, they do not fall below 0.
func (l Licences) Take(taken Licences) {
	for _, t := range taken {
		left := t.Count
		for i := range l {
			if l[i].Name == t.Name {
				off := max(0, min(left, l[i].Count))
				l[i].Count -= off
				left -= off
			}
		}
	}
}
