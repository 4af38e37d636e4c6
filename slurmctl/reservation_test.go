package slurmctl_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl"
)

func TestParseReservations(t *testing.T) {
	const text = "ReservationName=later StartTime=2026-03-01T12:00:00 EndTime=2026-03-01T13:00:00 Duration=01:00:00 Nodes=n[7-8] NodeCnt=2 CoreCnt=16 " +
		"Features=(null) PartitionName=main Flags=MAINT,OVERLAP,FLEX,SPEC_NODES TRES=cpu=16 AllowedPartitions=(null) QOS=(null) Users=root Groups=(null) Accounts=(null) " +
		"Licenses=(null) State=INACTIVE BurstBuffer=(null) MaxStartDelay=(null)\n" +
		"ReservationName=parts StartTime=2026-03-01T12:00:00 EndTime=2026-03-01T13:00:00 Duration=01:00:00 Nodes=n9 NodeCnt=1 CoreCnt=2 " +
		"Features=(null) PartitionName=main Flags=SPEC_NODES   NodeName=n9 CoreIDs=0-1 TRES=cpu=2 AllowedPartitions=(null) QOS=(null) Users=root\n" +
		"ReservationName=programs StartTime=2026-03-01T12:00:00 EndTime=2026-03-01T13:00:00 Duration=01:00:00 Nodes=(null) NodeCnt=0 CoreCnt=0 " +
		"Features=(null) PartitionName=(null) Flags=ANY_NODES TRES=(null) Users=root Licenses=matlab:2\n"
	start := at("2026-03-01T12:00:00")
	want := []slurmctl.Reservation{
		{Name: "later", Start: start, End: start.Add(time.Hour), NodeList: "n[7-8]", Maint: true, Overlap: true, Flex: true},
		{Name: "parts", Start: start, End: start.Add(time.Hour), NodeList: "n9", Parts: true},
		{Name: "programs", Start: start, End: start.Add(time.Hour)},
	}
	got, err := slurmctl.ParseReservations([]byte(text))
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	if got, err = slurmctl.ParseReservations([]byte("No reservations in the system\n")); err != nil || got != nil {
		t.Errorf("none: %v, %v", got, err)
	}
	var fault *slurmctl.ParseError
	if _, err = slurmctl.ParseReservations([]byte("ReservationName=later StartTime=noon EndTime=2026-03-01T13:00:00 Nodes=n1 Flags=\n")); !errors.As(err, &fault) || fault.Field != "StartTime" || fault.Line != 1 {
		t.Errorf("%v", err)
	}
}
