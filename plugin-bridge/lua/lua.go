package lua

import (
	_ "embed"
	"strings"
)

//go:embed job_submit.lua
var script string

const holdLine = "local hold = false"

// Script returns the text of job_submit.lua. With hold set, every submitted
// job is held (Slurm 24.11, src/plugins/job_submit/lua).
func Script(hold bool) string {
	if !hold {
		return script
	}
	return strings.Replace(script, holdLine, "local hold = true", 1)
}
