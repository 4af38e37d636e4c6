package slurmctl

import (
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// fields reads "Key=value" words of one line in a known order. The position
// only moves forward, so that free text in a later field cannot be taken for
// an earlier one. The first fault sticks in err and all later reads return
// zero values.
type fields struct {
	source string
	line   int
	text   string
	pos    int
	err    error
}

func (f *fields) fail(field, text, want string) error {
	return &ParseError{Source: f.source, Line: f.line, Field: field, Text: text, Want: want}
}

// first reads the field that must begin the line.
func (f *fields) first(key string) string {
	if f.err == nil && !strings.HasPrefix(f.text, key+"=") {
		f.err = f.fail(key, f.text, "a line that begins with "+key+"=")
	}
	if f.err != nil {
		return ""
	}
	return f.value(len(key) + 1)
}

// value reads up to the next blank from the given position.
func (f *fields) value(from int) string {
	end := strings.IndexByte(f.text[from:], ' ')
	if end < 0 {
		end = len(f.text) - from
	}
	f.pos = from + end
	return f.text[from:f.pos]
}

// word finds the next " key=" and reads its value up to the next blank.
func (f *fields) word(key string) string {
	if f.err != nil {
		return ""
	}
	at := f.find(key)
	if at < 0 {
		f.err = f.fail(key, f.text, "a field "+key+"=")
		return ""
	}
	return f.value(at)
}

// find returns the position after the next " key=", or -1. It moves nothing.
func (f *fields) find(key string) int {
	for from := f.pos; ; {
		at := strings.Index(f.text[from:], key)
		if at < 0 {
			return -1
		}
		at += from
		end := at + len(key)
		if at > 0 && f.text[at-1] == ' ' && end < len(f.text) && f.text[end] == '=' {
			return end + 1
		}
		from = end
	}
}

// textUntil reads free text from " key=" up to the given text, which must
// follow. It leaves the position at the end of the free text.
func (f *fields) textUntil(key, until string) string {
	if f.err != nil {
		return ""
	}
	at := f.find(key)
	if at >= 0 {
		if n := strings.Index(f.text[at:], until); n >= 0 {
			f.pos = at + n
			return f.text[at:f.pos]
		}
	}
	f.err = f.fail(key, f.text, "a field "+key+"= followed by"+until)
	return ""
}

// textBefore reads free text from " key=" up to the first of the given fields, or to the
// end of the line. It leaves the position at the end of the free text.
func (f *fields) textBefore(key string, others ...string) string {
	at := f.find(key)
	if f.err != nil || at < 0 {
		return ""
	}
	end := len(f.text)
	for _, other := range others {
		if n := strings.Index(f.text[at:end], " "+other+"="); n >= 0 {
			end = at + n
		}
	}
	f.pos = end
	return strings.TrimSpace(f.text[at:end])
}

func (f *fields) count(key string) int {
	s := f.word(key)
	n, ok := values.CountOrUnset(s)
	if f.err == nil && !ok {
		f.err = f.fail(key, s, "a count")
	}
	return n
}

func (f *fields) tres(key, name string) int {
	s := f.word(key)
	n, err := values.Amount(s, name)
	if f.err == nil && err != nil {
		f.err = f.fail(key, s, "a TRES list such as cpu=4,gres/gpu=2")
	}
	return n
}

func (f *fields) gpus(key string) int {
	s := f.word(key)
	n, err := values.GPUs(s)
	if f.err == nil && err != nil {
		f.err = f.fail(key, s, "a GRES list such as gpu:2")
	}
	return n
}

func (f *fields) time(key string) time.Time {
	s := f.word(key)
	if f.err != nil {
		return time.Time{}
	}
	t, err := values.Time(s)
	if err != nil {
		f.err = f.fail(key, s, "YYYY-MM-DDTHH:MM:SS, Unknown, None or N/A")
	}
	return t
}

func (f *fields) duration(key string) time.Duration {
	s := f.word(key)
	if f.err != nil {
		return 0
	}
	d, err := values.Duration(s)
	if err != nil {
		f.err = f.fail(key, s, "[D-][HH:]MM:SS or UNLIMITED")
	}
	return d
}
