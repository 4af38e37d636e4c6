package main

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/slurmlab/slurmlab/tools/faults/internal/check"
)

// Cells that compute have the processor to themselves; only such as wait are played beside
// others, and no more of them than is asked for.
func TestOnlyWaitingCellsArePlayedSideBySide(t *testing.T) {
	const atATime = 3
	c := campaign{parallel: atATime}
	cells := check.Cover(check.Cells(), 1)
	var mu sync.Mutex
	var played []check.Cell
	playing, most := map[check.Cell]bool{}, 0
	meet := make(chan struct{})
	err := c.playAll(context.Background(), cells, func(_ context.Context, cell check.Cell) error {
		mu.Lock()
		playing[cell] = true
		played, most = append(played, cell), max(most, len(playing))
		if len(playing) > 1 {
			for other := range playing {
				if other.Action != check.Stop {
					t.Errorf("%s is played beside another cell", other.Name())
				}
			}
		}
		// The first ones that wait go on when they have met.
		if cell.Action == check.Stop && most == atATime && meet != nil {
			close(meet)
			meet = nil
		}
		met := meet
		mu.Unlock()
		if cell.Action == check.Stop && met != nil {
			<-met
		}
		mu.Lock()
		defer mu.Unlock()
		delete(playing, cell)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if most != atATime {
		t.Errorf("%d cells at a time, want %d", most, atATime)
	}
	if len(played) != len(cells) || slices.ContainsFunc(cells, func(cell check.Cell) bool { return !slices.Contains(played, cell) }) {
		t.Errorf("%d of %d cells were played", len(played), len(cells))
	}
}

// "One cell that cannot be played does not keep the others from it", but three in a row do.
func TestFailuresInARowEndTheCampaign(t *testing.T) {
	cells := check.Cover(check.Cells(), 1)
	for _, tt := range []struct{ every, want int }{{1, mostFailures}, {2, len(cells)}} {
		c, played, broken := campaign{parallel: 1}, 0, errors.New("no engine")
		err := c.playAll(context.Background(), cells, func(context.Context, check.Cell) error {
			if played++; played%tt.every == 0 {
				return broken
			}
			return nil
		})
		if played != tt.want || errors.Is(err, broken) != (tt.want < len(cells)) {
			t.Errorf("each %d. cell cannot be played: %d cells were played, %v, want %d", tt.every, played, err, tt.want)
		}
	}
}
