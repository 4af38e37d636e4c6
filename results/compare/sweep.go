package compare

// Sweep is a setting of a policy of which several values are compared.
type Sweep struct {
	// Policy is the name of the policy whose setting it is, without the settings; Setting is the key.
	Policy, Setting string
	Lines           []SweepLine
}

// SweepLine are policies that differ in the value of one setting alone.
type SweepLine struct {
	// With are their other settings, as in the policies' names: "interval-5s"; empty for none.
	With   string
	Points []SweepPoint
}

// SweepPoint is a value of the setting, as it was written, and the policy that it makes.
type SweepPoint struct{ Value, Policy string }
