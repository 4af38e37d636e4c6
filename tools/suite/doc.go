// Command suite runs the steps of "make test" beside each other and says what came of them.
//
// Flow: plan.go has the table of steps: what each needs, how many cores it keeps busy, and the target of make that
// does it. schedule starts a step as soon as its needs have passed and cores are free. follow reads what a step
// prints. Lines of "go test -json" become counts, skips by reason and failures; all else goes to the step's log.
// leftovers.go removes the containers of killed tests. report writes the times of the steps, the skips and, as the
// last lines, each failure with the command that repeats it.
//
//	go run ./tools/suite            the steps of make test
//	go run ./tools/suite -lint      and lint
//	go run ./tools/suite -long      those of "make test-long", whose results it records in .ci/long-tests.csv
//	go run ./tools/suite -plan      the steps, and nothing is run
//	go run ./tools/suite vet image  these steps and what they need
//
// Invariants:
//   - A step that fails stops only those that need it, so that one run shows every failure.
//   - A step whose output has no test counts as passed by its exit code alone. A step of tests whose
//     output has no test has failed.
//   - A test that failed while the machine stood still (a paused virtual machine) runs once more, alone, and the
//     second result counts. The report names the test and each standstill.
//   - The exit code is 0 when all steps passed, 1 when one failed, 2 for bad usage and 130 after an
//     interrupt. An interrupt ends the process groups of the running steps, and no other process. Tests that it ends
//     are counted as interrupted, and tests that had not begun as not run.
//   - Containers that tests of this checkout leave are removed, and no others.
//   - What a step prints is kept in build/suite/STEP.log, and each event of its tests in
//     build/suite/STEP.json. build/suite/steps.csv has the times of all steps.
package main
