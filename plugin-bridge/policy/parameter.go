package policy

// Parameter is what there is to know about a parameter of the agent.
type Parameter struct {
	// Key is its name in policies.yaml and in the settings of a campaign file, empty if only
	// a flag sets it; Flag is the name of its flag, empty if only a file sets it.
	Key, Flag string
	Help      string
	// Default and Allowed are for people; Allowed is empty for a switch.
	Default, Allowed string
	// ReadBy are the methods that read it, nil for all.
	ReadBy []Method
	// get is its value in certain parameters.
	get func(Parameters) string
}

// Of is the value of the parameter.
func (p Parameter) Of(values Parameters) string { return p.get(values) }

// ParameterList lists the parameters that a user can set.
func ParameterList() []Parameter {
	defaults := DefaultParameters()
	var list []Parameter
	for i, k := range defaults.knobs() {
		if k.place == 0 {
			continue
		}
		p := Parameter{
			Help: k.help, Default: short(k.content()), Allowed: k.allowed, ReadBy: k.methods,
			get: func(values Parameters) string { return short(values.knobs()[i].content()) },
		}
		if k.none() && k.Type() == "duration" {
			p.Default = "none"
		}
		if k.place&inFile != 0 {
			p.Key = k.fileKey()
		}
		if k.place&inFlags != 0 {
			p.Flag = k.name
		}
		list = append(list, p)
	}
	return list
}
