// Command house draws the folders of this repository, and which of them import packages of which, into CONTRIBUTING.md.
//
// Flow: "go list" names the packages with their imports, survey sorts them by their
// top-level folders, and mermaid makes a picture in the language of Mermaid, which code
// hosts show. It replaces the first block of that language in the page.
//
// Invariants: the same packages give the same bytes. Arrows point down: two folders that
// import each other, directly or through others, are an error. An arrow that follows from
// others is left out, and so are packages that only tests use.
package main
