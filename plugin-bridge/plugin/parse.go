package plugin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"unicode/utf8"
)

// MaxLine is the longest line of a program, in bytes.
const MaxLine = 16 << 20

// ReadWelcome reads the first line of a program.
func ReadWelcome(line []byte) (Welcome, error) {
	var w Welcome
	if err := decode(line, typeHello, &w); err != nil {
		return w, err
	}
	if w.Version != Version {
		return w, fmt.Errorf("version: it speaks %d, slurmlab speaks %d", w.Version, Version)
	}
	return w, nil
}

// ReadAnswer reads an answer to the snapshot of that number.
func ReadAnswer(line []byte, number int) (Answer, error) {
	var a Answer
	if err := decode(line, typeAnswer, &a); err != nil {
		return a, err
	}
	if a.Number != number {
		return a, fmt.Errorf("number: it answers snapshot %d, asked was %d", a.Number, number)
	}
	if !(a.WaitUntilS >= 0) || a.WaitUntilS > mostSeconds {
		return a, fmt.Errorf("wait_until_s: %g is not allowed, want 0 to %g", a.WaitUntilS, float64(mostSeconds))
	}
	for _, r := range a.Reserve {
		if !(r.StartS >= 0) || r.StartS > mostSeconds {
			return a, fmt.Errorf("reserve: start_s: %g is not allowed, want 0 to %g", r.StartS, float64(mostSeconds))
		}
	}
	return a, nil
}

// mostSeconds is longer than any run, and a time.Duration can hold it.
const mostSeconds = 100 * 365 * 24 * 3600

// decode reads one message of a type. A field that the message does not have is an error: it would have no effect,
// although its author expects one.
func decode(line []byte, want string, message any) error {
	var head struct {
		Type *string `json:"type"`
	}
	if err := json.Unmarshal(line, &head); err != nil || !bytes.HasPrefix(bytes.TrimSpace(line), []byte("{")) {
		return fmt.Errorf("%s is no JSON object; what is no message belongs on standard error", excerpt(line))
	}
	if head.Type == nil || *head.Type != want {
		return fmt.Errorf("type: want %q in %s", want, excerpt(line))
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(message); err != nil {
		var mismatch *json.UnmarshalTypeError
		if errors.As(err, &mismatch) {
			want, _ := wordOf(mismatch.Type)
			return fmt.Errorf("%s: got a %s, want: %s", mismatch.Field, mismatch.Value, want)
		}
		return errors.New(string(bytes.TrimPrefix([]byte(err.Error()), []byte("json: "))))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more than one object on the line")
	}
	return nil
}

// excerpt quotes the beginning of a line.
func excerpt(line []byte) string {
	const most = 60
	line = bytes.TrimSpace(line)
	if len(line) > most {
		line = line[:most]
		for n := 1; n < utf8.UTFMax && !utf8.Valid(line); n++ {
			line = line[:len(line)-1]
		}
		return fmt.Sprintf("%q...", line)
	}
	return fmt.Sprintf("%q", line)
}

// encode writes a message as one line.
func encode(message any) ([]byte, error) {
	text, err := json.Marshal(message)
	if err != nil {
		return nil, fmt.Errorf("write message: %w", err)
	}
	return append(text, '\n'), nil
}

// seconds rounds to milliseconds, which is finer than any clock of Slurm's.
func seconds(s float64) float64 { return math.Round(s*1000) / 1000 }
