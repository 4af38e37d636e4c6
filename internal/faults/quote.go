package faults

import "strconv"

// Quote shows user input safely: control characters escaped, long text cut.
func Quote(text string) string {
	const longest = 40
	letters := []rune(text)
	if len(letters) <= longest {
		return strconv.Quote(text)
	}
	return strconv.Quote(string(letters[:longest])) + "..."
}
