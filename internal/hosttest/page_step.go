package hosttest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Step is one block of commands of a page, or the command of an output.
type Step struct {
	Page string
	Line int
	// Script is the block as it stands on the page.
	Script string
	// AtTop says that the block runs in the repository and not in the directory that
	// all other blocks share.
	AtTop bool
	// Python says that the script is one for pandas' Python.
	Python bool
	// Skip says why the block is not run, and is empty for one that is.
	Skip string
	// Outputs are what the page shows of the step's output, and Pictures the files that it shows.
	Outputs  []Output
	Pictures []Picture
}

func (s Step) String() string { return fmt.Sprintf("%s:%d", s.Page, s.Line) }

// Steps divides pages into the steps that show that their commands work, each for a shell of its
// own, in the order in which a reader would run them. Not run are "make test", which would
// run itself, and a block that stands word for word on an earlier page. After the page's blocks come the commands of its
// outputs, and its program in Python.
func Steps(names []string, texts map[string]string) ([]Step, error) {
	var steps []Step
	for _, name := range names {
		outputs, pictures, err := Marked(texts[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		program, first := Step{Page: name, Python: true}, len(steps)
		var own []Step
		// shown gives the outputs above a line to the steps that make them.
		shown := func(line int) error {
			for ; len(outputs) > 0 && outputs[0].Line < line; outputs = outputs[1:] {
				o, last := outputs[0], len(steps)-1
				if o.Command != "" && !strings.HasPrefix(o.Command, "|") {
					own = append(own, Step{Page: name, Line: o.Line, Script: o.Command + "\n", Outputs: []Output{o}})
					continue
				}
				if last < first || steps[last].Skip != "" {
					return fmt.Errorf("%s:%d: no step of the page that is run stands above an output without a command", name, o.Line)
				}
				steps[last].Outputs = append(steps[last].Outputs, o)
			}
			return nil
		}
		for _, b := range Blocks(texts[name]) {
			if b.Language == "python" {
				if program.Script == "" {
					program.Line = b.Line
				}
				program.Script += b.Text
			}
			if b.Language != "sh" {
				continue
			}
			if err = shown(b.Line); err != nil {
				return nil, err
			}
			s := Step{Page: name, Line: b.Line, Script: b.Text, AtTop: strings.HasPrefix(b.Text, "make ")}
			earlier := slices.IndexFunc(steps, func(other Step) bool { return other.Script == s.Script })
			switch {
			case strings.TrimSpace(b.Text) == "make test":
				s.Skip = "it would run itself"
			case earlier >= 0:
				s.Skip = "it is run as " + steps[earlier].String()
			}
			steps = append(steps, s)
		}
		if err = shown(1 + strings.Count(texts[name], "\n")); err != nil {
			return nil, err
		}
		steps = append(steps, own...)
		if program.Script != "" {
			steps = append(steps, program)
		}
		for _, p := range pictures {
			if strings.HasPrefix(p.Made, "make ") {
				continue
			}
			folder, _, _ := strings.Cut(p.Made, "/")
			at := -1
			for i := range steps {
				if steps[i].Skip == "" && (madeBy(steps[i])[folder] || at >= 0 && slices.Contains(word.FindAllString(steps[i].Script, -1), folder)) {
					at = i
				}
			}
			if at < 0 {
				return nil, fmt.Errorf("%s:%d: no step makes %s", name, p.Line, p.Made)
			}
			p.Page = name
			steps[at].Pictures = append(steps[at].Pictures, p)
		}
	}
	return steps, nil
}

// nameMade finds the names of files and folders that a script makes in the directory that all share. They are those
// after a redirection, after --out and its like, what cp, "make" and "slurmlab plugin python" make, and the folder of a
// campaign's file.
var nameMade = regexp.MustCompile(`(?m)(?:> (?:\./)?|--(?:policy-)?out |--key-file |^make |plugin python |campaign run |^cp \S+ (?:\./)?)([\w.-]+)`)

// word finds what may be such a name.
var word = regexp.MustCompile(`[\w.-]+`)

// madeBy are the names that a step makes.
func madeBy(s Step) map[string]bool {
	made := map[string]bool{}
	for _, m := range nameMade.FindAllStringSubmatch(s.Script, -1) {
		made[m[1]] = true
		made[strings.TrimSuffix(m[1], ".yaml")] = true
	}
	return made
}

// NamesMade are the names that the steps make.
func NamesMade(steps []Step) map[string]bool {
	// A program of docs/plugins.md makes runs below the folder that slurmlab_gym takes.
	made := map[string]bool{"episodes": true}
	for _, s := range steps {
		for name := range madeBy(s) {
			made[name] = true
		}
	}
	return made
}

// The names of what is no file.
const (
	repository = "the repository"
	cluster    = "the cluster of slurmlab up"
)

var (
	usesCluster  = regexp.MustCompile(`(?m)^slurmlab (?:up|down|shell|status|top)\b`)
	makesCluster = regexp.MustCompile(`(?m)^slurmlab up\b`)
)

// shares says for each step which of the names that any step makes it mentions, and which of these it makes itself. Steps
// in the repository and steps on the cluster of "slurmlab up" share that.
func shares(steps []Step) (mentions, makes []map[string]bool) {
	made := NamesMade(steps)
	mentions, makes = make([]map[string]bool, len(steps)), make([]map[string]bool, len(steps))
	for i, s := range steps {
		mentions[i], makes[i] = map[string]bool{}, madeBy(s)
		for _, w := range word.FindAllString(s.Script, -1) {
			for _, name := range []string{w, strings.TrimSuffix(w, ".yaml")} {
				if made[name] {
					mentions[i][name] = true
				}
			}
		}
		if s.AtTop {
			mentions[i][repository] = true
		}
		if usesCluster.MatchString(s.Script) {
			mentions[i][cluster] = true
		}
		if makesCluster.MatchString(s.Script) {
			makes[i][cluster] = true
		}
	}
	return mentions, makes
}

// Earlier lists for each step the indices of the earlier ones that it comes after. They are steps that mention the
// same name that any step makes, since both may write it. They are steps that run in the repository, if it does, and
// steps that use the cluster of "slurmlab up", if it does.
func Earlier(steps []Step) [][]int {
	mentions, _ := shares(steps)
	return meeting(mentions, mentions)
}

// Sources lists for each step the indices of the earlier ones that make what it mentions: without them it cannot run.
func Sources(steps []Step) [][]int {
	mentions, makes := shares(steps)
	return meeting(mentions, makes)
}

// meeting lists for each set of names the places of the earlier sets of others with which it shares a name.
func meeting(sets, others []map[string]bool) [][]int {
	all := make([][]int, len(sets))
	for i := range sets {
		for j := range i {
			for name := range sets[i] {
				if others[j][name] {
					all[i] = append(all[i], j)
					break
				}
			}
		}
	}
	return all
}

// Needed are the steps that are wanted, by their places, and those that they come after, directly or not.
func Needed(steps []Step, wanted func(i int) bool) []Step {
	earlier, needed := Earlier(steps), make([]bool, len(steps))
	for i := range slices.Backward(steps) {
		if needed[i] = needed[i] || wanted(i); needed[i] {
			for _, j := range earlier[i] {
				needed[j] = true
			}
		}
	}
	var all []Step
	for i, s := range steps {
		if needed[i] {
			all = append(all, s)
		}
	}
	return all
}

// atATime is how many steps run at a time: one more than a machine of two cores has clusters on cores of their own. It writes
// reports, or waits for the next core.
const atATime = 3

// InOrder runs the steps, atATime at a time: always the first whose earlier ones (Earlier) have ended. run returns whether the
// step has made its files. If it has not, the steps that mention them (Sources) are left out, and no others.
func InOrder(steps []Step, run func(Step) (made bool), leaveOut func(s, failed Step)) {
	const (
		waits = iota
		runs
		passed
		failed
	)
	earlier, sources, state := Earlier(steps), Sources(steps), make([]int, len(steps))
	var mu sync.Mutex
	changed := sync.NewCond(&mu)
	// ready is the first step that can run, or -1; more says that one waits.
	ready := func() (at int, more bool) {
		for i := range steps {
			if state[i] != waits {
				continue
			}
			more = true
			if !slices.ContainsFunc(earlier[i], func(j int) bool { return state[j] == waits || state[j] == runs }) {
				return i, true
			}
		}
		return -1, more
	}
	worker := func() {
		mu.Lock()
		defer mu.Unlock()
		for {
			i, more := ready()
			switch {
			case !more:
				return
			case i < 0:
				changed.Wait()
				continue
			}
			if j := slices.IndexFunc(sources[i], func(j int) bool { return state[j] == failed }); j >= 0 {
				leaveOut(steps[i], steps[sources[i][j]])
				state[i] = failed
				continue
			}
			state[i] = runs
			mu.Unlock()
			ok := run(steps[i])
			mu.Lock()
			state[i] = failed
			if ok {
				state[i] = passed
			}
			changed.Broadcast()
		}
	}
	var workers sync.WaitGroup
	for range atATime {
		workers.Go(worker)
	}
	workers.Wait()
}
