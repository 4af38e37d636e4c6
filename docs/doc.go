// Package docs holds the pages that the command line prints: the glossary.
//
// Flow: the package reads glossary.md when it is built, and [Glossary] divides the
// page into its entries. [Find] looks a word up, and [JargonIn] finds words of a text that the page explains.
//
// Invariants: the page is the only source of the entries. A test keeps it in the form that Glossary reads: a heading
// of the second level for each word, sorted, with one paragraph below it. The package reads no file at run time. It
// is here, and not in the command line, because Go embeds only files below the folder of a package.
package docs
