package main

import "github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"

// fullWindow is the number of jobs in the window of issue and papers.
const fullWindow = 200

// choose takes states with a full window, evenly spread over the run: all idle ones, some half-idle ones and more
// busy ones. It looks only at the utilisation, so that hard and easy programs are as frequent as in the run.
func choose(states []auctiontest.State) []auctiontest.State {
	var chosen []auctiontest.State
	for _, kind := range []struct {
		low, high float64
		most      int
	}{{0, 0.05, 1}, {0.3, 0.7, 5}, {0.85, 0.95, 8}} {
		var of []auctiontest.State
		for _, s := range states {
			if len(s.Jobs) == fullWindow && s.Busy() >= kind.low && s.Busy() <= kind.high {
				of = append(of, s)
			}
		}
		taken := min(kind.most, len(of))
		for k := range taken {
			chosen = append(chosen, of[k*len(of)/taken])
		}
	}
	return chosen
}
