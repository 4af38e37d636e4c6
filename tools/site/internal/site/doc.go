// Package site turns the pages of this repository into a site of static pages, which a
// browser opens from disk.
//
// Flow: [Build] reads README, CONTRIBUTING, CHANGELOG and all Markdown below docs (page.go),
// takes the navigation from the index docs/README.md (nav.go), has every link lead to a page
// or a file of the site (links.go), makes the index of the search (search.go), and writes
// each page with the template (render.go).
//
// Invariants: the Markdown stays what a forge shows; nothing in it is for the site alone. A
// page fetches nothing from elsewhere. A link or an anchor that leads nowhere, and a page
// that the index does not name, are faults; all are told at once, and then there is no
// site. The package writes no file, and the same pages give the same bytes.
package site
