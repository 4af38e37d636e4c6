// Package serve is the read-only web page of "slurmlab serve": runs, and folders of runs,
// in the browser of the user who started it.
//
// Flow: a Server answers GET requests. The page and its scripts are embedded (assets);
// what they show comes as JSON and CSV under api, made from what the packages of results
// compute. Nothing is computed twice: the scripts draw, sort and format, and hold no
// metric.
//
//	DIR... --shelf--> runs and folders --Load--> documents --JSON--> assets
//
// Of a run without accounting, the jobs are those of progress.jsonl, or of an old run those
// that its cycles released. A run that is under way is read again when the page asks and its files have changed;
// Stamp says whether they have, and is the ETag of its documents. A folder is compared again
// only when its own stamp has changed; its Matrix is what its page shows first.
//
// # Invariants
//
//   - Nothing is written, and nothing is served but the page, and runs that were found
//     below the paths that the user gave: a request names a run by a key of the shelf,
//     never by a path.
//   - Every request needs the token in its path, and a Host that is this machine's
//     loopback address, so that no page of another site can reach the server by a name
//     of its own (DNS rebinding).
//   - Every answer forbids the browser to load anything from elsewhere
//     (Content-Security-Policy), and to keep it.
//   - A run that cannot be read is listed with the reason.
package serve
