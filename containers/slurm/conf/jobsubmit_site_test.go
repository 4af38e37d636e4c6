package conf

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	interpreter "github.com/yuin/gopher-lua"
)

// ofSite has functions and variables with the names of ours.
const ofSite = `
hold, nodes = true, 0

local function number(x) return "no number" end

function slurm_job_submit(job_desc, part_list, submit_uid)
	if job_desc.account == nil then
		slurm.log_user("no account")
		return 2000
	end
	job_desc.min_nodes, job_desc.max_nodes = 2, 2
	job_desc.comment = string.format("of %d", submit_uid)
	return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
	job_desc.comment = "seen"
	return job_desc.priority == 7 and slurm.ERROR or slurm.SUCCESS
end

return slurm.SUCCESS
`

func siteFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "site.lua")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// The script of a site comes first. What it changes is held as the request, and what it refuses is refused with its
// code and its words, as with Slurm's job_submit/lua alone. It changes nothing of ours. TestSiteContract asks the
// real Slurm.
func TestScriptOfASite(t *testing.T) {
	script := siteFile(t, ofSite)
	for hold, note := range map[bool]string{false: "", true: "slurmlab tasks=0 nodes=2 tasks_per_node=0"} {
		p := loadScript(t, jobSubmit(submitOptions{Hold: hold, Site: script}, fourNodes()))
		submit := func(asked desc, uid int) (int, map[string]string, string) {
			return p.call("slurm_job_submit", submission(asked), p.state.NewTable(), interpreter.LNumber(uid))
		}
		if code, _, told := submit(desc{}, 0); code != 2000 || told != "no account" {
			t.Errorf("hold %t: a job that the site refuses: %d, %q", hold, code, told)
		}
		// Root submits a job of user 60001, who may also submit one alone.
		for _, uid := range []int{0, 60001} {
			code, after, told := submit(desc{"account": "physics", "user_id": 60001}, uid)
			if code != 0 || after["min_nodes"] != "2" || after["comment"] != "of 60001" || told != "" {
				t.Errorf("hold %t, submitted by %d: %d, %v, %q", hold, uid, code, after, told)
			}
			if got := after["admin_comment"]; hold && got != note {
				t.Errorf("the request is kept as %q, want %q", got, note)
			}
		}
		modify := func(priority, uid int) (int, map[string]string) {
			record := p.table(desc{"job_id": 1, "job_state": 0})
			code, after, _ := p.call("slurm_job_modify", update(desc{"priority": priority}), record, p.state.NewTable(), interpreter.LNumber(uid))
			return code, after
		}
		if code, after := modify(7, 60001); code != -1 || after["comment"] != "seen" {
			t.Errorf("hold %t: a change that the site refuses: %d, %v", hold, code, after)
		}
		if _, after := modify(noVal, 0); after["comment"] == "seen" {
			t.Errorf("hold %t: the site's script sees a change of slurmlab's: %v", hold, after)
		}
	}
}

// A script that Lua does not take is a fault with its line, with which slurmctld does not start.
func TestBrokenScriptOfASite(t *testing.T) {
	state := interpreter.NewState()
	defer state.Close()
	state.SetGlobal("slurm", state.NewTable())
	file := siteFile(t, "local x = )\nfunction slurm_job_submit() end\n")
	err := state.DoString(jobSubmit(submitOptions{Site: file}, fourNodes()))
	if err == nil || !strings.Contains(err.Error(), file+" line:") {
		t.Errorf("got %v, want a fault of %s with its line", err, file)
	}
}
