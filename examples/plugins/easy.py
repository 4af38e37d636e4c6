#!/usr/bin/env python3
"""EASY backfill: the first job that waits has a reservation, and a later one may start
if it delays that one by no second (Lifka, JSSPP 1995)."""
import slurmlab


def decide(snapshot):
    answer, now, free = slurmlab.Answer(), snapshot["time_s"], slurmlab.Room(snapshot)
    ends = slurmlab.ends(snapshot)
    later, shadow = None, now  # what is free at the time of the reservation, beside its job
    for job in snapshot["queue"]:
        end = now + (job["limit_s"] or 10**9)
        place = free.first(job)
        if place and (later is None or end <= shadow or later.fits(place)):
            answer.start(job, place)
            free.take(place)
            ends.append((end, place))
            if later is not None and end > shadow:
                later.take(place)
        elif later is None:
            later = free.copy()
            for shadow, gone in sorted(ends, key=lambda e: e[0]):
                later.give(gone)
                place = later.first(job)
                if place:
                    later.take(place)
                    answer.reserve(job, shadow, place)
                    break
    return answer


slurmlab.serve("EASY backfill", decide)
