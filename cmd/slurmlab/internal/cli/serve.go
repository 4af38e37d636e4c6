package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/serve"
	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/plugin-bridge/explain"
	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/trace"
)

func serveCommand(s *State) *cobra.Command {
	var port int
	var rawCells bool
	cmd := &cobra.Command{
		Use:   "serve DIR...",
		Short: "Show runs in the browser, while they run and after",
		Long: `Serves a page about runs until Ctrl-C: Gantt chart, curves, a panel for each
job, metrics and comparisons. DIR is a run directory, an archive of one, or a
folder of runs such as compare and campaign make; folders are looked through
three levels deep, so that "runs" shows everything in it. A run that is under
way is read again as it grows.

The page is read-only and for this machine: the server listens on 127.0.0.1
alone, and the address has a random token, without which it answers nothing.
For a machine that you reach by ssh: ssh -L PORT:127.0.0.1:PORT.`,
		Example:           "  slurmlab serve runs\n  slurmlab serve --port 8080 study my-run",
		ValidArgsFunction: completions(ofRuns).cobra,
		Args:              cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if port < 0 || port > 65535 {
				return usage(fmt.Errorf("port: %d is not allowed, want 1 to 65535, or 0 for any free one", port))
			}
			page, err := serve.New(serve.Options{Paths: args, Token: serve.NewToken(), Version: s.Version, Explain: explainJob, Study: s.study, RawCells: rawCells})
			if err != nil {
				return usage(err)
			}
			listener, err := serve.Listen(port)
			if err != nil {
				return err
			}
			if _, err = fmt.Fprintln(s.Stdout, page.Address(listener)); err != nil {
				return errors.Join(err, listener.Close())
			}
			_, _ = fmt.Fprintln(s.Stderr, "Open this address in a browser of this machine; Ctrl-C ends the page.")
			server := httpServer(page)
			stopped := context.AfterFunc(cmd.Context(), func() { _ = server.Close() })
			defer stopped()
			// Ctrl-C is how it is to end.
			if err = server.Serve(listener); errors.Is(err, http.ErrServerClosed) {
				return nil
			}
			return fmt.Errorf("serve: %w", err)
		},
	}
	declare(cmd, headFlags,
		flag("port", &port, 0, "port of 127.0.0.1 to listen on; 0 for any free one"),
		flag("raw-cells", &rawCells, false, rawCellsHelp),
	)
	return cmd
}

// httpServer serves the page. A browser that is gone, or that reads nothing, keeps no connection. The comparison of a
// folder of thousands of runs takes minutes.
func httpServer(page http.Handler) *http.Server {
	return &http.Server{
		Handler: page, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: 15 * time.Minute, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10,
	}
}

// explainJob is what "explain" prints of a job, with its cycles counted.
func explainJob(dir trace.Dir, job int) (serve.Explanation, error) {
	told := serve.Explanation{Outcomes: []serve.OutcomeCount{}}
	input, err := explainInput(dir)
	if err != nil {
		return told, err
	}
	explanation, err := explain.Explain(input, job, 0)
	if err != nil {
		return told, err
	}
	cycles := map[explain.Outcome]int{}
	for _, s := range explanation.Stretches {
		cycles[s.Outcome] += s.Cycles
	}
	bid := 0
	for _, outcome := range []explain.Outcome{explain.Released, explain.Refused, explain.Deferred, explain.Interrupted, explain.Lost} {
		bid += cycles[outcome]
	}
	for _, o := range []serve.OutcomeCount{
		{Name: "bid in", Cycles: bid}, {Name: "won and released in", Cycles: cycles[explain.Released]}, {Name: "won, refused by Slurm in", Cycles: cycles[explain.Refused]},
		{Name: "won, left for later in", Cycles: cycles[explain.Deferred]}, {Name: "won when the run broke in", Cycles: cycles[explain.Interrupted]},
		{Name: "lost in", Cycles: cycles[explain.Lost]}, {Name: "had no bid in", Cycles: cycles[explain.NoBids]},
		{Name: "outside the window in", Cycles: cycles[explain.Outside]}, {Name: "could not be scheduled in", Cycles: cycles[explain.Obstructed]},
	} {
		if o.Cycles > 0 {
			told.Outcomes = append(told.Outcomes, o)
		}
	}
	var text strings.Builder
	err = explain.WriteText(&text, explanation)
	told.Text = text.String()
	return told, err
}

// study is what "campaign report" says of a folder, which it leaves as it is, with how its runs
// stand. Unlike the command it takes a folder without complete runs.
func (s *State) study(folder string) (serve.Study, error) {
	g, err := campaign.NewSurvey(folder, s.build())
	if err == nil {
		err = g.Read()
	}
	if err != nil {
		return serve.Study{}, err
	}
	runs, err := g.Runs()
	if err != nil {
		return serve.Study{}, err
	}
	if g.Study != nil && len(g.Study.Scenarios) > 0 {
		var answer *compare.WhatIf
		if g.Study.HasAnswer(g.Entries) {
			w, err := g.Study.WhatIf(g.Entries, compare.WhatIfOptions{})
			if err != nil {
				return serve.Study{}, err
			}
			answer = &w
		}
		return serve.NewWhatIf(g.Folder, runs, answer)
	}
	return serve.NewStudy(g.Folder, runs)
}
