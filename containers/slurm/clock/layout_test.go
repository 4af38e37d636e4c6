package clock

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode"
)

// The C compiler says the same about vclock.h as Go about this package, field
// by field. Without a C compiler the test fails: a layout that nobody compared
// would corrupt the memory of a whole cluster.
func TestLayout(t *testing.T) {
	var program, want strings.Builder
	program.WriteString("#include <stddef.h>\n#include <stdio.h>\n#include \"vclock.h\"\nint main(void)\n{\n")
	value := func(name string, is uint64) {
		fmt.Fprintf(&program, "\tprintf(\"%s %%llu\\n\", (unsigned long long)%s);\n", name, name)
		fmt.Fprintf(&want, "%s %d\n", name, is)
	}
	for _, s := range []any{&page{}, &slot{}, &source{}, &round{}} {
		typ := reflect.TypeOf(s).Elem()
		c := "struct vclock_" + typ.Name()
		value("sizeof("+c+")", uint64(typ.Size()))
		for f := range typ.Fields() {
			if f.Name == "_" {
				continue
			}
			value(fmt.Sprintf("offsetof(%s, %s)", c, snake(f.Name)), uint64(f.Offset))
			value(fmt.Sprintf("sizeof(((%s *)0)->%s)", c, snake(f.Name)), uint64(f.Type.Size()))
		}
	}
	value("VCLOCK_MAGIC", pageMagic)
	value("VCLOCK_VERSION", pageVersion)
	value("VCLOCK_SLOTS", pageSlots)
	value("VCLOCK_SOURCES", pageSources)
	value("VCLOCK_ROUNDS", pageRounds)
	value("VCLOCK_NAME", pageName)
	for kind, name := range kindNames[1:] {
		value("VCLOCK_"+strings.ToUpper(name), uint64(kind)+1)
	}
	value("VCLOCK_POLL", kindPoll)
	program.WriteString("\tputs(VCLOCK_PATH);\n\treturn 0;\n}\n")
	want.WriteString(pagePath + "\n")

	dir := t.TempDir()
	file, binary := filepath.Join(dir, "layout.c"), filepath.Join(dir, "layout")
	if err := os.WriteFile(file, []byte(program.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	compile := exec.Command("cc", "-std=gnu17", "-I", "../vclock", "-o", binary, file)
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("compile: %v\n%s", err, out)
	}
	got, err := exec.Command(binary).Output()
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, []byte(want.String())) {
		return
	}
	wantLines := strings.Split(want.String(), "\n")
	for i, line := range strings.Split(string(got), "\n") {
		if line != wantLines[i] {
			t.Errorf("vclock.h: %s; package clock: %s", line, wantLines[i])
		}
	}
}

// snake turns nameLen into name_len.
func snake(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
