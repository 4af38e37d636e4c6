package slurmctl

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// Reservation is a reservation of the cluster (scontrol(1), "RESERVATIONS").
type Reservation struct {
	Name       string
	Start, End time.Time
	// NodeList is a hostlist, empty for a reservation of licences alone.
	NodeList string
	// Parts says that it has some cores of its nodes alone.
	Parts bool
	// Maint, Overlap and Flex are flags.
	Maint, Overlap, Flex bool
}

// Reservations reads all reservations, in Slurm's order.
func (c *Client) Reservations(ctx context.Context) ([]Reservation, error) {
	out, err := c.Run(ctx, nil, "scontrol", "-o", "show", "reservation")
	if err != nil {
		return nil, err
	}
	return ParseReservations(out)
}

// ParseReservations reads the output of scontrol -o show reservation
// (slurm_sprint_reservation_info in src/api/reservation_info.c). The error is a *ParseError.
func ParseReservations(out []byte) ([]Reservation, error) {
	var all []Reservation
	line := 0
	for text := range strings.Lines(string(out)) {
		line++
		text = strings.TrimSuffix(text, "\n")
		if text == "No reservations in the system" && line == 1 {
			continue
		}
		f := fields{source: "scontrol show reservation", line: line, text: text}
		r := Reservation{Name: f.first("ReservationName"), Start: f.time("StartTime"), End: f.time("EndTime"), NodeList: values.Text(f.word("Nodes"))}
		flags := strings.Split(f.word("Flags"), ",")
		if f.err != nil {
			return nil, f.err
		}
		r.Maint, r.Overlap, r.Flex = slices.Contains(flags, "MAINT"), slices.Contains(flags, "OVERLAP"), slices.Contains(flags, "FLEX")
		r.Parts = f.find("CoreIDs") >= 0
		all = append(all, r)
	}
	return all, nil
}
