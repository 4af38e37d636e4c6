// Package report writes what runs show. It makes an HTML page about one or several of them, and the tables, pictures
// and page of runs that come in pairs ([Pairs]) or lie in a folder ([Study]). It says what was compared, which policy
// was better, and what limits the result. The terminal and the page of serve show its warnings beside the numbers.
//
// # Flow
//
// The caller reads run directories with results/trace, computes the metrics with results/metric and hands both over
// as [Input]. [Write] turns it into a [Page] of sections with texts, tables and pictures of results/plot. Page.Write
// fills the one template, which computes nothing. The pages of a [Study] and of the benchmark DJSB are made of the same
// sections.
//
// A [Description] says what a machine or a workload is before anything is run, and [AfterRun] what to type after a run.
//
// [WarningsOfRun] is about the numbers of one run, [WarningsOfRuns] about comparing several, and
// [WarningsOfJobs] about a run that is still to be made.
//
// For pairs [NewPairs], and for a [Folder] [NewStudy], have results/compare weigh the runs. Write of either puts
// tables, pictures and report.html into a directory, and the caller prints from the same tables. [WriteWhatIf] does so for
// scenarios, of which [WhatIfSections] are the parts of a page.
//
// # Invariants
//
//   - The page needs no other file: style and pictures are inside, there
//     is no script and no address of anything else, and a content policy in its
//     head forbids the browser to fetch. It reads well in light, in dark and on
//     paper.
//   - Pictures come first. No table is wider than the page from 700 pixels on, and a wide screen shows sections side
//     by side. Metrics that no run has are left out and named.
//   - Same input, same bytes.
//   - A run that is not complete shows its reason and no metrics.
//   - Whatever makes a number doubtful (jobs that failed, placements that differ
//     from their plan, refused releases, limits that drop bids, virtual time that
//     was disturbed, runs that cannot be compared) is a warning with its count,
//     beside the comparison.
//   - A warning is a text for people that can be understood alone, but for the name
//     of the run, which the caller adds. A run without warnings has none of these faults, as
//     far as its files tell.
//   - Every run says by which clock it was measured and what proves that this
//     clock was kept, each fact with what it means.
//   - Every text from a run is escaped.
package report
