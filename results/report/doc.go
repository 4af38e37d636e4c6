// Package report writes one HTML page about one or several runs: what was
// compared, which policy was better, and what there is to say against it.
//
// # Flow
//
// The caller reads run directories with results/trace, computes the metrics
// with results/metric and hands both over as [Input]. [Write] turns it into
// rows of text, lets results/plot draw the pictures, and fills a template with
// both. Nothing is computed in the template.
//
// # Invariants
//
//   - The page needs nothing but itself: style and pictures are inside, there
//     is no script and no address of anything else, and a content policy in its
//     head forbids the browser to fetch. It reads well in light, in dark and on
//     paper.
//   - Same input, same bytes.
//   - A run that is not complete shows its reason and no metrics.
//   - Whatever makes a number doubtful (jobs that failed, placements that differ
//     from their plan, refused releases, limits that drop bids, virtual time that
//     was disturbed, runs that cannot be compared) is a warning with its count,
//     beside the comparison, in the words of package warnings, which the terminal has too.
//   - Every run says by which clock it was measured and what proves that this
//     clock was kept, each fact with what it means.
//   - Every text from a run is escaped.
package report
