package drive

import (
	"testing"
	"time"
)

// A slurmctld that forgot a job may give its id to the next one. Then the id belongs to the new job alone, whether
// the old one has ended or is to be submitted again.
func TestIdOfAForgottenJob(t *testing.T) {
	for _, ended := range []bool{false, true} {
		s := newSubmissions(2)
		s.submit(50, 7, time.Hour)
		if ended {
			s.end(50)
		}
		s.submit(50, 8, time.Minute)
		if s.waits(7) == ended || !s.waits(8) || s.hasEnded(50) {
			t.Errorf("ended %v: job 7 waits %v, job 8 %v, id 50 has ended %v", ended, s.waits(7), s.waits(8), s.hasEnded(50))
		}
		if limit, own := s.limit(50); !own || limit != time.Minute {
			t.Errorf("ended %v: the limit of id 50 is %v, want that of job 8", ended, limit)
		}
		s.end(50)
		if !ended {
			s.submit(51, 7, time.Hour)
			s.end(51)
		}
		if submitted, done := s.count(); submitted != 2 || done != 2 {
			t.Errorf("ended %v: %d submitted, %d done, want 2 and 2", ended, submitted, done)
		}
	}
}

// A job that is submitted again leaves its old id, which may come to be another's.
func TestJobIsSubmittedAgain(t *testing.T) {
	s := newSubmissions(1)
	s.submit(50, 7, time.Hour)
	s.submit(60, 7, time.Hour)
	if s.owns(50) || !s.owns(60) {
		t.Errorf("id 50 is owned: %v, 60: %v", s.owns(50), s.owns(60))
	}
	if submitted, _ := s.count(); submitted != 1 {
		t.Errorf("%d submitted, want 1", submitted)
	}
}

// "Reading the state is linear in live jobs, not in all jobs ever" (issue 16, line 7).
func TestEndedJobsAreNotLookedAtAgain(t *testing.T) {
	s := newSubmissions(102)
	for job := range 100 {
		s.submit(1000+job, job, time.Hour)
		s.end(1000 + job)
	}
	s.submit(2000, 100, time.Minute)
	s.submit(2001, 101, time.Hour)
	s.submit(2002, 101, 2*time.Minute)
	if events, longest := s.happened(); len(s.live) != 2 || longest != 2*time.Minute || events != 202 {
		t.Errorf("%d live jobs, the longest limit %v, %d events, want 2, 2m and 202", len(s.live), longest, events)
	}
}
