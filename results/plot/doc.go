// Package plot draws the schedules that policies made as SVG pictures. There are a Gantt chart of the nodes
// ([Gantt]), utilisation and queue length over time ([Load]), the distribution of waiting times ([WaitingECDF]), and
// waiting times by job size ([WaitingBySize]). There are the nodes and cores of running jobs ([Allocation]), and the
// metrics of many replicas ([Replicas]). Beside schedules it draws lines over whole numbers ([Curves], [MeansOver]),
// policies by two metrics ([Pareto]), and what several things have of one resource over time ([Stacks]). [Bars] says
// where jobs lie in a Gantt chart that somebody else draws.
//
// # Flow
//
// A caller reads finished jobs with results/trace and hands them over as
// [Schedule] values, one per policy. Step functions come from results/metric;
// this package decides only how they look. gonum's plot draws axes and
// measures text; the layout of panels, legends and job rectangles is this
// package's. At the end it rewrites the SVG document, so that it is short and needs
// no installed font.
//
// # Invariants
//
//   - Same schedules, same bytes, in whatever order the jobs are.
//   - Nothing is written when a schedule has a fault; all faults are listed.
//   - A picture fetches nothing and carries no script, so that it can stand in
//     a page as it is.
//   - In a Gantt chart, the area of a job is its cores times its duration, and
//     jobs that share nodes do not cover each other as long as Slurm gave each
//     the same number of cores on all its nodes. A job that has whole nodes is
//     one rectangle per contiguous block. Only what would be too small to see
//     is enlarged.
//   - Colours are told apart with all common kinds of colour blindness.
package plot
