package faults

// UsageError is bad usage or invalid input, which a command ends for before it has done anything.
type UsageError struct{ error }

// Unwrap returns what is wrong.
func (e UsageError) Unwrap() error { return e.error }

// Usage marks an error as bad usage or invalid input; nil stays nil.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return UsageError{err}
}
