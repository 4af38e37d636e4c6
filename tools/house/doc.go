// Command house draws the folders of this repository, with an arrow from each to those whose packages it uses, into
// CONTRIBUTING.md, and lists the packages there with the first sentences of their doc.go.
//
// Flow: "go list" names the packages and what they use, survey sorts them by their
// top-level folders, and mermaid makes a picture in the language of Mermaid, which code
// hosts show. It replaces the first block of that language in the page, and table the block below it.
//
// Invariants: the same packages give the same bytes. Arrows point down: two folders that
// use each other, directly or through others, are an error. An arrow that follows from
// others is left out, and so are packages that only tests use.
package main
