#!/usr/bin/env python3
"""Best fit: each job that fits starts, in the order of the queue, on the nodes that it
leaves the fewest free cores on. Nothing is kept free for a job that does not fit."""
import slurmlab


def decide(snapshot):
    answer, room = slurmlab.Answer(), slurmlab.Room(snapshot)

    def cores(name):
        return room.free[name][0]

    def rest(place):
        return sum(cores(name) - place.cores for name in place.nodes)

    for job in snapshot["queue"]:
        place = min(room.places(job, order=cores), key=rest, default=None)
        if place:
            answer.start(job, place)
            room.take(place)
    return answer


slurmlab.serve("best fit", decide)
