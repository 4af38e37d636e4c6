package policy

// Parameter is what there is to know about a parameter of the agent.
type Parameter struct {
	// Key is its name in files of policies, in campaign files and of --set.
	Key, Help string
	// Unit is what the value counts, empty where the value says it itself.
	Unit string
	// Default and Allowed are for people.
	Default, Allowed string
	// Words are all values that are allowed with the method of the parameters, nil for a number.
	Words []string
	// ReadBy are the methods that read it, nil for all.
	ReadBy []Method
	// get is its value in certain parameters.
	get func(Parameters) string
}

// Of is the value of the parameter.
func (p Parameter) Of(values Parameters) string { return p.get(values) }

// ParameterList lists the parameters that a user can set.
func ParameterList() []Parameter { return parameterList(DefaultParameters()) }

// Keys lists the parameters that the policy has, with what is allowed there.
func (p Policy) Keys() []Parameter {
	var list []Parameter
	for _, parameter := range parameterList(p.Parameters) {
		if p.Lacks(parameter.Key) == "" {
			list = append(list, parameter)
		}
	}
	return list
}

// parameterList is ParameterList, with what is allowed with the method of the parameters.
func parameterList(of Parameters) []Parameter {
	defaults := DefaultParameters()
	standards := defaults.knobs()
	var list []Parameter
	for i, k := range of.knobs() {
		if k.recordOnly {
			continue
		}
		list = append(list, Parameter{
			Key: k.name, Help: k.help, Unit: k.unit, Default: standards[i].word(), Allowed: k.allowed, Words: k.values, ReadBy: k.methods,
			get: func(values Parameters) string { return values.knobs()[i].word() },
		})
	}
	return list
}
